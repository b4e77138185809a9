"""Lambda lifting: what a called graph uses from the graphs around it becomes an input of it."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.graph import (
    Graph,
    Value,
    binders,
    equations_in,
    graphs_in,
    map_leaves,
    regions_of,
    used,
)


def close_calls(graph: Graph) -> None:
    """Give every graph that is called, directly or not, all it uses as inputs; in place.

    The algorithm is Johnsson's (1985): the free values of each graph, with those of the graphs that
    it calls, to a fixed point.
    """
    graphs = graphs_in(graph)
    if len(graphs) == 1:
        return
    free = _free_values(graphs)
    for each in graphs[1:]:
        inside = {v: Value(v.type, v.hint) for v in free[each]}
        _pass_on(each, free, inside)
        each.inputs = (*each.inputs, *inside.values())
    _pass_on(graph, free, {})


def _free_values(graphs: list[Graph]) -> dict[Graph, dict[Value, None]]:
    """What each graph uses and does not make, in order of first use."""
    made = {g: set(binders(g)) for g in graphs}
    free = {g: {v: None for v in used(g) if v not in made[g]} for g in graphs}
    callees = {g: [e.regions[0] for e in equations_in(g) if e.op.name == "call"] for g in graphs}
    grew = True
    while grew:
        grew = False
        for g in graphs:
            new = [v for c in callees[g] for v in free[c] if v not in made[g] and v not in free[g]]
            free[g].update(dict.fromkeys(new))
            grew |= bool(new)
    return free


def _pass_on(graph: Graph, free: dict[Graph, dict[Value, None]], inside: dict[Value, Value]
             ) -> None:
    """Let calls hand on what the callees need; `inside` has the names that values get here."""
    def now(x: Any) -> Any:
        return inside.get(x, x) if isinstance(x, Value) else x

    for e in graph.equations:
        e.args, e.kwargs = map_leaves(now, e.args), map_leaves(now, dict(e.kwargs))
        if e.op.name == "call":
            e.args = (*e.args, *map(now, free[e.regions[0]]))
        e.collect_inputs()
        for region in regions_of(e):
            _pass_on(region, free, inside)
    graph.outputs = tuple(map(now, graph.outputs))
