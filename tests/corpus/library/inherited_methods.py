"""Methods that Python's library gives to the user's classes, and that call the user's methods."""

import contextlib
import functools
import json
from collections import UserDict, UserList
from collections.abc import MutableMapping, Sequence, Set

import numpy as np

from tests.corpus.case import titled

VALUES = [(np.array([0.5, -2.0, 0.5, 3.0, -0.25, 1.0]),), (np.array([4, 1, -3, 4, 2]),)]
INTEGERS = [(np.array([4, 1, 1, 3, 8]),), (np.array([2, 2, 7]),)]


class Sparse(MutableMapping):
    def __init__(self):
        self.kept = {}

    def __getitem__(self, key):
        if key not in self.kept:
            raise KeyError(key)
        return self.kept[key]

    def __setitem__(self, key, value):
        if value != 0:
            self.kept[key] = value
        else:
            self.kept.pop(key, None)

    def __delitem__(self, key):
        del self.kept[key]

    def __iter__(self):
        return iter(self.kept)

    def __len__(self):
        return len(self.kept)


def mapping(v):
    m = Sparse()
    for k, x in enumerate(v):
        m[k] = x if x > 0 else 0
    found = [m.get(1, -1.0), 2 in m, m.pop(0, None), m.setdefault(99, v[0])]
    m.update({5: v[1]})
    return found, len(m), list(m.items())[:2], m == dict(m.kept)


class Coefficients(Sequence):
    def __init__(self, items):
        self.items = list(items)

    def __getitem__(self, i):
        return self.items[i]

    def __len__(self):
        return len(self.items)


def sequence(v):
    p = Coefficients(v)
    return (p.index(v[2]), p.count(v[0]), v[1] in p, list(reversed(p)), [x for x in p if x > 0])


class Members(Set):
    def __init__(self, items):
        self.items = list(dict.fromkeys(items))

    def __contains__(self, x):
        return x in self.items

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


def sets(i):
    a, b = Members(i.tolist()), Members([1, 2, 3])
    return sorted(a & b), len(a | b), a <= b, a.isdisjoint(b), sorted(a - b)


@functools.total_ordering
class Card:
    def __init__(self, rank, name):
        self.rank, self.name = rank, name

    def __eq__(self, other):
        return self.rank == other.rank

    def __lt__(self, other):
        return self.rank < other.rank

    __hash__ = None


def cards(v):
    hand = [Card(x, k) for k, x in enumerate(v)]
    high = hand[0]
    for c in hand[1:]:
        if c >= high:
            high = c
    return (high.name, hand[0] <= hand[1], hand[0] > hand[1], [c.name for c in sorted(hand)],
            max(hand).name)


class Clipped(UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value if value < 1 else 1.0)


def user_dict(v):
    d = Clipped(a=v[0])
    d["b"] = v[1]
    d.update(c=v[2] * 10)
    return dict(d), d.get("z"), "b" in d, len(d)


class Positive(UserList):
    def append(self, x):
        if x > 0:
            super().append(x)


def user_list(v):
    kept = Positive()
    for x in v:
        kept.append(x)
    kept.extend([v[0]])
    return len(kept), type(kept + [1]).__name__, kept.data[:2]


class Logged(contextlib.ContextDecorator):
    def __init__(self):
        self.log = []

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, *details):
        self.log.append("out" if kind is None else kind.__name__)
        return False


def context_decorator(v):
    logged = Logged()

    @logged
    def root(x):
        if x < 0:
            raise ValueError("negative")
        return np.sqrt(x)

    out = []
    for x in v[:3]:
        try:
            out.append(root(x))
        except ValueError:
            out.append(None)
    return out, logged.log


class Encoder(json.JSONEncoder):
    def default(self, x):
        if isinstance(x, np.ndarray):
            return x.tolist()
        return x.item() if isinstance(x, np.generic) else super().default(x)


def encoder(v):
    return json.dumps({"v": v, "max": v.max(), "k": [v[0]]}, cls=Encoder)


CASES = [
    titled("inherited: sets", sets, *INTEGERS),
    *(titled(f"inherited: {f.__name__.replace('_', ' ')}", f, *VALUES) for f in (
        mapping, sequence, cards, user_dict, user_list, context_decorator, encoder)),
]
