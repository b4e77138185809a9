"""Makes the statements of a program: the decisions of lowering, taken in the order of the graph."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np

from autograph.runtime.ir.expressions import (
    Attribute,
    Call,
    Expression,
    Global,
    Literal,
    Name,
    Starred,
    Subscript,
    Tuple,
)
from autograph.runtime.ir.frame_state import in_locals
from autograph.runtime.ir.graph import (
    CALL,
    Atom,
    Equation,
    Graph,
    Value,
    graphs_in,
)
from autograph.runtime.ir.numpy_settings import Settings, parts_of
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.regions import (
    BRANCH,
    FOR,
    WHILE,
    Branch,
    as_branch,
    as_loop,
    is_branch,
)
from autograph.runtime.ir.statements import Delete, Do, Function, If, Let, Lowered, Return, With
from autograph.runtime.ir.types import EITHER, FLOATS, Type
from autograph.runtime.lower import unboxing
from autograph.runtime.lower.buffer_reuse import Reuse
from autograph.runtime.lower.calls import Calls
from autograph.runtime.lower.conditionals import short_form
from autograph.runtime.lower.dead_values import dying
from autograph.runtime.lower.expressions import Expressions
from autograph.runtime.lower.forms import in_numpy
from autograph.runtime.lower.frame_state import pending_writes
from autograph.runtime.lower.fusion_groups import fusion_groups
from autograph.runtime.lower.in_place import plan_inplace
from autograph.runtime.lower.kept_elements import ELEMENTS_AT, KEEP, of_elements
from autograph.runtime.lower.list_replacement import lists_of
from autograph.runtime.lower.loops import is_variable
from autograph.runtime.lower.on_lists import OnLists
from autograph.runtime.lower.plan import Plan
from autograph.runtime.lower.scalar_replacement import has_elements, scalar_loop
from autograph.runtime.lower.uses import count_uses
from autograph.runtime.lower.write_back import WriteBack
from autograph.runtime.ops.indexing import SETITEM
from autograph.runtime.ops.kept_values import KEPT_AT, NEW_STACK, PUSH
from autograph.runtime.ops.python import LIST_OF, LIST_POP
from autograph.runtime.ops.stores import STORE_ITEM
from autograph.runtime.ops.views import UPDATE_VIEW

MAX_FALLBACKS = 2
"""In so many fallbacks, one in the other, loops are tried again on Python's numbers: each of them
needs a fallback of its own, and Python nests no more than twenty blocks."""


@dataclass
class NativePart:
    """Equations that machine code runs.

    inner     the values that it makes for itself, which have no names.
    make      makes its statements.
    is_group  True for array operations, called at the first of them; False for loops, called at the
              last equation.
    """

    equations: Sequence[Equation]
    inner: set[Value]
    make: Callable[[], None]
    is_group: bool


class Lowering(Calls, OnLists, WriteBack):
    """Makes statements: an assignment an equation, Python's own `if`, `while`, `for` for
    regions.

    decisions  the location of loops, and why they have no native form; empty if they have.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.by_reference = False
        self.free: dict[Graph, frozenset[Value]] = {}
        self.decisions: list[tuple[str, str]] = []
        self.steps = {e for made in plan.methods.values() for e in made.steps}

    def program(self, program: Program) -> Lowered:
        for value, array in program.graph.captures.items():
            self.names[value] = self.constant(array, value.hint or "c").text
        self.pending_writes = pending_writes(program, self.plan)
        self.count_uses(program)
        self.by_reference = program.by_reference
        returned = {v for v in flatten(program.result) if isinstance(v, Value)}
        self.fills = of_elements(program.graph) - returned
        parameters = [self.target(v) for v in program.graph.inputs]
        self.arguments.update(x.text for x in parameters)
        self.containers = {n: self.fresh(f"container_{n}", False) for n in program.containers}
        main = Function(self.name, (*parameters, *map(Name, self.containers.values())), self.body)
        if self.ends_early(program):
            self.ending(program.graph, program.result)
        else:
            self.keep_owners(program)
            self.block(program.graph)
            self.clear_frame_state()
            self.write_back(program)
            self.add(Return((self.result(program.result),)))
        self.is_main = False
        for graph in graphs_in(program.graph)[1:]:
            self.function(graph)
        return Lowered(main, self.functions, self.namespace, self.names, self.variables,
                       frozenset(self.reused), tuple(self.decisions),
                       tuple(self.plan.orders.needed), self.plan.orders.with_others)

    def count_uses(self, program: Program) -> None:
        """Counts the uses of values: the statements use some more often than the equations do, some
        less."""
        self.uses = count_uses(program)
        for writes in self.pending_writes.values():
            for v in flatten([nest for _, nest in writes]):
                if type(v) is Value:
                    self.uses[v] += 2  # it needs a name
        branches = [b for e in program.graph.walk() if e.regions and (b := as_branch(e))]
        for branch in reversed(branches):  # in `a and b and c`, from the right
            if self.is_conditional(branch) and (short := short_form(branch)):
                unsaid = branch.on_false if short == "and" else branch.on_true
                if unsaid.outputs[0] is branch.predicate:  # `a and b` names a once
                    self.uses[branch.predicate] -= 1

    def block(self, graph: Graph) -> None:
        outer = self.reuse, self.large, self.dying, self.dead
        self.large, self.dead = [], []
        self.reuse = None if self.by_reference else Reuse(graph, self.plan)
        plain = self.by_reference or self.checked is not None
        empty = unboxing.made_empty(graph.equations)
        exact = self.checked is not None or self.fallbacks == MAX_FALLBACKS
        native = self.native_parts(graph)
        outlined = {e for part in native.values() for e in part.equations}
        tiled = {} if plain else {group[0]: group for group in fusion_groups(graph)
                                  if (outlined | self.plan.orders.mixed).isdisjoint(group)}
        units = {} if exact else {
            unit[0]: unit for part in _parts(graph.equations, outlined)
            for unit in unboxing.units(part)}
        self.dying = {} if self.reuse is None or plain or self.lists is not None else dying(
            self.reuse, self.uses, self.carried(graph),
            {v for part in native.values() for v in part.inner})
        ends = graph.equations[-1:] if self.depth <= 2 else []
        arrays = [e for part in native.values() if part.is_group for e in part.equations]
        made = _made_at_once(*tiled.values(), *units.values(), arrays)
        if self.checked is None:
            self.find_direct_stores(graph, made.keys() | outlined)
        # what loops fill is made before all else, as a run of them is tried and may run again
        filled = [e for e in graph.equations if e.op is NEW_STACK]
        others = [e for e in graph.equations if e.op is not NEW_STACK]
        for settings, neighbours in groupby([*filled, *others], attrgetter("settings")):
            with self.under(settings):
                for equation in neighbours:
                    if equation in native:
                        self.set_frame_state(native[equation].equations[0])
                        native[equation].make()
                    elif equation in tiled:
                        self.tiles(tiled[equation])
                    elif equation in units:
                        self.on_numbers(units[equation])
                    elif equation not in made and equation not in outlined:
                        if equation.pending_writes is not None:
                            self.set_frame_state(equation)
                        self.statement(equation, plain, empty)
                    if (self.dead or equation in self.dying) and (
                            equation in made or equation not in outlined):
                        self.drop(equation, made.get(equation, equation.outputs), ends)
        self.reuse, self.large, self.dying, self.dead = outer

    @contextmanager
    def under(self, settings: Settings) -> Iterator[None]:
        """Puts statements under NumPy's settings, if there are any."""
        if not settings:
            yield
            return
        made = With(tuple(context(*part) for part in parts_of(settings)))
        self.add(made)
        with self.inside(made.body):
            yield
            self.flush()

    def native_parts(self, graph: Graph) -> dict[Equation, NativePart]:
        """Returns the parts of a block that are worth machine code, by the equations where they are
        called."""
        return {}

    def drop(self, e: Equation, made: Sequence[Value], ends: list[Equation]) -> None:
        """Makes `del v` for the temporary arrays that died, once no line that is to come reads
        them; not before a `return`. `made`: what was made at once with the equation."""
        kept = {self.names.get(v) for v in made}
        named = [self.names[v] for v in self.dying.get(e, ()) if v in self.names]
        self.dead = [name for name in dict.fromkeys([*self.dead, *named]) if name not in kept]
        if self.dead and not self.pending and not self.is_delayed(e) and e not in ends:
            self.add(Delete(tuple(map(Name, self.dead))))
            self.dead = []

    def statement(self, e: Equation, plain: bool, empty: set[Value]) -> None:
        """Makes one equation; `plain`: its loop computes on the objects themselves; `empty`: the
        lists that are made empty in this block."""
        if e in self.steps or (e in self.delayed and self.is_delayed(e)):
            return
        if e in self.plan.methods:
            self.list_method(e)
            return
        loops = e.regions and not plain
        can_run_again = loops and not self.fallbacks and unboxing.fills(e) <= empty
        fills = self.fills if can_run_again else ()
        if loops and (made := scalar_loop(e, self.uses, False, fills, self.holds)):
            self.on_scalars(e, made)
        elif can_run_again and (lists := lists_of(e, self.plan)):
            self.on_lists(e, lists)
        else:
            default = Lowering.store if e.op.inplace else Lowering.assign
            STATEMENTS.get(e.op.name, default)(self, e)

    def set_frame_state(self, e: Equation) -> None:
        """Gives the lines that follow the equation's pending writes."""
        if e.pending_writes is None or self.lists is not None:
            return  # nothing is written before the lists are arrays again
        writes = in_locals(self.pending_writes.get(e, ()), self.name_of, self.containers)
        self.clear_frame_state()
        if writes:
            self.flush()
            self.frame_state = writes

    def clear_frame_state(self) -> None:
        if self.frame_state:
            self.flush()
            self.frame_state = ()

    def list_of(self, e: Equation) -> None:
        """Makes `xs.append(x)` or `xs.extend(ys)` where the old list is dead, else a new list."""
        if e not in self.plan.inplace:
            self.assign(e)
            return
        (spliced, only), *others = e.args[1:]
        given = self.of_parts(e.args[1:]) if others else self.nest(only)
        x = self.same_object(e.args[0][1], e.outputs[0], e.location)
        self.do_method(x, "extend" if others or spliced else "append", given, e.location)

    def of_parts(self, parts: Sequence[tuple[bool, Any]]) -> Expression:
        """Makes a tuple of items, and of those of other lists."""
        return Tuple(tuple(Starred("*", self.nest(x)) if spliced else self.nest(x)
                           for spliced, x in parts))

    def list_pop(self, e: Equation) -> None:
        """Makes `x = xs.pop()` where the old list is dead."""
        if e not in self.plan.inplace:
            self.assign(e)
            return
        index = e.args[1:] if e.args[1:] != (-1,) else ()
        given = tuple(map(self.nest, index))
        x = self.same_object(e.args[0], e.outputs[1], e.location)
        item = Call(Attribute(x, "pop"), given)
        if self.uses[e.outputs[0]]:
            self.add(Let((self.target(e.outputs[0]),), item), e.location)
        else:
            self.add(Do(item), e.location)

    def list_method(self, e: Equation) -> None:
        """Makes `xs.insert(i, x)` or the like: of a copy where the old list is of use."""
        made = self.plan.methods[e]
        given = tuple(map(self.nest, made.args))
        x: Expression
        if e in self.plan.inplace:
            x = self.same_object(made.items, e.outputs[0], made.location)
        else:
            x = self.target(e.outputs[0])
            self.let(x, self.copied(made.items, self.nest(made.items)), made.location)
        self.add(Delete((Subscript(x, *given),)) if made.name == "__delitem__" else Do(
            Call(Attribute(x, made.name), given)), made.location)

    # -- regions --------------------------------------------------------------------------

    def region(self, graph: Graph, names: list[str]) -> None:
        state, holder = self.frame_state, dict(self.holder)
        self.claim(graph, names)
        self.block(graph)
        self.assign_all(names, graph)
        self.frame_state, self.holder = state, holder

    def claim(self, graph: Graph, names: list[str]) -> None:
        """Gives the region's outputs their names from the start, where that is safe."""
        made = {o: k for k, e in enumerate(graph.equations) for o in e.outputs}
        for name, value in zip(names, graph.outputs, strict=True):
            if not isinstance(value, Value) or value not in made or (
                    value in self.names or name in self.arguments):
                continue
            if sum(a is value for a in graph.outputs) == 1 and self.is_free(
                    name, made[value], graph, names):
                self.names[value] = name

    def is_free(self, name: str, index: int, graph: Graph, names: list[str]) -> bool:
        """Returns True if nothing needs the name's value once equation `index` is done."""
        held = self.holder.get(name)
        if held is None:
            return True
        e = graph.equations[index]
        holds = self.sharing_name(held, graph.equations[:index])
        if (loop := as_loop(e)) is not None and (loop.iterable in holds or any(
                holds & self.free_in(r) for r in e.regions)):
            return False  # the loop reads it after its own variables have begun
        if any(n != name and isinstance(a, Value) and a in holds
               for n, a in zip(names, graph.outputs, strict=True)):
            return False
        for later in graph.equations[index + 1:]:
            if not holds.isdisjoint(later.uses) or (later.regions and any(
                    holds & self.free_in(r) for r in later.regions)):
                return False
        return True

    def sharing_name(self, held: Value, equations: list[Equation]) -> set[Value]:
        """Returns a value, and what updates in place may make of it: they keep its name."""
        found = {held}
        for e in equations:
            if not found.isdisjoint(e.inputs) and (
                    e in self.plan.inplace or e in self.plan.sums or (
                        e.op.ufunc is not None and any(
                            v in found and v is not held for v in e.inputs))):
                found.update(e.outputs)
        return found

    def free_in(self, graph: Graph) -> frozenset[Value]:
        if graph not in self.free:
            self.free[graph] = frozenset(self.plan.free.of(graph))
        return self.free[graph]

    def expression(self, e: Equation) -> Expression:
        if self.checked is None and self.lists is None and e.op is not KEPT_AT:
            return Expressions.expression(self, e)  # in NumPy's own form
        if self.checked is not None and (function := e.op.in_math):
            fn = self.constant(function, function.__name__)
            return Call(fn, tuple(map(self.nest, e.args)))
        made = super().expression(e)
        if self.checked is None and e.op is KEPT_AT and e.args[0] not in self.exact:
            return self.as_kept(made, e.outputs[0].type, e.args[0] in self.holds)
        return made

    def as_kept(self, item: Expression, t: Type, of_elements: bool) -> Expression:
        """Returns an item of a stack that may hold Python's numbers, or elements, as what it was
        when it was kept; a float of either class is NumPy's then."""
        if of_elements and has_elements(t):
            return Call(Global("np.array", np.array), (item,))
        box = unboxing.box_of(FLOATS[1] if of_elements and t == EITHER else t)
        return Call(box, (item,)) if box else item

    def cond(self, e: Equation) -> None:
        branch = Branch(e)
        if e not in self.breaks and self.as_expression(branch):
            return
        if any(side.outputs and side.outputs[0] is branch.predicate for _, side in branch.sides()):
            self.flush()  # `a and b` as statements names a
        names = [self.branch_name(branch, i) for i in range(len(e.outputs))]
        ends = self.breaks.pop(e, None)
        if ends is not None and ends.names[ends.number] in self.unread:
            self.unread.add(names[ends.result])
        made = If(self.nest(branch.predicate))
        for truth, side in branch.sides():
            if not truth and not self.needs_else(side, names):
                continue
            if not truth and ends is not None and ends.side is branch.on_true:
                self.region(side, names)
                continue
            if truth:
                self.add(made, e.location)
            with self.inside(made.then if truth else made.orelse):
                self.region(side, names)
                if ends is not None and ends.side is side:
                    self.leave(ends)

    def branch_name(self, branch: Branch, i: int) -> str:
        """Returns a result's name: an array that one side updates in place, and the other one
        updates or leaves alone, keeps its own."""
        out = branch.results[i]
        found = [self.origin(side.outputs[i], side) for _, side in branch.sides()]
        sources = {source for source, _ in found}
        source = sources.pop() if len(sources) == 1 else None
        if source in self.names and any(written for _, written in found):
            self.names.setdefault(out, self.names[source])
        return self.name_of(out)

    def origin(self, atom: Atom, region: Graph) -> tuple[Value | None, bool]:
        """Returns the one value outside a region that an atom of it is, and True if updates in
        place made it so; None if it may be another array."""
        written = False
        for equation in reversed(region.equations):
            if not isinstance(atom, Value) or atom not in equation.outputs:
                continue
            if equation in self.plan.inplace and atom is (pair := self.plan.updated(equation))[1]:
                atom, written = pair[0], True
            elif is_branch(equation):
                which = equation.outputs.index(atom)
                inner = {self.origin(r.outputs[which], r) for r in equation.regions}
                written = written or any(w for _, w in inner)
                sources = {source for source, _ in inner}
                atom = sources.pop() if len(sources) == 1 else None
            else:
                return None, False
        return (atom, written) if isinstance(atom, Value) else (None, False)

    def needs_else(self, region: Graph, names: list[str]) -> bool:
        return bool(region.equations) or any(
            not is_variable(self.nest(a), n) for n, a in zip(names, region.outputs, strict=True))


def lower_program(cls: type[Lowering], program: Program, name: str,
                  reserved: frozenset[str] = frozenset()) -> Lowered:
    """Returns the statements of a program, which use none of the `reserved` names."""
    own = dict(() if program.handled else program.write_back)
    plan = plan_inplace(program.graph, own)
    plan.exact = program.record.exact
    lowering = cls(name, plan)
    lowering.taken |= reserved
    return lowering.program(program)


def _made_at_once(*groups: list[Equation]) -> dict[Equation, list[Value]]:
    """Returns for the equations of groups, each of which is written as one, what all of its group
    make."""
    made = ([v for e in group for v in e.outputs] for group in groups)
    return {e: values for group, values in zip(groups, made, strict=True) for e in group}


def context(name: str, settings: Mapping[str, object]) -> Expression:
    """Returns the call that makes a context of NumPy's settings."""
    return Call(in_numpy(f"np.{name}"), (), tuple((k, Literal(x)) for k, x in settings.items()))


def _parts(equations: list[Equation], ends: Container[Equation]) -> list[list[Equation]]:
    """Returns the runs of equations between those that are `ends`."""
    parts: list[list[Equation]] = [[]]
    for e in equations:
        if e in ends:
            parts.append([])
        else:
            parts[-1].append(e)
    return parts


STATEMENTS: dict[str, Callable[[Lowering, Equation], None]] = {
    CALL: Lowering.call,
    BRANCH: Lowering.cond,
    WHILE: Lowering.loop,
    FOR: Lowering.loop,
    SETITEM.name: Lowering.setitem,
    STORE_ITEM.name: Lowering.store_item,
    UPDATE_VIEW.name: Lowering.store_through,
    LIST_OF.name: Lowering.list_of,
    LIST_POP.name: Lowering.list_pop,
    PUSH.name: Lowering.push,
    KEEP.name: Lowering.keep,
    ELEMENTS_AT.name: Lowering.elements_at,
}
