"""Pending writes: what a run must write into the caller's objects before it raises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.functions.traced_arguments import Arguments, same_items
from autograph.runtime.functions.traced_state import TentativeTarget, TracedState
from autograph.runtime.heap.escaping_objects import is_new_iterator
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.joined_copies import met_again
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.objects import contents_of, copied, is_object
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.heap.stale_reads import refuse_kept_reads
from autograph.runtime.ir.errors import EscapedTensorError
from autograph.runtime.ir.frame_state import Captured, Given, OutsideLocation, Shared, Spliced
from autograph.runtime.ir.graph import Equation, Graph, Value, values_written
from autograph.runtime.ir.graph import PendingWrites as Writes
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.numpy_settings import raises
from autograph.runtime.ir.pytree import children, flatten, is_mutable_data_class
from autograph.runtime.ops import OPS
from autograph.runtime.optimize.effects_and_exceptions import may_raise
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container, parts_of
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor

MANY = 1000
"""If the function can reach more items outside its arguments, changes of them are not followed."""


RAISE = OPS["raise_"]


class NotFollowed(Exception):
    """A container holds what values of the graph cannot stand for."""


class PendingWrites:
    """Notes, for each equation of a trace, the writes that are pending if it raises.

    See docs/decisions/0015-pending-writes.md.

    unfollowed  the targets of pending writes that no values of the graph can stand for, and the
                lines that may raise.
    left        by id: what the caller finds in its objects if one of the equations raises.
    """

    def __init__(self, arguments: Arguments, state: TracedState) -> None:
        self.arguments = arguments
        self.state = state
        self.noted: list[Equation] = []
        self.latest: tuple[Writes, tuple[Value, ...]] = (), ()
        self.unfollowed: list[tuple[Any, Location | None]] = []
        self.left: dict[int, Any] = {}
        self.busy = False
        self.again: dict[int, int] = {}
        self.raising: dict[Graph, bool] = {}
        contents = [x for x in state.before.values() if type(x) in (dict, list, tuple, frozenset)]
        self.follows_outside = sum(map(len, contents)) <= MANY
        self.has_objects = bool(arguments.given or state.before or state.state.locations)

    def note(self, e: Equation) -> None:
        """Notes the pending writes of an equation; called before the equation is recorded."""
        here = trace.current.region
        if here is not None and here.trace.read_by_kept:
            refuse_kept_reads(here.trace, e)
        if self.busy or (here is not None and here.trace.calls) or not (
                may_raise(e, self.raising) or (e.settings and raises(e.settings))):
            return
        if here is not None and here.parent is None and (
                here.trace.handled or any(x.op is RAISE for g in e.regions for x in g.walk())):
            self.state.note_raise()
        self.busy = True  # reading the objects may record equations
        try:
            writes, values = self._pending()
        finally:
            self.busy = False
        e.write_before_raising(writes, values)  # even if there are none: not those before it
        if writes:
            self.noted.append(e)

    def _pending(self) -> tuple[Writes, tuple[Value, ...]]:
        """Returns the pending writes and the values in them; the same tuples as before, if only
        arrays changed and they hold what they held then."""
        arrays: list[tuple[Any, Any]] = [
            (v, h.value) for h, v in self.arguments.handles.items() if h.value is not v]
        changes = self._changes() if self.has_objects else []
        before = self.latest[0]
        if changes or len(arrays) != len(before) or [
                target for (target, value), (known, old) in zip(arrays, before, strict=True)
                if target is not known or value is not old]:
            self.latest = (*arrays, *changes), (
                *[value for _, value in arrays], *values_written(tuple(changes)))
        return self.latest

    def _changes(self) -> list[tuple[Any, Any]]:
        """Returns the pending writes of containers and other objects."""
        pairs = enumerate(zip(self.arguments.given, self.arguments.before, strict=True))
        given = [(i, c) for i, (c, old) in pairs if not same_items(c, old)]
        outside = list(self.state.pending(self.follows_outside))
        if not given and not outside:
            return []
        self._note_shared([*(y for _, x in given for y in parts_of(x) or ()),
                           *(x for _, x in outside)])
        return [*self._followed(given, True), *self._followed(outside, False)]

    def _note_shared(self, nests: list[Any]) -> None:
        """Numbers the new containers that are in several places of some nests."""
        self.left.update((id(x), x) for x in nests)
        known = {*self.state.containers, *map(id, self.arguments.given)}
        self.again = {x: number for number, x in enumerate(sorted(met_again(nests, known)))}

    def close(self) -> None:
        """Leaves out writes to locations that did not turn out to be persistent."""
        for e in self.noted if self.has_objects else ():
            writes = e.pending_writes or ()
            if TentativeTarget in [t.__class__ for t, _ in writes]:
                e.write_before_raising(tuple(
                    (OutsideLocation(t.target.write) if isinstance(t, TentativeTarget) else t, nest)
                    for t, nest in writes if self._lasts(t)))
        self.unfollowed = [(t, line) for t, line in self.unfollowed if self._lasts(t)]

    def _lasts(self, target: Any) -> bool:
        """Returns True if what is written stays changed, for all that is known at the end."""
        return not isinstance(target, TentativeTarget) or target.group in self.state.groups

    @property
    def containers(self) -> frozenset[int]:
        """The numbers of the caller's containers that have pending writes, or are part of one."""
        noted = self.noted if self.has_objects else ()
        each = {id(e.pending_writes): e.pending_writes or () for e in noted}
        writes = [pair for found in each.values() for pair in found]
        inside = {x.number for x in flatten([nest for _, nest in writes]) if isinstance(x, Given)}
        return frozenset(inside | {t for t, _ in writes if isinstance(t, int)})

    def _followed(self, pairs: Sequence[tuple[Any, Any]], inside: bool) -> list[tuple[Any, Any]]:
        found = []
        for target, x in pairs:
            try:
                found.append((target, self._nest(x, inside)))
            except (NotFollowed, EscapedTensorError):
                self.unfollowed.append((target, user_location()))
        return found

    def _nest(self, x: Any, inside: bool = False) -> Any:
        """Returns a nest of values, constants, and the containers that were there before; one that
        the function made, and that is in several places, is marked."""
        if not inside:
            for number, container in enumerate(self.arguments.given):
                if x is container:
                    return Given(number)
            if is_plain_container(x) and id(x) in self.state.containers:
                return Captured(x)
            if id(x) in self.again and (is_plain_container(x) or is_mutable_data_class(x)):
                return Shared(self.again[id(x)], self._contents(x, inside))
        return self._contents(x, inside)

    def _contents(self, x: Any, inside: bool) -> Any:
        if isinstance(x, Splice):
            return Spliced(self._leaf(x.value))
        if type(x) in (list, StagedList):
            return list(map(self._nest, list.__iter__(x)))
        if isinstance(x, memoryview) or is_new_iterator(x):
            raise NotFollowed
        found = children(x)
        if found is None and is_plain_container(x) and not _holds_tensors(parts_of(x) or ()) and (
                inside or id(x) not in self.state.containers):
            return copied(x)  # the function, or the end of a region, may change it
        return self._leaf(x) if found is None else found[2](list(map(self._nest, found[1])))

    def _leaf(self, x: Any) -> Any:
        if isinstance(x, Tensor):
            handles = self.arguments.handles
            return handles[x._handle] if x._handle in handles else x._handle.read()
        if isinstance(x, SelectedObject) or (
                is_object(x) and _holds_tensors(contents_of(x).values())) or (
                is_plain_container(x) and _holds_tensors(parts_of(x) or ())):
            raise NotFollowed
        if isinstance(x, np.ndarray) and not self.arguments.is_outside(x):
            return x.copy()  # the function may change it
        return Captured(x) if isinstance(x, np.ndarray) else x


def _holds_tensors(values: Iterable[Any]) -> bool:
    return any(isinstance(x, Tensor) for x in values)
