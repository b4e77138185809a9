"""Adjoints of branches and loops: an equation of the same kind, with the adjoints in its regions.

The forward equation gets further results: what its regions made and the backward ones use. A branch
gives such a value or none; a loop puts it on a stack in each iteration. Cotangents of values from
outside go through the backward equation, so that each use adds to what is there already.
"""

from __future__ import annotations

from typing import Any

from autograph.runtime.differentiate.activity import active_free_values
from autograph.runtime.differentiate.cotangents import (
    Cotangents,
    cotangent_type,
    writable,
)
from autograph.runtime.differentiate.keep import plan, supply
from autograph.runtime.differentiate.reverse import Sweep, adjoint_of, is_steep
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, equations_in
from autograph.runtime.ir.regions import Branch, Loop
from autograph.runtime.ir.types import ArrayType, DynamicType, PyType, StackType, operand_type
from autograph.runtime.ir.undefined import UndefinedValue
from autograph.runtime.ir.verifier import ends_in_raise
from autograph.runtime.ops.control import COND, FOR, WHILE
from autograph.runtime.ops.kept_values import KEPT_AT, NEW_STACK, PUSH, UNWRAPPED
from autograph.runtime.ops.op import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.tensor import Tensor, apply, lower

INT = PyType(int)


def equation(op: Any, args: tuple[Any, ...], out: Value, e: Equation) -> Equation:
    """Returns an equation at the location of another one."""
    return Equation(op, args, {}, (out,), (), e.location)


# -- branches -------------------------------------------------------------------------------------


@adjoint_of(COND)
def cond(sweep: Sweep, e: Equation) -> None:
    """A branch on the same predicate."""
    branch = Branch(e)
    given = {v: g for v in e.outputs if (g := sweep.cotangents.take(v)) is not None}
    active = sweep.cotangents.active
    free = list(dict.fromkeys(v for _, side in branch.sides()
                              for v in active_free_values(side, active, active)))
    starts = [sweep.cotangents.take(v) for v in free]
    graphs = [_side(sweep, e, side, free, starts, given) for _, side in branch.sides()]
    for number, (side, graph) in enumerate(zip(e.regions, graphs, strict=True)):
        _keep_of_side(e, number, side, graph)
    made = record(COND, (branch.predicate,), {}, tuple(graphs), tuple(map(cotangent_type, free)))
    sweep.cotangents.padded.update(free)
    for v, new in zip(free, made, strict=True):
        sweep.cotangents.put(v, Tensor(new))


def _side(sweep: Sweep, e: Equation, side: Graph, free: list[Value], starts: list[Tensor | None],
          given: dict[Value, Tensor]) -> Graph:
    with trace.region(side.name) as region:
        inner = sweep.cotangents.inside()
        for v, g in zip(free, starts, strict=True):
            if g is not None:
                inner.put(v, g)
        if not ends_in_raise(side):
            for out, atom in zip(e.outputs, side.outputs, strict=False):
                if out in given:
                    inner.add(atom, given[out], out in inner.padded, fits=True)
                    inner.like(out, atom)
        Sweep(side, inner).run(list(side.equations))
        region.graph.outputs = tuple(lower(inner.of(v)) for v in free)
    return region.graph


def _keep_of_side(e: Equation, number: int, side: Graph, backward: Graph) -> None:
    found = plan(side, backward)

    def read(v: Value) -> Equation:
        out = Value(DynamicType(True, v.type), v.hint)
        e.outputs += (out,)
        for k, region in enumerate(e.regions):
            region.outputs += (v if k == number else UndefinedValue(v.hint),)
        return equation(UNWRAPPED, (out,), Value(v.type, v.hint), e)

    supply(backward, found, read)


# -- loops ----------------------------------------------------------------------------------------


@adjoint_of(FOR)
@adjoint_of(WHILE)
def loop(sweep: Sweep, e: Equation) -> None:
    """A loop over the iterations from the last one to the first."""
    _LoopAdjoint(sweep, e).record()


class _LoopAdjoint:
    """The adjoint of one loop.

    state    the indices of the carried values with cotangents.
    free     the values from outside with cotangents.
    """

    def __init__(self, sweep: Sweep, e: Equation) -> None:
        self.sweep = sweep
        self.e = e
        self.loop = Loop(e)
        self.before = len(self.loop.initial)
        active = sweep.cotangents.active
        self.state = [k for k, (carried, result) in enumerate(zip(
            self.loop.carried, self.loop.results, strict=True))
            if carried in active or result in sweep.cotangents]
        self.free = active_free_values(self.loop.body, active, active)
        iterable = self.loop.iterable
        if self.loop.item in active and isinstance(iterable, Value) and iterable in active:
            self.free = list(dict.fromkeys([*self.free, iterable]))

    def record(self) -> None:
        cotangents, loop = self.sweep.cotangents, self.loop
        pads = any(loop.results[k] in cotangents.padded for k in self.state)
        starts = [writable(self.start(k)) for k in self.state]
        starts += [writable(cotangents.of(v)) for v in self.free]
        inputs = [Value(cotangent_type(loop.carried[k]), f"d_{loop.carried[k].hint}")
                  for k in self.state]
        inputs += [Value(cotangent_type(v), f"d_{v.hint}" if v.hint else "") for v in self.free]
        position = Value(INT, "k")
        if pads:
            cotangents.padded.update(loop.carried[k] for k in self.state)
        if any(map(is_steep, equations_in(loop.body))) or any(
                loop.results[k] in cotangents.steep for k in self.state):
            cotangents.steep.update(loop.carried[k] for k in self.state)
        graph = self.body(position, inputs)
        graph.inputs = (position, *inputs)
        self.keep(graph, position)
        types = tuple(v.type for v in inputs)
        made = [Tensor(v) for v in record(
            FOR, (lower(self.positions()), *map(lower, starts)), {}, (graph,), types)]
        for k, g in zip(self.state, made, strict=False):
            cotangents.add(loop.initial[k], g, loop.carried[k] in cotangents.padded, fits=True)
            cotangents.like(loop.carried[k], loop.initial[k])
        for v, g in zip(self.free, made[len(self.state):], strict=True):
            # one that is also a start of the loop has got a cotangent meanwhile
            other = cotangents.take(v)
            cotangents.padded.add(v)
            cotangents.put(v, g)
            cotangents.add(v, other, True, fits=True)

    def start(self, k: int) -> Tensor:
        """Returns the cotangent of a carried value after the last iteration."""
        return self.sweep.cotangents.of(self.loop.results[k])

    def body(self, position: Value, inputs: list[Value]) -> Graph:
        """Returns the region of one iteration of the backward loop."""
        loop, body = self.loop, self.loop.body
        with trace.region("body") as region:
            inner = self.sweep.cotangents.inside()
            given = dict(zip(self.state, map(Tensor, inputs), strict=False))
            for v, start in zip(self.free, inputs[len(self.state):], strict=True):
                inner.put(v, Tensor(start))
            for k, g in given.items():
                inner.add(body.outputs[k], g, loop.results[k] in inner.padded, fits=True)
                inner.like(loop.carried[k], body.outputs[k])
            Sweep(body, inner).run(list(body.equations))
            if loop.item is not None and loop.item in inner:
                self.add_to_iterable(inner, position)
            ends = [inner.of(loop.carried[k]) for k in self.state]
            region.graph.outputs = tuple(map(lower, (*ends, *(inner.of(v) for v in self.free))))
        return region.graph

    def add_to_iterable(self, inner: Cotangents, position: Value) -> None:
        """Adds the cotangent of the item to that of the array that the loop goes over."""
        item, iterable = self.loop.item, self.loop.iterable
        assert item is not None
        g = inner.take(item)
        old = inner.of(iterable)
        k = Tensor(position)
        if not isinstance(iterable.type, ArrayType):
            inner.add(iterable, apply("add_kept", old, k, g), True, fits=True)
            return
        inner.add(iterable, apply("setitem", old, k, apply("getitem", old, k) + g), True)

    def positions(self) -> Any:
        """Returns the numbers of the iterations, from the last one to 0."""
        loop = self.loop
        if loop.kind == "while" or loop.test is not None:
            count = Tensor(self.counted())
            return apply("range_", apply("subtract", count, 1), -1, -1)
        if loop.constant_length is not None:
            return range(loop.constant_length - 1, -1, -1)
        length = apply("len_", Tensor(loop.iterable) if isinstance(loop.iterable, Value)
                       else loop.iterable)
        return apply("range_", apply("subtract", length, 1), -1, -1)

    # -- what the forward loop hands over ---------------------------------------------------------

    def carry(self, initial: Atom, entering: Value, next_value: Atom) -> Value:
        """Adds a carried value to the forward loop; returns its result."""
        result = Value(entering.type, entering.hint)
        e = self.e
        e.args += (initial,)
        e.outputs += (result,)
        body = self.loop.body
        body.inputs += (entering,)
        body.outputs += (next_value,)
        if self.loop.test is not None:
            test = self.loop.test
            test.inputs += (Value(entering.type, entering.hint),)
        e.collect_inputs()
        return result

    def counted(self) -> Value:
        """Makes the forward loop count its iterations; returns the count."""
        entering, next_value = Value(INT, "count"), Value(INT, "count")
        self.loop.body.equations.append(equation(OPS["add"], (entering, 1), next_value, self.e))
        return self.carry(0, entering, next_value)

    def keep(self, backward: Graph, position: Value) -> None:
        """Makes the forward loop keep what the backward one uses of its iterations."""
        item, first, now = self.item(position, backward)
        body = self.loop.body
        found = plan(body, backward, () if item is None else (item,))
        if item is not None and item not in {
                *backward.free_values(), *(x for e in found.made for x in e.inputs)}:
            first = []

        def read(v: Value) -> Equation:
            kept = operand_type(v.type)
            t = StackType(kept)
            start, entering, next_value = (Value(t, f"kept_{v.hint}" if v.hint else "")
                                        for _ in range(3))
            graph = self.sweep.graph
            graph.equations.insert(graph.equations.index(self.e),
                                   equation(NEW_STACK, (), start, self.e))
            body.equations.append(equation(PUSH, (entering, v), next_value, self.e))
            result = self.carry(start, entering, next_value)
            return equation(KEPT_AT, (result, position), Value(kept, v.hint), self.e)

        supply(backward, found, read, first, now)

    def item(self, position: Value, backward: Graph
             ) -> tuple[Value | None, list[Equation], dict[Value, Atom]]:
        """Returns the item if it follows from the number of the iteration, and how."""
        item, iterable = self.loop.item, self.loop.iterable
        if item is None:
            return None, [], {}
        if type(iterable) is range:
            if iterable == range(len(iterable)):
                return item, [], {item: position}
            scaled, made = Value(INT, ""), Value(INT, item.hint)
            times = equation(OPS["multiply"], (position, iterable.step), scaled, self.e)
            if iterable.step == 1:
                scaled, times_or_not = position, []
            else:
                times_or_not = [times]
            return item, [*times_or_not, equation(
                OPS["add"], (scaled, iterable.start), made, self.e)], {item: made}
        known = isinstance(iterable, Value) and (
            iterable.type == PyType(range) or isinstance(iterable.type, ArrayType))
        if not known:
            return None, [], {}
        made = Value(item.type, item.hint)
        return item, [equation(OPS["getitem"], (iterable, position), made, self.e)], {item: made}
