"""Derivatives of random programs with classes, generators, matrices and derivatives inside: both
modes agree with differences, or refuse; machine code gives what the graph gives."""

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import flatten, map_nest
from tests.random.test_numeric_programs import load
from tests.random.wider_slope_programs import WiderSlopeProgram
from tests.support.alarm import Endless, alarm
from tests.support.amount import seeds
from tests.support.slopes import Trial, is_float

SEEDS = seeds(8)
PATIENCE, OF_PLAIN = 60.0, 5.0
NATIVE = 4
"""One of so many programs is compiled, too."""


def trial(seed: int) -> Trial:
    source = WiderSlopeProgram(Random(seed)).source()
    a, b, *x = np.random.default_rng(seed).uniform(-1.0, 1.0, 17)
    u, m, v = (np.array(part) for part in (x[:3], x[3:12], x[12:]))
    return Trial(load(source, f"<wider slope program {seed}>"),
                 (float(a), u, {"m": m.reshape(3, 3), "h": [float(b), v]}), seed)


def ends(given: Trial) -> bool:
    """Returns True if the plain program comes to an end soon, and raises nothing."""
    try:
        with alarm(OF_PLAIN):
            given.run(given.arguments)
    except (Endless, Exception):
        return False
    return True


SHOWN = (51259,)
"""Programs beyond those numbers that have shown a mistake: the backward sweep computes a function
again on an array that a branch had changed, and may raise."""

SHOWN_BY_MACHINE_CODE = (77004,)
"""One whose new array came before what was pending where it was made."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [*SEEDS, *SHOWN])
def test_slopes(seed: int) -> None:
    given = trial(seed)
    if not ends(given):
        return
    with alarm(PATIENCE):
        verdict = given.verdict()
    assert verdict.outcome in ("agree", "refused", "no slope"), verdict.told


def gradients(function: Any, given: Trial, y_bar: Any) -> list[Any]:
    pulled = given.run(given.arguments, lambda *args: function(*args, y_bar))
    return [g for g in flatten(pulled) if g is not None]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [*SEEDS[::NATIVE], *SHOWN_BY_MACHINE_CODE])
def test_machine_code_gives_the_same(seed: int) -> None:
    given = trial(seed)
    if not ends(given):
        return

    def pulled(a: Any, u: Any, p: Any, y_bar: Any) -> Any:
        return ag.vjp(given.function, a, u, p)[1](y_bar)

    y_bar = map_nest(lambda y: y * 0 + 1 if is_float(y) else y, given.run(given.arguments))
    try:
        with alarm(PATIENCE):
            found = gradients(ag.function(pulled, jit_compile=True), given, y_bar)
    except ag.NotDifferentiable:
        return
    for g, expected in zip(found, gradients(pulled, given, y_bar), strict=True):
        np.testing.assert_allclose(g, expected, rtol=1e-9, atol=1e-12)
