"""Random loops over tables: the same traced as plain, also where Python's numbers are not NumPy's.

Values, boxes, what is left of the arguments and exceptions have to agree. Thousands of them:

    AUTOGRAPH_TESTS=100 python -m pytest -n 2 tests/random/test_tables.py
"""

from random import Random

import numpy as np
import pytest

import autograph as ag
from tests.random.tables import Tables
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.outcome import seen

SEEDS = seeds(40)


def usual():
    return (np.arange(6.0) / 2 - 1, np.arange(6.0, 0, -1) / 3, np.arange(6) * 3 % 5 - 1,
            np.arange(36.0).reshape(6, 6) % 7 / 2, np.arange(6) % 3 == 0,
            np.arange(36).reshape(6, 6) % 5, 4)


def in_other_orders():
    x, y, k, m, b, t, n = usual()
    return x[::-1], y, k[::-1], np.asfortranarray(m), b[::-1], t.T, n


def one_twice():
    x, _, k, m, b, t, n = usual()
    return x, x, k, m, b, t, n


def parts_of_others():
    _, _, _, m, b, t, n = usual()
    return m[1], m[:, 2], t[3], m, b, t, n


def beyond():
    """Ints near the end of 64 bits, infinite floats, NaN."""
    x, y, k, m, b, t, n = usual()
    x[2], m[1, 1], y[3] = np.inf, np.nan, 1e308
    k[3], t[2, 2] = 2**63 - 1, -2**63
    return x, y, k, m, b, t, n


ARGUMENTS = [usual, in_other_orders, one_twice, parts_of_others, beyond]


def facts(function, make):
    call = seen(function, make())
    lines = call.describe().splitlines()  # what is not used is not computed, and does not warn
    return [line for line in lines if not line.startswith("warns")], str(call.error)


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed):
    source = Tables(Random(seed)).source()
    plain = load(source, f"<tables {seed}>")
    traced = ag.function(plain)
    for make in ARGUMENTS:
        assert facts(traced, make) == facts(plain, make), (make.__name__, source)
