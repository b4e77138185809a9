"""Where no trace is being made, functions of `ag.convert` run as they were written."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.conversion.plain_form import CONVERTED, FORMS
from autograph.operators import dispatch
from tests.support.program_files import program


@pytest.fixture(autouse=True)
def as_users(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(dispatch, "_replaced", False)
    before, ag.config.plain = ag.config.plain, True
    yield
    ag.config.plain = before


def steps(n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def collected(n):
    found = []
    for i in range(n):
        if i % 3:
            found.append(i)
        elif i > 4:
            break
    return found


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def all_parameters(a, /, b, c=3, *rest, d, e=5, **more):
    return (a, b, c, rest, d, e, more) if a else [a, b, c, rest, d, e, more]


pick = lambda x, *, least=3: x if x > least else least


def counter():
    count = 0

    def more(by):
        nonlocal count
        if by > 0:
            count += by
        return count
    return more


class Base:
    def grown(self, by):
        return 10 + by


class Grown(Base):
    __most = 7

    def grown(self, by):
        if by > self.__most:
            return self.__most
        return super().grown(by)

    @staticmethod
    def sign(x):
        return 1 if x > 0 else -1


CALLS: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    (steps, (27,), {}), (collected, (9,), {}), (fibonacci, (9,), {}),
    (all_parameters, (1, 2), {"d": 4}), (all_parameters, (0, 2, 3, 4), {"d": 4, "e": 1, "z": 2}),
    (pick, (1,), {}), (pick, (1,), {"least": 0}), (counter(), (0,), {}), (Grown().grown, (8,), {}),
    (Grown().grown, (1,), {}), (Grown.sign, (-2,), {}), (partial(pick, least=9), (1,), {}),
]


def calls_into(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, set[str]]:
    """The result of a call, and the modules of autograph whose functions it called."""
    seen: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        seen.add(str(frame.f_globals.get("__name__")))

    sys.setprofile(note)
    try:
        result = function(*args, **kwargs)
    finally:
        sys.setprofile(None)
    return result, {name for name in seen if name.startswith("autograph")}


@pytest.mark.parametrize(("f", "args", "kwargs"), CALLS)
def test_no_operator_is_called(f: Any, args: Any, kwargs: Any) -> None:
    converted = ag.convert(f)
    assert converted is not f
    assert calls_into(converted, *args, **kwargs) == (f(*args, **kwargs), set())
    ag.config.plain = False
    for form in (converted, ag.convert(f)):
        result, modules = calls_into(form, *args, **kwargs)
        assert result == f(*args, **kwargs) and modules


def test_it_is_one_function() -> None:
    converted = ag.convert(steps)
    assert ag.convert(steps) is converted and ag.convert(converted) is converted
    assert (converted.__name__, converted.__qualname__, converted.__code__.co_firstlineno) == (
        "steps", "steps", steps.__code__.co_firstlineno)
    assert CONVERTED not in str(ag.to_code(steps)) and FORMS not in str(ag.to_code(converted))


@pytest.mark.parametrize("autograph", [True, False])
def test_a_trace_stages_it(autograph: bool) -> None:
    """Also if what calls it is not converted, and a call outside follows."""
    inner = ag.convert(steps)
    staged = ag.function(lambda n: inner(n) + 1, autograph=autograph)
    assert staged(np.int64(27)) == 112 == staged(np.int64(27))
    assert "while" in str(staged.graph(np.int64(27)))
    assert calls_into(inner, 27) == (111, set())


def test_in_another_thread_it_is_plain() -> None:
    inner, seen = ag.convert(steps), []

    def meanwhile() -> None:
        seen.append(calls_into(inner, 27))

    @ag.do_not_convert
    def other_thread():
        thread = threading.Thread(target=meanwhile)
        thread.start()
        thread.join()

    @ag.function
    def traced(n):
        other_thread()
        return inner(n)

    assert traced(np.int64(3)) == 7
    ((result, modules),) = seen
    assert result == 111 and modules <= {"autograph.operators.dispatch"}


def test_what_it_returns_can_be_converted() -> None:
    @ag.convert
    def made(limit):
        if limit > 3:
            limit = 3

        def clipped(x):
            if x > limit:
                return x * 0 + limit
            return x
        return clipped

    clipped = ag.function(made(5))
    assert clipped(np.array(4.0)) == 3.0 and clipped(np.array(1.0)) == 1.0


def test_a_limit_of_a_loop_counts() -> None:
    @ag.convert
    def limited(n):
        while n < 100:
            ag.set_loop_options(maximum_iterations=5)
            n += 1
        return n

    assert limited(0) == 5


def test_a_replacement_of_the_users_counts() -> None:
    converted = ag.convert(steps)
    dispatch.note_replacement()
    assert calls_into(converted, 27)[1]


def test_an_import_is_plain_too(tmp_path: Any) -> None:
    from autograph.conversion.import_hook import code_of

    text = ("def f(x):\n    def g(y):\n        return 0 if y > x else y\n"
            "    return g(x) if x else 1\n")
    file = tmp_path / "module.py"
    file.write_text(text)
    space: dict[str, Any] = {}
    exec(code_of(text, str(file), compile(text, str(file), "exec")), space)
    assert calls_into(space["f"], 2) == (2, set())
    ag.config.plain = False
    result, modules = calls_into(space["f"], 2)
    assert result == 2 and modules


def test_private_names_and_global_names(tmp_path: Any) -> None:
    module = program(tmp_path, """
        total = 0

        class Point:
            def __init__(self, x):
                self.__x = x if x > 0 else 0

            def __get(self):
                return self.__x

            def add(self):
                global total
                if self.__get():
                    total += self.__get()
                return total
    """)
    point = module.Point(4)
    assert calls_into(ag.convert(point.add)) == (4, set())
    assert module.total == 4
