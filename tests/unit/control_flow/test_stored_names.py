"""Tests that loops begin with the arrays that their code stores into, and that a wrong guess does
no harm."""

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.control_flow import traced_loop, traced_regions
from autograph.runtime.control_flow.stored_names import stored_names


def bodies(v, u, b):
    def body(i):
        v[i] = u[i] + 1
        v[1:i, ::2] = u
        b[i] += v[0] if u[0] else 2

        def inner():
            w[3] = 4

        made = {}
        made[3] = inner
        return made

    w = [0]
    return body


def test_the_names_are_those_of_stores_in_variables_from_outside():
    assert set(stored_names(bodies(1, 2, 3).__code__)) == {"v", "b", "w"}


def store(x, n):
    for i in range(n):
        x[i] = x[i - 1] * 0.5
    return x


def never(x, y, n):
    total = 0.0
    for i in range(n):
        if ag.Undefined is None:
            y[i] = 1.0
        total = total + x[i]
    return total + y[0]


def raises(x, n):
    for i in range(n):
        x[i] = 1.0
        raise ValueError("always")
    return x


def view(x, n):
    rows = x.reshape(2, -1)
    for i in range(n):
        x[i] = rows[0, 0] + 1.0
    return rows


def several_names(x, n):
    y = x[1:]
    for i in range(n):
        y[i] = x[i] + 1.0
    return x, y


@pytest.fixture
def regions(monkeypatch):
    """How many regions of loops were traced."""
    found = []

    def counted(name, *rest, **how):
        found.append(name)
        return traced_regions.trace_region(name, *rest, **how)

    monkeypatch.setattr(traced_loop, "trace_region", counted)
    return found


def test_a_store_known_from_the_code_is_traced_once(regions):
    x = np.ones(30)
    np.testing.assert_array_equal(ag.function(store)(x.copy(), 20), store(x, 20))
    assert regions == ["body"]


@pytest.mark.parametrize("f", [store, raises, view, several_names])
@pytest.mark.parametrize("n", [0, 3])
def test_results_are_those_of_plain_python(f, n):
    x, y = np.arange(8.0), np.arange(8.0)
    def outcome(g, a):
        try:
            return g(a, n)
        except ValueError as error:
            return str(error)
    found, expected = outcome(ag.function(f), x), outcome(f, y)
    assert repr(found) == repr(expected)
    np.testing.assert_array_equal(x, y)


def test_an_array_that_is_not_stored_into_after_all_stays_outside():
    x, y = np.arange(60.0), np.arange(60.0)
    f = ag.function(never)
    assert f(x, y, 50) == never(x, y, 50)
    [line] = [line for line in str(f.graph(x, y, 50)).splitlines() if "for(" in line]
    assert "y" not in line.split("=")[0]


def nest_of_rebindings(x, n):
    while x[0] < n:
        x = x + 1.0
        while x[1] < n:
            x = x + 2.0
            while x[2] < n:
                x = x + 3.0
    return x


def nest_of_appends(x, n):
    found = []
    while x[0] < n:
        x[0] += 1.0
        while x[1] < n:
            x[1] += 1.0
            while x[2] < n:
                x[2] += 1.0
                found.append(x[2])
    return found


def kept_after_all(x, n, again=False):
    for i in range(n):
        if again:
            x = x * 2.0
        x[i] = i + 1.0
    return x


def changed_then_bound(x, n):
    for i in range(n):
        x[i] = 7.0
        x = x * 2.0
    return x


@pytest.mark.parametrize("f, most", [(nest_of_rebindings, 6), (nest_of_appends, 40)])
def test_loops_in_loops_are_traced_few_times(f, most, regions):
    x = np.zeros(3)
    assert repr(ag.function(f)(x.copy(), np.float64(4))) == repr(f(x, 4.0))
    assert len(regions) <= most


@pytest.mark.parametrize("f", [kept_after_all, changed_then_bound])
@pytest.mark.parametrize("n", [0, 4])
def test_a_wrong_guess_of_what_is_bound_does_no_harm(f, n):
    x, y = np.arange(8.0), np.arange(8.0)
    found, expected = ag.function(f)(x, np.int64(n)), f(y, n)
    assert (found is x) == (expected is y)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(x, y)
