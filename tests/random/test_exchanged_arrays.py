"""Loops that write arrays and exchange their names, as solvers do with two buffers: as plain
Python, at all lengths, also where the names stand for one array, or a view of it, at first.

    AUTOGRAPH_TESTS=50 python -m pytest -n 2 tests/random/test_exchanged_arrays.py
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.verdict import load
from tests.support.amount import seeds
from tests.support.outcome import run

STARTS = [
    "x, y, z", "x, x.copy(), z", "x, x, y", "x, x[:], z", "x, x[::-1], y",
    "x.copy(), y.copy(), np.zeros_like(x)", "x[1:], y[1:], z[1:]"]
WRITES = [
    "{p}[k % 4] = {q}[(k + 1) % 4] + i", "{p}[1:] = {q}[:-1] * 0.5", "{p} += {q}",
    "{p}[...] = {q} + {r}[0]", "{p} *= 0.5", "np.add({q}, {r}, out={p})",
    "for j in range(3): {p}[j] = {q}[j] + {p}[j + 1] * 0.5",
    "{p}[0] += 1.0 if {q}[1] > 2.0 else 0.25", "{p} = {q} + 1.0", "t = t + {p}[2]",
    "v = {p}[1:3]; v += i", "if {q}[0] > t: {p}[0] = t"]
EXCHANGES = [
    "a, b = b, a", "a, b, c = b, c, a", "a, b, c = c, a, b", "a, c = c, a",
    "w = a; a = b; b = w", "a, b = b, a; b, c = c, b", "if {q}[0] > 1.0: a, b = b, a", "a = b",
    "a, b = b, a.copy()", "pass", "if i % 3 == 1: a, b = b, a"]
RANGES = ["range({n})", "range({n}, 0, -1)", "range(5, 5 + 3 * {n}, 3)", "range(n)"]
ENDS = ["return a, b, c, t", "a[0] = 7.0; return x, y, z, t", "b += 1.0; return a, t",
        "return a is x, b is y, a, b"]


def program(seed: int) -> str:
    random = Random(seed)
    pick = random.choice

    def write() -> str:
        p, q, r = (pick("abc") for _ in range(3))
        return pick(WRITES).format(p=p, q=q, r=r)

    n = pick([0, 1, 2, 3, 9, 10, 11, 13])
    lines = ["def f(x, y, z, n):", f"    a, b, c = {pick(STARTS)}", "    t, k = 0.0, 1",
             "    w = a" if seed % 2 else "", f"    for i in {pick(RANGES).format(n=n)}:",
             "        k = i"]
    lines += [f"        {write()}" for _ in range(random.randrange(1, 4))]
    lines += [f"        {pick(EXCHANGES[:7] * 2 + EXCHANGES).format(q=pick('abc'))}"]
    lines += [f"        {write()}" for _ in range(random.randrange(2))]
    return "\n".join([*filter(None, lines), f"    {pick(ENDS)}"])


@pytest.mark.parametrize("seed", seeds(5))
def test_as_plain(seed: int) -> None:
    text = program(seed)
    plain = load("import numpy as np\n" + text + "\n", f"<exchanged {seed}>")["f"]
    for how in ({"jit_compile": bool(seed % 2) or None}, {}):
        traced = ag.function(plain, **how)
        for n in (5, np.int64(6)):
            given: Any = np.arange(6.0), np.arange(6.0) * 0.5 - 1, np.full(6, 0.25), n
            assert run(traced, given).describe(False) == run(plain, given).describe(False), text


SOLVER = """
def f(u, n):
    v = u.copy()
    for _ in range(n):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u, v = v, u
    return u
"""


@pytest.mark.parametrize("n", [20, 21])
def test_buffers_that_change_places_are_written_by_value(n: int) -> None:
    traced = ag.function(load(SOLVER, "<solver>")["f"])
    traced(np.arange(9.0), n)
    (made,) = traced.__ag_dispatcher__.traces.values()
    assert not made.graph.by_reference
