"""Where the containers of a trace come from, and which of them are objects of its graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.pytree import children
from autograph.runtime.ir.types import CONTAINERS

Site = tuple[str, tuple[int, int, int, int]]
"""A place in the user's source, whatever form of the function runs: file and span."""


@dataclass
class Origins:
    """What a function's containers are known by, from one attempt to trace it to the next.

    apart    whether converted code tells where it makes containers.
    sites    the places whose containers are objects of the graph.
    slots    the variables outside the function in which are such.
    whole    the arguments, by path, that are.
    all      whether all are that the function makes.
    reasons  the decisions by which it came to this.
    """

    apart: bool = False
    sites: frozenset[Site] = frozenset()
    slots: frozenset[Any] = frozenset()
    whole: frozenset[str] = frozenset()
    all: bool = False
    reasons: tuple[Any, ...] = ()

    def holds(self, site: Site | None) -> bool:
        """Whether the containers made at this place are objects of the graph."""
        return self.apart and (self.all or site in self.sites)

    def size(self) -> tuple[bool, int, int, int, bool]:
        return self.apart, len(self.sites), len(self.slots), len(self.whole), self.all


class Known:
    """The containers that one trace has met: where each comes from.

    given    by id: an argument's container, and its path.
    outside  by id: the other containers that were there before.
    kept     by id: what stands for such a container while the function is traced, and the slot.
    made     by id: a container that the function made, and where.
    before   the ids of the objects that were there before, and of those among the arguments.
    reached  those of them that are in a container that only the run looks into.
    holders  finds the slots that lead to a container from outside.
    """

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self.given: dict[int, tuple[Any, str]] = {}
        self.outside: dict[int, Any] = {}
        self.kept: dict[int, tuple[Any, Any]] = {}
        self.made: dict[int, tuple[Any, Site]] = {}
        self.before: frozenset[int] = frozenset()
        self.reached: set[int] = set()
        self.holders: Callable[[Any], Iterable[Any]] = lambda container: ()

    def note(self, container: Any, site: Site) -> None:
        """Remember where a container, and what is in it, was made."""
        for x in (container, *containers_in(container)):
            if not self.has(x):
                self.made[id(x)] = x, site

    def has(self, container: Any) -> bool:
        """Whether somebody else may know this very container."""
        return id(container) in self.made or id(container) in self.before or not self._is_new(
            container)

    def grown(self, wanted: list[Any]) -> Origins:
        """The origins with those of these containers; None among them is one that is not known."""
        if not wanted:
            return self.origins
        new = replace(self.origins, apart=True)
        if not self.origins.apart:
            wanted = [x for x in wanted if x is not None and not self._is_new(x)]
        for x in wanted:
            self._take_in(x, new)
        return new

    def _is_new(self, x: Any) -> bool:
        return all(id(x) not in known for known in (self.given, self.kept, self.outside))

    def _take_in(self, x: Any, new: Origins) -> None:
        key = id(x)
        if key in self.made:
            new.sites |= {self.made[key][1]}
        elif key in self.given:
            new.whole |= {self.given[key][1]}
        elif key in self.kept:
            new.slots |= {self.kept[key][1]}
        elif key in self.outside:
            new.slots |= frozenset(self.holders(x))
        else:
            new.all = True


def site_of(place: Location) -> Site:
    """What a place is called in every form of the function."""
    return place.filename, place.span


def containers_in(x: Any) -> Iterator[Any]:
    """The mutable containers in a nest, itself first; each once."""
    seen: set[int] = set()
    pending = [x]
    while pending:
        x = pending.pop()
        found = parts_of(x)
        if found is None or id(x) in seen:
            continue
        seen.add(id(x))
        if is_plain_container(x):
            yield x
        pending += reversed(found)


def is_plain_container(x: Any) -> bool:
    """Whether it is one of Python's mutable containers, as Python has it."""
    return isinstance(x, CONTAINERS)


def parts_of(x: Any) -> list[Any] | None:
    """What is in a container; None of what is not one."""
    if isinstance(x, list):
        return list(list.__iter__(x))
    if isinstance(x, dict):
        return list(x.values())
    if isinstance(x, BUFFERS):
        return []  # its items are numbers
    if isinstance(x, CONTAINERS):
        return list(x)
    found = children(x)
    return None if found is None else found[1]
