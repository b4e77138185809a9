"""A function that catches what its graph raises does so as plain Python does."""

import contextlib
import sys
from collections import deque
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir import exception_tables


def catches(x):
    try:
        if x.sum() < 0:
            raise ValueError("negative")
        y = np.sqrt(x)
    except ValueError:
        y = x * 0
    return y


def singular(a):
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None


def half_done(x):
    steps = 0
    try:
        steps = 1
        x[0] = 5
        if x[1] > 0:
            raise KeyError("stop")
        steps = 2
        x[1] = 7
    except KeyError:
        steps = steps + 10
    finally:
        x[2] = 9
    return steps, x


def suppresses(x):
    y = x
    with contextlib.suppress(ZeroDivisionError):
        y = x * 2
        if x > 3:
            raise ZeroDivisionError
        y = x * 3
    return y


def helper(x):
    if x < 0:
        raise ValueError("from the helper")
    return x * 2


def catches_a_helpers(x):
    try:
        return helper(x)
    except ValueError:
        return -helper(-x)


F = np.float64
CASES = [
    (catches, (np.array([1.0, 4.0]),)), (catches, (np.array([-1.0, -4.0]),)),
    (singular, (np.eye(2),)), (singular, (np.ones((2, 2)),)),
    (half_done, (np.array([1.0, -1.0, 0.0]),)), (half_done, (np.array([1.0, 1.0, 0.0]),)),
    (suppresses, (F(2),)), (suppresses, (F(5),)),
    (catches_a_helpers, (F(2),)), (catches_a_helpers, (F(-2),)),
]


@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_as_plain_python(function, arguments):
    traced = ag.function(function)
    for _ in range(2):
        mine, theirs = ([np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
                        for _ in range(2))
        assert repr(traced(*mine)) == repr(function(*theirs))
        assert repr(mine) == repr(theirs)


def test_a_caller_s_try_is_none_of_our_business():
    def plain(x):
        return x * 2

    traced = ag.function(plain)
    try:
        concrete = traced.get_concrete_function(F(1))
    finally:
        pass
    assert not concrete.program.handled


def test_other_effects_are_not_repeated(capsys):
    def tells(x):
        ag.print(x, output_stream=sys.stdout)
        try:
            if x < 0:
                raise ValueError("negative")
        except ValueError:
            x = -x
        return x

    traced = ag.function(tells)
    assert traced(F(1)) == 1
    assert traced(F(-1)) == 1
    assert capsys.readouterr().out == "1.0\n-1.0\n"


def test_the_search_for_handlers_ends_where_the_trace_begins() -> None:
    assert hasattr(sys.modules[exception_tables.ROOT], "attempt")


def drained(x):
    queue, out = deque(x), []
    while True:
        try:
            v = queue.popleft()
        except IndexError:
            break
        if v > 2:
            queue.append(v - 2)
        out.append(v)
    return out


def smallest_missing(x):
    seen, n = set(x), 0
    while True:
        try:
            seen.remove(n)
        except KeyError:
            return n
        n += 1


@pytest.mark.parametrize("function", [drained, smallest_missing])
def test_a_loop_that_only_an_exception_ends_runs_as_plain_python(function: Any) -> None:
    f = ag.function(function)
    with pytest.warns(ag.FallbackWarning, match="let a condition end the loop, not an exception"):
        assert f(np.array([1, 5, 0])) == function(np.array([1, 5, 0]))
    assert f(np.array([0, 4, 1])) == function(np.array([0, 4, 1]))
