"""Derivatives of random programs: both modes agree with differences, or refuse.

AUTOGRAPH_SLOPE_PROGRAMS says how many are tried.
"""

from random import Random

import numpy as np
import pytest

from tests.random.slope_programs import SlopeProgram
from tests.random.test_numeric_programs import load
from tests.support.alarm import alarm
from tests.support.amount import seeds
from tests.support.slopes import Trial

SEEDS = seeds(12)
PATIENCE = 30.0

def trial(seed: int) -> Trial:
    source = SlopeProgram(Random(seed)).source()
    rng = np.random.default_rng(seed)
    a, b, *x = rng.uniform(-1.0, 1.0, 5)
    return Trial(load(source, f"<slope program {seed}>"), (float(a), np.float64(b), np.array(x)),
                 seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_slopes(seed: int) -> None:
    with alarm(PATIENCE):
        verdict = trial(seed).verdict()
    assert verdict.outcome in ("agree", "refused", "no slope"), verdict.told


@pytest.mark.parametrize("seed", [
    7059,  # a side of a branch gives a view away, and the other writes the array
    7030,  # other lists are made beside the one that a loop changes
    7065,  # the graph changes a dict of which a loop binds the name to a new one
    8127,  # a call in a loop returns a tuple of other items on each path
    8816,  # a branch gives a number of an argument through an inner one
    8898,  # the same in forward mode
    51089,  # a loop does not run, and its result is written while what it starts with is kept
    7166,  # two loops on numbers leave their results under one name
])
def test_it_agrees(seed: int) -> None:
    verdict = trial(seed).verdict()
    assert verdict.outcome == "agree", verdict.told
