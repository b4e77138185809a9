"""The kinds of containers of `identity_programs`: what makes one, and what changes one."""

from __future__ import annotations

from typing import NamedTuple

ALWAYS = "if h > -99:"

PRELUDE = '''
import array, copy, itertools
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
import numpy as np

CALLS = ((0.0, 3), (2.0, -1), (5.0, 2), (2.0, 3), (0.0, 1))

class Holder:
    shared = None

    def __init__(self, c, d):
        self.c, self.d = c, d

def big(v):
    """Bounds what goes on."""
    return False

def chosen(one, other, n):
    """Returns one of its arguments."""
    if n > 1:
        return one
    return other

def same(v):
    return v

def raising(v, test):
    if test:
        raise ValueError(len(v))
'''


class Kind(NamedTuple):
    """What makes a container of a kind, what gives another one, and what changes one.

    text  a class and functions of the program.
    """

    make: str
    new: tuple[str, ...]
    changes: tuple[str, ...]
    text: str


def _text(change: str, fresh: str) -> str:
    return f'''
def changed(v, n):
    if few(v): {change}
    return v

def rebound(v, n):
    v = {fresh}
    {change}
    return v

def swapped(v, w, n):
    if n > 1:
        v, w = w, v
    {change}
    return v, w

def keep(v, n, kept=[]):
    if n > 2:
        kept.append(v)
    del kept[:-1]
    return kept[0] if kept else v

def few(v):
    return len(v) < 8
'''


LIST_CHANGES = (
    "if few(P): P.append(NUM)", "P[:1] = [NUM]", "if P: P.pop()", "P[1:] = [NUM]", "del P[:1]",
    "if few(P): P += [NUM]", "if few(P): P += [NUM]", "P *= 2; del P[6:]",
    "P.extend(Q[:2]); del P[6:]",
    "P.sort()", "P.clear()", "if P: P[-1] += NUM", "P[:] = Q[:3]",
    "if few(P): P += (v for v in (1, b))",
    "u = P; u += [NUM]; del u[6:]", "P.insert(0, NUM); del P[6:]", "P.reverse()",
    "if P: P[0], P[-1] = P[-1], P[0]", "if few(P): changed(P, NUM)",
    "P[len(P):] = [NUM]; del P[6:]",
    "if INT in P: P.remove(INT)", "del P[INT:]", "P[::2] = P[::2]", "if few(P): P += Q[:2]")

DICT_CHANGES = (
    "P['a'] = NUM", "P[INT] = NUM", "P.pop('a', None)", "P |= {'z': NUM}", "P |= {INT: NUM}",
    "P.update(b=NUM)", "P.setdefault('y', NUM)", "if 'a' in P: del P['a']", "P.clear()",
    "P['a'] = P.get('a', 0) + 1", "u = P; u |= {'w': NUM}", "changed(P, NUM)", "P |= Q",
    "P.update(Q)", "if P: P.popitem()", "P |= [('a', NUM)]", "for k in list(P): P[k] = NUM")

SET_CHANGES = (
    "P.add(INT)", "P.discard(INT)", "P |= {INT}", "P -= {INT}", "P &= {1, INT, 3}", "P ^= {INT, 3}",
    "P.clear()", "P |= Q", "P -= Q", "P ^= Q", "P &= Q", "u = P; u |= {INT, 9}", "P.update(Q)",
    "changed(P, INT)", "if INT in P: P.remove(INT)", "for k in list(P): P.discard(k)")

DEQUE_CHANGES = (
    "if few(P): P.append(NUM)", "if few(P): P.appendleft(NUM)", "P.rotate(1)", "if P: P.pop()",
    "if few(P): P += [NUM]", "if P: P.popleft()", "if P: P[0] = NUM", "if few(P): changed(P, NUM)",
    "u = P; u += [NUM]; u.popleft()", "P.clear()", "if len(P) < 3: P *= 2", "P.reverse()",
    "if few(P): P.extend(list(Q)[:2])")

BUFFER_CHANGES = (
    "if few(P): P.append(INT)", "if P: P[0] = INT", "if few(P): P += EXTRA", "if P: P.pop()",
    "P[:1] = EXTRA", "del P[:1]", "if len(P) < 3: P *= 2", "if P: P[-1] = P[0]", "P.reverse()",
    "u = P; u += EXTRA; del u[5:]", "if few(P): changed(P, INT)", "if few(P): P.extend(Q[:1])",
    "if few(P): P += Q[:1]", "P[:] = Q[:2]")

ARRAY_CHANGES = (
    "P[0] = NUM", "P += NUM", "P *= 2", "P[:1] -= NUM", "P[::-1] += 1", "P += Q[0]", "P[:] = Q",
    "u = P; u += NUM", "u = P[1:]; u *= 2", "changed(P, NUM)", "P[P > 2] = 0", "P %= 7",
    "P.sort()", "P.fill(NUM)", "np.add(P, 1, out=P)", "P[0], P[1] = P[1], P[0]", "P -= Q")

OBJECT_CHANGES = (
    "P.n = NUM", "P.n += NUM", "P.items = Q.items", "if few(P): P.items.append(NUM)",
    "if few(P): P.items += [NUM]", "P += NUM", "P |= NUM", "u = P; u.n += 1",
    "u = P; u += NUM", "changed(P, NUM)",
    "P.last = NUM", "P.items = [NUM]", "P.n, Q.n = Q.n, P.n", "P.items, Q.items = Q.items, P.items",
    "del P.items[:1]", "u = P.items; u += [NUM]; del u[6:]", "P.items[:1] = [P.n]")


def _buffer(make: str, extra: str, copy: str) -> Kind:
    return Kind(make, (make, "Q[:]", f"{copy}", f"Q + {extra}", "Q * 1"),
                tuple(x.replace("EXTRA", extra) for x in BUFFER_CHANGES),
                _text("v.append(int(n) % 5)", f"v + {extra}"))


def _object(head: str) -> Kind:
    return Kind("Thing(1)", ("Thing(NUM)", "Thing(2)"), OBJECT_CHANGES, head + '''
    @property
    def last(self):
        return self.items[-1] if self.items else 0

    @last.setter
    def last(self, v):
        self.items[:1] = [v]

    def __iadd__(self, v):
        self.n = (self.n + v) % 7
        return self

    def __ior__(self, v):
        made = Thing(v)
        made.items = self.items
        return made if v > 1 else self

    def __len__(self):
        return len(self.items)
''' + _text("v.items.append(n)", "Thing(n)"))


INIT = '''
    def __init__(self, n):
        self.n, self.items = n, [n]
'''

KINDS = {
    "list": Kind("[1, 2]", ("[NUM]", "Q + [NUM]", "Q[:]", "list(Q)", "[v for v in Q]", "[]",
                              "Q * 1"),
                 LIST_CHANGES, _text("v.append(n)", "v + [n]")),
    "sublist": Kind("Items([1, 2])", ("Items([NUM])", "Items(Q)", "Items()"), LIST_CHANGES,
                    "class Items(list):\n    extra = 1\n" + _text("v.append(n)", "Items(v)")),
    "adding": Kind("Items([1, 2])", ("Items([NUM])", "Items(Q)"), LIST_CHANGES, '''
class Items(list):
    def __iadd__(self, other):
        self.extend(other)
        del self[6:]
        return self

    def append(self, v):
        super().append(v)
        del self[6:]
''' + _text("v.append(n)", "Items(v)")),
    "dict": Kind("{'a': 1}", ("{'b': NUM}", "dict(Q)", "{**Q, 'c': NUM}", "Q | {'d': NUM}", "{}",
                              "{k: v for k, v in Q.items()}"),
                 DICT_CHANGES, _text("v['n'] = n", "dict(v)")),
    "subdict": Kind("Table(a=1)", ("Table(b=NUM)", "Table(Q)", "Table()"), DICT_CHANGES,
                    "class Table(dict):\n    pass\n" + _text("v['n'] = n", "Table(v)")),
    "ordered": Kind("OrderedDict(a=1)", ("OrderedDict(b=NUM)", "OrderedDict(Q)"),
                    (*DICT_CHANGES, "if 'a' in P: P.move_to_end('a')"),
                    _text("v['n'] = n", "OrderedDict(v)")),
    "counter": Kind("Counter('aab')", ("Counter(b=NUM)", "Counter(Q)", "Q + Counter('a')"), (
        "P['a'] += 1", "P[INT] += NUM", "P.update('ab')", "P += Counter('ab')", "P -= Counter('a')",
        "P |= Counter('ccc')", "P &= Counter('aabb')", "P.pop('a', 0)", "u = P; u += Counter('z')",
        "P.subtract('a')", "changed(P, NUM)"), _text("v['n'] = n", "Counter(v)")),
    "defaults": Kind("defaultdict(list, a=[1])", ("defaultdict(list)", "copy.copy(Q)"), (
        "P['a'].append(NUM); del P['a'][4:]", "P[INT].append(NUM)",
        "P['a'] += [NUM]; del P['a'][4:]",
        "P.pop('a', None)", "P[INT]", "P['a'] = Q['a']", "P |= Q",
        "u = P['a']; u += [NUM]; del u[4:]",
        "changed(P, NUM)", "P['b'] = P['a']", "c += P['a'] is Q['a']"),
        _text("v['n'].append(n)", "copy.copy(v)")),
    "set": Kind("{1, 3}", ("{INT}", "set(Q)", "Q | {INT}", "Q - {1}", "set()", "{v for v in Q}"),
                SET_CHANGES, _text("v.add(int(n) % 5)", "v | {2}")),
    "deque": Kind("deque([1, 2])", ("deque([NUM])", "deque(Q)", "Q + deque([1])", "Q.copy()"),
                  DEQUE_CHANGES, _text("v.append(n)", "v + deque([n])")),
    "bytearray": _buffer("bytearray(b'ab')", "b'c'", "bytearray(Q)"),
    "array": _buffer("array.array('i', [1, 2])", "array.array('i', [3])", "array.array('i', Q)"),
    "ndarray": Kind("np.arange(3.0)", ("np.ones(3)", "Q.copy()", "Q + NUM", "Q * 2", "Q[::-1]"),
                    ARRAY_CHANGES, _text("v += n", "v + n")),
    "object": _object("class Thing:" + INIT),
    "slots": _object("class Thing:\n    __slots__ = ('n', 'items')\n" + INIT),
    "data": _object("@dataclass(eq=False)\nclass Thing:\n    n: object\n"
                    "    items: list = field(default_factory=lambda: [1])\n"),
}

HELPERS = {
    "grow": '''
    def grow(n):
        nonlocal l
        if n > 1:
            l = rebound(l, n)
        changed(l, n)
        return len(l)
''',
    "stash": '''
    def stash(v):
        nonlocal m
        if h > 2:
            m, v = v, m
        return changed(m, 1)
''',
    "act": '''
    def act(v, at=[MAKE]):
        if v is not at[0] and b > 1:
            at[0], v = v, at[0]
        return at[-1] if b > 3 else v
''',
    "kept_in": '''
    def kept_in():
        return kept
''',
}
"""Inner functions."""
