"""The reference interpreter: every op as a graph of its own, control flow, what its errors say."""

import math
import warnings
from typing import Any

import numpy as np
import pytest

from autograph.runtime.interpret.interpreter import run
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.types import type_of
from autograph.runtime.ops import OPS, Op
from autograph.runtime.ops.parse import parse
from tests.support.sample_graphs import COLLATZ, FACTORIAL, FIRST_ABOVE, SAMPLED, graphs_of

DEFINED = [op for op in SAMPLED if op.name not in ("empty", "empty_like")]


@pytest.mark.parametrize("op", DEFINED, ids=lambda op: op.name)
def test_graph_of_one_op_gives_what_the_kernel_gives(op: Op) -> None:
    for graph, inputs, given in graphs_of(op):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = run(graph, *inputs)
        expected = (given,) if len(graph.outputs) == 1 else tuple(given)
        np.testing.assert_equal(result, expected)
        assert list(map(type, result)) == list(map(type, expected))


def collatz(n: int) -> int:
    return 0 if n == 1 else 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)


@pytest.mark.parametrize("n", [1, 2, 7, 27])
def test_while_and_cond(n: int) -> None:
    assert run(parse(COLLATZ), np.int64(n)) == (collatz(n),)


@pytest.mark.parametrize("limit", [0.5, 2.0, 9.0])
def test_for_with_a_test_stops_before_the_next_item(limit: float) -> None:
    x = np.array([1.0, 2.0, 3.0])
    found = [bool(v > limit) for v in x]
    at, was_found, scaled, (total, rest) = run(parse(FIRST_ABOVE), x, np.float64(limit))
    assert (at, was_found) == (found.index(True) if any(found) else 2, any(found))
    np.testing.assert_array_equal(scaled, [2.0, np.inf])
    assert total == 5.0 and rest == [None, "a"]


@pytest.mark.parametrize("n", [1, 5, 30])
def test_call_of_a_graph_that_calls_itself(n: int) -> None:
    assert run(parse(FACTORIAL), n) == (math.factorial(n),)


def test_loop_with_no_rounds_gives_what_it_started_with() -> None:
    graph = parse("f(n: py.int):\n  span: py.range = range_(n)\n  s: py.int = for(span, 7):\n"
                  "    body(i: py.int, s_1: py.int):\n      yield i\n  return s")
    assert run(graph, 0) == (7,)
    assert run(graph, 3) == (2,)


def test_only_the_branch_that_is_taken_runs() -> None:
    graph = parse("f(p: py.bool):\n  a: any = cond(p):\n    true():\n      yield 1\n    false():\n"
                  "      b: py.float = divide(1, 0)\n      yield b\n  return a")
    assert run(graph, True) == (1,)
    with pytest.raises(ZeroDivisionError):
        run(graph, False)


def test_inputs_and_captured_arrays_are_left_alone() -> None:
    x = np.array([1.0, 2.0])
    graph = parse("f(x: f64[2]):\n  const c: f64[2] = [5.0, 6.0]\n"
                  "  y: f64[2] = setitem(x, 0, 9.0)\n"
                  "  z: f64[2] = setitem(c, 1, 9.0)\n  return y, z")
    for _ in range(2):
        y, z = run(graph, x)
        assert (y.tolist(), z.tolist(), x.tolist()) == ([9.0, 2.0], [5.0, 9.0], [1.0, 2.0])


def test_error_says_where_with_what_and_in_which_iteration() -> None:
    def user(x: Any) -> Any:
        return x

    location = Location(user.__code__, 2)
    graph = parse("f(x: f64[3], m: py.int):\n  span: py.range = range_(m)\n"
                  "  s: f64 = for(span, f64(0.0)):\n"
                  "    body(i: py.int, s_1: f64):\n      v: f64 = x[i]\n      yield v\n  return s")
    loop = graph.equations[1]
    loop.location = loop.regions[0].equations[0].location = location
    with pytest.raises(IndexError) as caught:
        run(graph, np.ones(3), 9)
    first, second = caught.value.__notes__
    assert f"test_interpreter.py:{location.line}" in first and "user" in first
    assert "x: float64(3,)" in first and "i: 3" in first
    assert second.startswith("in iteration 3 of the loop at ")


def test_error_without_a_location_names_the_op() -> None:
    with pytest.raises(ValueError, match="broadcast") as caught:
        run(parse("f(x: f64[n], y: f64[m]):\n  a: f64[?] = add(x, y)\n  return a"),
            np.ones(2), np.ones(3))
    assert caught.value.__notes__ == ["in add with x: float64(2,), y: float64(3,)"]


def test_raise_gives_a_new_error_every_time() -> None:
    error = KeyError("gone")
    graph = Graph("f", (), [Equation(OPS["raise_"], (error,), {}, (Value(type_of(None)),))])
    for _ in range(2):
        with pytest.raises(KeyError, match="gone") as caught:
            run(graph)
        assert caught.value is not error and not hasattr(caught.value, "__notes__")
