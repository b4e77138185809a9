"""Turns callees into their converted forms, as the rules of the context decide.

>>> from autograph.passes.pipeline import show
>>> show("calls", "def f(g, x): return g(x.h(1))")
def f(g, x):
    return ag.converted(g)(ag.converted(x.h)(1))

A NumPy function stays as written: it dispatches on its arguments, unless a list hides them.

>>> import numpy as np
>>> from autograph.conversion.convert import to_code
>>> print(to_code(lambda x, y: np.sum(x) + np.sum([x, y])), end="")
lambda x, y: np.sum(x) + ag.converted(np.sum)([x, y])

So does `out=...`, of which it tells nobody that dispatches.

Of a function that looks at its own frame the calls are all that changes.

>>> show("calls", "def f(g): return g(eval('1')) if g else 0", upto=True)
def f(g):
    return ag.converted(g)(ag.converted(eval)('1')) if g else 0

In site-instrumented code, every such call looks into its arguments.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.frame_views import NAMING
from autograph.analysis.statements import looks_at_frame
from autograph.passes.rewriter import ScopedRewriter
from autograph.syntax.context import CallRule
from autograph.syntax.node_builders import at, call, operator
from autograph.syntax.node_inventory import below

LISTS = {gast.List, gast.ListComp}
KEEP = CallRule("keep")


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the callee of every call that does not stay as written."""
    lists = {name.id for n in (below(tree) if unit.inventory.kinds & LISTS else ())
             if isinstance(n, gast.Assign) and n.value.__class__ in LISTS
             for name in n.targets if isinstance(name, gast.Name)}
    return _Calls(unit, lists).top(tree)


class _Calls(ScopedRewriter):
    def __init__(self, unit: Unit, lists: set[str]) -> None:
        super().__init__(unit)
        self.lists = lists
        self.owners |= unit.staying
        self.in_frame = False

    def body(self, node: Any) -> None:
        around, self.in_frame = self.in_frame, node in self.unit.staying
        super().body(node)
        self.in_frame = around

    def is_list(self, node: Any) -> bool:
        """Returns True for a list or tuple whose items may be symbolic, or a name for one."""
        if isinstance(node, gast.Name):
            return node.id in self.lists
        if isinstance(node, (gast.List, gast.Tuple)):
            return not all(isinstance(n, gast.Constant) for n in node.elts)
        return isinstance(node, (gast.ListComp, gast.GeneratorExp))

    def decorator(self, node: Any) -> Any:
        """Rewrites a decorator, which is a call of a function with a function, unless a library
        has it."""
        callee = node.func if isinstance(node, gast.Call) else node
        rule = self.unit.context.resolve(callee, self.local)
        if rule.action != "convert" or rule.decorates:
            return node
        return at(node, call(operator(self.unit.context.ag, "converted"), self.rewrite(node)))

    def Call(self, node: Any) -> Any:
        ag = self.unit.context.ag
        ours = isinstance(node.func, gast.Attribute) and _is_name(node.func.value, ag)
        rule = KEEP if ours else self.unit.context.resolve(node.func, self.local)
        if rule.operator == "type" and len(node.args) != 1:
            rule = KEEP  # it makes a class, in the module of its caller
        hidden = rule.dispatches if self.unit.context.site_instrumented else (
            rule.by_arguments and (any(map(self.is_list, node.args))
                                   or any(map(_asks_for_arrays, node.keywords))))
        names = self.in_frame and looks_at_frame(node) and node.func.id == NAMING
        self.inside(node)
        if rule.action == "operator":
            node.func = at(node.func, operator(ag, rule.operator))
        elif rule.action == "convert" or hidden:
            node.func = at(node.func, call(operator(ag, "converted"), node.func))
        return self.ag(node, "without_own_names", node, gast.Constant(ag, None)) if names else node


def _asks_for_arrays(keyword: gast.keyword) -> bool:
    """Returns True for `out=...`, and for what may be that."""
    return keyword.arg == "out" and any(
        isinstance(n, gast.Constant) and n.value is ... for n in below(keyword.value))


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name
