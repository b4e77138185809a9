"""An endless recursion is Python's RecursionError, soon: levels do not try their graph again."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import traceback_filter
from tests.support.beside_plain import limited


@ag.function
def down(x):
    return down(x) + 1


@ag.function
def staged(x, n):
    if x.sum() > -1:
        return staged(x + n, n)
    return x


@ag.function
def growing(x):
    return growing(np.concatenate([x, x[:1]]))


@ag.function
def even(x):
    return odd(x * 2)


@ag.function
def odd(x):
    return even(x - 2)


@pytest.mark.parametrize(("function", "args"), [
    (down, (np.ones(3),)), (staged, (np.ones(3), np.int64(1))), (growing, (np.ones(3),)),
    (even, (np.ones(2),))], ids=["down", "staged", "growing", "mutual"])
def test_endless_recursion_makes_few_traces(function: Any, args: tuple[Any, ...]) -> None:
    with pytest.raises(RecursionError):
        function(*args)
    assert function.__ag_dispatcher__.cache.made <= 2


def test_a_function_runs_its_graph_again_afterwards() -> None:
    @ag.function
    def halved(x, n):
        if x.sum() > n:
            return halved(x / 2, n)
        return x

    with pytest.raises(RecursionError):
        halved(np.array([np.inf]), np.float64(1.0))
    assert halved(np.array([8.0]), np.float64(1.0)) == np.array([1.0])
    assert halved.experimental_get_tracing_count() == 1


def scaled(x):
    return x * 0.5 + 1


@ag.function
def with_helpers(x):
    x = scaled(x) + scaled(x)
    with np.errstate(all="ignore"):
        x = scaled(x)
    return with_helpers(scaled(x))


@ag.function
def in_a_try(x):
    try:
        return in_a_try(x + 1)
    finally:
        x = x + 1


@ag.function
def in_a_lambda(x):
    f = lambda y: f(y) + 1
    return f(x)


@ag.function
def without_arrays(n):
    return without_arrays(n + 1)


@pytest.mark.parametrize(("function", "argument"), [
    (with_helpers, np.ones(2)), (in_a_try, np.ones(2)), (in_a_lambda, np.ones(2)),
    (without_arrays, 3)], ids=["helpers", "try", "lambda", "numbers"])
def test_the_error_of_an_endless_recursion_is_there_soon_and_shows_no_frames_of_ours(
        function: Any, argument: Any) -> None:
    """Finding whose the variables are was cubic in the depth: a minute of `with_helpers`."""
    with limited(15), pytest.raises(RecursionError) as raised:
        function(argument)
    assert len(list(traceback.walk_tb(raised.value.__traceback__))) > 500
    shown = "".join(traceback.format_exception(raised.value))
    assert traceback_filter.OURS[0] not in shown and "<dispatch" not in shown


def test_each_level_looks_at_the_new_entries_of_the_traceback(monkeypatch: Any) -> None:
    asked = 0
    real = traceback_filter.is_ours

    def is_ours(frame: Any) -> bool:
        nonlocal asked
        asked += 1
        return real(frame)

    monkeypatch.setattr(traceback_filter, "is_ours", is_ours)
    with pytest.raises(RecursionError) as raised:
        down(np.ones(3))
    assert asked < 100 * len(list(traceback.walk_tb(raised.value.__traceback__)))
