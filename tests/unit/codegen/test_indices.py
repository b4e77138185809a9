"""Every form of index, alone and in pairs, in loads, stores and updates, on both executors."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag

PARTS: tuple[str, ...] = (
    "0", "-1", "i", "1:", ":-1", "::2", "i:", "...", "None", "True", "(0, 2)", "(0, -1)", "(i, 0)",
    "[0, 2]", "[i, 1]", "(True, False, True)", "[True, False, True]", "rows", "mask",
    "((0, 1), (1, 2))", "()", "[]", "[[]]", "slice(1, 3)")
ALONE = ("table", "table.T", "(table, 0)", "slice(i, None)", "((0, 1), (1, 2))",
         "([0, 1], (1, 2))", "((0, 1),)")
INDICES = [*ALONE, *PARTS, *(f"{a}, {b}" for a, b in product(PARTS, PARTS))]

TEMPLATE = '''
def load(a, i, rows, mask, table):
    return a[{0}]

def store(a, i, rows, mask, table):
    a[{0}] = 7.0
    return a

def update(a, i, rows, mask, table):
    a[{0}] += 1.0
    return a.sum()
'''


def outcome(function: Callable[..., Any]) -> tuple[Any, ...]:
    """The type, dtype, shape and contents of the result and of the array; or the exception."""
    a = np.arange(9.0).reshape(3, 3)
    table = a % 2 == 0
    try:
        result = function(a, np.int64(1), np.array([2, 0]), np.array([True, False, True]), table)
    except Exception as error:
        return type(error).__name__, str(error), a.tolist()
    return type(result), result.dtype, result.shape, result.tolist(), a.tolist()


def functions(index: str) -> list[Callable[..., Any]]:
    """The three programs for an index; their source is where Python looks for it."""
    name = f"<index {index}>"
    text = TEMPLATE.format(index)
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, Any] = {}
    exec(compile(text, name, "exec"), scope)
    return [scope["load"], scope["store"], scope["update"]]


def check(index: str) -> None:
    for function in functions(index):
        expected = outcome(function)
        for executor in ("python", "interpreter"):
            traced = ag.function(function, executor=executor)
            assert [outcome(traced), outcome(traced)] == [expected, expected], (index, executor)


@pytest.mark.parametrize("index", INDICES[::5])
def test_index_is_numpys(index: str) -> None:
    check(index)


@pytest.mark.slow
@pytest.mark.parametrize("index", [x for n, x in enumerate(INDICES) if n % 5])
def test_index_is_numpys_in_full(index: str) -> None:
    check(index)
