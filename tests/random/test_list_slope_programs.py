"""Derivatives of random programs with lists: both modes agree with differences, or refuse; machine
code gives what the graph gives."""

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import flatten
from tests.random.list_slope_programs import ListSlopeProgram
from tests.random.test_numeric_programs import load
from tests.support.alarm import Endless, alarm
from tests.support.amount import seeds
from tests.support.slopes import Trial

SEEDS = seeds(24)
PATIENCE, OF_PLAIN = 60.0, 5.0
LARGE = 1e6
NATIVE = 4
"""One of so many programs is compiled, too."""


def trial(seed: int) -> Trial | None:
    """Returns a program; None if the plain one raises, or does not come to an end soon, or grows so
    large that differences tell nothing."""
    random = Random(seed)
    source = ListSlopeProgram(random).source()
    a, *x = np.random.default_rng(seed).uniform(-1.0, 1.0, 5)
    count = random.choice((2, 3, np.int64(2), np.int64(3)))
    given = Trial(load(source, f"<list slope program {seed}>"),
                  (float(a), np.array(x), count), seed)
    try:
        with alarm(OF_PLAIN):
            found = given.run(given.arguments)
    except (Endless, Exception):
        return None
    return given if abs(found) < LARGE else None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_slopes(seed: int) -> None:
    given = trial(seed)
    if given is None:
        return
    with alarm(PATIENCE):
        verdict = given.verdict()
    assert verdict.outcome in ("agree", "refused", "no slope"), verdict.told


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS[::NATIVE])
def test_machine_code_gives_the_same(seed: int) -> None:
    given = trial(seed)
    if given is None:
        return
    gradient: Any = ag.grad(given.function, (0, 1))
    try:
        with alarm(PATIENCE):
            found = given.run(given.arguments, ag.function(gradient, jit_compile=True))
    except ag.NotDifferentiable:
        return
    wanted = given.run(given.arguments, ag.function(gradient, jit_compile=False))
    for g, expected in zip(flatten(found), flatten(wanted), strict=True):
        np.testing.assert_allclose(g, expected, rtol=1e-9, atol=1e-12)
