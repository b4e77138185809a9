"""Random loops that read and write through masks: machine code does as NumPy does.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_masks.py
"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels
from tests.support.outcome import seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(16)

TYPES = ["f8", "f8", "f4", "i8", "i4", "?", "u1", "i2"]
MASKS = ["{v} > {o}", "({v} > t) & ({o} < 2)", "{v} == {o}", "np.logical_or({v} != 0, {o} > t)",
         "~({v} < {o})", "m", "m", "{v}[:1] > {o}", "{v}[1:] > t"]
STATEMENTS = ["{v}[{m}] = {n}", "m = {m}", "s += {v}[{m}].sum()", "{v}[m] = {v}[m] * 0.5",
              "{v}[m] = {o}[m]", "{v}[{m}] += 1", "s += np.max({v}[{m}])", "m[m] = {v}[m] > 0.5",
              "{v}[1:][{m}] = t", "{v}[{m}] = {o}[:2]", "s += np.mean({v}[{m}])"]
NUMBERS = ["0", "t", "1.5", "-1", "i", "s"]


def source_of(random: Random) -> str:
    """Writes `f(x, y, n)`, a loop over both arrays."""
    lines = ["def f(x, y, n):", "    s, m = 0.0, x > 0.3", "    for i in range(n):",
             "        t = i * 0.1"]
    for _ in range(random.choice([1, 2, 3, 4])):
        v, o = random.choice("xy"), random.choice("xy")
        mask = random.choice(MASKS).format(v=v, o=o)
        lines.append("        " + random.choice(STATEMENTS).format(
            v=v, o=o, m=mask, n=random.choice(NUMBERS)))
    return "\n".join([*lines, "    return s, x, y, m", ""])


def array(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    """Returns numbers, some NaN, in one of three layouts."""
    made = rng.random(tuple(2 * n for n in shape)) * 4 - (dtype != "u1")
    if dtype[0] == "f":
        made[rng.random(made.shape) < rng.choice([0.0, 0.1])] = np.nan
    made = made.astype(dtype)
    if rng.random() < 0.3:
        return made[tuple(slice(None, None, 2) for _ in shape)]
    part = made[tuple(slice(n) for n in shape)]
    return np.array(part, order=rng.choice(["C", "C", "F"]))


def outcome(function: Callable[..., Any], seed: int, shape: tuple[int, ...], dtypes: list[str]
            ) -> Any:
    rng = np.random.default_rng(seed)
    call = seen(function, (*(array(rng, shape, d) for d in dtypes), int(rng.choice([0, 1, 5, 9]))))
    return call.describe(), call.told


def shape_of(random: Random) -> tuple[int, ...]:
    return random.choice([(random.randrange(40),), (random.randrange(6), random.randrange(1, 9))])


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    random = Random(seed)
    source = source_of(random)
    plain = load(source, f"<masks {seed}>")
    native, interpreted = ag.function(plain, jit_compile=True), ag.function(
        plain, executor="interpreter")
    for k in range(4):
        shape, dtypes = shape_of(random), random.choices(TYPES, k=2)
        found, expected, judged = (outcome(f, 10 * seed + k, shape, dtypes)
                                   for f in (native, plain, interpreted))
        assert found in (expected, judged), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in range(20):
        outcome(ag.function(load(source_of(Random(seed)), f"<masks {seed}>"), jit_compile=True),
                seed, (12,), ["f8", "f8"])
    assert told.count(True) >= 3
