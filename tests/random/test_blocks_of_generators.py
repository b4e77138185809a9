"""Generators that wait within a `try` or `with` when the function ends, or when an exception of the
run leaves it: their blocks end as in plain Python, or the program is refused.

    AUTOGRAPH_TESTS=400 python -m pytest -n 2 tests/random/test_blocks_of_generators.py
"""

from __future__ import annotations

import itertools
from itertools import product
from textwrap import indent
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import REFUSALS, load
from tests.support.amount import sample

GENERATORS = [
    """\
def gen(log, y):
    try:
        for v in y:
            yield v
    finally:
        log.append("end")
""",
    """\
def gen(log, y):
    with M(log):
        for i in range(len(y)):
            yield y[i]
""",
    """\
def gen(log, y):
    try:
        for v in y:
            log.append(1)
            yield v
    except GeneratorExit:
        log.append("exit")
        raise
""",
    """\
def inner(log, y):
    try:
        yield from y
    finally:
        log.append(len(log))
def gen(log, y):
    yield 0.5
    yield from inner(log, y)
    yield 7.0
""",
    """\
def gen(log, y):
    k = 0
    try:
        while k < 3:
            try:
                yield k
            finally:
                log.append(k)
            k += 1
    finally:
        log.append("last")
""",
    """\
def gen(log, y):
    try:
        for v in y:
            if v > 1.5:
                yield v
    finally:
        log.append("cond")
""",
    """\
def gen(log, y):
    try:
        for v in y:
            yield v
    finally:
        if y[0] > 0:
            log.append("pos")
        else:
            log.append("neg")
""",
    """\
class It:
    def __init__(self, log, y): self.log, self.y, self.k = log, y, 0
    def __iter__(self):
        try:
            while self.k < len(self.y):
                self.k += 1
                yield self.y[self.k - 1]
        finally:
            self.log.append(self.k)
def gen(log, y):
    return iter(It(log, y))
""",
    """\
import contextlib
@contextlib.contextmanager
def cm(log):
    log.append("cin")
    try:
        yield
    finally:
        log.append("cout")
def gen(log, y):
    with cm(log):
        for v in y:
            yield v * 2
""",
    """\
def gen(log, y):
    for v in y:
        try:
            yield v
        except ValueError:
            log.append("never")
        else:
            log.append("else")
        finally:
            log.append("each")
""",
]
USES = [
    """\
for v in gen(log, y):
    t += v
    RAISES
""",
    """\
g = gen(log, y)
t += next(g)
RAISES
t += next(g)
""",
    """\
for i, v in enumerate(gen(log, y)):
    t += v * i
    if t > 3: break
    RAISES
""",
    """\
for v, w in zip(gen(log, y), gen(log, y)):
    t += v * w
    RAISES
""",
    "t += helper(gen(log, y), x, table, y)",
    """\
for v in gen(log, y):
    for w in gen(log, y):
        t += w
        RAISES
    t += v
""",
    """\
g = gen(log, y)
for v in g:
    t += v
    if x > 2: break
RAISES
log.append(list(itertools.islice(g, 2)))
g.close()
""",
    """\
t += sum(v for v in gen(log, y) if v < 100)
RAISES
""",
    """\
k = 0
g = gen(log, y)
while k < x:
    k += 1
    t += next(g)
    RAISES
del g
""",
    """\
for v in itertools.chain(gen(log, y), gen(log, y[:2])):
    t += v
    RAISES
""",
    """\
for v in map(lambda q: q * 2, gen(log, y)):
    t += v
    RAISES
""",
    """\
for v in (q + 1 for q in gen(log, y) if q > .6):
    t += v
    RAISES
""",
    """\
t += sum([table[int(v * 0 + x)] if x > 4 else v for v in gen(log, y)])
RAISES
""",
    """\
t += sum(table[int(v * 0 + x)] if x > 4 else v for v in gen(log, y))
RAISES
""",
    """\
for v in itertools.islice(gen(log, y), 2):
    t += v
RAISES
""",
    """\
a, *rest = gen(log, y)
t += a + len(rest)
RAISES
""",
    """\
g = gen(log, y)
if x > 2:
    t += next(g)
RAISES
t += sum(g)
""",
    """\
t += next(gen(log, y))
RAISES
""",
    """\
while any(v > x for v in gen(log, y)):
    t += 1
    x = x + 1
RAISES
""",
    """\
for v in gen(log, y):
    if v > x:
        t += v
        continue
    RAISES
    t -= v
else:
    log.append("else")
""",
]
RAISES = [
    "t += table[int(x)]",
    "if x > 3: raise ValueError(7)",
    "t += y[int(x)]",
    "t += 5 // int(x)",
    "if x > 3: raise Mine(log, x)",
    "log.append(int(x)); t += table[int(x)]",
    "assert x < 4, 'big'",
    "t += helper2(x, table)",
]
WRAPPED = [
    "BODY",
    """\
try:
    BODY
except (KeyError, ValueError) as e:
    log.append(type(e).__name__)
""",
    """\
try:
    BODY
finally:
    log.append("f")
""",
    """\
with M(log):
    BODY
log.append("after")
""",
]
PRELUDE = """
class M:
    def __init__(self, log): self.log = log
    def __enter__(self): self.log.append("in")
    def __exit__(self, *e): self.log.append("out" if e[0] is None else e[0].__name__)
class Mine(Exception):
    def __init__(self, log, x): super().__init__(x); log.append("made")
def helper(g, x, table, y):
    t = 0.0
    log = []
    for v in g:
        t += v
        RAISES
    return t
def helper2(x, table):
    return table[int(x)]

"""
CASES = sample(product(GENERATORS, USES, RAISES, WRAPPED), 397)
TABLE = {1: 1.0, 2: 2.0, 3: 0.5}


def source(generator: str, use: str, raises: str, wrapped: str) -> str:
    depth = wrapped.split("BODY")[0].count("    ")
    body = indent(use.replace("RAISES", raises), "    " * depth).lstrip()
    main = "t = 0.0\n" + wrapped.replace("BODY", body) + "\nreturn t\n"
    return (PRELUDE.replace("RAISES", raises) + generator
            + "\n\ndef f(x, y, log, table):\n" + indent(main, "    "))


def outcome(f: Any, x: float, log: list[Any]) -> Any:
    try:
        return f(np.float64(x), np.array([1.0, 2, 3, 0.5]), log, TABLE)
    except REFUSALS:
        raise
    except Exception as error:
        return type(error), str(error).splitlines()[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("generator", "use", "raises", "wrapped"), CASES)
def test_as_plain(generator: str, use: str, raises: str, wrapped: str, mode: str) -> None:
    text = source(generator, use, raises, wrapped)
    scope = load(text, f"<{hash(text)}>")
    scope.update(np=np, itertools=itertools)
    plain: Any = scope["f"]
    traced = ag.function(plain, **MODES[mode])
    expected: list[Any] = []
    found: list[Any] = []
    for x in (1.0, 5.0, 2.0, 0.0):
        try:
            made = outcome(traced, x, found)
        except REFUSALS:
            return
        assert made == outcome(plain, x, expected), text
        assert found == expected, text
