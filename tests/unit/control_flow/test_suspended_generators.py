"""Generators that yield in a `with` or `try`, or that Python reads: their text, tests of classes
and calls are those of plain Python, or they are refused."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES

LOG: list[Any] = []


class Noted:
    """A context manager that notes what is left."""

    def __init__(self, name: Any) -> None:
        self.name = name

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.name = "left"

    def __texts(self, x: Any) -> Iterator[Any]:
        with self:
            yield f"{x:.2f} {self.name}"

    def texts(self, x: Any) -> list[Any]:
        return list(self.__texts(x))


def sign(x: Any) -> str:
    return "more" if x > 0 else "less"


def in_a_with(x: Any) -> Iterator[Any]:
    with Noted("in") as noted:
        yield x + 1
        yield str(x), noted.name, sign(x)
    yield noted.name, "%.1f" % x, isinstance(x, np.floating)  # noqa: UP031


def in_a_try(x: Any) -> Iterator[Any]:
    try:
        yield "more" if x > 1 else "less"
        yield x > 0 and x < 2, not x, [f"{v}" for v in (x, 2 * x) if type(v) is np.float64]
    finally:
        LOG.append("done")


def with_functions(x: Any) -> Iterator[Any]:
    def text(y: Any) -> str:
        return f"{y} of {x}"

    with contextlib.suppress(ValueError):
        yield text(x * 2), (lambda y: repr(y))(x)
        yield from map(text, (x, x + 1))
        if (k := 3) > 2:
            raise ValueError(k)
        yield "never"


def received(x: Any) -> Iterator[Any]:
    with Noted(x):
        total = x
        while True:
            y = yield f"{total}"
            if y is None:
                return
            total += y


@contextlib.contextmanager
def opened(x: Any) -> Iterator[Any]:
    try:
        yield f"open {x}"
    except ValueError as error:
        LOG.append(f"{error} {sign(1)}")
    finally:
        LOG.append("closed")


def listed(x: Any) -> Any:
    return list(in_a_with(x)), list(in_a_try(x)), list(with_functions(x))


def by_next(x: Any) -> Any:
    made = in_a_with(x)
    return next(made), next(made)


def by_send(x: Any) -> Any:
    made = received(x)
    return next(made), made.send(x * 2), made.send(1.0), next(made, "end")


def by_method(x: Any) -> Any:
    return Noted("own").texts(x)


def by_contextmanager(x: Any) -> Any:
    with opened(x) as text:
        y = x * 2
    with opened(y), opened(1.0) as other:
        raise ValueError("wrong")
    return text, other, y


def as_decorator(x: Any) -> Any:
    @opened(2.0)
    def twice(x: Any) -> Any:
        return 2 * x
    return twice(x), sign(x)


def in_a_loop(x: Any) -> Any:
    out = []
    for item in in_a_with(x):
        out += [item]
    with opened(out[0]) as text:
        out.append(text)
    return out


def noting(items: list[Any], n: int, x: Any) -> Iterator[Any]:
    try:
        for k in range(n):
            yield k + x
    finally:
        items.append("end")


def left_by_any(x: Any) -> Any:
    items = [x]
    found = any(v == 2 for v in noting(items, 3, 1))
    items.append(5)
    return items, found


def bound_again(x: Any) -> Any:
    items = [x]
    made = noting(items, 3, x)
    next(made)
    made = noting(items, 3, x)
    items.append(5)
    next(made)
    made = None
    return [*items, 6]


def left_by_others(x: Any) -> Any:
    items = [x]
    if x > 1:
        items.append(2)
    first = next(noting(items, 3, 1))
    found = 2 in noting(items, 5, 1)
    for a, b in zip(noting(items, 3, 1), range(2), strict=False):
        items.append(a + b)
    for value in noting(items, 3, 1):
        items.append(value)
        if value == 2:
            break
    items.append(9)
    return items, first, found


PROGRAMS = [left_by_any, bound_again, left_by_others, listed, by_next, by_send,
            by_method, by_contextmanager, as_decorator, in_a_loop]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_plain(program: Callable[[Any], Any], mode: str) -> None:
    traced = ag.function(program, **MODES[mode])
    for x in map(np.float64, (2.0, -1.5, 0.5)):
        assert repr(traced(x)) == repr(program(x))


def test_what_only_the_run_decides_is_refused() -> None:
    def values(x: Any) -> Iterator[Any]:
        with Noted(x):
            if x > 0:
                yield x

    with pytest.raises(ag.errors.TracingError, match="x > 0"):
        ag.function(lambda x: list(values(x)))(np.float64(1.0))


def left_in_a_loop(x: Any) -> Any:
    items = [x]
    k = 0
    while k < x:
        made = noting(items, 3, 1)
        k += next(made)
    return items


def left_as_the_run_decides(x: Any) -> Any:
    items = [x]
    made = noting(items, 3, 1)
    if x > 1:
        items.append(next(made))
    return items


@pytest.mark.parametrize("program", [left_in_a_loop, left_as_the_run_decides])
def test_an_end_that_only_the_run_knows_is_refused(program: Callable[[Any], Any]) -> None:
    with pytest.raises(ag.errors.TracingError, match=r"noting\(\) is left within its `try`"):
        ag.function(program)(np.float64(3.0))


def test_generators_of_an_abandoned_trace_end_with_it() -> None:
    items: list[Any] = []

    def program(x: Any) -> Any:
        made = noting(items, 3, 1)
        next(made)
        chosen = [v for v in (1, 2, 3) if v < x]
        chosen.append(len(items))
        return {k: k for k in chosen}

    traced = ag.function(program)
    assert traced(np.float64(3.0)) == {1: 1, 2: 2, 0: 0}
    assert items == ["end"]


def test_a_match_is_refused() -> None:
    def values(x: Any) -> Iterator[Any]:
        with Noted(x):
            match x:
                case 1:
                    yield "one"
                case np.float64():
                    yield "float"

    with pytest.raises(ag.errors.TracingError):
        ag.function(lambda x: list(values(x)))(np.float64(1.0))


def test_a_generator_that_looks_at_its_frame() -> None:
    def values(x: Any) -> Iterator[Any]:
        with Noted(x):
            yield sorted(locals()), sys._getframe().f_code.co_name

    assert ag.function(lambda x: list(values(x)))(np.float64(1.0)) == [(["x"], "values")]
