"""Finds the values that may hold memory which is written, and classes of what may share memory.

Source of the classes: B. Steensgaard, Points-to analysis in almost linear time (POPL 1996).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, leaves, map_leaves
from autograph.runtime.ir.regions import as_branch, as_call, as_loop
from autograph.runtime.ir.types import (
    DYNAMIC,
    ArrayType,
    DynamicType,
    PyType,
    Type,
    is_container,
    may_have_memory,
)
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.views import may_share
from autograph.runtime.references.container_forms import (
    is_container_form,
    joining,
    made_of,
    unknown_form,
    writes_container,
)


class SharedMemory:
    """Classes of values that may share memory, and which values may hold memory that is written.

    A value holds what flows into it. A store writes what its array holds, so every source of the
    array, and all that these flow into hold memory that is written. What a container holds is a
    node of its own, which a store to the container does not write. Time is near-linear in the
    equations.
    """

    def __init__(self, graphs: Iterable[Graph], around: Iterable[Graph] = ()) -> None:
        """Looks at graphs, and at those around them, whose own stores do not count."""
        self._parents: dict[Value, Value] = {}
        self._items: dict[Value, Value] = {}
        self._sources: dict[Value, list[Value]] = {}
        self._holders: dict[Value, list[Value]] = {}
        self._written: list[Value] = []
        self._called: set[Graph] = set()
        for graph in around:
            self._graph(graph)
        self._written.clear()
        for graph in graphs:
            self._graph(graph)
        self.written = reached(reached(self._written, self._sources), self._holders)

    def is_written(self, value: Value) -> bool:
        """Returns True if a write may change what a value stands for."""
        return value in self.written

    def root(self, value: Value) -> Value:
        """Returns the value that stands for its class."""
        found = value
        while (up := self._parents.get(found, found)) is not found:
            found = up
        while (up := self._parents.get(value, value)) is not value:
            self._parents[value], value = found, up
        return found

    def _flow(self, x: Atom, y: Atom) -> None:
        """Notes that a value x may hold what y holds."""
        if isinstance(x, Value) and isinstance(y, Value) and (
                may_be_shared(x.type) and may_be_shared(y.type)):
            self._sources.setdefault(x, []).append(y)
            self._holders.setdefault(y, []).append(x)
            self._unite(x, y)

    def _unite(self, x: Value, y: Value) -> None:
        a, b = self.root(x), self.root(y)
        if a is b:
            return
        self._parents[a] = b
        items = self._items.pop(a, None)
        if items is not None and (other := self._items.setdefault(b, items)) is not items:
            self._flow(items, other)
            self._flow(other, items)

    def _items_of(self, x: Value) -> Value:
        """Returns the value that holds what is in a container; of anything else, itself."""
        return self._items.setdefault(self.root(x), Value(DYNAMIC)) if is_container(x.type) else x

    def _flow_all(self, xs: Iterable[Atom], ys: Iterable[Atom]) -> None:
        for x, y in zip(xs, ys, strict=True):
            self._flow(x, y)

    def _graph(self, graph: Graph) -> None:
        for e in graph.equations:
            if e.op.effect == "store":
                self._written += [v for v in written_by(e) if may_be_shared(v.type)]
            self._control(e) if e.regions else self._plain(e)

    def _plain(self, e: Equation) -> None:
        if is_container_form(e):
            self._container(e)
            return
        for target in sharing(e):
            for made in e.outputs:
                if may_be_shared(made.type):
                    self._flow(made, target if may_give(e) else self._items_of(target))

    def _container(self, e: Equation) -> None:
        """Notes that items are what is put into a container, and what is taken out of it."""
        made = e.outputs[0]
        base = e.args[0] if made_of(e) is None else made
        items = self._items_of(base)
        if joining(e):  # its result is the container itself
            self._flow(made, base)
            self._flow(base, made)
        for v in e.inputs:
            if v is not base and may_be_shared(v.type):
                self._flow(items, v)
                self._flow(items, self._items_of(v))
        if made is not base and may_be_shared(made.type):
            self._flow(self._items_of(made), items)
            self._flow(items, self._items_of(made))

    def _control(self, e: Equation) -> None:
        if (branch := as_branch(e)) is not None:
            for _, side in branch.sides():
                self._graph(side)
                self._flow_all(branch.results, side.outputs)
        elif (loop := as_loop(e)) is not None:
            for region in e.regions:
                self._graph(region)
            for given in (loop.initial, loop.body.outputs):
                for made in (loop.carried, loop.results, loop.test.inputs if loop.test else ()):
                    self._flow_all(made or given, given)
            if loop.item is not None:
                iterable = loop.iterable
                self._flow(loop.item, self._items_of(iterable) if isinstance(
                    iterable, Value) else iterable)
        elif (call := as_call(e)) is not None:
            self._flow_all(call.callee.inputs, call.arguments)
            self._flow_all(call.results, call.callee.outputs)
            if call.callee not in self._called:
                self._called.add(call.callee)
                self._graph(call.callee)


def reached(values: Iterable[Value], edges: Mapping[Value, Iterable[Value]]) -> set[Value]:
    """Returns values, and all to which edges lead from them."""
    found: set[Value] = set()
    left = list(values)
    while left:
        v = left.pop()
        if v not in found:
            found.add(v)
            left += edges.get(v, ())
    return found


def may_be_shared(t: Type) -> bool:
    """Returns True if two values of this type may be one object that can be written."""
    return may_have_memory(t) or is_container(t)


def written_by(e: Equation) -> Iterator[Value]:
    """Yields the values that an equation with a store may write: all that it is given."""
    if unknown_form(e):
        return
    if is_container_form(e):
        yield from e.args[:1] if writes_container(e) else ()
        return
    first = e.args[0] if e.args else None
    array = isinstance(first, Value) and not isinstance(first.type, (DynamicType, PyType))
    yield from (v for v in leaves(first if array else (e.args, dict(e.kwargs)))
                if isinstance(v, Value))


def sharing(e: Equation) -> Iterator[Value]:
    """Yields the operands whose memory the outputs of an equation may share."""
    if e.op.view and isinstance(e.args[0], Value) and isinstance(e.args[0].type, ArrayType) and (
            may_share(e.op, map_leaves(_type, e.args), e.kwargs) is False):
        return  # a copy
    if makes_memory(e) or unknown_form(e) in ("number", "array") or (
            e.op is GETITEM and is_container_form(e)):
        return
    if e.op.effect in ("call", "store") or e.op.holds_operands or any(
            isinstance(v.type, DynamicType) for v in e.outputs):
        yield from (v for v in e.inputs if may_be_shared(v.type))
    elif e.op.view:
        given = e.args if e.op.views_each else e.args[:1]
        yield from (v for v in leaves(given) if isinstance(v, Value))


def may_give(e: Equation) -> bool:
    """Returns True if a container that an equation is given may be its result, or in that."""
    op = e.op
    return op.holds_operands or op.view or bool(op.effect) or OPS.get(op.name) is not op


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
