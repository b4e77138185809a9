"""Calls of ufuncs and operators on numbers in loops: the bits, dtypes and warnings of NumPy's.

A dtype of each ufunc is tried each time, and all of them with

    AUTOGRAPH_TESTS=1000 python -m pytest tests/unit/native/test_calls_on_numbers.py
"""

import operator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.inner_loops import samples
from autograph.runtime.native.kernel import Kernel
from tests.random.arrays import UFUNCS
from tests.random.test_numerics import outcome
from tests.support.amount import ALL
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

DTYPES = ("f8", "f4", "i8", "i1", "u1", "i4", "u2", "?", "c16", "c8")
OPERATORS = ("lshift", "rshift", "invert", "neg", "abs", "add", "mul", "floordiv", "mod", "pow",
             "xor", "lt", "pos", "truediv", "eq", "ne")


@pytest.fixture(autouse=True)
def short_loops_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)


def compare(of: Any, count: int, dtype: str) -> None:
    """Calls a function on pairs of numbers, with the awkward ones and with what is left of them
    without a warning, in a loop."""
    def one(x, out):
        for i in range(len(x)):
            out[i] = of(x[i])
        return out

    def two(x, out):
        for i in range(len(x)):
            out[i] = of(x[i], x[i - 3])
        return out

    plain = one if count == 1 else two
    native = ag.function(plain, jit_compile=True)
    tame = np.array([1, 0, 1, 1, 3, 2, 5], dtype)
    for x in (samples(np.dtype(dtype)), tame, tame[:0]):
        try:
            with np.errstate(all="ignore"):
                out = of(x, x) if count == 2 else of(x)
        except (TypeError, ValueError):
            return
        for empty in (np.zeros(len(x), out.dtype), np.zeros(len(x))):
            assert outcome(native, (x, empty.copy())) == outcome(plain, (x, empty.copy())), x


def cases(names: tuple[str, ...] | list[str]) -> list[tuple[str, str]]:
    return [(name, dtype) for k, name in enumerate(names)
            for j, dtype in enumerate(DTYPES) if ALL or j == k % len(DTYPES)]


@pytest.mark.parametrize(("name", "dtype"), cases(UFUNCS))
def test_call(name: str, dtype: str) -> None:
    ufunc = getattr(np, name)
    if ufunc.nin < 3:
        compare(ufunc, ufunc.nin, dtype)


@pytest.mark.parametrize(("name", "dtype"), cases(OPERATORS))
def test_operator(name: str, dtype: str) -> None:
    of = getattr(operator, name)
    compare(of, 1 if name in ("invert", "neg", "abs", "pos") else 2, dtype)


def test_calls_of_all_dtypes_run(monkeypatch: pytest.MonkeyPatch) -> None:
    told = tell_kernels(monkeypatch, Kernel)
    for dtype in DTYPES:
        compare(np.maximum, 2, dtype)
        compare(np.logical_xor, 2, dtype)
    assert told.count(True) >= 16


def scaled(x):
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = x[i] / 2.0 ** 31 + x[i] / -0.5 + x[i] / 3.0 + x[i] / 2.0 ** -1022
    return out


def test_quotients_by_powers_of_two_have_numpys_bits():
    edges = np.array([5e-324, -1e-308, 2.5, 1e308, -0.0, 3e-310, np.pi])
    with np.errstate(all="ignore"):
        expected = scaled(edges)
        compiled = ag.function(scaled, jit_compile=True)
        assert compiled(edges).tobytes() == expected.tobytes()
    assert "fdiv" in compiled.to_llvm(edges) and compiled.to_llvm(edges).count("fmul") >= 2
