"""Objects that a branch or a loop makes of constants: each iteration, and each call, makes others.
"""

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


@dataclasses.dataclass
class Record:
    v: Any


@dataclasses.dataclass(frozen=True)
class Frozen:
    v: Any


class Slotted:
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v


class Node:
    def __init__(self, v):
        self.v = v


class Empty:
    pass


class Chosen:
    """Its `__new__` is its own."""

    def __new__(cls, v):
        self = super().__new__(cls)
        self.v = v
        return self


Pair = collections.namedtuple("Pair", "p q")
OUTSIDE = [Node(9), Record(8), collections.OrderedDict(a=1)]
MAKE: list[Callable[[Any], Any]] = [
    lambda g: Record(5), lambda g: Record(g), lambda g: Frozen([1]), lambda g: Pair(Record(1), 2),
    lambda g: Pair([1], 2), lambda g: Slotted(3), lambda g: Node(5), lambda g: Node(g),
    lambda g: Node(Node(1)), lambda g: Empty(), lambda g: Chosen(5), lambda g: Chosen(g),
    lambda g: (Pair(Chosen(1), [2]), 3),
    lambda g: Node([Record(1)]), lambda g: [Node(2)],
    lambda g: {"a": Node(2)}, lambda g: {"a": Record(2)}, lambda g: (Record(1), Node(2)),
    lambda g: collections.OrderedDict(a=Record(1)), lambda g: collections.OrderedDict(a=g),
    lambda g: collections.defaultdict(list, {"e": g}), lambda g: collections.deque([Record(1)]),
    lambda g: collections.Counter(a=1), lambda g: bytearray(b"ab"), lambda g: {1, 2}]


def held(x: Any) -> list[Any]:
    """The objects that can be changed in a value, itself first."""
    found = [] if isinstance(x, (Frozen, tuple)) else [x]
    inside = x if isinstance(x, (list, tuple, collections.deque)) else (
        x.values() if isinstance(x, dict) else [x.v] if hasattr(x, "v") else [])
    return found + [y for part in inside for y in held(part) if not isinstance(part, int)]


def in_a_loop(make: Callable[[Any], Any]) -> Callable[..., Any]:
    def f(x, g):
        made = []
        for _ in range(int(x)):
            made.append(make(g))  # noqa: PERF401
        return made

    return f


def in_a_branch(make: Callable[[Any], Any]) -> Callable[..., Any]:
    def f(x, g):
        made = []
        if x > 1:
            made.append(make(g))
        return made

    return f


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize("form", [in_a_loop, in_a_branch])
@pytest.mark.parametrize("number", range(len(MAKE)))
def test_no_object_is_made_once_for_all(number: int, form: Any, effects: str) -> None:
    f = form(MAKE[number])
    for g in (Node(3), 5):
        traced = ag.function(f, effects=effects)
        found = [y for _ in range(2) for x in traced(np.float64(3), g) for y in held(x)
                 if y is not g]
        plain = [y for _ in range(2) for x in f(np.float64(3), g) for y in held(x) if y is not g]
        assert len({*map(id, found)}) == len(found) == len(plain)


def test_those_outside_stay_themselves() -> None:
    @ag.function
    def f(x, g):
        made = []
        for _ in range(int(x)):
            made += [*OUTSIDE, g]
        return made

    g = Record(1)
    assert all(x is y for x, y in zip(f(np.float64(2), g), [*OUTSIDE, g] * 2, strict=True))


def test_a_change_of_what_a_call_returned_is_not_seen_by_the_next() -> None:
    @ag.function
    def f(x):
        made = []
        if x > 0:
            made.append(Node(5))
        return made

    f(np.float64(1))[0].v = 100
    assert f(np.float64(1))[0].v == 5


class Store:
    """Where a function keeps an object that it makes once."""

    one = None


class Single:
    one = None

    def __new__(cls):
        if cls.one is None:
            cls.one = super().__new__(cls)
        return cls.one


def lazily(make):
    def once():
        if Store.one is None:
            Store.one = make()
        return Store.one

    return once


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize("make", [Empty, lambda: Node(1), lambda: Chosen(2), list])
def test_one_that_is_kept_and_returned_is_one(make: Callable[[], Any], effects: str) -> None:
    once = lazily(make)

    @ag.function(effects=effects, captures="guard")
    def f(x):
        if x > 0:
            return once()

    Store.one = None
    assert f(np.float64(1)) is Store.one
    assert f(np.float64(1)) is Store.one


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
@pytest.mark.parametrize("effects", ["trace", "runtime"])
def test_a_class_with_one_object(effects: str) -> None:
    @ag.function(effects=effects, captures="guard")
    def f(x):
        if x > 0:
            return Single()

    Single.one = None
    assert f(np.float64(1)) is Single.one
    assert f(np.float64(1)) is Single.one is Single()


def kept_error(x):
    try:
        raise KeyError(1)
    except KeyError as error:
        return error


def either_error(x):
    return ValueError(1) if x > 1 else KeyError([2])


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize("f", [Chosen, lambda x: Chosen(5), lambda x: ValueError(1), kept_error,
                               either_error])
def test_each_call_makes_another(f: Callable[[Any], Any], effects: str) -> None:
    traced = ag.function(f, effects=effects)
    first, second = traced(np.float64(2)), traced(np.float64(2))
    assert first is not second
    assert type(first) is type(second) is type(f(np.float64(2)))
    if isinstance(first, Exception):
        first.add_note("seen")
        assert not hasattr(traced(np.float64(2)), "__notes__")
        assert first.args == second.args
        assert all(x is not y for x, y in zip(first.args, second.args, strict=True)
                   if isinstance(x, list))
