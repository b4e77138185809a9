"""Tests that `x[a:b] += y` is one operation of the trace, and that no other store is left out."""

import numpy as np
import pytest

import autograph as ag


def rows(x, y, k):
    x[1:] += y[0]
    x[1, :k] *= 2.0
    x[:, -2] -= x[:, 1]
    x[1:][2:] += 1.0
    x[::-1, None, ::2] += 0.5
    x[..., 0] **= 2.0
    return x


def in_branches(x, y, k):
    for i in range(3):
        if x[i, 0] > 1.0:
            x[i, k:] += y[i, k:]
        else:
            x[i] -= y[i]
    return x


def by_two_names(x, y, k):
    v = x[1:3]
    v += 1.0
    x[1:3] = v
    w = v[:1]
    w *= y[:1]
    v[:1] = w
    return v


def elsewhere(x, y, k):
    v = x[1:3]
    v += 1.0
    y[1:3] = v
    x[0:2] = v
    v *= 2.0
    x[1:3] = v + y[1:3]
    return x, v


def later(x, y, k):
    v = x[1:3]
    v += 1.0
    x[1, 1] = 7.0
    x[1:3] = v
    y[1:3] = y[1:3]
    return x


def by_masks(x, y, k):
    x[x > 2.0] += 1.0
    x[[0, 2]] *= 3.0
    x[np.arange(2), 1] -= y[0, :2]
    return x


def with_an_error(x, y, k):
    x[1:] += 1.0
    y[:2] -= x[:3]
    return x


def of_integers(x, y, k):
    n = np.arange(12).reshape(4, 3)
    n[1:] += k
    n[0] //= 2
    return n


FUNCTIONS = [rows, in_branches, by_two_names, elsewhere, later, by_masks, with_an_error,
             of_integers]


def outcome(f, x, y, k):
    try:
        result = f(x, y, k)
    except Exception as error:
        result = type(error), str(error).splitlines()[0]
    return repr(result), x.tolist(), y.tolist()


@pytest.mark.parametrize("k", [0, 2, np.int64(1)])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_what_the_plain_function_does(f, k):
    x, y = np.arange(12.0).reshape(4, 3), np.linspace(0.1, 3.0, 12).reshape(4, 3)
    traced = ag.function(f)
    for _ in range(2):
        assert outcome(traced, x.copy(), y.copy(), k) == outcome(f, x.copy(), y.copy(), k)


@pytest.mark.parametrize("f", [rows, by_two_names, later])
def test_arrays_that_are_read_only(f):
    x, y = np.arange(12.0).reshape(4, 3), np.ones((4, 3))
    for array in (x, y):
        array.flags.writeable = False
    assert outcome(ag.function(f), x, y, 1) == outcome(f, x, y, 1)


def test_the_trace_has_one_update_for_each():
    def halves(x):
        x[:2] *= 0.5
        x[2:] += 1.0
        return x

    text = str(ag.function(halves).graph(np.ones(4), stage="traced"))
    assert text.count("update_view(") == 2 and "setitem(" not in text
