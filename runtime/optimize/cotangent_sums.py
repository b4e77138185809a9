"""Sums of cotangents over the axes along which an operand was broadcast are products with ones."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops.adjoints import SUM_TO_TYPE
from autograph.runtime.ops.products import MATMUL
from autograph.runtime.ops.reduction import SUM
from autograph.runtime.ops.sums_by_products import factors
from autograph.runtime.optimize.uses import dtype_of, known_shape


def sum_by_products(graph: Graph, record: Record) -> None:
    """`sum_to_type(g, (3,), …)` of a matrix g becomes `np.ones(n) @ g`.

    Rows that are too few or too many are summed by NumPy: `runtime/ops/sums_by_products.py` says
    which. The reference interpreter sums in the same way.
    """
    _Summer(record).visit(graph)


class _Summer(Rewriter):
    def after(self, e: Equation) -> list[Equation] | None:
        if e.op is not SUM_TO_TYPE:
            return None
        g, t = e.args[0], e.outputs[0].type
        shape, dtype, to = known_shape(g), dtype_of(g), known_shape(e.outputs[0])
        if not isinstance(t, ArrayType) or shape is None or dtype is None or to is None or (
                t.dtype != dtype):
            return None
        found = factors(g, shape, to, dtype)
        if found is not None:
            made = [Equation(MATMUL, found, {}, e.outputs, (), e.location, e.settings)]
        elif shape[1:] == to:
            made = [Equation(SUM, (g,), {"axis": 0}, e.outputs, (), e.location, e.settings)]
        else:
            return None
        self.record.note(sum_by_products, e, made)
        return made
