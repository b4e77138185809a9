"""Turns conditional expressions into `ag.cond` of two lambdas.

>>> from autograph.passes.pipeline import show
>>> show("conditional_expressions", "def f(a, b, c): return a if c else b")
def f(a, b, c):
    return ag.cond(c, lambda: a, lambda: b)
"""

from __future__ import annotations

from typing import Any

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter, needs_frame
from autograph.syntax.node_builders import at, call, operator, thunk


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites all conditional expressions but those whose branches need the frame."""
    return _Conditional(unit).top(tree)


class _Conditional(Rewriter):
    def IfExp(self, node: Any) -> Any:
        pinned = any(needs_frame(part, self.unit.names) for part in (node.body, node.orelse))
        self.inside(node)
        if pinned:
            return node
        # All at the test: a coverage tool must not report the line of the branch that did not run.
        return at(node.test, call(operator(self.unit.context.ag, "cond"), node.test,
                                  thunk(node.body), thunk(node.orelse)))
