"""Turns stars and comparisons into operators in site-instrumented code (see `allocation_sites`).

The structure of the containers that they look into may be known only when the graph runs.

>>> import gast
>>> from autograph.analysis.analyses import Unit
>>> from autograph.syntax.context import Context
>>> from autograph.printer.statements import to_text
>>> source = "def f(g, x): a, *b = x; return [a, *x], g(a, *x, k=1), (a, b) < x"
>>> tree = gast.parse(source).body[0]
>>> print(to_text(run(tree, Unit(tree, Context(site_instrumented=True)))), end="")
def f(g, x):
    a, b = ag.unpack_rest(x, 1, 0)
    return (ag.spread('list', (False, a), (True, x)),
            ag.call_spread(g, ((False, a), (True, x)), k=1), ag.compare('<', (a, b), x))

What has a star is read where it stands: before the operands after it, which may change it.

>>> source = "def f(g, x): return [*x, g(x)]"
>>> tree = gast.parse(source).body[0]
>>> print(to_text(run(tree, Unit(tree, Context(site_instrumented=True)))), end="")
def f(g, x):
    return ag.spread('list', (True, ag.spread('list', (True, x))), (False, g(x)))
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter
from autograph.syntax.node_builders import at, constant, tuple_of

SIGNS = {gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=", gast.Eq: "==",
         gast.NotEq: "!="}


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites displays, calls and assignments with a star, and comparisons of two values."""
    return _Unpacking(unit).top(tree) if unit.context.site_instrumented else tree


class _Unpacking(Rewriter):
    def Call(self, node: Any) -> Any:
        self.inside(node)
        mapped = any(k.arg is None for k in node.keywords)
        if not (_has_star(node.args) or mapped):
            return node
        # Python reads a star that stands alone when it calls, after the keywords
        parts = self.parts(node.args, [k.value for k in node.keywords] if node.args[1:] else [])
        made = self.ag(node, "call_spread", node.func, tuple_of(parts))
        if mapped:
            made.args.append(at(node, tuple_of([
                tuple_of([constant(k.arg), k.value]) for k in node.keywords])))
        else:
            made.keywords = node.keywords
        return made

    def display(self, node: Any) -> Any:
        """A display of a list, tuple or set."""
        self.inside(node)
        if not _has_star(node.elts) or isinstance(getattr(node, "ctx", None), gast.Store):
            return node
        return self.ag(node, "spread", constant(type(node).__name__.lower()),
                       *self.parts(node.elts))

    List = Tuple = Set = display

    def parts(self, nodes: list[Any], after: list[Any] | None = None) -> list[Any]:
        """Returns pairs: True if an operand has a star, and its value. What has a star is read at
        once, if something after it may change it."""
        following = [*nodes, *(after or [])]
        return [self.starred(x.value, following[k:]) if isinstance(x, gast.Starred)
                else tuple_of([constant(False), x]) for k, x in enumerate(nodes, 1)]

    def starred(self, value: Any, following: list[Any]) -> Any:
        pair = tuple_of([constant(True), value])
        if all(isinstance(n, (gast.Name, gast.Constant)) for n in following):
            return pair
        return tuple_of([constant(True), self.ag(value, "spread", constant("list"), pair)])

    def Assign(self, node: Any) -> Any:
        self.inside(node)
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, (gast.Tuple, gast.List)) and _has_star(
                target.elts):
            before = [isinstance(x, gast.Starred) for x in target.elts].index(True)
            node.value = self.ag(node.value, "unpack_rest", node.value, constant(before),
                                 constant(len(target.elts) - before - 1))
            target.elts[before] = target.elts[before].value
        return node

    def Compare(self, node: Any) -> Any:
        self.inside(node)
        sign = SIGNS.get(type(node.ops[0])) if len(node.ops) == 1 else None
        return node if sign is None else self.ag(
            node, "compare", constant(sign), node.left, node.comparators[0])


def _has_star(nodes: list[Any]) -> bool:
    return any(isinstance(x, gast.Starred) for x in nodes)

