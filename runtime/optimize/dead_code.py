"""Prune: drop equations that have no effect and whose outputs nothing uses."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.optimize.effects_and_exceptions import may_raise


def prune(graph: Graph, record: Record) -> None:
    """Remove dead equations from the graph and from its regions.

    A pure equation that could only have raised is dropped too (non-strict execution, as
    tf.function), unless the record says `strict`. Unused outputs of a `cond` go, with what computes
    them; a loop's state stays whole.
    """
    _prune(graph, set(), record)


def _prune(graph: Graph, used: set[Value], record: Record) -> None:
    """Walk backwards; `used` collects what this graph needs, from itself and from around it."""
    used.update(a for a in graph.outputs if isinstance(a, Value))
    kept: list[Equation] = []
    for equation in reversed(graph.equations):
        needed = equation.has_effect or any(o in used for o in equation.outputs)
        if not (needed or equation.pinned or (record.strict and may_raise(equation))):
            record.note(prune, equation, "nothing uses it")
            continue
        if equation.op.name == "cond":
            _drop_outputs(equation, used)
        for region in regions_of(equation):
            _prune(region, used, record)
        used.update(equation.uses)
        kept.append(equation)
    graph.equations[:] = reversed(kept)


def _drop_outputs(equation: Equation, used: set[Value]) -> None:
    keep = [i for i, o in enumerate(equation.outputs) if o in used]
    if len(keep) < len(equation.outputs):
        equation.outputs = tuple(equation.outputs[i] for i in keep)
        for region in equation.regions:
            region.outputs = tuple(region.outputs[i] for i in keep)
