"""Turns a `match` on values into `if`, which can be staged; one that takes objects apart stays.

>>> from autograph.pipeline import show
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
        return 'none'
    elif (subject == 1 or subject == 2) and x > 9:
        return 'large'
    else:
        rest = subject
        return rest
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.blocks import own_nodes
from autograph.analysis.unit import Unit
from autograph.templates import assign, at, blocks_replaced, load


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the `match` statements of every function whose cases are all tests of a value."""
    def block(body: list[Any]) -> list[Any]:
        return [s for statement in body for s in rewritten(statement)]

    def rewritten(statement: Any) -> list[Any]:
        blocks_replaced(statement, block)
        if isinstance(statement, gast.Match) and all(map(_is_test, statement.cases)):
            return _chain(statement, unit)
        return [statement]

    for function in unit.functions:
        function.body = block(function.body)
    return tree


def _is_test(case: Any) -> bool:
    """Whether a case only asks whether the subject is a value, or gives it a name."""
    pattern = case.pattern
    if isinstance(pattern, gast.MatchAs) and pattern.pattern is not None:
        return case.guard is None and _is_value(pattern.pattern)
    return isinstance(pattern, gast.MatchAs) or _is_value(pattern)


def _is_value(pattern: Any) -> bool:
    if isinstance(pattern, gast.MatchOr):
        return all(map(_is_value, pattern.patterns))
    return isinstance(pattern, (gast.MatchValue, gast.MatchSingleton))


def _may_bind(case: Any) -> bool:
    """Whether a guard may give the variable of the subject another value."""
    return case.guard is not None and any(
        isinstance(node, (gast.NamedExpr, gast.Call)) for node in own_nodes(case.guard))


def _chain(match: Any, unit: Unit) -> list[Any]:
    """The subject is evaluated once; every case stands in the `else` of the one before."""
    start: list[Any] = []
    if isinstance(match.subject, gast.Name) and not any(map(_may_bind, match.cases)):
        subject = match.subject.id
    else:
        subject = unit.names.fresh("subject")
        start = [at(match.subject, assign(subject, match.subject))]
    rest: list[Any] = []
    for case in reversed(match.cases):
        rest = _case(case, subject, rest)
    return [*start, *rest]


def _case(case: Any, subject: str, rest: list[Any]) -> list[Any]:
    test, name = _test_and_name(case.pattern, subject)
    bind = [] if name is None else [at(case.pattern, assign(name, load(subject)))]
    if test is None:
        if case.guard is None:
            return [*bind, *case.body]
        return [*bind, at(case.guard, gast.If(case.guard, case.body, rest))]
    at(case.pattern, test)
    if case.guard is not None:
        test = at(case.pattern, gast.BoolOp(gast.And(), [test, case.guard]))
    return [at(case.pattern, gast.If(test, [*bind, *case.body], rest))]


def _test_and_name(pattern: Any, subject: str) -> tuple[Any, str | None]:
    """(what has to hold, the name that the subject gets)"""
    if not isinstance(pattern, gast.MatchAs):
        return _test(pattern, subject), None
    test = None if pattern.pattern is None else _test(pattern.pattern, subject)
    return test, pattern.name


def _test(pattern: Any, subject: str) -> Any:
    if isinstance(pattern, gast.MatchOr):
        return gast.BoolOp(gast.Or(), [_test(p, subject) for p in pattern.patterns])
    if isinstance(pattern, gast.MatchSingleton):
        return gast.Compare(load(subject), [gast.Is()], [gast.Constant(pattern.value, None)])
    return gast.Compare(load(subject), [gast.Eq()], [pattern.value])
