"""Random loops over complex numbers give the same as machine code.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_complex_loops.py
"""

from random import Random

import pytest

import autograph as ag
from tests.random.complex_loops import ComplexLoops, arguments
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import compile_short_loops

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = ComplexLoops(Random(seed)).source()
    plain = load(source, f"<complex loops {seed}>")
    native = ag.function(plain, jit_compile=True)
    interpreted = ag.function(plain, executor="interpreter")
    for k in range(8):
        for _ in range(2):
            found, judged, expected = (
                outcome(f, arguments(10 * seed + k)) for f in (native, interpreted, plain))
            if found != expected:  # the graph may leave out what nothing uses
                assert found == judged, f"{source}\ncall with {10 * seed + k}: plain\n{expected}"
