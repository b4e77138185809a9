"""Stores: elements written into an array, through a view of it, or by an operation itself."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir import expressions as ir
from autograph.runtime.ir.expressions import Expression, Global, Name
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, map_leaves
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.statements import Do, Into, Store
from autograph.runtime.lower.assignments import Assignments
from autograph.runtime.lower.direct_stores import DirectStore, direct_stores
from autograph.runtime.lower.plan import Plan
from autograph.runtime.lower.ufunc_selection import public_ufunc
from autograph.runtime.ops.stores import STORE_ITEM, STORED_INTO
from autograph.runtime.ops.views import UPDATE_VIEW, is_surely_view, surely_view


class Stores(Assignments):
    """Makes stores.

    direct   for a store that an operation can do itself: that operation.
    delayed  those operations: the store writes them.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.direct: dict[Equation, DirectStore] = {}
        self.delayed: set[Equation] = set()

    def find_direct_stores(self, graph: Graph, written: set[Equation]) -> None:
        """Enters the stores of a block that operations can do; `written` are in another form."""
        found = direct_stores(graph, self.plan, self.uses, written)
        self.direct |= found
        self.delayed.update(x.operation for x in found.values())

    def is_delayed(self, e: Equation) -> bool:
        """Returns True for an operation that the store after it writes."""
        return e in self.delayed and e.outputs[0] not in self.names

    def operation_into(self, e: Equation, made: DirectStore) -> None:
        """Makes `w = x[:k]` and `w += v`, or `np.add(w, v, w)`."""
        operation, location = made.operation, e.location
        target = self.target_of(e, made)
        if operation.op is STORED_INTO:
            _, fn, *args = operation.args
            self.add(Into(target, self.nest(fn), tuple(map(self.nest, args)),
                          self.named_arguments(operation), by_keyword=True), location)
            return
        ufunc = public_ufunc(operation)
        assert ufunc is not None
        self.operate_into(operation, ufunc, target, location, lambda x: isinstance(
            x, Value) and self.names.get(x) == target.text)

    def target_of(self, e: Equation, made: DirectStore) -> Name | Global:
        """Returns the array or view that a store writes all of; a view gets a name."""
        location = e.location
        if made.view in self.names:
            return self.variable(self.names[made.view], made.view)
        if e.op is STORE_ITEM:
            return self.named(e.args[0], location)
        if e.op is not UPDATE_VIEW:
            return self.variable(self.name_of(e.outputs[0]), e.outputs[0])
        waiting = self.pending.pop(made.view, None) if made.view is not None else None
        view = self.view_of(e) if waiting is None else waiting.value
        name = self.fresh("v")
        with self.before_pending():
            self.let(name, view, location)
        if made.view is not None:
            self.names[made.view] = name
        return Name(name)

    def named(self, x: Value, location: Location | None) -> Name | Global:
        """Returns the name of an array, which an expression that waits gets now."""
        made = self.nest(x)
        if isinstance(made, Name | Global):
            return made
        name = self.names[x] = self.fresh(x.hint)
        self.let(self.target(x), made, location)
        return Name(name, x.type)

    def direct_store(self, e: Equation) -> DirectStore | None:
        """Returns the operation that does a store itself, if it was left for it."""
        made = self.direct.get(e)
        return made if made is not None and made.operation.outputs[0] not in self.names else None

    def view_of(self, e: Equation) -> Expression:
        """Returns the view through which a store goes; a step that may turn out to be a copy is
        checked first."""
        x = self.variable(self.name_of(e.outputs[0]), e.outputs[0])
        view: Expression = x
        for step in e.args[3]:
            view = self.step(view, step)
        if not all(is_surely_view(map_leaves(type_or_constant, step)) for step in e.args[3]):
            return ir.Call(self.constant(surely_view, "surely_view"), (view, x))
        return view

    def setitem(self, e: Equation) -> None:
        _, index, value = e.args
        self.update_target(e)
        if (made := self.direct_store(e)) is not None:
            self.operation_into(e, made)
            return
        base, given = self.variable(self.name_of(e.outputs[0]), e.outputs[0]), self.nest(value)
        self.add(Store(ir.Subscript(base, self.index(index)), given), e.location)

    def store_item(self, e: Equation) -> None:
        x, index, value = e.args
        if (made := self.direct_store(e)) is not None:
            self.operation_into(e, made)
            return
        given = self.nest(value)
        self.add(Store(ir.Subscript(self.nest(x), self.index(index)), given), e.location)

    def store(self, e: Equation) -> None:
        """Makes `np.put(x, i, v)` and the like: into a copy of x, or into x itself."""
        self.update_target(e)
        kernel: Any = e.op.inplace
        target = self.variable(self.name_of(e.outputs[0]), e.outputs[0])
        self.add(Do(ir.Call(self.constant(kernel, kernel.__name__), (
            target, *map(self.nest, e.args[1:])), self.named_arguments(e))), e.location)

    def push(self, e: Equation) -> None:
        """Makes `kept.append(x)`."""
        item = self.nest(e.args[1])
        self.update_target(e)
        self.do_method(self.target(e.outputs[0]), "append", item, e.location)

    def do_method(self, x: Expression, name: str, item: Expression, location: Location | None
                  ) -> None:
        self.add(Do(ir.Call(ir.Attribute(x, name), (item,))), location)

    def store_through(self, e: Equation) -> None:
        """Makes `x.T[1:][i] = v`."""
        _, index, value, _ = e.args
        self.update_target(e)
        if (made := self.direct_store(e)) is not None:
            self.operation_into(e, made)
            return
        given = self.nest(value)
        self.add(Store(ir.Subscript(self.view_of(e), self.index(index)), given), e.location)

    def update_target(self, e: Equation) -> None:
        if e.args[0] in self.pending:
            self.flush()  # what is written to needs a name
        if e in self.plan.inplace:
            self.same_object(e.args[0], e.outputs[0], e.location)
        else:
            duplicate = self.copied(e.args[0], self.nest(e.args[0]))
            self.let(self.target(e.outputs[0]), duplicate, e.location)

    def same_object(self, old: Atom, out: Value, location: Location | None) -> Name | Global:
        """Gives an output the name of the operand that is the same object."""
        x = self.nest(old)
        if not isinstance(x, Name | Global):
            name = self.fresh(out.hint)  # one that is claimed still holds an older value
            self.let(name, x, location)
            x = Name(name)
        self.names[out] = x.text
        return self.variable(x.text, out)


def type_or_constant(atom: Atom) -> Atom:
    return atom.type if isinstance(atom, Value) else atom
