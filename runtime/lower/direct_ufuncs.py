"""Operators on arrays as calls of their ufuncs, with constants as arrays: NumPy is faster then."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

UFUNCS: dict[type[ast.operator], np.ufunc] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide, ast.Mod: np.remainder, ast.BitAnd: np.bitwise_and,
    ast.BitOr: np.bitwise_or, ast.BitXor: np.bitwise_xor,
}
"""Operators of arrays that do nothing but call the ufunc (`**` takes short cuts)."""

NUMBERS = (int, float)
KINDS = "iuf"

Dtype = np.dtype[Any]


class DirectUfuncs(ast.NodeTransformer):
    """Rewrites `x + 1` as `add(x, ONE)`, where x is certainly an array that is not 0-d.

    The results, their dtypes, warnings and errors are those of the operator: it is what the
    operator calls, with the constant as the array that NumPy makes of it on every call.

    Args:
      dtypes: the variables that hold arrays with at least one axis, and their dtypes.
      name: gives an object a name in the source, as an expression.
    """

    def __init__(self, dtypes: Mapping[str, Dtype], name: Callable[[Any], str]) -> None:
        self.dtypes = dict(dtypes)
        self.name = name
        self.known: dict[ast.expr, Dtype] = {}

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        for target in node.targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    self.dtypes.pop(part.id, None)
        (target, *more) = node.targets
        found = self.dtype(node.value)
        if found is not None and not more and isinstance(target, ast.Name):
            self.dtypes[target.id] = found
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        """A variable that is assigned in one branch only is not known afterwards."""
        node.test = self.visit(node.test)
        before = dict(self.dtypes)
        for part in (node.body, node.orelse):
            self.dtypes = dict(before)
            part[:] = [self.visit(statement) for statement in part]
        stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)
                  and isinstance(n.ctx, ast.Store)}
        self.dtypes = {k: v for k, v in before.items() if k not in stored}
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        ufunc = UFUNCS.get(type(node.op))
        sides = [node.left, node.right]
        dtypes = [self.dtype(side) for side in sides]
        known = [d for d in dtypes if d is not None]
        if ufunc is None or not known:
            return node
        if len(known) == 2:
            return self.call(ufunc, node, sides, _result(ufunc, *known))
        array = 1 if dtypes[0] is None else 0
        return self.with_number(ufunc, node, sides, array, known[0]) or self.call(
            ufunc, node, sides, None)

    def with_number(self, ufunc: np.ufunc, node: ast.BinOp, sides: list[ast.expr], array: int,
                    dtype: Any) -> ast.AST | None:
        """The call with one side a number, as an array of the dtype that it is taken as."""
        number = sides[1 - array]
        if not isinstance(number, ast.Constant) or type(number.value) not in NUMBERS:
            return None
        kinds: list[Any] = [type(number.value)] * 2
        kinds[array] = dtype
        try:
            found = ufunc.resolve_dtypes((*kinds, None))
            with np.errstate(all="ignore"):
                constant = np.array(number.value, found[1 - array])
            kinds[1 - array] = constant.dtype
            same = ufunc.resolve_dtypes((*kinds, None)) == found
        except (TypeError, OverflowError):
            return None
        if not same or constant.dtype.kind not in KINDS or not np.isfinite(constant):
            return None
        sides[1 - array] = self.constant(constant, number)
        return self.call(ufunc, node, sides, found[2])

    def call(self, ufunc: np.ufunc, node: ast.BinOp, sides: list[ast.expr], dtype: Dtype | None
             ) -> ast.expr:
        made = ast.Call(self.constant(ufunc, node), sides, [])
        if dtype is not None:
            self.known[made] = dtype
        return ast.copy_location(made, node)

    def constant(self, x: Any, node: ast.expr) -> ast.expr:
        made = ast.parse(self.name(x), mode="eval").body
        for part in ast.walk(made):
            ast.copy_location(part, node)
        return made

    def dtype(self, node: ast.expr) -> Dtype | None:
        """The dtype of what is certainly an array with at least one axis."""
        if isinstance(node, ast.Name):
            return self.dtypes.get(node.id)
        return self.known.get(node)


def _result(ufunc: np.ufunc, *dtypes: Any) -> Dtype | None:
    try:
        return ufunc.resolve_dtypes((*dtypes, None))[2]
    except TypeError:
        return None
