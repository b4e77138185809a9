"""Finds the values whose memory is written: a union of all that may share memory.

Source: B. Steensgaard, Points-to analysis in almost linear time (POPL 1996).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, leaves, map_leaves
from autograph.runtime.ir.regions import as_branch, as_call, as_loop
from autograph.runtime.ir.types import ArrayType, DynamicType, PyType, Type, may_have_memory
from autograph.runtime.ops.indexing import GETITEM, is_basic_index


class SharedMemory:
    """Classes of values that may share memory, and which of them are written.

    Time is near-linear in the equations.
    """

    def __init__(self, graphs: Iterable[Graph], around: Iterable[Graph] = ()) -> None:
        """Looks at graphs, and at those around them, whose own stores do not count."""
        self._parents: dict[Value, Value] = {}
        self._written: list[Value] = []
        self._called: set[Graph] = set()
        for graph in around:
            self._graph(graph)
        self._written.clear()
        for graph in graphs:
            self._graph(graph)
        self.written = {self.root(v) for v in self._written}

    def is_written(self, value: Value) -> bool:
        """Returns True if a write may change what a value stands for."""
        return self.root(value) in self.written

    def root(self, value: Value) -> Value:
        """Returns the value that stands for its class."""
        found = value
        while (up := self._parents.get(found, found)) is not found:
            found = up
        while (up := self._parents.get(value, value)) is not value:
            self._parents[value], value = found, up
        return found

    def _join(self, x: Atom, y: Atom) -> None:
        if isinstance(x, Value) and isinstance(y, Value) and (
                may_have_memory(x.type) or may_have_memory(y.type)):
            self._parents[self.root(x)] = self.root(y)

    def _join_all(self, xs: Iterable[Atom], ys: Iterable[Atom]) -> None:
        for x, y in zip(xs, ys, strict=True):
            self._join(x, y)

    def _graph(self, graph: Graph) -> None:
        for e in graph.equations:
            if e.op.effect == "store":
                self._written += [v for v in written_by(e) if may_have_memory(v.type)]
            self._control(e) if e.regions else self._plain(e)

    def _plain(self, e: Equation) -> None:
        for target in sharing(e):
            for made in e.outputs:
                if may_have_memory(made.type):
                    self._join(made, target)

    def _control(self, e: Equation) -> None:
        if (branch := as_branch(e)) is not None:
            for _, side in branch.sides():
                self._graph(side)
                self._join_all(branch.results, side.outputs)
        elif (loop := as_loop(e)) is not None:
            for region in e.regions:
                self._graph(region)
            for given in (loop.initial, loop.carried, loop.body.outputs):
                self._join_all(loop.results, given)
            if loop.test is not None:
                self._join_all(loop.results, loop.test.inputs)
            if loop.item is not None:
                self._join(loop.item, loop.iterable)
        elif (call := as_call(e)) is not None:
            self._join_all(call.callee.inputs, call.arguments)
            self._join_all(call.results, call.callee.outputs)
            if call.callee not in self._called:
                self._called.add(call.callee)
                self._graph(call.callee)


def written_by(e: Equation) -> Iterator[Value]:
    """Yields the values that an equation with a store may write: all that it is given."""
    first = e.args[0] if e.args else None
    array = isinstance(first, Value) and not isinstance(first.type, (DynamicType, PyType))
    yield from (v for v in leaves(first if array else (e.args, dict(e.kwargs)))
                if isinstance(v, Value))


def sharing(e: Equation) -> Iterator[Value]:
    """Yields the operands whose memory the outputs of an equation may share."""
    if e.op is GETITEM and is_basic_index(map_leaves(_type, e.args[1])) is False and isinstance(
            e.args[0], Value) and isinstance(e.args[0].type, ArrayType):
        return  # a copy
    if makes_memory(e):
        return
    if e.op.effect in ("call", "store") or e.op.holds_operands or any(
            isinstance(v.type, DynamicType) for v in e.outputs):
        yield from (v for v in e.inputs if may_have_memory(v.type))
    elif e.op.view:
        yield from (v for v in leaves(e.args[:1]) if isinstance(v, Value))


def makes_memory(e: Equation) -> bool:
    """Returns True if the results surely share memory with nothing, whatever the operands are.

    An operator is a ufunc if one operand is an array or a float; others repeat or join lists.
    """
    op = e.op
    if op.ufunc is None or op.view:
        return (op.fresh and "copy" not in e.kwargs) or op.product
    return not op.dunder or op.comparison or any(_is_numeric(v.type) for v in e.inputs)


def _is_numeric(t: Type) -> bool:
    if isinstance(t, ArrayType):
        return bool(t.shape) or (t.dtype is not None and t.dtype.kind in "fc")
    return t in (PyType(float), PyType(complex))


def _type(x: Any) -> Any:
    return x.type if isinstance(x, Value) else x
