"""Loops that LLVM makes vectors of: tests of the first and last iterations, and neighbours."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.functions_of_text import function_of
from tests.support.native import compile_short_loops
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

MATRIX = np.random.default_rng(0).random((6, 61))
UNPEELED = "llvm.loop.peeled.count"

ENDS = """
def f(x):
    y = x.copy()
    for i in range(1, x.shape[0]):
        for j in range({range}):
            low = x[i - 1, j]
            if {test}:
                low = x[i, j] + low
            y[i, j] = x[i, j] - low
    return y
"""


def made(text: str) -> Callable[..., Any]:
    function: Callable[..., Any] = function_of(text, f"<loop {text}>", {})
    return function


def of_ends(test: str, steps: str = "x.shape[1]") -> Callable[..., Any]:
    return made(ENDS.format(test=test, range=steps))


@pytest.mark.parametrize("test", [
    "j > 0", "j >= 1 and x[i, j - 1] < low", "j < x.shape[1] - 1", "j == 0", "j != 60",
    "j < 2 or low < 0.5", "0 < j < x.shape[1] - 1 and x[i, j + 1] < x[i, j - 1]"])
def test_llvm_may_take_the_ends_out(test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    plain = of_ends(test)
    native = ag.function(plain, jit_compile=True)
    assert UNPEELED not in native.to_llvm(MATRIX)
    for n in (61, 0, 1, 2, 3, 4, 5, 8, 9, 33, 40):
        x = MATRIX[:, :n].copy()
        x[2, n // 2:n // 2 + 1] = np.nan
        x[3, :1] = -np.inf
        assert run(native, (x,)).describe() == run(plain, (x,)).describe()


@pytest.mark.parametrize(("test", "steps"), [
    ("j > 30", "x.shape[1]"), ("low > 0.5", "x.shape[1]"), ("i > 1", "x.shape[1]"),
    ("j < 9", "1, 61")])
def test_it_takes_no_others_out(test: str, steps: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    assert UNPEELED in ag.function(of_ends(test, steps), jit_compile=True).to_llvm(MATRIX)


NEIGHBOURS = """
def f(x, y):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            {store}
    return x, y
"""


@pytest.mark.parametrize(("store", "found"), [
    ("y[i, j] = x[i, j - 1] + x[i, j + 1] - 2 * x[i, j]", True),
    ("y[j, i] = x[j, j] * x[j + 1, j + 1]", True),
    ("y[i, j] = x[i - 1, j] + x[i, j + 1]", False),
    ("y[i, j] = x[i - 1, j] + x[i + 1, j]", False),
    ("x[i, j] = x[i, j - 1] + x[i, j + 1]", False),
    ("y[i, j] += x[i, j] * x[i, i]", False)])
def test_loops_whose_iterations_load_the_same(
        store: str, found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    plain = made(NEIGHBOURS.format(store=store))
    native = ag.function(plain, jit_compile=True)
    x, y = MATRIX.copy(), MATRIX[::-1].copy()
    if "[j" in store:
        x, y = x[:, :6].copy(), y[:, :6].copy()
    loop = native.to_llvm(x, y).partition('i32 @"loop"(')[2].partition(")")[0]
    assert ("noalias" not in loop) is found
    for _ in range(2):
        assert run(native, (x, y)).describe() == run(plain, (x, y)).describe()
    assert run(native, (x, x)).describe() == run(plain, (x, x)).describe()
