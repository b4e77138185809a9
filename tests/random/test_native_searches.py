"""Random searches give, warn and raise the same as machine code, which asks blocks of iterations.

Floats are drawn, sorted either way, equal, or unusual, so a block changes what is carried in all of
its iterations, in few or in none. `strict`, as a float that overflows on the way is told only then.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import compile_short_loops
from tests.support.outcome import seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(12)

ELEMENTS = ["x[j]", "y[j]", "x[j]", "a[j, 0]", "a[j, 1]", "a[i, 1]", "a[j, i % 2]", "z[j]",
            "x[j - 1]", "x[n - 1 - j]", "x[-j]", "s"]
RANGES = ["n", "n", "n", "1, n", "i + 1, n", "0, n, 2", "n - 1, -1, -1", "i, n", "0, n, 3"]
FIRST = ["np.inf", "0.0", "-1", "1e3", "x[0]", "s", "-np.inf"]
CHANGES = ["best, k = d, j", "best = d", "k = j; best = d", "best, k, t = d, j, t + 1", "t += 1",
           "k = j", "best = (best + d) / 2", "best, k, t = d, i, x[j]"]
UNUSUAL = [np.nan, np.inf, -0.0, 1e308, 5e-324, 1e-200]


def number(r: Random, depth: int) -> str:
    if depth == 0:
        return r.choice(ELEMENTS)
    a, b = number(r, depth - 1), number(r, depth - 1)
    return r.choice([
        a, f"({a} {r.choice('+-*/')} {b})",
        f"({a} - {b}) ** {r.choice([2, 2, 3, 4, 0.5, -1, 1.5])}",
        f"({a}) ** 2 + ({b}) ** 2", f"abs({a})", f"np.sqrt({a})",
        f"(({a} - {b}) ** 2 + ({b} - s) ** 2) ** 0.5", f"{a} * {r.choice([2, 0.5, -1.0])}"])


def source(r: Random) -> str:
    """Writes `f(x, y, z, a, m, n, s)`: rows, a table of pairs, a mask, and numbers."""
    sign = r.choice(["<", "<=", ">", ">="])
    test = r.choice([
        f"d {sign} best", f"d {sign} best", f"best {sign} d", f"m[j] and d {sign} best",
        f"not m[j] and x[j] {sign} best", f"d {sign} best and j != i", "d == best",
        f"d {sign} {r.choice(['0.5', '0', 's'])}", f"d != d or d {sign} best",
        f"d {sign} best or m[j]"])
    unused = r.choice(["pass", "pass", "w = d * 1e200", "t = t + 0", "w = x[j] / y[j]"])
    return f"""import numpy as np
def f(x, y, z, a, m, n, s):
    k, t, w = -1, 0, 0.0
    best = {r.choice(FIRST)}
    for i in range({r.choice([1, 2, 3])}):
        for j in range({r.choice(RANGES)}):
            d = {number(r, r.randint(0, 2))}
            {unused}
            if {test}:
                {r.choice(CHANGES)}
        {r.choice(['pass', 'best = best * 2 if best < 100 else best', 's = s + 0.25'])}
    return best, k, t, i
"""


def filled(r: np.random.Generator, shape: Any, turn: int) -> Any:
    dtype = np.dtype(str(r.choice(["f8", "f8", "f8", "f4", "i8", "i4", "u1"])))
    if dtype.kind != "f":
        return r.integers(0, 9, shape).astype(dtype)
    made = (r.normal(size=shape) * 3).astype(dtype)
    way = int(r.integers(0, 4))
    made = [made, np.round(made), np.sort(made, axis=0), np.sort(made, axis=0)[::-1].copy()][way]
    if turn % 3 == 2:
        with np.errstate(all="ignore"):
            made.reshape(-1)[r.integers(0, made.size, 2)] = r.choice(UNUSUAL, 2).astype(dtype)
    if turn % 4 == 3:
        made[...] = made.reshape(-1)[0]
    return made


def arguments(seed: int, turn: int) -> tuple[Any, ...]:
    r = np.random.default_rng(1000 * seed + turn)
    n = int(r.choice([1, 8, 33, 40, 47, 67, 130]))
    x, y, z, a = (filled(r, shape, turn) for shape in (n, n, n, (n, 2)))
    if turn % 5 == 4:
        x = np.repeat(x, 2)[::2]
    s = float(r.choice([0.5, -1.0, 2.0]))
    return x, y, z, a, r.random(n) < 0.5, n, [s, np.float64(s), 1][turn % 3]


@pytest.mark.parametrize("seed", SEEDS)
def test_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    text = source(Random(seed))
    plain = load(text, f"<search {seed}>")
    native = ag.function(plain, jit_compile=True, strict=True)
    interpreted = ag.function(plain, executor="interpreter")
    for turn in range(8):
        expected = seen(plain, arguments(seed, turn)).describe()
        for _ in range(2):
            found = seen(native, arguments(seed, turn)).describe()
            if found != expected:
                assert found == seen(interpreted, arguments(seed, turn)).describe(), text
