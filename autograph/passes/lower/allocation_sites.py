"""Instruments the allocation sites of containers, and the stores of their items.

Only for site-instrumented code, which `to_code` never prints: a function is compiled in this form,
and traced again, when a trace of it meets a container whose structure only the run knows.

>>> import gast
>>> from autograph.analysis.analyses import Unit
>>> from autograph.syntax.context import Context
>>> from autograph.printer.statements import to_text
>>> source = "def f(k, g): d = {k: g[0] * []}; d[k] = {k}; g.x[k] += d[1:k]"
>>> tree = gast.parse(source).body[0]
>>> print(to_text(run(tree, Unit(tree, Context(site_instrumented=True)))), end="")
def f(k, g):
    d = ag.new_dict([(k, ag.new_container(ag.new_array(g[0]) * ag.new_container([])))])
    d[ag.item_key(d, k)] = ag.new_set([k])
    (container := g.x)[ag.item_key(container, k)] += ag.new_container(ag.getitem(d, slice(1, k)))
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter, needs_frame
from autograph.syntax.node_builders import at, call, load, store, tuple_of

MAKING = frozenset({"list_comp", "set_comp", "dict_comp", "list", "dict", "set", "sorted"})
"""Operators of ours that make containers."""


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites displays, calls, operators that may make a container, and stores of items."""
    return _AllocationSites(unit).top(tree) if unit.context.site_instrumented else tree


class _AllocationSites(Rewriter):
    def made(self, node: Any) -> Any:
        self.inside(node)
        return node if needs_frame(node, self.unit.names) else self.ag(node, "new_container", node)

    BinOp = ListComp = SetComp = DictComp = made

    def Call(self, node: Any) -> Any:
        if self.is_ours(node.func):
            if node.func.attr == "new_list":  # a list display, which is marked already
                node.args = [self.inside(node.args[0])]
                return node
            if node.func.attr == "getitem":
                return self.ag(node, "new_array", self.inside(node))
            return self.made(node) if node.func.attr in MAKING else self.inside(node)
        return self.made(node)

    def is_ours(self, function: Any) -> bool:
        """Returns True for one of our operators."""
        return isinstance(function, gast.Attribute) and isinstance(function.value, gast.Name) and (
            function.value.id == self.unit.context.ag)

    def List(self, node: Any) -> Any:
        self.inside(node)
        return node if isinstance(node.ctx, gast.Store) else self.ag(node, "new_container", node)

    def Dict(self, node: Any) -> Any:
        self.inside(node)
        pairs = [gast.Starred(call(gast.Attribute(v, "items", gast.Load())), gast.Load())
                 if k is None else tuple_of([k, v])
                 for k, v in zip(node.keys, node.values, strict=True)]
        return self.ag(node, "new_dict", gast.List(pairs, gast.Load()))

    def Set(self, node: Any) -> Any:
        self.inside(node)
        return self.ag(node, "new_set", gast.List(node.elts, gast.Load()))

    def Subscript(self, node: Any) -> Any:
        self.inside(node)
        if isinstance(node.ctx, gast.Load):
            return self.sliced(node)
        container = node.value
        if not isinstance(container, gast.Name):
            name = self.unit.names.fresh("container")
            node.value = at(container, gast.NamedExpr(store(name), container))
            container = load(name)
        again = load(container.id)
        key = _slice_call(node.slice) if isinstance(node.slice, gast.Slice) else node.slice
        node.slice = self.ag(node.slice, "item_key", at(node.slice, again), key)
        return node

    def sliced(self, node: Any) -> Any:
        """Turns `x[a:b]` into an operator: Python's own containers take no symbolic bounds. Other
        items may be new arrays: `np.mgrid[0:3, 0:3]`."""
        if not isinstance(node.slice, gast.Slice):
            return self.ag(node, "new_array", node)
        if _is_constant_slice(node.slice):
            return self.ag(node, "new_container", node)
        found = self.ag(node, "getitem", node.value, _slice_call(node.slice))
        return self.ag(node, "new_container", found)


def _is_constant_slice(index: Any) -> bool:
    return isinstance(index, gast.Slice) and all(
        isinstance(e, (gast.Constant, type(None))) for e in (index.lower, index.upper, index.step))


def _slice_call(index: Any) -> Any:
    """`slice(a, b)` for `a:b`."""
    ends = [index.lower, index.upper, *([] if index.step is None else [index.step])]
    return call(load("slice"), *(gast.Constant(None, None) if e is None else e for e in ends))
