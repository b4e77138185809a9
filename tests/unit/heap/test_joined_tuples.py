"""Which tuple comes out of a join, of a list that the graph reads, or of the arguments."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES

V, W = np.float64(2.0), np.float64(7.0)


def loop_keeps_one(x: Any, p: Any) -> Any:
    t = u = (x, 3)
    for v in np.arange(12.0):
        u = (v + x, 3)
        if v > 5:
            t = u
    return t, u


def branch_makes_one_or_two(x: Any, p: Any) -> Any:
    if x > 3:
        t = u = (x, 1)
    else:
        t, u = (x, 1), (x, 1)
    return [t, u], t is u, t is not u


def one_of_a_list(x: Any, p: Any) -> Any:
    u = (x, 1)
    found = [u, (x, 2)][int(x) % 2]
    return found, u, found is u


def repeated(x: Any, p: Any) -> Any:
    t = (x, 1)
    return [t] * int(x), t


def list_of_a_branch(x: Any, p: Any) -> Any:
    t = (x, 1)
    kept = [t, t] if x > 3 else []
    return kept, t, any(w is t for w in kept)


def recursive(x: Any, p: Any) -> Any:
    def down(n: Any, t: Any) -> Any:
        if n > 0:
            return down(n - 1, t)
        return t

    u = (x, 1)
    t = down(int(x), u)
    return t, u, t is u


def argument_twice(x: Any, p: Any) -> Any:
    return p, p


def argument_or_new(x: Any, p: Any) -> Any:
    u = (x, 1)
    if x > 3:
        u = p
    return p, u, u is p


def argument_in_a_list(x: Any, p: Any) -> Any:
    kept = []
    for v in np.arange(12.0):
        if v > x:
            kept += [p]
    return kept, len(kept) > 0 and kept[0] is p


def function_that_returns_them(x: Any, p: Any) -> Any:
    t = (x, 1)
    u = t if x > 3 else (x, 1)
    return (lambda: (t, u))()


def _alike(nest: Any, seen: dict[int, int]) -> Any:
    """Which places of a nest hold the same tuple, and what else is in it."""
    if isinstance(nest, list):
        return [_alike(x, seen) for x in nest]
    if not isinstance(nest, tuple):
        return nest
    number = seen.setdefault(id(nest), len(seen))
    return number, tuple(_alike(x, seen) for x in nest)


PROGRAMS = (loop_keeps_one, branch_makes_one_or_two, one_of_a_list, repeated, list_of_a_branch,
            recursive, argument_twice, argument_or_new, argument_in_a_list,
            function_that_returns_them)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: str(f.__name__))
def test_the_caller_sees_the_tuples_of_python(function: Callable[..., Any], mode: str) -> None:
    traced = ag.function(function, **MODES[mode])
    for x in (V, W, V):
        p = (x + 1, 5)
        expected, found = function(x, p), traced(x, p)
        assert _alike([found, p], {}) == _alike([expected, p], {})


def test_two_arguments_may_be_one_tuple() -> None:
    compared = ag.function(lambda p, q: (p is q, p is not q))
    p, q = (V, 1), (V, 1)
    assert [compared(p, q), compared(p, p), compared(q, p)] == [
        (False, True), (True, False), (False, True)]


def test_programs_that_never_ask_keep_the_types_of_the_parts() -> None:
    def state_of_a_loop(x: Any, state: Any) -> Any:
        h, n = state
        for v in x:
            h, n = state = (h * v, n + 1)
            if n > 5:
                state = (h + v, n)
        return state

    text = str(ag.function(state_of_a_loop).graph(np.ones(20), (V, 0), stage="traced"))
    assert "dynamic" not in text
