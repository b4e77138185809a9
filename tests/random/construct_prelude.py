"""What `construct_programs` use: classes and functions for constructs that few programs have."""

PRELUDE = '''
import bisect, heapq, itertools, operator
from collections import ChainMap, Counter, OrderedDict, UserList, defaultdict, deque, namedtuple
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial, partialmethod, reduce, singledispatch, wraps
import numpy as np

@dataclass
class Part:
    size: float = 1.0
    tags: list = field(default_factory=lambda: ["new"])
    seen: dict = field(default_factory=dict, compare=False)

    def __post_init__(self):
        self.tags.append(self.size)

@dataclass(frozen=True, order=True)
class Point:
    x: float
    y: float = 0.0

    def moved(self, by):
        return replace(self, x=self.x + by)

@dataclass(slots=True)
class Slim:
    v: float
    kids: list = field(default_factory=list)

    def add(self, v):
        self.kids.append(Slim(v))
        return self

class Named:
    """Registers itself where it is named."""
    known = []

    def __set_name__(self, owner, name):
        self.name = name
        Named.known.append((owner.__name__, name))

    def __get__(self, o, cls=None):
        if o is None:
            return self
        o.reads = o.__dict__.get("reads", 0) + 1
        return o.__dict__.get("_" + self.name, -1)

    def __set__(self, o, v):
        o.__dict__["_" + self.name] = v
        o.log.append((self.name, v))

class Cached:
    """Computes once: no data descriptor."""
    def __init__(self, f):
        self.f = f

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, o, cls=None):
        if o is None:
            return self
        o.__dict__[self.name] = v = self.f(o)
        return v

class Thing:
    low, high = Named(), Named()
    total = 0
    made = []

    def __init__(self, log):
        self.log, self.kept = log, [1]

    @Cached
    def sum(self):
        self.log.append("sum")
        return len(self.log) + self.kept[0]

    def raised(self, n, by=1):
        self.kept[0] += n * by
        return self

    twice = partialmethod(raised, by=2)

    @classmethod
    def count(cls, n):
        cls.total += n
        return cls.total

    @staticmethod
    def note(log, v):
        log.append(v)
        return v

    def __bool__(self):
        self.log.append("?")
        return self.kept[0] > 2

    def __len__(self):
        return len(self.kept)

    def __call__(self, v=1):
        self.kept.append(v)
        return self

    def __contains__(self, v):
        self.log.append("in")
        return v in self.kept

    def __matmul__(self, v):
        return (self.kept[0], v)

    def __imatmul__(self, v):
        self.kept[0] = v
        return self

    def __format__(self, how):
        return f"<{how}{self.kept[0]:.1f}>"

class Other(Thing):
    total = 10

    def raised(self, n, by=1):
        self.log.append("other")
        return super().raised(n, by=by + 1)

class Fault(Exception):
    count = 0

    def __init__(self, held, *more):
        super().__init__(held, *more)
        self.held, self.trail = held, []

    def noted(self, v):
        self.trail.append(v)
        return self

class Small(Fault):
    pass

class Gate:
    """Counts who is inside; may swallow, and may raise another."""
    def __init__(self, log, mode="pass"):
        self.log, self.mode, self.inside = log, mode, 0

    def __enter__(self):
        self.inside += 1
        self.log.append(("in", self.inside))
        return self

    def __exit__(self, kind, error, tb):
        self.inside -= 1
        self.log.append(("out", kind and kind.__name__))
        if self.mode == "turn" and kind is not None:
            raise Small("turned") from error
        return self.mode == "hide"

@contextmanager
def pushed(items, v):
    items.append(v)
    try:
        yield len(items)
    except Small as e:
        items.append(e.held)
    else:
        items.append("fine")
    finally:
        items.remove(v)

def counted(f):
    @wraps(f)
    def called(*args, **kwargs):
        called.count += 1
        called.last = args
        return f(*args, **kwargs)
    called.count, called.last = 0, ()
    return called

def every(n):
    def deco(f):
        left = n
        def called(*args):
            nonlocal left
            left -= 1
            if left < 0:
                left = n
                return None
            return f(*args)
        return called
    return deco

@counted
def halved(v):
    return v / 2

@every(2)
def limited(v):
    return v + 1

@singledispatch
def shown(v, log):
    log.append("any")
    return 0

@shown.register
def _(v: int, log):
    log.append("int")
    return v + 1

@shown.register(list)
def _(v, log):
    log.append("list")
    return len(v)

def levels(log):
    a = b = 0
    def one(v):
        nonlocal a
        a = a + v
        def two(w):
            nonlocal a, b
            a, b = b + w, a
            log.append((a, b))
            return a
        return two
    return one, lambda: (a, b)

def running(start=0):
    total, got = start, None
    while True:
        got = yield total
        if got is None:
            break
        total = total + got
    return total

def outer(log, n):
    log.append("begin")
    found = yield from inner(log, n)
    log.append(("found", found))
    yield found

def inner(log, n):
    try:
        for k in range(n):
            yield k
        return n * 2
    finally:
        log.append("closed")

def deep(n, seen=[]):
    seen.append(n)
    if n <= 0:
        found = sum(seen)
        del seen[:]
        return found
    return deep(n - 1)

def early(log, v):
    for k in range(3):
        try:
            if k == v:
                return "ret"
            if k > v:
                continue
            log.append(k)
        finally:
            log.append("f")
            if v < 0:
                break
    else:
        log.append("else")
    return "end"

def finals(log, v):
    try:
        if v > 3:
            raise Fault(v)
        return log.append("try")
    except Fault as e:
        return e.held
    finally:
        log.append("fin")
        if v > 5:
            return "over"

def either(log, v):
    log.append(v)
    return v > 2

class Stack(UserList):
    def append(self, v):
        super().append(v)
        self.top = v

class Low(dict):
    def __missing__(self, k):
        self[k] = made = [k]
        return made

class Tally(Counter):
    def most(self):
        return max(self.values(), default=0)

Pair = namedtuple("Pair", "left right", defaults=(0,))

class Registry(type):
    kinds = {}

    def __init__(cls, name, bases, space):
        super().__init__(name, bases, space)
        Registry.kinds[name] = len(bases)

class Hooked:
    subs = []

    def __init_subclass__(cls, tag="none", **kwargs):
        super().__init_subclass__(**kwargs)
        cls.tag = tag

    def __class_getitem__(cls, k):
        return (cls.__name__, k)

class Path:
    """Immutable: each step makes another one."""
    __slots__ = ("parts",)

    def __init__(self, *parts):
        self.parts = parts

    def __truediv__(self, v):
        return Path(*self.parts, v)

    def __eq__(self, other):
        return type(other) is Path and self.parts == other.parts

    def __hash__(self):
        return hash(len(self.parts))

    def __lt__(self, other):
        return len(self.parts) < len(other.parts)

class Space:
    def __init__(self):
        self.log, self.items = [], [3.0, 1.0, 5.0]
        self.part, self.slim, self.point = Part(2.0), Slim(1.0), Point(1.0, 2.0)
        self.thing, self.other = Thing(self.log), Other(self.log)
        self.gate, self.stack, self.low = Gate(self.log), Stack([1]), Low()
        self.ring, self.order = deque([1, 2, 3], maxlen=4), OrderedDict(a=1, b=2, c=3)
        self.tally, self.sorted = Tally("aab"), [1.0, 3.0, 7.0]
        self.groups, self.chain = defaultdict(list), ChainMap({"a": 1}, {"b": 2})
        self.one, self.both = levels(self.log)
        self.gen = running()
        next(self.gen)
        self.it = iter([4, 2, 6, 1])
        self.path = Path("p")
        self.arr = np.arange(6.0)
        self.best = None
'''
