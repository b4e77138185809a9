"""Turns `and`, `or` and `not` into operators; operands that may be skipped become lambdas.

>>> from autograph.passes.pipeline import show
>>> show("logical", "def f(a, b, c): return a and not b or c")
def f(a, b, c):
    return ag.or_(ag.and_(ag.truth(a), lambda: ag.not_(b)), lambda: c)

Python asks each operand for its truth once, also where the answer is all that matters. There an
operand that may be an object with a `__bool__` of its own is replaced by its truth, as what decides
is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter, needs_frame
from autograph.syntax.node_builders import at, thunk


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites all boolean expressions but those whose operands need the frame."""
    return _Logical(unit).top(tree)


ASKED = (gast.Name, gast.Attribute, gast.Subscript, gast.Call, gast.BinOp, gast.IfExp,
         gast.NamedExpr, gast.UnaryOp)
"""Kinds of expressions that may give an object with a `__bool__` of its own."""


TESTED = "cond|while_loop|assert_"
"""The operators whose first argument is a test, or a function that gives one."""


class _Logical(Rewriter):
    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self.tests: set[int] = set()

    def BoolOp(self, node: Any) -> Any:
        pinned = any(needs_frame(value, self.unit.names) for value in node.values[1:])
        truths = [] if pinned else self._truths(node)
        self.inside(node)
        for i in truths:
            node.values[i] = self.ag(node.values[i], "truth", node.values[i])
        if pinned:
            return node
        name = "and_" if isinstance(node.op, gast.And) else "or_"
        first, *others = node.values
        lazy = [at(first, thunk(value)) for value in others]
        return self.ag(node, name, first, *lazy)

    def _truths(self, node: Any) -> list[int]:
        """Returns the operands of which only the truth matters, by number."""
        *others, last = node.values
        for value in others:
            if isinstance(value, gast.BoolOp) and type(value.op) is not type(node.op):
                self.tests.add(id(value))
        if id(node) not in self.tests:
            return []
        self._test(last)
        return [i for i, value in enumerate(others) if isinstance(value, ASKED) and not (
            isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.Not))]

    def _test(self, node: Any) -> None:
        """Notes an expression of which only the truth matters."""
        if isinstance(node, gast.Lambda):
            self._test(node.body)
        elif isinstance(node, gast.BoolOp):
            self.tests.add(id(node))

    def FunctionDef(self, node: Any) -> Any:
        last = node.body[-1]
        if node.name in self.unit.names.invented and node.name.startswith("loop_test"):
            self._test(last.value)
        return super().FunctionDef(node)

    def If(self, node: Any) -> Any:
        self._test(node.test)
        return self.inside(node)

    IfExp = While = Assert = If

    def Call(self, node: Any) -> Any:
        for test in _tests(node):
            self._test(test)
        return self.inside(node)

    def UnaryOp(self, node: Any) -> Any:
        if isinstance(node.op, gast.Not):
            self._test(node.operand)
        self.inside(node)
        if not isinstance(node.op, gast.Not):
            return node
        return self.ag(node, "not_", node.operand)


def _tests(node: Any) -> Iterator[Any]:
    """Yields the tests among the arguments of an operator."""
    if isinstance(node.func, gast.Attribute) and node.args and re.fullmatch(TESTED, node.func.attr):
        yield node.args[0]
    yield from (k.value for k in node.keywords if k.arg in ("test", "where"))
