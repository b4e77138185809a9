"""Python's `sum` of a list that only the run knows: of numbers, of arrays, of lists."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

X = np.array([0.3, 0.4, 0.5, 0.6, 0.7])
ALONG = np.array([0.5, -1.0, 2.0, 0.25, 1.0])


def numbers(x: Any) -> Any:
    n, xs = 0, []
    while np.sum(x[:n]) < 1.0:
        xs.append(x[n] ** 2 * x[0])
        n += 1
    return sum(xs) ** 2


def arrays(x: Any) -> Any:
    n, xs = 0, [x[:2]]
    while np.sum(x[:n]) < 1.0:
        xs.append(x[n : n + 2] ** 2)
        n += 1
    return np.sum(sum(xs, x[0]) ** 2)


def numbers_and_arrays(x: Any) -> Any:
    n, xs = 0, [1.0]
    while np.sum(x[:n]) < 1.0:
        xs.append(x[n : n + 2] ** 2)
        n += 1
    return np.sum(sum(xs) ** 2)


def joined_lists(x: Any) -> Any:
    n, xs = 0, [[x[0], 2.0]]
    while np.sum(x[:n]) < 1.0:
        xs.append([x[n] ** 2, x[1] * x[n]])
        n += 1
    total = 0.0
    for y in sum(xs, [x[2]]):
        total = total + y**3
    return total


def values_of_a_dict(x: Any) -> Any:
    n, xs = 0, {}
    while np.sum(x[:n]) < 1.0:
        xs[n] = x[n] ** 2 * x[1]
        n += 1
    return sum(xs.values()) ** 3


def pairs(x: Any) -> Any:
    n, xs = 0, []
    while np.sum(x[:n]) < 1.0:
        xs.append((x[n] ** 2, n))
        n += 1
    return sum(m * m * k for m, k in xs) + min([x[0] * x[1]])


PROGRAMS = numbers, arrays, numbers_and_arrays, joined_lists, values_of_a_dict, pairs


def difference(f: Callable[[Any], Any], h: float = 1e-6) -> Any:
    return (f(X + h * ALONG) - f(X - h * ALONG)) / (2 * h)


@pytest.mark.parametrize("f", PROGRAMS)
def test_both_modes_give_the_slope(f: Callable[[Any], Any]) -> None:
    slope = difference(f)
    assert np.allclose(ag.grad(f)(X) @ ALONG, slope, rtol=1e-6)
    assert np.allclose(ag.jvp(f, (X,), (ALONG.copy(),))[1], slope, rtol=1e-6)


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives_give_the_slope_of_the_slope(f: Callable[[Any], Any]) -> None:
    def along(x: Any) -> Any:
        return ag.grad(f)(x) @ ALONG

    slope = difference(along)
    assert np.allclose(ag.grad(along)(X) @ ALONG, slope, rtol=1e-5)
    assert np.allclose(ag.jvp(along, (X,), (ALONG.copy(),))[1], slope, rtol=1e-5)


def test_the_sum_needs_no_loop() -> None:
    gradient = ag.function(ag.grad(numbers))
    gradient(X)
    assert "spread_over" in str(gradient.graph(X))
    assert str(gradient.graph(X)).count(" for(") == 1  # the backward one of the `while`


def test_a_product_begins_with_a_number_that_has_a_derivative() -> None:
    def product(x: Any) -> Any:
        return math.prod((v * 2.0 for v in x), start=x[0] ** 2)

    def slope(along: Any) -> Any:
        return (product(X + 1e-6 * along) - product(X - 1e-6 * along)) / 2e-6

    found = ag.grad(product)(X)
    np.testing.assert_allclose(found @ ALONG, slope(ALONG), rtol=1e-6)
    np.testing.assert_allclose(found[0], slope(np.eye(5)[0]), rtol=1e-6)
