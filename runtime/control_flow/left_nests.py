"""The nests that a region left: its result and its changes, as they are outside of it.

All of these are nests in which a value that was made inside the region is an `Inner` leaf, and a
container that was there before is the same object. How such a nest becomes values of the region is
in `traced_regions`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import is_
from typing import Any

from autograph.runtime.control_flow.known_containers import (
    Same,
    containers_inside,
    is_known_nest,
    is_of_attributes,
    left_inside,
    same_or_rebuilt,
    with_known,
)
from autograph.runtime.control_flow.objects_left import refuse_object
from autograph.runtime.heap.escaping_objects import is_symbolic_object
from autograph.runtime.heap.functions_of_regions import OfRegion, made_by_region
from autograph.runtime.heap.functions_of_run import made_by_run
from autograph.runtime.heap.growing_lists import FlattenedList, StagedList, spliced
from autograph.runtime.heap.hidden_state import check_shared
from autograph.runtime.heap.joined_copies import met_again
from autograph.runtime.heap.left_functions import functions_left
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.locations import Contents, HeapLocation
from autograph.runtime.heap.new_objects import is_new_function
from autograph.runtime.heap.objects import can_be_built, contents_of, is_known, is_object
from autograph.runtime.heap.reachability import Reachable
from autograph.runtime.heap.rebuilt_functions import CALLING, uses_symbols
from autograph.runtime.heap.selected_objects import (
    FlattenedObject,
    FlattenedSelection,
    Origin,
    SelectedObject,
    as_value,
)
from autograph.runtime.heap.snapshot import Change, Snapshot
from autograph.runtime.ir.cyclic_containers import refuse_cycle
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.pytree import children, flatten, is_immutable_nest, is_leaf, map_until
from autograph.runtime.symbolic.aliasing import Handle
from autograph.runtime.symbolic.reading import as_read
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import BoundMethod, Tensor


@is_leaf
class Inner:
    """A value made inside a region, as a leaf of the region's result, with its handle."""

    __slots__ = ("handle", "value")

    def __init__(self, value: Value, handle: Handle) -> None:
        self.value = value
        self.handle = handle


@dataclass
class LeftNests:
    """A traced region that ended: its graph, its result, and what it changed outside itself.

    In `result` and `locations` a leaf is a constant, an outer tensor (the alias is preserved), or
    an `Inner`.

    values       the values of outer tensors at the region's end.
    written      the values of the outer arrays that the region wrote, at its end.
    invalidated  the outer arrays whose values are unknown at its end.
    locations    the changed heap locations, with what they hold at its end.
    lists        by id: what staged lists held at its end.
    raised       True if it always raises.
    outside      the ids of the containers and `__dict__`s that were there before.
    region       where it is traced.
    objects      by id: an object, and the flattened object that it became; `others`: one of which
                 each run makes another, and that.
    shared       a container from outside that a changed location holds together with others.
    contents     by id: a container from outside in the result or in a location, and what it held
                 at the end.
    tuples       by id: a tuple, or what is like one, and the form that it has outside.
    unfolded     by id: such a tuple, and the same one with what containers from outside held.
    packed       by id: such a tuple, and the atom that it became.
    own_result   the result as the traced program sees it; `own_locations`: the changed locations.
    is_iteration True if it runs once for each iteration of a loop.
    functions    by id: a function that holds values of the region, and what it is outside.
    shared_ids   the ids of the containers that others may know, or that are in several places.
    """

    graph: Graph
    result: Any = None
    values: dict[Handle, Value] = field(default_factory=dict)
    written: dict[Handle, Value] = field(default_factory=dict)
    invalidated: set[Handle] = field(default_factory=set)
    locations: dict[HeapLocation, Any] = field(default_factory=dict)
    lists: dict[int, list[Any]] = field(default_factory=dict)
    raised: bool = False
    outside: set[int] = field(default_factory=set)
    region: Region | None = None
    objects: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    others: dict[int, tuple[Any, Value]] = field(default_factory=dict)
    shared: dict[HeapLocation, Any] = field(default_factory=dict)
    contents: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    tuples: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    unfolded: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    packed: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    own_result: Any = None
    own_locations: dict[HeapLocation, Any] = field(default_factory=dict)
    shared_ids: set[int] = field(default_factory=set)
    is_iteration: bool = False
    functions: OfRegion = field(default_factory=dict)

    def take_in(self, result: Any, watched: Reachable, before: Snapshot[HeapLocation],
                region: Region) -> None:
        """Take in what the region returned, and what it changed."""
        self.own_result, self.region = result, region
        changes = before.changes()
        self.functions = made_by_region(functions_left(
            [result, *(new for _, _, new in changes)], self.outside), region, self.is_iteration)
        self.result = self.escape_each(result, region)
        self.escape_locations(watched, changes, region)
        self.shared_ids = self.outside | met_again(
            [result, *self.own_locations.values()], self.outside)
        written = region.written()
        self.invalidated = {h for h in written if h.invalidated}
        self.written = {h: h.read() for h in written if h.base is None and not h.invalidated}

    def escape_locations(self, watched: Reachable, changes: list[Change[HeapLocation]],
                         region: Region) -> None:
        """Take in what the watched locations hold at the region's end.

        If the region wrote to any array, it also takes in the values of the arrays that it could
        reach: another region may write other values to them.
        """
        for location, _, new in changes:
            self.own_locations[location] = new
            self.locations[location] = self.escape_each(new, region) if is_of_attributes(
                location) else self.escape_nest(new, region)
            self.note_shared(location, new)
            if isinstance(location, Contents) and type(location.container) is StagedList:
                self.lists[id(location.container)] = self.locations[location]
        if region.written():
            self.values.update((x._handle, x.read()) for x in watched.tensors
                               if not x._handle.invalidated)

    def note_shared(self, location: HeapLocation, held: Any) -> None:
        """Remember that a location now holds, together with others, a container from outside."""
        for x in containers_inside(held):
            if id(x) in self.outside:
                self.shared[location] = x

    def escape_nest(self, nest: Any, region: Region) -> Any:
        """Returns a nest in the form that it has outside the region. A container that was there
        before stays the same object; what it held at the end is in `contents`."""
        found = children(nest)
        if type(nest) is StagedList and nest.known and id(nest) not in self.outside:
            return FlattenedList([self.escape_part(x, region) for x in list.__iter__(nest)])
        if found is None:
            return self.escape(nest, region)
        if is_immutable_nest(nest):
            if id(nest) not in self.tuples:
                self.tuples[id(nest)] = nest, same_or_rebuilt(
                    nest, [self.escape_part(x, region) for x in found[1]])
            return self.tuples[id(nest)][1]
        if not is_known_nest(nest, self.outside):
            return found[2]([self.escape_part(x, region) for x in found[1]])
        if id(nest) not in self.contents:
            self.contents[id(nest)] = nest, None  # it may contain itself
            self.contents[id(nest)] = nest, found[2](
                [self.escape_part(x, region) for x in found[1]])
        return Same(nest)

    def left_tuples(self) -> dict[int, Any]:
        """Returns, by the id of a tuple as it is outside, or opened, the one that was left."""
        return {id(form): x for x, left in self.tuples.values()
                for form in (left, self.unfolded.get(id(left), (None, left))[1])}

    def escape_part(self, x: Any, region: Region) -> Any:
        """Returns an item of a container as it is outside the region: what may not be bound, an
        attribute that only a branch sets, was read when the item was put there."""
        return self.escape_nest(as_read(x), region)

    def escape_each(self, nest: Any, region: Region) -> Any:
        """Returns variables, or attributes, which may be unbound at the region's end."""
        found = children(nest) if type(nest) in (tuple, dict) else None
        if found is None:
            return self.escape_nest(nest, region)
        parts = [self.escape_nest(x, region) for x in found[1]]
        if type(nest) is dict:
            return found[2](parts)
        # It may be a tuple that is the only variable.
        self.tuples[id(nest)] = nest, nest if all(map(is_, parts, nest)) else found[2](parts)
        return self.tuples[id(nest)][1]

    def opened(self, nest: Any, around: tuple[int, ...] = ()) -> Any:
        """Returns a nest with what the containers from outside held at the region's end in their
        place; `around` are the ids of those that are being opened."""
        if isinstance(nest, Same):
            if id(nest.value) in around:
                refuse_cycle(nest.value, user_location())
            around = (*around, id(nest.value))
        nest = self.held_by(nest)
        found = children(nest)
        if found is None:
            return nest
        rebuild = list if type(nest) is FlattenedList else found[2]
        if not is_immutable_nest(nest):
            return rebuild([self.opened(x, around) for x in found[1]])
        if id(nest) not in self.unfolded:
            self.unfolded[id(nest)] = nest, same_or_rebuilt(
                nest, [self.opened(x, around) for x in found[1]])
        return self.unfolded[id(nest)][1]

    def held_by(self, x: Any) -> Any:
        """Returns what a container from outside held at the region's end; anything else as it is.
        """
        if type(x) is StagedList:
            items = self.lists.get(id(x), list(list.__iter__(x)))
            return x if spliced(items) else FlattenedList(items)
        if not isinstance(x, Same):
            return x
        if id(x.value) in self.contents:
            return self.contents[id(x.value)][1]
        return left_inside(x.value, self.locations, self.outside)

    def left_in(self, location: HeapLocation) -> Any:
        """Returns what a location holds at the region's end."""
        return self.locations[location] if location in self.locations else with_known(
            location.read(), self.outside)

    def escape(self, leaf: Any, region: Region) -> Any:
        """Returns a leaf in the form that it has outside the region."""
        if id(leaf) in self.functions:
            leaf = self.functions[id(leaf)][1]
        leaf = made_by_run(leaf) if is_new_function(leaf, region) else leaf
        if type(leaf) is StagedList:
            items = list(list.__iter__(leaf))
            self.lists[id(leaf)] = map_until(
                lambda x: self.escape_part(x, region) if is_immutable_nest(x) else self.escape(
                    as_read(x), region), items, is_immutable_nest)
        if type(leaf) is Splice:
            return Splice(self.escape(leaf.value, region), leaf.memo)
        if type(leaf) is SelectedObject:
            return self._escape_selected(leaf, region)
        if isinstance(leaf, BoundMethod):
            made = isinstance(self.escape(leaf.container, region), Inner)
            return self.escape(leaf.value(), region) if made else leaf
        if not isinstance(leaf, Tensor):
            if not is_object(leaf) and is_symbolic_object(leaf, self.outside):
                refuse_object(leaf)
            return self._escape_object(leaf, region) if is_object(leaf) else leaf
        value = leaf.read()
        born = leaf._handle.region
        if born is None or not born.encloses(region.parent):
            return Inner(value, leaf._handle)
        self.values[leaf._handle] = value
        return leaf

    def _escape_selected(self, x: SelectedObject, region: Region) -> Any:
        """Returns a selection made in the region, flattened, or one value if it is of functions
        that the region makes; one from outside as it is."""
        pred, *sides = x.parts()
        if any(id(side) in self.functions for side in sides):
            made = [self.functions.get(id(side), (side, side))[1] for side in sides]
            return self.escape(as_value(SelectedObject(pred, *made)), region)
        escaped = self.escape(pred, region)
        return x if isinstance(escaped, Tensor) else FlattenedSelection(
            [escaped, *(self.escape_nest(side, region) for side in sides)])

    def _escape_object(self, x: Any, region: Region) -> Any:
        """Returns an object made in the region, flattened: each run makes one. Any other is as it
        is, and without symbolic attributes one whose class the trace made."""
        if is_known(x, self.outside) or not can_be_built(x):
            return x
        check_shared(type(x), region)
        if id(x) not in self.objects:
            self.objects[id(x)] = x, x  # a reference back to it finds the object itself
            contents = contents_of(x)
            values = [self.escape_nest(v, region) for v in contents.values()]
            if any(isinstance(v, (Inner, Tensor)) for v in flatten(values)) or not (
                    _uses_symbols(type(x))):
                self.objects[id(x)] = x, FlattenedObject(
                    type(x), tuple(contents), values, Origin(x))
        return self.objects[id(x)][1]


def _uses_symbols(cls: type) -> bool:
    return any(uses_symbols(x, set()) for x in vars(cls).values() if isinstance(x, CALLING))
