"""Gradient marks: ops that only say something to gradients go once those are made."""

from __future__ import annotations

from collections.abc import Sequence

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops.adjoints import DIFFERENTIABLE, STOP_GRADIENT, WITH_RULE

MARKS = (DIFFERENTIABLE, STOP_GRADIENT, WITH_RULE)


def remove_gradient_marks(graph: Graph, record: Record) -> None:
    """Replaces the result of every mark by its operand."""
    _Marks(record).visit(graph)


class _Marks(Rewriter):
    def after(self, e: Equation) -> Sequence[Equation] | None:
        if e.op not in MARKS:
            return None
        operands = e.args[1] if e.op is WITH_RULE else e.args[:1]
        self.record.renamed.update(zip(e.outputs, operands, strict=True))
        return []
