"""Gradient marks: ops that only say something to gradients go once those are made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, atom_type
from autograph.runtime.ir.types import ArrayType, operand_type
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops.adjoints import (
    DIFFERENTIABLE,
    MASKED_PRODUCT,
    STOP_GRADIENT,
    SUM_TO,
    SUM_TO_TYPE,
    WITH_RULE,
)
from autograph.runtime.ops.elementwise import MULTIPLY
from autograph.runtime.ops.kept_values import REAL_NUMBER

MARKS = (DIFFERENTIABLE, STOP_GRADIENT, WITH_RULE)
FITTING = (SUM_TO, SUM_TO_TYPE, REAL_NUMBER)


def remove_gradient_marks(graph: Graph, record: Record) -> None:
    """Replaces the result of every mark by its operand."""
    _Marks(record).visit(graph)


def _fits_already(e: Equation) -> bool:
    """Returns True for an equation that brings its operand to the type that it certainly has."""
    if e.op not in FITTING or not isinstance(e.args[0], Value):
        return False
    t, wanted = e.args[0].type, e.outputs[0].type
    if e.op is REAL_NUMBER:
        return isinstance(t, ArrayType) and t.scalar and t.dtype is not None and t.dtype.kind == "f"
    return t == wanted and isinstance(t, ArrayType) and t.is_static and t.dtype is not None and (
        e.op is SUM_TO_TYPE or atom_type(e.args[1]) == t)


def _is_product(e: Equation) -> bool:
    """Returns True for a masked product of an array with a number that is known, and finite: no
    zero needs to be kept from it."""
    x: Any = e.args[1] if len(e.args) == 2 else None
    if type(x) not in (int, float) or not math.isfinite(x) or not isinstance(e.args[0], Value):
        return False
    found: object = MULTIPLY.infer(operand_type(e.args[0].type), x)
    return found == e.outputs[0].type


class _Marks(Rewriter):
    def after(self, e: Equation) -> Sequence[Equation] | None:
        if e.op is MASKED_PRODUCT and _is_product(e):
            return [Equation(MULTIPLY, e.args, {}, e.outputs, (), e.location, e.settings)]
        if e.op not in MARKS and not _fits_already(e):
            return None
        operands = e.args[1] if e.op is WITH_RULE else e.args[:1]
        self.record.renamed.update(zip(e.outputs, operands, strict=True))
        return []
