"""Checks that `ag.set_loop_options` comes first in a loop, where `control_flow` reads it.

>>> from autograph.conversion.convert import to_code
>>> import autograph as ag
>>> def double(n, x):
...     for _ in range(n):
...         ag.set_loop_options(unroll=True)
...         x = 2 * x
...     return x
>>> print(to_code(double), end="")
def double(n, x):
<BLANKLINE>
    def loop_body(_, x):
        return (2 * x,)
    (x,) = ag.for_loop(ag.range(n), loop_body, (x,), unroll=True)
    return x
"""

from __future__ import annotations

import inspect
from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.statements import LOOPS, own_nodes, statements
from autograph.suggestions import nearest
from autograph.syntax.directives import LOOP_OPTIONS, set_loop_options
from autograph.syntax.errors import Span, UnsupportedSyntaxError


def run(tree: Any, unit: Unit) -> Any:
    """Refuses the directive elsewhere, and with arguments that cannot be read."""
    for function in unit.functions:
        inside = list(statements(function.body))
        allowed = {loop.body[0].value for loop in inside
                   if isinstance(loop, LOOPS) and isinstance(loop.body[0], gast.Expr)}
        for statement in inside:
            for node in own_nodes(statement):
                if is_directive(node, unit) and (node not in allowed or not _named(node)):
                    raise UnsupportedSyntaxError(
                        "set_loop_options must be the first statement of a loop, and its options "
                        "are given by name", Span.of(node, unit.context.filename),
                        "move it to the beginning of the body of the loop that it is meant for")
                if node in allowed and is_directive(node, unit):
                    _check_names(node, unit)
    return tree


def _check_names(call: Any, unit: Unit) -> None:
    """Refuses options that there are not, which no call of the directive would."""
    known = list(inspect.signature(set_loop_options).parameters)
    for option in call.keywords:
        if option.arg not in known:
            near = nearest(option.arg, known)
            raise UnsupportedSyntaxError(
                f"set_loop_options has no option {option.arg!r}",
                Span.of(call, unit.context.filename),
                f"did you mean {near}?" if near else f"there are {', '.join(known)}")
        if option.arg == "unroll" and isinstance(option.value, gast.Constant) and not isinstance(
                option.value.value, bool | None):
            raise UnsupportedSyntaxError(
                f"unroll is True or False, not {option.value.value!r}",
                Span.of(option.value, unit.context.filename), "leave it out for as it is best")


def is_directive(node: Any, unit: Unit) -> bool:
    """Returns True for a call of `ag.set_loop_options`."""
    if not isinstance(node, gast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return name == set_loop_options.__name__ and (
        unit.context.resolve(node.func, frozenset()).action == "directive")


def _named(call: Any) -> bool:
    return not call.args and all(keyword.arg for keyword in call.keywords)


def split_options(body: list[Any], unit: Unit) -> tuple[list[Any], list[Any]]:
    """Returns the options of a loop as keywords, and the body without the call that sets them."""
    first = body[0] if body else None
    if not (isinstance(first, gast.Expr) and is_directive(first.value, unit)):
        return [], body
    options = [k for k in first.value.keywords if k.arg in LOOP_OPTIONS]
    return options, body[1:] or [gast.copy_location(gast.Pass(), first)]
