"""What a trace refuses is raised, although the user's code catches such errors."""

from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np
import pytest

import autograph as ag


def items(log: Any) -> Any:
    for i in range(4):
        try:
            yield i
        finally:
            log.append(i)


def ends_early(x: Any) -> Any:
    total = 0
    for i in items([]):
        total = total + i
        if total > x:
            break
    return total


def under_type_error(x: Any) -> Any:
    try:
        return ends_early(x)
    except TypeError:
        return -1


def under_exception(x: Any) -> Any:
    try:
        return ends_early(x)
    except Exception as error:
        raise ValueError("no number") from error


def under_suppress(x: Any) -> Any:
    found = -1
    with suppress(TypeError):
        found = ends_early(x)
    return found


def in_a_branch(x: Any) -> Any:
    found = 0
    if x > 0:
        try:
            found = ends_early(x)
        except Exception:
            found = -1
    return found


def as_many_items(x: Any) -> Any:
    try:
        return list(islice(iter([1, 2, 3]), x.astype(int)))
    except TypeError:
        return []


@pytest.mark.parametrize("program", [under_type_error, under_exception, under_suppress,
                                     in_a_branch, as_many_items], ids=lambda f: f.__name__)
def test_a_caught_refusal_is_raised(program: Callable[..., Any]) -> None:
    with pytest.raises(ag.errors.TracingError, match=r"may end early|only when the graph runs"):
        ag.function(program)(np.float64(2.0))


def test_an_error_of_the_users_is_caught() -> None:
    def f(x: Any, k: Any) -> Any:
        try:
            return x + k
        except TypeError:
            return x

    assert ag.function(f)(np.float64(2.0), "a") == 2.0


def test_next_of_an_array_is_an_error_of_the_users() -> None:
    def f(x: Any) -> Any:
        try:
            return next(x)
        except TypeError:
            return -1

    assert ag.function(f)(np.arange(3.0)) == -1
