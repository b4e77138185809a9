"""Marks the lists that a function makes and changes, so that staged code may change their length.

>>> from autograph.passes.pipeline import show
>>> show("lists", '''
... def f(xs):
...     out = []
...     pair = [1, 2]
...     for x in xs:
...         out.append(x)
...     return out, pair
... ''')
def f(xs):
    out = ag.new_list([])
    pair = [1, 2]
    for x in xs:
        out.append(x)
    return out, pair
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter
from autograph.syntax.node_builders import at, call, operator
from autograph.syntax.node_inventory import below

CHANGING = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort"})


def run(tree: Any, unit: Unit) -> Any:
    """Wraps list displays that are bound to a name whose list is changed by name."""
    changed = {_changed(n) for n in below(tree)} - {None}
    return _Lists(unit, changed).top(tree) if changed else tree


def _changed(node: Any) -> Any:
    """Returns the name in `name.append(…)` and the like, and in `name += …`; else None."""
    if isinstance(node, gast.AugAssign):
        return node.target.id if isinstance(node.target, gast.Name) else None
    changes = (isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)
               and node.func.attr in CHANGING and isinstance(node.func.value, gast.Name))
    return node.func.value.id if changes else None


class _Lists(Rewriter):
    def __init__(self, unit: Unit, changed: set[str]) -> None:
        super().__init__(unit)
        self.changed = changed

    def Assign(self, node: Any) -> Any:
        self.inside(node)
        for target in node.targets:
            node.value = self.marked(target, node.value)
        return node

    def AnnAssign(self, node: Any) -> Any:
        self.inside(node)
        node.value = self.marked(node.target, node.value)
        return node

    def marked(self, target: Any, value: Any) -> Any:
        """Returns the value, its lists marked where the target is a name whose list is changed."""
        if isinstance(target, gast.Name) and isinstance(value, gast.List) and (
                target.id in self.changed):
            return at(value, call(operator(self.unit.context.ag, "new_list"), value))
        if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) and (
                len(target.elts) == len(value.elts)) and not _spreads(target, value):
            value.elts = list(map(self.marked, target.elts, value.elts))
        return value


def _spreads(*nodes: Any) -> bool:
    return any(isinstance(x, gast.Starred) for node in nodes for x in node.elts)
