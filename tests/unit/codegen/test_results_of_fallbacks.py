"""A loop that is written twice, on numbers and as it is, leaves its results under one name."""

import numpy as np
import pytest

import autograph as ag


def stored_after(x, n):
    total, d = np.zeros(4), x
    for _ in range(n):
        total = total + d * 0.05
        d = d * 0.6
    total[1] = 0.0
    return total, d


def added_after(x, n):
    total = np.zeros(4)
    for _ in range(n):
        total = total + x
        x = x * 0.5
    total[2:] += 1.0
    return total


@pytest.mark.parametrize("program", [stored_after, added_after])
@pytest.mark.parametrize("first", [1.0, 1e308, np.inf])  # the last ones take the fallback
def test_store_into_a_result(program, first):
    x = np.array([first, 2.0, first, 4.0])
    with np.errstate(all="ignore"):
        for n in (np.int64(0), np.int64(3)):
            np.testing.assert_equal(ag.function(program)(x.copy(), n), program(x.copy(), n))
