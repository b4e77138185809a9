"""Staged loops: the state that travels round is found, and its types joined, to a fixed point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime import trace
from autograph.runtime.errors import GraphError
from autograph.runtime.graph import Graph, Value
from autograph.runtime.handle import Handle
from autograph.runtime.nest import children, flatten, map_nest
from autograph.runtime.ops import OPS
from autograph.runtime.places import Place, places_of
from autograph.runtime.regions import Inner, Traced, leaf_type, same_constant, trace_region
from autograph.runtime.tensor import Tensor, lower
from autograph.runtime.types import PY_NUMBERS, ArrayType, PyType, Type, join

Fn = Callable[..., Any]
State = tuple[Any, ...]


def while_loop(test: Fn, body: Fn, init: State) -> State:
    """Record `while test(*state): state = body(*state)` as one node; the state at its end.

    The state's types need not stay the same from round to round: they are joined.

    Raises:
      GraphError: the body does not return a tuple of as many variables.
    """
    loop = Loop(init, places_of(test, body, init), names_of(body))
    while True:
        tested = loop.trace("test", lambda state, _: test(*state))
        ran = loop.trace("body", lambda state, _: body(*state))
        if not loop.grow(tested, ran):
            break
    tested.graph.outputs = (tested.pack(tested.result),)
    return loop.record("while", (), ran, [tested.graph, ran.graph])


def for_loop(steps: Any, body: Fn, init: State, test: Fn | None = None) -> State | None:
    """Record `for i in steps: state = body(i, *state)` as one node; the state at its end.

    `steps` is a Python range, or a tensor that stands for one; `i` is a symbolic Python int. The
    loop stops before the next item when `test(*state)` is false.

    None, and nothing recorded, if `steps` is concrete and the loop computes on Python numbers
    alone: Python can run it.
    """
    loop = Loop(init, places_of(body, test, init), names_of(body)[1:], item=PyType(int),
                item_name="i" if hasattr(body, "__wrapped__") else names_of(body)[0])
    while True:
        tested = None
        if test is not None:
            tested = loop.trace("test", lambda state, _: test(*state), with_item=False)
        ran = loop.trace("body", lambda state, item: body(item, *state))
        if not loop.grow(tested, ran):
            break
    if isinstance(steps, range) and not loop.is_symbolic(ran, tested):
        return None
    graphs = [ran.graph]
    if tested is not None:
        tested.graph.outputs = (tested.pack(tested.result),)
        graphs.append(tested.graph)
    return loop.record("for", (lower(steps),), ran, graphs)


class Carried:
    """A leaf of the state that travels as a value; `handle` is its tensor's in the region at hand.

    `kept`: the body leaves the variable bound to the very array that it found there.
    """

    __slots__ = ("handle", "hint", "init", "input", "kept", "type")

    def __init__(self, type: Type, init: Any, hint: str = "") -> None:
        self.type = type
        self.init = init
        self.hint = hint or (init._handle.value.hint if isinstance(init, Tensor) else "")
        self.handle: Handle | None = None
        self.input: Value | None = None
        self.kept = False

    def enter(self, inputs: list[Value]) -> Tensor:
        self.input = Value(self.type, self.hint)
        inputs.append(self.input)
        tensor = Tensor(self.input)
        self.handle = tensor._handle
        return tensor

    def was_written(self) -> bool:
        """Whether the region at hand changed the array in place."""
        return self.handle is not None and self.handle.value is not self.input

    def leave(self, value: Value) -> Any:
        """The leaf after the loop, given the node's output."""
        if not isinstance(self.init, Tensor):
            return self.init if self.kept and not self.was_written() else Tensor(value)
        if self.kept:  # the same array all along, so aliases of it see what the loop wrote
            if self.was_written():
                self.init.write(value)
            return self.init
        if self.was_written():
            self.init._handle.lose(
                "this array was changed in place by the first round of a loop that then rebinds "
                "the variable; what it holds after the loop is not tracked\n"
                "  hint: start the loop from a copy (x = x.copy())")
        return Tensor(value)


class Loop:
    """The state: a nest of the loop variables and of the places that change, and the outer arrays
    written.

    A leaf is symbolic from the start if it is a number or a tensor; any other object stays itself
    unless the body replaces it. Every attempt to trace the body may add to the state or widen a
    type; types only grow, so the attempts end.
    """

    def __init__(self, init: State, watched: list[Place], names: list[str],
                 item: Type | None = None, item_name: str = "") -> None:
        self.watched = watched
        self.item = item
        self.item_name = item_name
        self.init: list[Any] = list(init)
        names = names if len(names) == len(init) else [""] * len(init)
        self.nest: list[Any] = [_open(x, name) for x, name in zip(init, names, strict=True)]
        self.places: dict[Place, int] = {}  # where in the nest a place's contents are
        self.count = len(init)
        self.handles: dict[Handle, Type] = {}

    def trace(self, name: str, run: Callable[[State, Any], Any], with_item: bool = True) -> Traced:
        """Trace one region of the loop on fresh symbolic state."""
        inputs: list[Value] = []

        def fn() -> Any:
            item = None
            if self.item is not None and with_item:
                inputs.append(Value(self.item, self.item_name))
                item = Tensor(inputs[0])
            state = [map_nest(lambda x: x.enter(inputs) if isinstance(x, Carried) else x, v)
                     for v in self.nest]
            for place, index in self.places.items():
                place.put(state[index])
            for handle, t in self.handles.items():
                inputs.append(Value(t, handle.value.hint))
                handle.write(inputs[-1])
            return run(tuple(state[: self.count]), item)

        traced = trace_region(name, fn, self.watched)
        traced.graph.inputs = tuple(inputs)
        return traced

    def grow(self, tested: Traced | None, ran: Traced) -> bool:
        """Join what the body made of the state into it; whether anything changed."""
        if ran.raised:
            return False
        result = ran.result
        if type(result) is not tuple or len(result) != self.count:
            raise GraphError(f"a loop body returned {result!r} for {self.count} loop variables")
        grew = self._add_places(ran)
        for index, new in enumerate(self._ends(ran)):
            self.nest[index], changed = _join(self.nest[index], new, self.init[index])
            grew |= changed
        for written in (ran.written, tested.written if tested is not None else {}):
            for handle, value in written.items():
                old = self.handles.get(handle)
                self.handles[handle] = join(old or handle.read().type, value.type)
                grew |= self.handles[handle] != old
        return grew

    def is_symbolic(self, ran: Traced, tested: Traced | None) -> bool:
        """Whether anything from outside that is not known takes part, or anything has an effect."""
        graphs = [t.graph for t in (ran, tested) if t is not None]
        carried = [x for x in flatten(self.nest) if isinstance(x, Carried)]
        if self.handles or any(g.free_values() for g in graphs):
            return True
        return any(isinstance(x.init, Tensor) for x in carried) or any(
            e.has_effect or isinstance(o.type, ArrayType)
            for g in graphs for e in g.walk() for o in e.outputs)

    def _add_places(self, ran: Traced) -> bool:
        """Take in what the body changed; only the leaves that change will be symbolic."""
        new = [p for p in ran.places if p not in self.places]
        for place in new:
            self.places[place] = len(self.nest)
            self.init.append(place.take())
            self.nest.append(self.init[-1])
        return bool(new)

    def _ends(self, ran: Traced) -> list[Any]:
        """The nest as the body leaves it."""
        return [*ran.result, *(ran.places.get(p, p.take()) for p in self.places)]

    def record(self, op: str, first: tuple[Any, ...], ran: Traced, graphs: list[Graph]) -> State:
        """Append the node, and put its results where the state lives."""
        here = trace.current_region()
        assert here is not None
        ran.graph.outputs = tuple(self._yields(ran))
        outside = Traced(here.graph)
        starts = zip(self.nest, self.init, strict=True)
        start = [a for p, x in starts for a in _split(p, x, outside)]
        start += [h.read() for h in self.handles]
        types = [x.type for x in flatten(self.nest) if isinstance(x, Carried)]
        values = list(trace.record(OPS[op], (*first, *start), {}, tuple(graphs),
                                   (*types, *self.handles.values()), self._hints()))
        state = [map_nest(lambda x: x.leave(values.pop(0)) if isinstance(x, Carried) else x, v)
                 for v in self.nest]
        for place, index in self.places.items():
            place.put(state[index])
        for handle, value in zip(self.handles, values, strict=True):
            handle.write(value)
        return tuple(state[: self.count])

    def _hints(self) -> list[str]:
        return [x.hint for x in flatten(self.nest) if isinstance(x, Carried)] + [
            h.value.hint for h in self.handles]

    def _yields(self, ran: Traced) -> list[Any]:
        """What the body hands to the next round, an atom per carried value."""
        if ran.raised:
            return [None for x in flatten(self.nest) if isinstance(x, Carried)] + [
                None for _ in self.handles]
        ends = zip(self.nest, self._ends(ran), strict=True)
        return [a for p, x in ends for a in _split(p, x, ran)] + [
            ran.written_or_old(h) for h in self.handles]


def names_of(body: Fn) -> list[str]:
    """The names of a body's parameters; an empty one to begin with if it has none by name."""
    while hasattr(body, "__wrapped__"):
        body = body.__wrapped__
    code = getattr(body, "__code__", None)
    return list(code.co_varnames[: code.co_argcount]) or [""] if code is not None else [""]


def _open(init: Any, name: str) -> Any:
    """A loop variable's nest before the first attempt."""
    def leaf(x: Any) -> Any:
        t = leaf_type(x)
        moving = isinstance(x, Tensor) or isinstance(t, ArrayType) or (
            isinstance(t, PyType) and t.cls in PY_NUMBERS)
        return Carried(t, x, name) if moving else x

    return map_nest(leaf, init)


def _join(old: Any, new: Any, init: Any) -> tuple[Any, bool]:
    """The nest widened so that it admits `new` as well, and whether it had to change."""
    if isinstance(old, Carried):
        old.kept = isinstance(new, Inner) and new.handle is old.handle
        joined = join(old.type, leaf_type(new))
        changed = joined != old.type
        old.type = joined
        return old, changed
    left, right, inits = children(old), children(new), children(init)
    if left and right and inits and left[0] == right[0] == inits[0]:
        parts = [_join(*xs) for xs in zip(left[1], right[1], inits[1], strict=True)]
        return left[2]([part for part, _ in parts]), any(changed for _, changed in parts)
    if left is None and not isinstance(new, (Inner, Tensor)) and same_constant(old, new):
        return old, False
    return Carried(join(leaf_type(init), leaf_type(new)), init), True


def _split(pattern: Any, nest: Any, region: Traced) -> list[Any]:
    """The atoms of a nest at the carried leaves of the pattern, in order."""
    if isinstance(pattern, Carried):
        return [region.pack(nest)]
    left, right = children(pattern), children(nest)
    if left is None or right is None:
        return []
    return [a for xs in zip(left[1], right[1], strict=True) for a in _split(*xs, region)]


