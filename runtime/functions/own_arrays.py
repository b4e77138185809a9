"""Arrays that code which is not converted has made during a trace: each run has its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Equation, Graph, Value, map_leaves
from autograph.runtime.ops import by_function


def give_own_arrays(graph: Graph, is_outside: Callable[[Any], bool]) -> None:
    """Copies, where a graph begins, the arrays that a trace made, if an equation may hand them on.

    They are constants of the graph: what one call returned or stored, and its caller changed, would
    be in the results of the next.
    """
    made = {v for v, x in graph.captures.items()
            if type(x) is np.ndarray and not is_outside(x)}
    own: dict[Any, Value] = {}

    def leaf(x: Any) -> Any:
        if x.__class__ is not Value or x not in made:
            return x
        return own.setdefault(x, Value(x.type, x.hint))

    for e in list(graph.walk()) if made else ():
        for region in e.regions:
            region.outputs = tuple(map(leaf, region.outputs))
        op = e.op
        if not (op.reads_only or op.fresh or op.ufunc is not None):
            e.args, e.kwargs = map_leaves(leaf, e.args), map_leaves(leaf, e.kwargs)
            e.collect_inputs()
    graph.equations[:0] = [
        Equation(by_function[np.copy], (v,), {}, (new,)) for v, new in own.items()]
