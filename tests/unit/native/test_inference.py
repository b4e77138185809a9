"""Which loops have a native form: a kernel works on one copy of each array that it writes."""

import numpy as np
import pytest

from autograph.runtime.interpret.interpreter import run
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.regions import as_loop, is_loop
from autograph.runtime.lower.in_place import plan_inplace
from autograph.runtime.native.inference import native_loop
from autograph.runtime.native.kernel import Kernel
from autograph.runtime.native.kinds import NotNative
from autograph.runtime.ops.parse import parse

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

ONE = """\
f(x: f64[4]):
  a: f64[4] = add(x, 1.0)
  b: f64[4] = for(range(0, 4), a):
    body(i: py.int, b_1: f64[4]):
      c: f64 = b_1[i]
      d: f64 = multiply(c, 2.0)
      e: f64[4] = setitem(b_1, i, d)
      yield e
  return b
"""
TWO_FROM_ONE = """\
f(x: f64[4]):
  a: f64[4] = add(x, 1.0)
  b: f64[4], c: f64[4] = for(range(0, 4), a, a):
    body(i: py.int, b_1: f64[4], c_1: f64[4]):
      d: f64[4] = setitem(b_1, i, 7.0)
      e: f64 = c_1[i]
      g: f64 = multiply(e, 2.0)
      h: f64[4] = setitem(c_1, i, g)
      yield d, h
  return b, c
"""
READ_AS_IT_WAS = """\
f(x: f64[4]):
  a: f64[4] = add(x, 1.0)
  b: f64[4] = for(range(0, 4), a):
    body(i: py.int, b_1: f64[4]):
      c: py.int = subtract(3, i)
      d: f64 = a[c]
      e: f64[4] = setitem(b_1, i, d)
      yield e
  return b
"""


def kernel_of(graph: Graph) -> tuple[Kernel, list[object]]:
    """The kernel of the graph's loop, and what it takes if the graph's input is 0, 1, 2, 3."""
    (loop,) = filter(is_loop, graph.equations)
    native = native_loop(loop, plan_inplace(graph))
    assert as_loop(loop) is not None and [v.hint for v in native.inputs] == ["a"]
    return Kernel(native), [np.arange(4.0) + 1]


def test_one_array() -> None:
    graph = parse(ONE)
    kernel, values = kernel_of(graph)
    found = kernel(*values)
    assert found is not None
    assert found[0].tolist() == run(graph, np.arange(4.0))[0].tolist() == [2, 4, 6, 8]


@pytest.mark.parametrize("text", [TWO_FROM_ONE, READ_AS_IT_WAS], ids=["two", "read"])
def test_an_array_that_is_also_read_as_it_was_is_refused(text: str) -> None:
    with pytest.raises(NotNative, match="written and also read as it was"):
        kernel_of(parse(text))
