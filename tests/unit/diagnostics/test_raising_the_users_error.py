"""An exception that was there before the trace is raised itself, and not a copy of it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES

X = np.float64(1)


class Odd(Exception):
    """Takes other arguments than it hands on."""

    def __init__(self, a: Any, b: Any) -> None:
        super().__init__(a + b)
        self.parts = [a, b]


ERROR = Odd(1, 2)
CAUSE = KeyError("cause")


class Holder:
    error = ERROR


def under_a_condition(x: Any, errors: list[Any]) -> Any:
    if x > 0:
        raise ERROR
    return x


def with_a_cause(x: Any, errors: list[Any]) -> None:
    if x > 0:
        raise Holder.error from CAUSE


def with_an_attribute(x: Any, errors: list[Any]) -> None:
    ERROR.code = x * 2  # type: ignore[attr-defined]
    raise ERROR


def chosen(x: Any, errors: list[Any]) -> None:
    raise errors[int(x)]


def chosen_with_a_cause(x: Any, errors: list[Any]) -> None:
    raise errors[int(x)] from errors[int(x) - 1]


def in_a_loop(x: Any, errors: list[Any]) -> None:
    for i, error in enumerate(errors):
        if i == x:
            raise error


def in_a_handler(x: Any, errors: list[Any]) -> None:
    try:
        print(1 // int(x - 1))
    except ZeroDivisionError:
        if x > 0:
            raise ERROR from None


def again(x: Any, errors: list[Any]) -> None:
    try:
        under_a_condition(x, errors)
    except Odd:
        errors.append(x)
        raise


PROGRAMS = (under_a_condition, with_a_cause, with_an_attribute, chosen, chosen_with_a_cause,
            in_a_loop, in_a_handler, again)


def told(f: Callable[..., Any]) -> list[Any]:
    """What two calls raise."""
    ERROR.__cause__ = ERROR.__context__ = ERROR.__traceback__ = None
    found: list[Any] = []
    for _ in range(2):
        with pytest.raises(Odd) as caught:
            f(X, [CAUSE, ERROR])
        e = caught.value
        found += [e is ERROR, e.args, e.parts, getattr(e, "code", None), e.__cause__,
                  getattr(e, "__notes__", [])]
        e.__dict__.pop("code", None)
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_is_the_one_that_plain_python_raises(program: Callable[..., Any], mode: str) -> None:
    assert told(ag.function(program, **MODES[mode])) == told(program)
