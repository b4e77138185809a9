"""Loops as Python's own; those over scalars run on Python's numbers, with the exact code as a
fallback."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

import numpy as np

from autograph.runtime.ir.expressions import (
    ALL,
    Attribute,
    Call,
    Choice,
    Expression,
    Global,
    List,
    Literal,
    Name,
    Operator,
    Subscript,
    Tuple,
    computed,
)
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.regions import Loop, is_loop
from autograph.runtime.ir.statements import (
    Break,
    Delete,
    Do,
    For,
    Guarded,
    If,
    Let,
    Move,
    Target,
    While,
)
from autograph.runtime.ir.types import ArrayType, PyType, StackType, Type
from autograph.runtime.lower import unboxing
from autograph.runtime.lower.assignments import Assignments
from autograph.runtime.lower.break_recovery import Recovered, begins, break_of
from autograph.runtime.lower.kept_elements import as_elements
from autograph.runtime.lower.plan import Plan
from autograph.runtime.lower.scalar_replacement import ScalarLoop, flat

UNBOXED = {np.int64: operator.index, np.float64: float, np.bool_: bool}
"""The functions that give the Python number of a NumPy scalar."""


INEXACT = "where Python's numbers are not NumPy's"


def may_change(items: Atom) -> bool:
    """Returns True if it matters when a loop takes an item: not for arrays and ranges."""
    t = atom_type(items)
    return not isinstance(t, ArrayType) and t != PyType(range)


class Loops(Assignments):
    """Makes loops.

    holder  a loop variable's name -> its value as an iteration starts, or after the loop.
    breaks  for the branch that ends a loop's body: the `break` in it.
    unread  names that nothing reads, which are not assigned.
    exact   stacks of NumPy's own scalars: others may hold Python's numbers in their place.
    fills   stacks that may hold the elements of arrays; `holds`: those that do.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.holder: dict[str, Value] = {}
        self.breaks: dict[Equation, Recovered] = {}
        self.unread: set[str] = set()
        self.exact: set[Value] = set()
        self.fills: set[Value] = set()
        self.holds: set[Value] = set()
        self.arguments: set[str] = set()  # never rebound: the caller looks at its own arrays

    def block(self, graph: Graph) -> None:
        """Makes a graph's equations."""
        raise NotImplementedError

    def region(self, graph: Graph, names: list[str]) -> None:
        """Makes a region; its outputs get the `names`."""
        raise NotImplementedError

    def loop(self, e: Equation) -> None:
        loop = Loop(e)
        if self.checked is None and not self.fallbacks:
            self.exact.update(v for v in e.outputs if isinstance(v.type, StackType))
        if loop.is_for:
            self.for_(loop)
        else:
            self.while_(loop)
        self.holder.update((self.names[out], out) for out in e.outputs)
        for out in e.outputs:
            if self.checked is not None and out in self.finite:
                self.must_be_finite(self.target(out), e.location)

    def on_numbers(self, unit: list[Equation]) -> None:
        """Makes equations on scalars with a loop: on Python's numbers, then the fallback."""
        self.flush()
        inside = unboxing.count_inside(unit)
        made = [v for e in unit for v in e.outputs]
        results = [v for v in made if self.uses[v] > inside[v]
                   and not isinstance(v.type, StackType)]
        for out in results:
            self.names[out] = self.names.get(out) or self.fresh(out.hint)
        names, holder = dict(self.names), dict(self.holder)
        targets = {out: names[out] for out in results}
        stretch = Graph("", (), unit, tuple(results))
        self.checked, self.finite = unboxing.consumers((stretch,)), unboxing.finite(
            unit, self.uses)
        made_guarded = Guarded(unboxing.FAILURES, INEXACT)
        self.add(made_guarded, unit[0].location)
        with self.inside(made_guarded.stretch):
            self.unboxed_unit(stretch)
        self.checked, self.names, self.holder = None, names, holder
        self.fallbacks += 1
        with self.inside(made_guarded.otherwise):
            self.empty(unit)
            self.straight(unit)
            self.flush()
            self.name_results(targets)
        self.fallbacks -= 1

    def empty(self, unit: list[Equation]) -> None:
        """Empties what the loops filled for a derivative, before they run again."""
        for name in dict.fromkeys(self.name_of(v) for e in unit for v in unboxing.fills(e)):
            self.add(Do(Call(Attribute(Name(name), "clear"))))

    def on_scalars(self, e: Equation, made: ScalarLoop) -> None:
        """Makes a loop over small arrays: over their elements, then the fallback."""
        self.flush()
        results = [o for o in e.outputs if self.uses[o]]
        for out in results:
            self.names[out] = self.names.get(out) or self.fresh(out.hint)
        names, holder = dict(self.names), dict(self.holder)
        targets = {out: names[out] for out in results}
        kept = tuple(x for o in results for x in flat(made.results[o]))
        stretch = Graph("", (), [made.loop], kept)
        self.uses.update(unboxing.count_inside([made.loop]))
        self.uses.update(kept)
        self.checked, self.finite = unboxing.consumers((stretch,)), made.finite
        guarded = Guarded(unboxing.FAILURES, INEXACT)
        self.add(guarded, e.location)
        with self.inside(guarded.stretch):
            self.take_elements(made)
            self.unbox(stretch)
            self.loop(made.loop)
            self.put_together(targets, made, {o for k, o in enumerate(e.outputs)
                                              if (e, k) in self.plan.copied})
        self.checked, self.finite, self.names, self.holder = None, set(), names, holder
        filled, exact = {v for v in e.outputs if isinstance(v.type, StackType)}, set(self.exact)
        with self.inside(guarded.otherwise):
            self.empty([e])
            self.loop(e)
            for name in dict.fromkeys(self.name_of(v) for v in unboxing.fills(e)):
                self.add(Do(Call(self.constant(as_elements, "as_elements"), (Name(name),))))
            self.name_results(targets)
        self.exact = exact
        self.holds |= filled

    def keep(self, e: Equation) -> None:
        """Makes an append of elements to a stack."""
        stack, *elements = map(self.leaf, e.args)
        self.flush()
        item = Tuple(tuple(elements)) if len(elements) > 1 else elements[0]
        self.add(Do(Call(Attribute(stack, "append"), (item,))), e.location)

    def elements_at(self, e: Equation) -> None:
        """Takes an item of a stack apart."""
        self.flush()
        self.add(Let(tuple(map(self.target, e.outputs)), Subscript(*map(self.leaf, e.args)),
                     unpacked=True), e.location)

    def take_elements(self, made: ScalarLoop, location: Location | None = None) -> None:
        """Gives the elements of small arrays names."""
        for x, elements in made.arrays.items():
            self.add(Let(tuple(map(self.target, elements)), self.list_of_array(self.leaf(x)),
                         unpacked=True), location)

    def list_of_array(self, x: Expression) -> Expression:
        return Call(Attribute(x, "tolist"))

    def name_results(self, targets: dict[Value, str]) -> None:
        """Gives the results of a fallback the names that they have otherwise: a loop that works in
        the memory it starts from leaves them under the name of that."""
        for out, name in targets.items():
            if self.names[out] != name:
                self.let(name, Name(self.names[out], out.type))
                self.names[out] = name
                self.holder[name] = out

    def put_together(self, targets: dict[Value, str], made: ScalarLoop, copied: set[Value]
                     ) -> None:
        """Makes the results of a loop over elements. A new array has elements of its own: one
        whose elements are those of an array that it may be is that array."""
        outside, values = {self.name_of(x) for x in made.arrays}, []
        names = {out: self.fresh(out.hint) if name in outside else name
                 for out, name in targets.items()}  # a later result may be what a name stands for
        for out in targets:
            now = made.results[out]
            if type(now) is not tuple:
                values.append(self.boxed(self.target(now), out.type))
                continue
            elements = [self.target(x) for x in now]
            for element in elements:
                self.must_be_finite(element)
            value = new_array(elements)
            for x in reversed([x for x in made.aliases[out] if not {x, out} & copied]):
                known = Name(names[x]) if names.get(x) else self.leaf(x)
                value = Choice(known, self.same_elements(elements, x, made), value)
            values.append(value)
        self.bind(targets, names.values(), values)
        renamed = [out for out in targets if names[out] != targets[out]]
        self.bind(renamed, [targets[x] for x in renamed], [Name(names[x]) for x in renamed])

    def same_elements(self, elements: Sequence[Expression], x: Value, made: ScalarLoop
                      ) -> Expression:
        """Returns the test of whether elements are those of a known array, or of a result."""
        theirs = made.arrays[x] if x in made.arrays else made.results[x]
        form = " and ".join(f"{{{2 * k}}} is {{{2 * k + 1}}}" for k in range(len(elements)))
        return Operator(form, tuple(part for a, b in zip(elements, flat(theirs), strict=True)
                                    for part in (a, self.target(b))))

    def unbox(self, stretch: Graph) -> None:
        """Makes the unboxing of NumPy scalars to Python numbers."""
        boxed = [(v, box) for v in stretch.free_values() if (box := unboxing.box_of(v.type))]
        inside = [self.fresh(v.hint) for v, _ in boxed]
        for (value, box), name in zip(boxed, inside, strict=True):
            # `x.item()` takes ten times as long
            cls = self.leaf(UNBOXED[box.value])
            self.let(name, Call(cls, (self.target(value),)), stretch.equations[0].location)
        self.names.update((v, name) for (v, _), name in zip(boxed, inside, strict=True))

    def boxed(self, x: Expression, t: Type, is_finite: bool = False) -> Expression:
        """Returns a Python number as NumPy's, if its type is that; it is checked first."""
        if unboxing.is_boxed(t, unboxing.FLOAT) and not is_finite:
            self.must_be_finite(x)
        box = unboxing.box_of(t)
        return Call(box, (x,)) if box else x

    def straight(self, unit: list[Equation]) -> None:
        for e in unit:
            if is_loop(e):
                self.loop(e)
            else:
                self.assign(e)

    def unboxed_unit(self, stretch: Graph) -> None:
        """Makes a unit: the unboxing, the computation, the boxing."""
        results: list[Value] = list(stretch.outputs)
        targets = [self.names.pop(o) for o in results]
        self.unbox(stretch)
        self.straight(stretch.equations)
        self.flush()
        boxed = [self.boxed(self.target(x), x.type, x in self.finite) for x in results]
        self.bind(results, targets, boxed)

    def bind(self, results: Iterable[Value], names: Iterable[str],
             values: Iterable[Expression]) -> None:
        """Binds the results of a stretch, after all that may fail: the fallback may start from
        variables that they replace."""
        for out, name, value in zip(results, names, values, strict=True):
            self.let(Name(name, out.type), value)

    def while_(self, loop: Loop) -> None:
        found, names = self.enter_loop(loop)
        test = loop.test if found is None else found.test
        if test is None:
            made = While(None)
            self.add(made, loop.equation.location)
        else:
            made = self.while_header(test, loop.equation)
        with self.inside(made.body):
            self.region(loop.body, names)

    def while_header(self, test: Graph, e: Equation) -> While:
        """Makes `while TEST:` if the test is one expression, else a loop that starts with it."""
        self.flush()
        made = While(None)
        self.add(made, e.location)
        with self.inside(made.body):
            self.block(test)
            asked = self.nest(test.outputs[0])
            self.flush()  # what the expression names is computed in each iteration
            if made.body:
                self.stop_unless(asked, e)
            else:
                made.test = asked
        return made

    def for_(self, loop: Loop) -> None:
        e = loop.equation
        found, names = self.enter_loop(loop)
        test = loop.test if found is None else found.test
        first = None if may_change(loop.iterable) else test
        last = None if first is test else test
        targets, items = self.items(loop)
        made = For(targets, self.if_begun(loop, items, last))
        self.add(made, e.location)
        with self.inside(made.body):
            self.end_unless(first, e)
            self.region(loop.body, names)
            self.end_unless(last, e)  # as after a `break`: no item is taken

    def end_unless(self, test: Graph | None, e: Equation) -> None:
        """Makes a loop's test, if it has one, and a `break`."""
        if test is not None:
            self.block(test)
            self.stop_unless(self.nest(test.outputs[0]), e)

    def if_begun(self, loop: Loop, items: Expression, test: Graph | None) -> Expression:
        """Returns `ITEMS if TEST else ()` for a loop over items whose test may be false at once."""
        if test is None or begins(loop):
            return items
        self.block(test)
        return Choice(items, self.nest(test.outputs[0]), Tuple(()))

    def items(self, loop: Loop) -> tuple[tuple[Name, ...], Expression]:
        """Returns the variable of a loop and what it goes over."""
        steps = loop.iterable
        over = Literal(steps) if type(steps) is range else self.nest(steps)
        return (self.target(loop.body.inputs[0]),), over

    def is_unread(self, found: Recovered) -> bool:
        """Returns True if nothing but the test asks for the flag of a `break`."""
        branch, flag = found.branch, found.flag
        passed_on = sum(side.outputs[found.result] is flag for _, side in branch.sides())
        return self.uses[found.loop.results[found.number]] == 0 and (
            self.uses[flag] == passed_on and self.uses[branch.results[found.result]] == 1)

    def leave(self, found: Recovered) -> None:
        """Makes `break`, with the carried values as the body would leave them."""
        self.assign_all(found.names, found.loop.body)
        self.add(Break())

    def assign_all(self, names: list[str], graph: Graph) -> None:
        """Makes `a, b = …` for the outputs of a region."""
        pairs = [(n, self.nest(a)) for n, a in zip(names, graph.outputs, strict=True)]
        self.move([(n, a) for n, a in pairs if n not in self.unread])

    def move(self, pairs: Sequence[tuple[str, Expression]], location: Location | None = None
             ) -> None:
        """Gives variables their values at once, but those that have them."""
        changed = [(self.assignable(n), a) for n, a in pairs if not is_variable(a, n)]
        if len(changed) == 1:
            self.let(*changed[0], location)
        elif changed:
            targets, values = zip(*changed, strict=True)
            self.add(Move(targets, values), location)

    def assignable(self, name: str) -> Target:
        """Returns what is assigned to for a variable: for an argument, its elements."""
        return Subscript(Name(name), ALL) if name in self.arguments else Name(name)

    def stop_unless(self, x: Expression, e: Equation) -> None:
        inner = computed(x)
        made = If(inner.operands[0] if isinstance(inner, Operator) and inner.form == "not {0}"
                  else Operator("not {0}", (x,)))
        self.add(made, e.location)
        with self.inside(made.then):
            self.add(Break())

    def drop_starts(self, loop: Loop, names: list[str]) -> None:
        """Makes `del x` for the arrays from which a loop starts that nothing else refers to: its
        own variables free them."""
        if self.checked is not None or self.fallbacks or self.reuse is None:
            return  # the loop may start again
        dying = self.dying.get(loop.equation, [])
        gone = [v for v in dying if self.names.get(v, names[0]) not in names
                and sum(x is v for x in loop.initial) == len(self.reuse.users[v])]
        if gone:
            self.add(Delete(tuple(map(Name, dict.fromkeys(self.names[v] for v in gone)))))
            self.dying[loop.equation] = [v for v in dying if v not in gone]

    def carried(self, graph: Graph) -> set[Value]:
        """Returns the user's variables that a loop carries into a region: no other block may drop
        the values that it is given."""
        return {v for v in graph.inputs if v.hint and self.holder.get(self.names.get(v, "")) is v}

    def enter_loop(self, loop: Loop) -> tuple[Recovered | None, list[str]]:
        """Gives the carried values their names, shared by regions and results, and their start."""
        e, starts, inputs = loop.equation, loop.initial, loop.carried
        found = break_of(loop)
        given = [self.nest(s) for s in starts]
        names = []
        for i, value in enumerate(inputs):
            if (e, i) in self.plan.copied:
                given[i] = self.copied(starts[i], given[i])
            elif value in self.plan.owned and isinstance(start := given[i], Name | Global):
                # the loop works in the memory it starts from
                names.append(start.text)
                continue
            names.append(self.names.get(e.outputs[i]) or self.fresh(value.hint))
        if found is not None:
            self.breaks[found.branch.equation], found.names = found, names
            if self.is_unread(found):
                self.unread.add(names[found.number])
        pairs = [(n, x) for n, x in zip(names, given, strict=True) if n not in self.unread]
        if any(not is_variable(x, n) for n, x in pairs):
            self.move(pairs, e.location)
            self.drop_starts(loop, names)
        for value, out, name in zip(inputs, e.outputs, names, strict=True):
            self.names[value] = self.names[out] = name
            self.holder[name] = value
        if loop.test is not None:
            self.names.update(zip(loop.test.inputs, names, strict=True))
        return found, names


def is_variable(x: Expression, name: str) -> bool:
    return isinstance(x, Name | Global) and x.text == name


def new_array(elements: Sequence[Expression]) -> Expression:
    """Returns an array with these elements."""
    return Call(Global("np.array", np.array), (List(tuple(elements)),))
