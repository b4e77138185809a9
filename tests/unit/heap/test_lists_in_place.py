"""`l += items` changes the list that `l` is, whatever made the items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def by_condition(a: Any, b: Any, x: Any) -> Any:
    a += [x for k in range(2) if k > 0]
    b.append(1)
    return a is b


def by_the_run(a: Any, b: Any, x: Any) -> Any:
    a += [k for k in (1, 2, 3) if k < x]
    b.append(1)
    return a is b


def in_a_branch(a: Any, b: Any, x: Any) -> Any:
    if x > 2:
        a += [x for _ in range(2)]
    b.append(1)
    return a is b


def of_an_item(a: Any, b: Any, x: Any) -> Any:
    held = [a]
    held[0] += [x * k for k in (1, 2)]
    return held[0] is b, [x for _ in range(2)]


def of_a_sum(a: Any, b: Any, x: Any) -> Any:
    c = a + [x for _ in range(2)]
    return c is a, c


@pytest.mark.parametrize("options", [{}, {"effects": "runtime"}], ids=str)
@pytest.mark.parametrize("plain", [by_condition, by_the_run, in_a_branch, of_an_item, of_a_sum])
def test_the_list_stays_one_object(plain: Callable[..., Any], options: dict[str, Any]) -> None:
    traced = ag.function(plain, **options)
    for x in (3.0, 2.5, 0.5):
        expected: list[Any] = [1, 2.5]
        found: list[Any] = [1, 2.5]
        assert repr(plain(expected, expected, np.float64(x))) == repr(
            traced(found, found, np.float64(x)))
        assert repr(expected) == repr(found)
