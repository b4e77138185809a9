"""The base of passes: what it visits, and when it renames."""

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.verifier import check
from autograph.runtime.ir.visitor import Rewriter, copied
from autograph.runtime.ops.parse import parse

TEXT = """
f(x: f64, p: py.bool):
  a: f64 = positive(x)
  b: f64 = cond(p):
    true():
      c: f64 = positive(a)
      d: f64 = add(c, 1.0)
      yield d
    false():
      yield a
  return b
"""


class DropPositive(Rewriter):
    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self.visited: list[str] = []

    def after(self, e: Equation) -> list[Equation] | None:
        self.visited.append(e.op.name)
        if e.op.name != "positive":
            return None
        self.record.renamed[e.outputs[0]] = e.args[0]
        return []


class Negate(Rewriter):
    def before(self, e: Equation) -> list[Equation] | None:
        if e.op.name != "positive":
            return None
        body, (result,) = copied(parse("g(a: f64):\n  b: f64 = negative(a)\n  return b"), {})
        self.record.renamed[e.outputs[0]] = result
        body[0].args = e.args
        body[0].collect_inputs()
        return body


def names(graph: Graph) -> list[str]:
    return [e.op.name for e in graph.walk()]


def test_regions_come_before_the_equation_that_holds_them() -> None:
    graph, record = parse(TEXT), Record()
    rewriter = DropPositive(record)
    rewriter.visit(graph)
    check(graph)
    assert rewriter.visited == ["positive", "positive", "add", "cond"]
    assert names(graph) == ["cond", "add"]


def test_uses_and_outputs_are_renamed_in_regions_too() -> None:
    graph = parse(TEXT)
    DropPositive(Record()).visit(graph)
    (branch,) = graph.equations
    assert branch.regions[0].equations[0].args == (graph.inputs[0], 1.0)
    assert branch.regions[1].outputs == (graph.inputs[0],)


def test_equations_put_in_before_are_visited_in_turn() -> None:
    graph = parse(TEXT)
    Negate(Record()).visit(graph)
    check(graph)
    assert names(graph) == ["negative", "cond", "negative", "add"]
