"""`t -= c` where only the run knows whether t is a number, or a view of what it was taken from;
lists that the run puts into another order."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial


def swapped(order: Any, b: Any) -> Any:
    """Items of a list that the run permutes pick from b: a value of unknown shape."""
    order = order.copy()
    m = int(np.argmax(np.abs(b[:, 0]))) if b.ndim > 1 else int(np.argmax(b))
    if m != 0:
        order[0], order[m] = order[m], order[0]
    return b[np.array(order)].copy()


def number(b: Any) -> Any:
    y = swapped([0, 1, 2], b)
    t = y[1]
    t -= y[0] * y[2]
    return y, t


def row(b: Any) -> Any:
    y = swapped([0, 1, 2], b)
    t = y[1]
    t -= y[0] * y[2]
    return y, t * 1.0


def stored(b: Any) -> Any:
    y = swapped([0, 1, 2], b)
    for i in range(1, 3):
        y[i] -= 0.5 * y[i - 1] ** 2
    y[0] *= y[2]
    return y


def later(b: Any) -> Any:
    y = swapped([0, 1, 2], b)
    t = y[1]
    t *= 2.0
    y[1] += 1.0
    return t * 3.0, y


def sorted_in_place(x: Any) -> Any:
    items = list(x)
    k = int(np.argmax(x))
    items[k] = items[k] * 2
    items.sort()
    items.reverse()
    return items[0] * items[1] + items[2] * 3


def sorted_by_key(x: Any) -> Any:
    items = [t * t for t in x]
    k = int(np.argmax(x))
    items[k], items[0] = items[0], items[k]
    items.sort(key=lambda t: -abs(t), reverse=True)
    items.remove(items[1])
    made = 0.0
    for i, t in enumerate(items):
        made += i * t
    return made


VECTOR, MATRIX = np.array([0.3, 0.9, 0.4]), np.array([[0.3, 0.2], [0.1, 0.7], [-0.8, 0.5]])


@pytest.mark.parametrize("form", ["plain", "decorated"])
@pytest.mark.parametrize("b", [VECTOR, MATRIX], ids=["vector", "matrix"])
@pytest.mark.parametrize("f", [number, row, stored, later])
def test_slopes(f: Callable[..., Any], b: Any, form: str) -> None:
    verdict = Trial(ag.function(f) if form == "decorated" else f, (b,)).verdict()
    assert verdict.outcome == "agree", verdict.told


@pytest.mark.parametrize("f", [sorted_in_place, sorted_by_key])
def test_lists_in_order(f: Callable[..., Any]) -> None:
    verdict = Trial(f, (VECTOR,)).verdict()
    assert verdict.outcome == "agree", verdict.told
    assert ag.function(f)(VECTOR) == f(VECTOR)


@pytest.mark.parametrize("b", [VECTOR, MATRIX], ids=["vector", "matrix"])
@pytest.mark.parametrize("f", [number, row, stored, later])
def test_values(f: Callable[..., Any], b: Any) -> None:
    np.testing.assert_equal(ag.function(f)(b), f(b))


def nearest(radius, o):
    best, d = math.inf, o @ o + radius[0] * radius[0]
    if d > 0.5:
        t = -math.sqrt(d)
        if t < best:
            best = t
    return best * best


def test_products_of_floats_of_python_are_numbers_of_numpy():
    of_radius, of_o = ag.grad(nearest, (0, 1))(np.array([1.0], np.float32), np.array([1.0, 0.75]))
    assert of_radius.dtype == np.float32
    np.testing.assert_allclose(of_radius, [2.0], rtol=1e-6)
    np.testing.assert_allclose(of_o, [2.0, 1.5], rtol=1e-14)
