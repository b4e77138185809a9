"""Long comprehensions are one loop of the graph, and loops over large lists run while tracing."""

import copy
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.graph import equations_in
from tests.support.amount import sample
from tests.support.functions_of_text import function_of

ELEMENTS = (
    "x * i", "x[0] * i", "(i, x[0])", "[x[0], i]", "{'a': x[0] * i}", "{i, x[0]}", "x[:2]", "x",
    "x[i % 3] if i % 2 else i", "None if i % 2 else x[0]", "i if x[0] > 1 else -i",
    "f'{i}:{x[0]}'", "complex(x[0], i)", "np.float32(x[0]) + i", "range(i)", "c",
    "c.append(i) or x[0]", "d.setdefault(i, x[0])", "next(it) * x[0]", "q.pop() * x[0]",
    "np.random.rand() * x[0]", "bool(x[0] > i)", "[x[0] * j for j in range(3)]", "print",
    "x * (1 / (i - 500.5))")
SOURCES = "range(400)", "range(400)[::-1]", "list(range(400))", "tuple(range(7, 407))"
USES = (
    "a", "a[3]", "a[-1]", "a[2:7]", "len(a)", "np.array(a[:1])", "a + [1]", "[v for v in a]",
    "a.append(1), len(a)", "list(zip(a, range(3)))", "(a.reverse(), a[0])[1]",
    "[a[i] for i in range(0, 300, 100)]", "sum(1 for v in a)", "a.pop(), len(a)", "a == list(a)",
    "(a.insert(0, 7), a[:3])[1]", "a[int(x[0])]", "list(enumerate(a))[5]", "type(a[0])",
    "(a.__setitem__(2, 5), a[:4])[1]")


def program(element: str, source: str, use: str) -> Any:
    text = ("def f(x):\n"
            "    c, d, it, q = [], {}, iter(range(1000)), list(range(1000))\n"
            f"    a = [{element} for i in {source}]\n"
            f"    found = {use}\n"
            "    return found, c[:3], len(d), len(q)\n")
    return function_of(text, f"<{element} for i in {source}: {use}>", {"np": np})


def outcome(f: Any, x: Any) -> str:
    np.random.seed(1)  # noqa: NPY002  # the programs draw from it
    return repr(f(x))


@pytest.mark.filterwarnings("ignore::autograph.errors.UnrollingWarning")
@pytest.mark.parametrize(("element", "source", "use"),
                         sample(product(ELEMENTS, SOURCES, USES), 23))
def test_agrees_with_plain(element: str, source: str, use: str) -> None:
    f = program(element, source, use)
    traced = ag.function(f)
    for x in np.array([1.5, 2.0, -3.0]), np.array([0.5, 1.0, 7.0]):
        assert outcome(traced, x.copy()) == outcome(f, x.copy())


@pytest.mark.parametrize("element", ["x[0] * i", "np.random.exponential()", "(i, x[0] + i)"])
@pytest.mark.parametrize("source", ["range(2000)", "x", "list(range(2000))"])
def test_the_graph_does_not_grow_with_the_items(element: str, source: str) -> None:
    graph = ag.function(program(element, source, "len(a)")).graph(np.ones(2000))
    assert sum(1 for _ in equations_in(graph)) < 40


def correlated(images: list[Any], filters: list[Any]) -> list[Any]:
    size, side = len(images[0]), len(filters[0])
    found = [[[0] * (size - side + 1) for _ in range(size - side + 1)] for _ in images]
    for k in range(len(images)):
        for i in range(size - side + 1):
            for j in range(size - side + 1):
                for m in range(side):
                    for n in range(side):
                        found[k][i][j] += images[k][i + m][j + n] * filters[k][m][n]
    return found


@pytest.mark.parametrize("count", [2, 4, 16])
def test_a_nest_over_large_plain_lists_runs_while_tracing(count: int) -> None:
    images = [[[i * j + k for i in range(20)] for j in range(20)] for k in range(count)]
    filters = [[[i - j + k for i in range(4)] for j in range(4)] for k in range(count)]
    traced: Any = ag.function(correlated)
    args = copy.deepcopy((images, filters))
    assert traced(*args) == correlated(images, filters)
    assert args == (images, filters)
    (trace,) = traced.__ag_dispatcher__.traces.values()
    assert not list(equations_in(trace.program.graph))
