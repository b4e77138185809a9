"""Loops over arrays of a few numbers run with the numbers in registers, with the same results."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.support.native import compile_short_loops, tell_kernels
from tests.unit.lower.test_scalar_replacement import CASES, outcome, stored

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


def greatest(y, end):
    t = 0.0
    while t < end:
        if np.max(np.abs(y * 0.5)) > 1.0:
            y = y * 0.5
        t = t + 1.0
    return y, t


def passed_on(x, y, end):
    t = 0.0
    z = x
    while t < end:
        z = x if t > 1.0 else y
        t = t + 1.0
    return z


def halved_and_doubled(x, y, end):
    t = 0.0
    while t < end:
        x, y = x * 2.0, y / x[0]
        t = t + 1.0
    return y, x


def of_either_class(x, y, end):
    t, s = 0.0, end * 1.0
    while t < end:
        s = s * max(min(x[0], y[1]), 3.0)
        x = x * 0.5
        t = t + 1.0
    return x, s


def overwritten(x, y, end):
    t, s = 0.0, end * 1.0
    while t < end:
        s = x[0] * y[0]
        y = y * 0.5
        t = t + 1.0
    return s, y


X, Y = np.array([3.0, -40.0]), np.array([0.5, 1.0])
MORE: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (greatest, [(X, np.float64(9)), (X, np.float64(-1)), (np.array([np.nan, 1.0]), np.float64(3)),
                (np.array([9.0, np.nan]), np.float64(3)), (np.array([np.inf, -0.0]), np.float64(3)),
                (np.array([-0.0, 0.0]), np.float64(3))]),
    (of_either_class, [(X, Y, np.float64(2)), (Y, X, np.float64(2))]),
    (overwritten, [(X, Y, np.float64(2)), (np.array([1e308, 1.0]), X, np.float64(3))]),
    (passed_on, [(X, Y, np.float64(e)) for e in (-1, 1, 5)]),
    (halved_and_doubled, [(X, Y, np.float64(3)), (X, X, np.float64(0)),
                          (np.array([1e308, 0.0]), Y, np.float64(1)),
                          (np.array([0.0, 1.0]), Y, np.float64(1)),
                          (np.array([5e-324, 1.0]), Y, np.float64(1))])]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("function", "arguments"), [
    pytest.param(f, a, id=f"{f.__name__}-{k}") for f, calls in CASES + MORE
    for k, a in enumerate(calls)])
def test_the_plain_functions_outcome(function: Callable[..., Any], arguments: tuple[Any, ...],
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """Bits, warnings, and which results are arguments; on the second call, too."""
    compile_short_loops(monkeypatch)
    native = ag.function(function, jit_compile=True)
    for _ in range(2):
        assert outcome(native, arguments) == outcome(function, arguments)


@pytest.mark.parametrize("function", [f for f, _ in CASES + MORE if f is not stored])
def test_a_kernel_takes_the_numbers(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
                                    ) -> None:
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    arguments = next(calls for f, calls in CASES + MORE if f is function)[0]
    ag.function(function, jit_compile=True)(*arguments)
    assert told == [True]
