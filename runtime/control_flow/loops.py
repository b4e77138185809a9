"""Staged loops: a loop's state, and the types in it, are found by tracing to a fixed point.

A loop becomes one equation whose regions take the state of an iteration and return that of the
next. What belongs to the state is not known before: the body may change arrays, heap locations and
objects that the syntax does not show, and a variable may change its type. So a `Loop` traces test
and body again and again. Each attempt adds what the body was found to change, and joins the types
of what it returned with those that it was given; since both only grow, the attempts end. The last
attempt is recorded, and its results are bound to the variables and written to the locations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from autograph.runtime.control_flow.known_containers import is_known_nest, with_known
from autograph.runtime.control_flow.loop_names import names_of, unwrapped
from autograph.runtime.control_flow.loop_state import (
    Aliases,
    Carried,
    at_carried,
    beyond_numbers,
    carried_at,
    filled,
    given_copies,
    joined,
    with_flattened,
)
from autograph.runtime.control_flow.stored_names import stored_from_outside
from autograph.runtime.control_flow.traced_regions import TracedRegion, container_ids, trace_region
from autograph.runtime.heap.iterators import is_iterator
from autograph.runtime.heap.joined_copies import note_copies
from autograph.runtime.heap.left_functions import left_with_values
from autograph.runtime.heap.locations import HeapLocation, aligned
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import contents_of
from autograph.runtime.heap.reachability import Reachable, reachable_locations
from autograph.runtime.heap.selected_objects import FlattenedObject, merged_if_unshared
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import Graph, Value, graphs_of
from autograph.runtime.ir.pytree import flatten, map_until
from autograph.runtime.ir.types import ArrayType, PyType, Type, join, may_have_memory
from autograph.runtime.ops import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle, tie
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, lower

Fn = Callable[..., Any]
State = tuple[Any, ...]


def while_loop(test: Fn, body: Fn, init: State, asked: Asked | None = None) -> State:
    """Record `while test(*state): state = body(*state)` as one equation; returns the state at its
    end.

    The state's types need not stay the same from iteration to iteration: they are joined.

    asked: what `test(*init)` gave; None if it was not asked yet.

    Raises:
      TracingError: the body does not return a tuple of as many variables.
    """
    if asked is not None:
        asked.exchange()  # first: a view that the loop reads is not made of one of the test's
    loop = Loop(body, init, reachable_locations(test, body, init), names_of(body))
    while True:
        tested = loop.trace("test", lambda state, _: test(*state))
        if test is not _answered and loop.changed_by(tested):
            if asked is not None:
                asked.exchange()
            return _while_answer(test, body, init, asked)
        ran = loop.trace("body", lambda state, _: body(*state))
        if not loop.grow(tested, ran):
            break
    if asked is not None:
        asked.forget()
    tested.graph.outputs = (tested.pack(tested.result),)
    return loop.record("while", (), ran, [tested.graph, ran.graph])


def _while_answer(test: Fn, body: Fn, init: State, asked: Asked | None) -> State:
    """Record a loop whose test changes state: each iteration ends with the test for the next one,
    whose answer is a part of the loop's state."""
    def step(_: Any, *state: Any) -> State:
        after = body(*state)
        return (test(*after), *after)

    if asked is None:
        here = trace.current_region()
        assert here is not None
        asked = Asked(here, lambda: test(*init))
    asked.hush()
    return while_loop(_answered, step, (asked.answer, *init))[1:]


def _answered(answer: Any, *_: Any) -> Any:
    """The test of a loop whose state begins with the answer: it changes nothing."""
    return answer


def recorded(region: Region) -> tuple[int, int]:
    """Returns how many equations, and how many printed texts, were recorded in a region."""
    return len(region.graph.equations), len(region.graph.printed)


class Asked:
    """The evaluation of a loop's test, before the loop.

    answer  what the test gave.
    """

    def __init__(self, region: Region, ask: Callable[[], Any]) -> None:
        self._region = region
        before = recorded(region)
        with region.probe() as self._rebound:
            self.answer = ask()
        self._equations, self._printed = map(slice, before, recorded(region))

    def exchange(self) -> None:
        """Let arrays stand for what they stood for before the test, or again for what they do after
        it: the loop's own test makes views again that were changed before."""
        for handle, other in self._rebound.items():
            self._rebound[handle] = handle.exchange(other)

    def hush(self) -> None:
        """Remove what was printed: the loop's body asks the test again, and prints it."""
        del self._region.graph.printed[self._printed]
        for equation in self._region.graph.equations[self._equations]:
            for inner in graphs_of(equation):
                inner.printed.clear()

    def forget(self) -> None:
        """Remove what was recorded: the loop asks the test itself."""
        del self._region.graph.equations[self._equations]
        del self._region.graph.printed[self._printed]


def for_loop(steps: Any, body: Fn, init: State, test: Fn | None = None,
             item: Type = PyType(int),  # noqa: B008
             fewest: int = 0) -> State | None:
    """Record `for i in steps: state = body(i, *state)` as one equation; returns the state at its
    end.

    `steps` is a Python range or a tensor that stands for one, and `i` is a symbolic Python int; or
    it is another tensor that Python can iterate over, with items of the type `item`. The loop stops
    before the next item when `test(*state)` is false.

    Returns None and records nothing if `steps` is concrete and the loop computes with Python
    numbers alone, so that Python can run it, or if an iteration that knows its item would make no
    more than the `fewest` equations.
    """
    loop = Loop(body, init, reachable_locations(body, test, init), names_of(body)[1:], item=item,
                item_name="i" if hasattr(body, "__wrapped__") else names_of(body)[0])
    while True:
        tested = None
        if test is not None:
            tested = loop.trace("test", lambda state, _: test(*state), with_item=False)
        ran = loop.trace("body", lambda state, item: body(item, *state))
        if not loop.grow(tested, ran):
            break
    if (isinstance(steps, range) and not loop.is_symbolic(ran, tested)) or (
            fewest and beyond_numbers(ran.graph) <= fewest):
        return None
    graphs = [ran.graph]
    if tested is not None:
        tested.graph.outputs = (tested.pack(tested.result),)
        graphs.append(tested.graph)
    return loop.record("for", (lower(steps),), ran, graphs)


class Attempts:
    """The findings of earlier attempts about a loop inside another one, whose body is traced again.

    written  the outer arrays that its body changes; None before the first attempt.
    inner    the loops in it, by region, number and code of the body.
    """

    __slots__ = ("inner", "written")

    def __init__(self) -> None:
        self.written: tuple[Handle, ...] | None = None
        self.inner: dict[tuple[str, int, Any], Attempts] = {}


class Loop:
    """A loop that is being traced.

    A leaf of the state is symbolic from the start if it is a number or a tensor; any other object
    stays a constant unless the body replaces it.

    nest       the state: the loop variables, then the contents of the locations that change.
    init       what the state is before the loop.
    count      the number of loop variables.
    locations  the heap locations that change: where in the nest the contents of each are.
    handles    the outer arrays that are written, and their types.
    guessed    those of them that no attempt was seen to write yet.
    attempts   what earlier attempts found out.
    known      the ids of the containers that it can reach; `copies`: how many were copied before.
    kept_state True if the region that was just traced left the state as it found it.
    region     the name of the region that is being traced; `loops` counts the loops met in it.
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
        self.nest: list[Any] = [carried_at(x, n, self.known)
                                for x, n in zip(init, names, strict=True)]
        self.locations: dict[HeapLocation, int] = {}
        self.count = len(init)
        self.kept_state = True
        self.region, self.loops = "", 0
        around = current_trace().loop
        self.attempts = Attempts() if around is None else around.attempts_at(unwrapped(body))
        written = self.attempts.written
        self.guessed = guessed(unwrapped(body)) if written is None else {}
        self.handles: dict[Handle, Type] = {
            h: h.read().type for h in (*(written or ()), *self.guessed)
            if h.region is not None and h.region.alive and not h.invalidated}

    def attempts_at(self, body: Fn) -> Attempts:
        """Returns what is known of the next loop, with this body, in the region at hand."""
        self.loops += 1
        key = self.region, self.loops, getattr(body, "__code__", None)
        return self.attempts.inner.setdefault(key, Attempts())

    # -- tracing it -------------------------------------------------------------------------------

    def trace(self, name: str, run: Callable[[State, Any], Any], with_item: bool = True
              ) -> TracedRegion:
        """Trace one region of the loop on fresh symbolic state."""
        inputs: list[Value] = []

        def fn() -> Any:
            item = self._enter_item(inputs) if with_item else None
            state, flattened = self._enter_state(inputs)
            given = list(given_copies(self.nest, self.init, state, self.known))
            entered = [x.read() for x in self.locations]
            result = run(tuple(state[: self.count]), item)
            self.kept_state = self._keeps(entered, inputs)
            for origin, x, before in flattened:
                _refuse_change(origin, x, before)
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
            traced = trace_region(name, fn, self.watched)
        finally:
            here.loop = around
        traced.graph.inputs = tuple(inputs)
        self._refuse_left_functions(traced, self.known)
        return traced

    def _refuse_left_functions(self, traced: TracedRegion, outside: set[int]) -> None:
        """Refuse a region that leaves behind a new function, or an iterator, with its values.

        Raises:
          TracingError: a loop whose number of iterations is known is unrolled then.
        """
        before = [*self.init, *(x.read() for x in traced.locations)]
        left = left_with_values(
            [traced.result, *traced.locations.values()],
            traced.locations.keys() | self.locations.keys(),
            {id(x) for x in flatten(before)}, outside)
        if left is not None:
            kind = "an iterator" if is_iterator(left) else "a function"
            raise TracingError(
                f"{kind} that a staged loop makes holds values of one iteration, and is there "
                f"after it{at(user_location())}\n"
                "  hint: collect the values in a list or an array, and make the "
                f"{kind.partition(' ')[2]} after the loop")

    def changed_by(self, tested: TracedRegion) -> bool:
        """Returns True if the test, which was just traced, changes what is outside of it."""
        return not (self.kept_state and tested.locations.keys() <= self.locations.keys()
                    and tested.written.keys() <= self.handles.keys() | {
                        x.handle for x in self.carried()})

    def _keeps(self, entered: list[Any], inputs: list[Value]) -> bool:
        """Returns True if the locations and arrays still hold what they were given."""
        handles = zip(self.handles, inputs[len(inputs) - len(self.handles):], strict=True)
        same = all(x.same(old, x.read()) for x, old in zip(self.locations, entered, strict=True))
        return same and not any(
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
            return self._forget(self.guessed)
        result = ran.result
        if type(result) is not tuple or len(result) != self.count:
            raise TracingError(
                f"the body of a loop gives {_values(result)} for "
                f"{self.count} loop variable{'s' * (self.count != 1)}"
                f"{at(user_location())}\n"
                "  hint: return a tuple with one value for each loop variable, in their order")
        unwritten = [h for h in self.guessed if not self._writes(ran, h) and not (
            tested is not None and self._writes(tested, h))]
        grew = self._forget(unwritten)
        grew |= self._add_locations(ran) | self._add_attributes(ran)
        for index, new in enumerate(self._ends(ran)):
            grew |= self._grow_part(index, new, ran)
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
        if grew:
            trace.forget_copies(self.copies)
        return grew

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
            self.locations[location] = len(self.nest)
            self.init.append(location.read())
            self.nest.append(with_known(self.init[-1], self.known))
        return bool(new)

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
        state = [filled(v, lambda x: x.after_loop(next(fresh))) for v in self.nest]
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
        note_copies(zip(self.init, ends, state, strict=True), ran.shared_ids, excludes=False)

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


def guessed(body: Fn) -> dict[Handle, None]:
    """Returns the arrays from outside that a loop is likely to write, by the code of its body."""
    if trace.by_reference():
        return {}
    stored = [x for x in stored_from_outside(body) if isinstance(x, Tensor)]
    return {h: None for h in (x._handle.root for x in stored)
            if not h.invalidated and isinstance(h.value.type, ArrayType)}


def current_trace() -> trace.Trace:
    """Returns the trace that is being made."""
    here = trace.current_region()
    assert here is not None, "a staged loop needs a trace"
    return here.trace


def _refuse_change(origin: Any, x: Any, before: dict[str, Any]) -> None:
    """Refuse a body that changes an object and then rebinds the variable to a new one: whoever
    knows the object from before the loop would not see what the first iteration changed."""
    now = contents_of(x)
    if len(now) != len(before) or any(now.get(k, before) is not v for k, v in before.items()):
        trace.want(origin, "is changed in a staged loop that also binds its variable to another "
                           "object")
        raise TracingError(
            f"a staged loop changes an object of the class {type(x).__name__} and then binds its "
            f"variable to another object{at(user_location())}\n"
            "  hint: either change the object in every iteration, or make a new one in every "
            "iteration")


def _values(result: Any) -> str:
    """Returns what a body gave, in words."""
    if type(result) is tuple:
        return f"{len(result)} value{'s' * (len(result) != 1)}"
    return "None" if result is None else "one value that is no tuple"
