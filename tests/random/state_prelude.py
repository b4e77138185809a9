"""What random programs on Python's state begin with: classes, helpers, variables."""

from __future__ import annotations

PRELUDE = '''
from collections import deque
from dataclasses import dataclass, field
import numpy as np

class Thing:
    """A plain object."""
    total = 0

    def __init__(self, n):
        self.n, self.items, self.array = n, [n], np.zeros(2)

    @property
    def last(self):
        return self.items[-1] if self.items else 0

    @last.setter
    def last(self, v):
        self.items.append(v)

    def add(self, v):
        self.n = (self.n + v) % 7
        self.items.append(v)
        return self

    def __iadd__(self, v):
        self.n = (self.n + v) % 7
        return self

    def __len__(self):
        return len(self.items)

@dataclass
class Point:
    """A data class."""
    n: object
    items: list = field(default_factory=list)
    array: object = None

    def add(self, v):
        self.n, self.items = v, self.items + [v]
        return self

    last = property(lambda self: self.n)

class Slots:
    """An object without a `__dict__`."""
    __slots__ = ("n", "items", "array")

    def __init__(self, n):
        self.n, self.items, self.array = n, [], np.ones(2)

    def add(self, v):
        if v > 1:
            self.items.append(v)
        self.n = v
        return self

    @property
    def last(self):
        return len(self.items)

GL, GD, GA, GO, GN = [1, 2], {"a": 1, "b": 2}, np.arange(4.0), Thing(3), 0

def few(items):
    """Bounds what grows."""
    return len(items) < 9

def put(items, v):
    """Changes its argument, and returns it."""
    if len(items) < 9:
        items.append(v)
    return items

def fresh(items, v):
    """Returns a new list, or its argument."""
    return items + [v] if len(items) < 5 else items

def remember(v, seen=[0]):
    """Keeps in a default."""
    seen.append(v)
    del seen[:-3]
    return len(seen)

def scaled(v):
    """Reads state outside."""
    return v * (1 + GN % 3) + GD["a"] + Thing.total + len(GL)

def pairs(items):
    """A generator."""
    for k, v in enumerate(items):
        yield v
        if k > 4:
            return

def down(k, items):
    """A recursion that changes its argument."""
    if k <= 0:
        return 0
    put(items, k)
    return 1 + down(k - 1, items)
'''

LOCALS = {
    "h": "h = a + b",
    "c": "c = 1", "z": "z = x[1:]", "q": "q = [a, 2, 3]", "r": "r = p", "e": "e = {'a': b, 'b': 2}",
    "t": "t = {1, 2}", "v": "v = deque([1, 2])", "w": "w = MADE(2)", "n": "n = [[1], q]",
}
"""Local variables, and how each begins."""

FUNCTIONS = {
    "bump": """
    def bump(k):
        nonlocal c
        c = (c + k) % 7
        return c
""",
    "push": """
    def push(k):
        put(q, k)
        return len(q)
""",
    "both": """
    def both(k):
        nonlocal q
        q = fresh(q, k)
        return len(q)
""",
    "steps": """
    def steps():
        for k in (1, 2, 3):
            q.append(k)
            yield k
        del q[4:]
""",
}
"""Inner functions."""

MAKE = '''
def make():
    base = np.arange(6.0)
    p = [3, 1, 2]
    return (base[:4], VIEW, p, {"a": 1, "b": 5}, {3, 4}, deque([7, 8]), MADE(1), [[1, 2], ROW])

def kept():
    return GL, GD, GA, GO, GN, remember.__defaults__, f.__defaults__, Thing.total
'''
