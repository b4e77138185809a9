"""Makes random programs that put values of every kind that only the run knows into every place:
what stands for such a value in a trace must not be seen anywhere."""

from __future__ import annotations

import re
from random import Random
from textwrap import indent

from tests.random.value_kinds import KINDS, PLACES

PRELUDE = '''
import copy, datetime, enum, functools, heapq, io, itertools, json, operator, types
from collections import ChainMap, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
import numpy as np

CALLS = ((0.0, 3), (2.0, 1), (5.0, 2))

class Fault(Exception):
    def __init__(self, held):
        super().__init__("fault", held)
        self.held = held

class Thing:
    fees = 0
    def __init__(self, n):
        self.n = n
    def get(self, k=0):
        return self.n + k
    @property
    def twice(self):
        return self.n * 2

class Other(Thing):
    def get(self, k=1):
        return self.n - k

class Color(enum.Enum):
    RED = 0
    BLUE = 1

class Scope:
    def __init__(self, v):
        self.v = v
    def __enter__(self):
        return self.v
    def __exit__(self, *error):
        return False

@dataclass
class Data:
    n: object
    more: list = field(default_factory=list)

@dataclass(frozen=True)
class Frozen:
    n: object
    more: tuple = ()

Row = namedtuple("Row", "one two")
G = {}

def double(v=1): return v * 2
def half(v=1): return v / 2

@functools.lru_cache
def cached(v): return 1, v

def f(a, b, x, y, p, q, d, s, q2, u, w, m, out):
    r, h = [], []
'''

END = '''
    return r

def make():
    p, u, x = [3, 1], Thing(2), np.arange(4.0)
    return (x, np.ones(4), p, [7], {"a": 1}, {1, 2}, deque([1]), u, OTHER, [[1], [2, 3]],
            io.StringIO())

def kept():
    return dict(G)
'''

FRAMES = (
    "{}", "{}", "if a < 4:\n{}", "if a > 1:\n{}else:\n    r.append('else')\n",
    "for i9 in range(int(b)):\n{}", "for i9 in (1, 2):\n{}",
    "while len(r) < b:\n{}    r.append(0)\n",
    "try:\n{}except (TypeError, AttributeError) as e:\n    r.append(type(e).__name__)\n",
    "def do():\n{}    return 1\nif a > 1: do()\nr.append(do())\n",
    "def do():\n{}[do, len][0]()\n", "with Scope(1):\n{}",
    "try:\n{}finally:\n    r.append('end')\n")


class KindProgram:
    """One random program; every choice comes from `random`.

    free  is not asked: what is outside is a dict, changed where the graph decides.
    """

    def __init__(self, random: Random, free: bool = False) -> None:
        self.random, self.free = random, free
        self.count = 0

    def source(self) -> str:
        """A module with `f(a, b, …)`, `make()` for its other arguments, and `kept()`."""
        before, value = KINDS[self.random.choice(list(KINDS))]
        if self.random.random() < 0.3:
            before = self.framed(before + "\n", "if a > 1:\n{}") if before and (
                "g1" not in before) else before
        body = before + "\n" if before else ""
        for _ in range(self.random.choice((1, 1, 2, 3))):
            body += self.framed(self.place(value), self.random.choice(FRAMES))
        other = self.random.choice(("u", "Other(3)", "Thing(3)", "Other(2)"))
        return PRELUDE + indent(body, "    ") + END.replace("OTHER", other)

    def place(self, value: str) -> str:
        """A place with the value in it; one outside is where the graph decides."""
        self.count += 1
        text = self.random.choice(PLACES)
        text = re.sub(r"\bNEW\b", f"v{self.count}", text).replace("VALUE", value)
        if "G[" in text and not self.free:
            text = f"if a > 1: {text}"
        return text + "\n"

    def framed(self, text: str, frame: str) -> str:
        return frame.format(text if frame == "{}" else indent(text, "    "))
