"""Values that conditions compute, and of which only one side of an `and` or `or` asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.test_numeric_programs import load


class Box:
    def __init__(self, rest: Any) -> None:
        self.rest = rest


def shared_in_a_test(a: Any) -> Any:
    i, rounds = a[0], 0
    while (lambda one: i == 0 or (one and rounds < 5))(i == 1):
        rounds += 1
        i = a[1] + 1 if i == 0 else 2
    return rounds


def shared_on_a_side(a: Any) -> Any:
    first, other = a
    return first > 3 or (lambda small: first > other and (other > 2 or small))(other - first < -1)


def walk(a: Any) -> Any:
    box, rounds = None, 0
    for v in a:
        if v > 1:
            box = Box(box)
    while box:
        rounds, box = rounds + 1, box.rest
    return rounds


@pytest.mark.parametrize("function", [shared_in_a_test, shared_on_a_side, walk])
def test_every_value_is_computed_where_it_is_asked_for(function: Callable[..., Any]) -> None:
    traced = ag.function(function)
    for x in range(4):
        for y in range(4):
            a = np.array([x, y])
            assert traced(a) == function(a)


@pytest.mark.parametrize("word", ["and", "or"])
@pytest.mark.parametrize("count", [3, 30, 125])
def test_a_chain_is_one_expression(word: str, count: int) -> None:
    chain = f" {word} ".join(f"x[{i}] > {i}" for i in range(count))
    function = load(f"def f(x):\n    return {chain}\n", f"<chain of {count} by {word}>")
    x = np.arange(float(count)) + (word == "and")
    traced = ag.function(function)
    assert traced(x) == function(x)
    text = str(traced.graph(x, stage="program"))
    assert " if " not in text and text.count(f" {word} ") == count - 1


def test_a_loop_in_one_side_says_nothing_of_the_other() -> None:
    """There, `c` is read once more before it gets its next value."""
    def f(a, b, x):
        c, z, y, k = 1, x, x * 2, 0
        while k < 3 and y.sum() > b:
            k = k + 1
            x = y[:]
            if a > a:
                j = a % 3
                while j < 3 and y[a % 2] >= b:
                    j = j + 1
                    c = a
            else:
                a = (a + b) % 11
                x[:2] = c * 3 % 7
                c, b = abs(a), c * 3 % 7
            z[1:] = abs(c)
        return a, b, c, x, y, z

    plain, own = (repr(g(np.int64(2**62), np.int64(3), np.array([2**62, 5])))
                  for g in (f, ag.function(f)))
    assert plain == own
