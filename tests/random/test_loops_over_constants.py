"""Loops over Python's containers and iterators that a symbolic test ends early, or that are very
long, which here all are: as plain Python.

    AUTOGRAPH_TESTS=100 python -m pytest -n 2 tests/random/test_loops_over_constants.py
"""

from __future__ import annotations

import enum
import itertools
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import load
from tests.support.amount import sample
from tests.support.outcome import run

L = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9]
Kind = enum.IntEnum("Kind", "a b c d e f g h i j k")
NAMES = {
    "np": np, "itertools": itertools, "L": L, "F": [v / 2 for v in L], "B": [v > 3 for v in L],
    "P": [(v, v + 0.5) for v in L], "D": {i: i * 0.5 for i in range(14)}, "NP": np.array(L) * 1.5,
    "MIXED": [1, 2.5, True, "a", None, 3] * 3, "LARGE": [2**70 + v for v in L],
    "KINDS": list(Kind),
}
SOURCES = [
    "L", "tuple(L)", "F", "'abcdefghijklmnopqrs'", "B", "P", "LARGE", "KINDS", "MIXED", "local",
    "D",
    "D.items()", "list(NP)", "NP", "range(30)", "sorted(L)", "reversed(L)", "iter(L)",
    "enumerate(L)", "zip(L, F)", "map(lambda q: q * 2, L)", "(q * 2 for q in L)",
    "filter(lambda q: q % 3, L)", "numbers()", "itertools.chain(L, F)", "itertools.accumulate(L)",
    "itertools.islice(numbers(), 15)"]
BODIES = [
    "if n(v) > x: break", "if n(v) > x: return t, v", "if n(v) > x: raise ValueError(v)",
    "if n(v) % 2 == 0: continue\n        if n(v) > x: break\n        d[v] = t",
    "if n(v) > x: break\n        t += table.get(n(v), -1)",
    "if n(v) > x: break\n        out.append((v, type(v).__name__))",
    "if n(v) > x: break\n        text += f'{v}'",
    "if n(v) > x: break\n        for k in range(int(n(v)) % 4): t += k",
    "if n(v) > x: break\n        y[int(n(v)) % 5] += y[0]",
    "if n(v) > x: break\n        local.append(1) if len(local) < 40 else None",
    "if n(v) > x: break\n        local[(int(n(v)) + 1) % len(local)] = 3",
    "if n(v) > x: break\n        w = v\n        v = 100",
    "if n(v) > x: break\n        t += n(next(it, 7)) if hasattr(it, '__next__') else 0",
    "t += n(next(it, 7)) * x if hasattr(it, '__next__') and t > x else x",
    "t = t * x", "if n(v) > x: t += 1", "t += x\n        w = v",
    "t += x\n        out.append((v, type(v).__name__))", "t += x\n        text += f'{v}'",
    "d[v] = t = t + x", "t += table.get(n(v), -1) * x", "y[int(n(v)) % 5] += x",
    "t += x\n        local.append(t) if len(local) < 40 else None",
    "local[(int(n(v)) + 1) % len(local)] = x", "t += x if n(v) else 0",
    "t += x\n        if type(v) is tuple: continue\n        w = v == 9",
    "for k in range(int(n(v)) % 4): t += k * x"]
ENDS = ["pass", "t += n(next(it, 7)) if hasattr(it, '__next__') else 0", "t += len(list(it))"]
PROGRAM = """
def numbers():
    for i in range(25):
        yield i * 3 % 17

def n(v):
    v = v[0] if isinstance(v, tuple) else v
    return ord(v) - 97 if isinstance(v, str) else 0 if v is None else v

def f(x, y):
    t, w, text, out, d = 0, None, "", [], {}
    table = {k: k * k for k in range(0, 60, 3)}
    local = [1, 4, 2, 8, 5, 7, 0, 3, 6, 9, 12, 11]
    it = SOURCE
    for v in it:
        BODY
        t += n(v)
    END
    return t, w, text, out, d, local
"""


def function_of(text: str, name: str) -> Any:
    scope = load(text, name)
    scope.update(NAMES)
    return scope["f"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("source", "body", "end"), sample(product(SOURCES, BODIES, ENDS), 31))
def test_as_plain(source: str, body: str, end: str, mode: str, monkeypatch: pytest.MonkeyPatch
                  ) -> None:
    monkeypatch.setattr(ag.UnrollingWarning, "LIMIT", 9)
    text = PROGRAM.replace("SOURCE", source).replace("BODY", body).replace("END", end)
    plain = function_of(text, f"<{source}, {body}, {end}>")
    traced = ag.function(plain, **MODES[mode])
    for x in (4.5, 1.0, -3.0, 100.0):
        given = np.float64(x), np.arange(5.0)
        assert run(traced, given).describe(False) == run(plain, given).describe(False), text


LONG = """
def numbers_of(x):
    try:
        yield from x
    finally:
        pass

def f(x):
    t = 0
    for v in SOURCE:
        t += 1 if x else 0
        TEST
    return t, v
"""


@pytest.mark.parametrize(("source", "test"), [
    *product(["L * 100", "enumerate(F * 100)", "zip(L * 100, 'ab' * 750)", "reversed(L * 100)",
              "[v + 1 for v in L * 100]", "dict(enumerate(F * 100)).items()"],
             ["if t > x: break", "pass"]),
    ("numbers_of(L * 100)", "if t > x: break")])
def test_a_long_table_is_one_loop(source: str, test: str) -> None:
    text = LONG.replace("SOURCE", source).replace("TEST", test)
    f = function_of(text, f"<a table: {source}, {test}>")
    traced = ag.function(f)
    assert traced(np.float64(700.0)) == f(np.float64(700.0))
    (graph,) = [c.graph for c in traced.__ag_dispatcher__.traces.values()]
    assert sum(1 for _ in graph.walk()) < 60
