"""Random loops over arrays of two floats: machine code, with the floats in registers, does what
plain Python does; warnings too, or those of the interpreter, which computes nothing unread.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_small_arrays.py
"""

from random import Random
from typing import Any

import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.small_arrays import SmallArrays, arguments
from tests.random.test_kernel_matrix import outcome
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(16)
CALLS = 5


def program(seed: int) -> tuple[str, Any]:
    source = SmallArrays(Random(seed)).source()
    return source, load(source, f"<small arrays {seed}>")


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source, plain = program(seed)
    native = ag.function(plain, jit_compile=True)
    interpreted = ag.function(plain, executor="interpreter")
    for k in range(CALLS * seed, CALLS * seed + CALLS):
        found, expected = outcome(native, arguments(k)), outcome(plain, arguments(k))
        if found != expected:
            assert found == outcome(interpreted, arguments(k)), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in range(12):
        outcome(ag.function(program(seed)[1], jit_compile=True), arguments(CALLS * seed))
    assert told.count(True) >= 4
