"""Random loops over slices and arrays give the same bits, errors and warnings as machine code.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_slices.py
"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.slices import Slices
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(10)


def arrays(seed: int, dtype: str, n: int, awkward: bool = False) -> tuple[Any, ...]:
    random = np.random.default_rng(seed)
    shapes = [(n,), (n,), (n, n), (n, n)]
    made = [random.integers(0, 5, shape) if dtype[0] in "iu" else random.normal(size=shape)
            for shape in shapes]
    if awkward:
        for x in made:
            x.flat[::3] = random.choice([np.nan, -0.0, 0.0, np.inf, 1.5], x.flat[::3].shape)
    return tuple(x.astype(dtype) for x in made)


def strided(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(np.repeat(x, 2, axis=-1)[..., ::2] for x in arrays)


ARGUMENTS: list[Callable[[], tuple[Any, ...]]] = [
    lambda: (*arrays(0, "f8", 5), np.float64(1.5), 5),
    lambda: (*arrays(1, "f8", 20), 0.25, 6),
    lambda: (*arrays(2, "f8", 9, awkward=True), np.float64(-0.0), 4),
    lambda: (*strided(arrays(3, "f8", 7)), 2, 7),
    lambda: (*arrays(4, "f4", 9), np.float32(0.5), 5),
    lambda: (*arrays(5, "i8", 6), 3, 6),
    lambda: (*arrays(6, "f8", 8)[:2], *(x.T for x in arrays(7, "f8", 8)[2:]), 1.0, 8),
    lambda: (*(x[::-1] for x in arrays(8, "f8", 6)), 1.0, 3),
    lambda: (*arrays(9, "f8", 4)[:2], *arrays(9, "i4", 4)[2:], 0.5, 0),
    lambda: (*arrays(10, "f8", 1), 0.5, 1),
    lambda: (*arrays(11, "f8", 0), 0.5, 0),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = Slices(Random(seed)).source()
    plain = load(source, f"<slices {seed}>")
    plain.__globals__["np"] = np
    native, python = ag.function(plain, jit_compile=True), ag.function(plain)
    for make in ARGUMENTS:
        for _ in range(2):
            found, judged = outcome(native, make()), outcome(python, make())
            if found != outcome(plain, make()):
                assert found == judged, source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in range(6):
        plain = load(Slices(Random(seed)).source(), f"<slices {seed}>")
        plain.__globals__["np"] = np
        outcome(ag.function(plain, jit_compile=True), ARGUMENTS[1]())
    assert told.count(True) >= 2
