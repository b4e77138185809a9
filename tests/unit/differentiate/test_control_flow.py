"""Gradients through branches, loops, stores and views, against differences, in both orders."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.verifier import check_graphs
from autograph.staging import loops
from tests.corpus.language.everyday import dataclass_new_instances
from tests.support.slopes import Trial


@pytest.fixture(autouse=True)
def _verified():
    check_graphs(True)
    yield
    check_graphs(True)  # as conftest has it


def cond(x):
    if np.sum(x) > 0:
        y = np.sin(x) * x
    else:
        y = np.exp(x) * x
    return np.sum(y * y)


def for_(x):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * x[i] * s + np.sin(x[i])
    return s


def over(x):
    s = 1.0
    for v in x:
        s = s * v + v
    return s


def while_(x):
    y = x
    while np.sum(y * y) < 100.0:
        y = y * 1.5 + np.sin(y)
    return np.sum(y)


def fill(x):
    y = np.zeros(40)
    y[0] = x[0]
    for i in range(1, 40):
        y[i] = np.sin(y[i - 1]) * x[i]
    return np.sum(y * y)


def break_(x):
    s = x[0] * 0.0
    for i in range(len(x)):
        if s > 2.0:
            break
        s = s + x[i] * x[i]
    return s * s


def nested(x):
    s = x[0] * 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if x[i] > x[j]:
                s = s + x[i] * x[j] * x[j] * 0.1
            else:
                s = s * x[i] * 0.1
    return s


def nested_views(x):
    a = np.reshape(x, (4, 10))
    n = 4
    b = a.copy()
    for i in range(1, n):
        for j in range(1, n):
            b[i, j] = b[i - 1, j] * b[i, j - 1] + np.sin(b[i, j])
    return np.sum(b * b)


def range_(x):
    s = 0.0
    for i in range(30, 0, -2):
        s += x[i] * x[i - 1]
    return s


PROGRAMS = [cond, for_, over, while_, fill, break_, nested, range_, nested_views]
X = np.random.default_rng(3).normal(size=40) * 0.5
V = np.random.default_rng(4).normal(size=40)


def difference(f, h=1e-6):
    return (f(X + h * V) - f(X - h * V)) / (2 * h)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f):
    x = X.copy()
    value, g = ag.value_and_grad(f)(x)
    np.testing.assert_array_equal(value, f(X.copy()))
    np.testing.assert_allclose(g @ V, difference(f), rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_order(f):
    weights = np.arange(40.0)
    inner = ag.grad(f)
    second = ag.grad(lambda x: np.sum(ag.grad(f)(x) * weights))(X.copy())
    expected = difference(lambda x: np.sum(inner(x) * weights))
    np.testing.assert_allclose(second @ V, expected, rtol=1e-5, atol=1e-5)


def test_power_loop():
    def power(x):
        y = x
        n = 0
        while abs(y) < 1e3:
            y = y * x
            n += 1
        return y

    g = ag.grad(power)
    for x in (1.3, 2.0, 1.05):
        h = 1e-7
        np.testing.assert_allclose(g(x), (power(x + h) - power(x - h)) / (2 * h), rtol=1e-5)


def test_wave():
    """Arrays that a loop swaps, and reads at shifted places."""
    def wave(u, previous, c):
        energy = []
        for _ in range(10):
            following = np.zeros_like(u)
            following[1:-1] = 2 * u[1:-1] - previous[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
            previous, u = u, following
            energy.append(float(np.sum(u ** 2)))
        return u, energy

    u = np.sin(np.arange(8.0))
    verdict = Trial(wave, (u, u * 0.3, 0.6)).verdict()
    assert verdict.outcome == "agree", verdict.told


def test_numbers_of_either_kind_that_branches_join():
    """Zeros of Python's and sums of NumPy's: the cotangents on both sides have one type."""
    verdict = Trial(dataclass_new_instances, (np.float64(2.6),)).verdict()
    assert verdict.outcome == "agree", verdict.told


def test_a_number_of_either_class_keeps_arrays_known():
    """`total` is Python's float first, then NumPy's; what it scales is an array of floats."""
    def f(x):
        total, y = 0.0, x
        for k in range(len(x) * 30):
            y = y * 0.9 + total * 0.01
            total = total + y[k % 3]
        return total

    x = np.array([0.3, -0.2, 0.5])
    text = str(ag.grad(f).graph(x))
    assert "float" in text
    assert "any" not in text
    h = 1e-6
    moved = np.array([f(x + h * e) - f(x - h * e) for e in np.eye(3)]) / (2 * h)
    np.testing.assert_allclose(ag.grad(f)(x), moved, rtol=1e-6)


def lengthened(x, y):
    z = x
    for _ in range(4):
        for _ in range(2):
            z = y
        y = np.array([y[-1], y[0]]) * z
    return np.sum(y)


def other_lists(x, y):
    last, made, total = [x], [y], 0.0
    for k in range(6):
        for _ in range(2):
            last = made
        total = total + np.sum(last[-1]) * 0.5 * np.sum(last[0])
        made = [y * total, x, y] if k % 2 == 0 else [x * total]
    return total


@pytest.mark.parametrize("f", [lengthened, other_lists])
def test_what_an_iteration_replaces_has_a_zero_of_its_own_form(f, monkeypatch):
    """What the next iteration gets in its place may be longer."""
    monkeypatch.setattr(loops, "UNROLL", 0)
    verdict = Trial(f, (np.array([0.4]), np.array([1.1]))).verdict()
    assert verdict.outcome == "agree", verdict.told


def stepped(s: Any, n: Any) -> Any:
    return s if n <= 0 else stepped(np.sin(s), n - 1)


@pytest.mark.parametrize("count", [2, np.int64(3)])
def test_functions_that_call_themselves_in_loops(count: Any) -> None:
    def nested(x: Any, n: Any) -> Any:
        b = 0.3
        for _ in range(n):
            for t in x * 1.0:
                b = stepped(b * t, n)
        return b

    def carried(x: Any, n: Any) -> Any:
        b = 0.3
        for _ in range(n):
            x = x * stepped(b, n)
            b = x[0]
        return b

    x, step = np.array([0.5, 0.3, 0.7]), 1e-6 * np.eye(3)
    for f in (nested, carried):
        y, pullback = ag.vjp(f, x, count)
        slopes = [(f(x + row, count) - f(x - row, count)) / 2e-6 for row in step]
        np.testing.assert_allclose(pullback(type(y)(1.0))[0], slopes, rtol=1e-6)
