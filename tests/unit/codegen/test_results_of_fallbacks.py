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


def counted_beside_an_overflow(x):
    c, a = x[0], x[1]
    for _ in range(300):
        for _ in range(50):
            c = c + 1.0
            a = a * 1e20
        x = np.sin(x)
    return c, a, x


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_results_are_bound_after_all_checks() -> None:
    """The loop of a fallback starts from the variables that its results replace."""
    c, a, _ = ag.function(counted_beside_an_overflow)(np.ones(3))
    assert (c, a) == (15001.0, np.inf)
