"""Gives `super()` its arguments where it will move into a generated function.

>>> from autograph.passes.pipeline import show
>>> show("super_calls", '''
... def f(self, x):
...     if x:
...         super().f(x)
...     super().f(0)
... ''')
def f(self, x):
    if x:
        super(__class__, self).f(x)
    super().f(0)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.statements import DEFINITIONS
from autograph.syntax.node_builders import at, load
from autograph.syntax.node_inventory import children

MOVERS = (gast.If, gast.While, gast.For, gast.BoolOp, gast.IfExp, gast.Compare)


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the calls in every function that has a first parameter to give."""
    for function in unit.functions if "super" in unit.names else ():
        first = [*(function.args.posonlyargs or []), *function.args.args][:1]
        if first and "super" not in unit.scope(function).bits:
            for statement in function.body:
                _complete(statement, first[0].id, False)
    return tree


def _complete(node: Any, first: str, moves: bool) -> None:
    if isinstance(node, (*DEFINITIONS, gast.Lambda)):
        return
    if moves and _is_bare_super(node):
        node.args = [at(node, load("__class__")), at(node, load(first))]
    moves = moves or isinstance(node, MOVERS)
    for child in children(node):
        _complete(child, first, moves)


def _is_bare_super(node: Any) -> bool:
    return (isinstance(node, gast.Call) and not node.args and not node.keywords
            and isinstance(node.func, gast.Name) and node.func.id == "super")
