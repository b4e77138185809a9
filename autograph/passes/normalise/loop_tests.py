"""Moves the tests of `while` loops: into the body if they bind a name, or out of the body.

>>> from autograph.passes.pipeline import show
>>> show("loop_tests", '''
... def f(read):
...     while (line := read()):
...         print(line)
... ''')
def f(read):
    more = True
    while more:
        if (line := read()):
            print(line)
        else:
            more = False

A loop that begins with `if …: break` or `if …: return` gets this test as its own, unless the test
calls a function of the user's, which may do anything:

>>> show("loop_tests", '''
... def f(n):
...     while True:
...         if n > 10:
...             return n
...         n = 2 * n
... ''')
def f(n):
    while not n > 10:
        n = 2 * n
    return n
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.completion import Completion, Jump, endless
from autograph.analysis.statements import own_nodes
from autograph.syntax.node_builders import assign, at, blocks_replaced, constant, load, negated


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the loops of every function."""
    def block(body: list[Any]) -> list[Any]:
        return [s for statement in body for s in rewritten(statement)]

    def rewritten(statement: Any) -> list[Any]:
        blocks_replaced(statement, block)
        if not isinstance(statement, gast.While):
            return [statement]
        left = _left_at_once(statement, unit)
        if _binds(statement.test):
            return _test_inside(statement, unit.names.fresh("more"))
        return [statement, *left]

    for function in unit.functions:
        function.body = block(function.body)
    return tree


def _binds(test: Any) -> bool:
    return any(isinstance(node, gast.NamedExpr) for node in own_nodes(test))


def _left_at_once(loop: Any, unit: Unit) -> list[Any]:
    """Moves `if …: break` or `if …: return` from the beginning of a loop into its test.

    The result is the `return`, which then comes after the loop: it must be the only way there.
    """
    first = loop.body[0]
    if loop.orelse or len(loop.body) == 1 or not isinstance(first, gast.If) or first.orelse or (
            len(first.body) != 1 or not _only_asks(first.test, unit)):
        return []
    leave = first.body[0]
    is_return = isinstance(leave, gast.Return)
    if not is_return and not isinstance(leave, gast.Break):
        return []
    if is_return and not (endless(loop) and Jump.BREAK not in Completion().out_of(loop.body)):
        return []
    going = at(first.test, negated(first.test))
    loop.test = going if endless(loop) else at(loop.test, gast.BoolOp(
        gast.And(), [loop.test, going]))
    del loop.body[0]
    return [leave] if is_return else []


def _only_asks(test: Any, unit: Unit) -> bool:
    """Returns True if a test binds no name, and calls nothing that is the user's."""
    return not _binds(test) and not any(
        isinstance(node, gast.Call) and unit.context.resolve(
            node.func, frozenset()).action == "convert" for node in gast.walk(test))


def _test_inside(loop: Any, more: str) -> list[Any]:
    """Moves the test into the body.

    A `break` in the body still skips `else`; a test that fails still leads to it.
    """
    stop = at(loop, assign(more, constant(False)))
    loop.body = [at(loop, gast.If(loop.test, loop.body, [stop]))]
    start = at(loop, assign(more, constant(True)))
    loop.test = at(start, load(more))
    return [start, loop]
