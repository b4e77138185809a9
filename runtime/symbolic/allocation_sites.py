"""Allocation sites: where a trace's containers are made, and which are objects of its graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from autograph.own_attributes import own_dict
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.graph import PLAIN
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.own_contents import own_values
from autograph.runtime.ir.pytree import children
from autograph.runtime.ir.types import CONTAINERS

Site = tuple[str, tuple[int, int, int, int]]
"""An allocation site in the user's source, whatever form of the function runs: file and span."""


EVERY = object()
"""Stands for all containers that the function makes, where it is known that no trace could tell
which of them has to be an object."""


@dataclass(frozen=True)
class AllocationSites:
    """The containers of a function that are objects of its graph, by where they come from.

    instrumented  True if converted code says where it makes containers.
    sites         the places in the source that make such containers.
    arguments     the paths of the arguments that are such containers.
    locations     the locations outside the function that hold such containers.
    everywhere    True if all containers that the function makes are objects, but for those that
                  hold functions: a branch chooses among these, and follows what they do.
    arrays        True if the arrays that NumPy's own code makes are values of the graph.
    shorter       True if a container is an object for no other reason than a short graph.
    in_full       True if none becomes an object for that reason: it was tried, and refused.
    reasons       the decisions by which it came to this.
    """

    instrumented: bool = False
    sites: frozenset[Site] = frozenset()
    arguments: frozenset[str] = frozenset()
    locations: frozenset[Any] = frozenset()
    everywhere: bool = False
    arrays: bool = False
    shorter: bool = False
    in_full: bool = False
    reasons: tuple[Any, ...] = field(default=(), compare=False)

    @property
    def inputs(self) -> tuple[frozenset[str], frozenset[Any]]:
        """The containers that are inputs of the graph: arguments, and locations outside."""
        return self.arguments, self.locations

    def holds(self, site: Site | None, functions: Callable[[], bool] = bool) -> bool:
        """Returns True if the containers made at this site are objects of the graph; `functions`
        tells if the container holds functions."""
        return self.instrumented and (
            site in self.sites or (self.everywhere and not functions()))


class Allocations:
    """The containers that one trace has met, and where each comes from.

    sites       the allocation sites whose containers are objects of the graph.
    arguments   by id: an argument's container, and its path.
    outside     by id: the other containers that were there before.
    persistent  by id: what stands for such a container while the function is traced, and the
                location that holds it.
    made        by id: a container that the function made, and its site.
    before      the ids of the objects that were there before, and of those among the arguments.
    searched    by id: those of them that are in a container that only the run looks into.
    constants   by id: the constants of the graph that were looked at.
    makers      what was called of Python's library: classes, and the topics of what is in C.
    holders     finds the locations that lead to a container from outside.
    """

    def __init__(self, sites: AllocationSites) -> None:
        self.sites = sites
        self.arguments: dict[int, tuple[Any, str]] = {}
        self.outside: dict[int, Any] = {}
        self.persistent: dict[int, tuple[Any, Any]] = {}
        self.made: dict[int, tuple[Any, Site]] = {}
        self.before: frozenset[int] = frozenset()
        self.searched: dict[int, Any] = {}
        self.constants: dict[int, Any] = {}
        self.makers: set[Any] = set()
        self.holders: Callable[[Any], Iterable[Any]] = lambda container: ()

    def note(self, container: Any, site: Site) -> None:
        """Remembers where a container, and what is in it, was made."""
        for x in (container, *containers_in(container)):
            if not self.is_known(x):
                self.made[id(x)] = x, site

    def is_known(self, container: Any) -> bool:
        """Returns True if something else may refer to this container."""
        return id(container) in self.made or self.is_from_outside(container)

    def is_from_outside(self, x: Any) -> bool:
        """Returns True if a container, or an object, was there before the trace."""
        own = own_dict(x)
        return id(x) in self.before or (own is not None and id(own) in self.before) or (
            self._is_outside(x))

    def sites_with(self, containers: list[Any]) -> AllocationSites:
        """Returns the sites with those of some containers; None stands for an unknown container, of
        which a site-instrumented trace may know more."""
        if not containers:
            return self.sites
        if not self.sites.instrumented:
            containers = [x for x in containers if x is EVERY or (
                x is not None and self._is_outside(x))]
        sites = replace(self.sites, instrumented=True)
        for x in containers:
            sites = self._with(sites, x)
        return sites

    def may_shorten(self, containers: list[Any]) -> bool:
        """Returns True if the next trace may hold more of these containers as objects, for no other
        reason than a short graph."""
        if self.sites.in_full:
            return False
        sites = self.sites_with(containers)
        return sites != self.sites and sites.everywhere == self.sites.everywhere

    def _is_outside(self, x: Any) -> bool:
        return any(id(x) in known for known in (self.arguments, self.persistent, self.outside))

    def _with(self, sites: AllocationSites, x: Any) -> AllocationSites:
        key = id(x)
        if key in self.made:
            return replace(sites, sites=sites.sites | {self.made[key][1]})
        if key in self.arguments:
            return replace(sites, arguments=sites.arguments | {self.arguments[key][1]})
        if key in self.persistent:
            return replace(sites, locations=sites.locations | {self.persistent[key][1]})
        if key in self.outside:
            return replace(sites, locations=sites.locations | frozenset(self.holders(x)))
        return replace(sites, everywhere=True)


def site_of(location: Location) -> Site:
    """Returns the site of a location: the same one in every form of the function."""
    return location.filename, location.span


def containers_in(x: Any) -> Iterator[Any]:
    """Yields the mutable containers in a nest, itself first, each once."""
    seen: set[int] = set()
    pending = [x]
    while pending:
        x = pending.pop()
        found = None if type(x) in PLAIN else parts_of(x)
        if found is None or id(x) in seen:
            continue
        seen.add(id(x))
        if is_plain_container(x):
            yield x
        pending += reversed(found)


def is_plain_container(x: Any) -> bool:
    """Returns True for an object of one of Python's mutable container classes."""
    return issubclass(type(x), CONTAINERS)  # whose `__class__` may be asked for


def parts_of(x: Any) -> list[Any] | None:
    """Returns what is in a container; None if `x` is not one."""
    if issubclass(type(x), BUFFERS):
        return []  # its items are numbers
    if is_plain_container(x):
        return own_values(x)
    found = children(x)
    return None if found is None else found[1]
