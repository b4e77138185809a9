"""Programs on the protocol of iterators: every kind of iterator, and each way to read or ask it."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import REFUSALS, fallbacks, load, outcome_of

MAKERS = (
    "enumerate(x)", "zip(x, y)", "map(raised, x)", "filter(is_large, x)", "reversed(x)",
    "iter([x[0], x[1], 3.0])", "iter(grown)", "iter((x[0], 2.0))", "reversed([x[0], 1.0, 2.0])",
    "itertools.chain(x, y)", "itertools.islice(x, 2)", "itertools.islice(itertools.cycle(x), 4)",
    "itertools.islice(itertools.count(x[0]), 4)", "itertools.repeat(x[0], 3)",
    "itertools.accumulate(x)", "itertools.takewhile(is_large, x)",
    "itertools.dropwhile(is_large, x)", "itertools.product(x, y)", "itertools.pairwise(x)",
    "itertools.starmap(pow, [(x[0], 2), (x[1], 3)])", "itertools.compress(x, [1, 0, 1])",
    "itertools.filterfalse(is_large, x)", "itertools.zip_longest(x, y)", "itertools.groupby(x)",
    "itertools.combinations(x, 2)", "itertools.permutations(x, 2)", "itertools.tee(x)[0]",
    "itertools.chain.from_iterable([x, y])", "(v * 2 for v in x)", "doubled(x)",
    "iter({1.0: x[0], 2.0: x[1]})", "iter({1: x[0], 2: x[1]}.values())",
    "iter({1: x[0], 2: x[1]}.items())", "iter({float(x[0]): 1, float(x[1]): 2}.items())",
    "iter({float(x[0])})", "iter(range(int(x[0])))", "iter(f'{x[0]:.1f}')", "Own(x)",
    "iter(iter(x).__next__, 3.0)", "io.StringIO('a\\nb\\nc')", "iter(collections.deque(x))",
    "iter(q)", "r")
"""What makes an iterator `e`."""

USES = (
    "return iter(e) is e, [v for v in e]", "return e.__iter__() is e, [v for v in e]",
    "a = next(e)\nb = e.__iter__() is e\nreturn a, b, next(e, 9), list(e)",
    "a = e.__next__()\nreturn a, e.__next__()", "n = e.__next__\na = n()\nreturn a, n()",
    "return next(e, 7), next(e, 7), next(e, 7), next(e, 7)",
    "a = 0\nif x[0] > 1:\n    a = next(e)\nreturn a, next(e, 9)",
    "a = 0\nif x[0] > 1:\n    a = e.__next__()\nreturn a, next(e, 9)",
    "return operator.length_hint(e, 5), next(e, 0), operator.length_hint(e, 5)",
    "c = copy.copy(e)\nreturn next(c), next(e), next(c, 0), list(itertools.islice(e, 2))",
    "n = 0.0\nfor v in iter(e):\n    n += 1\n    if n > 2: break\nreturn n",
    "n = 0.0\nfor v in e.__iter__():\n    n += 1\n    if n > 2: break\nreturn n, next(e, 0)",
    "a, *b = itertools.islice(e, 3)\nreturn a, b",
    "a = iter(iter(e))\nreturn next(a), next(e, 4), a is e",
    "return 3.0 in itertools.islice(e, 3)",
    "return isinstance(e, collections.abc.Iterator), hasattr(e, '__next__'), type(e) is zip",
    "return isinstance(e, (enumerate, map, types.GeneratorType)), isinstance(e, int)",
    "return getattr(e, '__iter__')() is e, getattr(e, '__next__')()",
    "return type(e).__next__(e), type(e).__iter__(e) is e",
    "try:\n    for _ in range(7): e.__next__()\nexcept StopIteration:\n    return 1\nreturn 2",
    "return [e.__next__() for _ in range(2)]", "return len(list(e.__iter__())), next(e, 3)",
    "a = first(e)\nreturn a, next(e, 3)", "a = first(e)\nreturn a, [v for v in e]")
"""What a function does with it."""

PRELUDE = '''
import collections, copy, io, itertools, operator, types
import collections.abc
import autograph as ag
import numpy as np

def raised(v):
    return v + 1

def is_large(v):
    return v > 0.5

def doubled(x):
    for v in x:
        yield v
        yield v + 1

@ag.do_not_convert
def first(e):
    return next(e)

class Own:
    def __init__(self, x):
        self.x, self.i = x, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.i += 1
        if self.i > 3: raise StopIteration
        return self.x[self.i - 1]

def make():
    return np.array([2.0, 1.0, 3.0]), np.arange(3.0), [1.0, 2.0], iter([5.0, 6.0, 7.0])

def f(x, y, q, r):
    grown = []
    for v in x:
        if v > 0: grown.append(v)
'''

PROGRAMS = list(product(MAKERS, USES))


def source(maker: str, use: str) -> str:
    """A module with `f(x, y, q, r)`, and `make()`, which makes its arguments."""
    return PRELUDE + "".join(f"    {line}\n" for line in f"e = {maker}\n{use}".split("\n"))


def outcomes(scope: dict[str, Any], function: Any) -> list[str]:
    """What two calls give, and leave of their arguments."""
    found = []
    for _ in range(2):
        args = scope["make"]()
        try:
            result = function(*args)
        except REFUSALS:
            raise
        except Exception as error:
            result = type(error), str(error)
        found.append(Picture().of((result, *args)))
    return found


def verdict(maker: str, use: str, mode: str) -> str:
    """As that of `state_verdict`."""
    text, name = source(maker, use), f"<iterator {maker}, {use!r}, {mode}>"
    scope, other = load(text, name), load(text, name)
    expected = outcomes(scope, scope["f"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with fallbacks() as told:
                found = outcomes(other, ag.function(other["f"], **MODES[mode]))
        except REFUSALS as error:
            return f"refused: {str(error).splitlines()[0]}"
    wrong = next((pair for pair in zip(expected, found, strict=True) if pair[0] != pair[1]), None)
    return outcome_of(told) if wrong is None else f"wrong: {wrong[0]} expected, {wrong[1]} found"
