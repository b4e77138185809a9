"""Random loops that make, fill, keep and exchange arrays give the same over NumPy, interpreted and
as machine code as plainly; also which results are one array, and which are arguments. A graph may
leave out what nothing uses, with its errors; then the interpreter is the judge.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_buffers.py
"""

from random import Random

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.machine import missing
from tests.random.buffers import Buffers, arguments
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import compile_short_loops
from tests.support.outcome import seen

SEEDS = seeds(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch, unroll=seed % 2 == 0)
    source = Buffers(Random(seed)).source()
    plain = load(source, f"<buffers {seed}>")
    plain.__globals__["np"] = np
    interpreted = ag.function(plain, executor="interpreter")
    for native in (False, True)[:1 if missing() else 2]:
        converted = ag.function(plain, jit_compile=native)
        for k in (0, 1, 2, 3, 4, 5, 0):
            found, *expected = ((call.told, call.describe()) for call in (
                seen(f, arguments(k)) for f in (converted, plain, interpreted)))
            assert found in expected, f"{source}\n{native} {k}"
