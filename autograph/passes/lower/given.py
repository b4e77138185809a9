"""Marks reads of what the system gives a process: each run of the graph has to ask for it.

>>> from autograph.passes.pipeline import show
>>> show("given", '''
... def f(x):
...     sys.argv = x
...     return os.environ["HOME"], sys.argv
... ''')
def f(x):
    sys.argv = x
    return ag.given(os.environ)["HOME"], ag.given(sys.argv)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.operators.given import GIVEN
from autograph.passes.rewriter import ScopedRewriter

NAMES = frozenset(name for _, name in GIVEN)


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites reads of attributes with such a name, and of global variables that hold it."""
    if unit.inventory.others.isdisjoint(NAMES) and not unit.context.given:
        return tree
    return _Given(unit).top(tree)


class _Given(ScopedRewriter):
    def Attribute(self, node: Any) -> Any:
        self.inside(node)
        return self.marked(node) if node.attr in NAMES else node

    def Name(self, node: Any) -> Any:
        found = node.id in self.unit.context.given and node.id not in self.local
        return self.marked(node) if found else node

    def marked(self, node: Any) -> Any:
        """Returns a call of the operator in place of a node that is read."""
        return self.ag(node, "given", node) if isinstance(node.ctx, gast.Load) else node
