"""What the programs of `special_programs` begin with: classes whose special methods have effects,
and what asks for them."""

PRELUDE = '''
import contextlib, functools, operator
from collections import UserList, deque
import numpy as np

CALLS = ((0.0, 3), (2.0, -1), (5.0, 2), (1.0, 4))
LOG = []

class Num:
    """A number that tells what it is asked for."""
    def __init__(self, v, log):
        self.v, self.log, self.n = v, log, 0
    def told(self, what):
        self.log.append(what)
        self.n += 1
    def value(self, x):
        return x.v if isinstance(x, Num) else x
    def __bool__(self):
        self.told("bool")
        return self.v > 1
    def __eq__(self, x):
        self.told("eq")
        return self.v == self.value(x)
    def __hash__(self):
        self.told("hash")
        return 7
    def __lt__(self, x):
        self.told("lt")
        return self.v < self.value(x)
    def __le__(self, x):
        self.told("le")
        return self.v <= self.value(x)
    def __gt__(self, x):
        self.told("gt")
        return self.v > self.value(x)
    def __add__(self, x):
        self.told("add")
        return Num(self.v + self.value(x), self.log)
    def __radd__(self, x):
        self.told("radd")
        return Num(x + self.v, self.log)
    def __iadd__(self, x):
        self.told("iadd")
        self.v += self.value(x)
        return self
    def __sub__(self, x):
        self.told("sub")
        return NotImplemented if x is None else self.v - self.value(x)
    def __rsub__(self, x):
        self.told("rsub")
        return x - self.v
    def __mul__(self, x):
        self.told("mul")
        return Num(self.v * self.value(x), self.log)
    def __neg__(self):
        self.told("neg")
        return -self.v
    def __abs__(self):
        self.told("abs")
        return abs(self.v)
    def __int__(self):
        self.told("int")
        return int(self.v)
    def __float__(self):
        self.told("float")
        return float(self.v)
    def __index__(self):
        self.told("index")
        return 1
    def __round__(self, n=None):
        self.told("round")
        return 2
    def __call__(self, k=1):
        self.told("call")
        return self.v + k
    def __repr__(self):
        self.told("repr")
        return "Num"
    def __str__(self):
        self.told("str")
        return "num"
    def __format__(self, spec):
        self.told("format" + spec)
        return "N"

class Box:
    """A container that tells what it is asked for."""
    def __init__(self, items, log):
        self.items, self.log, self.at = items, log, 0
    def __len__(self):
        self.log.append("len")
        return len(self.items)
    def __getitem__(self, k):
        self.log.append("get")
        return self.items[k]
    def __setitem__(self, k, v):
        self.log.append("set")
        self.items[k] = v
    def __delitem__(self, k):
        self.log.append("del")
        del self.items[k]
    def __contains__(self, v):
        self.log.append("in")
        return v in self.items
    def __iter__(self):
        self.log.append("iter")
        return iter(self.items)
    def __reversed__(self):
        self.log.append("reversed")
        return iter(self.items[::-1])
    def __ior__(self, v):
        self.log.append("ior")
        self.items.append(v)
        return self
    def __and__(self, v):
        self.log.append("and")
        return len(self.items) & int(v)
    def __enter__(self):
        self.log.append("enter")
        return self
    def __exit__(self, kind, error, tb):
        self.log.append("exit" if kind is None else kind.__name__)
        return self.at > 0

class Steps:
    """An iterator that tells of its steps."""
    def __init__(self, n, log):
        self.n, self.log = n, log
    def __iter__(self):
        self.log.append("iter")
        return self
    def __next__(self):
        self.log.append("next")
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n

class Old:
    """A sequence by `__getitem__` alone."""
    def __init__(self, n, log):
        self.n, self.log = n, log
    def __getitem__(self, k):
        self.log.append("item")
        if k >= self.n:
            raise IndexError(k)
        return k * 2

class Counted:
    """A descriptor that counts."""
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, o, cls=None):
        if o is None:
            return self
        o.log.append("descr get")
        return o.__dict__.get(self.name, 1)
    def __set__(self, o, v):
        o.log.append("descr set")
        o.__dict__[self.name] = v
    def __delete__(self, o):
        o.log.append("descr del")
        o.__dict__.pop(self.name, None)

class Att:
    """Computes attributes, and tells of those that are set."""
    d = Counted()
    kind = 2
    def __init__(self, log):
        object.__setattr__(self, "log", log)
        object.__setattr__(self, "w", 1)
    def __getattr__(self, name):
        if name.startswith("_") or name == "log":
            raise AttributeError(name)
        self.log.append("getattr " + name)
        return len(name)
    def __setattr__(self, name, v):
        self.log.append("setattr " + name)
        object.__setattr__(self, name, v)
    def __delattr__(self, name):
        self.log.append("delattr " + name)
        object.__delattr__(self, name)
    @property
    def p(self):
        self.log.append("property")
        return self.w + 1
    @p.setter
    def p(self, v):
        self.log.append("setter")
        object.__setattr__(self, "w", v)

class Spy:
    """Tells of every attribute that is read."""
    def __init__(self, log):
        self.log, self.z = log, 3
    def __getattribute__(self, name):
        log = object.__getattribute__(self, "log") if name != "log" else None
        if log is not None and name[:2] != "__":
            log.append("read " + name)
        return object.__getattribute__(self, name)
    def double(self):
        return self.z * 2

class Point:
    __match_args__ = ("x", "y")
    def __init__(self, x, y, log):
        self.x, self._y, self.log = x, y, log
    @property
    def y(self):
        self.log.append("y")
        return self._y

class Lazy(dict):
    """A dict that makes what is missing."""
    def __init__(self, log):
        super().__init__(a=1)
        self.log = log
    def __missing__(self, k):
        self.log.append("missing")
        self[k] = 5
        return 5

class Stack(list):
    def push(self, v):
        self.append(v)
        return self
    def __contains__(self, v):
        LOG.append("stack in")
        return list.__contains__(self, v)

def same(v):
    return v

def asked(v, n):
    if n > 1:
        return v
    return None
'''

END = '''
def make():
    log = []
    n, m = Num(1, log), Num(2.5, log)
    return (n, m, Box([1, 2, 3], log), Steps(3, log), Old(2, log), Att(log), Spy(log),
            Point(1, 2, log), Lazy(log), Stack([1, 2]), log)

def kept():
    return list(LOG), Att.kind
'''
