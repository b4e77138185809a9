"""Containers that were there before a region: in a nest that a region leaves, each is one leaf.

So are mutable objects of data classes. What such a container holds is a heap location of its own,
which is joined and carried by itself. So the container stays the same object for all who know it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from operator import is_
from typing import Any

from autograph.runtime.heap.growing_lists import FlattenedList, StagedList, spliced
from autograph.runtime.heap.locations import Contents, HeapLocation, attribute_locations
from autograph.runtime.heap.objects import build, is_known
from autograph.runtime.ir.pytree import (
    attribute_names,
    children,
    is_immutable_nest,
    is_mutable_data_class,
)
from autograph.runtime.symbolic.allocation_sites import containers_in, is_plain_container, parts_of


class Same:
    """Stands in a nest for a container that is the same object in every call or iteration; what it
    holds is no part of the nest, but a heap location of its own."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def is_also(self, x: Any) -> bool:
        """Returns True if `x` stands for the same object."""
        return isinstance(x, Same) and x.value is self.value


def is_same_data_class(x: Any) -> bool:
    """Returns True for a known object of a data class: a choice of it and another is no new one."""
    return isinstance(x, Same) and is_mutable_data_class(x.value)


def with_known(nest: Any, known: Collection[int], leaf: Callable[[Any], Any] = lambda x: x,
               is_leaf: Callable[[Any], bool] = lambda x: False) -> Any:
    """Returns a nest with `leaf` applied to its leaves; known containers stay the same objects.

    is_leaf: tells other parts that are leaves.
    """
    if is_known_nest(nest, known):
        return Same(nest)
    found = None if is_leaf(nest) else children(nest)
    if found is None:
        return leaf(nest)
    return same_or_rebuilt(nest, [with_known(x, known, leaf, is_leaf) for x in found[1]])


def same_or_rebuilt(nest: Any, parts: list[Any]) -> Any:
    """Returns a container with other parts. One of which nothing changes stays the same object; so
    does a tuple that holds known containers."""
    found = children(nest)
    assert found is not None
    if all(map(is_, parts, found[1])):
        return nest
    if is_immutable_nest(nest) and all(
            p is x or (isinstance(p, Same) and p.value is x)
            for p, x in zip(parts, found[1], strict=True)):
        return Same(nest)
    return found[2](parts)


def inside_of(container: Any, known: Collection[int]) -> Any:
    """Returns a container like a known one, with what it holds."""
    _, inside, rebuild = children(container) or ((), [], list)
    return rebuild([with_known(x, known) for x in inside])


def is_known_nest(x: Any, known: Collection[int]) -> bool:
    """Returns True for a mutable container that is among the known ones, and that a nest holds by
    its items."""
    if is_plain_container(x):
        return id(x) in known and children(x) is not None
    return is_mutable_data_class(x) and is_known(x, known)


def left_inside(container: Any, locations: Mapping[HeapLocation, Any], known: Collection[int]
                ) -> Any:
    """Returns what a known container holds, or a container like it with that, after a region that
    changed some locations."""
    if is_immutable_nest(container):
        return inside_of(container, known)
    if is_plain_container(container):
        found = locations.get(Contents(container, container))
        return inside_of(container, known) if found is None else found
    held = {name: with_known(getattr(container, name), known)
            for name in attribute_names(container)}
    for location in attribute_locations(container):
        held |= locations.get(location, {})
    return build(type(container), tuple(held), *held.values())


def containers_inside(x: Any) -> Iterator[Any]:
    """Yields the mutable containers that are in a container."""
    for part in parts_of(x) or () if isinstance(x, (dict, list, tuple)) else ():
        yield from containers_in(part)


def is_of_attributes(location: HeapLocation) -> bool:
    """Returns True for a location that holds attributes, by their names."""
    return isinstance(location, Contents) and location.has_attributes


def structure(x: Any) -> Any:
    """Returns the children of a container (see `pytree.children`); None if its length is not
    known."""
    if type(x) is StagedList and x.known:
        x = FlattenedList(list(list.__iter__(x)))
    if type(x) is FlattenedList:
        return (list, len(x.values)), x.values, FlattenedList
    found = children(x)
    return None if found is not None and type(x) is list and spliced(found[1]) else found


def rebuild(x: Any, y: Any) -> Any:
    """Returns what makes a container again of those in place of two of the same structure: it is a
    staged list if one of them is."""
    return y[2] if y[2] is FlattenedList else x[2]
