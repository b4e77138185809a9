"""The optimiser: small passes from graph to graph, and the one list that orders them."""

from __future__ import annotations

from collections.abc import Callable

from autograph.runtime.graph import Graph
from autograph.runtime.optimize.cse import common_subexpressions
from autograph.runtime.optimize.prune import prune

PASSES: tuple[tuple[str, Callable[[Graph], None]], ...] = (
    ("prune", prune),
    ("common subexpressions", common_subexpressions),
)
"""In order; each changes the graph it is given and keeps every equation's source location."""


def optimize(graph: Graph) -> Graph:
    """Run the passes over a graph, in place; the graph itself is returned.

    A graph that writes memory by reference keeps its order: it is only pruned.
    """
    passes = PASSES[:1] if graph.by_reference else PASSES
    for _, run in passes:
        run(graph)
    return graph
