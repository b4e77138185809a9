"""Loops that bisect are known to end soon; those that may go on for ever are not taken for such."""

from collections.abc import Callable
from itertools import cycle, product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.functions_of_text import function_of
from tests.support.native import compile_short_loops
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

TESTS = "low < high", "low <= high", "low + 1 < high", "high > low", "low < high - 1 and limit > -9"
MIDDLES = "(low + high) // 2", "low + (high - low) // 2", "(high + low) >> 1"
BELOW = "low = middle + 1", "low = middle", "low = 2 + middle"
ABOVE = "high = middle", "high = middle - 1"

PROGRAM = """
def f(x, wanted, limit):
    found = np.zeros(len(wanted), np.int64)
    for k in range(len(wanted)):
        low, high = 0, len(x) - 1
        while {test}:
            middle = {middle}
            if x[middle] < wanted[k]:
                {below}
            else:
                {above}
        found[k] = low + high
    return found
"""


def program(**parts: str) -> Callable[..., Any]:
    text = PROGRAM.format(**parts)
    function: Callable[..., Any] = function_of(text, f"<bisection {text}>", {"np": np})
    return function


def shrinks(test: str, middle: str, below: str, above: str) -> bool:
    """Tries all small ints."""
    for low, high, change in product(range(-6, 7), range(-6, 7), (below, above)):
        names = {"low": low, "high": high, "limit": 0}
        if eval(test, names):
            exec(f"middle = {middle}; {change}", names)
            if names["high"] - names["low"] >= high - low:
                return False
    return True


@pytest.mark.parametrize(("test", "middle"), [*zip(TESTS, cycle(MIDDLES), strict=False)])
@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("above", ABOVE)
def test_those_that_shrink_ask_nothing(test: str, middle: str, below: str, above: str,
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    plain = program(test=test, middle=middle, below=below, above=above)
    ends = shrinks(test, middle, below, above)
    native = ag.function(plain, jit_compile=True)
    x, wanted = np.arange(20.0), np.array([3.0, -1.0, 7.5, 19.0, 40.0, np.nan])
    text = native.to_llvm(x, wanted, np.int64(0))
    assert ('i32 @"$ask"' not in text) is ends
    for n in (20, 0, 1, 2, 3, 7) if ends else ():
        given = (x[:n], wanted, np.int64(0))
        assert run(native, given).describe() == run(plain, given).describe()


@pytest.mark.parametrize(("middle", "below"), [
    ("(low + high) // 3", "low = middle + 1"), ("(low + high + 1) // 2", "low = middle"),
    ("(low + high) // 2", "low = low + 1"), ("(low + high) // 2", "low = middle + limit"),
    ("(low + limit) // 2", "low = middle + 1"),
    ("(low + high) // 2", "low, high = middle + 1, high + 1"),
    ("low + (high - low) // 3", "low = middle + 1")])
def test_others_are_counted(middle: str, below: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    plain = program(test="low < high", middle=middle, below=below, above="high = middle")
    text = ag.function(plain, jit_compile=True).to_llvm(
        np.arange(20.0), np.arange(3.0), np.int64(1))
    assert 'i32 @"$ask"' in text
