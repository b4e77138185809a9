"""Memory orders: where an elementwise result may lie in the memory of one of its operands.

NumPy gives a result the order of its operands: of arrays in C order and in Fortran's, C order. So
`a *= b` in place of `a * b` lies as `a` does, and a sum of it adds up in another order. Two arrays
of several rows lie alike if they come from the same argument, or if both are in C order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import (
    Atom,
    Equation,
    Graph,
    Value,
    graphs_in,
    graphs_of,
    regions_of,
)
from autograph.runtime.ir.regions import as_branch, as_loop
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops.creation import COPY
from autograph.runtime.ops.indexing import GETITEM, INTO, SETITEM
from autograph.runtime.ops.kept_values import KEPT_AT, NEW_STACK, PUSH

OF_KEPT = (NEW_STACK, PUSH, KEPT_AT)

Source = Value | Equation | None
"""What the order of an array comes from: an input, or an equation of which nothing is known; None:
it is in C order."""

Sources = frozenset[Source]

NONE: Sources = frozenset()
C_ORDER: Sources = frozenset((None,))


@dataclass
class Orders:
    """The orders of a program's arrays, as far as they are known.

    mixed   elementwise equations whose operands may lie in different orders.
    needed  the inputs that have to be in C order, or others are mixed, too.
    with_others  whether these meet arrays that are in C order in any case.
    """

    mixed: set[Equation] = field(default_factory=set)
    needed: dict[Value, None] = field(default_factory=dict)
    with_others: bool = False


def memory_orders(graph: Graph) -> Orders:
    """Finds where arrays of a graph that may lie in different orders meet."""
    finder, inputs, found = _settled(graph), set(graph.inputs), Orders()
    if not any(v.type.has_order for v in finder.sources):
        return found
    for e in graph.walk():
        met = finder.met(e)
        if len(met) > 1 and not met <= inputs | C_ORDER:
            found.mixed.add(e)
        elif len(met) > 1:
            found.needed.update((x, None) for x in graph.inputs if x in met)
            found.with_others |= None in met
    return found


def keep_orders(graph: Graph, targets: Mapping[Value, Value]) -> None:
    """Makes stores of the results that a program stores over arrays which may lie in other orders:
    the arrays keep theirs.

    targets: for each result that the program stores, what its array held before.
    """
    regions = [r for each in graphs_in(graph) for r in (
        each, *(inner for e in each.equations for inner in graphs_of(e)))]
    stored = {r: [e for e in r.equations if _may_lie_otherwise(e, targets)] for r in regions}
    if not any(stored.values()):
        return
    finder, inputs = _settled(graph), C_ORDER.union(graph.inputs)

    def is_kept(e: Equation) -> bool:
        before, after = finder.of(targets[e.outputs[0]]), finder.of(e.outputs[0])
        return len(before | after) < 2 or (  # or else it is seen when the graph runs
            e.outputs[0].type.is_large and e.op.ufunc is not None and before <= after <= inputs)

    for region, equations in stored.items():
        _store(region, {e for e in equations if not is_kept(e)}, targets)


def _may_lie_otherwise(e: Equation, targets: Mapping[Value, Value]) -> bool:
    """Returns True for a result of several rows that is stored over an array, if it is not certain
    from the equation alone that it lies as the array does."""
    if len(e.outputs) != 1 or e.outputs[0] not in targets or not e.outputs[0].type.has_order:
        return False
    rows = {x for x in e.inputs if x.type.has_order}
    return e.op.ufunc is None or rows != {targets[e.outputs[0]]}


def _store(graph: Graph, stored: set[Equation], targets: Mapping[Value, Value]) -> None:
    """Makes `target[...] = result` of the results of equations."""
    added = list(accumulate((e in stored for e in graph.equations), initial=0))
    graph.printed[:] = [(number + added[number], text) for number, text in graph.printed]
    equations = []
    for e in graph.equations:
        equations.append(e)
        if e in stored:
            (result,) = e.outputs
            e.outputs = (Value(result.type),)
            equations.append(Equation(SETITEM, (targets[result], INTO, e.outputs[0]), {},
                                      (result,), (), e.location, e.settings))
    graph.equations[:] = equations


def in_order_of_arguments(graph: Graph) -> Callable[[Atom], bool]:
    """Returns a function that tells if an array certainly lies in C order, if arguments do."""
    finder, given = _settled(graph), C_ORDER.union(*(each.inputs for each in graphs_in(graph)))
    return lambda x: finder.of(x) <= given


def _settled(graph: Graph) -> _Finder:
    """Returns the sources of all arrays of a graph."""
    finder = _Finder({v: frozenset((v,)) for each in graphs_in(graph)
                      for v in (*each.inputs, *each.captures)})
    finder.sources.update((v, C_ORDER) for v, x in graph.captures.items()
                          if isinstance(x, np.ndarray) and x.flags.c_contiguous)
    for each in graphs_in(graph):
        finder.settle(each)
    return finder


class _Finder:
    """Finds the sources of all arrays.

    sources  of each value that has several rows; the others lie in any order.
    changed  whether a loop carries something new.
    """

    def __init__(self, sources: dict[Value, Sources]) -> None:
        self.sources = sources
        self.changed = False

    def settle(self, graph: Graph) -> None:
        """Goes through a graph until loops carry nothing new: the rest follows in one go."""
        self.region(graph)
        while self.changed:
            self.changed = False
            self.region(graph)

    def region(self, graph: Graph) -> None:
        for e in graph.equations:
            if not e.regions:
                for out in e.outputs:
                    if out.type.has_order:
                        self.enter(out, self.made(e))
            elif (loop := as_loop(e)) is not None:
                for region in loop.in_order():
                    carried = region.inputs[len(region.inputs) - len(loop.carried):]
                    for v, start, end in zip(carried, loop.initial, loop.body.outputs, strict=True):
                        self.changed |= self.enter(v, self.of(start) | self.of(end))
                    self.region(region)
                for v, start, end in zip(
                        loop.results, loop.initial, loop.body.outputs, strict=True):
                    self.changed |= self.enter(v, self.of(start) | self.of(end))
            elif (branch := as_branch(e)) is not None:
                for _, side in branch.sides():
                    self.region(side)
                for out, (yes, no) in zip(branch.results, branch.given(), strict=True):
                    self.enter(out, self.of(yes) | self.of(no))
            else:
                for region in regions_of(e):
                    self.region(region)
                for out in e.outputs:
                    if out.type.has_order:
                        self.enter(out, self.made(e))

    def enter(self, v: Value, found: Sources) -> bool:
        """Adds sources of a value; returns True if they are new."""
        old = self.sources.get(v, frozenset())
        self.sources[v] = old | found
        return not found <= old

    def of(self, x: Atom) -> Sources:
        """Returns the sources of an array that has several rows; none of what lies in any order."""
        return self.sources.get(x, NONE) if isinstance(x, Value) and x.type.has_order else NONE

    def made(self, e: Equation) -> Sources:
        """Returns the sources of what an equation gives."""
        op, order = e.op, e.kwargs.get("order")
        if op is COPY:
            order = next((a for a in e.args[1:]), order)
        if order not in (None, "C", "K"):
            return frozenset((e,))
        if op.c_order or order == "C":
            return C_ORDER
        if op in OF_KEPT:
            return frozenset().union(*map(self.of, e.inputs))
        if op.inplace or op is COPY or _is_of_slices(e):
            return self.of(e.args[0])
        if op.elementwise or op.keeps_c_order or op.reduction is not None:
            return frozenset().union(*map(self.of, e.inputs)) or C_ORDER
        return frozenset((e,))

    def met(self, e: Equation) -> Sources:
        """Returns the sources of the operands of a ufunc's equation on large arrays, if there are
        several."""
        if e.op.ufunc is None or len(e.outputs) != 1 or not e.outputs[0].type.is_large:
            return frozenset()
        several = {x: found for x in e.inputs if (found := self.of(x))}
        return frozenset().union(*several.values()) if len(several) > 1 else frozenset()


def _is_of_slices(e: Equation) -> bool:
    """Returns True for `x[a:b, k]`, whose axes fall as those of x."""
    if e.op is not GETITEM:
        return False
    parts: Any = e.args[1] if isinstance(e.args[1], tuple) else (e.args[1],)
    return not any(isinstance(p, slice) and p.step is not None and not (
        type(p.step) is int and p.step > 0) for p in parts) and all(
        p is None or p is Ellipsis or isinstance(p, slice) or not (
            isinstance(p, Value) and isinstance(p.type, ArrayType) and not p.type.scalar)
        for p in parts)
