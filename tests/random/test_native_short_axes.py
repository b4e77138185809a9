"""Random loops over arrays with short axes: machine code merges axes and adds up short rows itself,
and gives NumPy's bits, memory orders and warnings.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_short_axes.py
"""

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.short_axes import ShortAxes
from tests.random.test_native_arrays import with_strides
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(40)


def program(seed: int) -> tuple[ShortAxes, str, Any]:
    made = ShortAxes(Random(seed))
    source = made.source()
    plain = load(source, f"<short axes {seed}>")
    plain.__globals__["np"] = np
    return made, source, plain


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    made, source, plain = program(seed)
    native = ag.function(plain, jit_compile=True)
    interpreted = ag.function(plain, executor="interpreter")
    for k in range(4 * seed, 4 * seed + 4):
        found = outcome(with_strides(native), made.arguments(k))
        expected = outcome(with_strides(plain), made.arguments(k))
        if found != expected:  # plain Python computes and warns of what nobody reads
            assert found[0] == expected[0], source
            assert found == outcome(with_strides(interpreted), made.arguments(k)), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in range(20):
        made, _, plain = program(seed)
        outcome(ag.function(plain, jit_compile=True), made.arguments(seed))
    assert told.count(True) >= 4
