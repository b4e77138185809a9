"""Inlining: a call of a small graph that does not call itself is replaced by its equations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, equations_in, graphs_in
from autograph.runtime.ir.regions import as_call
from autograph.runtime.ir.visitor import Rewriter, copied

MAX_SIZE = 40
"""Callees with more equations stay calls, but for those that are called once."""


def inline_calls(graph: Graph, record: Record) -> None:
    """Replaces calls by copies of the callees' equations, which keep their own source locations.

    A callee from which a call can lead back to itself stays a call, and so does a large one that is
    called from several places.
    """
    if not _callees(graph):
        return
    callees = {each: _callees(each) for each in graphs_in(graph)}
    calls = Counter(callee for found in callees.values() for callee in found)
    small = {callee for callee, count in calls.items() if not is_recursive(callee, callees) and (
        count == 1 or len(equations_in(callee)) <= MAX_SIZE)}
    _Inliner(record, small).visit(graph)


def is_recursive(graph: Graph, callees: Mapping[Graph, Sequence[Graph]]) -> bool:
    """Returns True if a call may lead from a graph back to itself."""
    found: set[Graph] = set()
    waiting = [graph]
    while waiting:
        new = set(callees[waiting.pop()]) - found
        found |= new
        waiting += new
    return graph in found


def _callees(graph: Graph) -> list[Graph]:
    return [e.callee for e in equations_in(graph) if e.callee is not None]


class _Inliner(Rewriter):
    def __init__(self, record: Record, small: set[Graph]) -> None:
        super().__init__(record)
        self.small = small

    def before(self, e: Equation) -> list[Equation] | None:
        call = as_call(e)
        if call is None or call.callee not in self.small:
            return None
        arguments = dict(zip(call.callee.inputs, call.arguments, strict=True))
        body, results = copied(call.callee, arguments)
        self.record.note(inline_calls, e, body)
        self.record.renamed.update(zip(e.outputs, results, strict=True))
        return body  # the callee's own calls are looked at in turn
