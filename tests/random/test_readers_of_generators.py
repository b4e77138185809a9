"""Generator functions with effects and conditions of the run, read in every way: as plain Python,
or refused.

    AUTOGRAPH_TESTS=240 python -m pytest -n 2 tests/random/test_readers_of_generators.py
"""

from __future__ import annotations

import collections
import itertools
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import REFUSALS, load
from tests.support.amount import sample

EFFECTS = [
    "n += 1",
    "log.append(K)",
    "o.s += 1; o.l.append(K)",
    "d[K] = d.get(K, 0) + 1",
    "a[0] += 1",
    "log.append(K); n += 1; a[1] = n",
]
"""K tells apart where an effect stands."""
GENERATORS = [
    """\
for v in src:
    EFFECT
    if v > x: yield v
""",
    """\
for v in src:
    EFFECT
    yield v * x
""",
    """\
i = 0
while i < x + 2:
    EFFECT
    yield i * 1.0
    i += 1
""",
    """\
for v in src:
    EFFECT
    if v > x + 2: return 9
    yield v
""",
    """\
for v in src:
    yield v
    EFFECT
    if v < x: LATER
""",
    """\
EFFECT
if x > 2: yield 1.0
LATER
if x > 3: yield x
yield 3.0
EFFECT
""",
    """\
for v in src[:3]:
    EFFECT
    for w in src[:2]:
        if v * w > x: yield v + w
    LATER
""",
    """\
EFFECT
yield from (v for v in src if v > x)
LATER
yield 5.0
""",
    """\
for v in src:
    if v < 0: continue
    EFFECT
    if v == x: break
    yield v
else: LATER
""",
]
USES = [
    "r = next(IT, None)",
    "r = next(IT, None), next(IT, None)",
    "it = IT; r = next(it, 0), next(it, 0), next(it, 0)",
    "r = 0.\nfor v in IT:\n    if v > 3: break\n    r += v",
    "r = any(v > 3 for v in IT)",
    "r = all(v < 3 for v in IT)",
    "r = list(zip(IT, range(2)))",
    "r = list(zip(range(2), IT))",
    "r = [i * v for i, v in enumerate(IT)]",
    "r = list(itertools.islice(IT, 2))",
    "r = list(itertools.takewhile(lambda v: v < 4, IT))",
    "r = list(IT)",
    "r = sum(IT)",
    "r = max(IT, default=-1)",
    "r = min(IT, default=-1)",
    "r = 3.0 in IT",
    "p, *q = itertools.chain(IT, [0., 0.]); r = p, q",
    "r = (lambda *z: len(z))(*IT)",
    "r = {v: 1 for v in IT}",
    "r = sorted(IT)",
    "r = list(map(lambda v: v * 2, IT))",
    "r = list(filter(lambda v: v > 2, IT))",
    "r = list(itertools.zip_longest(IT, [1., 2.]))",
    "it = IT; r = [next(it, 0)] + list(it)",
    "it = IT; r = 0\nwhile (v := next(it, None)) is not None:\n    r += v\n    if r > 4: break",
    "r = list(itertools.accumulate(IT))",
    "r = [(float(k), len(list(g))) for k, g in itertools.groupby(IT, lambda v: v > 2)]",
    "r = collections.deque(IT, maxlen=2)",
    "r = np.array(list(IT))",
    "r = np.fromiter(IT, float)",
    "it = IT\nr = []\nfor v in it:\n    r.append(v)\n    if v > 2: break\nr.append(next(it, -1))",
    "r = len([v for v in IT if v > 1])",
    "r = tuple(IT)[:2]",
    "r = [*IT, *IT]",
    "r = next(v for v in itertools.chain(IT, [99.]) if v > 3)",
    "if x > 1: r = list(IT)\nelse: r = next(IT, 0)",
    "r = []\nfor k in range(int(x)):\n    r.append(next(IT, k))",
    "it = IT; r = []\nfor k in range(int(x)): r.append(next(it, k))",
    "r = 0\nfor v, w in zip(IT, IT):\n    if v > x + 2: break\n    r += w",
    "it = IT; r = list(zip(it, it))",
    "r = ''.join(str(int(v)) for v in IT)",
    "for r in IT: pass\nelse: log.append('else')",
    "r = sum(v for v in IT if v > 2)",
    "r = max((v for v in IT), key=lambda v: -v, default=0)",
    "it = IT; next(it, None); r = sum(it)",
    "r = [v for v in IT][::-1]",
    "r = dict(enumerate(IT))",
    "r = set(IT)",
    "r = list(reversed(list(IT)))",
    "a2, b2 = itertools.tee(IT); r = list(zip(a2, itertools.islice(b2, 1, None)))",
    "r = list(itertools.product(IT, [1, 2]))",
    "r = list(itertools.permutations(IT, 2))",
    "r = list(itertools.combinations(IT, 2))",
    "it = IT; r = list(zip(it, it, it))",
]
CASES = sample(itertools.product(EFFECTS, GENERATORS, USES), 239)
PROGRAM = """
class O:
    def __init__(self): self.s, self.l = 0, []
def f(x, a, log, d, o):
    n, r = 0, None
    src = [3.0, 1.0, 4.0, 1.5, -5.0, 9.0]
    def gen():
        nonlocal n
        GENERATOR
    USE
    return r, n
"""


def source(effect: str, generator: str, use: str) -> str:
    body = generator.rstrip("\n").replace("LATER", effect.replace("K", "'b'")).replace(
        "EFFECT", effect.replace("K", "'a'")).replace("\n", "\n        ")
    return PROGRAM.replace("GENERATOR", body).replace(
        "USE", use.rstrip("\n").replace("\n", "\n    ")).replace("IT", "gen()")


def outcome(f: Any, scope: dict[str, Any], x: float) -> str:
    given: Any = np.array([1.0, 2.0, 3.0]), [], {}, scope["O"]()
    try:
        made = f(np.float64(x), *given)
    except REFUSALS:
        raise
    except Exception as error:
        made = error.with_traceback(None)
    return Picture().of((made, given))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("effect", "generator", "use"), CASES)
def test_as_plain(effect: str, generator: str, use: str, mode: str) -> None:
    text = source(effect, generator, use)
    scope = load(text, f"<{hash(text)}>")
    scope.update(np=np, itertools=itertools, collections=collections)
    traced = ag.function(scope["f"], **MODES[mode])
    for x in (1.0, 3.0, 0.0, 4.5):
        try:
            found = outcome(traced, scope, x)
        except REFUSALS:
            return
        assert found == outcome(scope["f"], scope, x), text
