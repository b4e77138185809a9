"""Nests, several arguments, and names: Jacobian and Hessian matrices, rules, checkpoints."""

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

X = np.array([1.0, 2.0, 3.0])


def energy(p, k):
    return np.sum(p["w"] ** 2 * p["b"]) * k


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_jacobian_of_nests(mode):
    """Its structure is that of the result, then that of the arguments."""
    def f(p, k):
        return {"u": p["w"] * p["b"] * k, "v": (np.sum(p["w"]), 3)}

    made = ag.jacobian(f, argnums=(0, 1), mode=mode)({"w": X, "b": 2.0, "name": "n"}, 5.0)
    by_p, by_k = made["u"]
    np.testing.assert_allclose(by_p["w"], np.eye(3) * 10.0)
    np.testing.assert_allclose(by_p["b"], X * 5.0)
    np.testing.assert_allclose(by_k, X * 2.0)
    assert by_p["name"] is None
    assert made["v"][1] is None
    np.testing.assert_allclose(made["v"][0][0]["w"], np.ones(3))


def test_hessian_of_nests():
    found = ag.hessian(energy, argnums=(0, 1))({"w": X, "b": 2.0}, 5.0)
    np.testing.assert_allclose(found[0]["w"][0]["w"], np.eye(3) * 20.0)
    np.testing.assert_allclose(found[0]["w"][0]["b"], 10.0 * X)
    np.testing.assert_allclose(found[1][0]["w"], 4.0 * X)
    assert found[1][1] == 0.0


def test_arguments_by_name():
    """`argnames` names a parameter, however it is given."""
    def f(a, b=3.0, c=1.0):
        return a * b * c

    g = ag.grad(f, argnums=(), argnames="b")
    assert (g(2.0, b=5.0), g(2.0, 5.0), g(2.0)) == ({"b": 2.0},) * 3
    assert ag.grad(f, argnames=("c",))(2.0, 5.0) == (5.0, {"c": 10.0})


def test_names_alone_want_no_positions() -> None:
    with pytest.raises(ag.NotDifferentiable, match=r"hint: argnums=\(\) for the gradient by x "):
        ag.grad(lambda x: x * x, argnames="x")(2.0)


def test_rules_and_checkpoints_take_names():
    @ag.custom_vjp
    def scaled(a, k=2.0):
        return a * k

    scaled.defvjp(lambda a, k: (a * k, k), lambda k, g: (g * k * 10.0, None))
    assert ag.grad(scaled)(1.0) == 20.0
    assert ag.grad(lambda a: scaled(a, k=4.0))(1.0) == 40.0
    again = ag.checkpoint(lambda a, k=2.0: np.sin(a) * k)
    assert ag.grad(lambda a: again(a, k=3.0))(0.0) == 3.0
    assert ag.grad(lambda k: again(0.5, k=k))(1.0) == np.sin(0.5)


def test_rule_calls_its_function():
    """As is usual elsewhere; derivatives have the rule up to the third order."""
    @ag.custom_vjp
    def power(x):
        return np.exp(x)

    power.defvjp(lambda x: (power(x), power(x)), lambda kept, g: (2.0 * g * kept,))

    @ag.custom_jvp
    def other(x):
        return np.exp(x)

    other.defjvp(lambda x, t: (other(x[0]), 2.0 * t[0] * other(x[0])))
    for f in (power, other):
        once = ag.grad(f)
        twice = ag.grad(once)
        assert (once(0.0), twice(0.0), ag.grad(twice)(0.0)) == (2.0, 4.0, 8.0)
        with pytest.raises(ag.NotDifferentiable, match=r"order than 3.*\n.*test_nests"):
            ag.grad(ag.grad(twice))(0.0)


def test_pullback_of_a_trace():
    @ag.function
    def f(a, b):
        return {"y": np.sum(a * a) * b}

    traced = f.get_concrete_function(ag.TensorSpec([None], np.float64), np.float64(2.0))
    y, pullback = traced.vjp(X, np.float64(2.0))
    assert y == {"y": 28.0}
    a_bar, b_bar = pullback({"y": 1.0})
    np.testing.assert_allclose(a_bar, 4.0 * X)
    assert b_bar == 14.0


class Momentum:
    """Descends; its numbers are Python's at first, and arrays of shape () and NumPy's later."""

    def __init__(self, params):
        self.params = params
        self.speed = {k: np.zeros_like(v) for k, v in params.items()}

    def step(self, gradients):
        for k in self.params:
            self.speed[k] = 0.5 * self.speed[k] + 0.1 * gradients[k]
            self.params[k] = self.params[k] - self.speed[k] / (1.0 + np.sqrt(self.speed[k] ** 2))


@pytest.mark.parametrize("form", [lambda f: f, ag.function])
def test_a_leaf_of_which_only_the_run_knows_the_type_has_a_gradient(form):
    def train(w, b):
        descent = Momentum({"w": w, "b": b})
        for _ in range(8):
            descent.step(ag.grad(lambda p: np.sum((p["w"] * X - p["b"]) ** 2))(descent.params))
        return descent.params["w"].sum() + descent.params["b"]

    verdict = Trial(form(train), (X, 0.7)).verdict()
    assert verdict.outcome == "agree", verdict.told
    w, b = X, 0.7
    assert form(train)(w, b) == train(w, b)
