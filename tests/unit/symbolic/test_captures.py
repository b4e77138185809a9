"""Bits of arrays are compared exactly, in pieces where there are many."""

import numpy as np
import pytest

from autograph.runtime.symbolic.captures import PIECE, identical

M = np.arange(3.0 * PIECE).reshape(3, PIECE)


@pytest.mark.parametrize("array", [
    np.zeros(PIECE + 1, "u1"), M, M[:, ::2], M.T, M[::-1], M[None], M[:, :1], np.asfortranarray(M)])
def test_one_item_of_a_large_array_counts(array: np.ndarray) -> None:
    other = array.copy()
    assert identical(array, other)
    for place in (0, array.size // 2, array.size - 1):
        other.flat[place] += 1
        assert not identical(array, other)
        other.flat[place] -= 1
    assert identical(other, array)


def test_bits_are_compared_and_not_numbers() -> None:
    zeros = np.zeros(PIECE)
    assert not identical(zeros, -zeros)
    assert identical(zeros * np.nan, zeros * np.nan)
