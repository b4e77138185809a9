"""Sums along a short last axis: every bit, layout and warning of the plain function."""

import warnings

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.kernels import short_axis_sums
from autograph.runtime.lower import ufunc_selection
from tests.unit.kernels.test_tiled import described, described_with_layout

RNG = np.random.default_rng(11)


@pytest.fixture(autouse=True)
def few_are_worth_it(monkeypatch):
    monkeypatch.setattr(ufunc_selection, "MANY", 1024)


def distances(x, y):
    return ((x[:, None, :] - y[None]) ** 2).sum(-1)


def products(x, y):
    return np.mean(np.abs(x[:, None, :] * y) * 2, axis=2)


def alone(x):
    return x.sum(axis=-1), np.mean(x, -1), np.sum(x, axis=1) * 2


def used_again(x, y):
    d = x[:, None, :] - y[None]
    return (d * d).sum(-1), d


def wild(*shape, dtype=np.float64):
    """Numbers of all sizes, for which every order of adding gives other bits."""
    x = RNG.normal(size=shape) * 10 ** RNG.uniform(-6, 6, shape)
    return x.astype(dtype)


def agree(function, *arguments):
    traced = ag.function(function)
    expected = described_with_layout(function(*arguments))
    for _ in range(3):
        assert described_with_layout(traced(*arguments)) == expected


def test_the_order_of_this_numpy_is_known():
    assert short_axis_sums.agrees()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.complex128])
@pytest.mark.parametrize("terms", range(1, 20))
def test_counts_of_terms(terms, dtype):
    agree(alone, wild(1100, terms, dtype=dtype))
    agree(distances, wild(130, terms, dtype=dtype), wild(9, terms, dtype=dtype))


@pytest.mark.parametrize("terms", [2, 3, 8, 11, 16])
def test_forms(terms):
    x, y = wild(200, terms), wild(20, terms)
    agree(products, x, y)
    agree(used_again, x, y)
    agree(distances, x.astype(np.float32), y)
    for other in (np.asfortranarray(x), x[::-1], np.repeat(x, 2, 1)[:, ::2], x.T.copy().T):
        agree(distances, other, y)
        agree(distances, x, other)
        agree(alone, np.tile(other, (8, 1)))


def test_signs_of_zero_and_what_is_not_finite():
    x = np.full((1100, 9), -0.0)
    agree(alone, x)
    x[5, 2], x[7, 3] = np.inf, np.nan
    agree(alone, x)


def caught(function, *arguments):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*arguments)
    return described(result), [str(w.message) for w in found]


@pytest.mark.parametrize("function", [products, alone])
def test_warnings(function):
    x = wild(1100, 8)
    x[3] = 1e308
    arguments = (x, wild(9, 8)) if function is products else (x,)
    assert caught(ag.function(function), *arguments) == caught(function, *arguments)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match=r"in reduce|multiply"):
        ag.function(function)(*arguments)


def test_sums_that_overflow_after_squaring():
    x, y = np.full((1100, 8), 1e308), np.full((9, 8), 0.5)
    assert caught(ag.function(products), x, y) == caught(products, x, y)


def test_generated_code():
    source = ag.function(distances).get_concrete_function(wild(200, 8), wild(20, 8)).source
    assert "axis_major(np.subtract, (200, 20, 8), f64" in source
    assert "short_axis_sum(v, is_axis_major)" in source


def test_another_order_of_numpy_is_noticed(monkeypatch):
    monkeypatch.setattr(short_axis_sums, "agrees", lambda: False)
    agree(distances, wild(200, 8), wild(20, 8))
    agree(alone, wild(1100, 8))
