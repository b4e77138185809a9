"""Objects whose `__getattr__` answers everything, or raises what it likes, are as others are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import run


class Raises:
    def __init__(self, a: float) -> None:
        self.a = a

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__deepcopy"):
            raise AttributeError(name)
        raise KeyError(name)

    def __call__(self, x: Any) -> Any:
        return x * self.a

    def __iter__(self) -> Any:
        return iter([1.0, self.a])

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Slotted(Raises):
    __slots__ = ("a", "unset")


class Answers(Raises):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return 7


def mocked(a: float) -> Any:
    return MagicMock(spec=("a",), a=a)


class Attributes(dict[str, Any]):
    __getattr__ = dict.__getitem__
    __deepcopy__ = None


class Listed(list[Any]):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise KeyError(name)


def reads(o, x):
    return o.a * x if x.sum() > 0 else x


def stores(o, x):
    if x.sum() > 0:
        o.a = o.a + 1
    return x


def always_stores(o, x):
    o.a = x.sum()
    return o


def in_a_list(o, x):
    kept = [o]
    if x.sum() > 0:
        kept.append(o)
    return kept


def chosen(o, x):
    return o if x.sum() > 0 else None


def in_a_loop(o, x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 1:
            s += o.a
    return s


def compared(o, x):
    return o is None, o == o, x.sum() > 0, isinstance(o, dict), callable(o)


def in_a_closure(o, x):
    d = {"k": o}

    def inner(y):
        return d["k"].a * y
    return inner(x) if x.sum() > 0 else x


def called(o, x):
    return o(x) if x.sum() > 0 else x


def iterated(o, x):
    s = 0
    for v in o:
        s = s + v * x
    return s


def in_a_block(o, x):
    with o as p:
        if x.sum() > 0:
            x = x * p.a
    return x


def keys(d, x):
    if x.sum() > 0:
        d["y"] = d["a"] * 2
    return d


def items(listed, x):
    if x.sum() > 0:
        listed.append(x.sum())
    return listed


OBJECTS = [reads, stores, always_stores, in_a_list, chosen, in_a_loop, compared, in_a_closure,
           called, iterated, in_a_block]
CASES: list[tuple[Callable[..., Any], Callable[[], Any]]] = [
    *((f, lambda c=c: c(2.0)) for f in OBJECTS for c in (Raises, Slotted, Answers)),
    *((f, lambda: mocked(2.0)) for f in (reads, stores, always_stores, in_a_loop, in_a_closure)),
    *((f, lambda: Attributes(a=3.0)) for f in (keys, in_a_list, chosen, compared)),
    *((f, lambda: Listed([1.0])) for f in (items, in_a_list, chosen, compared))]


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize(("function", "made"), CASES)
def test_no_object_is_asked_for_what_it_may_not_have(
        function: Callable[..., Any], made: Callable[[], Any], effects: str) -> None:
    traced = ag.function(function, effects=effects)
    plain_object, own = made(), made()
    for x in np.arange(4.0), -np.arange(4.0), np.ones(2):
        plain, got = run_on(function, plain_object, x), run_on(traced, own, x)
        assert got == plain


def run_on(function: Callable[..., Any], o: Any, x: Any) -> str:
    """Returns what a call does, and what the object holds then."""
    done = run(lambda y: shown(function(o, y), o), (x,))
    return done.describe() + done.told + str(shown(o, None))


def shown(value: Any, o: Any) -> Any:
    """Returns values with the object as a name, and what it holds."""
    if value is o:
        return "the object"
    if type(value) in (list, tuple):
        return type(value)(shown(x, o) for x in value)
    if isinstance(value, (Raises, MagicMock)):
        return type(value).__name__, value.a
    return dict(value) if isinstance(value, dict) else value
