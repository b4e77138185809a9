"""Attributes that a class has or computes, set or read where the run decides: each kind, each use.
"""

from itertools import product

KINDS: dict[str, str] = {
    "const": """    v = 1.5""",
    "list": """    v = [1.0]""",
    "cached": """    @cached_property
    def v(self):
        self.k += 1
        return self.k * 2""",
    "cachedlog": """    @cached_property
    def v(self):
        LOG.append(self.k)
        return self.k + len(self.d)""",
    "cachedlist": """    @cached_property
    def v(self):
        return [self.k, *self.d]""",
    "getattr": """    def __getattr__(self, n):
        if n != 'v': raise AttributeError(n)
        LOG.append(n)
        return self.k + 1""",
    "getattrset": """    def __getattr__(self, n):
        if n != 'v': raise AttributeError(n)
        self.v = r = self.k * 3
        return r""",
    "descr": """    v = Lazy()""",
    "classset": """    v = None
    def up(self):
        type(self).v = self.k""",
    "method": """    def v(self): return self.k""",
}
"""What the class has; the attribute is `v`."""

USES: dict[str, str] = {
    "readb": """    if a > 1: r = num(q.v)
    else: r = 0.0
    return r, num(q.v)""",
    "setb": """    if a > 1: q.v = a
    return num(p.v), num(q.v)""",
    "setread": """    if a > 1: q.v = a
    q.k += 1
    r = num(q.v)
    q.k += 1
    return r, num(q.v), num(p.v)""",
    "delb": """    q.v = a
    if b > 0: del q.v
    return num(q.v)""",
    "loop": """    for i in range(int(b) + 2):
        if a > i: q.v = a + i
        p.d.append(num(q.v))
    return num(p.v)""",
    "hasb": """    if a > 1: q.v = b
    return hasattr(q, 'v'), 'v' in vars(q), sorted(vars(q))""",
    "alias": """    o = p if a > 1 else q
    o.v = a
    return num(p.v), num(q.v)""",
    "either": """    if a > 1:
        p.v = b
        q.k = num(p.v)
    else:
        q.v = a
    return num(p.v), num(q.v), q.k""",
    "list": """    os = [p, q]
    for o in os:
        if a > o.k: o.v = a
    return [num(o.v) for o in os]""",
    "try": """    try:
        if a > 1: q.v = a
        if b < 0: raise KeyError(b)
        q.v = num(q.v) + 1
    except KeyError:
        p.v = num(q.v)
    return num(p.v), num(q.v)""",
}

TEXT = """
from functools import cached_property

LOG = []

class Lazy:
    def __get__(self, o, t=None):
        if o is None: return self
        LOG.append(o.k)
        return o.__dict__.setdefault("v", o.k + 7)

def num(x):
    return sum(x) if isinstance(x, list) else x() if callable(x) else -1.0 if x is None else x

class C:
    def __init__(self, k):
        self.k = k
        self.d = []
KIND

def make():
    return C(1.0), C(2.0)

def kept():
    v = C.__dict__.get("v")
    return list(LOG), v if isinstance(v, (int, float, list, type(None))) else None

def f(a, b, p, q):
USE
"""

PROGRAMS = list(product(KINDS, USES))


def source(kind: str, use: str) -> str:
    """A module with `f(a, b, p, q)`, what makes its arguments, and what it keeps."""
    return TEXT.replace("KIND", KINDS[kind]).replace("USE", USES[use])
