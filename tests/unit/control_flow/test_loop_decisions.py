"""What a trace decides about each loop over a Python range, and where it stops."""

import numpy as np
import pytest

import autograph as ag


def long_loop(x):
    for i in range(50):
        x[i % 3] += i
    return x


def short_loop(x):
    for i in range(3):
        x[i] += i
    return x


def python_index(x):
    names = ["a"] * 20
    for i in range(20):
        names.insert(i, "b")
        x[i % 3] += len(names)
    return x


@pytest.mark.parametrize(("function", "kind", "reason"), [
    (long_loop, "one loop", "50 iterations"),
    (short_loop, "unrolled", "3 iterations, of at most 8"),
])
def test_decisions_about_loops(function, kind, reason):
    concrete = ag.function(function).get_concrete_function(np.zeros(3))
    (decision,) = concrete.program.decisions
    assert (decision.kind, decision.reason) == (kind, reason)
    assert decision.location.line == function.__code__.co_firstlineno + 1


def test_a_loop_that_needs_its_numbers_says_why():
    concrete = ag.function(python_index).get_concrete_function(np.zeros(3))
    (decision,) = concrete.program.decisions
    assert decision.kind == "unrolled"
    assert decision.reason != "20 iterations"


def both_sides_raise(x, seen):
    x[0] = 1.0
    if x.sum() > 3:
        raise ValueError("large")
    else:
        raise KeyError("small")
    seen.append(1)


def raises_in_every_branch(x):
    if x[0] > 0:
        if x[1] > 0:
            raise ValueError("both")
        else:
            raise KeyError("first")
    return -x


@pytest.mark.parametrize("executor", ["python", "interpreter"])
@pytest.mark.parametrize(("function", "arguments"), [
    (both_sides_raise, lambda n: (np.full(3, n), [])),
    (raises_in_every_branch, lambda n: (np.array([n, n - 1.5]),)),
])
def test_what_follows_two_raises_is_not_traced(function, arguments, executor):
    traced = ag.function(function, executor=executor)
    for n in (2.0, 0.0, 1.0, -1.0):
        assert outcome(traced, arguments(n)) == outcome(function, arguments(n))


def outcome(function, arguments):
    try:
        result = repr(function(*arguments))
    except Exception as error:
        result = repr(error)
    return result, repr(arguments)
