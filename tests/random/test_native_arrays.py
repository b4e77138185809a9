"""Random programs on whole arrays give the same bits, memory orders and warnings as machine code.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_arrays.py
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import autograph as ag
from autograph.runtime.native.array_kernel import ArrayKernel
from tests.random.arrays import Arrays
from tests.random.complex_arrays import ComplexArrays
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import strides_in, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(60)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", [Arrays, ComplexArrays])
def test_same_as_plain(kind: type[Arrays], seed: int) -> None:
    program = kind(Random(seed))
    source, arguments = program.source(), tuple(program.arguments.values())
    plain = load(source, f"<arrays {seed}>")
    plain.__globals__["np"] = program.numpy
    native, python = ag.function(plain, jit_compile=True), ag.function(plain)
    for _ in range(2):
        expected = outcome(with_strides(python), arguments)
        assert outcome(with_strides(native), arguments) == expected, source
        assert outcome(with_strides(plain), arguments)[0] == expected[0], source


def with_strides(f: Callable[..., Any]) -> Callable[..., Any]:
    def told(*arguments: Any) -> Any:
        result = f(*arguments)
        return result, strides_in(result)

    return told


@pytest.mark.parametrize("kind", [Arrays, ComplexArrays])
def test_kernels_run(monkeypatch: pytest.MonkeyPatch, kind: type[Arrays]) -> None:
    """Most of the programs above reach a kernel that gives the results."""
    told = tell_kernels(monkeypatch, ArrayKernel)
    for seed in range(20):
        program = kind(Random(seed))
        plain = load(program.source(), f"<arrays {seed}>")
        plain.__globals__["np"] = program.numpy
        outcome(ag.function(plain, jit_compile=True), tuple(program.arguments.values()))
    assert told.count(True) >= 6
