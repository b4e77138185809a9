"""Stored values: loads of what was just stored, and stores of what is there or is stored over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Nest, Value, map_leaves
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops.indexing import GETITEM, INTO, SETITEM
from autograph.runtime.ops.views import UPDATE_VIEW, Item, Step, is_surely_view, step_of
from autograph.runtime.optimize.common_subexpressions import frozen
from autograph.runtime.optimize.uses import Asking


def forward_stored_values(graph: Graph, record: Record) -> None:
    """Removes loads and stores of elements that are known.

    `x[i] = v; w = x[i]` gives v to w, if both are the same kind of scalar. `x[i] = x[i]`, after a
    store in `x[i]`, is dropped: it is the end of `x[i] += v`. So is `x[i] = v` before `x[i] = w`,
    if nothing sees x in between. The indices must be the same values and select no copy.
    """
    _Forwarder(record, graph).visit(graph)


class _Forwarder(Asking):
    """Keeps the equations that made the values so far."""

    def __init__(self, record: Record, graph: Graph) -> None:
        super().__init__(record, graph)
        self.makers: dict[Value, Equation] = {}

    def after(self, e: Equation) -> list[Equation] | None:
        if e.op is GETITEM and (stored := self.stored(e)) is not None:
            return self.replace(e, stored)
        if e.op in (SETITEM, UPDATE_VIEW) and self.is_there(e):
            return self.replace(e, e.args[0])
        if e.op is SETITEM and (before := self.stored_over(e)) is not None:
            e.args = (before.args[0], *e.args[1:])
            e.collect_inputs()
        self.makers.update(dict.fromkeys(e.outputs, e))
        return None

    def replace(self, e: Equation, atom: Atom) -> list[Equation]:
        self.record.note(forward_stored_values, e, atom)
        self.record.renamed[e.outputs[0]] = atom
        for value in e.inputs:
            users = self.uses.of.get(value, [])
            if e in users:
                users.remove(e)
        return []

    def made_by(self, x: Atom) -> Equation | None:
        return self.makers.get(x) if isinstance(x, Value) else None

    def stored(self, e: Equation) -> Value | None:
        """Returns the scalar that the equation loads, if it was stored just before."""
        made = self.made_by(e.args[0])
        if made is None or made.op is not SETITEM or not same_index(made.args[1], e.args[1]):
            return None
        value, t = made.args[2], e.outputs[0].type
        if not isinstance(value, Value) or value.type != t or not isinstance(t, ArrayType):
            return None
        return value if t.scalar and t.dtype is not None else None

    def is_there(self, e: Equation) -> bool:
        """Returns True if the equation stores what its array holds, where the store before went
        through the same view: so its index is one."""
        x, made = e.args[0], self.made_by(e.args[0])
        if made is None or made.op not in (SETITEM, UPDATE_VIEW) or not isinstance(
                x.type, ArrayType) or e.outputs[0].type != x.type:
            return False
        return begins_with(path_of(made), path_of(e)) and is_same_view(
            e.args[2], x, path_of(e), self.makers)

    def stored_over(self, e: Equation) -> Equation | None:
        """Returns the store before this one, if this one hides it."""
        before = self.made_by(e.args[0])
        found = before is not None and before.op is SETITEM and self.uses.is_single(
            e.args[0]) and same_index(before.args[1], e.args[1]) and (
            before.settings == e.settings and is_scalar_store(before) and is_scalar_store(e))
        return before if found else None


def is_scalar_store(e: Equation) -> bool:
    """Returns True if a store cannot fail but for its index: it gives an array of numbers a
    number of the array's own dtype."""
    x, _, value = e.args
    return isinstance(x, Value) and isinstance(value, Value) and isinstance(
        value.type, ArrayType) and value.type.scalar and isinstance(x.type, ArrayType) and (
        value.type.dtype is not None and value.type.dtype == x.type.dtype)


def same_index(a: Nest, b: Nest) -> bool:
    """Returns True if two indices are the same and select a view or an element."""
    return is_same_step(Item(a), Item(b))


def path_of(store: Equation) -> tuple[Step, ...]:
    """Returns the steps from a store's array to the elements that it writes."""
    path: tuple[Step, ...] = store.args[3] if store.op is UPDATE_VIEW else ()
    return path if store.args[1] == INTO else (*path, Item(store.args[1]))


def begins_with(path: Sequence[Step], steps: Sequence[Step]) -> bool:
    """Returns True if a path goes through the view to which the steps lead."""
    return len(path) >= len(steps) and all(map(is_same_step, path, steps))


def is_same_view(value: Atom, x: Value, path: Sequence[Step], makers: Mapping[Value, Equation]
                 ) -> bool:
    """Returns True if a value is the view of `x` to which the steps lead."""
    for step in reversed(path):
        made = makers.get(value) if isinstance(value, Value) else None
        if made is None or not made.op.view or not made.args or not is_same_step(
                step, step_of(made.op, made.args[1:], dict(made.kwargs))):
            return False
        value = made.args[0]
    return value is x


def is_same_step(a: Step, b: Step) -> bool:
    """Returns True if two steps are the same and give a view for certain."""
    try:
        return is_same_nest(a, b) and is_surely_view(map_leaves(_type_or_constant, a))
    except TypeError:
        return False


def is_same_nest(a: Nest, b: Nest) -> bool:
    """Returns True if two nests would be equal if they were `frozen`."""
    if a.__class__ is not b.__class__ or a.__class__ is int:
        return a.__class__ is b.__class__ and bool(a == b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(is_same_nest, a, b))
    if a.__class__ is slice:
        return is_same_nest((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    return a is b if isinstance(a, Value) else frozen(a) == frozen(b)


def _type_or_constant(x: Atom) -> Atom:
    return x.type if isinstance(x, Value) else x
