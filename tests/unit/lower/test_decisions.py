"""`f.graph(stage="program")`: the remarks say how each equation runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag

LARGE = np.ones(100_000)


def smoothed(u: Any) -> Any:
    u = u.copy()
    for _ in range(100):
        v = np.sqrt(u * 2 + 1) - u
        u[1:-1] += v[2:]
        if u.max() > 100:
            break
    return u


def filled(n: Any) -> Any:
    table = np.zeros((40, 40))
    for i in range(1, 40):
        for j in range(1, 40):
            table[i, j] = max(table[i - 1, j], table[i, j - 1]) + i * j % 7
    return table + n


def halved(x: Any) -> Any:
    while x > 1.0:
        x = x / 2
    return x


def summed(a: Any) -> Any:
    b = a @ a
    c = b + 1.0
    return c


@pytest.mark.parametrize(("function", "argument", "remarks"), [
    (smoothed, LARGE, ["left by break where stop is set", "these 4 equations in tiles",
                       "done by the operation before it, with out="]),
    (filled, 1.0, ["on nested lists: table", "in place"]),
    (halved, np.float64(9.0), ["this equation on Python's numbers, or again on NumPy's"]),
    (summed, np.ones((300, 300)), ["in the memory of an operand that is of no more use"]),
])
def test_remarks(function: Any, argument: Any, remarks: list[str]) -> None:
    text = ag.function(function).graph(argument, stage="program")
    found = [line.strip() for line in text.splitlines() if line.strip().startswith("^")]
    assert found
    for remark in remarks:
        assert any(remark in line for line in found), text


def test_a_graph_without_decisions_is_printed_as_it_is() -> None:
    f = ag.function(lambda x: x + 1)
    assert f.graph(np.ones(3), stage="program") == str(f.graph(np.ones(3)))
    assert f.experimental_get_compiler_ir(np.ones(3))(stage="program") == str(f.graph(np.ones(3)))
