"""A list that each iteration of a loop puts in again: it is one object in all places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES


class Pair(NamedTuple):
    a: Any
    b: Any


def each(t: Any, n: int) -> Iterator[Any]:
    for _ in range(n):
        yield t
        yield t


def of_lists(v: float, n: int) -> Any:
    t, made = [v], []
    for _ in range(n):
        made.append(t)  # noqa: PERF401
    return made


def of_named_tuples(v: float, n: int) -> Any:
    t, made = Pair([v], v), []
    for _ in range(n):
        made.append(t)
        made.append(t)
    return made


def comprehension(v: float, n: int) -> Any:
    t = [v], v
    return [t for _ in range(n)]


def generator(v: float, n: int) -> Any:
    return list(each(Pair([v], v), n))


def while_loop(v: float, n: int) -> Any:
    t, made = {"v": [v]}, []
    while len(made) < n:
        made.append(t)
    return made


def two_loops(v: float, n: int) -> Any:
    t, made = [v], []
    for _ in range(n):
        inner = [t]
        for _ in range(n):
            inner.append(t)  # noqa: PERF401
        made.append(inner)
    return [x for inner in made for x in inner]


def changed(v: float, n: int) -> Any:
    t, made = [v], []
    for _ in range(n):
        made.append(t)  # noqa: PERF401
    made[0].append(2)
    return [len(x) for x in made], made[0] is made[-1]


def asked(v: float, n: int) -> Any:
    t, made = (v, [v]), []
    for _ in range(n):
        made.append(t)  # noqa: PERF401
    return made[0] is made[1], made[0][1] is made[-1][1]


def new_ones(v: float, n: int) -> Any:
    made = []
    for i in range(n):
        t = [v, i]
        made.append(t)
        made.append(t)
    return made


def shape(x: Any) -> Any:
    """Equal for what is equal, and holds each object in the same places."""
    seen: dict[int, int] = {}

    def walk(x: Any) -> Any:
        if not isinstance(x, (list, tuple, dict)):
            return x
        number = seen.setdefault(id(x), len(seen))
        items = x.values() if isinstance(x, dict) else x
        return type(x).__name__, number, [walk(v) for v in items]

    return walk(x)


FUNCTIONS = [of_lists, of_named_tuples, comprehension, generator, while_loop, two_loops, changed,
             asked, new_ones]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_is_one_object(function: Callable[..., Any], mode: str) -> None:
    converted = ag.function(function, **MODES[mode])
    for n in (3, 2, 12):
        found, expected = (f(np.float64(1.5), np.int64(n)) for f in (converted, function))
        assert shape(found) == shape(expected)
