"""Gradients that branches and loops ask for, of what was computed before them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import flatten

X = np.array([0.5, -0.3, 0.2])


def implicit(x: Any, n: Any) -> Any:
    def step(z: Any, x: Any) -> Any:
        return np.tanh(0.5 * z[::-1] + x)

    z = np.zeros(3)
    for _ in range(60):
        z = step(z, x)
    _, pull = ag.vjp(step, z, x)
    u, k = 2.0 * z, 0
    while True:
        new = 2.0 * z + pull(u)[0]
        k += 1
        if np.abs(new - u).max() < 1e-14 or k > 100:
            break
        u = new
    return pull(u)[1]


def through_a_loop(x: Any, n: Any) -> Any:
    def growth(z: Any) -> Any:
        k = 0
        while (z ** 2).sum() < 5.0 and k < n:
            z = z * 1.5 + np.sin(z) * x
            k += 1
        return z

    _, pull = ag.vjp(growth, x)
    u = np.ones(3)
    for _ in range(n):
        u = pull(u)[0] * 0.1
    return u


def stores(x: Any, n: Any) -> Any:
    a = np.zeros(4)

    def stored(z: Any) -> Any:
        b = np.zeros(3)
        b[:] = z * z
        for i in range(2):
            b[i + 1] += b[i] * z[i]
            a[i] = b[i].sum()
        return b

    y, pull = ag.vjp(stored, x)
    u = y
    for _ in range(n):
        if u[0] > 0.1:
            u = pull(u)[0]
        else:
            u = u * 2.0
    return u, y, a


def rows(x: Any, n: Any) -> Any:
    out = np.zeros((3, 3))
    _, pull = ag.vjp(lambda z: np.exp(z) * z[::-1], x)
    for i in range(n):
        e = np.zeros(3)
        e[i] = 1.0
        out[i] = pull(e)[0]
    return out


def branch_under_a_tape(x: Any, n: Any) -> Any:
    with ag.GradientTape(persistent=True) as tape:
        x = tape.watch(x)
        y = x * x * x
        z = y * 2.0
        if x[0] > 0.0:
            g = tape.gradient(y, x)
        else:
            g = tape.gradient(z, x)
    return g


@pytest.mark.parametrize("x", [X, -X])
@pytest.mark.parametrize("program", [implicit, through_a_loop, stores, rows, branch_under_a_tape])
def test_as_plain(program: Callable[..., Any], x: Any) -> None:
    n = np.int64(3)
    expected, traced = program(x, n), ag.function(program)
    for a, b in zip(flatten(traced(x, n)), flatten(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("program", [implicit, through_a_loop, rows])
def test_derivatives_of_them(program: Callable[..., Any]) -> None:
    t = np.array([1.0, -2.0, 0.5])
    _, slope = ag.jvp(lambda x: program(x, np.int64(3)), (X,), (t,))
    above, below = (program(X + s * t, 3) for s in (1e-6, -1e-6))
    np.testing.assert_allclose(slope, (above - below) / 2e-6, rtol=1e-6, atol=1e-8)


def test_a_long_loop_of_pullbacks_is_one_loop() -> None:
    def f(x: Any) -> Any:
        _, pull = ag.vjp(np.sin, x)
        u = x
        for _ in range(500):
            u = x + 0.5 * pull(u)[0]
        return u

    assert len(list(ag.function(f).get_concrete_function(X).graph.walk())) < 50


def test_what_a_loop_computes_itself_is_refused() -> None:
    @ag.function
    def f(x: Any, n: Any) -> Any:
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = g = x * x
            for _ in range(n):
                g = tape.gradient(y, x)
                y = y * x
        return g

    with pytest.raises(ag.NotDifferentiable, match="in another branch or loop"):
        f(X, np.int64(3))


def test_a_result_that_is_a_constant_has_a_symbolic_cotangent():
    @ag.function
    def pulled(x, y_bar):
        return ag.vjp(lambda x: (x * x, np.float64(2.0), np.ones(2)), x)[1](y_bar)

    x = np.array([1.0, 2.0])
    given = np.array([1.0, 0.5]), np.float64(1.0), np.ones(2)
    np.testing.assert_array_equal(pulled(x, given)[0], 2.0 * x * given[0])
