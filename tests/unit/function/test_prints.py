"""Python's `print` in traced functions: once for each trace that is kept."""

import contextlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def texts(f: Callable[..., Any], *values: float, **options: Any) -> list[str]:
    """What each call prints."""
    traced, found = ag.function(f, **options), []
    for x in values:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.suppress(ArithmeticError):
            traced(np.float64(x))
        found.append(out.getvalue())
    return found


def test_branches_and_bodies_print_once() -> None:
    def f(x):
        print("start", 1, sep="-")
        if x > 1:
            print("big")
        else:
            print("small")
        for _ in range(int(x)):
            print("body", end="; ")
            x = x + 1
        while x > 100:
            print("while")
            x = x - 1
        return [print("item") or k for k in range(2) if x > k]

    assert texts(f, 3, 3, 0) == [
        "start-1\nbig\nsmall\nbody; while\nitem\nitem\n", "", ""]


def test_attempts_that_are_abandoned_print_nothing() -> None:
    def f(x):
        print("a")
        q = [x]
        for i in range(int(x)):
            print("loop")
            q = [*q, i]
        q.append(1)
        d = {}
        d[x] = 1
        print("end")
        return q, d

    assert texts(f, 3, 2) == ["a\nloop\nend\n", ""]


def test_calls_that_call_themselves_print_once() -> None:
    def down(k):
        print("down")
        return k if k < 1 else down(k - 1)

    def f(x):
        return down(x)

    assert texts(f, 3, 2) == ["down\n", ""]


def test_with_effects_at_run_time_every_call_prints() -> None:
    def f(x):
        if x > 1:
            print("big", x)
        return x

    assert texts(f, 3, 0, 2, effects="runtime") == ["big 3.0\n", "", "big 2.0\n"]


def test_what_is_printed_before_an_exception_is_seen() -> None:
    def f(x):
        print("before")
        raise ArithmeticError("always")

    assert texts(f, 3) == ["before\n"]


def test_a_refused_function_prints() -> None:
    def f(x):
        print("before")
        return np.zeros(int(x))[object()]

    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(IndexError):
        ag.function(f)(np.float64(3))
    assert set(out.getvalue().split()) == {"before"}


def test_a_traced_function_in_another_one() -> None:
    @ag.function
    def inner(x):
        print("inner")
        return x + 1

    def f(x):
        if x > 1:
            print("outer")
            x = inner(x)
        return x

    assert texts(f, 3, 0) == ["outer\ninner\n", ""]


def test_fields_show_symbolic_values() -> None:
    def f(x):
        print("%.2f %d%% %s" % (x, 3, "b"))  # noqa: UP031
        print("%(a).1f %(b)03d" % {"a": x, "b": 7})  # noqa: UP031
        return x

    shown = 'Tensor("x", shape=(), dtype=float64)'
    assert texts(f, 3) == [f"{shown} 3% b\n{shown} 007\n"]


def test_a_test_that_changes_state_prints_once() -> None:
    def popping(x):
        q, n = [3, 2, 1], 0
        while print("test") or q.pop() < x:
            print("body")
            n += 1
        return n

    def branching(x):
        q = [3, 2, 1]

        def act():
            if x > 5:
                print("large")
            else:
                print("small")
            return q.pop()

        while act() < x:
            x = x - 1
        return q

    assert sorted(texts(popping, 2.5)[0].split()) == ["body", "test"]
    assert sorted(texts(branching, 2.5)[0].split()) == ["large", "small"]
