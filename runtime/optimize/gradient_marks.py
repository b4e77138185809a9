"""Gradient marks: ops that only say something to gradients go once those are made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

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
from autograph.runtime.ops.linalg import QR, SVD, TALL_QR, THIN_SVD
from autograph.runtime.optimize.uses import known_shape

FACTORS = (SVD, THIN_SVD, TALL_QR)
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
    """Returns True for a masked product with a number that is known: a factor that is finite, as no
    zero needs to be kept from it, or a cotangent that is not zero."""
    if len(e.args) != 2:
        return False
    g, x = e.args
    finite = type(x) in (int, float) and math.isfinite(x) and isinstance(g, Value)
    if not finite and not (isinstance(g, (float, np.floating)) and g != 0):
        return False
    found: object = MULTIPLY.infer(*(operand_type(atom_type(a)) if isinstance(a, Value) else a
                                     for a in e.args))
    return found == e.outputs[0].type


class _Marks(Rewriter):
    """`decomposed`: the matrices of which there are all singular vectors."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self.decomposed: set[Any] = set()

    def after(self, e: Equation) -> Sequence[Equation] | None:
        if e.op in FACTORS:
            return self.factors(e)
        if e.op is MASKED_PRODUCT and _is_product(e):
            return [Equation(MULTIPLY, e.args, {}, e.outputs, (), e.location, e.settings)]
        if e.op not in MARKS and not _fits_already(e):
            return None
        operands = e.args[1] if e.op is WITH_RULE else e.args[:1]
        self.record.renamed.update(zip(e.outputs, operands, strict=True))
        return []

    def factors(self, e: Equation) -> list[Equation] | None:
        """Returns the equation of NumPy's function that gives the factors of a rule; it may be the
        user's, too. A square matrix has no further singular vectors."""
        a = e.args[0]
        if e.op is SVD:
            if isinstance(a, Value) and len(e.args) == 1 and not e.kwargs:
                self.decomposed.add(a)
            return None
        function, kwargs = (QR, {}) if e.op is TALL_QR else (
            SVD, {"full_matrices": False})
        *_, m, n = known_shape(a) or (0, 0, 1)
        if m == n and a in self.decomposed:
            kwargs = {}
        return [Equation(function, e.args, kwargs, e.outputs, (), e.location, e.settings)]
