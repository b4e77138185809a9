"""Gradients of loops over small arrays run as machine code, with the interpreter's bits: what a
loop keeps of its iterations is one array."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import flatten

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

Program = Callable[[Any, Any], Any]


def products(w: Any, x: Any) -> Any:
    for _ in range(30):
        x = np.tanh(x @ w)
    return np.sum(x * x)


def backwards(w: Any, x: Any) -> Any:
    for k in range(40, 2, -3):
        x = np.sin(x * w) + k
    return np.sum(x)


def in_a_loop(w: Any, x: Any) -> Any:
    for i in range(5):
        for j in range(1, 9, 2):
            x = x * np.cos(x + w[0]) + i * j
    return np.sum(x)


def in_place(w: Any, x: Any) -> Any:
    x = x * 2.0
    for k in range(20):
        x[k % 3] = np.sin(x[k % 3] * w[0])
        x += np.sin(x)
    return np.sum(x)


def in_a_branch(w: Any, x: Any) -> Any:
    for k in range(20):
        if x[0, 0] > 0.5 * k:
            x = np.sin(x * w)
        else:
            x = x * w + 1.0
    return np.sum(x)


def until(w: Any, x: Any) -> Any:
    for _ in range(30):
        if np.sum(x) > 1e3:
            break
        x = x * (1.5 + w * w)
    return np.sum(x)


def kept_twice(w: Any, x: Any) -> Any:
    y = x
    for _ in range(20):
        x, y = x * y, np.sqrt(np.abs(x * w) + 1.0)
    return np.sum(x / y)


def arguments() -> tuple[Any, Any]:
    random = np.random.default_rng(3)
    return random.normal(size=(4, 4)), random.normal(size=(4, 4))


@pytest.mark.parametrize("f", [products, backwards, in_a_loop, in_place, in_a_branch, until,
                               kept_twice])
def test_same_bits(f: Program) -> None:
    slopes = ag.value_and_grad(f, (0, 1))
    native = ag.function(slopes, jit_compile=True)
    expected = list(flatten(ag.function(slopes, executor="interpreter")(*arguments())))
    for _ in range(2):
        given = flatten(native(*arguments()))
        assert [x.tobytes() for x in given] == [x.tobytes() for x in expected]


@pytest.mark.parametrize("f", [products, backwards])
def test_both_loops_are_machine_code(f: Program) -> None:
    native = ag.function(ag.value_and_grad(f, (0, 1)), jit_compile=True)
    reasons = native.get_concrete_function(*arguments()).native_loops
    assert [reason for _, reason in reasons] == ["", ""]
    assert "stack" not in str(native.graph(*arguments()))
