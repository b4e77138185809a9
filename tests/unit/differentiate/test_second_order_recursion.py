"""Second derivatives of functions that call themselves: what a call keeps is a tree of frames,
some of which no branch made. All orders of modes against differences of the first derivative.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.amount import ALL

STEP = 1e-5


def number(x: Any) -> Any:
    return x


def constant(x: Any) -> Any:
    return 1.5


def square(x: Any) -> Any:
    return x * x


def in_product(f: Any, x: Any, n: Any) -> Any:
    return f(x * 0.9, n - 1) * x + np.sin(x)


def twice(f: Any, x: Any, n: Any) -> Any:
    return f(x * 0.5, n - 1) * f(x + 0.1, n - 2) + x


def in_a_branch(f: Any, x: Any, n: Any) -> Any:
    a = f(x * 0.7, n - 1) if n > 1 else x
    b = f(a * x * 0.3, n - 2) if n > 2 else 1.0
    return a * b + x


def in_a_loop(f: Any, x: Any, n: Any) -> Any:
    s = 0.0
    for i in range(3):
        if n > i:
            s += f(x * 0.5 + i, n - 1 - i) * x
        else:
            s += x ** 2 * i
    return s


def in_a_while(f: Any, x: Any, n: Any) -> Any:
    while x < 3:
        x = x * 1.5 + f(x * 0.1, n - 1)
    return x


def with_an_exit(f: Any, x: Any, n: Any) -> Any:
    for i in range(5):
        if i >= n:
            return x * i
        x = f(x * 1.1, n - 2) + x * x * 0.1
    return x


def in_an_array(f: Any, x: Any, n: Any) -> Any:
    y = np.array([x, x * x, 0.3])
    y[0] = f(y[1], n - 1) * y[2]
    y[1:] *= y[0]
    return np.sum(y)


def in_a_list(f: Any, x: Any, n: Any) -> Any:
    made = [f(x * 0.4, n - 1)]
    if n > 1:
        made.append(made[-1] * x)
    return sum(made) * x


def with_an_integer(f: Any, x: Any, n: Any) -> Any:
    """The integer that it counts is Python's or NumPy's, as the run decides."""
    x = np.array([x, x * x, 0.5]) if np.ndim(x) == 0 else x
    at = 0
    for k in range(len(x)):
        if x[k] < 0.6:
            at += np.argmax(x)
    return f(x[at % 3] * 0.9, n - 1) * x[at % 3]


def by_a_function(f: Any, x: Any, n: Any) -> Any:
    def other(y: Any, m: Any) -> Any:
        return f(y * 0.8, m - 1) * y if m > 0 else np.cos(y)

    return other(x, n - 1) + x


BASES = [number, constant, square]
CASES = [in_product, twice, in_a_branch, in_a_loop, in_a_while, with_an_exit, in_an_array,
         in_a_list, with_an_integer, by_a_function]
CHOSEN = [(b, c) for i, b in enumerate(BASES) for j, c in enumerate(CASES)
          if ALL or (i + j) % 3 == 0]


def recursive(base: Callable[..., Any], case: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of one number that calls itself, how often only the run knows."""
    def f(x: Any, n: Any) -> Any:
        if n < 1:
            return base(x)
        return case(f, x, n)

    return lambda x, n: f(x, n) * x


@pytest.mark.parametrize(("base", "case"), CHOSEN, ids=lambda x: x.__name__)
def test_second_derivative(base: Callable[..., Any], case: Callable[..., Any]) -> None:
    made = recursive(base, case)
    x, n = 0.8, np.float64(3.0)

    def f(x: Any) -> Any:
        return made(x, n)

    def forward(x: Any) -> Any:
        return ag.jvp(f, (x,), (1.0,))[1]

    first = ag.grad(f)
    slope = (f(x + STEP) - f(x - STEP)) / (2 * STEP)
    np.testing.assert_allclose([first(x), forward(x)], slope, rtol=1e-6, atol=1e-6)
    expected = (first(x + STEP) - first(x - STEP)) / (2 * STEP)
    found = [ag.grad(first)(x), ag.jvp(first, (x,), (1.0,))[1], ag.grad(forward)(x),
             ag.jvp(forward, (x,), (1.0,))[1]]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_third_derivative_and_batches() -> None:
    made = recursive(number, in_product)
    n = np.float64(3.0)
    second = ag.grad(ag.grad(lambda x: made(x, n)))
    slope = (second(0.8 + STEP) - second(0.8 - STEP)) / (2 * STEP)
    np.testing.assert_allclose(ag.grad(second)(0.8), slope, rtol=1e-6)
    xs = np.array([0.8, 1.1])
    np.testing.assert_allclose(ag.vmap(second)(xs), list(map(second, xs)), rtol=1e-12)
