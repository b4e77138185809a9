"""Recursion: a function that calls itself on symbolic values becomes a graph that calls itself.

Traced as it is, such a function would never come to an end: only the run knows when to stop. So the
function gets a graph of its own, and each call of it, inside and outside, is a `call` equation. The
types of its inputs and outputs are not known before, and the calls inside need them: a `Recursion`
traces the function again and again, and widens its patterns of arguments and result (see
`call_patterns`) until every call fits. In the first attempt a call inside raises `ResultUnknown`,
which ends its branch, so that the result is known from the branches that make no further call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import repeat
from types import FunctionType, MethodType
from typing import Any

from autograph.extension_points import POINTS
from autograph.runtime.control_flow.call_patterns import (
    Mismatch,
    Parameter,
    contents_pattern,
    pattern_of,
    pattern_of_call,
    split,
    widened,
)
from autograph.runtime.control_flow.known_containers import Same
from autograph.runtime.control_flow.shared_arguments import lives, need_objects, refuse_overlap
from autograph.runtime.control_flow.traced_regions import TracedRegion, container_ids, trace_region
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.joined_tuples import note_returned
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.locations import Contents, HeapLocation
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.heap.selected_objects import unflattened
from autograph.runtime.heap.snapshot import Snapshot
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.trace_signals import ResultUnknown
from autograph.runtime.ir.types import Type, join, may_have_memory
from autograph.runtime.ops import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle, tie
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.trace_mode import Decision

Fn = Callable[..., Any]
Call = tuple[Any, ...]
"""The arguments, those by keyword last."""


watching: list[trace.Trace] = []
"""The traces, of all threads, whose calls `staged` looks at."""


@contextmanager
def watched_calls(run: trace.Trace) -> Iterator[None]:
    """Have `staged` look at the calls of a trace while it is made, if it needs that."""
    watched = bool(run.mode.recursive or run.mode.sites.instrumented)
    if watched:
        watching.append(run)
    try:
        yield
    finally:
        if watched:
            watching.remove(run)


def sees_sites() -> bool:
    """Returns True while a trace is made in which functions tell where they make containers."""
    here = trace.current_region()
    return here is not None and here.trace.mode.sites.instrumented


def staged(function: Any, entry: bool = False) -> Any:
    """Returns what a traced program calls in place of a function: if that is known to call itself
    on symbolic values, a function that records the calls.

    entry: True for the call of the traced function itself, which no line of the program makes.
    """
    here = trace.current_region()
    if here is None:
        return function
    if sees_sites():
        function = POINTS.instrument_sites(function)
    if not here.trace.mode.recursive:
        return function
    if type(function) is MethodType:
        inner = staged(function.__func__)
        return function if inner is function.__func__ else Recorded(
            *inner.args, function.__self__)
    if type(function) is not FunctionType:
        return function
    level = here.trace.mode.level_of(function.__code__)
    source = Location(function.__code__, 0) if entry else None
    return Recorded(function, level, source) if level else function


class Recorded:
    """A function, or a method of an object, whose calls are recorded.

    args  the function, the level, where it is called from, and the object.
    """

    def __init__(self, *args: Any) -> None:
        self.args = args

    @property
    def function(self) -> FunctionType:
        return self.args[0]  # type: ignore[no-any-return]

    @property
    def bound(self) -> tuple[Any, ...]:
        """The object, for a method."""
        return self.args[3:]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return _call(*self.args, *args, **kwargs)


def called(function: FunctionType, level: int, args: tuple[Any, ...], kwargs: Mapping[str, Any]
           ) -> Any:
    """Records the call of a function that is known to call itself; see `TraceMode.recursive` for
    the level."""
    here = trace.current_region()
    assert here is not None
    return _call(function, max(level, here.trace.mode.level_of(function.__code__)), None,
                 *args, **kwargs)


def _call(function: FunctionType, level: int, source: Location | None, /, *args: Any, **kwargs: Any
          ) -> Any:
    """Call a function that calls itself. On Python values alone it runs as Python, unless such
    calls were found to nest without an end, too."""
    here = trace.current_region()
    assert here is not None
    call: Call = tuple(x.bound(False) if isinstance(x, Tensor) else x
                       for x in (*args, *kwargs.values()))
    if level == 1 and not _is_symbolic(call):
        return function(*args, **kwargs)
    key = function.__code__, tuple(map(id, function.__closure__ or ())), len(call), tuple(kwargs)
    for active in reversed(here.trace.calls):
        if active.key == key:
            try:
                return active.call(call)
            except Mismatch:
                continue
    for finished in _finished(here.trace):
        if finished.key == key and finished.fits(call):
            return finished.call(call, source)
    return Recursion(function, key, call).result_of(call, source)


def _finished(run: trace.Trace) -> Iterator[Recursion]:
    """Yields the recursions that are finished, and that nothing can change any more: their graphs
    call no others than those that are active now, in the attempt that these make."""
    for active in reversed(run.calls):
        yield from active.finished
    yield from run.calls.finished


class Recursion:
    """A function that is traced into a graph of its own, which its calls of itself call.

    The inputs of the graph are the symbolic leaves of the arguments, those of the heap locations
    that change, and the outer arrays that are written. Its outputs are the leaves of the result,
    then what became of the inputs that change. All types grow from attempt to attempt.

    key        the function's code and closure, and how it is called.
    known      True once anything is known of the result.
    never      True if no branch ends without another call.
    stores     True if it changes objects of the graph: its parameters may be such.
    arguments  the pattern of the arguments; `result` is that of the result.
    watched    the locations that the function can reach, and in `start` what they hold before.
    lists      by key of a parameter that is a list: the list of the current attempt.
    locations  the patterns of what the locations that change hold.
    handles    the outer arrays that are written, and their types.
    shared     by number of an output: the parameters and outer arrays that it may share memory
               with.
    finished   the recursions that the current attempt has finished inside this one.
    """

    def __init__(self, function: FunctionType, key: tuple[Any, ...], call: Call) -> None:
        name = function.__name__
        self.function = function
        self.key = key
        self.graph = Graph(name if name.isidentifier() else "function")
        self.arguments: Any = pattern_of_call(call)
        self.watched = reachable_locations(function, call)
        self.start = Snapshot.take(self.watched)
        self.locations: dict[HeapLocation, Any] = {}
        self.handles: dict[Handle, Type] = {}
        self.known = self.never = self.active = self.grew = self.stores = False
        self.result: Any = None
        self.shared: dict[int, set[Any]] = {}
        self.inputs: list[Value] = []
        self.lists: dict[Any, Any] = {}
        self.finished: list[Recursion] = []

    # -- tracing it -------------------------------------------------------------------------------

    def result_of(self, call: Call, source: Location | None) -> Any:
        """Trace the function until its types are stable, and record this call of it."""
        here = trace.current_region()
        assert here is not None
        here.trace.calls.append(self)
        self.active = True
        try:
            while True:
                self.grew, copies = False, len(here.trace.copies)
                self.finished = []
                ran = trace_region(self.graph.name, self.body, self.watched)
                lists = self.take_lists(ran)
                self.learn(ran)
                if not self.grew:
                    break
                trace.forget_copies(copies)
        finally:
            here.trace.calls.remove(self)
            self.active = False
        self.finish(ran, lists)
        around = here.trace.calls[-1] if here.trace.calls else here.trace.calls
        around.finished.append(self)
        here.trace.decisions.append(Decision(
            Location(self.function.__code__, 0), "recursion",
            f"{self.graph.name} calls itself on symbolic values: one graph, which calls itself"))
        return self.call(call, source)

    def body(self) -> Any:
        """Call the function on fresh inputs of the graph; returns its result, and the lists that
        are parameters."""
        self.inputs = []
        given, names = self.entered(self.arguments), self.key[-1]
        self.lists = {p.key: p.list for p in self.parameters(self.arguments) if p.is_list}
        count = len(given) - len(names)
        for location, pattern in self.locations.items():
            _write(location, self.entered(pattern))
        for handle, t in self.handles.items():
            self.inputs.append(Value(t, handle.value.hint))
            handle.rebind(self.inputs[-1])
        result = self.function(*given[:count], **dict(zip(names, given[count:], strict=True)))
        return result, list(self.lists.values())

    def entered(self, pattern: Any) -> Any:
        """Returns a nest with fresh tensors for its parameters."""
        made = unflattened(pattern, lambda x: x.enter(self.inputs) if isinstance(
            x, Parameter) else (x.value if isinstance(x, Same) else x), {})
        note_returned((), made)
        return made

    def take_lists(self, ran: TracedRegion) -> dict[Any, Any]:
        """Returns what the lists hold at the end that are parameters, by the parameter's key, and
        leaves the function's own result in the region's."""
        if ran.raised:
            return {}
        ran.result, lists = ran.result
        return dict(zip(self.lists, lists, strict=True))

    def learn(self, ran: TracedRegion) -> None:
        """Join what the body did into what is known of it."""
        ends = not ran.raised
        if not self.known or (self.never and ends):
            self.known = self.grew = True
            self.never = not ends
            self.result = pattern_of(ran.result, container_ids(self.watched)) if ends else None
        elif ends:
            self.result, grew = widened(self.result, ran.result, True)
            self.grew |= grew
        watched = set(self.watched)
        for location, contents in ran.locations.items():
            if location in watched:  # a call may have made it one that the parameters lead to
                self.change(location, contents)
        for handle, value in ran.written.items():
            old = self.handles.get(handle)
            self.handles[handle] = join(old or handle.read().type, value.type)
            self.grew |= self.handles[handle] != old
        for parameter in self.parameters(self.arguments):
            self.grew |= parameter.was_written() and not parameter.written
            parameter.written |= parameter.was_written()
        if ran.invalidated:
            trace.need_references("a function that calls itself changes an array that it then "
                                  "rebinds")
        stores = any(e.op.effect == "store" for e in ran.graph.walk())
        self.grew |= stores and not self.stores
        self.stores |= stores
        if not ran.raised and not trace.by_reference():
            self.share(ran)

    def share(self, ran: TracedRegion) -> None:
        """Note which arrays from outside the parts of the result may share memory with."""
        entered = {p.handle: p.key for p in self.parameters(self.arguments)}
        for number, (_, nest) in enumerate(split(self.result, ran.result)):
            found = {entered.get(h, h) for h in ran.memory(nest)}
            found = {x for x in found if not isinstance(x, Handle) or lives(x)}
            self.grew |= not found <= self.shared.get(number, set())
            self.shared.setdefault(number, set()).update(found)

    def change(self, location: HeapLocation, contents: Any) -> None:
        """Take what a location holds into the state."""
        before = self.locations.get(location)
        if before is None:
            before, self.grew = contents_pattern(self.start[location]), True
        self.locations[location], grew = widened(before, contents, True)
        self.grew |= grew

    def keep_reachable(self) -> None:
        """Forget the locations that only an argument led to which differs from call to call now:
        the function finds them in its parameters."""
        known = [x.value if isinstance(x, Same) else x for x in flatten(self.arguments)
                 if not isinstance(x, Parameter)]
        self.watched = reachable_locations(self.function, *known)
        self.watched[:] = [x for x in self.watched if x in self.start]
        self.locations = {x: held for x, held in self.locations.items() if x in self.watched}

    def parameters(self, pattern: Any) -> list[Parameter]:
        """Returns the parameters in a pattern, in order."""
        return [x for x in flatten(pattern) if isinstance(x, Parameter)]

    def finish(self, ran: TracedRegion, lists: dict[Any, Any]) -> None:
        """Make the last attempt the graph; `lists`: what its parameters that are lists hold."""
        written = [p for p in self.parameters(self.arguments) if p.written]
        ends = [(pattern, ran.locations.get(x, self.start[x]))
                for x, pattern in self.locations.items()]
        count = len(written) + len(self.parameters(
            [self.result, list(self.locations.values())])) + len(self.handles)
        outputs: list[Any] = [None] * count
        if not ran.raised:
            outputs = [ran.pack(x) for _, x in split(self.result, ran.result)]
            outputs += [ran.pack(lists[p.key]) if p.is_list else p.handle.value
                        for p in written if p.handle is not None]
            outputs += [ran.pack(x) for pattern, new in ends for _, x in split(pattern, new)]
            outputs += [ran.written_or_old(h) for h in self.handles]
        self.graph.equations, self.graph.printed = ran.graph.equations, ran.graph.printed
        self.graph.inputs, self.graph.outputs = tuple(self.inputs), tuple(outputs)

    # -- calling it -------------------------------------------------------------------------------

    def fits(self, call: Call) -> bool:
        """Returns True if the graph, which is finished, serves another call as it is."""
        try:
            if widened(self.arguments, call)[1]:
                return False
        except Mismatch:
            return False
        now = Snapshot.take(self.watched)
        return not any(
            widened(self.locations[location], contents, True)[1] if location in self.locations
            else not location.same(self.start[location], contents)
            for location, contents in now.items())

    def call(self, call: Call, source: Location | None = None) -> Any:
        """Record a call; the types grow if it does not fit them."""
        self.arguments, grew = widened(self.arguments, call)
        if grew:
            self.grew = True
            self.keep_reachable()
        now = Snapshot.take(self.watched)
        for location, contents in now.items():
            if location in self.locations or not location.same(self.start[location], contents):
                self.change(location, contents)
        if not self.known:
            raise ResultUnknown
        given = split(self.arguments, call)
        written = [(p, x) for p, x in given if p.written]
        if self.stores:
            need_objects(given)
        source = source or user_location()
        atoms = self.operands(given, now)
        refuse_overlap(self.graph.name, written, given, now)
        outputs = self.parameters(self.result)
        state = self.parameters(list(self.locations.values()))
        types = [p.type for p in (*outputs, *(p for p, _ in written), *state)]
        values = iter(record(OPS["call"], atoms, {}, (self.graph,),
                             (*types, *self.handles.values()), self.hints(source), source))
        made = [Tensor(next(values)) for _ in outputs]
        for p, x in written:
            if p.is_list:
                Contents(x, x).write(Tensor(next(values)))
            else:
                x.write(next(values))
        for location, pattern in self.locations.items():
            _write(location, _filled(pattern, (Tensor(next(values)) for _ in repeat(None))))
        for handle in self.handles:
            handle.rebind(next(values))
        if self.never:
            raise RecursionError("maximum recursion depth exceeded")  # unless it raises otherwise
        self.tie(made, given)
        result = _filled(self.result, iter(made))
        note_returned(call, result)
        return result

    def operands(self, given: list[tuple[Parameter, Any]], now: dict[HeapLocation, Any]
                 ) -> tuple[Any, ...]:
        """Returns the operands of a call: its arguments, and the state that the graph takes."""
        here = trace.current_region()
        assert here is not None
        outside = TracedRegion(here.graph)
        parts = [*given, *(x for location, pattern in self.locations.items()
                           for x in split(pattern, now[location]))]
        return *(outside.pack(x) for _, x in parts), *(h.read() for h in self.handles)

    def hints(self, source: Location | None) -> list[str]:
        """Returns the names of the outputs: the variables that the caller binds the result to."""
        targets = source.targets if source is not None else []
        results = len(self.parameters(self.result))
        names = targets if len(targets) == results else [""] * results
        rest = [p.hint for p in self.parameters(self.arguments) if p.written]
        rest += [p.hint for p in self.parameters(list(self.locations.values()))]
        return [*names, *rest, *(h.value.hint for h in self.handles)]

    def tie(self, made: list[Tensor], given: list[tuple[Parameter, Any]]) -> None:
        """Tie the results to the arrays that they may share memory with."""
        if trace.by_reference():
            return
        arguments = {p.key: x._handle for p, x in given if isinstance(x, Tensor)}
        for number, tensor in enumerate(made):
            if may_have_memory(tensor._handle.value.type):
                found = [x if isinstance(x, Handle) else arguments.get(x)
                         for x in self.shared.get(number, ())]
                tie(tensor._handle, [h for h in found if h is not None])
                tie(tensor._handle, [other._handle for k, other in enumerate(made) if k != number
                                     and self.shared.get(k, set()) & self.shared.get(number, set())
                                     and may_have_memory(other._handle.value.type)])


def _filled(pattern: Any, values: Iterator[Tensor]) -> Any:
    """Returns a nest with the values of its parameters."""
    def leaf(x: Any) -> Any:
        if not isinstance(x, Parameter):
            return x.value if isinstance(x, Same) else x
        value = next(values)
        return StagedList([Splice(value)]) if x.is_list else value

    return unflattened(pattern, leaf, {})


def _write(location: HeapLocation, contents: Any) -> None:
    """Write to a location what it is to hold; a list of unknown length as one value."""
    location.write(contents.tensor() if type(contents) is StagedList else contents)


def _is_symbolic(nest: Any) -> bool:
    """Returns True if a symbolic value is among the arguments, or in tuples, lists and dicts of
    them."""
    if type(nest) in (tuple, list, dict):
        return any(map(_is_symbolic, nest.values() if type(nest) is dict else nest))
    return isinstance(nest, (Tensor, StagedList))
