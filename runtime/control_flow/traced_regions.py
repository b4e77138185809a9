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
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autograph.own_attributes import own_dict
from autograph.runtime.control_flow.known_containers import (
    Same,
    structure,
)
from autograph.runtime.control_flow.known_objects import IndexOf
from autograph.runtime.control_flow.left_nests import Inner, LeftNests
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
    keeping_class,
    refuse_hidden_operand,
)
from autograph.runtime.heap.functions_of_regions import leave
from autograph.runtime.heap.functions_of_run import known_of_run
from autograph.runtime.heap.growing_lists import OF_RUN, StagedList
from autograph.runtime.heap.hidden_state import check_shared, note_chosen, refuse_shared_object
from autograph.runtime.heap.iterator_positions import marked, refuse_moved
from autograph.runtime.heap.kept_functions import refuse_unseen_changes
from autograph.runtime.heap.known_arrays import unwritten
from autograph.runtime.heap.list_values import Splice, parts_of, value_at_end
from autograph.runtime.heap.locations import Contents, HeapLocation
from autograph.runtime.heap.made_arrays import check_copied, is_made_by_trace
from autograph.runtime.heap.new_objects import how_to_copy, is_new, is_new_function, is_young
from autograph.runtime.heap.objects import (
    as_operand,
    can_be_built,
    holds_its_dict_alone,
    is_known,
    is_made_anew,
    is_object,
)
from autograph.runtime.heap.reachability import Reachable
from autograph.runtime.heap.selected_fields import are_fields
from autograph.runtime.heap.selected_objects import (
    FlattenedObject,
    SelectedObject,
    fields_of,
)
from autograph.runtime.heap.snapshot import Snapshot
from autograph.runtime.heap.suspended_generators import refuse_suspended
from autograph.runtime.heap.tuples_of_run import is_tuple, traces_tuples, value_of
from autograph.runtime.ir.cyclic_containers import refused_cycles
from autograph.runtime.ir.errors import (
    GraphError,
    TracingError,
    is_about_tensors,
    plain_refusals,
)
from autograph.runtime.ir.exception_tables import under_handler
from autograph.runtime.ir.graph import Equation, Graph, Value, atom_type
from autograph.runtime.ir.interruptions import interrupts
from autograph.runtime.ir.pytree import children, flatten, is_immutable_nest
from autograph.runtime.ir.trace_signals import NeverCompletes
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
from autograph.runtime.symbolic.variables import refuse_argument


class TracedRegion(LeftNests):
    """A traced region, of which what it left becomes atoms of its graph."""

    def pack(self, nest: Any) -> Any:
        """Returns a nest as one atom of the region; if need be, an equation at its end builds
        it."""
        if isinstance(nest, (Inner, Tensor)):
            return self.end_of(nest)
        if isinstance(nest, IndexOf):
            return self._index(nest)
        refuse_objects(nest)
        if id(nest) in self.packed:
            return self.packed[id(nest)][1]
        made = self._packed(nest)
        if is_immutable_nest(nest):
            self.packed[id(nest)] = nest, made
        return made

    def _packed(self, nest: Any) -> Any:
        if (known := self._tuple_of_run(nest)) is not None:
            return known
        nest = self.opened(nest)
        refuse_objects(nest)
        for leaf in flatten(nest):
            refuse_unseen_changes(leaf)
            leave(leaf)
            if known_of_run(leaf) is None:
                refuse_hidden_operand(leaf)
            refuse_argument(leaf)
            note_chosen(leaf)
        if not any(isinstance(x, (Inner, *OF_RUN, type)) or is_object(x)
                   or holds_objects(x) or is_made_by_trace(x) or is_new(x) or is_new_function(
                       x, self.region) or known_of_run(x) is not None for x in flatten(nest)):
            return self._known(nest)
        parts = as_operand(self._parts(nest), self._record, self._is_outside)
        return parts if children(nest) is None or isinstance(parts, Value) else self._append(
            "pack", (parts,))

    def _tuple_of_run(self, nest: Any) -> Value | None:
        """Returns the value of a tuple that is one of the run already, or that was there before the
        region, which leaves it as it is; None for anything else."""
        nest = nest.value if isinstance(nest, Same) else nest
        if self.region is None and traces_tuples() and is_tuple(nest):
            made = value_of(nest)
            return made.read() if isinstance(made, Tensor) else None
        if self.region is None or not is_immutable_nest(nest):
            return None
        left = self.left_tuples().get(id(nest), nest)
        made = self.region.trace.tuples.get(id(left))
        if made is not None:
            return made[1]._handle.value  # type: ignore[no-any-return]
        if is_young(left, self.region) or any(isinstance(x, Inner) for x in flatten(nest)):
            return None
        older = value_of(left)
        return older.read() if isinstance(older, Tensor) else None

    def _is_met_again(self, nest: Any) -> bool:
        """Returns True for a tuple that is in several places of what the region left."""
        return is_immutable_nest(nest) and (traces_tuples() or id(nest) in self.packed or id(
            self.left_tuples().get(id(nest))) in self.shared_ids)

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
            return found[2]([self.pack(x) if self._is_met_again(x) else self._parts(x)
                             for x in items])
        if children(nest) is None:
            return self.atom(nest)
        if len(nest) == 1:
            return self.pack(nest[0].value)
        known = value_at_end(nest, self.end_of, self.graph, trace.current_region())
        return known or self._append("list_of", tuple(
            (spliced, self.pack(x)) for spliced, x in parts_of(nest)))

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

    def fields_of(self, nest: Any, sides: Iterable[TracedRegion]
                  ) -> tuple[type, dict[str, Any]] | None:
        """Returns the class of an object that the region left, and its attributes; None if one of
        the sides of a branch changes the object, or it is more than these."""
        if self.raised:
            return None
        if type(nest) is FlattenedObject:
            values = dict(zip(nest.names, nest.values, strict=True))
            is_plain = holds_its_dict_alone(nest.cls) and are_fields(nest.cls, values)
            return (nest.cls, values) if values and is_plain else None
        nest = nest.value if isinstance(nest, Same) else nest
        if (found := fields_of(nest)) is None:
            return None
        kind, values, objects = found
        changed = {id(x.container) for side in sides for x in side.locations if isinstance(
            x, Contents)}
        return (kind, values) if changed.isdisjoint(id(own_dict(x)) for x in objects) else None

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


def trace_region(name: str, fn: Callable[[], Any], watched: Reachable, is_iteration: bool = False
                 ) -> TracedRegion:
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
        out = TracedRegion(region.graph, outside=container_ids(watched), is_iteration=is_iteration)
        try:
            with trace.kept_refusals(), plain_refusals(), refused_cycles(raised_at):
                known = len(region.trace.generators)
                out.take_in(fn(), watched, before, region)
                refuse_suspended(region.trace, known)
        except (TracingError, GraphError):
            raise
        except NeverCompletes:
            out.raised = True
        except BaseException as error:
            if is_about_tensors(error) or interrupts(error):
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


def leaf_type(leaf: Any) -> Type:
    """Returns the type of a leaf of a region's result; that of a container is dynamic."""
    if isinstance(leaf, Inner):
        return leaf.value.type
    if isinstance(leaf, Tensor):
        return leaf.type
    is_container = isinstance(leaf, Same) or children(leaf) is not None
    return DYNAMIC if is_container else atom_type(leaf)
