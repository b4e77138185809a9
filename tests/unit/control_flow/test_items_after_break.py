"""A loop takes no item after its `break`: what changed in the last iteration is not looked at."""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def pop_first(x: Any, d: Any) -> Any:
    if x > 0:
        for k in d:
            d.pop(k)
            break
    return x


def discard_some(x: Any, s: Any) -> Any:
    n = 0
    for k in s:
        n = n + k
        if n > x:
            s.discard(k)
            break
        n = n + 1
    return n


def append_some(x: Any, q: Any) -> Any:
    n = 0
    for k in q:
        n = n + k
        if n > x:
            q.append(k)
            break
        n = n * 2
    return n


def return_first(x: Any, d: Any) -> Any:
    for k, v in d.items():
        if v > x:
            d[k + 10] = x
            return k
        if v == x:
            del d[k]
            break
        d[k] += 1
    return x


def nested(x: Any, d: Any) -> Any:
    found = 0
    while x > 0:
        for k in d:
            if k >= x:
                found = found + d.pop(k)
                break
            found = found + 1
        x -= 1
    return found


def rest(x: Any, items: Any) -> Any:
    n = 0
    for v in items:
        n = n + v
        if n > x:
            break
        n = n + 0.5
    return n, next(items, -1)


def numbers() -> Any:
    return iter([1, 2, 3, 4])


CASES: list[tuple[Callable[..., Any], Callable[[], Any]]] = [
    (pop_first, lambda: {1: 2, 2: 3}), (discard_some, lambda: {1, 2, 3}),
    (append_some, lambda: deque([1, 2, 3])), (return_first, lambda: {0: 1, 1: 1, 2: 3, 3: 3}),
    (return_first, lambda: {0: 1, 1: 2, 2: 3}), (nested, lambda: {1: 5, 2: 3, 3: 4}),
    (rest, numbers),
]


def outcome(fn: Callable[..., Any], x: Any, items: Any) -> str:
    try:
        result = fn(x, items)
    except (RuntimeError, KeyError) as error:
        result = repr(error)
    return f"{result} {list(items)}"


@pytest.mark.parametrize(("fn", "make"), CASES)
@pytest.mark.parametrize("debug", [False, True])
def test_no_item_is_taken_after_a_break(
        fn: Callable[..., Any], make: Callable[[], Any], debug: bool,
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ag.config, "debug", debug)
    converted = ag.function(fn)
    for x in (np.float64(n) for n in (2, 0, 1, 7, -1)):
        assert outcome(converted, x, make()) == outcome(fn, x, make())


def test_a_changed_dict_is_not_looked_at_in_a_derivative() -> None:
    def f(x: Any) -> Any:
        d = {"a": x, "b": 2 * x, "c": x * x}
        h = 0.0
        for k in d:
            h = h + d[k]
            if h > 1.5:
                d["z"] = h
                break
        return h + d["b"] + d["z"]

    assert float(ag.grad(ag.function(f))(np.float64(1.0))) == 8.0
    assert float(ag.grad(ag.function(f))(np.float64(3.0))) == 4.0
