"""A method of one of two containers, as a branch decides."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def of_arguments(a: Any, b: Any, x: Any) -> Any:
    if x > 2:
        a.append(x)
    add = a.append if x > 1 else b.append
    add(x)
    add(2)
    return a, b


def of_two_classes(a: Any, b: Any, x: Any) -> Any:
    queue, numbers = deque([1]), {1}
    add = queue.append if x > 1 else numbers.add
    for k in range(3):
        add(k)
    return queue, numbers


def with_a_result(a: Any, b: Any, x: Any) -> Any:
    take = a.pop if x > 1 else b.pop
    return take(), a, b


def by_a_lookup(a: Any, b: Any, x: Any) -> Any:
    [a.append, b.append][int(x > 1)](x)
    {"a": a.append, "b": b.extend}["a" if x > 1 else "b"]([x])
    return a, b


def of_a_function(a: Any, b: Any, x: Any) -> Any:
    def pick() -> Any:
        return a.append if x > 1 else b.append

    pick()(3)
    return a, b


@pytest.mark.parametrize("options", [{}, {"effects": "runtime"}], ids=str)
@pytest.mark.parametrize("plain", [
    of_arguments, of_two_classes, with_a_result, by_a_lookup, of_a_function])
def test_the_chosen_method_is_called(plain: Callable[..., Any], options: dict[str, Any]) -> None:
    traced = ag.function(plain, **options)
    for x in (3.0, 0.5, -2.0):
        seen = []
        for function in (plain, traced):
            a, b = [1, 2], [3]
            seen.append(repr((function(a, b, np.float64(x)), a, b)))
        assert seen[0] == seen[1]
