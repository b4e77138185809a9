"""Stores: elements written into an array, through a view of it, or by an operation itself."""

from __future__ import annotations

from typing import Any

from autograph.runtime.codegen.assignments import Assignments, call_into
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, map_leaves
from autograph.runtime.ir.location import Location
from autograph.runtime.lower.direct_stores import DirectStore, direct_stores
from autograph.runtime.lower.in_place import Plan
from autograph.runtime.lower.ufunc_selection import ufunc_name
from autograph.runtime.ops.stores import STORE_ITEM, STORED_INTO
from autograph.runtime.ops.views import UPDATE_VIEW, is_surely_view, surely_view


class Stores(Assignments):
    """Writes stores.

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
        """Writes `w = x[:k]` and `w += v`, or `np.add(w, v, w)`."""
        operation, location = made.operation, e.location
        if made.view in self.names:
            name = self.names[made.view]
        elif e.op is STORE_ITEM:
            name = self.named(e.args[0], location)
        elif e.op is UPDATE_VIEW:
            text = self.leaf(made.view) if made.view in self.pending else self.view_of(e)
            name = self.fresh("v")
            with self.before_pending():
                self.line(f"{name} = {text}", location)
            if made.view is not None:
                self.names[made.view] = name
        else:
            name = self.name_of(e.outputs[0])
        first, *others = operation.args
        sign = operation.op.augmented
        if sign and len(others) == 1 and isinstance(first, Value) and (
                self.names.get(first) == name):
            self.line(f"{name} {sign}= {self.alone(operation, others[0])}", location)
            return
        if operation.op is STORED_INTO:
            _, fn, *args = operation.args
            texts = [*map(self.nest, (fn, *args)), *(
                f"{k}={self.nest(v)}" for k, v in operation.kwargs.items())]
            self.line(f"{texts[0]}({', '.join([*texts[1:], f'out={name}'])})", location)
            return
        ufunc = ufunc_name(operation)
        assert ufunc is not None
        texts = [self.argument(operation, a) for a in operation.args]
        self.line(call_into(ufunc, texts, name, operation.op.out_by_keyword), location)

    def named(self, x: Value, location: Location | None) -> str:
        """Returns the name of an array, which an expression that waits gets now."""
        text = self.nest(x)
        if text.isidentifier():
            return text
        name = self.names[x] = self.fresh(x.hint)
        self.line(f"{name} = {text}", location)
        return name

    def direct_store(self, e: Equation) -> DirectStore | None:
        """Returns the operation that does a store itself, if it was left for it."""
        made = self.direct.get(e)
        return made if made is not None and made.operation.outputs[0] not in self.names else None

    def view_of(self, e: Equation) -> str:
        """Returns the text of the view through which a store goes; a step that may turn out to be a
        copy is checked first."""
        text = x = self.name_of(e.outputs[0])
        for step in e.args[3]:
            text = self.step(text, step)
        if not all(is_surely_view(map_leaves(type_or_constant, step)) for step in e.args[3]):
            text = f"{self.constant(surely_view, 'surely_view')}({text}, {x})"
        return text

    def setitem(self, e: Equation) -> None:
        _, index, value = e.args
        self.update_target(e)
        if (made := self.direct_store(e)) is not None:
            self.operation_into(e, made)
            return
        self.line(f"{self.name_of(e.outputs[0])}[{self.index(index)}] = {self.nest(value)}",
                  e.location)

    def store_item(self, e: Equation) -> None:
        x, index, value = e.args
        if (made := self.direct_store(e)) is not None:
            self.operation_into(e, made)
            return
        text = self.nest(value)
        self.line(f"{self.operand(x)}[{self.index(index)}] = {text}", e.location)

    def store(self, e: Equation) -> None:
        """Writes `np.put(x, i, v)` and the like: into a copy of x, or into x itself."""
        self.update_target(e)
        kernel: Any = e.op.inplace
        store = self.constant(kernel, kernel.__name__)
        rest = [self.nest(a) for a in e.args[1:]]
        rest += [f"{k}={self.nest(v)}" for k, v in e.kwargs.items()]
        self.line(f"{', '.join([f'{store}({self.name_of(e.outputs[0])}', *rest])})", e.location)

    def push(self, e: Equation) -> None:
        """Writes `kept.append(x)`."""
        text = self.nest(e.args[1])
        self.update_target(e)
        self.line(f"{self.name_of(e.outputs[0])}.append({text})", e.location)

    def store_through(self, e: Equation) -> None:
        """Writes `x.T[1:][i] = v`."""
        _, index, value, _ = e.args
        self.update_target(e)
        if (made := self.direct_store(e)) is not None:
            self.operation_into(e, made)
            return
        self.line(f"{self.view_of(e)}[{self.index(index)}] = {self.nest(value)}", e.location)

    def update_target(self, e: Equation) -> None:
        if e.args[0] in self.pending:
            self.flush()  # what is written to needs a name
        if e in self.plan.inplace:
            self.same_object(e, e.args[0])
        else:
            duplicate = self.copied(e.args[0], self.nest(e.args[0]))
            self.line(f"{self.name_of(e.outputs[0])} = {duplicate}", e.location)

    def same_object(self, e: Equation, old: Atom) -> str:
        """Gives the equation's output the name of its operand, which is the same object."""
        text = name = self.nest(old)
        if not text.isidentifier():
            name = self.fresh(e.outputs[0].hint)  # one that is claimed still holds an older value
            self.line(f"{name} = {text}", e.location)
        self.names[e.outputs[0]] = name
        return name


def type_or_constant(atom: Atom) -> Atom:
    return atom.type if isinstance(atom, Value) else atom
