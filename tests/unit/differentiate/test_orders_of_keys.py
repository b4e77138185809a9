"""Directions and cotangents of dicts belong to the keys, in whatever order they are given."""

import numpy as np
import pytest

import autograph as ag

AT = {"a": 1.0, "b": 2.0}


def weighted(t):
    return {"p": 2.0 * t["a"] + t["b"], "q": [5.0 * t["b"], t["a"]]}


def test_tangents():
    _, y_dot = ag.jvp(weighted, (AT,), ({"b": 1.0, "a": 0.0},))
    assert y_dot == {"p": 1.0, "q": [5.0, 0.0]}


def test_products_with_the_hessian_matrix():
    made = ag.hvp(lambda t: t["a"] ** 3 + t["b"] ** 2, (AT,), ({"b": 1.0, "a": 0.0},))
    assert made == {"a": 0.0, "b": 2.0}


def test_cotangents():
    _, pullback = ag.vjp(weighted, AT)
    assert pullback({"q": [1.0, 0.0], "p": 0.0}) == ({"a": 0.0, "b": 5.0},)


def test_cotangents_in_a_trace():
    @ag.function
    def inside(x):
        _, pullback = ag.vjp(weighted, {"a": x, "b": x})
        return pullback({"q": [1.0, 0.0], "p": 0.0})[0]

    assert inside(np.float64(1.0)) == {"a": 0.0, "b": 5.0}


def test_output_gradients_of_a_tape():
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([1.0, 2.0]))
        target = {"p": 2.0 * x, "q": 3.0 * x}
    found = tape.gradient(target, x, output_gradients={"q": np.ones(2), "p": np.zeros(2)})
    np.testing.assert_array_equal(found, [3.0, 3.0])


@pytest.mark.parametrize("given", [{"a": 1.0, "c": 0.0}, [1.0, 0.0], {"a": 1.0}])
def test_other_keys_are_refused(given):
    with pytest.raises(ag.NotDifferentiable, match="another structure"):
        ag.jvp(weighted, (AT,), (given,))
