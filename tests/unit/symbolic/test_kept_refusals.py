"""What a symbolic value refuses is refused, also if a handler catches it or Python replaces it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag

ITEMS = [1]


def joined(x: Any) -> Any:
    return x[x > 1].__array__()


def caught_join(x: Any) -> Any:
    try:
        return x[x > 1].__array__()
    except TypeError:
        return 0


def caught_everything(x: Any) -> Any:
    found: dict[Any, Any] = {}
    try:
        found.update(zip(x[x > 1], x[x > 1], strict=True))
    except Exception:
        return -1
    return found


def in_a_branch(x: Any) -> Any:
    made = [0]
    if x.sum() > 0:
        try:
            made[0] = len(x[x > 1].__array__())
        except TypeError:
            made = [5]
    return made[0]


def outside(x: Any) -> Any:
    ITEMS[0] = x[x > 1].__array__()
    return len(ITEMS)


@pytest.mark.parametrize("function", [
    joined, caught_join, caught_everything, in_a_branch, outside])
def test_refusals_are_not_lost(function: Any) -> None:
    with pytest.raises(ag.errors.SymbolicValueError, match=f"in {function.__name__}"):
        ag.function(function)(np.arange(4.0))


def test_a_loop_that_goes_another_way_is_not_refused() -> None:
    @ag.function
    def f(x: Any) -> Any:
        total = 0.0
        for i in range(3):
            total = total + x["abc".index("abc"[i])]
        return total

    assert f(np.arange(4.0)) == 3.0
