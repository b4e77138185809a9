"""Inlining: a call of a small graph that does not call itself is replaced by its equations."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Graph, equations_in, graphs_in
from autograph.runtime.optimize.uses import copied, rename, rename_outputs

MAX_SIZE = 40
"""Callees with more equations stay calls, but for those that are called once."""


def inline(graph: Graph, record: Record) -> None:
    """Replace calls by copies of the callees' equations, which keep their own source locations.

    A callee from which a call can lead back to itself stays a call, and so does a large one that is
    called from several places.
    """
    calls: dict[Graph, int] = {}
    for each in graphs_in(graph):
        for e in equations_in(each):
            if e.op.name == "call":
                calls[e.regions[0]] = calls.get(e.regions[0], 0) + 1
    if calls:
        small = {callee for callee, count in calls.items() if not is_recursive(callee) and (
            count == 1 or sum(1 for _ in equations_in(callee)) <= MAX_SIZE)}
        _inline(graph, small, record)


def is_recursive(callee: Graph) -> bool:
    """Whether a call may lead from a graph back to itself."""
    return any(e.op.name == "call" and e.regions[0] is callee
               for each in graphs_in(callee) for e in equations_in(each))


def _inline(graph: Graph, small: set[Graph], record: Record) -> None:
    kept = []
    waiting = graph.equations[::-1]
    while waiting:
        e = waiting.pop()
        rename(e, record)
        if e.op.name == "call" and e.regions[0] in small:
            callee = e.regions[0]
            body, results = copied(callee, dict(zip(callee.inputs, e.args, strict=True)))
            record.note(inline, e, body)
            record.renamed.update(zip(e.outputs, results, strict=True))
            waiting += body[::-1]  # the callee's own calls are looked at in turn
            continue
        if e.op.name != "call":
            for region in e.regions:
                _inline(region, small, record)
        kept.append(e)
    graph.equations[:] = kept
    rename_outputs(graph, record)
