"""Programs with functions that a branch or a loop makes, with values of its own, and that are used
after it: each maker, kept in each home, in each frame, and used in each way."""

from __future__ import annotations

from itertools import product
from textwrap import indent

PRELUDE = '''
import operator
from collections import deque
from functools import partial, reduce
import numpy as np

class Adder:
    def __init__(self, v, log=None):
        self.v, self.calls, self.log = v, 0, log

    def add(self, n=1):
        self.calls += 1
        return self.v + n

    def __call__(self, n=1):
        self.v = self.v + n
        return self.v

def made(n):
    total = n
    def add(v=1):
        nonlocal total
        total += v
        return total
    return add

def pair(n):
    total = n
    def add(v=1):
        nonlocal total
        total += v
        return total
    def get(_=0):
        return total
    return add, get

def around(f, log):
    def called(v=1):
        log.append(v)
        return f(v)
    return called

class Space:
    def __init__(self):
        self.log, self.fs, self.by, self.f = [], [], {}, None
        self.y = np.ones(3)

def f(a, b, x, s):
    r, fs, by, kept = [], [], {}, None
    ten, y = a * 10, s.y
    def older(n=1): return n + ten
BODY
    s.fs.clear()
    s.by.clear()
    return r

def make():
    return np.arange(1.0, 5.0), Space()

def kept():
    return None

CALLS = ((0.0, 3), (5.0, 1), (2.0, 2), (7.0, 0))
'''

MAKERS = {
    "default": "lambda n=1, v=v: v + n",
    "two values": "lambda n=1, v=v, w=v * 2: (v, w, n)[int(n) % 3]",
    "outer": "lambda n=1, v=v: v + n + ten",
    "older": "older",
    "variable": "made(v)",
    "pair": "pair(v)[0]",
    "reader": "pair(v)[1]",
    "partial": "partial(operator.add, v)",
    "partial of made": "partial(made(v), 2)",
    "method": "Adder(v).add",
    "object": "Adder(v).__call__",
    "around": "around(made(v), s.log)",
    "chain": "lambda n=1, v=v, g=kept: (g(n) if g else 0) + v",
    "log": "lambda n=1, v=v: s.log.append(v) or n",
    "array": "lambda n=1, v=v: float(y[0]) + v + n",
    "writes": "lambda n=1, v=v: operator.setitem(y, 0, v) or n",
    "list": "lambda n=1, l=[v]: l.append(n) or len(l)",
    "list outside": "lambda n=1, v=v: len(r) + v + n",
    "inner": "(lambda k: lambda n=1: k * 2 + n)(v)",
}

HOMES = {
    "list": ("fs.append(F)", "fs"),
    "list of s": ("s.fs.append(F)", "s.fs"),
    "dict": ("by[int(v) % 2] = F", "by.values()"),
    "dict of s": ("s.by[int(v) % 2] = F", "s.by.values()"),
    "attribute": ("s.f = F", "([s.f] if s.f else [])"),
    "variable": ("kept = F", "([kept] if kept else [])"),
    "both": ("kept = F\nfs.append(kept)\ns.f = kept", "[*fs, kept or abs, s.f or abs]"),
    "tuple": ("fs.append((v, F))", "[g for _, g in fs]"),
}

FRAMES = {
    "slice": "for v in x[:int(b)]:\n    KEEP\n",
    "while": "i = 0\nwhile i < b:\n    v = x[i]\n    i += 1\n    KEEP\n",
    "branch": "v = x[1]\nif a > 1:\n    v = a * 2\n    KEEP\n",
    "either": "if a > 1:\n    v = a * 2\n    KEEP\nelse:\n    v = b + 1\n    KEEP\n",
    "in loop": "for v in x[:int(b)]:\n    if v > a:\n        KEEP\n",
    "break": "for v in x:\n    KEEP\n    if v > a: break\n",
    "nested": "for u in x[:int(b)]:\n    for v in (u, u + 1):\n        KEEP\n",
}

USES = {
    "each": "for g in FS: r.append(g(2))\n",
    "twice": "r.append([g() for g in FS])\nr.append([g(3) for g in FS])\n",
    "branch": "if b > 1:\n    for g in FS: r.append(g(a))\n",
    "later": "y[0] = 7\nten = 5\nr.append([g(1) for g in FS])\nr.append(y)\n",
    "map": "r.append(list(map(lambda g: g(b), FS)))\nr.append(len(s.log))\n",
    "last": "r.append(reduce(lambda n, g: g(n), FS, a))\n",
    "none": "r.append(len(list(FS)))\n",
}

PROGRAMS = list(product(MAKERS, HOMES, FRAMES, USES))


def source(maker: str, home: str, frame: str, use: str) -> str:
    """The module of a program."""
    keep, found = HOMES[home]
    lines = keep.replace("F", MAKERS[maker]).split("\n")
    frames = FRAMES[frame].split("\n")
    body = "\n".join(indent("\n".join(lines), line[:len(line) - len(line.lstrip())])
                     if line.strip() == "KEEP" else line for line in frames)
    return PRELUDE.replace("BODY", indent(body + USES[use].replace("FS", found), "    "))
