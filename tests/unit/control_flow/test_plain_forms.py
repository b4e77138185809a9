"""Forms of plain code that run as they were written in a trace; their cost, and tracebacks."""

import collections
import dataclasses
import enum
import functools
import heapq
import itertools
import operator
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.staging import plain_loops

TEXT = "the cat and the hat"


class Counted:
    def __init__(self, v):
        self.v = v

    def add(self, k):
        self.v += k
        return self

    @property
    def twice(self):
        return self.v * 2

    @property
    def inverse(self):
        return 1 // self.v


@dataclasses.dataclass
class Row:
    name: str
    items: list = dataclasses.field(default_factory=list)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def comprehensions():
    return [[i * j for j in range(9) if j] for i in range(9)], {i % 4 for i in range(9)}, {
        c: i for i, c in enumerate(TEXT)}, [a + b for a in "ab" for b in "cd"]


def generators():
    return sum(i * i for i in range(9)), ",".join(str(i) for i in range(9)), collections.Counter(
        len(w) for w in ["a", "bc", "d"]), any(i > 5 for i in range(9))


def callbacks():
    added = map(lambda v, w: v + w, range(9), range(9))
    odd = filter(lambda v: v % 2, range(9))
    return sorted(TEXT, key=lambda c: (-ord(c), c)), list(added), list(odd), functools.reduce(
        lambda a, b: a * b, range(1, 9))


def iterators():
    return [a * b for a, b in itertools.product(range(3), range(3))], list(
        itertools.accumulate(range(9))), [a + b for a, b in zip(TEXT, reversed(TEXT), strict=True)]


def local_functions():
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def is_odd(n):
        return n != 0 and is_even(n - 1)

    def is_even(n):
        return n == 0 or is_odd(n - 1)

    return fib(9), is_odd(7)


def objects():
    rows = [Row(str(i)) for i in range(5)]
    for row in rows:
        row.items.append(len(row.name))
    other = {Color.RED: Color.BLUE, Color.BLUE: Color.RED}
    return [r.items for r in rows], [Counted(i).add(1).twice for i in range(5)], [
        other[c].name for c in (Color.RED, Color.BLUE)]


def handlers():
    found = []
    for i in range(6):
        try:
            found.append(6 // (i % 3))
        except ZeroDivisionError:
            found.append(-1)
    return found


def libraries():
    heap: list[int] = []
    for i in range(9):
        heapq.heappush(heap, i * 7 % 5)
    return [heapq.heappop(heap) for _ in range(9)], functools.reduce(operator.add, [1, 2, 3])


FORMS = [(comprehensions, 3), (generators, 4), (callbacks, 3), (iterators, 2), (local_functions, 2),
         (objects, 3), (handlers, 1), (libraries, 2)]


@pytest.mark.parametrize(("f", "parts"), FORMS, ids=[f.__name__ for f, _ in FORMS])
def test_it_runs_as_written(f: Callable[..., Any], parts: int, monkeypatch: pytest.MonkeyPatch
                            ) -> None:
    ran = []
    staged = plain_loops.staged
    monkeypatch.setattr(plain_loops, "staged", lambda *a: ran.append(a) or staged(*a))
    traced = ag.function(f)
    assert traced() == f()
    assert len(ran) >= parts
    equations = traced.get_concrete_function().program.graph.equations
    assert {e.op.name for e in equations} <= {"construct"}  # sets and counters are made by each run


def test_a_look_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large value that leads to a symbolic one is not walked through for each call."""
    looks = []
    walk = plain_loops.Reachable.walk
    monkeypatch.setattr(plain_loops.Reachable, "walk", lambda *a: looks.append(1) or walk(*a))

    def f(x):
        held = [x, [[i] for i in range(4000)]]

        def last(k):
            return held[0] * k

        return sum([last(i) for i in range(200)])

    assert ag.function(f)(np.float64(2.0)) == f(2.0)
    assert len(looks) < 60


def fails_in_a_loop(x):
    s = 0
    for v in [1, 2, 3, 4, 5, 0]:
        s += 1 // v
    return x + s


def fails_in_a_comprehension(x):
    return x + [1 // v
                for v in [1, 2, 0]][-1]


def fails_in_a_generator(x):
    return x + sum(1 // v for v in [1, 2, 0])


def fails_in_a_function(x):
    def inner(k):
        return 1 // k

    return x + sum(map(inner, [1, 2, 0]))


def fails_in_a_key(x):
    return x + sorted([1, 2, 0], key=lambda v: 1 // v)[0]


def fails_in_a_method(x):
    return x + Counted(0).inverse


@pytest.mark.parametrize("f", [f for name, f in list(globals().items())
                               if name.startswith("fails_in")], ids=lambda f: f.__name__)
def test_tracebacks_are_those_of_plain_python(f: Callable[..., Any]) -> None:
    frames = []
    for called in (f, ag.function(f)):
        with pytest.raises(ZeroDivisionError) as caught:
            called(np.float64(1.0))
        entries = traceback.extract_tb(caught.value.__traceback__)[1:]
        frames.append([(entry.name, entry.lineno) for entry in entries])
    assert frames[0] == frames[1]
