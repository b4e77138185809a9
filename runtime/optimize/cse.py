"""Common subexpressions: an equation that was computed before is not computed again."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.graph import Equation, Graph, Value, map_leaves


def common_subexpressions(graph: Graph) -> None:
    """Merge pure equations with the same op and arguments, in a graph and across its regions.

    A value that the graph or a region hands out stays its own: the caller could tell two arrays
    from one by writing to it. Where one of the merged values is updated in place later, the
    in-place analysis sees the other's uses and copies.
    """
    _merge(graph, {}, {})


def _merge(graph: Graph, known: dict[Any, Value], renamed: dict[Value, Value]) -> None:
    handed_out = {a for a in graph.outputs if isinstance(a, Value)}
    kept: list[Equation] = []
    for equation in graph.equations:
        _rename(equation, renamed)
        for region in equation.regions:
            _merge(region, dict(known), renamed)
        key = None if handed_out.intersection(equation.outputs) else _key(equation)
        if key is not None and key in known:
            renamed[equation.outputs[0]] = known[key]
            continue
        if key is not None:
            known[key] = equation.outputs[0]
        kept.append(equation)
    graph.equations[:] = kept
    graph.outputs = tuple(renamed.get(a, a) if isinstance(a, Value) else a for a in graph.outputs)


def _rename(equation: Equation, renamed: dict[Value, Value]) -> None:
    if any(v in renamed for v in equation.inputs):
        def leaf(x: Any) -> Any:
            return renamed.get(x, x) if isinstance(x, Value) else x

        equation.args = map_leaves(leaf, equation.args)
        equation.kwargs = map_leaves(leaf, dict(equation.kwargs))
        equation.collect_inputs()


def _key(equation: Equation) -> Any:
    """What makes two equations the same; None if it may not be merged."""
    if equation.has_effect or equation.regions or len(equation.outputs) != 1:
        return None
    try:
        key = (equation.op.name, _frozen(equation.args), _frozen(dict(equation.kwargs)),
               equation.errstate)
        hash(key)
    except TypeError:
        return None
    return key


def _frozen(nest: Any) -> Any:
    """A nest as a hashable tree in which 1, 1.0 and True, 0.0 and -0.0 differ."""
    cls = type(nest)
    if cls in (tuple, list):
        return (cls, *map(_frozen, nest))
    if cls is dict:
        return (dict, *((k, _frozen(v)) for k, v in sorted(nest.items())))
    if cls is slice:
        return (slice, _frozen(nest.start), _frozen(nest.stop), _frozen(nest.step))
    if isinstance(nest, np.ndarray):
        raise TypeError("an array is not a key")
    return (cls, repr(nest)) if cls in (float, complex) else (cls, nest)
