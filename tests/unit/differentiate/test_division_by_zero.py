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
