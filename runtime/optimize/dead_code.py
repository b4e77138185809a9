"""Dead code: equations that have no effect and whose outputs nothing uses are removed."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.ir.regions import Branch, as_branch
from autograph.runtime.optimize.effects_and_exceptions import is_total, may_raise


def remove_dead_code(graph: Graph, record: Record) -> None:
    """Removes equations that nothing uses from the graph and from its regions.

    A pure equation that could only have raised or warned is removed too (non-strict execution, as
    tf.function), unless the record says `strict` or `exact`. Unused outputs of a branch go, with
    the equations that compute them; a loop keeps all its carried values.
    """
    _visit(graph, set(), record)


def _visit(graph: Graph, used: set[Value], record: Record) -> None:
    """Walks backwards; `used` collects what this graph needs, from itself and from around it."""
    used.update(a for a in graph.outputs if isinstance(a, Value))
    kept: list[Equation] = []
    for equation in reversed(graph.equations):
        needed = not used.isdisjoint(equation.outputs) or equation.has_effect
        if not (needed or equation.pinned or (record.strict and may_raise(equation)) or (
                record.exact and not is_total(equation))):
            record.note(remove_dead_code, equation, "nothing uses it")
            continue
        if equation.regions:
            if (branch := as_branch(equation)) is not None:
                _drop_outputs(branch, used)
            for region in regions_of(equation):
                _visit(region, used, record)
        used.update(equation.uses)
        kept.append(equation)
    graph.equations[:] = reversed(kept)


def _drop_outputs(branch: Branch, used: set[Value]) -> None:
    keep = [i for i, o in enumerate(branch.results) if o in used]
    if len(keep) < len(branch.results):
        for part in (branch.equation, branch.on_true, branch.on_false):
            part.outputs = tuple(part.outputs[i] for i in keep)
