"""The tape, pullbacks, rules of users, checkpoints and variables."""

import numpy as np
import pytest

import autograph as ag
from tests.unit.differentiate.test_control_flow import PROGRAMS, X


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_pullback_is_the_gradient(f):
    x = X.copy()
    y, pullback = ag.vjp(f, x)
    x[:] = 7.0  # the pullback remembers what the argument held
    assert y == f(X.copy())
    for factor in (1.0, 2.0):
        np.testing.assert_array_equal(pullback(factor)[0], factor * ag.grad(f)(X.copy()))


def test_pullback_of_nests():
    def g(w, x):
        return {"a": w["p"] @ x, "b": [np.sum(x), 3]}

    y, pullback = ag.vjp(g, {"p": np.ones((2, 3))}, np.arange(3.0))
    assert y["b"] == [3.0, 3]
    w_bar, x_bar = pullback({"a": np.ones(2), "b": [1.0, None]})
    np.testing.assert_array_equal(w_bar["p"], [[0.0, 1.0, 2.0]] * 2)
    np.testing.assert_array_equal(x_bar, [3.0, 3.0, 3.0])
    with pytest.raises(ag.NotDifferentiable, match="another structure"):
        pullback({"a": np.ones(2)})
    with pytest.raises(ag.NotDifferentiable, match="has the shape of the result"):
        pullback({"a": np.ones(3), "b": [1.0, None]})


def test_pullback_of_what_may_be_the_argument():
    def f(b, x):
        y = np.sin(x)
        k = 0
        while k < 1 and b < 0.5:
            k += 1
            x[x > 0.2] = b
            x = y
        return x

    x = np.array([0.1, 0.5, 0.4])
    for b, expected in ((0.3, (0.0, np.cos(x))), (0.7, (0.0, np.ones(3)))):
        made, pullback = ag.vjp(f, b, x.copy())
        np.testing.assert_allclose(made, f(b, x.copy()))
        for g, e in zip(pullback(np.ones(3)), expected, strict=True):
            np.testing.assert_allclose(g, e)


def test_pullback_inside_a_function():
    @ag.function
    def h(x):
        _, pullback = ag.vjp(np.sin, x)
        return pullback(np.ones(3))[0]

    x = np.arange(3.0)
    np.testing.assert_allclose(h(x), np.cos(x), rtol=1e-15)


def test_effects_of_a_pullback_happen_once(capsys):
    def f(x):
        ag.print("ran")
        return x * x

    _, pullback = ag.vjp(f, 3.0)
    assert [pullback(1.0), pullback(2.0)] == [(6.0,), (12.0,)]
    assert capsys.readouterr().out == "ran\n"


# -- the tape -------------------------------------------------------------------------------------


def test_tape_outside():
    v = ag.Variable(3.0)

    @ag.function
    def add(a, b):
        return a + b

    with ag.GradientTape() as tape:
        result = add(v, 1.0)
    assert tape.gradient(result, v) == 1.0
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(result, v)

    x = np.ones(3)
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = add(x, x)
        z = add(y, y)
    np.testing.assert_array_equal(tape.gradient(z, x), [4.0] * 3)
    np.testing.assert_array_equal(tape.jacobian(y, x), 2 * np.eye(3))
    assert tape.gradient(y, v) is None
    assert tape.gradient(y, v, unconnected_gradients="zero") == 0.0
    with pytest.raises(ag.NotDifferentiable, match="cannot look"):
        tape.gradient(z * 2, x)


def test_variable_that_a_function_finds():
    v = ag.Variable(3.0)

    @ag.function
    def f(x):
        return v * x * x

    with ag.GradientTape() as tape:
        y = f(2.0)
    assert tape.gradient(y, v) == 4.0
    assert tape.watched_variables() == (v,)


def test_tape_inside_and_written_variables():
    v = ag.Variable(3.0)

    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            y = v * x
            v.assign(y * y)
            z = v.read() * x
        return tape.gradient(z, v)

    assert f(2.0) == 48.0


def test_nested_tapes():
    @ag.function
    def second(x):
        with ag.GradientTape() as outer:
            outer.watch(x)
            with ag.GradientTape() as inner:
                inner.watch(x)
                y = x * x * x
            g = inner.gradient(y, x)
        return outer.gradient(g, x)

    np.testing.assert_allclose(second(np.arange(3.0)), [0.0, 6.0, 12.0])


def test_variable_written_in_a_loop():
    v = ag.Variable(np.array([1.0, 2.0]))

    def f(x):
        v.assign(np.ones(2))
        for _ in range(20):
            v.assign(v * x + 1.0)
        return np.sum(v.read())

    h = 1e-6
    g = ag.grad(f)
    found = g(0.9)
    np.testing.assert_allclose(found, (f(0.9 + h) - f(0.9 - h)) / (2 * h), rtol=1e-7)


# -- rules of users -------------------------------------------------------------------------------


def test_custom_vjp():
    @ag.custom_vjp
    def f(x, y):
        return x * y

    f.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, g: (g * kept[1] * 10, g * kept[0] * 100))
    assert f(2.0, 3.0) == 6.0
    assert ag.grad(f, argnums=(0, 1))(2.0, 3.0) == (30.0, 200.0)
    assert ag.jvp(f, (2.0, 3.0), (1.0, 1.0)) == (6.0, 230.0)


def test_custom_jvp():
    @ag.custom_jvp
    def f(x):
        return x * x

    f.defjvp(lambda primals, tangents: (primals[0] * primals[0], 7 * primals[0] * tangents[0]))
    assert ag.grad(f)(2.0) == 14.0
    assert ag.jvp(f, (2.0,), (1.0,)) == (4.0, 14.0)


def test_rules_in_a_loop():
    @ag.custom_gradient
    def softplus(x):
        return np.log(1 + np.exp(x)), lambda g: g * (1 - 1 / (1 + np.exp(x)))

    def of(function):
        def f(x):
            s = x * 0.0
            for _ in range(30):
                s = s * 0.5 + function(np.sin(x * s))
            return s

        return f

    def plain(x):
        return np.log(1 + np.exp(x))

    x = np.float64(0.3)
    expected, second = ag.grad(of(plain))(x), ag.hessian(of(plain))(x)
    np.testing.assert_allclose(ag.grad(of(softplus))(x), expected, rtol=1e-14)
    np.testing.assert_allclose(ag.hessian(of(softplus))(x), second, rtol=1e-12)
    np.testing.assert_allclose(ag.grad(of(ag.checkpoint(plain)))(x), expected, rtol=1e-15)
    np.testing.assert_allclose(ag.hessian(of(ag.checkpoint(plain)))(x), second, rtol=1e-12)
    np.testing.assert_allclose(ag.grad(ag.checkpoint(of(plain)))(x), expected, rtol=1e-15)


def test_rule_with_too_few_cotangents():
    @ag.custom_gradient
    def f(x, y):
        return x * y, lambda g: (g,)

    with pytest.raises(ag.NotDifferentiable, match="1 cotangents for 2 arguments"):
        ag.grad(f)(1.0, 2.0)


@pytest.mark.parametrize("derivative", [
    lambda f, x: ag.grad(f)(x) @ x, lambda f, x: ag.jvp(f, (x,), (x,))[1],
    lambda f, x: ag.jacobian(f, mode="reverse")(x) @ x, lambda f, x: ag.vjp(f, x)[1](1.0) @ x,
], ids=["grad", "jvp", "jacobian", "vjp"])
def test_arrays_written_by_reference_in_a_loop(derivative):
    def f(x):
        a, b = x.copy(), x * 2.0
        for i in range(30):
            c = a if x[i] > 0 else b
            c[i] = x[i] * x[i] * 3.0
        return np.sum(a * a) + np.sum(b)

    x = np.linspace(-1.0, 1.0, 30)
    slope = (f(x * (1 + 1e-6)) - f(x * (1 - 1e-6))) / 2e-6
    np.testing.assert_allclose(np.sum(derivative(f, x)), slope, rtol=1e-7)


def test_pullback_of_loops_over_numbers():
    """What a loop keeps is filled in place, and is there however the loop ended."""
    def until(x):
        while abs(x) < 100.0:
            x = x * x
        return x

    def broken(x):
        s = 0.0
        for i in range(30):
            if s > 10.0 * x:
                last = i
                break
            s = s + x * s + x
        return s * last

    for f in (until, broken):
        y, pullback = ag.vjp(f, np.float64(1.7))
        assert y == f(np.float64(1.7))
        np.testing.assert_allclose(pullback(np.float64(1.0))[0], ag.grad(f)(np.float64(1.7)),
                                   rtol=1e-14)


def test_pullback_of_updates_of_an_argument():
    """What the pullback needs of an argument that the function changes is kept, and no view."""
    def f(b, x):
        x[:2] += 0.5
        x[1:] *= b
        return x.sum()

    b_bar, x_bar = ag.vjp(f, 0.7, np.array([0.1, 0.2, 0.3]))[1](1.0)
    np.testing.assert_allclose(b_bar, 0.2 + 0.5 + 0.3)
    np.testing.assert_allclose(x_bar, [1.0, 0.7, 0.7])


def test_positions_of_arguments():
    f = ag.grad(lambda x, y: np.sum(x * y), np.int64(-1))
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    np.testing.assert_array_equal(f(x, y), x)
    a, b = ag.grad(lambda x, y: np.sum(x * y), (0, 0))(x, y)
    np.testing.assert_array_equal(a, y)
    np.testing.assert_array_equal(b, y)
    with pytest.raises(ag.NotDifferentiable, match="argnums='x' is no position"):
        ag.grad(np.sum, "x")(x)


@pytest.mark.parametrize("x", [np.ma.array([1.0, 2.0], mask=[0, 1]), np.array([1.0], object)],
                         ids=lambda x: type(x).__name__)
def test_arrays_that_are_no_plain_ones_are_refused_by_name(x):
    with pytest.raises(ag.NotDifferentiable, match="argument 0 is an object of which"):
        ag.grad(np.sum)(x)


def test_what_is_no_cotangent_is_named():
    x = np.ones(2)
    with pytest.raises(ag.NotDifferentiable, match="a cotangent is a list"):
        ag.vjp(lambda x: x * 2, x)[1]([1, 0])
    with pytest.raises(ag.NotDifferentiable, match="a tangent is a list"):
        ag.jvp(lambda x: x * 2, (x,), ([1.0, 0.0],))


def cubed(v):
    return v ** 3


@pytest.mark.parametrize("shape", [(None,), (3,), None])
def test_forward_mode_of_a_function_with_a_signature(shape):
    """Duals are no arguments of the function, and a matrix needs the shapes of a call."""
    f = ag.function(cubed, input_signature=[ag.TensorSpec(shape, np.float64)])
    total = ag.function(lambda v: np.sum(cubed(v)), input_signature=f.input_signature)
    x, t = np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 2.0])
    for found, wanted in (
            (ag.jvp(f, (x,), (t,)), ag.jvp(cubed, (x,), (t,))),
            (ag.linearize(f, x)[1](t), ag.linearize(cubed, x)[1](t)),
            (ag.jvp(ag.grad(total), (x,), (t,))[1], 6 * x * t),
            (ag.hvp(total, (x,), (t,)), 6 * x * t), (ag.hessian(total)(x), np.diag(6 * x)),
            *((ag.jacobian(f, mode=m)(x), np.diag(3 * x * x)) for m in ("reverse", "forward"))):
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ag.SignatureError, match="v does not fit its signature"):
        ag.jvp(f, (x.astype(np.float32),), (t.astype(np.float32),))
    with pytest.raises(ag.SignatureError, match="v does not fit its signature"):
        ag.jacobian(f)(x.astype(np.float32))
