"""Random programs over arrays of all dtypes and layouts leave, give, raise and warn the same as
machine code as plainly.

A graph may leave out what nothing uses, with its errors and warnings, and tell of an error while it
is traced; then the interpreter is the judge.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_programs.py
"""

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.native_programs import NativePrograms, arguments
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import compile_short_loops
from tests.support.outcome import seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(8)

BY_THE_RUN: dict[str, Any] = {"effects": "runtime", "captures": "guard"}


@pytest.mark.parametrize("seed", SEEDS)
def test_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = NativePrograms(Random(seed)).source()
    plain = load(source, f"<native program {seed}>")
    plain.__globals__["np"] = np
    options = BY_THE_RUN if seed % 3 == 0 else {}
    native = ag.function(plain, jit_compile=True, **options)
    interpreted = ag.function(plain, executor="interpreter", **options)
    for turn in range(7):
        expected = seen(plain, arguments(seed, turn)).describe()
        for _ in range(2):
            found = seen(native, arguments(seed, turn)).describe()
            if found != expected:
                assert found == seen(interpreted, arguments(seed, turn)).describe(), source
