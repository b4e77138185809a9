"""What is read from a list that a loop filled has the type of what was put in."""

import itertools
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

W, X = np.array([[0.5, 0.2, 0.1], [-0.3, 0.1, 0.4], [0.2, 0.2, -0.5]]), np.array([1.0, 2.0, 0.5])


def states(w: Any, x: Any, n: int) -> Any:
    found = [x]
    for _ in range(n):
        x = np.tanh(w @ x)
        found.append(x)
    return found


def stacked(w: Any, x: Any) -> Any:
    return np.mean(np.stack(states(w, x, 20)) ** 2)


def reversed_(w: Any, x: Any) -> Any:
    total = 0.0
    for y in reversed(states(w, x, 20)):
        total = total + y @ y
    return total


def sliced(w: Any, x: Any) -> Any:
    found = states(w, x, 20)
    moves = sum(y[0] * z[1] for y, z in itertools.pairwise(found))
    return moves + found[-1] @ found[3] + np.sum(found[:-1][2] * found[1:][2])


def in_a_while(w: Any, x: Any) -> Any:
    found = []
    while x @ x > 0.1:
        x = np.tanh(w @ x)
        found.append(x)
    return np.sum(np.array(found)[::-1] * np.array([1.0, -1.0, 0.5]))


def attention(w: Any, x: Any) -> Any:
    keys = np.array(states(w, x, 12))
    scores = np.exp(keys @ x)
    return np.sum((scores / scores.sum()) @ keys)


def numbers(w: Any, x: Any) -> Any:
    made = []
    for k in range(15):
        made.append(w[k % 3, 0] * x[1] + k)  # noqa: PERF401
    top = made[0]
    for v in made:
        top = np.logaddexp(top, v)
    return top


def joined(w: Any, x: Any) -> Any:
    return np.concatenate(states(w, x, 12)) @ np.linspace(0.0, 1.0, 39)


def lists_of_lists(w: Any, x: Any) -> Any:
    rows = []
    for i in range(12):
        row = []
        for j in range(3):
            row.append(w[i % 3, j] * x[j])  # noqa: PERF401
        rows.append(row)
    return sum(a * b for row in rows for a, b in itertools.pairwise(row))


def of_two_types(w: Any, x: Any) -> Any:
    made = [0.5]
    for k in range(12):
        made.append(x * k)
        made.append(w @ x)
    return np.sum(made[3]) * made[0] + np.sum(made[-1] ** 2)


def may_be_empty(w: Any, x: Any) -> Any:
    kept = []
    for k in range(12):
        if x[0] > 5.0 + k:
            kept.append(w[0] * k)  # noqa: PERF401
    total = x @ x
    for row in kept:
        total = total + row @ x
    return total


def popped(w: Any, x: Any) -> Any:
    work, total = [x], 0.0
    while work:
        y = work.pop()
        total = total + y @ y
        if y @ y > 1.0:
            work.append(0.5 * y)
            work.append(w @ y)
    return total


PROGRAMS = [stacked, reversed_, sliced, in_a_while, attention, numbers, joined, lists_of_lists,
            of_two_types, may_be_empty, popped]


@pytest.mark.parametrize("form", ["plain", "decorated"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_slopes(f: Any, form: str) -> None:
    verdict = Trial(f if form == "plain" else ag.function(f), (W, X)).verdict()
    assert verdict.outcome == "agree", verdict.told


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_second_derivatives(f: Any) -> None:
    run = ag.function(f)
    assert run(W, X) == pytest.approx(f(W, X), rel=1e-14)
    assert type(run(W, X)) is type(f(W, X))
    gradient, t = ag.grad(f), 0.1 * np.cos(W * 7.0)
    _, found = ag.jvp(lambda w: gradient(w, X), (W,), (t,))
    up, down = (gradient(W + s * t, X) for s in (1e-5, -1e-5))
    np.testing.assert_allclose(found, (up - down) / 2e-5, rtol=1e-5, atol=1e-6)


def test_the_types_are_known() -> None:
    text = str(ag.function(stacked).graph(W, X))
    assert "of_type(" in text
    assert "f64[21, 3]" in text
    assert "float = for" in str(ag.function(reversed_).graph(W, X))
    assert "any" not in str(ag.function(ag.grad(reversed_)).graph(W, X))


def test_what_a_tape_gives_by_a_value_between() -> None:
    @ag.function
    def f(w: Any, x: Any) -> Any:
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(w)
            found = states(w, x, 12)
            rows = np.stack(found)
            y = np.sum(rows ** 2) + found[-1] @ x
        first = tape.gradient(y, w)
        return first, tape.gradient(y, rows), tape.gradient(y, w)

    w_bar, rows_bar, again = f(W, X)
    rows = np.stack(states(W, X, 12))
    np.testing.assert_allclose(w_bar, ag.grad(lambda w: np.sum(
        np.stack(states(w, X, 12)) ** 2) + states(w, X, 12)[-1] @ X)(W))
    np.testing.assert_array_equal(again, w_bar)
    np.testing.assert_allclose(rows_bar, 2.0 * rows)


def test_an_item_is_still_the_array_in_the_list() -> None:
    def f(w: Any, x: Any) -> Any:
        found = states(w, x, 12)
        g = ag.grad(lambda w: np.sum(np.stack(states(w, x, 12))))(w)
        last = found[-1]
        last += g[0]
        return found[-1] * 1.0, np.stack(found)

    for made, wanted in zip(ag.function(f)(W, X), f(W, X), strict=True):
        np.testing.assert_allclose(made, wanted)
