"""Loops that take a bit from an int in each iteration: no check of it, no question in between."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

TESTS = "v", "v != 0", "v > 0", "v >= 1", "0 < v", "v and c < 70", "not v <= 0", "v > 3", "v >= 0"

STEPS = ("v &= v - 1", "v = (v - 1) & v", "v >>= 1", "v = v // 2", "v //= 10", "v = v // 3 - 1",
         "v = v - 3", "v -= v & 1; v >>= 1", "v = v * 2 - 1", "v = -v // 2", "v ^= v >> 1")

PROGRAM = """
def f(x, out):
    for i in range(len(x)):
        v, c = x[i], 0
        while {test}:
            {step}
            c += 1
            if c > 100:
                break
        out[i] = c * 1000 + v % 7
    return v, c
"""

BREAK = "            if c > 100:\n                break\n"

NUMBERS = [
    [5, 0, 1, 2 ** 16 - 1, 1000, 12345678901, 2 ** 62, 2 ** 63 - 1], [3, -1, 7], [-2 ** 63, 5],
    [0], [2 ** 63 - 1] * 3, [1, 2, -2 ** 62], list(range(200))]


def calls(function: Any, dtype: str) -> list[Any]:
    found = []
    for numbers in NUMBERS:
        x = np.array(numbers).astype(dtype)
        found.append(outcome(function, (x, np.zeros(len(x), np.int64))))
    return found


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("test", TESTS)
def test_as_plain(test: str, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = PROGRAM.format(test=test, step=step.replace("; ", "\n            "))
    plain = load(source, f"<halving {test} {step}>")
    for dtype in ("i8", "i4"):
        assert calls(ag.function(plain, jit_compile=True), dtype) == calls(plain, dtype), source


@pytest.mark.parametrize("step", STEPS[:5])
@pytest.mark.parametrize("test", [t for t in TESTS[:7] if "c" not in t])
def test_nothing_is_asked(test: str, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    source = PROGRAM.format(test=test, step=step).replace(BREAK, "")
    plain = load(source, f"<asking {test} {step}>")
    native = ag.function(plain, jit_compile=True)
    x = np.arange(100), np.zeros(100, np.int64)
    native(*x)
    text = native.get_concrete_function(*x).llvm
    assert told == [True]
    assert "with.overflow" not in text
    assert text.count('@"$ask"(') <= 1


def test_negative_numbers_run_in_the_other_form(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    source = PROGRAM.format(test="v", step="v = abs(v) - 1").replace(BREAK, "")
    plain = load(source, "<negative>")
    x = np.array([7, -3, 8]), np.zeros(3, np.int64)
    assert outcome(ag.function(plain, jit_compile=True), x) == outcome(plain, x)
    assert told == [True]


STEPPING = """
def f(x, out):
    n = len(x)
    for i in range(n):
        j = {start}
        while {test}:
            out[j] += x[j]
            j {step}
        out[i] -= j
    return j
"""

WAYS = [("i", "j >= 0 and x[j] > x[i] - 9", "-= 1"), ("i", "j >= 0", "-= 3"),
        ("0", "j < n", "+= 1"), ("i", "j < n and x[j] != 7", "+= 2"), ("n - 1", "0 <= j", "-= 1"),
        ("1", "not j >= n", "+= 1")]


@pytest.mark.parametrize(("start", "test", "step"), WAYS)
def test_those_that_step_are_counted_at_once(
        start: str, test: str, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    source = STEPPING.format(start=start, test=test, step=step)
    plain = load(source, f"<stepping {test} {step}>")
    native = ag.function(plain, jit_compile=True)

    def given() -> tuple[Any, ...]:
        return np.arange(90) * 37 % 50, np.zeros(90, np.int64)
    assert outcome(native, given()) == outcome(plain, given())
    assert told == [True]
    assert native.get_concrete_function(*given()).llvm.count('i32 @"$ask"') < 2


def test_no_loop_around_them_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of steps may take long: the user may interrupt."""
    def f(x: Any, n: int) -> Any:
        i = s = 0
        while i < n and i < 60_000:
            j = 0
            while j < n and j < 60_000:
                s += x[j & 7]
                j += 1
            i += 1
        return s

    compile_short_loops(monkeypatch)
    native = ag.function(f, jit_compile=True)
    x = np.arange(8)
    assert native(x, np.int64(20)) == f(x, 20)
    assert native.get_concrete_function(x, np.int64(20)).llvm.count('i32 @"$ask"') == 1
