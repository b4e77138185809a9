"""What the programs of `system_programs` begin with: small systems of everyday code."""

PRELUDE = '''
import bisect, contextlib, contextvars, copy, enum, functools, heapq, io, itertools, operator
import re, string, types, weakref
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict, deque, namedtuple
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial, partialmethod, reduce, total_ordering
import numpy as np

CALLS = ((0.0, 3), (2.0, 1), (5.0, 2))

class Fault(Exception):
    """An error with data of its own."""
    def __init__(self, code, *rest):
        super().__init__(f"fault {code > 1}", *rest)
        self.code = code

class Deep(Fault):
    pass

class Level(enum.IntEnum):
    LOW = 0
    MID = 1
    HIGH = 2

class Bounded:
    """A descriptor that keeps a value in bounds, under a name of its own."""
    def __init__(self, low, high):
        self.low, self.high = low, high
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, o, cls=None):
        return self if o is None else getattr(o, self.name, self.low)
    def __set__(self, o, v):
        if v < self.low:
            v = self.low
        elif v > self.high:
            raise Fault(v)
        setattr(o, self.name, v)

class Registered:
    """A base class that knows its subclasses."""
    kinds = {}
    def __init_subclass__(cls, /, code=0, **kw):
        super().__init_subclass__(**kw)
        cls.code = code
        Registered.kinds[code] = cls
    def cost(self, v):
        return v + self.code

class Cheap(Registered, code=0):
    def cost(self, v):
        return super().cost(v) * 0.5

class Dear(Registered, code=1):
    def cost(self, v):
        self.calls = getattr(self, "calls", 0) + 1
        return super().cost(v) * self.calls

@total_ordering
class Version:
    __slots__ = ("major", "minor")
    def __init__(self, major, minor=0):
        self.major, self.minor = major, minor
    def __eq__(self, o):
        return (self.major, self.minor) == (o.major, o.minor)
    def __lt__(self, o):
        return (self.major, self.minor) < (o.major, o.minor)
    def __hash__(self):
        return 1

@dataclass
class Node:
    value: object
    kids: list = field(default_factory=list)
    mark: bool = False
    def __post_init__(self):
        if self.value > 3:
            self.mark = True
    def walk(self):
        yield self
        for kid in self.kids:
            yield from kid.walk()
    def total(self):
        return self.value + sum(kid.total() for kid in self.kids)

@dataclass(frozen=True)
class Pair:
    one: object
    two: object
    def swapped(self):
        return replace(self, one=self.two, two=self.one)

Row = namedtuple("Row", "key value", defaults=[0])

class Account:
    limit = Bounded(0, 9)
    fees = 0
    def __init__(self, balance):
        self._balance, self.history, self.limit = balance, [], 5
    @property
    def balance(self):
        return self._balance
    @balance.setter
    def balance(self, v):
        if v < 0:
            raise Fault(v, "overdrawn")
        self.history.append(v - self._balance)
        del self.history[:-5]
        self._balance = v
    def move(self, v, sign=1):
        self.balance += sign * v
        return self
    take = partialmethod(move, sign=-1)
    @classmethod
    def with_fee(cls, v):
        made = cls(v)
        made.history.append("fee")
        return made
    @staticmethod
    def rate(v):
        return v * 0.5 if v > 1 else v
    @cached_property
    def code(self):
        self.history.append("code")
        return len(self.history) * 10

class Cursor:
    """Reads a text, character by character."""
    def __init__(self, text):
        self.text, self.at, self.back = text, 0, []
    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ""
    def next(self):
        c = self.peek()
        self.at += 1
        return c
    @contextmanager
    def attempt(self):
        before = self.at
        self.back.append(before)
        try:
            yield self
        except Fault:
            self.at = before
        finally:
            self.back.pop()
    def number(self):
        n, begun = 0, self.at
        while self.peek().isdigit():
            n = n * 10 + int(self.next())
        if self.at == begun:
            raise Fault(begun)
        return n
    def sum(self):
        total = self.number()
        while self.peek() in ("+", "-") and self.peek():
            sign = 1 if self.next() == "+" else -1
            total += sign * self.number()
        return total

class LRU:
    def __init__(self, size):
        self.size, self.data, self.hits = size, OrderedDict(), 0
    def __contains__(self, k):
        return k in self.data
    def __getitem__(self, k):
        self.data.move_to_end(k)
        self.hits += 1
        return self.data[k]
    def __setitem__(self, k, v):
        self.data[k] = v
        self.data.move_to_end(k)
        while len(self.data) > self.size:
            self.data.popitem(last=False)

class Queue:
    """Events by time; what they do may add others."""
    def __init__(self):
        self.heap, self.now, self.count, self.done = [], 0, 0, []
    def at(self, delay, action, *args):
        self.count += 1
        heapq.heappush(self.heap, (self.now + delay, self.count, action, args))
    def run(self, steps):
        while self.heap and steps > 0:
            self.now, _, action, args = heapq.heappop(self.heap)
            self.done.append(action(*args))
            del self.done[:-6]
            steps -= 1

class Sets:
    """Union find with sizes."""
    def __init__(self, n):
        self.up, self.size = list(range(n)), [1] * n
    def find(self, i):
        root = i
        while self.up[root] != root:
            root = self.up[root]
        while self.up[i] != root:
            self.up[i], i = root, self.up[i]
        return root
    def join(self, i, j):
        i, j = self.find(i), self.find(j)
        if i != j:
            if self.size[i] < self.size[j]:
                i, j = j, i
            self.up[j] = i
            self.size[i] += self.size[j]
        return i

class Editor:
    """A list that can undo what was done."""
    def __init__(self, items):
        self.items, self.undos, self.redos = items, [], []
    def do(self, action, *args):
        before = self.items[:]
        getattr(self, action)(*args)
        self.undos.append((action, before))
        self.redos.clear()
        del self.undos[:-4]
    def insert(self, v):
        self.items.insert(0, v)
        del self.items[6:]
    def drop(self, i=-1):
        self.items.pop(i)
    def scale(self, k):
        self.items[:] = [v * k % 11 for v in self.items]
    def undo(self):
        if not self.undos:
            return False
        action, before = self.undos.pop()
        self.redos.append(action)
        self.items[:] = before
        return True

class Chain(UserDict):
    """A dict that looks a missing key up by a shorter one."""
    def __missing__(self, key):
        if len(key) < 2:
            raise KeyError(key)
        return self[key[:-1]]

class Scope:
    def __init__(self, log, swallow=()):
        self.log, self.swallow, self.depth = log, swallow, 0
    def __enter__(self):
        self.depth += 1
        self.log.append(("in", self.depth))
        return self
    def __exit__(self, kind, error, trace):
        self.depth -= 1
        self.log.append("out" if kind is None else kind.__name__)
        del self.log[:-8]
        return kind is not None and issubclass(kind, self.swallow)

def averages():
    """Takes numbers, gives the mean so far."""
    total, count, mean = 0.0, 0, None
    while True:
        v = yield mean
        if v is None:
            return count
        total += v
        count += 1
        mean = total / count

def chunks(items, n):
    part = []
    for v in items:
        part.append(v)
        if len(part) == n:
            yield tuple(part)
            part = []
    if part:
        yield tuple(part)

def traced(log):
    def decorate(fn):
        @functools.wraps(fn)
        def inner(*args, **kw):
            log.append(fn.__name__)
            del log[:-8]
            return fn(*args, **kw)
        return inner
    return decorate

@lru_cache(maxsize=8)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def depth_first(graph, start, seen, order):
    if start in seen:
        return
    seen.add(start)
    for other in sorted(graph.get(start, ())):
        depth_first(graph, other, seen, order)
    order.append(start)

def breadth_first(graph, start):
    far, wait = {start: 0}, deque([start])
    while wait:
        here = wait.popleft()
        for other in graph.get(here, ()):
            if other not in far:
                far[other] = far[here] + 1
                wait.append(other)
    return far

@functools.singledispatch
def told(v):
    return "other"

@told.register
def _(v: int):
    return "int"

@told.register
def _(v: list):
    return f"list {len(v)}"

V = contextvars.ContextVar("V", default=0)
'''

WORLD = '''
class World:
    """All that a program may change, but for what is made in it."""
    def __init__(self):
        self.items, self.log, self.last = [3, 1], [], None
ATTRIBUTES
G = World()
'''

ATTRIBUTES = {
    "table": '{"a": 1, "b": [2]}', "seen": "{1, 2}", "arr": "np.arange(3.0)",
    "account": "Account(4.0)", "editor": "Editor([1, 2])", "queue": "Queue()", "lru": "LRU(2)",
    "sets": "Sets(5)", "tree": "Node(1, [Node(2), Node(5)])",
    "graph": "{0: [1, 2], 1: [3], 2: [3], 3: [], 4: [0]}"}
"""Further attributes of a world, and how each begins: only those that a program names."""
