"""Containers of the graph: attributes that are no methods, key functions with symbolic values."""

from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def longest(x: Any, items: Any) -> Any:
    q = deque(items, 3)
    while len(q) > 1 and q[0] < x:
        q.popleft()
    return q, q.maxlen


def factory(x: Any, items: Any) -> Any:
    d = defaultdict(list, a=items)
    if x > 0:
        d[x].append(1)
    return d, d.default_factory


def by_a_lambda(x: Any, items: Any) -> Any:
    if x > 2:
        items[0], items[1] = items[1], items[0]
    items.sort(key=lambda v: v * x)
    return items


def by_a_function_that_writes(x: Any, items: Any) -> Any:
    seen, count = [], 0
    if x > 0:
        items.append(x)

    def key(v: Any) -> Any:
        nonlocal count
        seen.append(v)
        count += 1
        return v * x if v > 1 else -v

    items.sort(key=key, reverse=bool(x > 1))
    return items, seen, count


@pytest.mark.parametrize("program", [longest, factory, by_a_lambda, by_a_function_that_writes],
                         ids=lambda f: f.__name__)
def test_as_in_python(program: Callable[..., Any]) -> None:
    f = ag.function(program)
    for x in (np.float64(n) for n in (3.0, 1.0, -1.0)):
        items, mine = [3, 1, 2], [3, 1, 2]
        assert repr(f(x, mine)) == repr(program(x, items))
        assert repr(mine) == repr(items)
