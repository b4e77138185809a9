"""Random loops over several dtypes, with inner functions, recursion, slices, aliases and exceptions
that leave in the middle, do as machine code what the interpreter does.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_mixed_loops.py
"""

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.mixed_loops import MixedLoops
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import compile_short_loops

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(6)

SMALL = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64)
AWKWARD = (np.nan, np.inf, -0.0, 1e308)


def arguments(seed: int) -> tuple[Any, ...]:
    """Numbers, rows and tables of all dtypes; one row may be another one, or a part of it."""
    r = np.random.default_rng(seed)
    n, size, small = (3, 4, 0, 2, 5, 1)[seed % 6], (5, 4, 6)[seed % 3], SMALL[seed % 7]
    x, u, q = r.normal(size=size), r.integers(0, 100, size).astype(small), r.random(size) > 0.5
    w = r.normal(size=size) + 1j * r.normal(size=size)
    m, g = r.normal(size=(3, 4)), r.normal(size=(4, 3)).astype(np.float32)
    if seed % 2:
        x[1], g[1, 1] = AWKWARD[seed // 2 % 4], np.inf
        u[0], u[-1] = np.iinfo(small).min, np.iinfo(small).max
    w = (w, x, x[::-1], m[1], w)[seed % 5]
    k, h, z = small(r.integers(0, 4)), np.float32(r.normal()), complex(*r.normal(size=2))
    given = [(n, k, h, z), (np.int64(n), k, h, z), (n, k, 0.25, 2.5), (n, int(k), h,
                                                                       np.complex64(z))][seed % 4]
    return given[0], bool(r.random() > 0.5), *given[1:], x, u, w, q, m, g


@pytest.mark.parametrize("seed", SEEDS)
def test_as_interpreted(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = MixedLoops(Random(seed)).source()
    plain = load(source, f"<mixed {seed}>")
    native = ag.function(plain, jit_compile=True)
    interpreted = ag.function(plain, executor="interpreter")
    for k in range(seed * 4, seed * 4 + 4):
        for _ in range(2):
            found, judged = outcome(native, arguments(k)), outcome(interpreted, arguments(k))
            assert found == judged, source
