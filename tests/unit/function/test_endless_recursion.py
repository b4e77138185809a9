"""An endless recursion is Python's RecursionError, soon: levels do not try their graph again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag


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
