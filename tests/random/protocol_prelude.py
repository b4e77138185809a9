"""What the programs of `protocol_programs` begin with, and how their arguments are made."""

PRELUDE = '''
import bisect, contextlib, heapq
from collections import Counter, OrderedDict, defaultdict, deque
import numpy as np

class Prop:
    total = 0
    made = []

    def __init__(self, v):
        self._v, self.seen = v, 0

    @property
    def v(self):
        self.seen += 1
        return self._v

    @v.setter
    def v(self, new):
        self._v = new
        self.seen += 10

    @classmethod
    def note(cls, k):
        cls.total += k
        return cls.total

    def __iadd__(self, k):
        self._v = self._v + k
        return self

    def __call__(self, k):
        self.seen += k
        return self._v * k

    def __len__(self):
        return self.seen % 3

    def __bool__(self):
        self.seen += 1
        return self.seen % 2 == 0

class Slot:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a, self.b = a, []

class Check:
    def __init__(self):
        self.__dict__["sets"] = 0
        self.k = 1

    def __setattr__(self, name, x):
        self.__dict__["sets"] += 1
        self.__dict__[name] = x

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return len(name)

class Desc:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, o, cls):
        return o.__dict__.get(self.name, 0) if o is not None else self

    def __set__(self, o, x):
        o.__dict__[self.name] = x
        o.__dict__["n"] = o.__dict__.get("n", 0) + 1

class Owner:
    d = Desc()

@contextlib.contextmanager
def scope(log, k):
    log.append(k)
    try:
        yield log
    except KeyError as e:
        log.append(e.args[0])
    finally:
        log.append(-k)

class Manager:
    def __init__(self, log, eats):
        self.log, self.eats = log, eats

    def __enter__(self):
        self.log.append(7)
        return self

    def __exit__(self, kind, e, tb):
        self.log.append(len(kind.__name__) if kind else 8)
        return self.eats and kind is ValueError

def acc(n, out=None):
    if out is None:
        out = []
    if n <= 0:
        return out
    out.append(n)
    return acc(n - 1, out)

def memo(k, seen=[]):
    seen.append(k)
    return len(seen)

def gen(log, n):
    got = 0
    try:
        for i in range(n):
            r = yield i + got
            if r is not None:
                got += r
    finally:
        log.append(-1)

def depth(x, k, log):
    if k == 0 or x > 50:
        log.append(k)
        return x
    return depth(x * 2, k - 1, log) + 1

def risky(v, log):
    if v > 2:
        raise ValueError(v)
    log.append(6)
    return v

def f(x, m, n, p, p2, sl, ck, ow, l, nest, dq, dd, cn, od, h, h2, st, a, b2):
    al = nest['q']
    s, k, w = 0, 1, 0

    def bump(by=1, kept=[0]):
        nonlocal s
        kept[0] += by
        s = s + kept[0]
'''
"""The classes and functions, and how the function begins: `al` is often the list `l`."""

END = '''
    return s, l, al, w, a.sum()

COUNT = [0]

def make():
    COUNT[0] += 1
    q, a = [1, 2.5], np.array([1., 2., 3.])
    return (1 + COUNT[0] % 2, Prop(1), Prop(2.), Slot(1.5), Check(), Owner(),
            q if COUNT[0] % 2 else [3, 1], {"q": q, "o": 1}, deque([1, 2]), defaultdict(list),
            Counter([1, 1, 2]), OrderedDict(a=1, b=2), [1, 4], [1, 2, 3], {1, 2}, a, a[1:])

def kept():
    return Prop.total, Prop.made, memo.__defaults__
'''
