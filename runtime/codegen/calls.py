"""Graphs that are called, as functions of the generated source beside the main one."""

from __future__ import annotations

from autograph.runtime.codegen.endings import Endings
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.regions import Call
from autograph.runtime.lower.in_place import Plan


class Calls(Endings):
    """Writes calls of other graphs, and the functions that these are."""

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.called: dict[Graph, str] = {}

    def call(self, e: Equation) -> None:
        """Writes `a, b = f_1(x, y)`; arguments that the callee overwrites too early are copied."""
        texts = [self.nest(a) for a in e.args]
        for i in range(len(texts)):
            if (e, i) in self.plan.copied:
                texts[i] = self.copied(e.args[i], texts[i])
        text = f"{self.name_of_graph(Call(e).callee)}({', '.join(texts)})"
        if self.is_expression_call(e):
            self.wait(e.outputs[0], text, False, e.location)
            return
        names = [self.name_of(o) if self.uses[o] else "_" for o in e.outputs]
        if any(name != "_" for name in names):
            text = f"{', '.join(names)} = {text}"
        self.line(text, e.location)

    def is_expression_call(self, e: Equation) -> bool:
        """Returns True for a call without effects, used once: it may stand where it is used."""
        return len(e.outputs) == 1 and not e.outputs[0].hint and self.uses[e.outputs[0]] == 1 and (
            e.outputs[0] not in self.names and not e.has_effect and not e.settings
            and not any(call is e for call, _ in self.plan.handed))

    def name_of_graph(self, graph: Graph) -> str:
        if graph not in self.called:
            self.called[graph] = self.fresh(graph.name)
        return self.called[graph]

    def function(self, graph: Graph) -> None:
        """Writes a graph that is called as a function of its inputs."""
        self.flush()
        outer = self.lines, self.locations, self.depth
        self.lines, self.locations, self.depth = [], {}, 1
        head = f"def {self.name_of_graph(graph)}({', '.join(map(self.name_of, graph.inputs))}):"
        self.ending(graph, graph.outputs)
        if not self.lines:
            self.line("return")
        # `line` counts two lines for the main function's own head; here it is one
        self.functions.append(([head, *self.lines], {n - 1: p for n, p in self.locations.items()}))
        self.lines, self.locations, self.depth = outer
