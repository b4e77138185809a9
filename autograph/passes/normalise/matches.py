r"""Turns a `match` into `if`, which can be staged, as far as values, names and guards go.

>>> from autograph.passes.pipeline import show
>>> show("matches", '''
... def f(x):
...     match x % 3:
...         case 0:
...             return "none"
...         case 1 | 2 if x > 9:
...             return "large"
...         case rest:
...             return rest
... ''')
def f(x):
    subject = x % 3
    if subject == 0:
        return "none"
    elif (subject == 1 or subject == 2) and x > 9:
        return "large"
    else:
        rest = subject
        return rest

Python still matches the structure of the subject; conditions on its parts become tests:

>>> show("matches", '''
... def f(point):
...     match point:
...         case (0, y) if y > 0:
...             return y
... ''')
def f(point):
    subject = ag.to_match(point)
    matched = False
    match subject:
        case [part, part_1]:
            matched = part == 0
            if matched:
                y = part_1
                matched = y > 0
    if matched:
        return y

Site-instrumented code (see `lower.allocation_sites`) leaves the structure to an operator, since
only the run may know it:

>>> from autograph.printer.statements import to_text
>>> from autograph.syntax.context import Context
>>> source = "def f(s):\n match s:\n  case Circle(r): return r\n  case _: return 0"
>>> tree = gast.parse(source).body[0]
>>> print(to_text(run(tree, Unit(tree, Context(site_instrumented=True)))), end="")
def f(s):
    subject = s
<BLANKLINE>
    def parts_of(subject):
        matched, part = False, ag.Undefined('part')
        match subject:
            case Circle(part):
                matched = True
        return matched, part
    matched, part = ag.match_parts(subject, parts_of)
    if matched:
        r = part
        matched = True
    if matched:
        return r
    else:
        return 0
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.scopes import bound_names, parameter_names
from autograph.analysis.statements import own_nodes
from autograph.passes.normalise.patterns import (
    NAMING,
    PatternSplitter,
    SplitPattern,
    all_of,
)
from autograph.syntax.node_builders import (
    assign,
    at,
    blocks_replaced,
    call,
    constant,
    function,
    load,
    negated,
    operator,
    tuple_of,
    unpack,
)


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the `match` statements of every function."""
    for each in unit.functions:
        _Matches(unit, each).run()
    return tree


def _may_bind(case: Any) -> bool:
    """Returns True if a guard may give the variable of the subject another value."""
    return case.guard is not None and any(
        isinstance(node, (gast.NamedExpr, gast.Call)) for node in own_nodes(case.guard))


class _Matches:
    def __init__(self, unit: Unit, function: Any) -> None:
        self.unit, self.function = unit, function
        self.structure_of_run = unit.context.site_instrumented
        self.local = frozenset([*parameter_names(function.args), *bound_names(function.body)])
        self.splitter = PatternSplitter(unit.context.ag, lambda: unit.names.fresh("part"),
                                        self.is_class)

    def run(self) -> None:
        self.function.body = self.block(self.function.body)

    def is_class(self, node: Any) -> bool:
        """Returns True for one of Python's classes that match a value itself: `float(x)`."""
        return isinstance(node, gast.Name) and node.id not in self.local and node.id in SELF and (
            self.unit.context.resolve(node, self.local).operator == node.id)

    def block(self, body: list[Any]) -> list[Any]:
        return [s for statement in body for s in self.statement(statement)]

    def statement(self, statement: Any) -> list[Any]:
        blocks_replaced(statement, self.block)
        if not isinstance(statement, gast.Match):
            return [statement]
        cases = self.split_cases(statement)
        if cases is None:
            statement.subject = self.to_match(statement.subject)
            return [statement]
        return self.chain(statement, cases)

    def split_cases(self, match: Any) -> list[SplitPattern] | None:
        """Splits the cases; None if the statement stays, since it asks for one structure alone."""
        subject = self.subject(match)
        cases = [self.splitter.split(case.pattern, subject) for case in match.cases]
        if not self.structure_of_run and any(c.structure is not None for c in cases) and not any(
                c.tests or c.others or c.inner for c in cases) and not any(
                c.guard for c in match.cases):
            return None
        self.name = subject
        return cases

    def subject(self, match: Any) -> str:
        """Returns the name of the variable that holds the subject."""
        structured = any(isinstance(n, STRUCTURE) for c in match.cases
                         for n in gast.walk(c.pattern))
        if isinstance(match.subject, gast.Name) and not structured and (
                not any(map(_may_bind, match.cases))):
            return str(match.subject.id)
        return str(self.unit.names.fresh("subject"))

    def to_match(self, subject: Any) -> Any:
        return at(subject, call(operator(self.unit.context.ag, "to_match"), subject))

    def chain(self, match: Any, cases: list[SplitPattern]) -> list[Any]:
        """Returns the cases as `if` statements, each in the `else` of the one before."""
        start: list[Any] = []
        if not (isinstance(match.subject, gast.Name) and match.subject.id == self.name):
            structured = any(case.has_steps for case in cases)
            value = match.subject if self.structure_of_run or not structured else (
                self.to_match(match.subject))
            start = [at(match.subject, assign(self.name, value))]
        rest: list[Any] = []
        subject = self.name
        for case, split in reversed(list(zip(match.cases, cases, strict=True))):
            rest = self.case(case, split, subject, rest)
        return [*start, *rest]

    def case(self, case: Any, split: SplitPattern, subject: str, rest: list[Any]) -> list[Any]:
        bind = [at(case.pattern, assign(name, value)) for name, value in split.bindings]
        if split.has_steps or (split.tests and bind and case.guard is not None):
            return self.flagged(case, split, subject, rest)
        if not split.tests:
            inside = case.body if case.guard is None else [
                at(case.guard, gast.If(case.guard, case.body, rest))]
            return [*bind, *inside]
        tests = [at(case.pattern, test) for test in split.tests]
        test = all_of([*tests, *([] if case.guard is None else [case.guard])])
        return [at(case.pattern, gast.If(test, [*bind, *case.body], rest))]

    def flagged(self, case: Any, split: SplitPattern, subject: str, rest: list[Any]) -> list[Any]:
        """Returns a case with a flag for whether it matches: names are bound before the guard."""
        matched = self.unit.names.fresh("matched")
        guard = [] if case.guard is None else [at(case.guard, assign(matched, case.guard))]
        steps = self.attempt(case.pattern, split, subject, matched, guard)
        return [*steps, at(case.pattern, gast.If(load(matched), case.body, rest))]

    def attempt(self, pattern: Any, split: SplitPattern, subject: str, matched: str,
                then: list[Any]) -> list[Any]:
        """Returns statements that try a pattern, and say in a variable if it matches; on a match
        they bind names, and do what follows."""
        checks = self.checks(pattern, split, matched, then)
        if split.others:
            steps = self.attempt(pattern, split.others[0], subject, matched, [])
            for other in split.others[1:]:
                again = self.attempt(pattern, other, subject, matched, [])
                steps.append(at(pattern, gast.If(negated(load(matched)), again, [])))
            return [*steps, *self.when(pattern, matched, checks)]
        if not _assigns(checks, matched):
            checks.append(at(pattern, assign(matched, constant(True))))
        if split.structure is None:
            return checks
        if self.structure_of_run:
            ask = self.matched_parts(split.structure, subject, matched)
            return [at(pattern, s) for s in (*ask, *self.when(pattern, matched, checks))]
        value = load(subject) if subject == self.name else call(
            operator(self.unit.context.ag, "to_match"), load(subject))
        inside = gast.match_case(split.structure, None, checks)
        return [at(pattern, assign(matched, constant(False))),
                at(pattern, gast.Match(value, [inside]))]

    def checks(self, pattern: Any, split: SplitPattern, matched: str, then: list[Any]) -> list[Any]:
        """Returns statements for what is to be known of what a structure captured."""
        steps = [*(at(pattern, assign(name, value)) for name, value in split.bindings), *then]
        for name, inner in reversed(split.inner):
            steps = self.attempt(pattern, inner, name, matched, steps)
        if not split.tests:
            return steps
        return [at(pattern, assign(matched, all_of(split.tests))),
                *self.when(pattern, matched, steps)]

    def when(self, pattern: Any, matched: str, steps: list[Any]) -> list[Any]:
        """Returns statements that are run on a match."""
        return [at(pattern, gast.If(load(matched), steps, []))] if steps else []

    def matched_parts(self, structure: Any, subject: str, matched: str) -> list[Any]:
        """Returns statements that ask an operator for the parts of a subject."""
        ag, name = self.unit.context.ag, self.unit.names.fresh("parts_of")
        parts = _captures(structure)
        unbound = [call(operator(ag, "Undefined"), constant(part)) for part in parts]
        names = tuple_of([load(matched), *map(load, parts)])
        found = gast.match_case(structure, None, [assign(matched, constant(True))])
        parts_of = function(name, [subject], [
            unpack([matched, *parts], tuple_of([constant(False), *unbound])),
            gast.Match(load(subject), [found]),
            gast.Return(names)])
        value = call(operator(ag, "match_parts"), load(subject), load(name))
        return [parts_of, unpack([matched, *parts], value)]


def _assigns(statements: list[Any], name: str) -> bool:
    """Returns True if one of the statements binds a variable, alone or as the first of several."""
    bound = (s.targets[0] for s in statements if isinstance(s, gast.Assign))
    return any((isinstance(t, gast.Name) and t.id == name) or (
        isinstance(t, gast.Tuple) and t.elts[0].id == name) for t in bound)


def _captures(pattern: Any) -> list[str]:
    """Returns the names that a pattern binds."""
    found = (getattr(n, "rest" if isinstance(n, gast.MatchMapping) else "name")
             for n in gast.walk(pattern) if isinstance(n, NAMING))
    return [name for name in found if name is not None]


SELF = frozenset({"bool", "int", "float", "str", "list", "tuple"})

STRUCTURE = (gast.MatchSequence, gast.MatchMapping, gast.MatchClass)
