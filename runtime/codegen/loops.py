"""Loops as Python's own; those over scalars run on Python's numbers, with the exact code as a
fallback."""

from __future__ import annotations

import operator

import numpy as np

from autograph.runtime.codegen.assignments import Assignments
from autograph.runtime.codegen.expressions import INDENT
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type
from autograph.runtime.ir.regions import Loop, is_loop
from autograph.runtime.ir.types import ArrayType, PyType, StackType, Type
from autograph.runtime.lower import unboxing
from autograph.runtime.lower.break_recovery import Break, begins, break_of
from autograph.runtime.lower.in_place import Plan
from autograph.runtime.lower.scalar_replacement import ScalarLoop, flat

UNBOXED = {"np.int64": operator.index, "np.float64": float, "np.bool_": bool}
"""The functions that give the Python number of a NumPy scalar."""


def may_change(items: Atom) -> bool:
    """Returns True if it matters when a loop takes an item: not for arrays and ranges."""
    t = atom_type(items)
    return not isinstance(t, ArrayType) and t != PyType(range)


class Loops(Assignments):
    """Writes loops.

    holder  a loop variable's name -> its value as an iteration starts.
    breaks  for the branch that ends a loop's body: the `break` in it.
    unread  names that nothing reads, which are not assigned.
    exact   stacks of NumPy's own scalars: others may hold Python's numbers in their place.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.holder: dict[str, Value] = {}
        self.breaks: dict[Equation, Break] = {}
        self.unread: set[str] = set()
        self.exact: set[Value] = set()
        self.arguments: set[str] = set()  # never rebound: the caller looks at its own arrays

    def block(self, graph: Graph) -> None:
        """Writes a graph's equations."""
        raise NotImplementedError

    def region(self, graph: Graph, names: list[str]) -> None:
        """Writes a region; its outputs get the `names`."""
        raise NotImplementedError

    def loop(self, e: Equation) -> None:
        loop = Loop(e)
        if self.checked is None and not self.fallbacks:
            self.exact.update(v for v in e.outputs if isinstance(v.type, StackType))
        if loop.is_for:
            self.for_(loop)
        else:
            self.while_(loop)

    def on_numbers(self, unit: list[Equation]) -> None:
        """Writes equations on scalars with a loop: on Python's numbers, then the fallback."""
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
        self.checked, self.finite = unboxing.consumers((stretch,)), unboxing.finite(unit)
        self.line("try:", unit[0].location)
        self.depth += 1
        self.unboxed_unit(stretch)
        self.depth -= 1
        self.checked, self.names, self.holder = None, names, holder
        self.line(f"except {unboxing.FAILURES}:  # where Python's numbers are not NumPy's")
        self.depth += 1
        self.fallbacks += 1
        self.empty(unit)
        self.straight(unit)
        self.flush()
        self.name_results(targets)
        self.fallbacks -= 1
        self.depth -= 1

    def leaf(self, x: Atom) -> str:
        if self.checked is not None and type(x) is np.float64:
            return repr(float(x))
        return super().leaf(x)

    def empty(self, unit: list[Equation]) -> None:
        """Empties what the loops filled for a derivative, before they run again."""
        for name in dict.fromkeys(self.name_of(v) for e in unit for v in unboxing.fills(e)):
            self.line(f"{name}.clear()")

    def on_scalars(self, e: Equation, made: ScalarLoop) -> None:
        """Writes a loop over small arrays: over their elements, then the fallback."""
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
        self.line("try:", e.location)
        self.depth += 1
        for x, elements in made.arrays.items():
            self.line(f"{''.join(f'{self.name_of(k)}, ' for k in elements)}= "
                      f"{self.name_of(x)}.tolist()")
        self.unbox(stretch)
        self.loop(made.loop)
        self.put_together(targets, made, {o for k, o in enumerate(e.outputs)
                                          if (e, k) in self.plan.copied})
        self.depth -= 1
        self.checked, self.finite, self.names, self.holder = None, set(), names, holder
        self.line(f"except {unboxing.FAILURES}:  # where Python's numbers are not NumPy's")
        self.depth += 1
        self.loop(e)
        self.name_results(targets)
        self.depth -= 1

    def name_results(self, targets: dict[Value, str]) -> None:
        """Gives the results of a fallback the names that they have otherwise: a loop that works in
        the memory it starts from leaves them under the name of that."""
        for out, name in targets.items():
            if self.names[out] != name:
                self.line(f"{name} = {self.names[out]}")
                self.names[out] = name
                self.holder[name] = out

    def put_together(self, targets: dict[Value, str], made: ScalarLoop, copied: set[Value]
                     ) -> None:
        """Writes the results of a loop over elements. A new array has elements of its own: one
        whose elements are those of an array that it may be is that array."""
        for out, name in targets.items():
            now = made.results[out]
            if type(now) is not tuple:
                self.put_back(name, self.names[now], out.type)
                continue
            texts = [self.names[x] for x in now]
            for text in texts:
                self.must_be_finite(text)
            known = [x for x in made.aliases[out] if not {x, out} & copied]
            self.line(f"{name} = " + "".join(
                f"{targets.get(x) or self.name_of(x)} if {self.same_elements(texts, x, made)} else "
                for x in known) + f"np.array([{', '.join(texts)}])")

    def same_elements(self, texts: list[str], x: Value, made: ScalarLoop) -> str:
        """Returns the test of whether elements are those of a known array, or of a result."""
        theirs = made.arrays[x] if x in made.arrays else made.results[x]
        return " and ".join(f"{a} is {self.names[b]}"
                            for a, b in zip(texts, flat(theirs), strict=True))

    def unbox(self, stretch: Graph) -> None:
        """Writes the unboxing of NumPy scalars to Python numbers."""
        boxed = [v for v in stretch.free_values() if unboxing.box_of(v.type)]
        inside = [self.fresh(v.hint) for v in boxed]
        for value, name in zip(boxed, inside, strict=True):
            # `x.item()` takes ten times as long
            cls = UNBOXED[unboxing.box_of(value.type)]
            self.line(f"{name} = {self.leaf(cls)}({self.name_of(value)})",
                      stretch.equations[0].location)
        self.names.update(zip(boxed, inside, strict=True))

    def put_back(self, name: str, text: str, t: Type, is_finite: bool = False) -> None:
        """Writes the boxing of a Python number."""
        if unboxing.is_boxed(t, unboxing.FLOAT) and not is_finite:
            self.must_be_finite(text)
        box = unboxing.box_of(t)
        self.line(f"{name} = {box}({text})" if box else f"{name} = {text}")

    def must_be_finite(self, text: str) -> None:
        self.line(f"if {text} - {text}:  # infinite or NaN")
        self.line(INDENT + "raise OverflowError")

    def straight(self, unit: list[Equation]) -> None:
        for e in unit:
            if is_loop(e):
                self.loop(e)
            else:
                self.assign(e)

    def unboxed_unit(self, stretch: Graph) -> None:
        """Writes a unit: the unboxing, the computation, the boxing."""
        results: list[Value] = list(stretch.outputs)
        targets = [self.names.pop(o) for o in results]
        self.unbox(stretch)
        self.straight(stretch.equations)
        self.flush()
        for out, name in zip(results, targets, strict=True):
            self.put_back(name, self.names[out], out.type, out in self.finite)

    def while_(self, loop: Loop) -> None:
        found, names = self.enter_loop(loop)
        test = loop.test if found is None else found.test
        if test is None:
            self.line("while True:", loop.equation.location)
            self.depth += 1
        else:
            self.while_header(test, loop.equation)
        self.region(loop.body, names)
        self.end_loop()

    def while_header(self, test: Graph, e: Equation) -> None:
        """Writes `while TEST:` if the test is one expression, else `while True:` with a `break`."""
        self.flush()
        before, line = len(self.lines), len(self.lines)
        self.line("while True:", e.location)
        self.depth += 1
        self.block(test)
        if len(self.lines) == before + 1:
            del self.lines[line:]
            self.depth -= 1
            self.line(f"while {self.nest(test.outputs[0])}:", e.location)
            self.depth += 1
        else:
            self.stop_unless(test, e)

    def for_(self, loop: Loop) -> None:
        e = loop.equation
        found, names = self.enter_loop(loop)
        test = loop.test if found is None else found.test
        first = None if may_change(loop.iterable) else test
        last = None if first is test else test
        self.line(f"for {self.items(loop)}{self.if_begun(loop, last)}:", e.location)
        self.depth += 1
        self.end_unless(first, e)
        self.region(loop.body, names)
        self.end_unless(last, e)  # as after a `break`: no item is taken
        self.end_loop()

    def end_unless(self, test: Graph | None, e: Equation) -> None:
        """Writes a loop's test, if it has one, and a `break`."""
        if test is not None:
            self.block(test)
            self.stop_unless(test, e)

    def if_begun(self, loop: Loop, test: Graph | None) -> str:
        """Returns ` if TEST else ()` for a loop over items whose test may be false at once."""
        if test is None or begins(loop):
            return ""
        self.block(test)
        return f" if {self.operand(test.outputs[0])} else ()"

    def items(self, loop: Loop) -> str:
        """Returns what a loop goes over, `i in range(8)`."""
        steps = loop.iterable
        text = repr(steps) if type(steps) is range else self.nest(steps)
        return f"{self.name_of(loop.body.inputs[0])} in {text}"

    def is_unread(self, found: Break) -> bool:
        """Returns True if nothing but the test asks for the flag of a `break`."""
        branch, flag = found.branch, found.flag
        passed_on = sum(side.outputs[found.result] is flag for _, side in branch.sides())
        return self.uses[found.loop.results[found.number]] == 0 and (
            self.uses[flag] == passed_on and self.uses[branch.results[found.result]] == 1)

    def leave(self, found: Break) -> None:
        """Writes `break`, with the carried values as the body would leave them."""
        self.assign_all(found.names, found.loop.body)
        self.line("break")

    def assign_all(self, names: list[str], graph: Graph) -> None:
        """Writes `a, b = …` for the outputs of a region."""
        pairs = [(n, self.nest(a)) for n, a in zip(names, graph.outputs, strict=True)]
        pairs = [(f"{n}[...]" if n in self.arguments else n, a) for n, a in pairs
                 if n != a and n not in self.unread]
        if pairs:
            self.line(f"{', '.join(n for n, _ in pairs)} = {', '.join(a for _, a in pairs)}")

    def stop_unless(self, test: Graph, e: Equation) -> None:
        text = self.operand(test.outputs[0])
        negated = text.removeprefix("(not ").removesuffix(")") if text.startswith("(not ") else (
            f"not {text}")
        self.line(f"if {negated}:", e.location)
        self.line(INDENT + "break")

    def drop_starts(self, loop: Loop, names: list[str]) -> None:
        """Writes `del x` for the arrays from which a loop starts that nothing else refers to: its
        own variables free them."""
        if self.checked is not None or self.fallbacks or self.reuse is None:
            return  # the loop may start again
        dying = self.dying.get(loop.equation, [])
        gone = [v for v in dying if self.names.get(v, names[0]) not in names
                and sum(x is v for x in loop.initial) == len(self.reuse.users[v])]
        if gone:
            self.line(f"del {', '.join(dict.fromkeys(self.names[v] for v in gone))}")
            self.dying[loop.equation] = [v for v in dying if v not in gone]

    def carried(self, graph: Graph) -> set[Value]:
        """Returns the user's variables that a loop carries into a region: no other block may drop
        the values that it is given."""
        return {v for v in graph.inputs if v.hint and self.holder.get(self.names.get(v, "")) is v}

    def end_loop(self) -> None:
        if self.lines[-1].endswith(":"):  # nothing in it is wanted but that it ends
            self.line("pass")
        self.depth -= 1

    def enter_loop(self, loop: Loop) -> tuple[Break | None, list[str]]:
        """Gives the carried values their names, shared by regions and results, and their start."""
        e, starts, inputs = loop.equation, loop.initial, loop.carried
        found = break_of(loop)
        texts = [self.nest(s) for s in starts]
        names = []
        for i, value in enumerate(inputs):
            if (e, i) in self.plan.copied:
                texts[i] = self.copied(starts[i], texts[i])
            elif value in self.plan.owned and texts[i].isidentifier():
                # the loop works in the memory it starts from
                names.append(texts[i])
                continue
            names.append(self.names.get(e.outputs[i]) or self.fresh(value.hint))
        if found is not None:
            self.breaks[found.branch.equation], found.names = found, names
            if self.is_unread(found):
                self.unread.add(names[found.number])
        pairs = [(n, t) for n, t in zip(names, texts, strict=True)
                 if n != t and n not in self.unread]
        if pairs:
            self.line(f"{', '.join(n for n, _ in pairs)} = {', '.join(t for _, t in pairs)}",
                      e.location)
            self.drop_starts(loop, names)
        for value, out, name in zip(inputs, e.outputs, names, strict=True):
            self.names[value] = self.names[out] = name
            self.holder[name] = value
        if loop.test is not None:
            self.names.update(zip(loop.test.inputs, names, strict=True))
        return found, names
