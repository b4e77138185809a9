"""Gradients by variables, and through writes to them: both modes against differences."""

import numpy as np
import pytest

import autograph as ag

V, W = ag.Variable(3.0), ag.Variable(np.ones(3))
COUNT = 4


def written_twice(x):
    V.assign(x * x)
    V.assign_add(V * x)
    return V * 1.0


def in_a_loop(x):
    for _ in range(int(COUNT)):
        V.assign(V * x + 1.0)
    return V * x


def while_small(x):
    while V < 50.0:
        V.assign(V * x)
    return V * x


def in_a_branch(x):
    if x > 1:
        V.assign(x * x * x)
    else:
        V.assign(x)
    return V * 2.0


def in_one_branch(x):
    if x < 1:
        V.assign(x)
    return V * x


def an_item(x):
    W[1] = x * x
    return W[1] * x + W[0]


@pytest.mark.parametrize("f", [written_twice, in_a_loop, while_small, in_a_branch, in_one_branch,
                               an_item], ids=lambda f: f.__name__)
def test_writes(f):
    def from_start(run):
        V.assign(3.0)
        W.assign(np.ones(3))
        return run()

    h = 1e-6
    slope = (from_start(lambda: f(2.0 + h)) - from_start(lambda: f(2.0 - h))) / (2 * h)
    np.testing.assert_allclose(from_start(lambda: ag.grad(f)(2.0)), slope, rtol=1e-7)
    np.testing.assert_allclose(from_start(lambda: ag.jvp(f, (2.0,), (1.0,))[1]), slope, rtol=1e-7)


def test_variable_as_argument():
    """Every function takes it, in a nest, too; the gradient has its shape and dtype."""
    v, w = ag.Variable(3.0), ag.Variable(np.array([1.0, 2.0], np.float32))
    assert ag.grad(lambda v: v * v * 2.0)(v) == 12.0
    assert ag.value_and_grad(lambda v, x: v * x, argnums=(0, 1))(v, 2.0) == (6.0, (2.0, 3.0))
    g = ag.grad(lambda p: np.sum(p["w"] * p["w"]) * p["x"])({"w": w, "x": 2.0})
    np.testing.assert_array_equal(g["w"], [4.0, 8.0])
    assert (g["w"].dtype, g["x"]) == (np.float32, 5.0)
    assert ag.jvp(lambda v: v * v, (v,), (1.0,)) == (9.0, 6.0)
    assert ag.vjp(lambda v: v * v, v)[1](1.0) == (6.0,)
    assert ag.jacobian(lambda v: v * v)(v) == 6.0
    np.testing.assert_array_equal(ag.jacobian(lambda w: w * w)(w), [[2.0, 0.0], [0.0, 4.0]])
    assert ag.hessian(lambda v: v * v * v)(v) == 18.0


def test_variable_of_integers_is_refused():
    with pytest.raises(ag.NotDifferentiable, match=r"hint: write 3\.0 instead of 3"):
        ag.grad(lambda v: v * 2.0)(ag.Variable(3))


def test_hessians_by_variables():
    v, w = ag.Variable(np.array([0.5, -0.3])), ag.Variable(np.array([2.0, 1.0]))

    def f(x, y):
        return (x * y).sum() * (x * x).sum()

    for second in (ag.hessian(f, (0, 1)), ag.function(lambda x, y: ag.hessian(f, (0, 1))(x, y))):
        found = second(v, w)
        expected = second(v.numpy(), w.numpy())
        for row, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(row, other, rtol=1e-12)
