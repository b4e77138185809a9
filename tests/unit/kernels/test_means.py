"""Means of arrays whose lengths only the run knows: bits, classes and warnings of NumPy's."""

import warnings

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.kernels.means import mean


def told(f, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = f(*arguments)
    return described(found), [str(w.message) for w in caught]


def described(x):
    return type(x), x.dtype, x.shape, x.tobytes()


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "?", "c16"])
def test_same_as_numpys(dtype: str, axis: int | None, keepdims: bool) -> None:
    for shape in ((7, 3), (1, 1), (0, 3), (3, 0), (300, 11)):
        x = (np.random.default_rng(0).normal(size=shape) * 9).astype(dtype)
        for y in (x, x.T, x[::-1, ::2], x * 0):
            assert told(mean, y, axis, keepdims) == told(
                lambda y: np.mean(y, axis=axis, keepdims=keepdims), y)


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c8"])
def test_means_of_what_a_mask_chooses(dtype: str, axis: int | None) -> None:
    def chosen(x, limit):
        some = x[x[:, 0] > limit]
        return some.mean(axis=axis), some.sum(axis=axis), some.max(axis=-1)

    x = (np.random.default_rng(1).normal(size=(20, 4)) * 5).astype(dtype)
    f = ag.function(chosen)
    for limit in (0.0, -50.0, 2.0):
        found, expected = f(x, limit), chosen(x, limit)
        assert list(map(described, found)) == list(map(described, expected))
    empty = np.zeros((0, 4), dtype), -1.0
    assert told(lambda: f(*empty)[0]) == told(lambda: chosen(*empty)[0])
