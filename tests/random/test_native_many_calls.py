"""Machine code stays right where a program is called more than ten times, from when on its guards
recognise the calls, and with other dtypes, shapes, layouts, values and overlaps between the calls.

A graph may leave out what nothing uses, with its errors, and raise the error of a type first;
then the interpreter is the judge, which knows no lines.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_many_calls.py
"""

from collections.abc import Callable
from random import Random
from traceback import extract_tb
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions import tiers
from tests.random.array_loops import ArrayLoops, arguments
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, strides_in
from tests.support.outcome import seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(12)

CALLS = [0] * 12 + [1, 1, 2, 0, 3, 1, 4, 5, 0, 2]
"""Which arguments each call has: the eleventh call of some is another code."""


def outcome(function: Callable[..., Any], given: tuple[Any, ...], name: str) -> Any:
    """What a call does, and the line of the program that raised."""
    call = seen(function, given)
    trace = extract_tb(call.error.__traceback__) if call.error else []
    line = next((x.lineno for x in reversed(trace) if x.filename == name), None)
    return (call.describe(), call.told, strides_in(call.result or ())), line


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    for name in ("LOOK", "COMPILING"):
        monkeypatch.setattr(tiers, name, 0.0)
    source, name = ArrayLoops(Random(seed)).source(), f"<array loops {seed}>"
    plain = load(source, name)
    plain.__globals__["np"] = np
    native = ag.function(plain, jit_compile=seed % 3 != 0 or None)
    interpreted = ag.function(plain, executor="interpreter")
    for k in CALLS:
        found, expected = (outcome(f, arguments(10 * seed + k), name) for f in (native, plain))
        if found != expected:
            judged = outcome(interpreted, arguments(10 * seed + k), name)
            told = f"{source}\ncall with {k}: plain\n{expected}\nnative\n{found}"
            assert found[0] == judged[0], told
