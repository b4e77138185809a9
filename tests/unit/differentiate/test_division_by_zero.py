"""Derivatives of ufuncs at a Python 0.0: as at NumPy's, where the function raises nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import autograph as ag


@pytest.mark.parametrize(("function", "at", "expected"), [
    (np.log, 0.0, np.inf), (np.log2, 0.0, np.inf), (np.log10, 0.0, np.inf),
    (np.log1p, -1.0, np.inf), (np.arctanh, 1.0, np.inf),
    (lambda x: np.arctan2(x, 0.0), 0.0, np.nan),
    (lambda y: np.fmod(2.0, y), 0.0, np.nan),
    (lambda x: np.where(x > 0, np.log(x), 0.0), 0.0, 0.0)],
    ids=["log", "log2", "log10", "log1p", "arctanh", "arctan2", "fmod", "where"])
def test_a_python_zero_is_as_numpys(function: Callable[[float], float], at: float,
                                    expected: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for x in (at, np.float64(at)):
            np.testing.assert_equal(float(ag.grad(function)(x)), expected)
            np.testing.assert_equal(float(ag.jvp(function, (x,), (1.0,))[1]), expected)


def test_arrays_keep_their_dtype() -> None:
    x = np.array([0.5, 1.0], np.float32)
    for function in np.log, np.log1p, lambda x: np.arctan2(x, 0.5), lambda x: np.fmod(x, 0.75):
        assert ag.grad(lambda x: function(x).sum())(x).dtype == np.float32  # noqa: B023


UNTAKEN = [
    lambda x: np.where(x > 0, np.sqrt(x), 0.0), lambda x: np.where(x > 0, np.log(x), 0.0),
    lambda x: np.where(x > 0, 1.0 / x, 0.0), lambda x: np.where(x > 0, x**1.5, 0.0),
    lambda x: np.where(x > 5, np.arcsin(x), 0.0), lambda x: np.where(x > 0, x * np.log(x), 0.0),
    lambda x: np.where(x > 0, np.exp(1.0 / x), x), lambda x: np.where(x > 0, np.cbrt(x), 0.0),
    lambda x: np.where(x > 0, np.log(np.sqrt(x) + x), 0.0),
    lambda x: np.select([x > 0], [np.log(x)], 0.0), lambda x: np.log(x[x > 0]),
    lambda x: np.where(x > 0, np.diag(np.sqrt(x)) @ np.ones(3), 0.0),
    lambda x: np.sqrt(x, where=x > 0, out=np.zeros(3))]


@pytest.mark.parametrize("f", UNTAKEN)
def test_no_nan_comes_from_the_untaken_side_in_any_order(f):
    x, step = np.array([0.0, -1.0, 4.0]), np.array([0.0, 0.0, 1e-5])
    near = np.array([-1.0, -1.0, 4.0])

    def derivative(order):
        made = lambda x: f(x).sum()
        for _ in range(order):
            made = (lambda of: lambda x: ag.grad(of)(x).sum())(made)
        return made

    with np.errstate(all="ignore"):
        for order in (1, 2):
            found = ag.grad(derivative(order))(x)
            by_forward = [ag.jvp(derivative(order), (x,), (row,))[1] for row in np.eye(3)]
            f_of = derivative(order)
            expected = (f_of(near + step) - f_of(near - step)) / 2e-5
            np.testing.assert_allclose(found[2], expected, rtol=1e-4, atol=1e-7)
            np.testing.assert_allclose(found, by_forward)
            assert np.isfinite(found).all()


def absorbed(x):
    """A variance that a step takes below 0, as simulations of prices have it."""
    total = 0.0
    for _ in range(3):
        total = total + np.sqrt(0.5 * x) * 2.0
        x = np.maximum(x - 1.0, 0.0)
    return total


ROOTS = [
    lambda x: np.sqrt(np.maximum(x, 0.0)), lambda x: np.sqrt(np.fmax(0.0, x) * 0.1) * x,
    lambda x: np.sqrt(-np.minimum(x, 0.0)) + x, lambda x: np.maximum(x, 0.0) ** 0.5,
    lambda x: np.arccos(np.minimum(x, 1.0)), lambda x: np.cbrt(np.maximum(x, 0.0)[::-1]),
    lambda x: np.where(x < 5, np.sqrt(np.maximum(x, 0.0)), x), absorbed,
    lambda x: np.array([np.sqrt(max(v, 0.0)) for v in x])]


@pytest.mark.parametrize("f", ROOTS)
def test_a_root_of_a_maximum_has_slope_zero_where_it_is_cut_off(f):
    x, step = np.array([0.9, -0.7, 1.5]), 1e-6
    if f is absorbed:
        x = np.array([0.9, 2.7, 1.5])

    def total(x):
        return f(x).sum()

    with np.errstate(all="ignore"):
        moves = step * np.eye(3)
        slopes = [(total(x + move) - total(x - move)) / (2 * step) for move in moves]
        for found in (ag.grad(total)(x), [ag.jvp(total, (x,), (row,))[1] for row in np.eye(3)],
                      ag.function(ag.grad(total))(x)):
            np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-6)
