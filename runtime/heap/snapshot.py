"""Snapshots: what heap locations and arrays held at one moment, to be compared and restored.

Whoever runs code ahead of time asks the same three questions: what was there before, what is
different now, and can it be put back? Regions of a trace, traces that are given up, graphs that
raise and iterators that are read ahead all take a snapshot of what the code can reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import is_, methodcaller
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from autograph.runtime.heap.locations import HeapLocation, dict_of
from autograph.runtime.ir.stand_ins import array_of
from autograph.runtime.symbolic.captures import identical

L = TypeVar("L", bound=HeapLocation)


class Change(NamedTuple, Generic[L]):
    """A location that changed: what it held before, and what it holds now."""

    location: L
    old: Any
    new: Any


class Snapshot(dict[L, Any]):
    """Heap locations, and what each of them held.

    >>> from autograph.runtime.heap.locations import locations_of
    >>> items = [1]
    >>> before = Snapshot.take(locations_of(items))
    >>> items.append(2)
    >>> [(old, new) for _, old, new in before.changes()]
    [([1], [1, 2])]
    >>> before.restore()
    >>> items, before.changes()
    ([1], [])
    """

    def __init__(self) -> None:
        super().__init__()
        self._dicts: dict[L, dict[Any, Any]] = {}
        self._blocks: Sequence[_Block[L]] = ()
        self._looked_at = 0

    @classmethod
    def take(cls, locations: Iterable[L]) -> Snapshot[L]:
        """Returns what the locations hold now."""
        made = cls()
        for x in locations:
            held = dict_of(x)
            if held is not None:
                made._dicts[x] = dict(held)
            made[x] = made._dicts[x] if type(held) is dict else x.read()
        return made

    def changes(self) -> list[Change[L]]:
        """Returns what has changed since, in the order of the locations."""
        return list(self._changes())

    def is_current(self) -> bool:
        """Returns True if the locations hold what they held."""
        return next(self._changes(), None) is None

    def restore(self, wanted: Callable[[Change[L]], bool] = lambda change: True) -> None:
        """Undoes the changes that are wanted; of others, nothing."""
        for change in self._changes():
            if wanted(change):
                change.location.write(change.old)

    def _changes(self) -> Iterator[Change[L]]:
        if self._looked_at != len(self):
            items = list(self.items())
            self._blocks = [_Block(items[k:k + BLOCK], self._dicts)
                            for k in range(0, len(items), BLOCK)]
            self._looked_at = len(items)
        for block in self._blocks:
            if not block.is_as_it_was():
                yield from block.changes()


BLOCK = 16
"""So many locations are compared at once."""
VALUES = methodcaller("values")


class _Block(Generic[L]):
    """Some locations of a snapshot. Most are dicts of Python's own, or attributes of classes, of
    which one comparison in C tells that all hold what they held: `was` has that."""

    __slots__ = ("dicts", "items", "keys", "others", "sizes", "values")

    def __init__(self, items: list[tuple[L, Any]], was: dict[L, dict[Any, Any]]) -> None:
        self.items = items
        self.others: list[tuple[L, Any]] = []
        self.dicts: list[Mapping[Any, Any]] = []
        held: list[dict[Any, Any]] = []
        for x, old in items:
            own = dict_of(x) if x in was else None
            if own is None:
                self.others.append((x, old))
            else:
                self.dicts.append(own)
                held.append(was[x])
        self.sizes = [*map(len, held)]
        self.keys = [*chain.from_iterable(held)]
        self.values = [*chain.from_iterable(map(VALUES, held))]

    def is_as_it_was(self) -> bool:
        """Returns True if the locations certainly hold what they held."""
        return [*map(len, self.dicts)] == self.sizes and all(
            map(is_, chain.from_iterable(map(VALUES, self.dicts)), self.values)) and all(
            map(is_, chain.from_iterable(self.dicts), self.keys)) and all(
            x.same(old, x.read()) for x, old in self.others)

    def changes(self) -> Iterator[Change[L]]:
        """Yields what has changed, in the order of the locations."""
        for x, old in self.items:
            new = x.read()
            if not x.same(old, new):
                yield Change(x, old, new)


class ArraySnapshot:
    """Arrays that can be written, with copies of them, by which writes are noticed and undone.

    >>> a = np.zeros(2)
    >>> before = ArraySnapshot([a])
    >>> a[0] = 1
    >>> len(before.restore()), a, before.changed()
    (1, array([0., 0.]), [])
    """

    def __init__(self, arrays: Iterable[np.ndarray]) -> None:
        self._pairs = [(a, array_of(a).copy()) for a in arrays if a.flags.writeable]

    def changed(self) -> list[np.ndarray]:
        """Returns the arrays that were written."""
        return [a for a, _ in self._changes()]

    def restore(self, wanted: Callable[[np.ndarray], bool] = lambda array: True
                ) -> list[np.ndarray]:
        """Undoes the writes to the wanted arrays; returns those that were written."""
        written = [(a, old) for a, old in self._changes() if wanted(a)]
        for a, old in written:
            array_of(a)[...] = old
        return [a for a, _ in written]

    def _changes(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(a, old) for a, old in self._pairs if not identical(array_of(a), old)]
