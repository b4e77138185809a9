"""Machine code for arrays of any length: random programs, called with arrays of many lengths.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_open_lengths.py
"""

from random import Random

import pytest

import autograph as ag
from autograph.runtime.native import shared_forms
from autograph.runtime.native.array_kernel import ArrayKernel
from tests.random.arrays import Arrays
from tests.random.complex_arrays import ComplexArrays
from tests.random.open_lengths import FIRST, Lengths, Matrices
from tests.random.open_planes import Planes
from tests.random.open_steps import Steps
from tests.random.test_native_arrays import with_strides
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(60)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", [Arrays, ComplexArrays])
def test_same_as_plain(kind: type[Arrays], seed: int) -> None:
    random = Random(seed)
    program = kind(random)
    source, lengths = program.source(), Lengths(program, random)
    plain = load(source, f"<open {seed}>")
    plain.__globals__["np"] = program.numpy
    native = ag.function(plain, jit_compile=True, reduce_retracing=True)
    python = ag.function(plain, reduce_retracing=True)
    for k in range(14):
        arguments = lengths.given(7 if k < FIRST else 10 ** (k // 3))
        expected = outcome(with_strides(python), arguments)
        assert outcome(with_strides(native), arguments) == expected, source
        told = outcome(with_strides(plain), arguments)[0]
        assert told == expected[0] or "Error" in told, source  # of what nothing uses


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", [Matrices, Steps, Planes])
def test_parts(kind: type[Matrices] | type[Steps] | type[Planes], seed: int) -> None:
    """Parts of matrices, whose rows have gaps between them; every second element."""
    program = kind(Random(seed))
    plain = load(program.source(), f"<{kind.__name__} {seed}>")
    native = ag.function(plain, jit_compile=True, reduce_retracing=True)
    for k in range(14):
        arguments = program.given(k)
        expected = outcome(with_strides(plain), arguments)
        assert outcome(with_strides(native), arguments)[0] == expected[0], program.source()


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of the programs have a kernel that gives the results, for all lengths."""
    told = tell_kernels(monkeypatch, ArrayKernel)
    kernels = 0
    for seed in range(20):
        random = Random(seed)
        program = Arrays(random)
        lengths = Lengths(program, random)
        plain = load(program.source(), f"<open {seed}>")
        plain.__globals__["np"] = program.numpy
        native = ag.function(plain, jit_compile=True, reduce_retracing=True)
        for _ in range(FIRST):
            outcome(native, lengths.given(7))
        before = len(told)
        outcome(native, lengths.given(10 ** 4))
        kernels += told[before:].count(True)
    assert kernels >= 6


@pytest.mark.filterwarnings("ignore::autograph.errors.RetracingWarning")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", [Arrays, ComplexArrays])
def test_traces_of_known_lengths(kind: type[Arrays], seed: int, monkeypatch: pytest.MonkeyPatch
                                 ) -> None:
    """Groups that differ in lengths only share machine code."""
    monkeypatch.setattr(shared_forms, "LEAST", 1)
    random = Random(seed)
    program = kind(random)
    source, lengths = program.source(), Lengths(program, random)
    plain = load(source, f"<shared {seed}>")
    plain.__globals__["np"] = program.numpy
    native = ag.function(plain, jit_compile=True)
    python = ag.function(plain)
    for k in range(8):
        arguments = lengths.given(10 ** (k // 2))
        expected = outcome(with_strides(python), arguments)
        assert outcome(with_strides(native), arguments) == expected, source
