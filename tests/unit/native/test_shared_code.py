"""Kernels of one text share their machine code, windows of one form the function that copies them.
"""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.native import compile_short_loops, tell_modules
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

def smooth(u):
    for _ in range(3):
        u[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) * 0.25
    return u


def with_column(x, c, r):
    return (x * c + r) * 2 - c


def test_one_text_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = tell_modules(monkeypatch)
    first, second = (ag.function(smooth, jit_compile=True) for _ in range(2))
    for f in (first, second):
        u = np.random.default_rng(0).normal(size=(67, 71))
        assert f(u.copy()).tobytes() == smooth(u).tobytes()
    assert len(compiled) == 1
    copies = [line for text, _ in compiled for line in text.splitlines() if "define" in line]
    assert len([line for line in copies if "spread" in line]) <= 1


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "c16"])
@pytest.mark.parametrize("shape", [(3, 4), (5, 15), (5, 16), (7, 17), (2, 3000), (1, 1), (4, 0)])
def test_runs_of_any_length(shape: tuple[int, int], dtype: str) -> None:
    how = None if dtype == "c16" else True
    u = (np.arange(float(shape[0] * shape[1])) % 7).reshape(shape).astype(dtype)
    for function, given in ((smooth, (u,)), (with_column, (u, u[:, :1].copy(), u[:1].copy()))):
        if function is with_column or min(shape) > 2:
            native = ag.function(function, jit_compile=how)
            assert run(native, given).describe() == run(function, given).describe()


def columns(u, v):
    for k in range(1, u.shape[1]):
        u[:, k] = u[:, k - 1] * v[:, k] + v[:, 0]
    return u


def rows(u, v):
    for k in range(1, u.shape[0]):
        u[k] = (u[k - 1] + v[k]) * 0.5 - v[k, :1]
        u[k, 1:] *= 2
    return u


@pytest.mark.parametrize("function", [columns, rows])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("length", [1, 3, 8, 9, 16, 17, 40])
def test_loops_only_for_elements_that_rows_have(
        function: Any, dtype: str, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    shape = (length, 5) if function is columns else (5, length)
    u, v = (np.random.default_rng(k).integers(-4, 5, shape).astype(dtype) for k in range(2))
    native = ag.function(function, jit_compile=None if dtype == "i8" else True)
    for given in ((u, v), (u[::-1], v), (np.asfortranarray(u), v)):
        assert run(native, given).describe() == run(function, given).describe()
    (trace, *_) = native.__ag_dispatcher__.traces.values()
    if function is columns and length > 1:
        assert "load <" not in trace.llvm  # elements of a column are apart


def test_loops_of_one_form_have_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    def total(x):
        found = 0.0
        for i in range(len(x)):
            found += x[i] * 0.25
        return found

    def last(x):
        found = 0.0
        for i in range(len(x)):
            found = x[i] - found
        return found

    compile_short_loops(monkeypatch)
    compiled = tell_modules(monkeypatch)
    kept = [ag.function(f, jit_compile=True) for f in (total, last)]
    for f, plain in zip(kept, (total, last), strict=True):
        for x in (np.arange(9.0), np.arange(9.0)[::2], np.array([np.inf, -np.inf, 1.0])):
            assert run(f, (x,)).describe() == run(plain, (x,)).describe()
    assert [passes for _, passes in compiled].count("entry") <= 1
