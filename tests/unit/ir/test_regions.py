"""The typed views of loops, branches and calls."""

from autograph.runtime.ir.regions import as_branch, as_call, as_for, as_loop, is_loop
from autograph.runtime.ops.parse import parse

LOOPS = """
f(x: f64, n: py.int):
  y: f64, k: py.int = while(x, n):
    test(a: f64, i: py.int):
      more: py.bool = greater(i, 0)
      yield more
    body(b: f64, j: py.int):
      less: py.int = subtract(j, 1)
      yield b, less
  z: f64 = for(range(0, 3), y):
    body(item: py.int, c: f64):
      d: f64 = add(c, item)
      yield d
  return z
"""

BRANCHES = """
f(p: py.bool, x: f64):
  y: f64 = cond(p):
    true():
      yield x
    false():
      yield 1.0
  z: f64 = call(g, y)
  return z

g(a: f64):
  return a
"""


def test_while() -> None:
    graph = parse(LOOPS)
    loop = as_loop(graph.equations[0])
    assert loop is not None and loop.kind == "while" and not loop.is_for
    assert as_for(graph.equations[0]) is None
    assert loop.iterable is None and loop.item is None and loop.constant_length is None
    assert loop.initial == graph.inputs
    assert [v.hint for v in loop.carried] == ["b", "j"]
    assert [v.hint for v in loop.results] == ["y", "k"]
    assert loop.test is not None and loop.in_order() == (loop.test, loop.body)


def test_for() -> None:
    loop = as_for(parse(LOOPS).equations[1])
    assert loop is not None and loop.test is None and loop.in_order() == (loop.body,)
    assert loop.iterable == range(3) and loop.constant_length == 3
    assert loop.item is not None and loop.item.hint == "item"
    assert [v.hint for v in loop.initial] == ["y"] and [v.hint for v in loop.carried] == ["c"]


def test_branch() -> None:
    graph = parse(BRANCHES)
    branch = as_branch(graph.equations[0])
    assert branch is not None and branch.predicate is graph.inputs[0]
    assert branch.side(True) is branch.on_true and branch.side(False) is branch.on_false
    assert list(branch.given()) == [(graph.inputs[1], 1.0)]


def test_call() -> None:
    _, equation = parse(BRANCHES).equations
    call = as_call(equation)
    assert call is not None and call.callee is equation.callee and call.callee.name == "g"
    assert not is_loop(equation) and as_loop(equation) is None and as_branch(equation) is None
