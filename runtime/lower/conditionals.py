"""Branches that are written as expressions: `a and b`, `a or b`, `x if a else y`."""

from __future__ import annotations

import math

from autograph.runtime.ir.expressions import Choice, Expression, Operator
from autograph.runtime.ir.graph import Atom, Equation, Graph, Nest, Value
from autograph.runtime.ir.regions import Branch, as_branch
from autograph.runtime.ir.types import PyType
from autograph.runtime.lower.assignments import Assignments
from autograph.runtime.lower.expressions import evaluated
from autograph.runtime.lower.plan import Plan
from autograph.runtime.optimize.effects_and_exceptions import is_total

MAX_CONDITIONALS = 3
"""So many `x if a else y` may be in another: more are easier to read as `if` statements."""

MAX_TERMS = 24
"""A side with more operands than that is easier to read in a statement."""


class Conditionals(Assignments):
    """Makes a branch one expression. Its sides are evaluated as they are written, inside it:
    no statement of theirs may come before, as that would run whatever is chosen.

    known  what `levels` found, and `checked` at the time: the same regions may be made twice.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.known: tuple[set[Value] | None, dict[Graph, float]] = None, {}

    def as_expression(self, branch: Branch) -> bool:
        """Makes `a and b`, `a or b` or, used once, `x if a else y`, if the sides are
        expressions; returns False if they are not."""
        if not self.is_conditional(branch):
            return False
        e, test = branch.equation, self.nest(branch.predicate)
        yes, no = branch.on_true, branch.on_false
        made: Expression
        match short_form(branch):
            case "and":
                made = Operator("{0} and {1}", (test, self.value_of(yes)))
            case "or":
                made = Operator("{0} or {1}", (test, self.value_of(no)))
            case _:
                made = Choice(self.value_of(yes), test, self.value_of(no))
        out = e.outputs[0]
        if self.is_nested(e):
            self.wait(e, made)
        else:
            self.let(self.target(out), made, e.location)
        return True

    def value_of(self, region: Graph) -> Expression:
        """The expression of a region that is one."""
        self.outer.append(self.pending)
        self.pending, taken_up, self.taken_up = {}, self.taken_up, []
        for e in region.equations:
            branch = as_branch(e)
            if branch is None:
                self.wait(e, self.expression(e))
            else:
                self.as_expression(branch)
        made = self.nest(region.outputs[0])
        self.pending, self.taken_up = self.outer.pop(), taken_up
        return made

    def is_conditional(self, branch: Branch) -> bool:
        """Returns True if a branch may be written as an expression."""
        sides = (branch.on_true, branch.on_false)
        if len(branch.results) != 1 or branch.results[0].hint or any(
                self.levels(side) > MAX_CONDITIONALS for side in sides):
            return False
        return self.uses[branch.results[0]] == 1 or any(
            side.outputs[0] is branch.predicate for side in sides)

    def levels(self, region: Graph) -> float:
        """Returns how many `x if a else y` would be in each other, were a region an expression;
        infinity if it cannot be one. It is asked of the sides in it, and of those around it."""
        if self.known[0] is not self.checked:
            self.known = self.checked, {}
        known = self.known[1]
        if region not in known:
            known[region] = self._levels(region)
        return known[region]

    def _levels(self, region: Graph) -> float:
        """A value that only a region inside this one uses needs a statement: its name."""
        if sum(len(e.inputs) for e in region.equations) > MAX_TERMS:
            return math.inf
        found = [0.0 if self.may_wait(e) and not self.must_check(e) else self._levels_of(e)
                 for e in region.equations]
        if math.inf in found or not evaluated_in_order(region):
            return math.inf
        own = {v for e in region.equations for v in e.outputs}
        inside = [e for e in region.equations if e.regions]
        if any(own.intersection(self.plan.free.of(side)) for e in inside
               if (branch := as_branch(e)) is not None for side in written_sides(branch)):
            return math.inf
        return max(found, default=0.0)

    def _levels_of(self, e: Equation) -> float:
        branch = as_branch(e)
        if branch is None or len(e.outputs) != 1 or e.outputs[0].hint or not self.is_nested(e):
            return math.inf
        return max(self.levels(side) for _, side in branch.sides()) + (short_form(branch) is None)

    def is_nested(self, e: Equation) -> bool:
        """Returns True if the result of a branch may stand where it is used."""
        out = e.outputs[0]
        return out not in self.names and self.uses[out] == 1


def evaluated_in_order(region: Graph) -> bool:
    """Returns True if what may raise or warn in a region has the order in which one expression
    evaluates it; all of it, if there are effects."""
    made = {v: e for e in region.equations for v in e.outputs}
    found: list[Equation] = []

    def evaluate(atom: Nest) -> None:
        if isinstance(atom, Value) and (e := made.pop(atom, None)) is not None:
            for x in evaluated(e):
                evaluate(x)
            found.append(e)

    for atom in region.outputs:
        evaluate(atom)
    fixed = any(e.has_effect for e in found)
    return [e for e in found if fixed or not is_total(e)] == [
        e for e in region.equations if e in found and (fixed or not is_total(e))]


def short_form(branch: Branch) -> str | None:
    """Returns `and` or `or` if one side gives the value of the test itself, else None."""
    pred, yes, no = branch.predicate, branch.on_true, branch.on_false
    if no.outputs[0] is pred or (no.outputs[0] is False and is_bool(pred)):
        return "and"
    if yes.outputs[0] is pred or (yes.outputs[0] is True and is_bool(pred)):
        return "or"
    return None


def written_sides(branch: Branch) -> tuple[Graph, ...]:
    """Returns the sides that an expression evaluates: in `a and b`, the other one is `a` itself."""
    match short_form(branch):
        case "and":
            return (branch.on_true,)
        case "or":
            return (branch.on_false,)
        case _:
            return branch.on_true, branch.on_false


def is_bool(atom: Atom) -> bool:
    """Returns True if `atom and x` is False itself when the atom is false."""
    return isinstance(atom, Value) and atom.type == PyType(bool)
