"""Branches that are written as expressions: `a and b`, `a or b`, `x if a else y`."""

from __future__ import annotations

from autograph.runtime.ir.expressions import Choice, Expression, Operator
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import Branch, as_branch
from autograph.runtime.ir.types import PyType
from autograph.runtime.lower.assignments import Assignments
from autograph.runtime.optimize.effects_and_exceptions import is_total

MAX_CONDITIONALS = 3
"""So many `x if a else y` may be in another: more are easier to read as `if` statements."""

MAX_TERMS = 24
"""A side with more operands than that is easier to read in a statement."""


class Conditionals(Assignments):
    """Makes a branch one expression. Its sides are evaluated as they are written, inside it:
    no statement of theirs may come before, as that would run whatever is chosen."""

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
        if len(branch.results) != 1 or branch.results[0].hint or not all(
                self.is_expression(side, MAX_CONDITIONALS) for side in sides):
            return False
        return self.uses[branch.results[0]] == 1 or any(
            side.outputs[0] is branch.predicate for side in sides)

    def is_expression(self, region: Graph, most: int) -> bool:
        """Returns True if a region may be an expression with at most so many `x if a else y` in
        each other. A value that only a region inside it uses needs a statement: its name."""
        terms = sum(len(e.inputs) for e in region.equations)
        if terms > MAX_TERMS or not all(
                (self.may_wait(e) and not self.must_check(e))
                or (self._is_short(e, most) and self.is_nested(e))
                for e in region.equations):
            return False
        if not evaluated_in_order(region):
            return False
        own = {v for e in region.equations for v in e.outputs}
        return not any(own.intersection(self.plan.free.of(side)) for e in region.equations
                       if (branch := as_branch(e)) is not None for side in written_sides(branch))

    def is_nested(self, e: Equation) -> bool:
        """Returns True if the result of a branch may stand where it is used."""
        out = e.outputs[0]
        return out not in self.names and self.uses[out] == 1

    def _is_short(self, e: Equation, most: int) -> bool:
        branch = as_branch(e)
        if branch is None or len(e.outputs) != 1 or e.outputs[0].hint:
            return False
        most -= short_form(branch) is None
        return most >= 0 and all(self.is_expression(side, most) for _, side in branch.sides())


def evaluated_in_order(region: Graph) -> bool:
    """Returns True if what may raise or warn in a region has the order in which one expression
    evaluates it."""
    made = {v: e for e in region.equations for v in e.outputs}
    found: list[Equation] = []

    def evaluate(atom: Atom) -> None:
        if isinstance(atom, Value) and (e := made.pop(atom, None)) is not None:
            for x in e.inputs:
                evaluate(x)
            found.append(e)

    for atom in region.outputs:
        evaluate(atom)
    return [e for e in found if not is_total(e)] == [
        e for e in region.equations if e in found and not is_total(e)]


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
