"""Common subexpressions: an equation that was computed before is not computed again."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.optimize.uses import Uses, is_number, rename, rename_outputs

FRESH = frozenset({"zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like",
                   "full_like", "copy", "array"})
"""What makes memory to be written to."""


def common_subexpressions(graph: Graph, record: Record) -> None:
    """Merge pure equations with the same op and arguments, in a graph and across its regions.

    Two arrays that the graph or a region hands out, or that a list holds, stay two: one could tell
    them from one by writing to it. Where one of the merged values is updated in place later, the
    in-place analysis sees the other's uses and copies.
    """
    _merge(graph, {}, Uses(graph), record)


def _merge(graph: Graph, known: dict[Any, Value], uses: Uses, record: Record) -> None:
    kept: list[Equation] = []
    for equation in graph.equations:
        rename(equation, record)
        for region in regions_of(equation):
            _merge(region, dict(known), uses, record)
        key = _key(equation)
        if key is not None:
            first = known.setdefault(key, equation.outputs[0])
            if first is not equation.outputs[0] and _may_be_one(first, equation, uses):
                record.note(common_subexpressions, equation, first)
                record.renamed[equation.outputs[0]] = first
                continue
        kept.append(equation)
    graph.equations[:] = kept
    rename_outputs(graph, record)


def _may_be_one(first: Value, second: Equation, uses: Uses) -> bool:
    """Whether no one can tell two equal arrays from one; new memory is cheaper than a copy."""
    value = second.outputs[0]
    if is_number(value) or uses.is_transient(value):
        return True
    return second.op.name not in FRESH and (uses.is_private(value) or uses.is_private(first))


def _key(equation: Equation) -> Any:
    """What makes two equations the same; None if it may not be merged."""
    if equation.regions or equation.op.effect or len(equation.outputs) != 1:
        return None
    try:
        kwargs = _frozen(dict(equation.kwargs)) if equation.kwargs else None
        key = (equation.op.name, _frozen(equation.args), kwargs, equation.errstate)
        hash(key)
    except TypeError:
        return None
    return key


def _frozen(nest: Any) -> Any:
    """A nest as a hashable tree in which 1, 1.0 and True, 0.0 and -0.0 differ."""
    cls = type(nest)
    if cls is Value:
        return nest
    if cls in (tuple, list):
        return (cls, *map(_frozen, nest))
    if cls is dict:
        return (dict, *((k, _frozen(v)) for k, v in sorted(nest.items())))
    if cls is slice:
        return (slice, _frozen(nest.start), _frozen(nest.stop), _frozen(nest.step))
    if isinstance(nest, np.ndarray):
        raise TypeError("an array is not a key")
    if isinstance(nest, np.generic):
        return (cls, nest.dtype, nest.tobytes())
    return (cls, repr(nest)) if cls in (float, complex) else (cls, nest)
