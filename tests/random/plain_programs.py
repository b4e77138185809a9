"""Random programs most of whose values are plain: helpers, classes and comprehensions over numbers
and lists, into which a value of the run gets now and then."""

from __future__ import annotations

import re
from random import Random

PRELUDE = '''
import collections
import functools
import heapq
import itertools
from dataclasses import dataclass, field

G, T = [4, 2, 7], {"k": [1], "n": 3}

class Box:
    """Numbers and a list."""
    made = 0

    def __init__(self, v):
        self.v, self.items = v, [v]
        Box.made = (Box.made + 1) % 50

    @property
    def last(self):
        return self.items[-1] if self.items else 0

    def push(self, v):
        if len(self.items) < 9:
            self.items.append(v)
        return self

    def total(self):
        return sum(v for v in self.items)

    def __len__(self):
        return len(self.items)

@dataclass
class Row:
    n: object
    more: list = field(default_factory=list)

Pair = collections.namedtuple("Pair", "p q")
B = Box(2)

def grow(items, v):
    if len(items) < 9:
        items.append(v)
    return items

def total(items):
    s = 0
    for v in items:
        s += v
    return s

def table(n):
    return [[i * j for j in range(n % 4)] for i in range(n % 5)]

def put(v):
    G[0] = v
    return v

def update(d, k, v):
    d[k] = v
    return d

def same(v):
    return v

def make_adder(n):
    held = [n]
    def add(v):
        held[0] = held[0] + v
        return held[0]
    return add

def swapped(items):
    if len(items) > 1:
        items[0], items[-1] = items[-1], items[0]
    return items

def each(f, items):
    return [f(v) for v in items]

def times():
    times.n = (times.n + 1) % 9
    return times.n
times.n = 0

def numbers(n):
    for i in range(n % 6):
        yield i * 2

def logged(items):
    for v in items:
        G[0] = v
        yield v

class Tree:
    def __init__(self, v, *kids):
        self.v, self.kids = v, kids

    def walk(self):
        yield self.v
        for kid in self.kids:
            yield from kid.walk()

    def __iter__(self):
        yield from self.walk()

class Vec:
    """Numbers with operators; what `items` holds is counted."""
    def __init__(self, *items):
        self.items, self.reads = list(items), 0

    def __add__(self, o):
        return Vec(*[v + w for v, w in zip(self.items, o.items)])

    def __iadd__(self, v):
        self.items.append(v)
        del self.items[:-6]
        return self

    def __mul__(self, k):
        return Vec(*(v * k for v in self.items))

    def __eq__(self, o):
        return isinstance(o, Vec) and self.items == o.items

    def __hash__(self):
        return len(self.items)

    def __lt__(self, o):
        return len(self.items) < len(o.items)

    def __getitem__(self, i):
        self.reads = (self.reads + 1) % 7
        return self.items[i % len(self.items)] if self.items else 0

    def __setitem__(self, i, v):
        if self.items:
            self.items[i % len(self.items)] = v

    def __iter__(self):
        yield from self.items

    def __contains__(self, v):
        return any(v == w for w in self.items)

    def __bool__(self):
        return len(self.items) > 1

    def __call__(self, v):
        self[0] = v
        return self.items[0]

    def __enter__(self):
        self.reads = 0
        return self.items

    def __exit__(self, *error):
        self.reads = -1

    @property
    def first(self):
        return self[0]

    @first.setter
    def first(self, v):
        self[0] = v

V = Vec(1, 2, 5)

def counter(n):
    seen = []
    def count(k=1):
        nonlocal n, seen
        n = (n + k) % 50
        if k > 1:
            seen = seen[-3:] + [n]
        return n
    def state():
        return n, list(seen)
    return count, state

COUNT, SEEN = counter(0)

def memo(n, known):
    if n not in known:
        known[n] = n if n < 2 else memo(n - 1, known) + memo(n - 2, known)
    return known[n]

def flat(nest):
    found = []
    for v in nest:
        if isinstance(v, list):
            found.extend(flat(v))
        else:
            found.append(v)
    return found

def groups(items):
    found = collections.defaultdict(list)
    for i, v in enumerate(items):
        found[i % 2].append(v)
    return dict(found)

def smallest(items, k):
    heap = list(items)
    heapq.heapify(heap)
    return [heapq.heappop(heap) for _ in range(min(k, len(heap)))]

def at(items, i):
    try:
        return items[i]
    except IndexError:
        return -1

def remember(v, seen=[0]):
    seen.append(v)
    del seen[:-3]
    return len(seen)

def rows(n):
    return [Row(i).more + [i] for i in range(n % 4)]

def boxes(n):
    return [Box(i).push(i + 1) for i in range(n % 4)]
'''

TAIL = '''
def make():
    p = [3, 1, 2]
    return (p, {"k": 1, "n": p}, Box(1), [[1, 2], p], 4)

def kept():
    return G, T, B, Box.made, times.n, remember.__defaults__, V, SEEN()
'''

PLAIN = ["1", "2", "n", "len(p)", "at(p, 1)", "total(p)", "memo(6, {})", "len(table(n))", "times()",
         "o.last", "remember(n)", "B.total()", "len(G)", "put(n)", "total(numbers(n))", "T['n']",
         "sum(v * 2 for v in q)", "max(q, default=0)", "len(o)", "same(n) % 5", "h(1)",
         "V[n]", "V(n)", "sum(V)", "w[n]", "w(2)", "w.first", "COUNT(2)", "c(n)", "c(2)", "st()[0]",
         "sum(Vec(n, 2) + w)", "int(n in w)", "max(w, default=0)", "int(w == Vec(1, n))", "len(ba)",
         "sum(Tree(n, Tree(2), Tree(3, Tree(1))))", "sum(itertools.islice(itertools.count(n), 3))"]
OF_RUN = ["a", "b", "a * 2", "b + n", "s"]
LISTS = ["p", "q", "o.items", "B.items", "G", "T['k']", "r[-1]", "u", "w.items", "V.items"]
MADE = ["[v + 1 for v in {l}]", "sorted({l}, key=lambda v: -v)", "list(map(lambda v: v * 2, {l}))",
        "[*numbers(n), {p}]", "table(n)[-1] if table(n) else []", "flat([{l}, [{p}]])",
        "smallest({l}, 3)", "each(lambda v: v + n, {l})", "[v for v in {l} if v != 3]",
        "[i + v for i, v in enumerate({l})]", "groups({l}).get(1, [])", "same({l})", "[{p}, {p}]",
        "[w for b_ in boxes(n) for w in b_.items]", "list({l})", "[{p} for _ in range(3)]",
        "[v for v in reversed({l})]", "rows(n)[-1] if n % 4 else [{p}]", "swapped({l})",
        "list(Pair({l}, {l}).q)", "[k + v for k, v in zip({l}, {l}[1:])]",
        "[functools.reduce(lambda c, d: c + d, {l}, 0)]", "each(h, {l})",
        "list(Tree({p}, Tree(n)).walk())", "[v for v in it]", "list(logged({l}))",
        "[*(Vec(*{l}) * 2)]", "sorted([Vec(*{l}), Vec(1)])[0].items", "[c(v) for v in {l}]", "[*w]",
        "[len({{Vec(*{l}), Vec(2), Vec(n)}})]", "[*ba, {p}]", "each(c, {l})", "st()[1]",
        "[len(list(g)) for k, g in itertools.groupby({l})]", "sorted({l}, key=str)[:0]"]


OUTSIDE = re.compile(r"\b(G|T|B|put|times|remember|Box|boxes|logged|V|COUNT|SEEN)\b")
"""The names by which a program changes what is outside."""


class PlainProgram:
    """A program of the same form as `StateProgram`.

    free: it may change what is outside, whatever the run decides.
    """

    def __init__(self, random: Random, free: bool = False) -> None:
        self.random = random
        self.free = free

    def source(self) -> str:
        lines = self.block(self.random.randint(4, 9), 2)
        body = "\n".join("    " + line for line in lines)
        return (f"{PRELUDE}\ndef f(a, b, p, d, o, r, n):\n"
                "    q, u, s, h, it = [1, 5], [2], 0, make_adder(n), iter(())\n"
                "    w, (c, st), ba = Vec(3, n), counter(n), bytearray(b'ab')\n"
                f"{body}\n    return s, n, p, q, u, d, o, r, h(0), w, c(0), st(), ba\n{TAIL}")

    def pick(self, choices: list[str]) -> str:
        text = self.one(choices)
        for name, parts in (("{l}", LISTS), ("{p}", PLAIN)):
            text = text.replace(name, self.one(parts))
        return text

    def one(self, choices: list[str]) -> str:
        return self.random.choice([c for c in choices if self.may_be(c)])

    def may_be(self, text: str) -> bool:
        return self.free or not OUTSIDE.search(text)

    def value(self) -> str:
        return self.pick(OF_RUN if self.random.random() < .15 else PLAIN)

    def items(self) -> str:
        return self.pick(LISTS) if self.random.random() < .4 else self.pick(MADE)

    def test(self) -> str:
        return self.pick(["a > 1", "b > 0", "a > b", "n > 2", "len(q) > 2", "a > 1 and n > 2",
                          "not p", f"{self.value()} > 3"])

    def block(self, count: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        kind = self.random.random()
        if depth and kind < .35:
            inside = ["    " + line for line in self.block(self.random.randint(1, 2), depth - 1)]
            if kind < .17:
                other = ["    " + line for line in self.block(1, depth - 1)]
                return [f"if {self.test()}:", *inside, *(["else:", *other] if kind < .08 else [])]
            if kind < .27:
                return [f"for i in {self.pick(['range(3)', 'range(6)', 'list(q)[:3]'])}:", *inside]
            if kind < .31:
                return ["for i, v in enumerate(list(p)[:6]):", *inside,
                        f"    s = s + {self.pick(['i', 'v', 'v * n'])}"]
            if kind < .32:
                return self.one([f"for v in {self.one(['w', 'V'])}:", "with w as u:", "with V:"]
                                ).splitlines() + inside
            if kind < .33:
                return ["for v in it:", f"    s = s + v + {self.value()}", *inside,
                        f"    if {self.test()}:", "        break"]
            return ["try:", *inside, f"    s = s + (p + q + [1])[{self.value()} % 3]",
                    "except (IndexError, TypeError):", "    n = n + 1"]
        return [self.simple()]

    def simple(self) -> str:
        of_list, value, items = self.pick(LISTS), self.value(), self.items()
        name = self.one(["q", "u", "p"])
        return self.one([
            f"s = s + {value}", f"grow({of_list}, {value})", f"{name} = {items}",
            f"update(d, 'n', {value})", f"update(T, 'n', {value})", f"o.push({value})",
            f"B.items = {items}", f"h = make_adder({value})", f"s = s + h({value})",
            f"put({value})", f"n = (n + {self.pick(PLAIN)}) % 9", "it = (v * 2 for v in list(q))",
            "s = s + next(it, 0)", "s = s + sum(it)", f"r = [*r[-2:], {items}]",
            f"d['k'] = {items}", f"o = Box({value})", f"s = s + total({items})",
            f"swapped({of_list})", f"r[0] = {items}", "it = map(h, list(p))",
            f"it = {self.pick(['numbers(n)', 'Tree(2, Tree(n)).walk()', f'logged({items})'])}",
            "s = s + sum(c + e for c, e in zip(numbers(4), q))",
            f"s = s + len({items})", f"T['k'] = {items}", f"q = q[:5] + {items}[:3]",
            f"w += {value}", f"w[n] = {value}", f"w = Vec(*{items})", f"w.first = {value}",
            f"w = w + Vec({value}, 2)", f"V[1] = {value}", f"c, st = counter({self.pick(PLAIN)})",
            f"s = s + c({self.pick(PLAIN)})", "ba.append(n)", f"s = s + COUNT({self.pick(PLAIN)})",
            f"o.v = {value}", f"s = s + len(set({items}))"])
