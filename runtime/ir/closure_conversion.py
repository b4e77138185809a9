"""Closure conversion: values that a called graph uses from around it become its inputs."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import (
    Equation,
    Graph,
    Value,
    binders,
    equations_in,
    graphs_in,
    used,
)
from autograph.runtime.ir.visitor import Rewriter


def close_calls(graph: Graph) -> None:
    """Gives every graph that is called, directly or not, all it uses as inputs; in place.

    The algorithm is Johnsson's (1985): the free values of each graph, with those of the graphs that
    it calls, to a fixed point.
    """
    graphs = graphs_in(graph)
    if len(graphs) == 1:
        return
    free = _free_values(graphs)
    for each in graphs[1:]:
        inside = {v: Value(v.type, v.hint) for v in free[each]}
        _Closer(free, inside).visit(each)
        each.inputs = (*each.inputs, *inside.values())
    _Closer(free, {}).visit(graph)


def _free_values(graphs: list[Graph]) -> dict[Graph, dict[Value, None]]:
    """Returns the values that each graph uses and does not make, in order of first use."""
    made = {g: set(binders(g)) for g in graphs}
    free = {g: {v: None for v in used(g) if v not in made[g]} for g in graphs}
    callees = {g: [e.callee for e in equations_in(g) if e.callee is not None] for g in graphs}
    grew = True
    while grew:
        grew = False
        for g in graphs:
            new = [v for c in callees[g] for v in free[c] if v not in made[g] and v not in free[g]]
            free[g].update(dict.fromkeys(new))
            grew |= bool(new)
    return free


class _Closer(Rewriter):
    """Makes calls pass on what the callees need; `inside` has the names that values get here."""

    def __init__(self, free: dict[Graph, dict[Value, None]], inside: dict[Value, Value]) -> None:
        super().__init__(Record(renamed=dict(inside)))
        self.free = free

    def after(self, e: Equation) -> None:
        if e.callee is not None:
            e.args = (*e.args, *map(self.record.now, self.free[e.callee]))
            e.collect_inputs()
