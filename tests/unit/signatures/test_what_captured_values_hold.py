"""With captures="guard", a change of anything that a captured value leads to is seen."""

from __future__ import annotations

import enum
import weakref
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Meta(type):
    of_all = [1]


class OfMeta(metaclass=Meta):
    pass


class Target:
    v: Any = 1


class Words(dict[str, Any]):
    mark: Any = None


class Row(list[Any]):
    mark: Any = None


class Kind(enum.Enum):
    ONE = 1
    extra: Any


class Scope:
    """What the functions take from outside, made anew for each test."""

    def __init__(self) -> None:
        self.numbers, self.data = array("d", [1.0, 2.0]), bytearray(b"\x01\x02")
        self.seen = memoryview(self.data)
        self.target = Target()
        self.weak, self.proxy = weakref.ref(self.target), weakref.proxy(self.target)
        self.shown: dict[str, Any] = {"a": 1}
        self.items, self.values, self.keys = (
            self.shown.items(), self.shown.values(), self.shown.keys())
        self.masked = np.ma.array([1.0, 2.0], mask=[False, False])
        self.matrix = np.array([[1.0]]).view(np.recarray)
        self.words, self.row = Words(a=1), Row([1])
        self.words.mark = self.row.mark = [1]
        Kind.ONE.extra, Meta.of_all[0] = [1], 1


CHANGES: dict[str, tuple[Callable[[Scope], Any], Callable[[Scope], Any]]] = {
    "array.array": (lambda s: s.numbers[0], lambda s: s.numbers.__setitem__(0, 3.0)),
    "bytearray": (lambda s: s.data[0], lambda s: s.data.__setitem__(0, 9)),
    "memoryview": (lambda s: s.seen[1], lambda s: s.data.__setitem__(1, 7)),
    "a weak reference": (lambda s: s.weak().v, lambda s: setattr(s.target, "v", 4)),
    "a weak proxy": (lambda s: s.proxy.v, lambda s: setattr(s.target, "v", 5)),
    "items of a dict": (lambda s: next(iter(s.items))[1], lambda s: s.shown.update(a=4)),
    "values of a dict": (lambda s: sum(s.values), lambda s: s.shown.update(b=4)),
    "keys of a dict": (lambda s: len(s.keys), lambda s: s.shown.update(c=4)),
    "a masked array": (lambda s: s.masked.sum(), lambda s: s.masked.mask.__setitem__(0, True)),
    "an array of a class of NumPy's": (
        lambda s: s.matrix[0, 0], lambda s: s.matrix.__setitem__((0, 0), 5.0)),
    "a class of a class": (lambda s: OfMeta.of_all[0], lambda s: Meta.of_all.__setitem__(0, 5)),
    "an attribute of a dict": (lambda s: s.words.mark[0], lambda s: s.words.mark.append(
        s.words.mark.pop() + 4)),
    "an attribute of a list": (lambda s: s.row.mark[0], lambda s: setattr(s.row, "mark", [7])),
    "an item of a list with attributes": (lambda s: s.row[0], lambda s: s.row.__setitem__(0, 5)),
    "a member of an enumeration": (
        lambda s: Kind.ONE.extra[0], lambda s: Kind.ONE.extra.__setitem__(0, 5)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen(name: str) -> None:
    read, change = CHANGES[name]
    scope = Scope()

    def f(x: Any) -> Any:
        return x * read(scope)

    guarded = ag.function(f, effects="runtime", captures="guard")
    before = [guarded(np.float64(2.0)), guarded(np.float64(2.0)), f(np.float64(2.0))]
    change(scope)
    after = [guarded(np.float64(2.0)), guarded(np.float64(2.0)), f(np.float64(2.0))]
    assert len(set(before)) == len(set(after)) == 1 and before[0] != after[0]
