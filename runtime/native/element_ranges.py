"""Ranges of the elements of arrays: what a kernel puts into the arrays of ints that it makes.

What is loaded from such an array is between the least and the greatest of what it was filled with
and of all that was stored into it. So a queue of positions holds positions, and a table that counts
holds what counts: neither has to be checked for bounds or overflow again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import as_loop
from autograph.runtime.native.array_orders import FLIP, TRANSPOSE
from autograph.runtime.native.array_rules import (
    ARANGE,
    COPY,
    FILLED,
    UNFILLED,
    counted,
    parts_of,
)
from autograph.runtime.native.facts import Fact
from autograph.runtime.native.kinds import BOOL, INT, Array, Kind, Number, is_int, static_shape
from autograph.runtime.native.parallel_loops import deferred_checks
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.views import UPDATE_VIEW

KindOf = Callable[[Atom], Kind]

SAME = (GETITEM, COPY, FLIP, TRANSPOSE)
"""Ops whose results have only elements of their first operand."""

STORES = (SETITEM, UPDATE_VIEW)


def is_ints(kind: Kind) -> bool:
    """Returns True for an int of 64 bits, or an array of them."""
    return is_int(kind) or (isinstance(kind, Array) and kind.dtype == INT)


def sources(e: Equation, kind_of: KindOf) -> tuple[Atom, ...] | None:
    """Returns the ints and arrays from which an element comes, or come those of an array: they are
    between the least and the greatest of these. None if nothing is known."""
    kind = kind_of(e.args[0]) if e.args and isinstance(e.args[0], Value) else None
    if isinstance(kind, Array) and kind.dtype == INT and e.op in SAME:
        return e.args[:1]
    if isinstance(kind, Array) and kind.dtype == INT and e.op in STORES:
        return (e.args[0], e.args[2]) if _is_exact(kind_of(e.args[2])) else None
    if e.op is ARANGE and is_ints(kind_of(e.outputs[0])):
        ints = counted(e)
        return (ints[0], ints[-1]) if ints else (0,)
    if e.op in FILLED and e.op not in UNFILLED and is_ints(kind_of(e.outputs[0])):
        filling: Atom = FILLED[e.op] if FILLED[e.op] is not None else e.args[1]
        return (filling,) if _is_exact(kind_of(filling)) else None
    return None


def _is_exact(kind: Kind) -> bool:
    """Returns True for what an array of ints takes as it is."""
    return is_ints(kind) or (isinstance(kind, Number) and kind.dtype == BOOL)


def bounds_of_indices(e: Equation, kind_of: KindOf) -> Iterator[Fact]:
    """Yields what follows for the ints that are the index of an equation, once it is done: they are
    in bounds."""
    if e.op not in (GETITEM, SETITEM) or not isinstance(kind := kind_of(e.args[0]), Array):
        return
    shape = static_shape(e.args[0])
    parts = [] if shape is None else parts_of(e.args[1], kind.rank)
    if any(p.is_new or (isinstance(p.what, Value) and not is_int(kind_of(p.what))) for p in parts):
        return
    for part, n in zip(parts, shape or (), strict=False):
        if isinstance(part.what, Value):
            yield ">=", part.what, -n
            yield "<", part.what, n


def waiting_stores(graph: Graph, kind_of: KindOf) -> set[Equation]:
    """Returns the stores of ints that may be wrong until a loop has ended, as their checks wait."""
    found: set[Equation] = set()
    for e in graph.walk():
        loop = as_loop(e)
        if loop is None or not loop.is_for or not any(
                x.op in STORES and is_ints(kind_of(x.args[0])) for x in loop.body.equations):
            continue
        made = {v for x in loop.body.equations for v in x.outputs}
        found |= {x for x in deferred_checks(loop, kind_of, set(loop.carried))
                  if x.op in STORES and x.args[2] in made}
    return found
