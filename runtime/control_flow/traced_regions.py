"""Traced regions: what the trace of one side of a branch, or of a loop body, came to.

`trace_region` runs a function with a graph of its own and then puts everything outside back as it
was, so that the other side, or the next attempt, begins with the same state. What the function did
is in the `TracedRegion`: its graph, its result, the arrays that it wrote, and the heap locations
that it changed with their new contents. All of these are nests in which a value that was made
inside the region is an `Inner` leaf. The caller joins several such records and writes the joined
contents to the locations. An exception of the user's program becomes a `raise_` equation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.runtime.control_flow.known_containers import (
    Same,
    containers_inside,
    is_known_nest,
    is_of_attributes,
    left_inside,
    structure,
    with_known,
)
from autograph.runtime.control_flow.known_objects import IndexOf
from autograph.runtime.control_flow.objects_left import (
    holds_objects,
    refuse_object,
    refuse_objects,
)
from autograph.runtime.control_flow.raised_errors import (
    forget_frames,
    record_error,
    refuse_end_of_iterator,
    refuse_super,
)
from autograph.runtime.control_flow.region_limits import refuse_recursion
from autograph.runtime.heap.escaping_objects import (
    is_symbolic_object,
    keeping_class,
    refuse_hidden_operand,
)
from autograph.runtime.heap.functions_of_run import known_of_run, made_by_run
from autograph.runtime.heap.growing_lists import (
    OF_RUN,
    FlattenedList,
    Splice,
    StagedList,
    spliced,
    spliced_parts,
)
from autograph.runtime.heap.hidden_state import check_shared, note_chosen, refuse_shared_object
from autograph.runtime.heap.iterator_positions import marked, refuse_moved
from autograph.runtime.heap.joined_copies import met_again
from autograph.runtime.heap.kept_functions import refuse_unseen_changes
from autograph.runtime.heap.known_arrays import unwritten
from autograph.runtime.heap.locations import Contents, HeapLocation
from autograph.runtime.heap.made_arrays import check_copied, is_made_by_trace
from autograph.runtime.heap.new_objects import how_to_copy, is_new, is_new_function, is_young
from autograph.runtime.heap.objects import (
    as_operand,
    can_be_built,
    contents_of,
    is_known,
    is_made_anew,
    is_object,
)
from autograph.runtime.heap.reachability import Reachable
from autograph.runtime.heap.rebuilt_functions import CALLING, uses_symbols
from autograph.runtime.heap.selected_objects import (
    FlattenedObject,
    FlattenedSelection,
    Origin,
    SelectedObject,
)
from autograph.runtime.heap.snapshot import Snapshot
from autograph.runtime.heap.suspended_generators import refuse_suspended
from autograph.runtime.ir.cyclic_containers import refuse_cycle, refused_cycles
from autograph.runtime.ir.errors import (
    GraphError,
    TracingError,
    is_about_tensors,
    plain_refusals,
)
from autograph.runtime.ir.exception_tables import under_handler
from autograph.runtime.ir.graph import Equation, Graph, Value, atom_type
from autograph.runtime.ir.pytree import children, flatten, is_leaf, map_nest
from autograph.runtime.ir.trace_signals import NeverCompletes, ResultUnknown
from autograph.runtime.ir.types import DYNAMIC, PyType, Type, may_have_memory
from autograph.runtime.ops import OPS, Op, by_function
from autograph.runtime.ops.opaque import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle, may_share
from autograph.runtime.symbolic.numpy_settings import settings_of_region
from autograph.runtime.symbolic.reading import as_read
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import callers, raised_at, user_location
from autograph.runtime.symbolic.tensor import BoundMethod, Tensor, lower


@is_leaf
class Inner:
    """A value made inside a region, as a leaf of the region's result, with its handle."""

    __slots__ = ("handle", "value")

    def __init__(self, value: Value, handle: Handle) -> None:
        self.value = value
        self.handle = handle


@dataclass
class TracedRegion:
    """A traced region: its graph, its result, and what it changed outside itself.

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
    own_result   the result as the traced program sees it; `own_locations`: the changed locations.
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
    own_result: Any = None
    own_locations: dict[HeapLocation, Any] = field(default_factory=dict)
    shared_ids: set[int] = field(default_factory=set)

    def take_in(self, result: Any, watched: Reachable, before: Snapshot[HeapLocation],
                region: Region) -> None:
        """Take in what the region returned, and what it changed."""
        self.own_result, self.region = result, region
        self.result = self.escape_each(result, region)
        self.escape_locations(watched, before, region)
        self.shared_ids = self.outside | met_again(
            [result, *self.own_locations.values()], self.outside)
        written = region.written()
        self.invalidated = {h for h in written if h.invalidated}
        self.written = {h: h.read() for h in written if h.base is None and not h.invalidated}

    def escape_locations(self, watched: Reachable, before: Snapshot[HeapLocation],
                         region: Region) -> None:
        """Take in what the watched locations hold at the region's end.

        If the region wrote to any array, it also takes in the values of the arrays that it could
        reach: another region may write other values to them.
        """
        for location, _, new in before.changes():
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
        if not is_known_nest(nest, self.outside):
            return found[2]([self.escape_part(x, region) for x in found[1]])
        if id(nest) not in self.contents:
            self.contents[id(nest)] = nest, None  # it may contain itself
            self.contents[id(nest)] = nest, found[2](
                [self.escape_part(x, region) for x in found[1]])
        return Same(nest)

    def escape_part(self, x: Any, region: Region) -> Any:
        """Returns an item of a container as it is outside the region: what may not be bound, an
        attribute that only a branch sets, was read when the item was put there."""
        return self.escape_nest(as_read(x), region)

    def escape_each(self, nest: Any, region: Region) -> Any:
        """Returns variables, or attributes, which may be unbound at the region's end."""
        found = children(nest) if type(nest) in (tuple, dict) else None
        return self.escape_nest(nest, region) if found is None else found[2](
            [self.escape_nest(x, region) for x in found[1]])

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
        return rebuild([self.opened(x, around) for x in found[1]])

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
        leaf = made_by_run(leaf) if is_new_function(leaf, region) else leaf
        if type(leaf) is StagedList:
            items = list(list.__iter__(leaf))
            self.lists[id(leaf)] = map_nest(lambda x: self.escape(as_read(x), region), items)
        if type(leaf) is Splice:
            return Splice(self.escape(leaf.value, region))
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
        """Returns a selection made in the region, flattened; one from outside as it is."""
        pred, *sides = x.parts()
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

    def pack(self, nest: Any) -> Any:
        """Returns a nest as one atom of the region; if need be, an equation at its end builds
        it."""
        if isinstance(nest, (Inner, Tensor)):
            return self.end_of(nest)
        if isinstance(nest, IndexOf):
            return self._index(nest)
        refuse_objects(nest)
        nest = self.opened(nest)
        refuse_objects(nest)
        for leaf in flatten(nest):
            refuse_unseen_changes(leaf)
            refuse_hidden_operand(leaf)
            note_chosen(leaf)
        if not any(isinstance(x, (Inner, *OF_RUN, type)) or is_object(x)
                   or holds_objects(x) or is_made_by_trace(x) or is_new(x) or is_new_function(
                       x, self.region) or known_of_run(x) is not None for x in flatten(nest)):
            return self._known(nest)
        parts = as_operand(self._parts(nest), self._record, self._is_outside)
        return parts if children(nest) is None or isinstance(parts, Value) else self._append(
            "pack", (parts,))

    def _known(self, nest: Any) -> Any:
        """Returns a nest of constants; one with dicts of classes of their own, which have no
        display, or new objects of data classes, as an atom that each run makes."""
        if not is_made_anew(nest, self._is_outside):
            return nest
        parts = as_operand(nest, self._record, self._is_outside)
        return parts if isinstance(parts, Value) else self._append("pack", (parts,))

    def _is_outside(self, x: Any) -> bool:
        return is_known(x, self.outside)

    def _index(self, x: IndexOf) -> Any:
        """Returns the index of an object among some, as an atom of the region."""
        found = x.parts()
        if found is None:
            return x.number()
        pred, *sides = found
        graphs = Graph("true"), Graph("false")
        for graph, side in zip(graphs, sides, strict=True):
            graph.outputs = (self._index(side),)
        made = Value(PyType(int))
        self.graph.equations.append(Equation(
            OPS["cond"], (self.atom(pred),), {}, (made,), graphs, user_location()))
        return made

    def _parts(self, nest: Any) -> Any:
        """Returns a nest of atoms; a list of unknown length is one atom."""
        found = None if type(nest) is StagedList else structure(nest)
        if found is not None:
            items = found[1] if isinstance(nest, FlattenedObject) else map(as_read, found[1])
            return found[2](list(map(self._parts, items)))
        if children(nest) is None:
            return self.atom(nest)
        if len(nest) == 1:
            return self.pack(nest[0].value)
        return self._append("list_of", tuple(
            (spliced, self.pack(x)) for spliced, x in spliced_parts(nest)))

    def _copy_of(self, array: np.ndarray) -> Value:
        """Appends a copy of an array that the trace made: each run has one of its own."""
        check_copied(array, self.region)
        known: Value = lower(array)
        return self._record(by_function[np.copy], (known,), keeping_class(array), known.type)

    def _another(self, x: Any) -> Value:
        """Appends what makes another object like one that the trace made: each run has its own."""
        if id(x) not in self.others:
            how = how_to_copy(x) if self.region and is_young(x, self.region) else None
            make, parts = how or refuse_shared_object(x)
            self.others[id(x)] = x, self._record(pure(make), tuple(map(self.pack, parts)))
        return self.others[id(x)][1]

    def _append(self, op: str, args: tuple[Any, ...]) -> Value:
        return self._record(OPS[op], args)

    def _record(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None,
                t: Type = DYNAMIC) -> Value:
        """Append an equation at the region's end."""
        made = Value(t)
        self.graph.equations.append(Equation(op, args, kwargs or {}, (made,), (), user_location()))
        return made

    def atom(self, leaf: Any) -> Any:
        """Returns the value, or the constant, of a leaf at the region's end."""
        if type(leaf) is StagedList:
            return self.pack(self.lists.get(id(leaf), list(list.__iter__(leaf))))
        if isinstance(leaf, (Inner, Tensor)):
            return self.end_of(leaf)
        if isinstance(leaf, (BoundMethod, SelectedObject)):
            return lower(leaf)
        if is_made_by_trace(leaf):
            return self._copy_of(leaf)
        if (made := known_of_run(leaf)) is not None:
            return self.end_of(made)
        if is_new_function(leaf, self.region) or (
                not (is_object(leaf) and can_be_built(leaf)) and is_new(leaf)):
            return self._another(leaf)
        if isinstance(leaf, type):
            check_shared(leaf)
        if holds_objects(leaf):
            refuse_object(leaf)
        return leaf

    def end_of(self, leaf: Any) -> Any:
        """Returns the value of a leaf that the region left, or the leaf if it is a constant."""
        if isinstance(leaf, Inner):
            return leaf.value
        return self.values.get(leaf._handle) or leaf.read() if isinstance(leaf, Tensor) else leaf

    def memory(self, nest: Any) -> set[Handle]:
        """Returns the roots of all arrays that a nest of the result may share memory with, its own
        included."""
        found: set[Handle] = set()
        for leaf in () if isinstance(nest, IndexOf) else flatten(self.opened(nest)):
            if type(leaf) is StagedList:
                found |= self.memory(self.lists.get(id(leaf), list(list.__iter__(leaf))))
            elif isinstance(leaf, Splice):
                found |= self.memory(leaf.value)
            elif isinstance(leaf, Tensor) and may_have_memory(leaf._handle.value.type):
                found |= may_share(leaf._handle)
            elif isinstance(leaf, Inner) and may_have_memory(leaf.value.type):
                found |= may_share(leaf.handle)
        return found

    def written_or_old(self, handle: Handle) -> Value:
        """Returns the value of an outer array at the region's end."""
        return self.written.get(handle) or handle.read()


def trace_region(name: str, fn: Callable[[], Any], watched: Reachable) -> TracedRegion:
    """Trace `fn` in a region of its own, then put everything outside back as it was.

    An exception of the user's, or of NumPy's, becomes a `raise_` that happens when the region runs.

    Raises:
      ArraysWritten: the region writes constants to arrays that were there before.
    """
    before, around = Snapshot.take(watched), sys.exception()
    refuse_recursion()
    with unwritten(watched.arrays), trace.region(name) as region, settings_of_region():
        region.reached, positions = watched, marked(region.trace.positions)
        region.unhandled = is_unhandled(region.parent)
        if region.parent is not None:
            region.called, region.around = callers(sys._getframe(), region.parent)
        out = TracedRegion(region.graph, outside=container_ids(watched))
        try:
            with trace.kept_refusals(), plain_refusals(), refused_cycles(raised_at):
                known = len(region.trace.generators)
                out.take_in(fn(), watched, before, region)
                refuse_suspended(region.trace, known)
        except (TracingError, GraphError):
            raise
        except NeverCompletes:
            out.raised = True
        except (Exception, ResultUnknown) as error:
            if is_about_tensors(error):
                raise
            refuse_end_of_iterator(error, region)
            refuse_super(error, region)
            record_error(error, raised_at(error, region))
            forget_frames(error, around)
            out.raised = True
        finally:
            changed = before.changes()
            if out.raised:
                region.trace.before_raising += changed
                if trace.in_call() and (region.written() or changed):
                    region.trace.handled = True  # what was written before must show
            for location, old, _ in changed:
                location.write(old)
    refuse_moved(positions, watched.visited)
    return out


def container_ids(locations: list[HeapLocation]) -> set[int]:
    """Returns the ids of the `__dict__`s and other containers among the locations."""
    return {id(x.container) for x in locations if isinstance(x, Contents)}


def is_unhandled(outer: Region | None) -> bool:
    """Returns True if no handler of the user's is around the region that begins. What is around
    the outer region is looked at once."""
    if outer is None or under_handler(outer.unhandled):
        return False
    outer.unhandled = True
    return True


def _uses_symbols(cls: type) -> bool:
    return any(uses_symbols(x, set()) for x in vars(cls).values() if isinstance(x, CALLING))


def leaf_type(leaf: Any) -> Type:
    """Returns the type of a leaf of a region's result; that of a container is dynamic."""
    if isinstance(leaf, Inner):
        return leaf.value.type
    if isinstance(leaf, Tensor):
        return leaf.type
    is_container = isinstance(leaf, Same) or children(leaf) is not None
    return DYNAMIC if is_container else atom_type(leaf)
