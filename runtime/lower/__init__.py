"""From the graph to how it is run: fusion, in-place updates, buffer reuse, unboxing."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Graph
from autograph.runtime.lower.fusion_groups import gather
from autograph.runtime.optimize import Pass, run_passes

PASSES: tuple[Pass, ...] = (
    Pass("gather", gather),
)
"""What makes an optimised graph ready for the printer, in order."""


def lower(graph: Graph, record: Record) -> None:
    """Run the passes over an optimised graph and the graphs that it calls, in place."""
    run_passes(PASSES, graph, record)
