"""Programs that put a function with effects where only the run finds it, and call what they find:
kinds of functions, what they change, containers that keep them, ways to call them."""

from __future__ import annotations

from itertools import product

from tests.random.system_programs import verdict

__all__ = ["PROGRAMS", "source", "verdict"]

PRELUDE = '''
import heapq, operator
from collections import deque
from functools import partial
import numpy as np

TOTAL = 0

class Account:
    def __init__(self, other=None):
        self.sum, self.log, self.other, self.arr = 1.0, [], other, np.zeros(2)
        self.slot = {"k": 1}
    def add(self, v):
        self.sum += v
        return self.sum
    def note(self, v):
        self.log.append(v)
        return len(self.log)
    def pass_on(self, v):
        self.other.sum -= v
        self.other.log.append(v)
        return self.other.sum
    def write(self, v):
        self.arr[0] += v
        return self.arr[0]
    def put(self, v):
        self.slot["k"] = self.slot["k"] + v
        return self.slot["k"]
    def __call__(self, v):
        return self.add(v) + self.note(v)

class Tally:
    opened = 0
    def __init__(self, account):
        self.account = account
    def count(self, v):
        global TOTAL
        TOTAL += v
        return v
    def open(self, v):
        Tally.opened += 1
        return Tally.opened

class Holder:
    def __init__(self, account):
        self.account = account
    def __call__(self, v):
        self.account.sum += v
        return self.account.note(v)

G = Account()

def bump(o, v):
    o.sum += v
    return o.sum

def adds_to_global(v):
    G.sum += v
    return G.note(v)
'''

FUNCTIONS = {
    "sets": "O.add", "appends": "O.note", "passes on": "O.pass_on", "counts": "Tally(O).count",
    "of a class": "Tally(O).open", "writes": "O.write", "puts": "O.put", "called": "O",
    "holder": "Holder(O)", "lambda": "lambda v: O.add(v)",
    "lambda appends": "lambda v: O.log.append(v)",
    "lambda default": "lambda v, o=O: o.add(v)", "partial": "partial(bump, O)",
    "partial method": "partial(O.add, 2)", "builtin": "O.log.append",
    "setitem": "partial(operator.setitem, O.slot, 'k')", "global function": "adds_to_global",
    "setattr": "partial(setattr, O, 'sum')", "array": "partial(operator.setitem, O.arr, 1)",
    "pure": "lambda v: v + 1",
}
OWNERS = {"argument": "o", "other": "o.other", "global": "G", "made": "m", "shared": "s"}
KEEPERS = {
    "deque": ("k = deque()", "k.append(F)", "while k and n < 3:\n        g = k.popleft(){0}"),
    "heap": ("k = []", "heapq.heappush(k, (x + len(k), len(k), F))",
             "while k and k[0][0] < 9 and n < 3:\n        g = heapq.heappop(k)[2]{0}"),
    "dict": ("k = {}", "k[int(x)] = F", "for g in list(k.values()):{0}"),
    "list": ("k = [len]", "k.append(F)", "for g in k[1:]:{0}"),
    "by index": ("k = [lambda v: v, lambda v: -v]", "k[int(x) % 2] = F",
                 "for j in range(2):\n        g = k[j - int(x) % 2]{0}"),
    "attribute": ("o.hook = None", "o.hook = F",
                  "for _ in range(2):\n        g = o.hook or (lambda v: v){0}"),
}
WAYS = {
    "called": "\n        r.append(g(x))\n        n += 1",
    "in a branch": "\n        if x > 1: r.append(g(2))\n        n += 1",
    "in a handler": "\n        try:\n            r.append(g(x))\n"
                    "            if x == 2: raise ValueError\n"
                    "        except ValueError: r.append('v')\n        n += 1",
}
PLACES = {"straight": "    {0}\n", "branch": "    if x > 0:\n        {0}\n",
          "loop": "    for i in range(int(x) % 3):\n        {0}\n"}

PROGRAMS = list(product(FUNCTIONS, OWNERS, KEEPERS, WAYS, PLACES))


def source(function: str, owner: str, keeper: str, way: str, place: str) -> str:
    """A module with `f(a, b, o, s, out)`, as `verdict` wants it."""
    begin, keep, read = KEEPERS[keeper]
    keep = keep.replace("F", FUNCTIONS[function]).replace("O", OWNERS[owner])
    return "".join((
        PRELUDE, "\ndef f(x, b, o, s):\n    r, n, m = [], 0, Account(o)\n    ", begin, "\n",
        PLACES[place].format(keep), "    r.append((o.sum, len(o.log), G.sum, m.sum))\n    ",
        read.format(WAYS[way]), "\n    r.append((o.sum, o.other.sum, G.sum, m.sum, s.log[-1:], "
        "len(G.log), o.arr[0], o.slot['k']))\n    return r, m\n\n",
        "def make():\n    s = Account()\n    o = Account(s)\n    s.other = G\n    return o, s\n\n",
        "def kept():\n    return G, Tally.opened, TOTAL\n\n",
        "CALLS = ((0.0, 1), (2.0, 1), (5.0, 1), (2.0, 1), (1.0, 1), (4.0, 1))\n"))
