"""Moves the test of a `while` that binds a name into the body: a test only answers.

>>> from autograph.pipeline import show
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
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.blocks import own_nodes
from autograph.analysis.unit import Unit
from autograph.templates import assign, at, blocks_replaced, constant, load


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the loops of every function."""
    def block(body: list[Any]) -> list[Any]:
        return [s for statement in body for s in rewritten(statement)]

    def rewritten(statement: Any) -> list[Any]:
        blocks_replaced(statement, block)
        if isinstance(statement, gast.While) and _binds(statement.test):
            return _test_inside(statement, unit.names.fresh("more"))
        return [statement]

    for function in unit.functions:
        function.body = block(function.body)
    return tree


def _binds(test: Any) -> bool:
    return any(isinstance(node, gast.NamedExpr) for node in own_nodes(test))


def _test_inside(loop: Any, more: str) -> list[Any]:
    """A `break` in the body still skips `else`; a test that fails still leads to it."""
    stop = at(loop, assign(more, constant(False)))
    loop.body = [at(loop, gast.If(loop.test, loop.body, [stop]))]
    start = at(loop, assign(more, constant(True)))
    loop.test = at(start, load(more))
    return [start, loop]
