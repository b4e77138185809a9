"""Graphs to test with: one for every sample of every op, and a few that are written out."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Equation, Graph, Value, map_leaves
from autograph.runtime.ir.types import type_of
from autograph.runtime.ops import OPS, Op

COLLATZ = """\
collatz(n: i64):
  n_1: any, steps: any = while(n, 0):
    test(n_2: any, steps_1: any):
      a: any = not_equal(n_2, 1)
      yield a
    body(n_3: any, steps_2: any):
      b: any = mod(n_3, 2)
      c: any = equal(b, 0)
      n_4: any = cond(c):
        true():
          d: any = floor_divide(n_3, 2)
          yield d
        false():
          e: any = multiply(3, n_3)
          f: any = add(e, 1)
          yield f
      steps_3: any = add(steps_2, 1)
      yield n_4, steps_3
  return steps"""

FIRST_ABOVE = """\
first_above(x: f64[n], limit: f64):
  const step: f64[2] = [1.0, inf]
  rows: py.int = len_(x)
  span: py.range = range_(rows)
  at: any, found: any = for(span, -1, False):
    body(i: py.int, at_1: any, found_1: any):
      v: f64 = x[i]
      above: bool = greater(v, limit)
      yield i, above
    test(at_2: any, found_2: any):
      go: py.bool = not_(found_2)
      yield go
  head: f64[?] = x[1:, ...]
  s: f64 = sum(head, axis=0, dtype=dtype('f64'))
  scaled: f64[2] = multiply(step, f64(2.0))
  return at, found, scaled, (s, [None, 'a'])"""

FACTORIAL = """\
main(n: py.int):
  r: any = call(factorial, n)
  return r

factorial(n_1: py.int):
  last: py.bool = less_equal(n_1, 1)
  out: any = cond(last):
    true():
      yield 1
    false():
      less_one: py.int = subtract(n_1, 1)
      inner: any = call(factorial, less_one)
      product: any = multiply(n_1, inner)
      yield product
  return out"""


def graph_of(op: Op, args: Any, kwargs: Any) -> tuple[Graph, list[Any]]:
    """A graph of one call of an op whose arrays are inputs, and those arrays."""
    inputs: list[Value] = []
    arrays: list[Any] = []

    def leaf(x: Any) -> Any:
        if not isinstance(x, (np.ndarray, np.generic)):
            return x
        inputs.append(Value(type_of(x)))
        arrays.append(x)
        return inputs[-1]

    low_args, low_kwargs = map_leaves(leaf, args), map_leaves(leaf, kwargs)
    types = op.infer(*map_leaves(_type, low_args), **map_leaves(_type, low_kwargs))
    outputs = tuple(Value(t) for t in (types if isinstance(types, tuple) else (types,)))
    equation = Equation(op, low_args, low_kwargs, outputs)
    return Graph(op.name, tuple(inputs), [equation], outputs), arrays


def _type(x: Any) -> Any:
    return x.type if isinstance(x, Value) else x


def graphs_of(op: Op) -> Iterator[tuple[Graph, list[Any], Any]]:
    """(graph, inputs, what the kernel gives) for every sample of an op."""
    for args, kwargs in op.samples:
        graph, arrays = graph_of(op, args, kwargs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield graph, arrays, op.kernel(*args, **kwargs)


SAMPLED = [op for op in OPS.values() if op.samples]
