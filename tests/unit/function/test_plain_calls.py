"""Calls that run as plain Python, since calls like them raised: guards recognise them, until one
of them returns."""

from contextlib import suppress

import numpy as np
import pytest

import autograph as ag
from autograph.function.tracer import Tracer
from tests.unit.function.test_guarded_calls import SlowPath, settled, without_slow_path

LIMITS = {"lowest": 0}


class Refused(Exception):
    """What the programs raise."""


@ag.function
def checked(x, limit, *more, scale=1.0, **named):
    if limit < LIMITS["lowest"]:
        raise Refused(limit, type(x), more, scale, named)
    return x * scale


def outcome(*args, **kwargs):
    """Returns what a call gives, or the arguments of its exception."""
    try:
        return checked(*args, **kwargs)
    except Refused as error:
        return error.args


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setitem(LIMITS, "lowest", 0)
    checked.__ag_dispatcher__.cache.clear()
    checked.__ag_dispatcher__.tracer.raised.clear()
    checked.__ag_dispatcher__.entry_point.plain.clear()
    checked.__ag_dispatcher__.entry_point.changed(anew=True)


CALLS = (((np.ones(2), -1), {}), ((np.ones(2), -2, "more", 3), {}),
         ((np.ones(3), -1), {"scale": 2.0}), ((np.ones(2), -1), {"other": "named"}))


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_calls_that_raise_are_recognised_with_all_their_arguments(number, monkeypatch):
    args, kwargs = CALLS[number]
    first = [outcome(*args, **kwargs) for _ in range(20)]
    without_slow_path(checked, monkeypatch)
    assert outcome(*args, **kwargs) == first[0] == first[-1] == (
        args[1], np.ndarray, args[2:], kwargs.get("scale", 1.0),
        {k: v for k, v in kwargs.items() if k != "scale"})
    with pytest.raises(SlowPath):
        outcome(np.ones(7), -1)


def test_a_call_that_returns_is_traced_again(monkeypatch):
    for _ in range(20):
        assert outcome(np.ones(2), -1)[0] == -1
    made = checked.__ag_dispatcher__.cache.made
    LIMITS["lowest"] = -5
    assert [outcome(np.ones(2), -1).tolist() for _ in range(3)] == [[1.0, 1.0]] * 3
    assert checked.__ag_dispatcher__.cache.made == made + 1


def test_calls_that_raise_and_calls_that_have_a_trace_stand_side_by_side(monkeypatch):
    for _ in range(20):
        outcome(np.ones(2), -1)
    settled(checked, (np.ones(2), 1))
    without_slow_path(checked, monkeypatch)
    assert outcome(np.ones(2), 1).tolist() == [1.0, 1.0]
    assert outcome(np.ones(2), -1)[0] == -1


def test_many_kinds_of_calls_that_raise():
    for _ in range(4):
        for size in range(10):
            assert outcome(np.ones(size), -1)[0] == -1
    assert len(checked.__ag_dispatcher__.entry_point.plain) <= 4


def falls(x, n):
    if n < 0:
        raise Refused
    return falls(x, n - 1) + x


@ag.function
def caught(x, n):
    try:
        return falls(x, n)
    except Refused:
        return x


def test_a_trace_that_raises_where_plain_python_returns_is_the_last_one(monkeypatch):
    x, n = np.float64(2.0), np.int64(3)
    assert [caught(x, n) for _ in range(3)] == [x] * 3
    assert caught.__ag_dispatcher__.cache.made == 1
    without_slow_path(caught, monkeypatch)
    assert caught(x, n) == x


LOWEST = 0


@ag.function
def checked_again(x, limit):
    if limit < LOWEST:
        raise Refused
    return x + 1


def test_calls_that_raise_now_and_then_are_not_traced_without_end(monkeypatch):
    tracer, traced = checked_again.__ag_dispatcher__.tracer, []
    monkeypatch.setattr(tracer, "_make", lambda *call: traced.append(call) or Tracer._make(
        tracer, *call))
    for turn in range(80):
        monkeypatch.setitem(globals(), "LOWEST", -5 if turn % 3 == 2 else 0)
        with suppress(Refused):
            checked_again(np.ones(2), -1)
    assert len(traced) < 20
