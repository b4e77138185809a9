"""Short loops are unrolled as long as all their copies, of the whole nest, are few."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions import trace_function
from autograph.runtime.ir.graph import equations_in
from autograph.staging import loops


def product(a, b, c):
    for i in range(8):
        for j in range(8):
            for k in range(8):
                c[i, j] += a[i, k] * b[k, j]
    return c


def row(x, i):
    for j in range(7):
        x[i, j] += x[j, i] * 0.5
    return x


def through_calls(x):
    for i in range(7):
        x = row(x, i)
    return x


def stopped(x):
    for i in range(8):
        for j in range(8):
            if x[i, j] > 0.95:
                break
            x[j, i] = x[i, j] * x[j, i] + i
    return x, i, j


def found(x):
    for i in range(8):
        for j in range(6):
            for _ in range(5):
                if x[i, j] > 0.9:
                    return i, j, x[i, j]
                x[i, j] += 0.01
    return None


def filtered(x):
    y = np.zeros((6, 6))
    for i in range(3):
        for j in range(3):
            y += x[i:i + 6, j:j + 6] * (i - j)
    return y


def many_lines(x):
    for i in range(8):
        x = np.sin(x) + np.cos(x) * i
        x = x / (1.0 + np.abs(x)) - np.max(x) + np.min(x)
        x = np.where(x > 0, np.sqrt(np.abs(x)), x * x) + np.cumsum(x)
        x = x - x.mean() + x[::-1] * 0.5 + np.arange(8.0)
        x = np.clip(x, -2.0, 2.0) * np.exp(-np.abs(x))
        x = np.tanh(x) + np.floor(x) * 0.25 - np.ceil(x) * 0.125
    return x


def needs_numbers(x):
    shapes, total = [(8,), (2, 4), (4, 2)] * 2, 0.0
    for k in range(6):
        y = x[0].reshape(shapes[k])
        for j in range(8):
            total = total + y.ravel()[j] * y.shape[0]
            total = total * 0.5 + y.ndim * j
            total = np.sqrt(total * total + 1.0)
    return total


RANDOM = np.random.default_rng(3)
SQUARE = RANDOM.random((8, 8))
CASES: list[tuple[Any, tuple[Any, ...], int]] = [
    (product, (SQUARE, SQUARE.T.copy(), np.zeros((8, 8))), 100), (through_calls, (SQUARE,), 100),
    (stopped, (SQUARE,), 100), (found, (SQUARE * 0.8,), 100), (filtered, (SQUARE,), 60),
    (many_lines, (SQUARE[0],), 100), (needs_numbers, (SQUARE,), 600),
]


@pytest.mark.parametrize(("f", "args", "most"), CASES, ids=[f.__name__ for f, _, _ in CASES])
def test_graphs_stay_short_and_results_exact(f: Any, args: Any, most: int) -> None:
    traced = ag.function(f)
    for scale in (1.0, 1.1):
        mine, plain = ([x * scale for x in args] for _ in range(2))
        got, expected = traced(*mine), f(*plain)
        pairs = zip(got, expected, strict=True) if type(got) is tuple else [(got, expected)]
        for a, b in pairs:
            np.testing.assert_array_equal(a, b)
            assert type(a) is type(b)
        for a, b in zip(mine, plain, strict=True):
            np.testing.assert_array_equal(a, b)
    (trace,) = traced.__ag_dispatcher__.traces.values()
    assert sum(1 for _ in equations_in(trace.program.graph)) <= most


def test_few_copies_are_unrolled() -> None:
    graph = ag.function(filtered).graph(SQUARE)
    assert "for(" not in str(graph)


def nested(depth: int) -> Any:
    lines = [f"{'    ' * k}for i{k} in range(2):" for k in range(1, depth + 1)]
    scope: dict[str, Any] = {}
    source = "\n".join(["def f(x):", *lines, "    " * (depth + 1) + "x[0] += 1.0", "    return x"])
    name = f"<nest of {depth}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


def test_a_level_more_does_not_double_the_iterations_that_are_traced(monkeypatch: Any) -> None:
    runs, unrolled = [0], loops._unrolled

    def counted(*args: Any) -> Any:
        runs[0] += 1
        return unrolled(*args)

    monkeypatch.setattr(loops, "_unrolled", counted)
    counts = []
    for depth in (9, 12):
        before = runs[0]
        assert ag.function(nested(depth))(np.zeros(2))[0] == 2.0 ** depth
        counts.append(runs[0] - before)
    assert counts[1] < 4 * counts[0], counts


def loop_inside(x):
    for step in range(5):
        potential = np.zeros(3)
        for i in range(len(x)):
            square = (x - x[i]) * (x - x[i]) + 0.0025
            weight = 1.0 / np.sqrt(square) ** 3
            potential += np.sum(weight * (x - x[i])) - 0.5 * np.sum(weight[:3]) * x[i]
        x = x + np.sum(potential) * 1e-3 * step
        x = np.where(x > 8.0, 8.0 - x, x) + np.tanh(potential[0])
    return x


@pytest.mark.parametrize("f", [many_lines, loop_inside])
def test_a_long_body_is_not_tried_iteration_by_iteration_first(f: Any, monkeypatch: Any) -> None:
    attempts, attempt = [0], trace_function.attempt

    def counted(*args: Any) -> Any:
        attempts[0] += 1
        return attempt(*args)

    monkeypatch.setattr(trace_function, "attempt", counted)
    np.testing.assert_array_equal(ag.function(f)(SQUARE[0]), f(SQUARE[0]))
    assert attempts[0] == 1


def mostly_numbers(x):
    for k in range(4):
        n = k * 3 + k * k * 7 + (k - 1) * (k + 2) * (k + 4) + k * k * k * 5 + (k * 2 - 1) * (k - 3)
        m = n * 2 + n * n * 3 + (n - 1) * (n + 2) * (n + 4) + n * n * n * 5 + (n * 2 - 1) * (n - 3)
        m = m * 2 + m * k * 3 + (m - 1) * (m + 2) * (m + 4) + m * k * m * 5 + (m * 2 - 1) * (m - 3)
        m = (m * 2 + m * k * 3 + (m - 1) * (m + 2) * (m + 4) + m * 5 + (m * 2 - 1) * (m - 3)) % 5
        m = (m * 2 + m * k * 3 + (m - 1) * (m + 2) * (m + 4) + m * 5 + (m * 2 - 1) * (m - 3)) % 5
        m = (m * 2 + m * k * 3 + (m - 1) * (m + 2) * (m + 4) + m * 5 + (m * 2 - 1) * (m - 3)) % 5
        m = (m * 2 + m * k * 3 + (m - 1) * (m + 2) * (m + 4) + m * 5 + (m * 2 - 1) * (m - 3)) % 5
        x = x + x[m]
    return x


def test_a_long_body_of_known_numbers_stays_unrolled() -> None:
    graph = ag.function(mostly_numbers).graph(SQUARE[0])
    assert sum(1 for _ in equations_in(graph)) <= 8
