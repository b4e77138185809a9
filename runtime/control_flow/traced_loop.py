"""A loop that is being traced: its state grows from attempt to attempt, then it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from autograph.runtime.control_flow.float_guesses import FLOAT, stay_pythons
from autograph.runtime.control_flow.known_containers import is_known_nest, with_known
from autograph.runtime.control_flow.left_nests import Inner
from autograph.runtime.control_flow.loop_attempts import Attempts, guessed, guessed_rebound
from autograph.runtime.control_flow.loop_names import unwrapped
from autograph.runtime.control_flow.loop_refusals import (
    check_state,
    refuse_change,
    refuse_left_functions,
)
from autograph.runtime.control_flow.loop_state import (
    Aliases,
    Carried,
    at_carried,
    carried_at,
    filled,
    given_copies,
    joined,
    unchanged_or,
    with_flattened,
)
from autograph.runtime.control_flow.traced_regions import (
    TracedRegion,
    container_ids,
    leaf_type,
    trace_region,
)
from autograph.runtime.heap.joined_copies import note_copies, want_changed_items
from autograph.runtime.heap.joined_tuples import note_entered
from autograph.runtime.heap.locations import HeapLocation, aligned
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import contents_of
from autograph.runtime.heap.reachability import Reachable
from autograph.runtime.heap.selected_objects import FlattenedObject, merged_if_unshared
from autograph.runtime.heap.snapshot import Snapshot
from autograph.runtime.ir.errors import TracingError
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.pytree import flatten, map_until
from autograph.runtime.ir.types import EITHER, ArrayType, Type, join, may_have_memory
from autograph.runtime.ops import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle, tie
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.tensor import Tensor

Fn = Callable[..., Any]
State = tuple[Any, ...]

PATIENCE = 3
"""When the body was traced so often, values of one type in a container get wider types together."""


class Loop:
    """A loop that is being traced.

    A leaf of the state is symbolic from the start if it is a number or a tensor; any other object
    stays a constant unless the body replaces it.

    nest       the state: the loop variables, then the contents of the locations that change.
    init       what the state is before the loop.
    count      the number of loop variables.
    locations  the heap locations that change: where in the nest the contents of each are.
    handles    the outer arrays that are written, and their types.
    guessed    those of them that no attempt was seen to write yet; `guessed_rebound`: the numbers
               of the variables that no attempt was seen to bind yet.
    guessed_floats  the numbers of the floats that no attempt was seen to make NumPy's yet;
               `narrowed`: they were forgotten while a region was traced.
    attempts   what earlier attempts found out.
    known      the ids of the containers that it can reach; `copies`: how many were copied before.
    kept_state True if the region that was just traced left the state as it found it.
    region     the name of the region that is being traced; `loops` counts the loops met in it.
    traced     how often the body was traced.
    """

    def __init__(self, body: Fn, init: State, watched: Reachable, names: list[str],
                 item: Type | None = None, item_name: str = "") -> None:
        self.watched = watched
        self.item = item
        self.item_name = item_name
        self.init: list[Any] = list(init)
        names = names if len(names) == len(init) else [""] * len(init)
        self.names = names
        self.known = container_ids(watched)
        self.copies = len(current_trace().copies)
        self.locations: dict[HeapLocation, int] = {}
        self.count = len(init)
        self.kept_state = True
        self.region, self.loops, self.traced = "", 0, 0
        around = current_trace().loop
        self.attempts = Attempts() if around is None else around.attempts_at(unwrapped(body))
        written, rebound = self.attempts.written, self.attempts.rebound
        self.guessed = guessed(unwrapped(body)) if written is None else {}
        self.guessed_rebound = guessed_rebound(unwrapped(body), names) if written is None else ()
        self.nest: list[Any] = [
            carried_at(x, n, self.known, k in rebound or k in self.guessed_rebound)
            for k, (x, n) in enumerate(zip(init, names, strict=True))]
        reached = set(watched) if self.attempts.locations else ()
        for location, t in self.attempts.locations.items():
            if location in reached:
                self._add_location(location, t)
        self.guessed_floats, self.narrowed = self._guess_floats(), False
        self.handles: dict[Handle, Type] = {
            h: h.read().type for h in (*(written or ()), *self.guessed)
            if h.region is not None and h.region.alive and not h.invalidated}

    def _guess_floats(self) -> list[int]:
        """Widen the variables that begin as Python's floats, and of which no attempt has found that
        they stay so: most get NumPy's in the body. Returns their numbers."""
        floats = [k for k in range(self.count) if k not in self.attempts.floats and isinstance(
            self.nest[k], Carried) and self.nest[k].type == FLOAT]
        for k in floats:
            self.nest[k].type = EITHER
        return floats

    def attempts_at(self, body: Fn) -> Attempts:
        """Returns what is known of the next loop, with this body, in the region at hand."""
        self.loops += 1
        key = self.region, self.loops, getattr(body, "__code__", None)
        return self.attempts.inner.setdefault(key, Attempts())

    # -- tracing it -------------------------------------------------------------------------------

    def trace(self, name: str, run: Callable[[State, Any], Any], with_item: bool = True
              ) -> TracedRegion:
        """Trace one region of the loop on fresh symbolic state. What is refused under a guess is
        traced without it."""
        wanted = len(trace.wanted())
        try:
            return self._trace(name, run, with_item)
        except TracingError as error:
            if not self._forget_floats(self.guessed_floats):
                raise
            trace.forget_refusal(error)
            trace.forget_wanted(wanted)
        self.narrowed = True
        return self._trace(name, run, with_item)

    def _trace(self, name: str, run: Callable[[State, Any], Any], with_item: bool) -> TracedRegion:
        inputs: list[Value] = []

        def fn() -> Any:
            item = self._enter_item(inputs) if with_item else None
            state, flattened = self._enter_state(inputs)
            given = list(given_copies(self.nest, self.init, state, self.known))
            entered = Snapshot.take(self.locations)
            result = run(tuple(state[: self.count]), item)
            self.kept_state = self._keeps(entered, inputs)
            for origin, x, before in flattened:
                refuse_change(origin, x, before)
            for copy in given:
                if copy.is_changed:
                    need_object(copy.original, "is changed in a staged loop that also binds its "
                                               "variable to another container")
            return map_until(lambda x: merged_if_unshared(x, self.known), result,
                             lambda x: is_known_nest(x, self.known))

        self.region, self.loops = name, 0
        here = current_trace()
        around, here.loop = here.loop, self
        try:
            traced = trace_region(name, fn, self.watched, is_iteration=True)
        finally:
            here.loop = around
        traced.graph.inputs = tuple(inputs)
        refuse_left_functions(self.init, traced, self.locations.keys(), self.known)
        return traced

    def changed_by(self, tested: TracedRegion) -> bool:
        """Returns True if the test, which was just traced, changes what is outside of it."""
        return not (self.kept_state and tested.locations.keys() <= self.locations.keys()
                    and tested.written.keys() <= self.handles.keys() | {
                        x.handle for x in self.carried()})

    def _keeps(self, entered: Snapshot[HeapLocation], inputs: list[Value]) -> bool:
        """Returns True if the locations and arrays still hold what they were given."""
        handles = zip(self.handles, inputs[len(inputs) - len(self.handles):], strict=True)
        return entered.is_current() and not any(
            handle.invalidated or handle.value is not given for handle, given in handles
        ) and not any(x.was_written() for x in self.carried())

    def _enter_item(self, inputs: list[Value]) -> Tensor | None:
        """Add the loop's item to a region's inputs; returns its tensor."""
        if self.item is None:
            return None
        inputs.append(Value(self.item, self.item_name))
        return Tensor(inputs[0])

    def _enter_state(self, inputs: list[Value]
                     ) -> tuple[list[Any], list[tuple[Any, Any, dict[str, Any]]]]:
        """Add the state to a region's inputs, and write it to the locations and arrays that
        change; returns it, and the flattened objects, those made for them, and their contents."""
        state = [filled(v, lambda x: x.enter(inputs)) for v in self.nest]
        flattened = [(pattern.origin.value, x, contents_of(x))
                     for pattern, x in zip(self.nest, state, strict=True)
                     if isinstance(pattern, FlattenedObject)]
        for parts in zip(self.nest, self.init, state, strict=True):
            note_entered(*parts)
        for leaf in self.carried():
            leaf.invalidate_start()
        for location, index in self.locations.items():
            location.write(state[index])
        for handle, t in self.handles.items():
            inputs.append(Value(t, handle.value.hint))
            handle.rebind(inputs[-1])
        return state, flattened

    # -- joining what it made of the state --------------------------------------------------------

    def grow(self, tested: TracedRegion | None, ran: TracedRegion) -> bool:
        """Join what the body made of the state into the state; returns True if anything grew."""
        if ran.raised:
            return self._forget(self.guessed) | self._forget_kept(
                self.guessed_rebound) | self._forget_floats(self.guessed_floats)
        check_state(ran.result, self.count)
        narrowed = self._forget_floats(self._kept_floats(ran)) or self.narrowed
        types = {x: x.type for x in self.carried()}
        unwritten = [h for h in self.guessed if not self._writes(ran, h) and not (
            tested is not None and self._writes(tested, h))]
        grew = self._forget(unwritten)
        grew |= self._add_locations(ran) | self._add_attributes(ran)
        for index, new in enumerate(self._ends(ran)):
            grew |= self._grow_part(index, new, ran)
        grew |= self._forget_kept([k for k in self.guessed_rebound if isinstance(
            self.nest[k], Carried) and self.nest[k].unchanged])
        for leaf in self.carried():
            grew |= leaf.was_written() and not leaf.written
            leaf.written |= leaf.was_written()
        for written in (ran.written, tested.written if tested is not None else {}):
            for handle, value in written.items():
                if handle in unwritten:
                    continue
                old = self.handles.get(handle)
                self.handles[handle] = join(old or handle.read().type, value.type)
                grew |= self.handles[handle] != old
        self.attempts.written = tuple(self.handles)
        self.attempts.rebound = frozenset(
            k for k in range(self.count) if isinstance(self.nest[k], Carried))
        ends = [(x, self.nest[k]) for x, k in self.locations.items()]
        self.attempts.locations = {x: e.type if isinstance(e, Carried) else None for x, e in ends}
        self.traced += 1
        if narrowed:
            self._forget_types(types)
        elif grew and self.traced > PATIENCE:
            self._widen(types)
        if grew or narrowed:
            trace.forget_copies(self.copies)
        return grew or narrowed

    def _widen(self, before: dict[Carried, Type]) -> None:
        """Give the values in a container the types that those beside them grew to which were of
        their type: what one passes on to the next would take a trace each."""
        for part in self.nest:
            leaves = [x for x in flatten(part) if isinstance(x, Carried) and not x.unchanged]
            wider: dict[Type, Type] = {}
            for x in leaves:
                if (old := before.get(x)) is not None and x.type != old:
                    wider[old] = join(wider.get(old, old), x.type)
            for x in leaves:
                if x.type in wider:
                    x.type = join(x.type, wider[x.type])

    def _forget_types(self, before: dict[Carried, Type]) -> None:
        """Make the types what they were before they were joined with those of ends that came of a
        wrong guess, which are too wide."""
        self.narrowed = False
        for x in self.carried():
            x.type = before.get(x) or leaf_type(x.init)
        self.handles = {h: h.read().type for h in self.handles}

    def _writes(self, traced: TracedRegion, handle: Handle) -> bool:
        """Returns True if a region left another value in an array than it was given."""
        given = traced.graph.inputs[-len(self.handles):]
        return traced.written.get(handle) is not given[list(self.handles).index(handle)]

    def _forget(self, unwritten: Collection[Handle]) -> bool:
        """Leave out arrays that were guessed to be written; returns True if there are any. What
        else was guessed is known to be written."""
        for handle in unwritten:
            self.handles.pop(handle, None)
        self.guessed = {}
        return bool(unwritten)

    def _forget_kept(self, kept: Iterable[int]) -> bool:
        """Make variables that were guessed to be bound again constants; returns True if arrays are
        among them."""
        arrays = [k for k in kept if isinstance(self.init[k], Tensor) and may_have_memory(
            self.init[k]._handle.value.type)]
        for k in arrays:
            self.nest[k] = self.init[k]
        self.guessed_rebound = ()
        return bool(arrays)

    def _kept_floats(self, ran: TracedRegion) -> list[int]:
        """Returns the numbers of the floats that were guessed to become NumPy's, and do not."""
        ends = {k: ran.end_of(ran.result[k]) for k in self.guessed_floats}
        return stay_pythons(ends, [self.nest[k].input for k in ends], ran.graph)

    def _forget_floats(self, numbers: list[int]) -> bool:
        """Make variables that were guessed to get NumPy's floats Python's floats again; returns
        True if there are any. Those of the others were seen."""
        for k in numbers:
            self.nest[k].type = FLOAT
        self.attempts.floats |= frozenset(numbers)
        self.guessed_floats = []
        return bool(numbers)

    def _grow_part(self, index: int, new: Any, ran: TracedRegion) -> bool:
        """Join what the body left of one part of the state into it; returns True if it grew."""
        before = self.nest[index]
        self.nest[index], self.init[index] = with_flattened(
            before, self.init[index], new, self.known)
        if self.nest[index] is not before:
            return True
        self.nest[index], changed = joined(before, new, self.init[index], ran)
        if changed and isinstance(self.nest[index], Carried) and self.names[index:]:
            self.nest[index].hint = self.names[index] or self.nest[index].hint
        return changed

    def carried(self) -> list[Carried]:
        """Returns the leaves that are carried as values, in order."""
        return [x for x in flatten(self.nest) if isinstance(x, Carried)]

    def is_symbolic(self, ran: TracedRegion, tested: TracedRegion | None) -> bool:
        """Returns True if the loop uses symbolic values from outside, makes arrays, or has an
        effect."""
        graphs = [t.graph for t in (ran, tested) if t is not None]
        if self.handles or any(g.free_values() for g in graphs):
            return True
        return any(isinstance(x.init, Tensor) for x in self.carried()) or any(
            e.has_effect or isinstance(o.type, ArrayType)
            for g in graphs for e in g.walk() for o in e.outputs)

    def _add_locations(self, ran: TracedRegion) -> bool:
        """Add the locations that the body changed; only leaves that change will be symbolic."""
        new = [x for x in ran.locations if x not in self.locations]
        for location in new:
            self._add_location(location, None)
        return bool(new)

    def _add_location(self, location: HeapLocation, t: Type | None) -> None:
        """Add a location to the state: if it is carried as one value, of a type that admits what an
        earlier attempt found, and what it holds now."""
        self.locations[location] = len(self.nest)
        init = location.read()
        self.init.append(init)
        self.nest.append(with_known(init, self.known) if t is None else Carried(
            join(t, leaf_type(init)), init))

    def _add_attributes(self, ran: TracedRegion) -> bool:
        """Add the attributes that objects get in the body."""
        grew = False
        for location, index in self.locations.items():
            before = self.nest[index]
            if location in ran.locations:
                end = ran.locations[location]
                self.nest[index], _ = aligned(location, before, end)
                self.init[index], _ = aligned(location, self.init[index], end)
                grew |= type(before) is dict and len(self.nest[index]) > len(before)
        return grew

    def _ends(self, ran: TracedRegion) -> list[Any]:
        """Returns the nest as the body leaves it."""
        return [*ran.result, *(aligned(x, self.nest[i], ran.left_in(x))[1]
                               for x, i in self.locations.items())]

    def turns(self, ran: TracedRegion) -> int:
        """Returns after how many iterations the variables stand for the same arrays again, if each
        iteration writes arrays and exchanges them, as in `a, b = b, a`; otherwise 1."""
        leaves = self.carried()
        if trace.by_reference() or ran.raised or not any(x.written for x in leaves):
            return 1
        numbers = {x.handle: k for k, x in enumerate(leaves)}
        ends = [end for p, x in zip(self.nest, self._ends(ran), strict=True)
                for end in at_carried(p, x, lambda end: end, ran)]
        after = {k: numbers[x.handle] for k, x in enumerate(ends) if isinstance(x, Inner)
                 and x.handle in numbers and may_have_memory(leaves[k].type)}
        now, exchanged = dict(after), {k for k, j in after.items() if j != k}
        for count in range(2, MOST_TURNS + 1):
            now = {k: after[j] for k, j in now.items() if j in after}
            if exchanged and all(now.get(k) == k for k in exchanged):
                return count
        return 1

    # -- recording it -----------------------------------------------------------------------------

    def record(self, op: str, first: tuple[Any, ...], ran: TracedRegion, graphs: list[Graph]
               ) -> State:
        """Append the loop's equation, and write its results to where the state lives."""
        here = trace.current_region()
        assert here is not None
        ran.graph.outputs = tuple(self._yields(ran))
        outside = TracedRegion(here.graph)
        starts = zip(self.nest, self.init, strict=True)
        start = [a for p, x in starts for a in at_carried(p, x, outside.pack, outside)]
        start += [h.read() for h in self.handles]
        types = [x.type for x in self.carried()]
        values = list(record(OPS[op], (*first, *start), {}, tuple(graphs),
                             (*types, *self.handles.values()), self._hints()))
        results = [Tensor(v) for v in values[:len(types)]]
        if not trace.by_reference():
            self._tie(results, ran)
        fresh = iter(results)
        state = [unchanged_or(x, filled(v, lambda x: x.after_loop(next(fresh))))
                 for x, v in zip(self.init, self.nest, strict=True)]
        for location, index in self.locations.items():
            location.write(state[index])
            trace.note_staged(location)
        for handle, value in zip(self.handles, values[len(types):], strict=True):
            handle.rebind(value)
        self._note_copies(ran, state)
        return tuple(state[: self.count])

    def _note_copies(self, ran: TracedRegion, state: list[Any]) -> None:
        """Notes the containers that were copied to join what the iterations left."""
        if ran.raised:
            return
        ends = [*ran.own_result, *(ran.own_locations.get(x, x.read()) for x in self.locations)]
        note_copies(zip(self.init, ends, state, strict=True), ran.shared_ids, False, ran.region)
        if ran.region is not None:
            want_changed_items(ends, container_ids([*ran.own_locations]), ran.region)

    def _tie(self, results: list[Tensor], ran: TracedRegion) -> None:
        """Tie the results to the arrays that they may be, and invalidate the arrays from before
        the loop that the body changed."""
        leaves = self.carried()
        ends = [set() for _ in leaves] if ran.raised else [
            m for p, x in zip(self.nest, self._ends(ran), strict=True)
            for m in at_carried(p, x, ran.memory, ran)]
        aliases = Aliases(leaves, ends)
        if aliases.need_references(ran):
            trace.need_references("a loop writes to arrays and also binds their names to other "
                                  "arrays")
        for leaf in leaves:
            leaf.invalidate_start()
        for k, tensor in enumerate(results):
            if may_have_memory(tensor._handle.value.type):
                tie(tensor._handle, [*aliases.outside(k), *(
                    results[j]._handle for j in aliases.of(k))])

    def _hints(self) -> list[str]:
        return [x.hint for x in self.carried()] + [
            h.value.hint for h in self.handles]

    def _yields(self, ran: TracedRegion) -> list[Any]:
        """Returns what the body gives to the next iteration, an atom for each carried value."""
        if ran.raised:
            return [None for _ in self.carried()] + [None for _ in self.handles]
        ends = zip(self.nest, self._ends(ran), strict=True)
        return [a for p, x in ends for a in at_carried(p, x, ran.pack, ran)] + [
            ran.written_or_old(h) for h in self.handles]


MOST_TURNS = 4
"""So many iterations at once are recorded, at most, where each exchanges arrays."""


def current_trace() -> trace.Trace:
    """Returns the trace that is being made."""
    here = trace.current_region()
    assert here is not None, "a staged loop needs a trace"
    return here.trace
