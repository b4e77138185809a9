"""The checker: well-formed graphs pass; a mistake is told below the line that makes it."""

import re

import numpy as np
import pytest

from autograph.runtime.ir.errors import GraphError
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ir.verifier import check
from autograph.runtime.ops import OPS, Op
from autograph.runtime.ops.parse import parse
from tests.support.sample_graphs import COLLATZ, FACTORIAL, FIRST_ABOVE, SAMPLED, graphs_of


@pytest.mark.parametrize("text", [COLLATZ, FIRST_ABOVE, FACTORIAL], ids=lambda t: t.split("(")[0])
def test_well_formed_graph_passes(text: str) -> None:
    check(parse(text))


@pytest.mark.parametrize("op", SAMPLED, ids=lambda op: op.name)
def test_graph_of_every_op_passes(op: Op) -> None:
    for graph, _, _ in graphs_of(op):
        check(graph)


LOOP = """\
f(n: py.int):
  span: py.range = range_(n)
  s: py.int = for(span, 0):
    body(i: py.int, s_1: py.int):
      t: py.int = add(s_1, i)
      yield t
  return s"""
BRANCH = """\
f(p: bool, x: f64[3]):
  a: f64[3] = cond(p):
    true():
      yield x
    false():
      y: f64[3] = negative(x)
      yield y
  return a"""
CALL = """\
f(x: py.int):
  a: py.int = call(g, x)
  return a

g(n: py.int):
  m: py.int = add(n, 1)
  return m"""

# a well-formed text, what to change, the complaint, the line that it stands below
MISTAKES = [
    (LOOP, ("t: py.int =", "t: py.float ="), "is py.int, which py.float does not admit", "t: "),
    (LOOP, ("add(s_1, i)", "matmul(s_1, 'a')"), "does not admit", "t: "),
    (LOOP, ("yield t", "yield 1.5"), "yields is py.float, which py.int does not admit", "body("),
    (LOOP, ("yield t", "yield t, 1"), "2 yields for 1", "body("),
    (LOOP, ("for(span, 0)", "for(span, 0.5)"), "carried values is py.float", "body("),
    (LOOP, ("i: py.int, s_1: py.int", "s_1: py.int, i: py.int, z: py.int"), "carried values for 2",
     "body("),
    (LOOP, ("s: py.int = for", "s: py.bool = for"), "carried values is py.int", "body("),
    (BRANCH, ("true():", "true(z: py.int):"), "0 inputs for 1", "true("),
    (BRANCH, ("yield x", "yield p"), "yields is bool, which f64[3] does not admit", "true("),
    (BRANCH, ("y: f64[3] = neg", "y: f64[4] = neg"), "f64[3], which f64[4] does not admit", "y: "),
    (BRANCH, ("a: f64[3] = cond", "a: f64[2] = cond"), "which f64[2] does not admit", "true("),
    (COLLATZ, ("yield a", "yield a, a"), "the test of while gives one value, not 2", "test("),
    (CALL, ("call(g, x)", "call(g, 2.5)"), "arguments is py.float", "a: "),
    (CALL, ("call(g, x)", "call(g)"), "0 arguments for 1", "a: "),
    (CALL, ("a: py.int =", "a: py.bool ="), "results is py.int", "a: "),
    (CALL, ("add(n, 1)", "divide(n, 1)"), "py.float, which py.int does not admit", "m: "),
]


@pytest.mark.parametrize(("text", "change", "complaint", "line"), MISTAKES,
                         ids=[f"{c} -> {line}" for _, _, c, line in MISTAKES])
def test_mistake_is_told_below_its_line(
        text: str, change: tuple[str, str], complaint: str, line: str) -> None:
    check(parse(text))
    assert change[0] in text
    with pytest.raises(GraphError, match=re.escape(complaint)) as caught:
        check(parse(text.replace(change[0], change[1], 1)))
    shown = str(caught.value).splitlines()
    marked = next(i for i, row in enumerate(shown) if row.lstrip().startswith("^ "))
    assert complaint in shown[marked]
    assert shown[marked - 1].lstrip().startswith(line)


X, Y = Value(PyType(int), "x"), Value(PyType(int), "y")


def plus(x: object, *outputs: Value) -> Equation:
    return Equation(OPS["add"], (x, 1), {}, outputs)


@pytest.mark.parametrize(("graph", "complaint"), [
    (Graph("f", (), [plus(X, Y)], (Y,)), "used here that is not made before"),
    (Graph("f", (X,), [], (Y,)), "used here that is not made before"),
    (Graph("f", (X,), [plus(Y, Y)], (Y,)), "used here that is not made before"),
    (Graph("f", (X,), [plus(1, X)], (X,)), "made a second time"),
    (Graph("f", (X, X), [], (X,)), "made a second time"),
    (Graph("f", (X,), [plus(X, Y, Value(PyType(int)))], (Y,)), "1 results for 2"),
    (Graph("f", (X,), [Equation(OPS["add"], (X,), {}, (Y,), (Graph("r"),))]), "takes no regions"),
    (Graph("f", (X,), [Equation(OPS["cond"], (X,), {}, (), (Graph("r"),))]), "needs the regions"),
    (Graph("f", (), [Equation(OPS["bitwise_and"], (1.5, 1), {}, (Y,))]), "rule of bitwise_and"),
], ids=lambda x: x if isinstance(x, str) else "")
def test_mistake_in_a_graph_built_by_hand(graph: Graph, complaint: str) -> None:
    with pytest.raises(GraphError, match=complaint):
        check(graph)


def test_value_of_one_branch_is_not_known_in_the_other() -> None:
    inner = Value(PyType(int), "t")
    branches = (Graph("true", (), [plus(X, inner)], ()), Graph("false", (), [plus(inner, Y)], ()))
    with pytest.raises(GraphError, match="not made before"):
        check(Graph("f", (X,), [Equation(OPS["cond"], (X,), {}, (), branches)]))


def test_captured_array_must_be_of_its_type() -> None:
    c = Value(ArrayType(np.dtype(float), (3,)), "c")
    with pytest.raises(GraphError, match=r"captured array is not of its type f64\[3\]"):
        check(Graph("f", (), [], (c,), {c: np.ones(2)}))


def test_region_that_raises_may_give_anything() -> None:
    raising = "e: dynamic = raise_(ValueError('no'))\n      yield None"
    check(parse(BRANCH.replace("yield x", raising)))
