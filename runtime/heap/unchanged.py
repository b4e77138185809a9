"""Tells whether something that is done ahead of time has changed what can be reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.heap.iterators import Cursor, TracedState
from autograph.runtime.heap.reachability import Reachable, reachable_locations
from autograph.runtime.heap.snapshot import ArraySnapshot, Snapshot
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location


def changes_in(reached: Reachable, positions: bool = True) -> Callable[[], bool]:
    """Returns a function that tells if locations, their arrays, and the graph's memory are still as
    they are now.

    positions: how far iterators were read counts, too.
    """
    region = trace.current_region()
    held = Snapshot.take(x for x in reached if positions or not isinstance(
        getattr(x, "owner", None), (Cursor, TracedState)))
    arrays = ArraySnapshot(reached.arrays)
    handles = [(x._handle, x._handle.value) for x in reached.tensors]
    equations = [] if region is None else region.graph.equations
    recorded = len(equations)

    def unchanged() -> bool:
        return (held.is_current() and not arrays.changed()
                and all(handle.value is value for handle, value in handles)
                and not any(e.op.effect == "store" for e in equations[recorded:]))

    return unchanged


def read_ahead(roots: Any, read: Callable[[], Any]) -> Any:
    """Returns what a function gives that reads iterators to their ends, for a reader of which
    nothing is known.

    Raises:
      TracingError: reading them has effects, which may come between what the reader does.
    """
    unchanged = changes_in(reachable_locations(roots), positions=False)
    found = read()
    if not unchanged():
        raise TracingError(
            "an iterator that changes variables or objects as it is read is handed to something "
            f"that only the run knows{at(user_location())}\n"
            "  hint: hand over a list of its items, or read it in a loop of your own")
    return found
