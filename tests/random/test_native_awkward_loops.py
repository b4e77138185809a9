"""Random loops that wrap, warn, fail and leave early give the same as machine code.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_awkward_loops.py
"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.awkward_loops import AwkwardLoops
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(12)

LAYOUTS: list[Callable[[Any, Any], tuple[Any, Any]]] = [
    lambda x, y: (x, y), lambda x, y: (np.repeat(x, 2)[::2], np.asfortranarray(y)),
    lambda x, y: (x[::-1], y[:, ::-1]), lambda x, y: (x[:0], y), lambda x, y: (x, y[:, :0]),
    lambda x, y: (y[1], y)]


def arguments(dtype: str, seed: int) -> tuple[Any, ...]:
    """Numbers of a dtype, in several layouts; for odd seeds with the awkward ones among them."""
    r, d, odd = np.random.default_rng(seed), np.dtype(dtype), seed % 2
    if d.kind == "f":
        x, y = r.normal(size=5).astype(d), r.normal(size=(3, 4)).astype(d)
        if odd:
            x[1], x[3], y[0, 1], y[1, 2] = np.nan, 1e30, np.inf, -0.0
    else:
        limits = np.iinfo(d)
        low, high = (limits.min, limits.max) if odd else (max(limits.min, -4), 5)
        x, y = (r.integers(low, high, shape, d, endpoint=True) for shape in (5, (3, 4)))
    return (3, 4, 0, 2, 5, 3, 1)[seed % 7], x[2] * 1, *LAYOUTS[seed % len(LAYOUTS)](x, y)


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    floats = bool(seed % 2)
    source = AwkwardLoops(Random(seed), floats).source()
    plain = load(source, f"<awkward loops {seed}>")
    native = ag.function(plain, jit_compile=True)
    interpreted = ag.function(plain, executor="interpreter")
    for k in range(7):
        given = (("f8", "f4") if floats else ("i8", "i1", "u1", "i4", "u2"))[k % (5 - 3 * floats)]
        for _ in range(2):
            found = outcome(native, arguments(given, k))
            judged = outcome(interpreted, arguments(given, k))
            if found != judged:
                assert found == outcome(plain, arguments(given, k)), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in range(8):
        source = AwkwardLoops(Random(seed), bool(seed % 2)).source()
        plain = load(source, f"<awkward loops {seed}>")
        outcome(ag.function(plain, jit_compile=True), arguments("f8" if seed % 2 else "i8", 0))
    assert told.count(True) >= 3
