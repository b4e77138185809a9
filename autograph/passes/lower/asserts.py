"""Turns `assert` into an operator, so that it may hold when a graph runs.

>>> from autograph.passes.pipeline import show
>>> show("asserts", '''
... def f(x):
...     assert x > 0, "must be positive"
...     assert x
... ''')
def f(x):
    ag.assert_(x > 0, lambda: "must be positive")
    ag.assert_(x)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter, needs_frame
from autograph.syntax.node_builders import at, call, operator, thunk


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites all asserts but those whose message needs the frame; none under `python -O`."""
    return _Asserts(unit).top(tree) if __debug__ else tree


class _Asserts(Rewriter):
    def Assert(self, node: Any) -> Any:
        if node.msg is not None and needs_frame(node.msg, self.unit.names):
            return node
        message = [] if node.msg is None else [at(node.test, thunk(node.msg))]
        check = call(operator(self.unit.context.ag, "assert_"), node.test, *message)
        return at(node, gast.Expr(check))
