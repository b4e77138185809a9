"""An error of a graph names the very expression that failed, and the user's variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def element_in_a_branch(x, idx):
    y = 0.0
    for i in idx:
        if x[i] == 0:
            y += x[i + 10]
    return y


def branch_that_is_an_expression(n):
    for i in range(n):
        x = np.zeros(3)
        if x[i] == 0:
            y = x[i + 10]
    return y


def index_in_a_sum(x, n):
    return np.tanh(x) + x.reshape(-1, 2)[n - x.sum().astype(int)]


def two_reads_in_a_line(a, n):
    total = a[0]
    while total < n:
        total = total + a[total + 5] * a[total]
    return total


def second_of_two(x, i, j):
    z = x[i] * 2 + x[j] * 3
    return z


def same_index_twice(x, i):
    return x[i] + x[i] * 2 + x.reshape(1, -1)[i, 0]


CASES = [
    (element_in_a_branch, (np.zeros(12), np.array([1, 5])), "x[i + 10]",
     "x: float64(12,), idx: int64(2,), y: np.float64(0.0), i: np.int64(5)"),
    (branch_that_is_an_expression, (np.int64(4),), "x[i + 10]",
     "n: np.int64(4), i: 0, x: float64(3,)"),
    (index_in_a_sum, (np.ones((3, 2)), np.int64(12)), "x.reshape(-1, 2)[n - x.sum().astype(int)]",
     "x: float64(3, 2), n: np.int64(12)"),
    (two_reads_in_a_line, (np.array([0, 1, 2]), np.int64(100)), "a[total + 5]",
     "a: int64(3,), n: np.int64(100), total: np.int64(0)"),
    (second_of_two, (np.zeros(3), np.int64(0), np.int64(7)), "x[j]",
     "x: float64(3,), i: np.int64(0), j: np.int64(7)"),
    (same_index_twice, (np.zeros(3), np.int64(2)), "x.reshape(1, -1)[i, 0]",
     "x: float64(3,), i: np.int64(2)"),
]


@pytest.mark.parametrize(("function", "arguments", "place", "known"), CASES,
                         ids=[case[0].__name__ for case in CASES])
def test_the_note_names_what_failed(function: Callable[..., Any], arguments: tuple[Any, ...],
                                    place: str, known: str) -> None:
    with pytest.raises(IndexError) as caught:
        ag.function(function)(*arguments)
    note, *rounds = caught.value.__notes__
    loops = function in (branch_that_is_an_expression, two_reads_in_a_line)
    assert [r.partition(" at ")[0] for r in rounds] == ["in iteration 0 of the loop"] * loops
    _, line, carets, variables = note.split("\n")
    start = carets.index("^")
    assert line[start:start + carets.count("^")] == place
    assert variables == f"  with {known}"
    last = caught.traceback[-1]
    assert (str(last.path), last.lineno) == (
        function.__code__.co_filename, _line_of(function, line))


def _line_of(function: Callable[..., Any], text: str) -> int:
    """The line's number, as pytest counts, from 0."""
    with open(function.__code__.co_filename, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = function.__code__.co_firstlineno - 1
    return next(n for n, line in enumerate(lines) if n > first and line.strip() == text.strip())


def checked(x: np.ndarray, count: int) -> np.ndarray:
    for row in x:
        if row < 0:
            raise ValueError(f"row {row} is negative")
        assert row < 9, "too large"
    total = x.sum()
    assert count, "count is not large"
    return total


@pytest.mark.parametrize("value", [-1.0, 10.0, 2.0])
@pytest.mark.parametrize("debug", [False, True])
def test_errors_of_the_users_own_have_no_notes(value: float, debug: bool,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    """Doctest compares the last line that is printed, and `match=` of pytest looks at all notes."""
    monkeypatch.setattr(ag.config, "debug", debug)
    with pytest.raises((ValueError, AssertionError), match=r"negative$|large$") as raised:
        ag.function(checked)(np.array([1.0, 2.0, value]), 0)
    assert not hasattr(raised.value, "__notes__")
