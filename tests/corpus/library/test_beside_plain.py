"""The comparison of other people's code traced and plain sees what it should see."""

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.support.beside_plain import compared, verdict

Fn = Callable[..., Any]


def plain(x: np.ndarray, out: list[Any]) -> Any:
    out.append(float(x[0]))
    if x[0] < 0:
        raise ValueError(f"{x[0]} is negative")
    warnings.warn("read", stacklevel=1)
    random.random()
    print("read", x[0])
    x[0] = 7.0
    return x, [x[0] * 2, int(x[1])]


def other_dtype(x: np.ndarray, out: list[Any]) -> Any:
    first, rest = plain(x, out)
    return first, [np.float32(rest[0]), rest[1]]


def other_class(x: np.ndarray, out: list[Any]) -> Any:
    first, rest = plain(x, out)
    return first, [float(rest[0]), rest[1]]


def other_container(x: np.ndarray, out: list[Any]) -> Any:
    first, rest = plain(x, out)
    return first, tuple(rest)


def a_copy(x: np.ndarray, out: list[Any]) -> Any:
    first, rest = plain(x, out)
    return first.copy(), rest


def argument_as_it_was(x: np.ndarray, out: list[Any]) -> Any:
    mine = x.copy()
    _, rest = plain(mine, out)
    return x, rest


def another_message(x: np.ndarray, out: list[Any]) -> Any:
    try:
        return plain(x, out)
    except ValueError:
        raise ValueError("negative") from None


def another_exception(x: np.ndarray, out: list[Any]) -> Any:
    try:
        return plain(x, out)
    except ValueError as error:
        raise ArithmeticError(*error.args) from None


def not_left_when_raising(x: np.ndarray, out: list[Any]) -> Any:
    mine: list[Any] = []
    result = plain(x, mine)
    out += mine
    return result


def silent(x: np.ndarray, out: list[Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return plain(x, out)


def draws_twice(x: np.ndarray, out: list[Any]) -> Any:
    random.random()
    return plain(x, out)


def prints_more(x: np.ndarray, out: list[Any]) -> Any:
    print("traced")
    return plain(x, out)


def remembers() -> Fn:
    """Gives what it gave at the first call."""
    found: list[Any] = []

    def f(x: np.ndarray, out: list[Any]) -> Any:
        found.append(plain(x, out)[1])
        return x, found[0]

    return f


SETS: list[Any] = [((np.array([1.0, 2.0]), []), {}), ((np.array([-1.0, 3.0]), [1]), {}),
                   ((np.array([2.0, 5.0]), []), {})]

PLANTED = {
    other_dtype: "call", other_class: "call", other_container: "call", a_copy: "call",
    argument_as_it_was: "leaves", another_message: "call", another_exception: "call",
    not_left_when_raising: "leaves", silent: "warns", draws_twice: "draws", prints_more: "prints",
    remembers(): "call"}


@pytest.mark.parametrize("traced", PLANTED)
def test_a_planted_difference_is_seen(traced: Fn) -> None:
    found = compared(traced, plain, SETS)
    assert (found.kind, PLANTED[traced] in found.why) == ("wrong", True), found


def test_the_function_itself_agrees() -> None:
    assert compared(plain, plain, SETS).calls == 3


@pytest.mark.parametrize("mode", ["default", "runtime"])
def test_the_traced_function_agrees(mode: str) -> None:
    found = verdict(plain, SETS, mode)
    assert (found.kind, found.calls) == ("same", 4), found


def test_a_refusal_is_told_with_its_reason() -> None:
    def f(x: np.ndarray) -> Any:
        yield x

    found = verdict(f, [((np.array([1.0, 2.0]),), {})])
    assert found.kind == "refused" and "it is a generator" in found.why
