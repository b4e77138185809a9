"""Renames the variables of comprehensions that have the name of a variable around them.

Where a comprehension runs in the frame of its function (from Python 3.12 on), the interpreter
mixes the two up if the outer one belongs to an enclosing function; and a branch or a loop body
is about to become an inner function.

>>> from autograph.passes.pipeline import show
>>> show("comprehension_variables", '''
... def f(b, c):
...     if c:
...         c = [b for b in range(b)]
...     return b, c, [c for c in b]
... ''')
def f(b, c):
    if c:
        c = [b_1 for b_1 in range(b)]
    return b, c, [c for c in b]
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.scopes import Collector, Scope
from autograph.analysis.statements import own_nodes

INLINED = (gast.ListComp, gast.SetComp, gast.DictComp)


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the comprehensions of every function."""
    for function in unit.functions:
        found = [node for statement in function.body for node in own_nodes(statement)
                 if isinstance(node, INLINED)]
        if found:
            _rename_all(function, found, unit)
    return tree


def _rename_all(function: Any, found: list[Any], unit: Unit) -> None:
    state = unit.state(function)
    moved = {node for statement in state.live_names for node in own_nodes(statement)
             if isinstance(node, INLINED)}
    around = Collector()
    around.visit_all(function.body)
    for node in found:
        for name in _targets(node):
            if _clashes(name, node in moved, state.scope, around):
                rename(node, name, unit.names.fresh(name))


def _clashes(name: str, moved: bool, scope: Scope, around: Collector) -> bool:
    """Returns True if an enclosing function has, or will have, a variable of this name."""
    if name in scope.bits:
        return moved
    return name in around.reads or name in around.captured


def _targets(node: Any) -> list[str]:
    targets = Collector()
    targets.visit_all([generator.target for generator in node.generators])
    return list(targets.bound)


def rename(comprehension: Any, old: str, new: str) -> None:
    """Renames everything below but the first iterable, which is evaluated outside."""
    first = comprehension.generators[0]
    parts = [part for part in gast.iter_child_nodes(comprehension) if part is not first]
    for part in (*parts, first.target, *first.ifs):
        for node in gast.walk(part):
            if isinstance(node, gast.Name) and node.id == old:
                node.id = new
