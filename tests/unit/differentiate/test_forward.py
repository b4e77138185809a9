"""Forward mode against reverse mode, Jacobian and Hessian matrices, products with Hessians."""

import numpy as np
import pytest

import autograph as ag
from tests.unit.differentiate.test_control_flow import PROGRAMS, V, X


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_forward_is_reverse(f):
    y, y_dot = ag.jvp(f, (X.copy(),), (V,))
    value, g = ag.value_and_grad(f)(X.copy())
    assert y == value
    np.testing.assert_allclose(y_dot, g @ V, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_product_with_hessian(f):
    product = ag.hvp(f, (X.copy(),), (V,))
    np.testing.assert_allclose(ag.hessian(f)(X.copy()) @ V, product, rtol=1e-9, atol=1e-10)
    g, h = ag.grad(f), 1e-6
    expected = (g(X + h * V) - g(X - h * V)) / (2 * h)
    np.testing.assert_allclose(product, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", ["auto", "reverse", "forward"])
def test_jacobian(mode):
    x = np.linspace(-1.0, 1.0, 6).reshape(2, 3)
    found = ag.jacobian(lambda x: np.sin(x) @ x.T, mode=mode)(x)
    assert found.shape == (2, 2, 2, 3)
    h = 1e-6
    for i in np.ndindex(2, 3):
        e = np.zeros_like(x)
        e[i] = h
        expected = (np.sin(x + e) @ (x + e).T - np.sin(x - e) @ (x - e).T) / (2 * h)
        np.testing.assert_allclose(found[(..., *i)], expected, rtol=1e-8, atol=1e-9)


def test_of_numbers():
    assert ag.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0)) == (6.0, 3.0)
    y, f_jvp = ag.linearize(lambda x: x * x, 3.0)
    assert (y, f_jvp(2.0)) == (9.0, 12.0)
    assert ag.hessian(lambda x: x * x * x)(2.0) == 12.0


@pytest.mark.parametrize(("f", "primals", "tangents", "message"), [
    (lambda x: x * 2.0, (np.ones(3),), (np.ones(4),), "a tangent has the shape"),
    (lambda x: x * 2.0, (np.ones(3),), (), "0 directions"),
    (lambda x: x[0] * 2.0, ([1.0, 2.0],), ([1.0],), "another structure"),
])
def test_refusal(f, primals, tangents, message):
    with pytest.raises(ag.NotDifferentiable, match=message):
        ag.jvp(f, primals, tangents)


def test_what_a_loop_carries_out_but_does_not_read():
    def f(x):
        n = 0
        while (y := x - n) > 0:
            n += 1
        return n, y

    assert ag.jvp(f, (2.5,), (3.0,)) == ((3, -0.5), (None, 3.0))


def test_tangent_that_a_branch_gives_as_it_is():
    """It is made before the branch, whose result is a number or a text."""
    assert ag.jvp(lambda x: x or "zero", (np.float64(2.5),), (np.float64(3.0),)) == (2.5, 3.0)


FULL = {
    "tall": (lambda x: np.linalg.svd(x), (4, 3)), "wide": (lambda x: np.linalg.svd(x), (3, 4)),
    "qr": (lambda x: np.linalg.qr(x, mode="complete"), (4, 3)),
}


@pytest.mark.parametrize(("f", "shape"), FULL.values(), ids=FULL)
def test_full_decomposition_is_refused(f, shape):
    x = np.random.default_rng(0).standard_normal(shape)
    with pytest.raises(ag.NotDifferentiable, match="additional vectors of a full decomposition"):
        ag.jvp(f, (x,), (x,))
    y, pullback = f(x), lambda: ag.vjp(f, x)[1]
    with pytest.raises(ag.NotDifferentiable, match="additional vectors of a full decomposition"):
        pullback()(tuple(map(np.ones_like, y)))
    _, tangent = ag.jvp(lambda x: f(x)[1], (x,), (x,))
    np.testing.assert_allclose(tangent, y[1], rtol=1e-9)  # it grows with x


def test_a_loop_may_start_from_a_constant_array():
    """Its tangent has the constant's form: the loop's own value is not there before the loop."""
    def f(rate, x):
        mean, moved = np.zeros_like(0.0), x
        for _ in range(20):
            mean = 0.9 * mean + 0.1 * rate
            moved = moved - rate * mean
        return np.sum(moved)

    x = np.ones(3)
    _, t = ag.jvp(f, (0.05, x), (1.0, np.zeros(3)))
    np.testing.assert_allclose(t, ag.grad(f)(0.05, x))


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function])
def test_a_linear_map_stays_that_of_the_arguments_as_they_were(decorate):
    def f(x, table):
        x[0] = x[1] * table["w"][0]
        return x * x * table["w"]

    def maps(x, w, t):
        table = {"w": w}
        _, f_jvp = ag.linearize(f, x, table)
        first = f_jvp(t, {"w": t})
        x += 100.0
        w *= 3.0
        return first, f_jvp(t, {"w": t})

    x, w, t = np.array([[0.3, -0.7, 1.1], [1.0, 2.0, -1.0], [0.5, 0.2, 0.1]])
    first, second = decorate(maps)(x.copy(), w.copy(), t)
    np.testing.assert_array_equal(first, second)
    step = [(f(x + h * t, {"w": w + h * t})) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(first, (step[0] - step[1]) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function])
def test_a_linear_map_has_the_draws_of_the_value(decorate):
    rng = np.random.default_rng(0)
    scale = ag.Variable(np.array([1.0, 2.0]))

    @decorate
    def f(x, p, n):
        k = rng.normal()
        y, i = x * k * scale, 0
        while np.sum(y * y) < 50 and i < n:
            y = y * 1.3 + p["a"]
            i += 1
        return {"y": y, "n": n, "z": (p["b"] * k, k)}

    x, p = np.array([1.0, 2.0]), {"a": 0.3, "b": np.float32(2.0), "c": "t"}
    t = np.array([0.5, -1.0])
    y, f_jvp = ag.linearize(f, x, p, 9)
    state = rng.bit_generator.state
    directions = t, {"a": 0.1, "b": np.float32(1.0), "c": None}, None
    found, again = f_jvp(*directions), f_jvp(*directions)
    assert rng.bit_generator.state == state
    rng.bit_generator.state = np.random.default_rng(0).bit_generator.state
    value, wanted = ag.jvp(f, (x, p, 9), directions)
    assert (y["n"], found["n"], wanted["n"]) == (9, None, None)
    np.testing.assert_array_equal(y["y"], value["y"])
    np.testing.assert_allclose(found["y"], wanted["y"])
    np.testing.assert_array_equal(found["y"], again["y"])
    assert found["z"][0] == wanted["z"][0]
    assert type(found["z"][0]) is type(wanted["z"][0])


def test_a_linear_map_of_an_array_given_twice():
    x, t = np.array([1.0, 2.0]), np.array([1.0, 0.5])
    _, f_jvp = ag.linearize(lambda a, b: a * a * b, x, x)
    np.testing.assert_allclose(f_jvp(t, np.zeros(2)), 2.0 * x * x * t)
    np.testing.assert_allclose(f_jvp(np.zeros(2), t), x * x * t)
    with pytest.raises(ag.NotDifferentiable, match="2 arguments, and there are 1 directions"):
        f_jvp(t)


def test_a_linear_map_runs_its_function_once(capsys):
    def f(x):
        ag.print("here")
        return np.sort(x) * x

    _, f_jvp = ag.linearize(f, np.array([2.0, 1.0]))
    np.testing.assert_allclose(f_jvp(np.array([1.0, 0.0])), [1.0, 1.0])
    assert capsys.readouterr().out == "here\n"
