"""Turns look-ups by a computed index into an operator, since a list cannot take a symbolic one.

>>> from autograph.passes.pipeline import show
>>> show("subscripts", '''
... def f(x, i, j):
...     x[i] = x[0] + x[1:i]
...     return x[i] + x[i, j] + x[i, :]
... ''')
def f(x, i, j):
    x[i] = x[0] + x[1:i]
    return ag.getitem(x, i) + ag.getitem(x, (i, j)) + x[i, :]
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter, needs_frame
from autograph.syntax.node_builders import at, call, operator


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites reads; slices only go to arrays, which take symbolic bounds as they are."""
    return _Subscripts(unit).top(tree)


class _Subscripts(Rewriter):
    def Subscript(self, node: Any) -> Any:
        self.inside(node)
        if not isinstance(node.ctx, gast.Load):
            return node
        if not _is_computed(node.slice) and not _makes_array(node.value):
            return node
        if needs_frame(node, self.unit.names):
            return node
        return at(node, call(operator(self.unit.context.ag, "getitem"), node.value,
                             _as_value(node.slice)))


def _makes_array(value: Any) -> bool:
    """Returns True for what looks like `np.r_`, which makes an array of the index."""
    return isinstance(value, gast.Attribute) and value.attr in ("r_", "c_", "mgrid", "ogrid")


def _as_value(index: Any) -> Any:
    """Returns an index as an expression: `a:b` written as `slice(a, b)`."""
    if isinstance(index, gast.Tuple):
        index.elts = [_as_value(n) for n in index.elts]
    if not isinstance(index, gast.Slice):
        return index
    ends = [index.lower or gast.Constant(None, None), index.upper or gast.Constant(None, None)]
    ends += [index.step] if index.step is not None else []
    return at(index, call(gast.Name("slice", gast.Load(), None, None), *ends))


def _is_computed(index: Any) -> bool:
    if isinstance(index, gast.Tuple):
        return not any(isinstance(n, (gast.Slice, gast.Starred)) for n in index.elts) and any(
            map(_is_computed, index.elts))
    if isinstance(index, gast.UnaryOp):
        return _is_computed(index.operand)
    return not isinstance(index, (gast.Constant, gast.Slice, gast.Starred))
