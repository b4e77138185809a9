"""Graphs that are called, as functions of the generated source beside the main one."""

from __future__ import annotations

from autograph.runtime.codegen.assignments import Assignments
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.regions import Call, as_branch
from autograph.runtime.lower.in_place import Plan


class Calls(Assignments):
    """Writes calls of other graphs, and the functions that these are."""

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.called: dict[Graph, str] = {}

    def block(self, graph: Graph) -> None:
        """Writes the equations of a graph or region."""
        raise NotImplementedError

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
            e.outputs[0] not in self.names and not e.has_effect and not e.errstate
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
        self.ending(graph)
        # `line` counts two lines for the main function's own head; here it is one
        self.functions.append(([head, *self.lines], {n - 1: p for n, p in self.locations.items()}))
        self.lines, self.locations, self.depth = outer

    def ending(self, graph: Graph) -> None:
        """The equations, and `return`; after a branch that gives the result, in each of its
        sides."""
        branch = as_branch(graph.equations[-1]) if graph.equations else None
        if branch is None or branch.equation.errstate or not graph.outputs or (
                graph.outputs != branch.results):
            self.block(graph)
            if graph.outputs or not self.lines:
                self.line(f"return {', '.join(map(self.nest, graph.outputs))}".rstrip())
            return
        last = branch.equation
        inside = [v for _, side in branch.sides() for v in side.free_values()]
        before = Graph(graph.name, graph.inputs, graph.equations[:-1], (*last.inputs, *inside))
        self.block(before)
        self.line(f"if {self.nest(branch.predicate)}:", last.location)
        self.depth += 1
        pending, self.pending = self.pending, {}
        self.ending(branch.on_true)
        self.depth -= 1
        self.pending = pending
        self.ending(branch.on_false)
