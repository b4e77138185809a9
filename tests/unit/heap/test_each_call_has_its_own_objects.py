"""Objects with an identity that a function makes of constants: each call has its own, whatever
leads out of the function. Values, such as numbers and tuples of them, may be shared."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import load
from tests.support.amount import sample

PROGRAM = """
import collections, dataclasses, functools, types
import numpy as np

K = []

class Plain:
    def __init__(self, v): self.v = v
    def add(self, v):
        self.v.append(v)
        return list(self.v)

class Slotted:
    __slots__ = ("v",)
    def __init__(self, v): self.v = v

class Float(float): pass
class Text(str): pass
class Tuple(tuple): pass
class List(list): pass

@dataclasses.dataclass(frozen=True, eq=False)
class Frozen:
    v: int

def app(l, v):
    l.append(v)
    return list(l)

def f(x):
    {body}
"""

MADE = {
    "an object": "object()", "a partial function": "functools.partial(app, [])",
    "a frozen data class": "Frozen(1)", "an exception": "ValueError('a')",
    "an instance": "Plain(1)", "a slotted one": "Slotted(1)", "a number with attributes":
    "Float(1.5)", "a text with attributes": "Text('ab')", "a tuple with attributes":
    "Tuple((1, 2))", "a list": "[1]", "a list of a class": "List([1])", "a namespace":
    "types.SimpleNamespace(a=1)", "a polynomial": "np.poly1d([1., 2.])", "a property":
    "property(len)", "a static method": "staticmethod(len)", "a view of a dict":
    "types.MappingProxyType({})", "a Counter": "collections.Counter('ab')", "a user list":
    "collections.UserList([1])", "an array": "np.zeros(2)",
}
PLACES = {
    "returned": "return {0}",
    "returned twice": "o = {0}\n    return [o, o, {0}]",
    "of a branch": "o = None\n    if x > 1: o = {0}\n    return o",
    "of one of two": "o = {0}\n    if x > 1: o = {0}\n    return o",
    "of a loop": "r = []\n    for i in range(int(x)): r.append({0})\n    return r",
    "of a loop of the run": "r = []\n    while len(r) < x:\n        r.append({0})\n    return r",
    "of a branch in a list": "r = []\n    if x > 1: r.append({0})\n    r.append({0})\n    return r",
    "kept by a branch": "if x > 1: K.append({0})\n    return len(K)",
    "kept and returned": "o = {0}\n    if x > 1: K.append(o)\n    return o",
}
def identities(nest: Any, known: dict[int, int]) -> Any:
    """Returns a nest with a number for each object."""
    if nest is None or type(nest) is int:
        return nest
    inside = [identities(x, known) for x in nest] if type(nest) is list else []
    return type(nest).__name__, known.setdefault(id(nest), len(known)), inside


def both(text: str, name: str, mode: str, use: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Returns what is seen of six calls, plain and decorated."""
    found = []
    for decorate in (lambda f: f, lambda f: ag.function(f, **MODES[mode])):
        scope = load(text, name)
        f = decorate(scope["f"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some run as plain Python
            found.append(use([f(np.float64(x)) for x in (0, 2, 2, 3, 0, 2)] + [scope["K"]]))
    return found[0], found[1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("made", "place"), sample(
    [(made, place) for made in MADE for place in PLACES], 2))
def test_identities(made: str, place: str, mode: str) -> None:
    text = PROGRAM.replace("{body}", PLACES[place].format(MADE[made]))
    plain, traced = both(text, f"<{made} {place} {mode}>", mode, lambda r: identities(r, {}))
    assert traced == plain


CHANGED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "items of a closure": (
        "items = []\n    def add(v): items.append(v); return list(items)\n    return add",
        lambda r: r(1)),
    "an attribute of a function": (
        "def g():\n        g.n += 1\n        return g.n\n    g.n = 0\n    return g",
        lambda r: r()),
    "a list in an attribute of a function": (
        "g = lambda: 1\n    g.n = [0]\n    return g", lambda r: (r.n.append(1), len(r.n))),
    "a new attribute of a function": (
        "return lambda: 1", lambda r: (setattr(r, "n", getattr(r, "n", 0) + 1), r.n)),
    "the list of a partial function": ("return functools.partial(app, [])", lambda r: r(1)),
    "the object of a method": ("return Plain([1]).add", lambda r: r(2)),
    "the items of a class": (
        "class C: items = []\n    return C", lambda r: (r.items.append(1), len(r.items))),
    "the items of an object's class": (
        "class C:\n        items = []\n    return C()", lambda r: (
            r.items.append(1), len(r.items))),
    "an attribute of a class": (
        "return type('C', (), {'n': 0})", lambda r: (setattr(r, "n", r.n + 1), r.n)),
    "the coefficients of a polynomial": (
        "return np.poly1d([1., 2.])", lambda r: (
            r.coeffs.__setitem__(0, r.coeffs[0] + 1), r.coeffs.tolist())),
    "the dict of a view": (
        "d = {'a': 1}\n    return types.MappingProxyType(d), d", lambda r: (
            r[1].__setitem__(len(r[1]), 2), len(r[0]))),
    "an object in a frozen set": (
        "return frozenset([Plain([])])", lambda r: [p.add(1) for p in r]),
    "a list in a tuple of a class": (
        "return Tuple(([1], 2))", lambda r: (r[0].append(1), len(r[0]))),
    "an attribute of a number": (
        "return Float(1.5)", lambda r: (setattr(r, "n", getattr(r, "n", 0) + 1), r.n)),
    "a list in an attribute of a number": (
        "v = Float(1.5)\n    v.n = [0]\n    return v", lambda r: (r.n.append(1), r.n[:], r + 1)),
    "a list in an attribute of a number of a branch": (
        "v = None\n    if x > 1:\n        v = Float(1.5)\n        v.n = [0]\n    return v",
        lambda r: r and (r.n.append(1), r.n[:], r + 1)),
    "the coefficients of a polynomial of a branch": (
        "v = None\n    if x > 1: v = np.poly1d([1., 2.])\n    return v", lambda r: r and (
            r.coeffs.__setitem__(0, r.coeffs[0] + 1), r.coeffs.tolist(), r.variable)),
    "an attribute of a partial function": (
        "p = functools.partial(app, v=1, l=[])\n    p.l = [x]\n    return p", lambda r: (
            r(), r.l.append(2), r.l[:])),
    "an attribute of an exception": (
        "return ValueError('a')", lambda r: (setattr(r, "n", getattr(r, "n", 0) + 1), r.n)),
    "an attribute of np.vectorize": (
        "return np.vectorize(len)", lambda r: (setattr(r, "n", getattr(r, "n", 0) + 1), r.n)),
    "a partial function of a branch": (
        "o = None\n    if x > 1: o = functools.partial(app, [])\n    return o",
        lambda r: r and r(1)),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CHANGED)
def test_what_is_changed_in_one_is_not_changed_in_the_next(name: str, mode: str) -> None:
    body, use = CHANGED[name]
    plain, traced = both(PROGRAM.replace("{body}", body), f"<{name} {mode}>", mode,
                         lambda results: [[use(r), use(results[0])] for r in results[:-1]])
    assert traced == plain
