"""Which objects many heap locations hold, asked at once: most times, nothing has changed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import is_
from types import FunctionType
from typing import Any, Generic, TypeVar

from autograph.runtime.heap.locations import (
    Attributes,
    Cell,
    Contents,
    Defaults,
    Global,
    HeapLocation,
)
from autograph.runtime.ir.undefined import is_undefined

L = TypeVar("L", bound=HeapLocation)


class Identities(Generic[L]):
    """Tells which of some locations may hold something else than when this was made.

    To read a location and to compare what it holds takes some microseconds. This compares the
    objects that are in all of them by identity, in a few loops.

    >>> from autograph.runtime.heap.locations import locations_of
    >>> items, names = [1], {}
    >>> held = Identities([*locations_of(items), *locations_of(names)])
    >>> items.append(2)
    >>> [location.container for location in held.maybe_changed()]
    [[1, 2]]

    others  the locations whose contents are not objects in a row: they may have changed.
    """

    def __init__(self, locations: Iterable[L]) -> None:
        self.order = {x: number for number, x in enumerate(locations)}
        self.mappings: list[Any] = []
        self.classes: list[Any] = []
        self.lists: list[Any] = []
        self.variables: list[Any] = []
        self.others: list[L] = []
        for x in self.order:
            self._kind_of(x).append(x)
        self.first = [[*row] for row in self._rows()]
        self.lengths, self.held = [*map(len, self.first)], [*chain.from_iterable(self.first)]

    def _kind_of(self, x: L) -> list[Any]:
        if isinstance(x, (Cell, Global, Defaults)):
            return self.others if isinstance(x, Defaults) and x.owner.__kwdefaults__ else (
                self.variables)
        if isinstance(x, Attributes) and isinstance(x.owner, (type, FunctionType)):
            return self.classes
        kind = type(x.container) if isinstance(x, Contents) and type(x) is Contents else None
        return self.mappings if kind is dict else self.lists if kind is list else self.others

    def maybe_changed(self) -> list[L]:
        """Returns the locations that may have changed, in their order."""
        rows = self._rows()
        if [*map(len, rows)] == self.lengths and all(
                map(is_, chain.from_iterable(rows), self.held)):
            return self.others
        found = {x for x, row, first in zip(self._owners(), rows, self.first, strict=True)
                 if len(row) != len(first) or not all(map(is_, row, first))}
        return sorted(found.union(self.others), key=self.order.__getitem__)

    def _rows(self) -> list[Any]:
        held = [*[x.container for x in self.mappings], *[vars(x.owner) for x in self.classes]]
        return [*held, *[m.values() for m in held], *[x.container for x in self.lists],
                *[(_value(x),) for x in self.variables]]

    def _owners(self) -> list[L]:
        """Returns the location of each row."""
        return [*self.mappings, *self.classes] * 2 + self.lists + self.variables


def _value(x: Cell | Global | Defaults) -> Any:
    """Returns what a variable holds, or the positional defaults; the location, if unbound."""
    if isinstance(x, Global):
        return x.scope.get(x.name, x)
    held = x.owner.__defaults__ if isinstance(x, Defaults) else x.read()
    return x if is_undefined(held) else held
