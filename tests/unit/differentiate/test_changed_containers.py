"""Lists and dicts that are changed as Python changes them while the run decides how often, and
tuples that grow."""

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

X = np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
ALONG = np.array([0.5, -1.0, 2.0, 0.25, 1.0, -0.5])


def is_going_on(x: Any, n: Any) -> Any:
    return np.sum(x[:n]) < 1.5


def extended_by_plus(x: Any) -> Any:
    xs, n = [x[0]], 0
    ys = xs
    while is_going_on(x, n):
        xs += [x[n] * x[0], x[n] ** 2]
        n += 1
    return sum(ys) * len(ys) + xs[-1] * ys[1]


def cut(x: Any) -> Any:
    xs, n = [x[0]], 0
    while is_going_on(x, n):
        xs += [x[n] * x[0], x[n] ** 2]
        n += 1
    xs[1:3] = [x[4] * xs[0], x[5], xs[2]]
    del xs[-2:]
    ys = xs[1:]
    return sum(v * v for v in xs) + ys[0] * ys[-1]


def updated(x: Any) -> Any:
    d, n = {"a": x[0]}, 0
    while is_going_on(x, n):
        d.update(a=d["a"] * x[n], b=x[n])
        n += 1
    return d["a"] + d["b"] ** 2


def updated_by_another(x: Any) -> Any:
    d, other, n = {"a": x[0]}, {"a": x[1], "c": x[2]}, 0
    while is_going_on(x, n):
        d.update(other)
        other["c"] = other["c"] * d["a"] * x[n]
        d.update({"z": d["c"] * x[n]}, y=x[3])
        n += 1
    return d["a"] + d["c"] * 2 + d["z"] * d["y"]


def joined_dicts(x: Any) -> Any:
    d, other, n = {"a": x[0]}, {"c": x[2]}, 0
    while is_going_on(x, n):
        other["c"] = other["c"] * d["a"] * x[n]
        d |= other
        n += 1
    return d["a"] + d["c"] * 2


def grown_tuple(x: Any) -> Any:
    t, n = (), 0
    while is_going_on(x, n):
        t = (*t, x[n] ** 2)
        n += 1
    return t[0] * t[-1] + sum(t)


def best_sequence(x: Any) -> Any:
    best, n = ((), 0.0), 0
    while is_going_on(x, n):
        taken, score = best
        bonus = 0.3 if taken and taken[-1] == 1 else 0.1
        best = ((*taken, n), score + x[n] ** 2 * bonus)
        n += 1
    return best[1]


def copies(x: Any) -> Any:
    xs, seen, n = [x[0], x[1]], [], 0
    while is_going_on(x, n):
        seen.append(list(xs))
        xs[n % 2] = xs[n % 2] * x[n]
        n += 1
    return sum(pair[0] * pair[1] for pair in seen) + xs[0]


def arrays_in_rows(x: Any) -> Any:
    rows, n = [], 0
    while is_going_on(x, n):
        rows.append([x[:2] * x[n], x[n]])
        n += 1
    total = 0.0
    for row in rows:
        total = total + np.sum(row[0] ** 2) * row[1]
    y = np.zeros(3)
    y[0] = total
    y[1:] = rows[-1][0]
    return np.sum(y**2)


def counted(x: Any) -> Any:
    d, n = collections.defaultdict(float), 0
    while is_going_on(x, n):
        d[n % 2] = d[n % 2] + x[n] ** 2
        n += 1
    return d[0] * d[1]


def listed(x: Any) -> Any:
    d, n = collections.defaultdict(list), 0
    while is_going_on(x, n):
        d[n % 2].append(x[n] ** 2)
        n += 1
    return sum(d[0]) * sum(d[1])


PROGRAMS = (extended_by_plus, cut, updated, updated_by_another, joined_dicts, grown_tuple,
            best_sequence, copies, arrays_in_rows, counted)


@pytest.mark.parametrize("f", PROGRAMS)
def test_both_modes_give_the_slope(f: Callable[[Any], Any]) -> None:
    h = 1e-6
    slope = (f(X + h * ALONG) - f(X - h * ALONG)) / (2 * h)
    value, gradient = ag.value_and_grad(f)(X)
    assert np.isclose(value, f(X), rtol=1e-14)
    assert np.isclose(gradient @ ALONG, slope, rtol=1e-6)
    assert np.isclose(ag.jvp(f, (X,), (ALONG.copy(),))[1], slope, rtol=1e-6)


def test_a_look_up_that_may_change_its_object_is_refused() -> None:
    with pytest.raises(ag.NotDifferentiable):
        ag.grad(listed)(X)
