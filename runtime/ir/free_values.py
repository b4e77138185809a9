"""Free values of graphs that do not change meanwhile: each region is visited once."""

from __future__ import annotations

from autograph.runtime.ir.graph import Graph, Value


class FreeValues:
    """The values that graphs use but do not make, in order of first use, each found once."""

    def __init__(self) -> None:
        self._known: dict[Graph, tuple[Value, ...]] = {}

    def of(self, graph: Graph) -> tuple[Value, ...]:
        if graph not in self._known:
            self._known[graph] = self._find(graph)
        return self._known[graph]

    def _find(self, graph: Graph) -> tuple[Value, ...]:
        own = {*graph.inputs, *graph.captures}
        used: dict[Value, None] = {}
        for e in graph.equations:
            if e.regions and e.callee is not None:
                return graph.free_values()  # callees may call each other
            used.update(dict.fromkeys(e.uses))
            for region in e.regions:
                used.update(dict.fromkeys(self.of(region)))
            own.update(e.outputs)
        used.update(dict.fromkeys(a for a in graph.outputs if isinstance(a, Value)))
        return tuple(v for v in used if v not in own)
