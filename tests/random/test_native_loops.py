"""Random loops give the same bits, errors, warnings and arguments as machine code as plainly.

A graph may leave out what nothing uses, with its errors; then the interpreter is the judge.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_loops.py
"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.loops import Loops
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import compile_short_loops

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(30)

TABLE = np.arange(12.0).reshape(3, 4) / 4 - 1
ARGUMENTS: list[Callable[[], tuple[Any, ...]]] = [
    lambda: (3, np.float64(1.5), np.array([0.5, -2.0, 3.25, 1.0]), TABLE.copy()),
    lambda: (4, 2, np.array([5, -7, 0, 3]), np.arange(12).reshape(3, 4)),
    lambda: (np.int64(3), np.float64(-0.0), np.array([np.nan, -0.0, np.inf, 1e300]),
             np.asfortranarray(TABLE)),
    lambda: (2, np.float32(0.75), np.arange(8, dtype=np.float32)[::2],
             np.arange(24, dtype=np.int32).reshape(6, 4)[::2]),
    lambda: (0, np.int64(2 ** 62), np.array([2 ** 62, -1, 2 ** 63 - 1, 5]), TABLE > 0),
    lambda: (5, True, np.array([True, False, True, True]),
             np.arange(12, dtype=np.uint8).reshape(3, 4)),
    lambda: (3, 0.0, np.array([1, -128, 127, 0], np.int8), TABLE.copy()),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = Loops(Random(seed)).source()
    plain = load(source, f"<loops {seed}>")
    plain.__globals__["np"] = np
    native = ag.function(plain, jit_compile=True)
    interpreted = ag.function(plain, executor="interpreter")
    for make in ARGUMENTS:
        for _ in range(2):
            found, judged = outcome(native, make()), outcome(interpreted, make())
            if found != outcome(plain, make()):
                assert found == judged, source
