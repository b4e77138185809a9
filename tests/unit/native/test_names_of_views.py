"""A view that is made before the call of a kernel takes no name of what the kernel reads."""

import numpy as np
import pytest

import autograph as ag

RNG = np.random.default_rng(0)
W, V, X, Y = (RNG.normal(size=(32, 32)) / 8 for _ in range(4))
B = RNG.normal(size=32)


def loss(w, b, v, c, x, y):
    z = np.tanh(x @ w + b) @ v + c
    z = z - np.max(z, axis=1, keepdims=True)
    return -np.sum((z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))) * y) / 32.0


def test_gradients_of_a_network() -> None:
    pytest.importorskip("llvmlite")
    step = ag.value_and_grad(loss, (0, 1, 2, 3))
    given = W, B, V, B, X, Y
    value, found = ag.function(step, jit_compile=True)(*given)
    expected, gradients = ag.function(step, jit_compile=False)(*given)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    for one, other in zip(found, gradients, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def buffers(x, n):
    """New arrays and turned views between loops, under names that are bound again."""
    a = x + 0.0
    total = 0.0
    for k in range(n):
        for i in range(len(a)):
            total += a[i] * (k + 1)
        b = np.zeros(8)
        for i in range(len(a)):
            b[i] = a[i] + total
        a = np.zeros(8)
        for i in range(len(b)):
            a[i] = b[7 - i] * 0.5
    return a, b, total


def turned(x, n):
    """Products that need views in another order, which are made between others."""
    z, w = x @ x, x * 0.5
    for _ in range(n):
        z = z * w + w
        y = w.T
        w = z @ y + w
        z = x.T @ z
    return z, w


@pytest.mark.parametrize(("f", "x"), [(buffers, np.arange(8.0)), (turned, W)])
def test_what_is_made_between_the_equations_of_a_kernel(f, x) -> None:
    pytest.importorskip("llvmlite")
    for n in 1, 3:
        for one, other in zip(ag.function(f, jit_compile=True)(x, n), f(x, n), strict=True):
            np.testing.assert_array_equal(one, other)
