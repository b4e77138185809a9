"""Names the targets of stores, so that a trace sees a store that changes nothing.

Only for code that is compiled; `to_code` prints the stores as they were written.

>>> import gast
>>> from autograph.analysis.analyses import Unit
>>> from autograph.syntax.context import Context
>>> from autograph.printer.statements import to_text
>>> source = ("def f(d, k): global n; n = d[k] = d.items[k + 1] = 0; d.size += 1; d[1:] = []; "
...           "d |= k; d[0] |= k; del d.size; del n")
>>> tree = gast.parse(source).body[0]
>>> print(to_text(run(tree, Unit(tree, Context(names_stores=True)))), end="")
def f(d, k):
    global n
    n = ag.stored(d, k)[k] = ag.stored(d.items, (key := k + 1))[key] = ag.rebound(0, 'n')
    ag.stored(d, 'size').size += 1
    ag.stored(d)[1:] = []
    d |= ag.updating(d, k)
    (owner := ag.stored(d, 0))[0] |= ag.updating(owner, k, 0)
    del ag.deleted(d, 'size').size
    if (ag.bound(n, outer=True),):
        del n
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.statements import statements
from autograph.passes.rewriter import Rewriter
from autograph.syntax.node_builders import at, call, load, operator, store
from autograph.syntax.node_inventory import below

SIMPLE = (gast.Constant, gast.Name)
"""Kinds of keys that may be evaluated twice."""

OF_CONTAINERS = (gast.BitOr, gast.BitAnd, gast.BitXor, gast.Sub)
"""The operators that sets and dicts do themselves, whatever the operand is: those of sequences ask
the operand first."""


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the targets of assignments that are items or attributes, and the values of those
    that bind a variable from outside the function."""
    return _Stores(unit).top(tree) if unit.context.names_stores else tree


class _Stores(Rewriter):
    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self.outer = {*unit.context.free_names, *unit.global_names()}
        self.declared: dict[str, bool] = dict.fromkeys(self.outer, True)
        """The names from outside the function, or from the one around a function of the pass."""

    def Assign(self, node: Any) -> Any:
        self.inside(node)
        node.value = self.rebound(node, node.value, node.targets)
        return node

    def AugAssign(self, node: Any) -> Any:
        self.inside(node)
        if isinstance(node.op, OF_CONTAINERS):
            node.value = self.updating(node.target, node.value)
        node.value = self.rebound(node, node.value, [node.target])
        return node

    def updating(self, target: Any, value: Any) -> Any:
        """Returns the operand of an operator that a set or dict does itself, after a look at it."""
        if isinstance(target, gast.Name):
            return self.ag(value, "updating", load(target.id), value)
        key = target.slice if isinstance(target, gast.Subscript) else gast.Constant(
            target.attr, None)
        if not isinstance(key, SIMPLE):
            return value
        name = self.unit.names.fresh("owner")
        target.value = at(target.value, gast.NamedExpr(store(name), target.value))
        key = load(key.id) if isinstance(key, gast.Name) else gast.Constant(key.value, None)
        return self.ag(value, "updating", load(name), value, key)

    def rebound(self, node: Any, value: Any, targets: list[Any]) -> Any:
        """Returns the value, with the names from outside that the targets bind."""
        if not self.outer:
            return value
        names = [n.id for target in targets for n in below(target)
                 if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)]
        outer = [gast.Constant(n, None) for n in dict.fromkeys(names) if n in self.outer]
        return self.ag(value, "rebound", value, *outer) if outer else value

    def body(self, node: Any) -> None:
        around = self.declared
        self.declared = around | {name: node.name not in self.unit.names.invented
                                  for s in statements(node.body) if isinstance(s, gast.Nonlocal)
                                  for name in s.names}
        super().body(node)
        self.declared = around

    def Delete(self, node: Any) -> Any:
        """A variable from outside is read before it is deleted: only the run may know if it is
        bound."""
        self.inside(node)
        for target in reversed(node.targets):
            if not isinstance(target, gast.Name) or target.id not in self.declared:
                continue
            outer = self.declared[target.id]
            check = call(operator(self.unit.context.ag, "bound"), load(target.id))
            check.keywords = [gast.keyword("outer", gast.Constant(True, None))] if outer else []
            node = at(target, gast.If(gast.Tuple([check], gast.Load()), [node], []))
        return node

    def Attribute(self, node: Any) -> Any:
        self.inside(node)
        if not isinstance(node.ctx, gast.Load):
            what = "stored" if isinstance(node.ctx, gast.Store) else "deleted"
            node.value = self.ag(node.value, what, node.value, gast.Constant(node.attr, None))
        return node

    def Subscript(self, node: Any) -> Any:
        self.inside(node)
        if not isinstance(node.ctx, gast.Store):
            return node
        key = node.slice
        if any(isinstance(n, (gast.Slice, gast.Starred)) for n in below(key)):
            node.value = self.ag(node.value, "stored", node.value)
            return node
        if not isinstance(key, SIMPLE):
            name = self.unit.names.fresh("key")
            node.slice = at(key, load(name))
            key = at(key, gast.NamedExpr(store(name), key))
        else:
            key = at(key, gast.Constant(key.value, None) if isinstance(key, gast.Constant)
                     else load(key.id))
        node.value = self.ag(node.value, "stored", node.value, key)
        return node
