"""Loops over tables of lists: one loop over objects of the graph where the copies are many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.graph import equations_in
from autograph.staging import loops
from tests.support.outcome import run


def chain(p):
    n = len(p) - 1
    cost = [[0.0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i][j] = float("inf")
            for k in range(i, j):
                c = cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1]
                if c < cost[i][j]:
                    cost[i][j] = c
    return cost[0][n - 1]


def knapsack(weights, values, room):
    n = len(weights)
    best = [[0] * (room + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for c in range(room + 1):
            best[i][c] = best[i - 1][c]
            if weights[i - 1] <= c and best[i - 1][c - weights[i - 1]] + values[i - 1] > best[i][c]:
                best[i][c] = best[i - 1][c - weights[i - 1]] + values[i - 1]
    return best[n][room], best


def subsequence(a, b):
    length = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                length[i + 1][j + 1] = length[i][j] + 1
            else:
                length[i + 1][j + 1] = max(length[i][j + 1], length[i + 1][j])
    found = []
    i, j = len(a), len(b)
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            found.append(a[i - 1])
            i -= 1
            j -= 1
        elif length[i - 1][j] >= length[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return length[-1][-1], found[::-1]


def cheapest_path(grid):
    for i in range(len(grid)):
        for j in range(len(grid[0])):
            if i and j:
                grid[i][j] += min(grid[i - 1][j], grid[i][j - 1])
            elif i or j:
                grid[i][j] += grid[i - 1][j] if i else grid[i][j - 1]
    return grid[-1][-1]


def shared_rows(x):
    row = [0.0] * 20
    table = [row for _ in range(3)] + [[1.0] * 20]
    for i in range(1, 20):
        for j in range(4):
            if x[i] > j:
                table[j][i] = table[j][i - 1] + x[i]
            else:
                table[3][i] -= x[i] * table[j - 1][i - 1]
    return table, row


def of_all_kinds(x):
    table = [[None] * 15 for _ in range(15)]
    for i in range(15):
        for j in range(15):
            if i == 0 or j == 0:
                table[i][j] = 1
            elif x[i] > x[j]:
                table[i][j] = table[i - 1][j] + table[i][j - 1]
            else:
                table[i][j] = f"{i}s" if table[i][j] is not None else table[i - 1][j - 1]
    return table


def raising(x):
    table = [[0.0] * 15 for _ in range(15)]
    for i in range(15):
        for j in range(15):
            if x[i] > x[j]:
                table[i][j] = table[i - 1][j] + 1
            if table[i][j] > 12:
                raise ValueError(f"too large: {table[i][j]} at {i}, {j}")
    return table


def weighted(x, layers):
    for i in range(len(layers)):
        for _ in range(20):
            x = np.tanh(x @ layers[i][0] + layers[i][1]) if x.sum() > 0 else x - layers[i][1]
    return x


def flat(x):
    best = [0.0] * len(x)
    for i in range(1, len(x)):
        for k in (1, 2, 3):
            if x[i] * k > best[i - 1]:
                best[i] = max(best[i - k], best[i - 1]) + x[i]
            else:
                best[i] -= k
    return best


def rows_of_arrays(x):
    rows = [None] * 60
    for i in range(60):
        rows[i] = np.sin(x) * i + np.cos(x) - np.abs(x * 2) * np.exp(-x * i)
    return np.stack(rows).sum(axis=0)


def averages(x):
    table = [[0.0] * len(x) for _ in range(3)]
    for i in range(1, 11):
        for j in range(3):
            table[j][i] = table[j - 1][i - 1] * 0.5 + x[i] * x[i - j]
    return table[1][10]


R = np.random.default_rng(1)


def floats(n):
    return R.integers(1, 50, n).astype(float)


LAYERS = [(R.random((3, 3)), R.random(3)) for _ in range(12)]
PROGRAMS: list[tuple[Any, list[tuple[Any, ...]]]] = [
    (chain, [(floats(6),), (floats(15),), (floats(31),)]),
    (knapsack, [([3, 4, 5, 9, 4] * 3, [3, 4, 4, 10, 4] * 3, 30),
                (floats(9).astype(int), floats(9), 25)]),
    (subsequence, [(floats(20) // 10, floats(25) // 10), ("abcbdabhellofds", "bdcabaasdhelkfd")]),
    (cheapest_path, [([floats(19).tolist() for _ in range(18)],), (floats(72).reshape(8, 9),)]),
    (shared_rows, [(floats(20) / 10,), (floats(20) / 10,)]),
    (of_all_kinds, [(floats(15),), (floats(15),)]),
    (raising, [(floats(15),), (np.arange(15.0),), (np.arange(15.0)[::-1],)]),
    (flat, [(floats(50),), (floats(50)[::-1],)]), (rows_of_arrays, [(np.ones(3),), (np.ones(3),)]),
    (averages, [(floats(11),), (floats(11),)]),
    (weighted, [(np.ones(3), LAYERS), (-np.ones(3), LAYERS)]),
]


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}],
                         ids=["default", "runtime"])
@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_results_and_arguments_are_those_of_plain_python(f: Any, calls: Any, options: Any) -> None:
    traced = ag.function(f, **options)
    for args in [*calls, *calls]:
        got, expected = run(traced, args), run(f, args)
        assert got.describe() == expected.describe()
        assert got.told.partition("\n")[0] == expected.told


def length_of(f: Any, *args: Any) -> int:
    graph = ag.function(f).get_concrete_function(*args).program.graph
    return sum(1 for _ in equations_in(graph))


def test_a_larger_table_makes_no_longer_loop() -> None:
    assert length_of(chain, floats(31)) - length_of(chain, floats(21)) <= 20  # a row is one


def test_a_small_table_stays_copies_with_known_types() -> None:
    assert "py.list" not in str(ag.function(chain).graph(floats(6)))


def test_lists_of_arrays_stay_pythons() -> None:
    assert "py.list" not in str(ag.function(weighted).graph(np.ones(3), LAYERS))
    assert "any" not in str(ag.function(rows_of_arrays).graph(np.ones(3)))


def test_what_needs_values_takes_the_longer_graph(monkeypatch: Any) -> None:
    monkeypatch.setattr(loops, "LONG", 20)
    x = floats(11)
    traced = ag.function(averages)
    concrete = traced.get_concrete_function(x)
    assert concrete.in_full is not None
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = traced(x)
    found = tape.gradient(y, x)
    np.testing.assert_array_equal(found, ag.grad(averages)(x))
    step = np.eye(11)[4] * 1e-6
    slope = (averages(x + step) - averages(x - step)) / 2e-6
    np.testing.assert_allclose(found[4], slope, rtol=1e-6)


def test_exports_hold_the_loop(monkeypatch: Any) -> None:
    reference = pytest.importorskip("onnx.reference")
    monkeypatch.setattr(loops, "LONG", 20)
    x = floats(11)
    model = ag.export_onnx(None, ag.function(averages), x)
    assert [node.op_type for node in model.graph.node].count("Loop") == 1
    found = reference.ReferenceEvaluator(model).run(None, {model.graph.input[0].name: x})
    np.testing.assert_array_equal(found[0], averages(x))
