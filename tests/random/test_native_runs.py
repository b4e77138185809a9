"""Random runs of loops, stores and numbers, which share kernels, do the same as plain Python.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_runs.py
"""

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(12)

PARTS = (
    "for i in range({n}):\n        {a}[i] = {b}[i] * 2 + s",
    "for i in range(1, {n}):\n        {a}[i] = {a}[i - 1] + {b}[i]",
    "for i in range({n}):\n        s = s + {b}[i] * {a}[0]",
    "for i in range({n}):\n        {a}, {b} = {b} + 1, {a}",
    "for i in range(n):\n        {a}[i] += 1\n        s = s + i",
    "for i in range(n):\n        if {b}[i] > s:\n            s = {b}[i]\n            t = i",
    "while s < 3:\n        s = s + 1",
    "{a} = np.zeros(4)", "{a} = {b}.copy()", "{a} = np.ones_like(x)", "{a} = {b}", "v = {a}[1:]",
    "{a}[1] = s", "s = {a}[2] + t", "t = t * 2 - n", "s = 0", "t = {b}[0] * 0.5",
    "if s > 1:\n        {a}[0] = s\n    else:\n        t = s", "y[1, :] = {a}", "y[0, 1] = s",
    "s = {a} @ {b}", "{a}[{n}] = 1.0",
    "for i in range(2):\n        for j in range(3):\n            y[i, j + 1] = y[i, j] + {b}[j]",
)
"""Statements; `a` and `b` are arrays of four numbers, `n` a number of elements."""


def source_of(random: Random) -> str:
    parts = [random.choice(PARTS).format(a=random.choice("xhg"), b=random.choice("xhg"),
                                         n=random.choice("44344n"))
             for _ in range(random.randint(3, 7))]
    given = ", ".join(random.sample(["s", "t", "x", "h", "g", "v", "y"], random.randint(1, 4)))
    lines = ["import numpy as np", "def f(x, y, s, n):",
             "    h, g, t, v = np.zeros(4), np.ones(4), 1, x",
             *[f"    {part}" for part in parts], f"    return {given},"]
    return "\n".join(lines) + "\n"


def arguments(k: int) -> tuple[Any, ...]:
    r = np.random.default_rng(k)
    x, y = r.normal(size=4), r.normal(size=(2, 4))
    if k == 2:
        x[1] = np.nan
    number = (1.5, np.float64(2.5), 0, np.float64(1e308), -0.0)[k]
    return (y[1] if k == 3 else x), y, number, (4, 0, 3, 2, 5)[k]


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = source_of(Random(seed))
    plain = load(source, f"<runs {seed}>")
    native = ag.function(plain, jit_compile=True)
    interpreted = ag.function(plain, executor="interpreter")
    for k in range(5):
        for _ in range(2):
            found = outcome(native, arguments(k))
            if found != outcome(interpreted, arguments(k)):  # what is unread is not computed
                assert found == outcome(plain, arguments(k)), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in range(8):
        plain = load(source_of(Random(seed)), f"<runs {seed}>")
        outcome(ag.function(plain, jit_compile=True), arguments(0))
    assert told.count(True) >= 3
