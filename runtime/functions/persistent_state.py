"""Persistent state: what a function keeps outside itself between calls, as inputs of a trace."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

import numpy as np

from autograph.runtime.heap.joined_copies import has_identity
from autograph.runtime.heap.library_names import refuse_pythons
from autograph.runtime.heap.locations import Contents, File, HeapLocation, attribute_locations
from autograph.runtime.heap.named_locations import (
    ABSENT,
    Item,
    NamedLocation,
    changed_locations,
    holder_of,
)
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.ir.pytree import children, flatten, is_mutable_data_class
from autograph.runtime.ir.types import PyType
from autograph.runtime.signatures.binding import PERSISTENT, may_be_made_again
from autograph.runtime.signatures.cache_keys import (
    ByReference,
    Growing,
    Key,
    Node,
    OfCode,
    value_key,
)
from autograph.runtime.symbolic.allocation_sites import containers_in

MANY = 1000
"""Containers with more items are not searched for arrays."""


@dataclass(frozen=True)
class PersistentState:
    """The locations outside a function that it reads or writes when its graph runs.

    locations     in the order in which traces found them.
    growing       those that hold lists whose length changes.
    by_reference  those whose containers are objects of the graph.
    exact         True if Python's numbers in them are constants: each value needs a trace.
    """

    locations: tuple[NamedLocation, ...] = ()
    growing: frozenset[NamedLocation] = frozenset()
    by_reference: frozenset[NamedLocation] = frozenset()
    exact: bool = False

    def load(self) -> tuple[Any, ...]:
        """Returns what the locations hold now."""
        return tuple([location.read() for location in self.locations])

    def name_of(self, hint: str) -> str:
        """Returns the name that an input has in the graph: that of the variable, attribute or key
        which it is the content of, or is in; of an argument, its own."""
        if not hint.startswith(PERSISTENT):
            return hint
        number, *rest = hint.removeprefix(f"{PERSISTENT}_").split("_")
        return "_".join((self.locations[int(number)].name, *rest))

    def pattern(self, values: tuple[Any, ...]) -> Key:
        """Returns the pattern by which `bind` makes numbers and growing lists inputs."""
        keys = tuple(map(self._pattern_of, self.locations, values))
        return Node((tuple, len(keys)), keys)

    def _pattern_of(self, location: NamedLocation, x: Any) -> Key:
        if location in self.by_reference:
            return _by_reference(x)
        if self.exact:
            return None
        return Growing(list) if location in self.growing and type(x) is list else _numbers(x)

    def with_locations(self, found: dict[NamedLocation, bool], own: tuple[Any, ...] = ()
                       ) -> PersistentState:
        """Returns the state with more locations; the values say whether each holds a growing list.

        An item of a container that a new location holds is left out: it is an input already.

        own: what the state's own locations hold, where a trace has put stand-ins into them.
        """
        growing = self.growing | {x for x, grows in found.items() if grows}
        held = *own, *(x.read() for x in found)
        for x in found:
            refuse_pythons(x.find() if isinstance(x, Item) else x.read())
        inside = {id(c) for x in held for c in _with_attributes(x)}
        known = [x for x in dict.fromkeys([*self.locations, *found]) if not (
            isinstance(x, Item) and x.identity[0] in inside)]
        return replace(self, locations=tuple(known), growing=growing)

    def reached_by(self, reached: frozenset[Hashable]) -> PersistentState:
        """Returns the state without the locations that a trace could not read."""
        return self._only(lambda x: holder_of(x) in reached)

    def living(self) -> PersistentState:
        """Returns the state without the locations of objects that are gone."""
        return self._only(lambda x: not isinstance(x, Item) or x.find() is not None)

    def _only(self, is_kept: Callable[[NamedLocation], bool]) -> PersistentState:
        kept = tuple(filter(is_kept, self.locations))
        return self if len(kept) == len(self.locations) else replace(self, locations=kept)

    def with_shared(self, others: Iterable[PersistentState], reached: frozenset[Hashable]
                    ) -> PersistentState:
        """Returns the state with those locations of other states that a trace could read: it would
        take them for constants, and another trace changes them."""
        found = {x: x in other.growing for other in others for x in other.locations
                 if holder_of(x) in reached and x not in self.locations}
        return self.with_locations(found) if found else self

    def with_by_reference(self, found: frozenset[NamedLocation]) -> PersistentState:
        """Returns the state with locations whose containers are to be objects of the graph."""
        made = self.with_locations(dict.fromkeys(found, False))
        return replace(made, by_reference=self.by_reference | found)


def _with_attributes(nest: Any) -> Iterator[Any]:
    """Yields the containers in a nest, and what holds the attributes of its data classes."""
    yield from containers_in(nest)
    pending, seen = [nest], set[int]()
    while pending:
        x = pending.pop()
        if is_mutable_data_class(x) and id(x) not in seen:
            yield from (location.container for location in attribute_locations(x))
        if id(x) not in seen:
            pending += (children(x) or ((), ()))[1]
        seen.add(id(x))


def _numbers(x: Any) -> Key:
    """Returns a pattern in which the numbers of a nest are symbolic, and functions inputs."""
    if type(x) in (int, float, complex):
        return PyType(type(x))
    if type(x) is FunctionType and may_be_made_again(x):
        return OfCode(value_key(x))
    found = children(x)
    return None if found is None else Node(found[0], tuple(map(_numbers, found[1])))


def _by_reference(x: Any) -> Key:
    """Returns a pattern in which the outermost containers and objects of a nest are by
    reference."""
    if has_identity(x):
        return ByReference(type(x))
    found = children(x)
    return None if found is None else Node(found[0], tuple(map(_by_reference, found[1])))


def array_locations(function: Any, arguments: Any) -> dict[NamedLocation, bool]:
    """Returns the locations that a function can reach and that hold arrays."""
    read: dict[HeapLocation, None] = {}
    reached = reachable_locations(function, arguments, read=read)
    found: dict[NamedLocation, bool] = {}
    for location in dict.fromkeys([*reached, *read]):
        if isinstance(location, File):
            continue
        held = location.read()
        if isinstance(location, Contents) and not isinstance(held, dict):
            continue
        empty = dict.fromkeys(held, ABSENT) if isinstance(location, Contents) else ABSENT
        for part in changed_locations(location, empty, held):
            if arrays_in(part.read()):
                found[part] = False
    return found


def arrays_in(x: Any) -> list[np.ndarray]:
    """Returns the arrays in a nest; none if the nest is large."""
    if type(x) in (list, tuple, dict) and len(x) > MANY:
        return []
    return [leaf for leaf in flatten(x) if isinstance(leaf, np.ndarray)]
