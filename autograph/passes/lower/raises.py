"""Turns `raise` of a value that a branch may have selected into an operator.

>>> from autograph.passes.pipeline import show
>>> show("raises", '''
... def f(x, kind, cause):
...     raise kind(x) from cause
... ''')
def f(x, kind, cause):
    ag.raise_(kind(x), cause)

A `raise` of what is certainly an exception stays a statement:

>>> from autograph.conversion.convert import to_code
>>> def f(x):
...     raise ValueError(x)
>>> print(to_code(f), end="")
def f(x):
    raise ValueError(x)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import ScopedRewriter, needs_frame
from autograph.syntax.node_builders import at, call, operator
from autograph.syntax.node_inventory import below


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites every `raise` of a value that need not be an exception of Python's."""
    caught = frozenset(node.name.id for node in below(tree)
                       if isinstance(node, gast.ExceptHandler) and node.name is not None)
    return _Raises(unit, caught).top(tree)


class _Raises(ScopedRewriter):
    def __init__(self, unit: Unit, caught: frozenset[str]) -> None:
        super().__init__(unit)
        self.caught = caught

    def Raise(self, node: Any) -> Any:
        parts = [part for part in (node.exc, node.cause) if part is not None]
        if all(map(self.is_exception, parts)) or needs_frame(node, self.unit.names):
            return node
        return at(node, gast.Expr(call(operator(self.unit.context.ag, "raise_"), *parts)))

    def is_exception(self, node: Any) -> bool:
        """Returns True for an exception, or a class of exceptions, whatever branches were taken."""
        if isinstance(node, gast.Constant) or (
                isinstance(node, gast.Name) and node.id in self.caught):
            return True
        named = node.func if isinstance(node, gast.Call) else node
        return self.unit.context.resolve(named, self.local).exception
