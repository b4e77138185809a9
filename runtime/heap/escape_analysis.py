"""Escape analysis: results of branches and loops that may be arrays of the caller's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.runtime.heap.value_links import closure, links_of
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.types import may_have_memory
from autograph.runtime.symbolic import trace

Written = tuple[tuple[Value, Any], ...]
"""Pairs of an argument and the value that the function left in it."""


def possible_arguments(graph: Graph, escaping: Any, write_back: Written) -> tuple[Value, ...]:
    """Returns the escaping values that may be an argument which the function writes, because a
    branch or a loop decides which array they are.

    What the function left in an argument has memory of its own until it is written back, so a part
    of it would not be a view of the argument. If such a part may escape, the trace is made again,
    by reference.
    """
    if not write_back:
        return ()
    same, bases = links_of(graph, _based_on)
    found = tuple(dict.fromkeys(v for v in flatten(escaping) if isinstance(v, Value)
                                and v in same and may_have_memory(v.type)))
    new = closure([v for _, v in write_back if isinstance(v, Value)], same, bases) - {
        target for target, _ in write_back}
    parts = [v for v in closure(found, same) if v in bases and v not in new]
    if not new.isdisjoint(closure(parts, same, bases)):
        trace.need_references("a view of an argument that the function writes escapes from it, and "
                              "a branch or a loop decides which view")
    return found


def _based_on(e: Equation, output: Value) -> Iterable[Value]:
    """Returns the array that a view or an update is made of."""
    is_based = (e.op.view or e.op.inplace) and e.args and isinstance(e.args[0], Value)
    return e.args[:1] if is_based else ()
