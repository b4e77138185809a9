"""Splits chains of comparisons, and turns `in` and `is` into operators.

>>> from autograph.passes.pipeline import show
>>> show("comparisons", '''
... def f(a, b, c):
...     return a < b < c, a < b() < c, a in b, a is not None
... ''')
def f(a, b, c):
    return a < b and b < c, a < (tmp := b()) and tmp < c, ag.in_(a, b), ag.is_not_none(a)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter
from autograph.syntax.gast_conversion import copied
from autograph.syntax.node_builders import at, call, load, operator, store

OPERATORS = {gast.In: "in_", gast.NotIn: "not_in", gast.Is: "is_", gast.IsNot: "is_not"}
WITH_NONE = {gast.Is: "is_none", gast.IsNot: "is_not_none"}


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites all comparisons."""
    return _Comparisons(unit).top(tree)


class _Comparisons(Rewriter):
    # True where a name may be bound: by Python's rule, not in the iterable of a comprehension.
    may_bind = True

    def comprehension(self, node: Any) -> Any:
        outside, self.may_bind = self.may_bind, False
        node.iter = self.rewrite(node.iter)
        self.may_bind = outside
        node.ifs = [self.rewrite(test) for test in node.ifs]
        return node

    def Compare(self, node: Any) -> Any:
        self.inside(node)
        if len(node.ops) == 1:
            return self.single(node)
        middles = node.comparators[:-1]
        if not (self.may_bind or all(map(_is_simple, middles))):
            return node
        left, tests = node.left, []
        for middle, op in zip(middles, node.ops, strict=False):
            first, again = self.twice(middle)
            tests.append(self.single(at(middle, gast.Compare(left, [op], [first]))))
            left = again
        last = at(node, gast.Compare(left, node.ops[-1:], node.comparators[-1:]))
        return _all_of(node, [*tests, self.single(last)], all(map(_is_simple, middles[1:])))

    def twice(self, middle: Any) -> tuple[Any, Any]:
        """Returns an operand for its left-hand comparison, and again for its right-hand one."""
        if _is_simple(middle):
            return middle, copied(middle)
        name = self.unit.names.fresh("tmp")
        return at(middle, gast.NamedExpr(store(name), middle)), at(middle, load(name))

    def single(self, node: Any) -> Any:
        left, op, right = node.left, node.ops[0], node.comparators[0]
        ag = self.unit.context.ag
        if isinstance(right, gast.Constant) and right.value is None:
            if name := WITH_NONE.get(op.__class__):
                return at(node, call(operator(ag, name), left))
        if name := OPERATORS.get(op.__class__):
            return at(node, call(operator(ag, name), left, right))
        return node


def _all_of(origin: Any, tests: list[Any], flat: bool) -> Any:
    """`a and b and c`; `a and (b and c)` where c uses a name that is bound in b.

    Each operand but the first is about to become a lambda of its own.
    """
    if flat or len(tests) == 2:
        return at(origin, gast.BoolOp(gast.And(), tests))
    rest = _all_of(origin, tests[1:], flat)
    return at(origin, gast.BoolOp(gast.And(), [tests[0], rest]))


def _is_simple(node: Any) -> bool:
    return isinstance(node, (gast.Name, gast.Constant))
