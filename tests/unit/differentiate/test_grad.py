"""Gradients of straight-line functions: values, nests, boxes, and refusals."""

import numpy as np
import pytest

import autograph as ag


def difference(f, x, v, h=6e-6):
    """The directional derivative of f at x along v, by a central difference."""
    return (f(x + h * v) - f(x - h * v)) / (2 * h)


DISTANCES = {
    "axis": lambda x: np.sqrt(((x[:, None] - x) ** 2).sum(-1)), "at once": lambda x: np.sqrt(
        np.square(x[0]).sum() + x[1, 0] * x[1, 0]),
    "power": lambda x: ((x[0] - x[2]) @ (x[0] - x[2])) ** 0.5, "one": lambda x: np.sqrt(x * x),
}


@pytest.mark.parametrize("f", DISTANCES.values(), ids=DISTANCES)
def test_distances_of_0(f):
    """The root of a sum of squares has slope 0 at 0, in both modes, and no warning."""
    x = np.array([[0.0, 0.0], [0.0, 1.0], [3.0, 4.0]])
    x[2] = x[2] if f is DISTANCES["axis"] else 0.0
    y, y_dot = ag.jvp(f, (x,), (v := np.ones((3, 2)) + np.eye(3, 2),))
    (g,) = ag.vjp(f, x)[1](np.ones_like(y))
    assert np.isfinite(g).all()
    np.testing.assert_allclose(np.sum(g * v), np.sum(y_dot))


def test_sum_of_products():
    x = np.linspace(0.0, 1.0, 5)
    np.testing.assert_allclose(ag.grad(lambda x: np.sum(np.sin(x) * x + np.exp(-x)))(x),
                               np.cos(x) * x + np.sin(x) - np.exp(-x), rtol=1e-14)


def test_nest():
    def loss(w, x):
        y = np.tanh(x @ w["a"] + w["b"])
        return y.sum(), y

    w = {"a": np.ones((3, 2)), "b": np.zeros(2, np.float32), "n": 3}
    (value, aux), g = ag.value_and_grad(loss, has_aux=True)(w, np.ones((4, 3)))
    assert g["n"] is None
    assert g["a"].shape == (3, 2)
    assert g["b"].dtype == np.float32
    np.testing.assert_allclose(value, aux.sum())
    np.testing.assert_allclose(g["b"], np.full(2, 4 * (1 - np.tanh(3.0) ** 2)), rtol=1e-6)


@pytest.mark.parametrize("x", [3.0, np.float32(3.0), np.array(3.0), np.array([3.0])[:1]])
def test_box_is_that_of_the_argument(x):
    g = ag.grad(lambda x: x * x if isinstance(x, float) else np.sum(x * x))(x)
    assert type(g) is type(x)
    assert np.shape(g) == np.shape(x)
    assert g == 6.0
    if not isinstance(x, float):
        assert g.dtype == x.dtype


def test_python_floats_share_a_trace():
    made = []

    def square(x):
        made.append(1)
        return x * x

    g = ag.grad(square)
    assert [g(float(k)) for k in range(4)] == [0.0, 2.0, 4.0, 6.0]
    assert len(made) == 1


def test_inner_gradient_does_not_see_what_it_closes_over():
    assert ag.grad(lambda x: ag.grad(lambda y: x * y)(x))(3.0) == 1.0
    assert ag.grad(lambda x: x * ag.grad(lambda y: x + y)(1.0))(2.0) == 1.0


def test_gradient_of_a_gradient():
    assert ag.grad(ag.grad(lambda x: x * x * x))(3.0) == 18.0


def test_mutated_argument():
    def f(x):
        x[0] = x[1] * x[2]
        return np.sum(x * x)

    a = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(ag.grad(f)(a), [0.0, 40.0, 30.0])
    np.testing.assert_array_equal(a, [6.0, 2.0, 3.0])


def test_gradients_share_no_memory():
    x, y = np.ones(3), np.ones(3)
    a, b = ag.grad(lambda x, y: np.sum(x + y), argnums=(0, 1))(x, y)
    a[0] = 7.0
    assert b[0] == 1.0
    assert a.flags.owndata or a.flags.writeable


def test_stop_gradient():
    assert ag.grad(lambda x: x * ag.stop_gradient(x))(3.0) == 3.0


def test_indices_that_repeat_accumulate():
    i = np.array([0, 2, 0])
    np.testing.assert_array_equal(ag.grad(lambda x: np.sum(x[i] * np.array([1.0, 2.0, 4.0])))(
        np.zeros(3)), [5.0, 0.0, 2.0])


def test_views_and_stores():
    def f(x):
        y = np.zeros((2, 3))
        y[:, 1] = x[:2] * 2.0
        y.T[0] = x[2]
        return np.sum(y * y * np.arange(6.0).reshape(2, 3))

    x = np.array([0.5, -1.0, 2.0])
    v = np.array([0.3, 0.7, -0.2])
    np.testing.assert_allclose(ag.grad(f)(x) @ v, difference(f, x, v), rtol=1e-7)


def test_where_does_not_leak_nan():
    g = ag.grad(lambda x: np.sum(np.where(x > 0, np.log(x), 0.0)))(np.array([0.0, 2.0, -1.0]))
    np.testing.assert_array_equal(g, [0.0, 0.5, 0.0])


@pytest.mark.parametrize(("f", "x", "message"), [
    (lambda x: x * 2.0, np.ones(3), "sum it"),
    (lambda x: x * 2.0, 3, "write 3.0"),
    (lambda x: np.sum(x > 0), np.ones(3), "no float"),
    (lambda x: x * 1j, 2.0, "complex number"),
    (lambda x: "text", 2.0, "gave a str"),
])
def test_refusal(f, x, message):
    with pytest.raises(ag.NotDifferentiable, match=message):
        ag.grad(f)(x)


def test_early_return():
    def f(x):
        s = x[0]
        for i in range(len(x)):
            s = s + x[i] * s
            if s > 3.0:
                return s * s
        return s

    x, v = np.linspace(0.2, 1.0, 30), np.linspace(-1.0, 1.0, 30)
    np.testing.assert_allclose(ag.grad(f)(x) @ v, difference(f, x, v), rtol=1e-6)


def aliased(x):
    y = x
    y[0] = 2.0 * y[1]
    z = y[::2]
    z *= 3.0
    return np.sum(y * y)


def sorted_in_place(x):
    y = x.copy()
    for i in range(10):
        for j in range(9 - i):
            if y[j] > y[j + 1]:
                t = y[j]
                y[j] = y[j + 1]
                y[j + 1] = t
    return np.sum(y[:10] * np.arange(10.0))


def in_a_dict(x):
    p = {"a": x[0], "b": x[1:]}
    for i in range(20):
        p["a"] = p["a"] * 0.9 + p["b"][i]
    return p["a"] ** 2


def continued(x):
    s = 0.0
    i = 0
    while True:
        if i >= len(x):
            break
        i += 1
        if x[i - 1] < 0:
            continue
        s = s + x[i - 1] ** 3
    return s


def reshaped_after_views(x):
    y = x.copy()
    even, odd = y[::2], y[1::2]
    even += odd ** 2
    z = y.reshape(2, 20).T  # a view: the argument of a gradient has an order, too
    z[1] = np.sin(z[0])
    return np.sum(y * np.arange(40.0))


def layers_by_sorted_keys(x):
    layers = {"b": {"w": x[:4], "b": x[4]}, "a": {"w": x[5:9], "b": x[9]}}
    h = np.ones(4)
    for key in sorted(layers):
        h = np.tanh(layers[key]["w"] * h + layers[key]["b"])
    return np.sum(h)


@pytest.mark.parametrize("f", [aliased, sorted_in_place, in_a_dict, continued,
                               reshaped_after_views, layers_by_sorted_keys],
                         ids=lambda f: f.__name__)
def test_ordinary_programs(f):
    rng = np.random.default_rng(7)
    x, v = rng.normal(size=40) * 0.5, rng.normal(size=40)
    g = ag.grad(f)(x.copy()) @ v
    expected = (f(x + 1e-6 * v) - f(x - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(g, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ag.jvp(f, (x.copy(),), (v,))[1], g, rtol=1e-10)


def test_a_product_with_an_imaginary_number_is_complex():
    """Python's complex numbers compute by themselves with float64 alone."""
    z = np.complex128(0.3 + 0.2j)
    g = ag.grad(lambda z: np.exp(1j * z) * z ** 2, holomorphic=True)(z)
    np.testing.assert_allclose(g, np.exp(1j * z) * (1j * z ** 2 + 2 * z))
    for cls in (np.float32, np.float64, np.complex64, np.complex128, np.int64):
        made = ag.function(lambda x: 2j + x)(cls(3))
        assert type(made) is type(2j + cls(3))


def test_arrays_in_different_orders() -> None:
    def f(x, y):
        z = x * 2.0 + y
        for _ in range(3):
            z = z * np.tanh(z + x)
        return np.sum(z)

    x, y = np.linspace(-1.0, 1.0, 600).reshape(2, 20, 15)
    expected = ag.grad(f, (0, 1))(x, y)
    gradient = ag.grad(f, (0, 1))
    for a in (x, np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2]):
        for b in (y, np.asfortranarray(y)):
            for found, g in zip(gradient(a, b), expected, strict=True):
                np.testing.assert_allclose(found, g, rtol=1e-12)


def test_arrays_of_unknown_lengths_may_be_broadcast():
    """Both have one type; the shorter one's gradient is summed to its own length."""
    slopes = ag.function(ag.grad(lambda x, y: np.sum(x * y), (0, 1)),
                         input_signature=[ag.TensorSpec((None,), float)] * 2)
    by_x, by_y = slopes(np.array([2.0]), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(by_x, [6.0])
    np.testing.assert_array_equal(by_y, [2.0, 2.0, 2.0])
