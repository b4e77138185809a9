"""What may raise is evaluated in the order of the user's program, wherever its text stands."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import run


def first_item_first(x, y, a):
    for i in range(0, 40, 2):
        x[i], x[i + 1] = y[0], a[-1, i + 9]
    return x


def sum_first(x, y, a):
    x[4], x[0] = 2 ** 40 + y[2], -3 | a[0, 9]
    return x


def row_before_index(x, y, a):
    v = y + x[0]
    for _ in range(2):
        x[9] += 0.5
    return v


def other_way_round(x, y, a):
    first, second = x[9], y[9]
    return second - first


def in_a_choice(x, y, a):
    first, second = x[9], y[9]
    return second - first if x[0] > 1 else second


def index_after_value(x, y, a):
    x[int(y[9])] = a[9, 9]
    return x


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("length", [7, 100_000])
def test_what_a_group_wrote_before_a_view_that_is_out_of_bounds(native: bool, length: int) -> None:
    """A view that may fail is not moved before a group of operations on arrays."""
    def shifted(x, rows):
        x += 1
        y = np.sin(x * 2.0)
        row = rows[7]
        return y * x, row, rows[1:], rows.T

    converted = ag.function(shifted, jit_compile=native)
    for count in (6, 8):
        given = np.zeros(length), np.ones((count, 2))
        plain, found = run(shifted, given), run(converted, given)
        assert (found.told, found.describe()) == (plain.told, plain.describe())


FUNCTIONS = [first_item_first, sum_first, row_before_index, other_way_round, in_a_choice,
             index_after_value]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("native", [False, None])
def test_order(function: Callable[..., Any], native: bool | None) -> None:
    converted = ag.function(function, jit_compile=native)
    for sizes in ((0, 5), (5, 0), (5, 5)):
        given = (*(np.arange(n, dtype="i2") for n in sizes), np.zeros((1, 5), bool))
        plain, found = run(function, given), run(converted, given)
        assert (found.told, found.describe()) == (plain.told, plain.describe())


def test_arrays_that_share_memory_and_are_written_before_an_error() -> None:
    def fill(x, y, a):
        for i in range(len(x)):
            x[i:] -= 3
            for k in range(len(y)):
                y[i + 1], x[k] = 1.0, a[k + i]
            x[i + 1] *= 0.5 >> a.argmin()

    def called(function: Callable[..., Any]) -> list[float]:
        base = np.arange(17.0)
        with pytest.raises(IndexError, match="index 2"):
            function(base[:-1], base[1:], np.ones(2))
        return base.tolist()

    assert called(ag.function(fill)) == called(fill)
