"""Random functions that write through views: the same traced, on both executors, as plain.

The values, what is left of the arguments, what shares memory with what, exceptions and warnings
have to agree, also where one array is given twice, or arrays that overlap. Thousands of them:

    AUTOGRAPH_TESTS=100 python -m pytest -n 2 tests/random/test_views.py
"""

from random import Random

import numpy as np
import pytest

import autograph as ag
from tests.random.test_numeric_programs import load
from tests.random.views import Views
from tests.support.amount import seeds
from tests.support.outcome import seen

SEEDS = seeds(60)

X, Y = np.arange(1.0, 13.0).reshape(4, 3) / 2, np.arange(12.0, 0, -1).reshape(4, 3) / 3
W, U = np.array([3.0, -1.0, 0.5]), np.array([2.0, 5.0, -1.0, 0.0])


def separate():
    return X.copy(), Y.copy(), W.copy(), U.copy()


def in_other_orders():
    return -X[::-1], np.asfortranarray(Y), W + 2, U[::-1].copy()[::-1]


def one_twice():
    x, _, w, u = separate()
    return x, x, w, u


def overlapping():
    base = np.arange(1.0, 16.0).reshape(5, 3) / 2
    return base[1:], base[:-1], W.copy(), U.copy()


def parts_of_others():
    x, y, _, _ = separate()
    return x, y, x[1], y[:, 0]


ARGUMENTS = [(separate, 3, 1), (separate, 1, 2), (in_other_orders, 3, 0), (separate, 4, -1),
             (one_twice, 3, 1), (overlapping, 2, 1), (parts_of_others, 3, 1), (one_twice, 0, 0)]


def facts(function, make, n, i):
    call = seen(function, (*make(), np.int64(n), np.int64(i)))
    return call.describe(), str(call.error)


@pytest.mark.parametrize("executor", ["python", "interpreter"])
@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed, executor):
    source = Views(Random(seed)).source()
    plain = load(source, f"<views {seed}>")
    traced = ag.function(plain, executor=executor)
    for make, n, i in ARGUMENTS:
        assert facts(traced, make, n, i) == facts(plain, make, n, i), (make.__name__, n, i, source)
