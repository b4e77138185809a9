"""Random loops whose names are bound on some ways only give the same as machine code.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_unbound_names.py
"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.random.unbound_loops import UnboundLoops
from tests.support.alarm import alarm
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(16)
PATIENCE = 60.0
FLOATS = np.array([0.5, -0.75, 1.25, 0.1])

ARGUMENTS: list[Callable[[], tuple[Any, ...]]] = [
    lambda: (np.float64(0.5), FLOATS.copy(), 5),
    lambda: (1.5, -FLOATS, 40),
    lambda: (np.float64(-1.0), np.array([3.0, -1.0, np.nan, 0.0]), 3),
    lambda: (2, np.array([1, -2, 3, 0]), 4),
    lambda: (0.25, FLOATS.copy(), 0),
]


def differences(seed: int) -> list[str]:
    """Returns what the machine code of a random program gives otherwise."""
    source = UnboundLoops(Random(seed)).source()
    plain = load(source, f"<unbound loops {seed}>")
    native = ag.function(plain, jit_compile=True)
    judge = ag.function(plain, executor="interpreter")
    found = []
    for make in ARGUMENTS:
        for _ in range(2):
            given = outcome(native, make())
            if given != outcome(plain, make()) and given != outcome(judge, make()):
                found.append(f"{source}\n{make()}\nnative {given}\nplain {outcome(plain, make())}")
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    with alarm(PATIENCE):
        found = differences(seed)
    assert not found, found[0]


def test_an_early_return_is_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    ran = tell_kernels(monkeypatch, Kernel)

    @ag.function(jit_compile=True)
    def first_above(x: Any, n: Any) -> Any:
        s = 0.0
        for i in range(n):
            s += x[i % 4]
            if s > 3.0:
                return s * 2
        return s

    x = np.array([0.5, 0.75, 1.25, 0.1])
    assert first_above(x, 500) == 6.2
    assert first_above(x, 2) == 1.25
    assert all(ran) and len(ran) == 2


def test_a_name_that_is_not_bound_raises_as_in_python() -> None:
    @ag.function(jit_compile=True)
    def last_above(x: Any, n: Any) -> Any:
        for i in range(n):
            if x[i % 4] > 1.0:
                found = x[i % 4] * 2
        return found

    x = np.array([0.5, 0.75, 1.25, 0.1])
    assert last_above(x, 500) == 2.5
    with pytest.raises(UnboundLocalError, match="found"):
        last_above(-x, 500)
