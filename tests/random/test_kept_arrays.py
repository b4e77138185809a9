"""Gradients of random loops over small arrays have the same bits where the loops keep elements, and
where they keep the arrays; both modes agree with differences.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_kept_arrays.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.lower import lowering
from autograph.staging import loops
from tests.random.kept_arrays import KeptArrays
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.alarm import alarm
from tests.support.amount import seeds
from tests.support.slopes import Trial

SEEDS = seeds(8)
SOME = (30, 38, 39, 40)
PATIENCE = 60.0
Arguments = tuple[Any, ...]


def arguments(*numbers: Any, dtype: Any = float, n: int = 4) -> Callable[[], Arguments]:
    first, second = np.array(numbers, dtype), np.array(numbers[::-1], dtype) * dtype(0.7)
    return lambda: (first.copy(), second.copy(), np.dtype(dtype).type(0.5), n)


ARGUMENTS = [arguments(0.5, -0.75), arguments(1.25, 0.1, n=9), arguments(0.0, -0.0),
             arguments(np.inf, 1e200), arguments(np.nan, 1.0), arguments(0.5, 0.25, n=0)]
OTHERS = [arguments(0.4), arguments(0.5, 0.25, -0.75), arguments(0.5, 0.25, dtype=np.float32),
          arguments(0.5 + 0.25j, -0.75j, dtype=complex), arguments(0.5, 0.25, n=40)]


def derivatives(f: Callable[..., Any], executor: str) -> Iterator[Callable[..., Any]]:
    """Functions that give the gradient, and how it changes along a direction."""
    slopes = ag.value_and_grad(f, (0, 1, 2))

    def changes(*args: Any) -> Any:
        moved = tuple(x * 0 + 1 for x in args[:3])
        return ag.jvp(lambda *a: ag.vjp(f, *a, args[3])[1](1.0)[:3], args[:3], moved)

    return (ag.function(g, jit_compile=False, executor=executor) for g in (slopes, changes))


@pytest.fixture(autouse=True)
def _loops_stay_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "UNROLL", 0)


def differences(seed: int) -> list[str]:
    """Returns where a random program has other derivatives if its loops keep no elements."""
    source = KeptArrays(Random(seed)).source()
    f, found = load(source, f"<kept arrays {seed}>"), []
    for make in (*ARGUMENTS, OTHERS[seed % len(OTHERS)]):
        for k, given in enumerate(derivatives(f, "python")):
            with mock.patch.object(lowering, "of_elements", lambda graph: set()):
                expected = outcome([*derivatives(f, "python")][k], make())
            if outcome(given, make()) != expected:
                found.append(f"{source}\n{make()}\ngiven {outcome(given, make())}\n"
                             f"expected {expected}")
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_same_bits(seed: int) -> None:
    with alarm(PATIENCE):
        found = differences(seed)
    assert not found, found[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_slopes(seed: int) -> None:
    source = KeptArrays(Random(seed)).source()
    f = load(source, f"<kept arrays {seed}>")
    with alarm(PATIENCE):
        for make in (ARGUMENTS[0], OTHERS[seed % 2]):
            verdict = Trial(f, make(), seed).verdict()
            assert verdict.outcome in ("agree", "refused", "no slope"), source + verdict.told


def test_programs_keep_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    keep, kept = lowering.Lowering.keep, set()
    monkeypatch.setitem(lowering.STATEMENTS, "keep", lambda *args: (kept.add(seed), keep(*args)))
    for seed in SOME:
        f = load(KeptArrays(Random(seed)).source(), f"<kept arrays {seed}>")
        with np.errstate(all="ignore"):
            next(derivatives(f, "python"))(*ARGUMENTS[0]())
    assert len(kept) >= 2
