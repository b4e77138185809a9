"""Turns `and`, `or` and `not` into operators; operands that may be skipped become lambdas.

>>> from autograph.passes.pipeline import show
>>> show("logical", "def f(a, b, c): return a and not b or c")
def f(a, b, c):
    return ag.or_(ag.and_(a, lambda: ag.not_(b)), lambda: c)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter, needs_frame
from autograph.syntax.node_builders import at, thunk


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites all boolean expressions but those whose operands need the frame."""
    return _Logical(unit).top(tree)


class _Logical(Rewriter):
    def BoolOp(self, node: Any) -> Any:
        pinned = any(needs_frame(value, self.unit.names) for value in node.values[1:])
        self.inside(node)
        if pinned:
            return node
        name = "and_" if isinstance(node.op, gast.And) else "or_"
        first, *others = node.values
        lazy = [at(first, thunk(value)) for value in others]
        return self.ag(node, name, first, *lazy)

    def UnaryOp(self, node: Any) -> Any:
        self.inside(node)
        if not isinstance(node.op, gast.Not):
            return node
        return self.ag(node, "not_", node.operand)
