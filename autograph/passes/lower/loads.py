"""Reads attributes where nothing else does: a trace may hold one that its object lacks.

An operation reads its operands. A value that is only handed on, kept or thrown away is read here,
so that Python's error is raised where Python raises it. Only for code that is compiled; `to_code`
prints the loads as they were written.

>>> import gast
>>> from autograph.analysis.analyses import Unit
>>> from autograph.syntax.context import Context
>>> from autograph.printer.statements import to_text
>>> source = "def f(o, g): o.fees; y = o.n, o.p.n + 1; o.n = g(o.m)[o.k]; return -o.n"
>>> tree = gast.parse(source).body[0]
>>> print(to_text(run(tree, Unit(tree, Context(names_stores=True)))), end="")
def f(o, g):
    ag.bound(o.fees)
    y = ag.bound(o.n), o.p.n + 1
    o.n = g(ag.bound(o.m))[o.k]
    return -o.n
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites loads of attributes that are no operands."""
    return _Loads(unit).top(tree) if unit.context.names_stores else tree


LEAVES = (gast.Name, gast.Constant)


class _Loads(Rewriter):
    def Attribute(self, node: Any) -> Any:
        base = node.value
        if base.__class__ is not gast.Name:
            self.operands(node, "value")
        elif base.id == self.unit.context.ag:
            return node  # one of our operators
        return self.ag(node, "bound", node) if isinstance(node.ctx, gast.Load) else node

    def operands(self, node: Any, *fields: str) -> Any:
        """Rewrites what is inside the operands of a node, which reads them."""
        for field in fields:
            value = getattr(node, field)
            if value.__class__ in LEAVES:
                continue
            if value.__class__ is not gast.Attribute:
                setattr(node, field, self.rewrite(value))
            elif value.value.__class__ is not gast.Name:
                self.operands(value, "value")
        return node

    def BinOp(self, node: Any) -> Any:
        return self.operands(node, "left", "right")

    def UnaryOp(self, node: Any) -> Any:
        return self.operands(node, "operand")

    def Subscript(self, node: Any) -> Any:
        return self.operands(node, "value", "slice")

    def FormattedValue(self, node: Any) -> Any:
        return self.operands(node, "value")

    def AugAssign(self, node: Any) -> Any:
        node.target = self.rewrite(node.target)
        return self.operands(node, "value")

    def Call(self, node: Any) -> Any:
        args = node.args
        for k, x in enumerate(args):
            if x.__class__ not in LEAVES:
                args[k] = self.rewrite(x)
        for keyword in node.keywords:
            self.inside(keyword)
        return self.operands(node, "func")
