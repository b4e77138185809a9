"""What `linked_programs` use: linked structures, tables, callbacks and views of one array."""

PRELUDE = '''
import heapq, operator
from collections import OrderedDict, deque
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
import numpy as np

class Cell:
    def __init__(self, v, after=None):
        self.v, self.after = v, after

class Chain:
    def __init__(self, *items):
        self.head, self.size = None, 0
        for v in items:
            self.push(v)

    def push(self, v):
        self.head = Cell(v, self.head)
        self.size += 1

    def pop(self):
        if self.head is None:
            raise IndexError("empty")
        cell, self.head = self.head, self.head.after
        self.size -= 1
        return cell.v

    def turn(self):
        before, cell = None, self.head
        while cell is not None:
            cell.after, before, cell = before, cell, cell.after
        self.head = before

    def __iter__(self):
        cell = self.head
        while cell is not None:
            yield cell.v
            cell = cell.after

class Ring:
    """Two-way, with a guard."""
    __slots__ = ("left", "right", "key")

    def __init__(self, key=None):
        self.left = self.right = self
        self.key = key

    def put(self, other):
        other.left, other.right = self.left, self
        self.left.right = other
        self.left = other
        return other

    def cut(self):
        self.left.right, self.right.left = self.right, self.left
        self.left = self.right = self
        return self

    def keys(self):
        found, at = [], self.right
        while at is not self and len(found) < 9:
            found.append(at.key)
            at = at.right
        return found

class Tree:
    def __init__(self):
        self.root, self.told = None, []

    def put(self, k):
        k = float(k)
        if self.root is None:
            self.root = [k, None, None]
            return self
        at = self.root
        while at[0] != k:
            side = 1 if k < at[0] else 2
            if at[side] is None:
                at[side] = [k, None, None]
            at = at[side]
        return self

    def walk(self, at=None, depth=0):
        at = self.root if at is None and not depth else at
        if at is not None:
            yield from self.walk(at[1], depth + 1)
            yield at[0]
            yield from self.walk(at[2], depth + 1)

class Trie:
    def __init__(self):
        self.down, self.count = {}, 0

    def put(self, word):
        at = self
        for c in word:
            if c not in at.down:
                at.down[c] = Trie()
            at = at.down[c]
        at.count += 1
        return at

    def find(self, word):
        at = self
        for c in word:
            at = at.down.get(c)
            if at is None:
                return 0
        return at.count

class Recent:
    """A cache that forgets what was asked for least recently."""
    def __init__(self, size):
        self.size, self.kept, self.hits = size, OrderedDict(), 0

    def get(self, k, make):
        if k in self.kept:
            self.hits += 1
            self.kept.move_to_end(k)
        else:
            self.kept[k] = make(k)
            if len(self.kept) > self.size:
                self.kept.popitem(last=False)
        return self.kept[k]

class History:
    def __init__(self, items):
        self.items, self.done, self.undone = items, [], []

    def apply(self, what, *args):
        back = getattr(self, what)(*args)
        self.done.append((what, args, back))
        self.undone.clear()

    def put(self, v):
        self.items.append(v)
        return ("cut",)

    def cut(self):
        return ("put", self.items.pop())

    def swap(self, i):
        self.items[0], self.items[i] = self.items[i], self.items[0]
        return ("swap", i)

    def back(self):
        if not self.done:
            return False
        what, args, (undo, *rest) = self.done.pop()
        getattr(self, undo)(*rest)
        self.undone.append((what, args))
        return True

class Subject:
    def __init__(self):
        self.listeners, self.v = [], 0

    def on(self, f):
        self.listeners.append(f)
        return f

    def set(self, v):
        old, self.v = self.v, v
        for f in self.listeners:
            f(old, v)

class Machine:
    TABLE = {("idle", 0): "idle", ("idle", 1): "busy", ("busy", 0): "done", ("busy", 1): "busy"}

    def __init__(self):
        self.state, self.path = "idle", []

    def step(self, event):
        key = self.state, int(event)
        if key not in self.TABLE:
            raise KeyError(key)
        self.state = self.TABLE[key]
        self.path.append(self.state)
        return self

class Typed:
    """A descriptor that counts, and keeps its values in a table of its own."""
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, o, cls=None):
        if o is None:
            return self
        return o.__dict__.get(self.name, 0)

    def __set__(self, o, v):
        if v > 50:
            raise ValueError(self.name)
        o.__dict__[self.name] = v
        o.sets += 1

class Meta(type):
    def __new__(mcs, name, bases, space):
        space.setdefault("kinds", [])
        return super().__new__(mcs, name, bases, space)

    def __call__(cls, *args):
        made = super().__call__(*args)
        made.cls_name = cls.__name__
        return made

class Base(metaclass=Meta):
    level, tags = 1, ("x",)
    width = Typed()

    def __init__(self, width=2):
        self.sets = 0
        self.width = width

    @property
    def area(self):
        return self.width * self.level

    @area.setter
    def area(self, v):
        self.width = v / self.level

class Wide(Base):
    level = 3

    @property
    def area(self):
        return super().area + 1

    @area.setter
    def area(self, v):
        Base.area.fset(self, v)
        self.level = self.level + 1

class Proxy:
    def __init__(self, target):
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "asked", [])

    def __getattr__(self, name):
        self.asked.append(name)
        return getattr(self.target, name)

    def __setattr__(self, name, v):
        self.asked.append("=" + name)
        setattr(self.target, name, v)

class Block:
    def __init__(self, log, name, catch=()):
        self.log, self.name, self.catch = log, name, catch

    def __enter__(self):
        self.log.append("+" + self.name)
        return self

    def __exit__(self, kind, error, tb):
        self.log.append("-" + self.name)
        return kind is not None and issubclass(kind, self.catch)

@contextmanager
def saved(items):
    before = list(items)
    try:
        yield before
    except LookupError:
        items[:] = before

def memo(n, known={}):
    n = int(n)
    if n not in known:
        known[n] = n * 2 + len(known)
        if len(known) > 4:
            known.clear()
    return known.get(n, -1)

def kept_in(v, at=[0]):
    at[0] = at[0] + v if v > 0 else 0
    return at

def pair_of_functions(start):
    total, calls = start, [0]
    def add(v):
        nonlocal total
        total = total + v
        calls[0] += 1
        return total
    def get():
        return total, calls[0]
    return add, get

def fading(items):
    for v in items:
        if v > 2 and len(items) < 7:
            items.append(v - 3)
        yield v

def shaky(v, log):
    log.append(v)
    if v > 4:
        raise LookupError(int(v))
    return v * 2

class Space:
    def __init__(self):
        self.log, self.items = [], [3.0, 1.0, 5.0]
        self.chain, self.ring = Chain(1, 4), Ring("g")
        self.tree, self.trie = Tree().put(3).put(1), Trie()
        self.recent, self.history = Recent(2), History([1, 2, 3])
        self.subject, self.machine = Subject(), Machine()
        self.base, self.wide = Base(), Wide(4)
        self.proxy = Proxy(self.base)
        self.heap = [(1, "a"), (3, "c")]
        self.table = {"a": 1, "b": [2], 3: (4,)}
        self.last = deque([1, 2], maxlen=3)
        self.arr = np.arange(6.0)
        self.views = {"all": self.arr, "low": self.arr[:3], "odd": self.arr[1::2]}
        self.add, self.get = pair_of_functions(2)
'''
