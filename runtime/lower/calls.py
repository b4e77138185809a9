"""Graphs that are called, as functions beside the main one."""

from __future__ import annotations

from autograph.runtime.ir.expressions import Call, Expression, Global
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.regions import as_call
from autograph.runtime.ir.statements import Block, Do, Function, Let
from autograph.runtime.lower.endings import Endings
from autograph.runtime.lower.plan import Plan


class Calls(Endings):
    """Makes calls of other graphs, and the functions that these are."""

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.called: dict[Graph, str] = {}

    def call(self, e: Equation) -> None:
        """Makes `a, b = f_1(x, y)`; arguments that the callee overwrites too early are copied."""
        given = [self.nest(a) for a in e.args]
        for i in range(len(given)):
            if (e, i) in self.plan.copied:
                given[i] = self.copied(e.args[i], given[i])
        made = Call(self.callee_of(e), tuple(given))
        if self.is_expression_call(e):
            self.wait(e, made)
        elif any(self.uses[o] for o in e.outputs):
            targets = tuple(self.target(o) if self.uses[o] else self.nothing() for o in e.outputs)
            self.add(Let(targets, made), e.location)
        else:
            self.add(Do(made), e.location)

    def is_expression_call(self, e: Equation) -> bool:
        """Returns True for a call without effects, used once: it may stand where it is used."""
        return len(e.outputs) == 1 and not e.outputs[0].hint and self.uses[e.outputs[0]] == 1 and (
            e.outputs[0] not in self.names and not e.has_effect and not e.settings
            and not any(call is e for call, _ in self.plan.handed))

    def callee_of(self, e: Equation) -> Expression:
        call = as_call(e)
        assert call is not None
        return Global(self.name_of_graph(call.callee), call.callee)

    def name_of_graph(self, graph: Graph) -> str:
        if graph not in self.called:
            self.called[graph] = self.fresh(graph.name)
        return self.called[graph]

    def function(self, graph: Graph) -> None:
        """Makes a graph that is called a function of its inputs."""
        self.flush()
        name, parameters = self.name_of_graph(graph), tuple(map(self.target, graph.inputs))
        body: Block = []
        outer, self.depth = self.depth, 0
        with self.inside(body):
            self.ending(graph, graph.outputs)
        self.depth = outer
        self.functions.append(Function(name, parameters, body))
