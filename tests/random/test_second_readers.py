"""Iterators that two parts of a function read, one after the other: as plain Python.

    AUTOGRAPH_TESTS=90 python -m pytest -n 2 tests/random/test_second_readers.py
"""

from __future__ import annotations

import collections
import functools
import heapq
import itertools
import math
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
MODULES = {m.__name__: m for m in (collections, functools, heapq, itertools, math)}
Y = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
SOURCES = [
    "map(lambda q: q*2, L)",
    "(q*2 for q in L)",
    "(q*x for q in L)",
    "filter(lambda q: q%3, L)",
    "filter(lambda q: q>x, L)",
    "zip(L,L[1:])",
    "enumerate(L)",
    "iter(L)",
    "reversed(L)",
    "gen()",
    "gen3(x)",
    "itertools.chain(L,[x,2])",
    "itertools.islice(gen(),9)",
    "itertools.accumulate(L)",
    "iter(y)",
    "(v*2 for v in y)",
    "map(abs,y)",
    "enumerate(y)",
    "zip(y,L)",
    "iter({1:2.,5:x,7:1.}.items())",
    "itertools.takewhile(lambda q:q<8,L)",
    "itertools.pairwise(L)",
    "iter(range(12))",
    "map(lambda a,b:a+b,L,y)",
    "(q for q in range(int(x)+9))",
    "itertools.product([1,2,3],[4,5])",
    "itertools.groupby(L, key=lambda q:q>4)",
    "gen4(y)",
    "itertools.count(1)",
    "itertools.starmap(pow,[(2,3),(3,2),(1,1),(4,2)])",
    "itertools.zip_longest(L,y)",
    "itertools.compress(L,[1,0]*7)",
    "itertools.dropwhile(lambda q:q<x,L)",
]
FIRST = [
    "for v in it:\n        if n(v) > x: break\n        t += n(v)",
    "t += n(next(it))",
    "t += n(next(it)) + n(next(it))",
    "t += any(n(v) > x for v in it)",
    "t += all(n(v) < x for v in it)",
    "t += sum(n(v) for v in itertools.islice(it, 3))",
    "for v, k in zip(it, range(2)): t += n(v)",
    "for k, v in zip(range(2), it): t += n(v)",
    "if x > 2: t += n(next(it))",
    "for v in itertools.takewhile(lambda q: n(q) < x, it): t += n(v)",
    "for v in it:\n        t += n(v)\n        if t > 6: break",
    "t += next((n(v) for v in it if n(v) > x), -1)",
    "for k in range(int(x)): t += n(next(it, 0))",
    "pass",
]
SECOND = [
    "t += n(next(it, 5))*100",
    "t += sum(n(v) for v in itertools.islice(it,20))*10",
    "for v in it:\n        t += n(v)*10\n        if t > 500: break",
    "out=[n(v) for v in itertools.islice(it,20)]",
    "out = list(zip(range(3), (n(v) for v in it)))",
    "out = [n(v) for v, _ in zip(it, range(4))]",
    "t += max((n(v) for v in itertools.islice(it,20)), default=-7)",
    "if x > 3:\n        t += n(next(it, 9))\n    t += n(next(it, 11))*3",
    "out = [*itertools.islice(it, 9)], [*itertools.islice(it, 9)]",
    "out = collections.deque(itertools.islice(it, 30), 4)",
    "out = collections.Counter(map(n, itertools.islice(it, 30)))",
    "out = []\n    out.extend(zip(it, range(9)))",
    "a, b, *_ = itertools.islice(it, 20); out=[n(a),n(b)]",
    "while t < 300:\n        q = next(it, None)\n        t += 99 if q is None else n(q) + 7",
]
WHOLE = ["[*it]", "(lambda *a: a)(*it)", "set(it)", "collections.deque(it, 3)", "math.fsum(it)",
         "heapq.nsmallest(3, it)", "functools.reduce(max, it)", "list(itertools.tee(it)[1])",
         "collections.Counter(it)"]
"""Python's own readers, to the end."""
ENDING = ["iter(L)", "reversed(L)", "itertools.chain(L, [1])", "itertools.accumulate(L)",
          "gen()", "map(abs, L)", "itertools.islice(L, 9)", "iter({v: v for v in L})"]
CASES = [*sample(product(SOURCES, FIRST, SECOND), 171),
         *((source, first, f"out = {read}") for source, first, read in sample(
             product(ENDING, FIRST[:1] + FIRST[8:9], WHOLE), 4))]
PROGRAM = """
def gen():
    for i in range(14):
        yield i * 3 % 7

def gen3(x):
    i = 0
    while i < x + 6:
        yield i
        i += 1

def gen4(y):
    for v in y:
        if v > 1.5:
            yield v

def n(v):
    v = v[0] if isinstance(v, tuple) else v
    return -1 if v is None else v

def f(x, y):
    t, out = 0, None
    it = SOURCE
    FIRST
    SECOND
    return t, out
"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("source", "first", "second"), CASES)
def test_as_plain(source: str, first: str, second: str, mode: str) -> None:
    text = PROGRAM.replace("SOURCE", source).replace("FIRST", first).replace("SECOND", second)
    scope = load(text, f"<{source}, {first}, {second}>")
    scope.update(np=np, L=L, **MODULES)
    plain: Any = scope["f"]
    traced = ag.function(plain, **MODES[mode])
    for x in (4.5, 1.0, 2.5):
        given = np.float64(x), Y
        assert run(traced, given).describe(False) == run(plain, given).describe(False), text
