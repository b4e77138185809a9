"""Draws that pick numbers or put them in another order, as draws of their positions.

A generator makes the same choice of an array, or of a list, and of the positions in it. So the
positions are drawn, once, and the numbers are read there: a read has a derivative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import (
    Equation,
    Graph,
    Value,
    equations_in,
    map_leaves,
    regions_of,
)
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ops.derivative_rules.helpers import size_of
from autograph.runtime.ops.op import OPS
from autograph.runtime.replacements.random_generators import SHUFFLED
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import recorded_at
from autograph.runtime.symbolic.tensor import Tensor, apply

DRAW, DRAWN_INTO = OPS["draw"], OPS["drawn_into"]
OF_ARRAYS = frozenset({"permutation", "permuted", "choice", "shuffle"})
OF_LISTS = frozenset({"choice", "choices", "sample"})
"""Methods of Python's generators that pick from a list."""


def draw_positions(graph: Graph, start: int) -> None:
    """Rewrites the draws of a graph from equation `start` on, and those in its regions."""
    if any(e.op in (DRAW, DRAWN_INTO, SHUFFLED) for x in graph.equations[start:]
           for e in _with_inner(x)):
        graph.equations[start:] = _rewritten(graph.equations[start:])


def _with_inner(e: Equation) -> Iterator[Equation]:
    yield e
    for region in regions_of(e):
        yield from equations_in(region)


def _rewritten(equations: list[Equation]) -> list[Equation]:
    made: list[Equation] = []
    for e in equations:
        for region in regions_of(e):
            region.equations = _rewritten(region.equations)
        made += _by_positions(e) or [e]
    return made


def _by_positions(e: Equation) -> list[Equation]:
    """Returns what draws positions and reads there; nothing for other equations."""
    if e.op not in (DRAW, DRAWN_INTO, SHUFFLED):
        return []
    with trace.region("draw") as region, recorded_at(e.location):
        made = _read_at_positions(e)
        if made is None:
            return []
        value = made.read()
    last = next(x for x in reversed(region.graph.equations) if value in x.outputs)
    last.outputs = e.outputs
    return region.graph.equations


def _read_at_positions(e: Equation) -> Any:
    """Records the draw of positions; returns what is there, or None if the draw stays as it is."""
    args, kwargs = (map_leaves(lambda x: Tensor(x) if isinstance(x, Value) else x, nest)
                    for nest in (e.args, dict(e.kwargs)))
    if e.op is SHUFFLED:
        items, *rest = args
        order = apply(SHUFFLED, _numbers_of(items), *rest, **kwargs)
        return apply("construct", list, apply("picked", items, order))
    if e.op is DRAWN_INTO:
        x, generator, method, *rest = args
        if not (method.endswith(".shuffle") and _has_numbers(e.args[0])):
            return None
        return _at(x, apply(DRAWN_INTO, _positions(x), generator, method, *rest, **kwargs))
    generator, method, *rest = args
    cls, _, name = method.partition(".")
    if not rest:
        return None
    x, *rest = rest
    if cls == "Random":
        return _from_list(x, generator, method, rest, kwargs) if name in OF_LISTS else None
    if name not in OF_ARRAYS or not _has_numbers(e.args[2]):
        return None
    return _at(x, apply(DRAW, generator, method, _positions(x), *rest, **kwargs))


def _has_numbers(x: Any) -> bool:
    """Returns True for an array of numbers that may have derivatives, with axes."""
    t = x.type if isinstance(x, Value) else None
    return isinstance(t, ArrayType) and t.dtype is not None and t.dtype.kind in "fc" and bool(
        t.shape)


def _positions(x: Any) -> Any:
    shape = np.shape(x)
    return np.reshape(apply("arange", size_of(shape)), shape)


def _at(x: Any, where: Any) -> Any:
    return np.reshape(x, -1)[where]


def _numbers_of(items: Any) -> Any:
    return range(len(items)) if isinstance(items, (list, tuple)) else apply(
        "range_", apply("len_", items))


def _from_list(items: Any, generator: Any, method: str, rest: Any, kwargs: Any) -> Any:
    if not isinstance(items, (list, tuple)) and not (
            isinstance(items, Tensor) and items.type == PyType(list)):
        return None
    drawn = apply(DRAW, generator, method, _numbers_of(items), *rest, **kwargs)
    if not method.endswith(".choice"):
        return apply("picked", items, drawn)
    return apply("getitem", apply("picked", items, [drawn]), 0)
