"""Tests that floats of loops begin in the class they end in; a wrong guess does no harm."""

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.control_flow import traced_loop


class Holder:
    def __init__(self, value):
        self.value = value


def total(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


def largest(x, n):
    best = -np.inf
    for i in range(n):
        if x[i] > best:
            best = x[i]
    return best


def table_sums(x, n):
    s = 0.0
    for _ in range(n):
        row = 0.0
        for j in range(n):
            row += x[j]
        s = max(s, row)
    return s


def time_steps(x, n):
    t = 0.0
    for i in range(n):
        x[i] = t
        t = t + 0.5
    return t


def decay(x, n):
    rate, seen = 1.0, 0.0
    for i in range(n):
        seen += x[i] * rate
        if x[i] > 2:
            rate = rate * 0.5
    return rate, seen


def in_turns(x, n):
    a, b, c = 0.0, 1.0, 2.0
    for i in range(n):
        x[i] = a
        a, b, c = b, c, a + x[0] if i > 3 else c
    return a, b, c


def by_class(x, n):
    t = 1.0
    for i in range(n):
        x[i] = 3.0 if isinstance(t, np.floating) else 4.0
        t = t * 0.5
    return t


def single_precision(x, n):
    t, y = 1.0, np.ones(3, np.float32)
    for i in range(n):
        y = y * t
        t = t * 0.5
        x[i] = t
    return t, y


def while_it_lasts(x, n):
    t = 0.0
    while t < n:
        t = t + 1.0
        x[0] = t
    return t


def inner_class_hangs_on_outer(x, n):
    t, s = 0.0, 0.0
    for _ in range(n):
        for j in range(n):
            s = s + t
            x[j] = s
        t = t + 1.0
    return s, t


ONCE = [total, largest, table_sums]
TWICE = [time_steps, decay, in_turns, by_class, single_precision, while_it_lasts,
         inner_class_hangs_on_outer]


@pytest.fixture
def bodies(monkeypatch):
    """The loops whose bodies were traced, in order."""
    found, trace = [], traced_loop.trace_region

    def counted(name, *args, **how):
        found.extend([name] if name == "body" else [])
        return trace(name, *args, **how)

    monkeypatch.setattr(traced_loop, "trace_region", counted)
    return found


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("f", ONCE + TWICE)
def test_what_the_plain_function_returns(f, n):
    x, y = np.arange(8.0), np.arange(8.0)
    assert repr(ag.function(f)(x, np.int64(n))) == repr(f(y, n))
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(("f", "loops"), [(total, 1), (largest, 1), (table_sums, 2)])
def test_a_body_is_traced_once(f, loops, bodies):
    ag.function(f).get_concrete_function(np.arange(8.0), np.int64(4))
    assert len(bodies) == loops


@pytest.mark.parametrize("f", [time_steps, while_it_lasts, decay])
def test_what_stays_pythons_is_known_to(f, bodies):
    graph = ag.function(f).get_concrete_function(np.arange(8.0), np.int64(4)).graph
    assert "py.float" in str(graph) and len(bodies) == 2


@pytest.mark.parametrize("place", ["cell", "attribute", "item"])
@pytest.mark.parametrize("first", [1, 1.5])
def test_a_place_in_memory_gets_another_class_in_the_loop_around(place, first):
    """The attempt that found the inner loop to change it had seen Python's number alone there."""
    def f(x, b, n):
        number, boxes, found = first, {"attribute": Holder(first), "item": [first]}, []

        def write(v):
            nonlocal number
            if place == "cell":
                number = v
            elif place == "item":
                boxes["item"][0] = v
            else:
                boxes["attribute"].value = v

        def read():
            return {"cell": number, "attribute": boxes["attribute"].value,
                    "item": boxes["item"][0]}[place]

        for _ in range(n):
            for j in range(b % 4):
                write(j * first)
            found.append(isinstance(read(), np.generic))
            write(x[-1])
        return found, read()

    for b in 0, 3:
        for x in np.arange(3) * first, np.arange(3.0):
            arguments = x, np.int64(b), np.int64(3)
            assert repr(ag.function(f)(*arguments)) == repr(f(*arguments))
