"""Functions with effects that become values: homes of the effect x ways to become a value.

A call of such a value has the effects of the function, or the program is refused. In half of the
programs a key that only the run knows makes all containers objects of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.corpus.state.small_programs import Small

HOMES = {
    "variable": "nonlocal c\n        c = (c + k) % 7",
    "list": "q.append(k)",
    "array": "z[0] += k",
    "attribute": "o.n += k",
    "argument": "p.append(k)",
    "global variable": "global GN\n        GN = (GN + k) % 7",
    "global list": "GL.append(k)",
    "global attribute": "GO.n += k",
    "default": "seen.append(k)\n        c0[0] = len(seen)",
}
"""The first statements of `act(k)`."""

WAYS = {
    "list": "[act, rest][i](3)",
    "list of a variable": "fs = [rest, act]\n    if x > 1: fs[i](3)",
    "dict": "{0: act, 1: rest}[i](3)",
    "get": "{0: act}.get(i, rest)(3)",
    "appended": "fs = []\n    fs.append(rest)\n    if x > 1: fs.append(act)\n    fs[-1](3)",
    "deque": "deque([act, rest])[i](3)",
    "nested list": "[[act, rest], [rest, act]][i][0](3)",
    "pair in a list": "[(act, 1), (rest, 2)][i][0](3)",
    "slice": "for g in [act, rest][i:]: g(3)",
    "partial": "[partial(act), rest][i](3)",
    "partial of an argument": "[partial(act, 3), partial(rest, 3)][i]()",
    "method": "[m.act, m.rest][i](3)",
    "lambda": "[lambda k: act(k), rest][i](3)",
    "default of a lambda": "(lambda k, g=act: g(k))(3 if i else 2)",
    "swap in a loop": "g, h = act, rest\n    for _ in range(i): g, h = h, g\n    g(3)",
    "choice": "(act if i else rest)(3)",
    "attribute": "u = Box(act)\n    if x > 1: u.run(3)",
    "attribute that is set": "u = Box(rest)\n    if x > 1: u.run = act\n    u.run(3)",
    "objects in a list": "[Box(act), Box(rest)][i].run(3)",
    "objects that are swapped":
        "u, v = Box(act), Box(rest)\n    for _ in range(i): u, v = v, u\n    u.run(3)",
    "data class": "[Pair(act, 1), Pair(rest, 2)][i].first(3)",
    "vectorize": "t = np.vectorize(act, otypes=[float])(y)",
    "vectorize sometimes": "if x > 1: t = np.vectorize(act, otypes=[float])(y + x)",
    "vectorize in a list": "g = [np.vectorize(act, otypes=[float])]\n    if x > 1: g[0](y)",
    "map": "t = list(map(act, [1, i]))",
    "key": "t = sorted([1, i, 2], key=act)",
    "reduce": "t = reduce(lambda s, k: s + act(k), [1, i], 0)",
    "default factory": "t = defaultdict(lambda: act(3))\n    if x > 1: t[i]",
    "apply_along_axis": "t = np.apply_along_axis(lambda r: act(r[0]), 0, y + x)",
}

MODULE = """
from dataclasses import dataclass
GN = 0
GL = [0]
class Thing:
    def __init__(self, n): self.n = n
GO = Thing(1)
class Box:
    def __init__(self, run): self.run = run
@dataclass
class Pair:
    first: object
    second: object
def make(): return ([0],)
def kept(): return GN, GL, GO.n
CALLS = (0.0, 2.0, 5.0)
"""

FUNCTION = """
def f(x, p):
    c, q, z, o, y, t, c0 = 1, [1], np.zeros(2), Thing(2), np.arange(3.0), 0, [0]
    i = int(x) % 2
    {begin}
    def act(k, seen=[0]):
        {effect}
        return k + 1
    def rest(k): return k
    class M:
        def act(self, k): return act(k)
        def rest(self, k): return k
    m = M()
    {way}
    {end}
    return c, q, z, o.n, t, c0, p
"""

BEGIN = {
    "": "",
    "objects": "keys = {}\n    keys.update(zip([x], [1]))",
}
"""What makes all containers of the function objects of the graph."""


def programs() -> Iterator[Small]:
    """All programs: a call under a symbolic condition, so that its effects are the run's."""
    for begin_name, begin in BEGIN.items():
        for home, effect in HOMES.items():
            for way, text in WAYS.items():
                guarded = "if x > -1:\n        " + text.replace("\n", "\n    ")
                yield Small(f"{way}, {home}{', ' * bool(begin) + begin_name}", MODULE + (
                    FUNCTION.format(begin=begin, effect=effect, way=guarded, end="")))
