"""A container that is filled from a generator holds each item before the generator goes on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag


def numbers(use: Callable[[Any], Any], n: int, by: Any) -> Iterator[Any]:
    try:
        for k in range(n):
            yield k + by
            use(k)
    finally:
        use("end")


def extended(x: Any) -> Any:
    items = [x]
    if x > 1:
        items.append(2)
    items.extend(numbers(items.append, 2, x))
    items += numbers(items.append, 2, 1)
    return items


def read_before(x: Any) -> Any:
    items, found = [x], numbers(print, 3, 1)
    if x > 1:
        items.append(2)
    first = next(found)
    items.extend(found)
    return first, items


def by_an_expression(x: Any) -> Any:
    items = [x, 2]

    def push(k: Any) -> Any:
        items.append(k)
        return k

    items.extend(items.pop() for _ in (1, 2))
    items.extend(map(push, [1, 2]))
    items.extend(filter(lambda k: push(k) > x, [1, 2]))
    return items


def of_a_deque(x: Any) -> Any:
    items = deque([x])
    if x > 1:
        items.append(2)
    items.extend(numbers(items.append, 2, x))
    items.extendleft(numbers(items.append, 2, 1))
    items += numbers(items.append, 2, 1)
    return items


def of_a_dict(x: Any) -> Any:
    items = {"a": x}
    if x > 1:
        items["c"] = 1
    items.update((str(k), k) for k in numbers(lambda k: items.update(b=k), 2, x))
    items |= ((str(k), k) for k in numbers(lambda k: items.update(c=k), 2, x))
    return items


def of_a_set(x: Any) -> Any:
    items = {1}
    items.update(numbers(items.add, 2, x))
    return x, items


@pytest.mark.parametrize("options", [{}, {"effects": "runtime"}], ids=str)
@pytest.mark.parametrize("plain", [
    extended, read_before, by_an_expression, of_a_deque, of_a_dict, of_a_set])
def test_each_item_is_there_at_once(plain: Callable[[Any], Any], options: dict[str, Any]) -> None:
    traced = ag.function(plain, **options)
    for x in (3.0, 0.5, -2.0):
        assert repr(traced(np.float64(x))) == repr(plain(np.float64(x)))
