"""Rows 79 to 81: warnings of too much tracing."""

import numpy as np
import pytest

import autograph as ag
from autograph.function.retracing import LIMIT

ONE = np.float64(1)


def test_row_079_warning_names_argument_types_call_and_remedy():
    f = ag.function(lambda x, n: x * n)
    with pytest.warns(ag.RetracingWarning) as caught:
        for n in range(LIMIT):
            f(ONE, n)
    message = str(caught[0].message)
    assert "n: Literal[3] before, now Literal[4]" in message
    assert "hint: every value of n has a trace: pass np.asarray(n)" in message
    assert "f(ONE, n)" in message and caught[0].filename == __file__
    assert len(caught) == 1


@pytest.mark.parametrize(("calls", "remedy"), [
    ([np.ones(n) for n in range(1, 7)], "reduce_retracing=True"),
    ([np.ones(2, t) for t in ("f4", "f8", "i4", "i8", "u1", "u2")], "convert x to one dtype"),
    ([object() for _ in range(6)], "counts by identity"),
])
def test_row_079_remedy_for_each_cause(calls, remedy):
    f = ag.function(lambda x: 1)
    with pytest.warns(ag.RetracingWarning, match=remedy):
        for x in calls:
            f(x)


def test_row_079_at_most_two_warnings_for_a_function(recwarn):
    f = ag.function(lambda n: n)
    for n in range(40):
        f(n)
    assert len([w for w in recwarn if w.category is ag.RetracingWarning]) == 2


def test_row_080_functions_share_nothing():
    traced = []

    def f(x):
        traced.append(1)
        return x

    ag.function(f)(ONE), ag.function(f)(ONE)
    assert len(traced) == 2


def test_row_081_long_unrolled_loop_is_told_with_its_line():
    names = [[n] for n in range(500)]

    @ag.function
    def f(x):
        for [n] in names:
            x = x + np.float64(n)
        return x

    with pytest.warns(ag.UnrollingWarning) as caught:
        assert f(ONE) == 1 + sum(range(500))
    assert "for [n] in names:" in str(caught[0].message) and "500" in str(caught[0].message)
    assert caught[0].filename == __file__ and len(caught) == 1


def test_row_081_long_loops_that_are_staged_are_not_told(recwarn):
    @ag.function
    def f(x):
        for i in range(500):
            x = x + i
        for _ in range(500):
            pass
        return x

    assert f(ONE) == 1 + sum(range(500)) and not recwarn.list
