"""Random nests of loops over ranges: machine code reads, writes, fails and leaves as Python does.

A graph may raise the error of a type first, when it is traced; then the interpreter is the judge.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_affine_loops.py
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.affine_loops import TYPES, AffineLoops, arguments
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, strides_in, tell_kernels
from tests.support.outcome import seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(16)
CALLS = 3


def outcome(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """What a call does; also to its arguments if it raises."""
    call = seen(function, given)
    return call.describe(), call.told, strides_in(call.result or ())


def program(seed: int) -> tuple[str, Any]:
    source = AffineLoops(Random(seed)).source()
    return source, load(source, f"<affine loops {seed}>")


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source, plain = program(seed)
    native = ag.function(plain, jit_compile=True)
    interpreted = ag.function(plain, executor="interpreter")
    for k in range(CALLS):
        dtype = TYPES[(seed + k // 2) % len(TYPES)] if k else None
        for _ in range(2):
            found, expected, judged = (outcome(f, arguments(CALLS * seed + k, dtype))
                                       for f in (native, plain, interpreted))
            assert found in (expected, judged), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in range(20):
        outcome(ag.function(program(seed)[1], jit_compile=True), arguments(CALLS * seed + 1, "f8"))
    assert told.count(True) >= 3
