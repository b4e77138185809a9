"""Extremes that a function subtracts and adds back: no derivative goes through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.amount import seeds

X = np.array([[0.3, -1.2, 2.0, 0.7], [1.5, 1.4, -0.6, 0.2], [-2.0, 0.1, 0.4, -0.3]])


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum((e / e.sum(axis=1, keepdims=True))[:, 0] * np.arange(3.0))


def flat(x: Any) -> Any:
    m = np.max(x, axis=1)
    return np.sum((m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))) ** 2)


def of_all(x: Any) -> Any:
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def expanded(x: Any) -> Any:
    z = 2.0 * x
    z = z - np.expand_dims(z.max(axis=1), 1)
    p = np.exp(z) / np.reshape(np.sum(np.exp(z), axis=1), (3, 1))
    return np.sum(p @ np.arange(8.0).reshape(4, 2))


def from_below(x: Any) -> Any:
    z = x - x.min(axis=0)
    return np.sum(np.log(np.exp(z) / np.mean(np.exp(z), axis=0)) ** 2)


def with_temperature(x: Any) -> Any:
    z = (x - x.max(axis=1, keepdims=True)) / 0.5
    return np.sum((z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))) * np.eye(3, 4))


def in_loop(x: Any) -> Any:
    total = 0.0
    for row in x:
        e = np.exp(row - row.max())
        total += e[1] / e.sum()
    return total


@pytest.mark.parametrize(
    "f", [softmax, flat, of_all, expanded, from_below, with_temperature, in_loop])
def test_a_shift_that_cancels_has_no_derivative(f: Callable[..., Any]) -> None:
    assert "equal(" not in str(ag.function(ag.grad(f)).graph(X))  # no share of the largest
    assert_slopes(f)


def only_scaled(x: Any) -> Any:
    return np.sum(np.exp(x - x.max(axis=1, keepdims=True)) ** 2)


def other_axis(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum((e / e.sum(axis=0)) ** 2)


def added_twice(x: Any) -> Any:
    m = x.max()
    return 2.0 * m + np.log(np.sum(np.exp(x - m)))


def handed_out(x: Any) -> Any:
    m = x.max(axis=1, keepdims=True)
    e = np.exp(x - m)
    return np.sum(e / e.sum(axis=1, keepdims=True) * m)


def of_a_part(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum((e[0] / e.sum(axis=1)[1]) ** 2)


@pytest.mark.parametrize("f", [only_scaled, other_axis, added_twice, handed_out, of_a_part])
def test_a_shift_that_stays_has_one(f: Callable[..., Any]) -> None:
    assert "equal(" in str(ag.function(ag.grad(f)).graph(X))
    assert_slopes(f)


def assert_slopes(f: Callable[..., Any]) -> None:
    """Compares both modes with central differences, and second derivatives of both orders."""
    found = ag.grad(f)(X)
    for index in np.ndindex(X.shape):
        step = np.zeros(X.shape)
        step[index] = 1e-6
        slope = (f(X + step) - f(X - step)) / 2e-6
        assert found[index] == pytest.approx(slope, rel=1e-5, abs=1e-7)
        assert ag.jvp(f, (X,), (step * 1e6,))[1] == pytest.approx(
            found[index], rel=1e-10, abs=1e-12)
    along = np.cos(np.arange(12.0)).reshape(X.shape)
    slope = (ag.grad(f)(X + 1e-6 * along) - ag.grad(f)(X - 1e-6 * along)) / 2e-6
    np.testing.assert_allclose(ag.hvp(f, (X,), (along,)), slope, rtol=1e-5, atol=1e-6)


def test_a_tape_asks_for_a_shift() -> None:
    @ag.function
    def f(x: Any) -> Any:
        with ag.GradientTape() as tape:
            tape.watch(x)
            m = np.max(x)
            y = m + np.log(np.sum(np.exp(x - m)))
        return tape.gradient(y, [x, m])

    by_x, by_m = f(X)
    np.testing.assert_allclose(by_x, np.exp(X) / np.exp(X).sum(), rtol=1e-12)
    assert abs(by_m) < 1e-12


def random_program(seed: int) -> str:
    """Returns a function of x, and of how its largest elements are found, as text."""
    r = np.random.default_rng(seed)
    axis = int(r.integers(0, 2))
    names, lines = ["x", "m", "z", "e"], [f"    m = largest(x, {axis})", "    z = x - m",
                                          "    e = np.exp(z)"]
    for k in range(int(r.integers(2, 7))):
        a, b = r.choice(names[-4:], 2)
        form = str(r.choice([
            "{a} + {b}", "{a} - {b}", "{a} - {b}", "{a} / ({b} ** 2 + 3.0)", "np.exp({a} - {b})",
            "{a} * 0.5", "-{a}", "np.exp(0.3 * {a})", "np.log(np.sum(np.exp({a}), AXIS))",
            "np.exp({a}) / np.sum(np.exp({a}), AXIS)", "np.mean({a}, AXIS)", "np.sum({a}, AXIS)",
            "np.exp({a}) / np.exp({b})", "np.max({a}, AXIS) - {b}", "{a} * {b}"]))
        form = form.replace("AXIS", f"axis={int(r.choice([axis, axis, 1 - axis]))}, keepdims=True")
        lines.append(f"    v{k} = {form.format(a=a, b=b)}")
        names.append(f"v{k}")
    return "\n".join(["def f(x, largest):", *lines, f"    return np.sum(np.tanh({names[-1]}))"])


def by_maximum(x: Any, axis: int) -> Any:
    return np.max(x, axis=axis, keepdims=True)


def by_sorting(x: Any, axis: int) -> Any:
    ordered = np.sort(x, axis=axis)
    return ordered[-1:] if axis == 0 else ordered[:, -1:]


@pytest.mark.parametrize("seed", seeds(40))
def test_as_through_sorted_elements(seed: int) -> None:
    scope: dict[str, Any] = {"np": np}
    text = random_program(seed)
    exec(text, scope)
    f = scope["f"]
    with np.errstate(all="ignore"):
        found = ag.grad(lambda x: f(x, by_maximum))(X)
        wanted = ag.grad(lambda x: f(x, by_sorting))(X)
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-9, err_msg=text)
