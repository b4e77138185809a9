"""Iterators that a trace keeps, and that plain code reads as it was written."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.staging import plain_loops

LOG: list[Any] = []


def fib() -> Iterator[int]:
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def squares(n):
    for i in range(n):
        yield i * i


def leaves(nest):
    if isinstance(nest, list):
        for part in nest:
            yield from leaves(part)
    else:
        yield nest


def logged(n):
    for i in range(n):
        LOG.append(i)
        yield i


class Node:
    def __init__(self, v, *kids):
        self.v, self.kids = v, kids

    def walk(self):
        yield self.v
        for kid in self.kids:
            yield from kid.walk()


class Tree(Node):
    def __iter__(self):
        yield from self.walk()


def endless_with_break(x):
    t = 0
    for v in fib():
        if v > 100:
            break
        t += v
    return x + t


def read_by_plain_then_staged_loop(x):
    it, t = fib(), 0
    for v in it:
        if v > 10:
            break
    for v in it:
        t = t + x * v
        if v > 100:
            break
    return t


def nested(x):
    return x + sum(leaves([1, [2, [3, [4]], 5]])), list(Tree(1, Tree(2, Tree(3)), Tree(4)))


def with_effects(x):
    LOG.clear()
    s = sum(logged(4))
    return x + s, list(LOG)


def next_first(x):
    it = squares(6)
    a = next(it)
    return x + a + sum(it), list(it)


def list_gets_a_symbolic_item(x):
    items = [1, 2, 3]

    def twice():
        for v in items:
            yield v * 2

    it = twice()
    for v in it:
        if v >= 2:
            break
    items.append(x)
    return list(it)


def stores_as_it_goes(x):
    seen = {}

    def entered():
        for i in range(4):
            seen[i] = i
            yield i

    it = entered()
    for v in it:
        if v == 1:
            break
    r = x * 0
    for v in it:
        r = r + x * v
    return r, seen


def counts(x):
    c = itertools.count()
    first = [next(c) for _ in range(3)]
    pairs = list(zip(c, "abc"))  # noqa: B905
    return x + next(c), first, pairs


def of_itertools(x):
    return (x, list(itertools.islice(itertools.count(5), 4)),
            [(k, len(list(g))) for k, g in itertools.groupby([1, 1, 2, 2, 3])],
            list(itertools.chain.from_iterable([[1, 2], [3]])))


def in_branches(x):
    if x.sum() > 0:
        return sum(squares(5)) + x
    return x - sum(logged(3))


def zipped(x):
    return x + sum(a + b for a, b in zip(squares(5), itertools.count()))


def exhausted(x):
    it = (v for v in range(4))
    s = sum(it)
    for _ in range(3):
        s = s + sum(it)
    return x * s + next(it, 0)


def one_after_the_other(x):
    outer = (v * v for v in range(9))
    inner = (w + 1 for w in outer if w % 2)
    return x + sum(inner), list(outer)


PROGRAMS = [endless_with_break, read_by_plain_then_staged_loop, nested, with_effects, next_first,
            list_gets_a_symbolic_item, stores_as_it_goes, counts, of_itertools, in_branches, zipped,
            exhausted, one_after_the_other]


def outcome(f: Callable[..., Any], x: Any) -> str:
    LOG.clear()
    return repr((f(x.copy()), LOG))


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_plain_python(program: Callable[..., Any]) -> None:
    traced = ag.function(program, effects="runtime")
    for x in (np.arange(3.0), np.arange(3.0) - 5, np.arange(3.0)):
        assert outcome(traced, x) == outcome(program, x)


def gone_through() -> list[Callable[[], Any]]:
    return [lambda: sum(squares(20)), lambda: list(Node(1, Node(2)).walk()),
            lambda: max(leaves([1, [2]])), lambda: sorted(["b", "A"], key=str.lower),
            lambda: list(map(str, range(9))),
            lambda: sorted([3, 1], key={3: 1, 1: 2}.get)]


@pytest.mark.parametrize("number", range(len(gone_through())))
def test_it_runs_as_written(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made, as_written = [], plain_loops._as_written

    def noted(*args: Any) -> Any:
        made.append(as_written(*args))
        return made[-1]

    monkeypatch.setattr(plain_loops, "_as_written", noted)
    f = gone_through()[number]
    assert ag.function(f)() == f()
    assert made[-1] is not NotImplemented
