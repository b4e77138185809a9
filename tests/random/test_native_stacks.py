"""Gradients of random loops over numbers have the same bits as machine code, with what the loops
keep of their iterations, as under the interpreter.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_stacks.py
"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native import stacks
from tests.random.kept_loops import KeptLoops
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.alarm import alarm
from tests.support.amount import seeds
from tests.support.native import compile_short_loops

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(6)
PATIENCE = 60.0
FLOATS = np.array([0.5, -0.75, 1.25, 0.1])

ARGUMENTS: list[Callable[[], tuple[Any, ...]]] = [
    lambda: (0.5, 0.75, FLOATS.copy(), 5),
    lambda: (np.float64(-0.25), 1.5, FLOATS[::-1], 30),
    lambda: (np.float32(0.5), np.float32(0.25), FLOATS.astype(np.float32), 6),
    lambda: (0.25, np.float64(2.0), np.array([np.inf, -0.0, np.nan, 1e200]), 4),
    lambda: (1.5, -0.5, FLOATS.copy(), 0),
]


def differences(seed: int) -> list[str]:
    """Returns what the machine code of a random program's gradient gives otherwise."""
    source = KeptLoops(Random(seed)).source()
    f = load(source, f"<kept loops {seed}>")
    slopes = ag.value_and_grad(f, (0, 1, 2))
    native = ag.function(slopes, jit_compile=True)
    judge = ag.function(slopes, executor="interpreter")
    found = []
    for make in ARGUMENTS:
        expected = outcome(judge, make())
        for _ in range(2):
            given = outcome(native, make())
            if given != expected:
                found.append(f"{source}\n{make()}\nnative {given}\ninterpreter {expected}")
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_interpreted(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    with alarm(PATIENCE):
        found = differences(seed)
    assert not found, found[0]


def test_programs_keep_numbers_in_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    pushed: list[int] = []
    push = stacks.Stacks.push
    monkeypatch.setattr(stacks.Stacks, "push", lambda self, *args: (
        pushed.append(seed), push(self, *args))[1])
    for seed in range(6):
        with alarm(PATIENCE):
            differences(seed)
    assert len(set(pushed)) >= 2
