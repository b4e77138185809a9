"""Programs on the identity of what cannot be changed: each kind of container, made by each
construct, comes out by each way; whether two places hold one object is as in plain Python."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import REFUSALS, fallbacks, load, outcome_of

PRELUDE = '''
import contextlib, copy, functools, itertools
from collections import namedtuple, deque
from dataclasses import dataclass
import numpy as np

Pair = namedtuple("Pair", "a b")

@dataclass(frozen=True)
class Frozen:
    a: object
    b: object

class Holder:
    pass

G = []

def recurse(n, t):
    if n > 0:
        return recurse(n - 1, t)
    return t

def chosen(test, t, u):
    if test:
        return t
    return u
'''

KINDS = {
    "tuple": "(v, c)",
    "deep": "((v,), c)",
    "list inside": "([v], c)",
    "array inside": "(x * v, c)",
    "named": "Pair(v, c)",
    "named list": "Pair([v], c)",
    "frozen": "Frozen(v, c)",
    "frozen list": "Frozen([v], c)",
    "slice": "slice(int(v), c)",
    "object inside": "(held(v), c)",
}
"""What makes one of `v`, a number of an array, and `c`, a constant."""

CONSTRUCTS = {
    "straight": "t = MAKE\nu = MAKE",
    "loop": "for v in x:\n    t = MAKE\n    l.append(t)\n    l.append(t)\nu = MAKE",
    "twice in a loop": "for v in x:\n    t = MAKE\n    l.append(t)\n    l.append(MAKE)\nu = t",
    "long loop": "for v in y:\n    t = MAKE\n    l.append(t)\n    l.append(t)\nu = t",
    "while": "n = 0\nwhile n < x[0]:\n    t = MAKE\n    l += [t, t]\n    n += 1\nu = t",
    "carried": "t = u = MAKE\nfor v in y:\n    u = MAKE\n    if v > 5: t = u",
    "carried by a while": "t = u = MAKE\nn = 0\nwhile n < x[0]:\n    v, n = v + 1, n + 1\n"
                          "    u = t\n    t = MAKE",
    "kept by a loop": "t = MAKE\nu = t\nfor v in y:\n    if v > 99: u = MAKE",
    "branch": "if x[0] > 1:\n    t = MAKE\nelse:\n    t = MAKE\nu = t",
    "one side": "t = u = MAKE\nif x[0] > 1:\n    t = MAKE",
    "two of a branch": "if x[0] > 1:\n    t = u = MAKE\nelse:\n    t, u = MAKE, MAKE",
    "in a list of a branch": "if x[0] > 1:\n    t = MAKE\n    l = [t, t]\nelse:\n"
                             "    t = MAKE\nu = t",
    "through a branch": "t = MAKE\nu = t\nif x[0] > 1:\n    l.append(t)\n    l.append(u)",
    "chosen": "t = MAKE\nu = MAKE if x[0] > 1 else t",
    "chosen by a function": "u = MAKE\nt = chosen(x[0] > 1, u, MAKE)",
    "by an index": "u = MAKE\nw = [u, MAKE]\nt = w[int(x[0]) % 2]",
    "comprehension": "l = [w for v in y for w in [MAKE] for _ in (1, 2)]\nt, u = l[0], l[1]",
    "known list": "l = [MAKE for v in (x[0], x[1])]\nl += l\nt = u = l[0]",
    "repeated": "t = u = MAKE\nl = [t] * int(x[0] + 2)",
    "recursion": "u = MAKE\nt = recurse(int(x[0]), u)",
    "handler": "t = u = MAKE\ntry:\n    t = MAKE\n    l.append(t)\n"
               "    if x[0] > 1: raise ValueError\nexcept ValueError:\n    u = t",
    "lists pass": "u = MAKE\nt = u\nfor v in y:\n    l.append(t)\n    if v > 5: l.append(u)",
    "popped": "u = MAKE\nfor v in y:\n    l.append(u)\n    u = l.pop()\nt = MAKE",
    "generator": "def gen(t):\n    for v in y:\n        yield t\n        yield t\nt = MAKE\n"
                 "l = list(gen(t))\nu = l[0]",
    "dict": "d = {}\nt = MAKE\nfor v in y:\n    d[float(v)] = t\nu = d[float(y[0])]",
    "given": "t = p\nu = p\nfor v in y:\n    l.append(t)",
    "one given": "t = p\nu = MAKE\nif x[0] > 1:\n    u = p",
    "global": "t = MAKE\nG.append(t)\nif x[0] > 1:\n    G.append(t)\nu = t\n"
              "l.append(G[-1])\ndel G[:-2]",
}

WAYS = {
    "pair": "return t, u",
    "lists": "return [t, u], l",
    "dict": "return {'t': t, 'u': u, 'l': l}",
    "nested": "return ([t], (u, t)), l",
    "attribute": "o.t, o.u = t, u\nreturn l",
    "attribute and result": "o.t = t\nreturn [t, u, l]",
    "in an argument": "q.append(t)\nq.append(u)\nq.append(t)\nreturn l",
    "is": "return t is u, u is not t, l",
    "is in a list": "return [a is b for a in (t, u) for b in (t, u)]",
    "ids": "return len({id(t), id(u)})",
    "any": "return any(w is t for w in l), any(w is u for w in l)",
    "object": "h = Holder()\nh.t, h.u, h.l = t, u, l\nreturn h",
    "partial": "return functools.partial(max, t, u), l",
    "closure": "return lambda: (t, u, l)",
    "deque": "return deque([t, u, *l])",
    "changed inside": "change(t)\nreturn t, u, l",
    "iterator": "return iter([t, u, t])",
}

HELPERS = '''
def held(v):
    h = Holder()
    h.v = v
    return h

def change(t):
    if isinstance(t, (tuple, Frozen)):
        a = t[0] if isinstance(t, tuple) else t.a
        if isinstance(a, list):
            a.append(7)

def make():
    p = MAKE_GIVEN
    return np.array([2.0, 1.0, 3.0]), np.arange(12.0), p, Holder(), []
'''


def source(kind: str, construct: str, way: str) -> str:
    """A module with `f(x, y, p, o, q)` and `make()`, which makes its arguments."""
    made = KINDS[kind]
    lines = f"{CONSTRUCTS[construct]}\n{WAYS[way]}".replace("MAKE", made).split("\n")
    given = made.replace("held(v)", "2.0").replace("x * v", "np.array([v, 1.0])").replace(
        "v", "3.0").replace("c", "2") if "frozenset" not in made and "f\"" not in made and (
            "slice" not in made) else "(3.0, 2)"
    return "\n".join([
        PRELUDE, HELPERS.replace("MAKE_GIVEN", given), "def f(x, y, p, o, q):",
        "    v, c, l = x[1] * 2, 3, []", *(f"    {line}" for line in lines), ""])


class IdentityPicture(Picture):
    """A picture in which it also shows which tuples, texts and slices are one object."""

    def of(self, x: Any) -> str:
        if (isinstance(x, (tuple, frozenset, slice)) and x != ()) or (
                isinstance(x, str) and "." in x):
            if id(x) in self.numbers:
                return f"#{self.numbers[id(x)]}"
            self.numbers[id(x)] = len(self.numbers)
            self.kept.append(x)
            inside = ", ".join(map(self.of, x)) if isinstance(x, tuple) else repr(x)
            return f"#{self.numbers[id(x)]}={type(x).__name__}({inside})"
        return super().of(x)


def outcomes(scope: dict[str, Any], function: Any) -> list[str]:
    """What each of two calls gives and leaves."""
    found = []
    for _ in range(2):
        args = scope["make"]()
        try:
            result = function(*args)
            if callable(result) and hasattr(result, "__code__"):
                result = result()
            if hasattr(result, "func"):
                result = result.args
        except REFUSALS:
            raise
        except Exception as error:
            result = error.with_traceback(None)
        found.append(IdentityPicture().of((result, *args, list(scope["G"]))))
    return found


def verdict(text: str, name: str, mode: str) -> str:
    """As that of `state_verdict`, for these programs."""
    expected_in, found_in = load(text, name), load(text, name)
    expected = outcomes(expected_in, expected_in["f"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with fallbacks() as told:
                found = outcomes(found_in, ag.function(found_in["f"], **MODES[mode]))
        except REFUSALS as error:
            return f"refused: {str(error).splitlines()[0]}"
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one != other:
            return f"wrong: call {number}: {one} expected, {other} found"
    return outcome_of(told)


PROGRAMS = list(product(KINDS, CONSTRUCTS, WAYS))
