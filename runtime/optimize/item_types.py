"""Types of items: what is read from a list that a loop filled has the type of what was put in."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ops.item_types import type_items


def type_what_lists_hold(graph: Graph, record: Record) -> None:
    """Types the items of lists, and what follows from them."""
    record.renamed.update(type_items(graph, outer=False))
