"""Tuples of numbers that branches and loops pass on: by their items.

`return i, j` in a loop makes a tuple of the run, which the loop carries as something of which
nothing is known. Each item becomes a value of its own (`references/split_tuples.py`), so that the
loop runs on numbers.
"""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Graph
from autograph.runtime.references.split_tuples import without_tuples


def split_passed_tuples(graph: Graph, record: Record) -> None:
    """Splits the tuples of numbers that branches and loops of a graph pass on."""
    made = without_tuples(graph, of_numbers=True)
    if made is not graph:
        graph.equations[:] = made.equations
