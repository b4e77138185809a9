"""Gradient marks: ops that only say something to gradients go once those are made."""

from __future__ import annotations

from collections.abc import Sequence

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops.adjoints import DIFFERENTIABLE, STOP_GRADIENT

MARKS = (DIFFERENTIABLE, STOP_GRADIENT)


def remove_gradient_marks(graph: Graph, record: Record) -> None:
    """Replaces the result of every mark by its operand."""
    _Marks(record).visit(graph)


class _Marks(Rewriter):
    def after(self, e: Equation) -> Sequence[Equation] | None:
        if e.op not in MARKS:
            return None
        self.record.renamed[e.outputs[0]] = e.args[0]
        return []
