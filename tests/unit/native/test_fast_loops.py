"""Sums of floats in loops over elements: with `fast_math` LLVM adds them up in any order."""

from typing import Any

import numpy as np
import pytest

import autograph as ag

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


def product(x: Any, y: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


def running(x: Any, y: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
        y[i] = total
    return total


def test_a_sum_is_vectorised() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 1000))
    exact, fast = (ag.function(product, jit_compile=True, fast_math=f) for f in (False, True))
    assert "fadd reassoc contract" in fast.to_llvm(x, y)
    assert "reassoc" not in exact.to_llvm(x, y)
    assert exact(x, y) == product(x, y)
    assert type(fast(x, y)) is np.float64
    assert np.isclose(fast(x, y), product(x, y), rtol=1e-13)


def test_a_sum_that_something_looks_at_keeps_its_order() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 1000))
    fast = ag.function(running, jit_compile=True, fast_math=True)
    assert "reassoc" not in fast.to_llvm(x, y.copy())
    assert np.isclose(fast(x, y.copy()), running(x, y.copy()), rtol=1e-13)


def test_warnings_are_numpys() -> None:
    x = np.full(1000, 1e200)
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert ag.function(product, jit_compile=True, fast_math=True)(x, x) == np.inf
