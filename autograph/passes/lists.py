"""Marks the lists that a function makes and changes, so that staged code may change their length.

>>> from autograph.pipeline import show
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

from autograph.analysis.unit import Unit
from autograph.nodes import below
from autograph.passes.rewriter import Rewriter
from autograph.templates import at, call, operator

CHANGING = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort"})


def run(tree: Any, unit: Unit) -> Any:
    """Wraps list displays that are bound to a name whose list is changed by name."""
    changed = {n.func.value.id for n in below(tree) if _changes(n)}
    return _Lists(unit, changed).top(tree) if changed else tree


def _changes(node: Any) -> bool:
    """Whether it is `name.append(…)` or the like."""
    return (isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)
            and node.func.attr in CHANGING and isinstance(node.func.value, gast.Name))


class _Lists(Rewriter):
    def __init__(self, unit: Unit, changed: set[str]) -> None:
        super().__init__(unit)
        self.changed = changed

    def Assign(self, node: Any) -> Any:
        self.inside(node)
        names = [t.id for t in node.targets if isinstance(t, gast.Name)]
        if isinstance(node.value, gast.List) and self.changed.intersection(names):
            node.value = at(node.value, call(
                operator(self.unit.context.ag, "new_list"), node.value))
        return node
