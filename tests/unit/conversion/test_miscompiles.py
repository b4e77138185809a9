"""Plain Python that other converters are known to change the meaning of, one test for each case."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import autograph as ag
from autograph.syntax.errors import SourceUnavailableError

FLAG = 0


def late_binding(n: int) -> list[int]:
    fs = []
    for i in range(n):
        fs.append(lambda: i)  # noqa: B023, PERF401  # what is tested
    return [f() for f in fs]


def return_in_try_with_else(n: int) -> int:
    try:
        if n:
            return 1
    except ValueError:
        pass
    else:
        return 2
    return 3


def nothing_but_continue(n: int) -> int:
    total = 0
    for i in range(n):
        continue
        return i  # type: ignore[unreachable]  # what is tested
    return total


def continue_in_try_with_else(n: int) -> int:
    s = 0
    for i in range(n):
        try:
            if i % 2:
                continue
            s += i
        except ValueError:
            pass
        else:
            s += 10
    return s


def return_in_finally(n: int) -> int:
    try:
        raise ValueError
    finally:
        return n  # noqa: B012


def global_in_branch_and_loop(n: int) -> int:
    global FLAG
    FLAG = 0
    if n:
        FLAG = 1
    while n > FLAG:
        FLAG += 1
    return FLAG


def comment_that_ends_in_a_backslash(n: int) -> int:
    # this is a comment \
    n = n + 1
    return n


def raw_string_with_a_backslash_at_the_end_of_a_line(n: int) -> str:
    return r"""a\
b""" if n else "a\
b"


def operands_of_a_chain(n: int) -> tuple[bool, int]:
    calls = 0

    def middle() -> int:
        nonlocal calls
        calls += 1
        return n
    return n <= middle() < 10, calls


def frames(n: int) -> list[Any]:
    here = inspect.currentframe()
    found: list[Any] = [here and here.f_code.co_name]
    if n:
        found.append(sys._getframe(0).f_code.co_name)
        found.append(sys._getframe(1).f_code.co_name)
    return found


def local_names(n: int) -> list[str]:
    x = 1
    if n:
        y = x
        return sorted(locals())
    return sorted(locals())


def stack_levels(n: int) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if n:
            warnings.warn("of the caller", stacklevel=2)
        warnings.warn("of the function", stacklevel=1)
    return [Path(w.filename).name for w in caught]


class StrangeError(Exception):
    def __init__(self, code: int, *, why: str) -> None:
        super().__init__(f"{code}: {why}")
        self.code = code


def custom_exception(n: int) -> int:
    if n:
        raise StrangeError(n, why="because")
    return n


def only_a_docstring(n: int) -> None:
    """Nothing else."""


def control_flow_in_a_class(n: int) -> tuple[str, list[int]]:
    class Made:
        if n:
            kind = "some"
        else:
            kind = "none"
        items = []
        for k in range(n):
            items.append(k)  # noqa: PERF402
    return Made.kind, Made.items


def if_in_the_else_of_a_try(n: int) -> str:
    try:
        m = 1 / n
    except ZeroDivisionError:
        return "zero"
    else:
        if m < 1:
            return "small"
        else:
            return "one"


def declared_before_a_branch(n: int) -> int:
    x: int
    if n:
        x = 1
    else:
        x = 2
    for _ in range(n):
        x: int = 3
    return x


CASES: list[Callable[[int], Any]] = [
    nothing_but_continue,
    late_binding, return_in_try_with_else, continue_in_try_with_else, return_in_finally,
    global_in_branch_and_loop, comment_that_ends_in_a_backslash,
    raw_string_with_a_backslash_at_the_end_of_a_line, operands_of_a_chain, frames, local_names,
    stack_levels, custom_exception, only_a_docstring, control_flow_in_a_class,
    if_in_the_else_of_a_try, declared_before_a_branch]


def shown(f: Callable[[int], Any], n: int) -> tuple[Any, ...]:
    """The result, or all of the exception but its traceback."""
    try:
        return "result", f(n)
    except Exception as error:
        return type(error), str(error), error.args, vars(error)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_same_meaning(f: Callable[[int], Any]) -> None:
    converted = ag.convert(f)
    assert converted is not f
    for n in range(4):
        assert shown(converted, n) == shown(f, n)


def module_from(path: Path, text: str) -> ModuleType:
    """A module with that text."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_file_that_changed_is_refused_and_not_mixed_up(tmp_path: Path) -> None:
    path = tmp_path / "shifted.py"
    module = module_from(path, "def f(x):\n    return x and 1\n\ndef g(x):\n    return x and 2\n")
    path.write_text("\n\n\ndef f(x):\n    return x and 1\n\ndef g(x):\n    return x and 2\n")
    with pytest.raises(SourceUnavailableError, match="changed after it was imported"):
        ag.convert(module.g)
