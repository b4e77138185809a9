"""Lowering: decides how a graph runs: fusion, in-place updates, buffer reuse, unboxing.

Fusion changes the graph, and is a pass of the list here. Then `lowering` makes statements of the
graph; the other modules are its parts, and the analyses that it asks.
"""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Graph
from autograph.runtime.lower.fusion_groups import form_fusion_groups
from autograph.runtime.optimize import Pass, run_passes

PASSES: tuple[Pass, ...] = (
    Pass("fusion groups", form_fusion_groups),
)
"""In order; they make an optimised graph ready for the printer."""


def lower(graph: Graph, record: Record) -> None:
    """Runs the passes over an optimised graph and the graphs that it calls, in place."""
    run_passes(PASSES, graph, record)
