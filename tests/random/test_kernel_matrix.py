"""A matrix of small kernels: strict machine code does what plain Python does, errors and warnings
included; without `strict`, what the interpreter does with the same graph.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_kernel_matrix.py
"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.kernel_matrix import arguments, source_of
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels
from tests.support.outcome import arrays, seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(16)
CALLS = 4


def outcome(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """What a call does, its warnings, and which arrays are one."""
    call = seen(function, given)
    found = [*arrays(call.arguments), *arrays(call.result)]
    strides = [x.strides for x in found if x.size and x.ndim > 1]
    return call.describe(), call.told, strides, [[x is y for y in found] for x in found]


def program(seed: int) -> tuple[str, Any]:
    source = source_of(Random(seed))
    return source, load(source, f"<kernel {seed}>")


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source, plain = program(seed)
    strict = ag.function(plain, jit_compile=True, strict=True)
    native = ag.function(plain, jit_compile=True)
    interpreted = ag.function(plain, executor="interpreter")
    for k in range(CALLS * seed, CALLS * seed + CALLS):
        expected = outcome(plain, arguments(k))
        for _ in range(2):
            assert outcome(strict, arguments(k)) == expected, source
        found = outcome(native, arguments(k))
        if found != expected:
            assert found == outcome(interpreted, arguments(k)), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in SEEDS:
        for k in range(CALLS):
            outcome(ag.function(program(seed)[1], jit_compile=True), arguments(CALLS * seed + k))
    assert told.count(True) >= len(SEEDS) // 3


def store(x: Any, y: Any, i: Any) -> Any:
    x[i] = y
    return x


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("i", "error"), [
    (0, ValueError), (2, IndexError), (-3, IndexError), (-1, ValueError)])
def test_an_index_is_looked_at_before_shapes(i: int, error: type, strict: bool) -> None:
    """Of a store that is certain to fail by its shapes, the index may be out of bounds, too."""
    given = np.zeros((2, 3)), np.zeros((4, 3)), np.int64(i)
    assert type(seen(ag.function(store, strict=strict), given).error) is error
