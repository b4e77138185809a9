"""What gradients cost: what loops keep, what they compute on, and what the printed code does."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.graph import Graph, equations_in
from tests.support.slopes import Trial


def squares(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def decay(x):
    y = x
    for _ in range(50):
        a = -(y + 0.1 * x) * (y + 0.1 * x)
        y = y + 0.05 * a
    return y


def power(x):
    y = x
    while abs(y) < 1e6:
        y = y * 1.01
    return y


def growing(x):
    y = x
    for _ in range(4):
        y = y * y * y
    return y


def bisected(lo, hi):
    while hi - lo > 1e-9:
        middle = (lo + hi) * 0.5
        if middle * middle > 2.0:
            hi = middle
        else:
            lo = middle
    return lo * hi


def halves(x):
    return np.sum(x[:, :8] * x[:, 8:] + np.exp(x[:, :8]))


def recurrent(w, x):
    h = np.zeros_like(x[0])
    for t in range(len(x)):
        h = np.tanh(h @ w + x[t])
    return np.sum(h)


def gated(w, x):
    h = x[0]
    for t in range(len(x)):
        z = h @ w
        h = np.tanh(z) * np.tanh(z + x[t])
    return np.sum(h)


def logistic(x):
    return np.sum(1.0 / (1.0 + np.exp(-x)))


def low_rank(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum((u[:, :2] * s[:2]) @ vh[:2] * a * a)


def nearest_rotation(a):
    u, s, vh = np.linalg.svd(a[:3])
    return np.sum(u @ vh * a[:3]) + s[0]


def triangular(a):
    q, r = np.linalg.qr(a)
    return np.sum(q[:, 0] * a[:, 1]) + np.sum(r * r)


def calls_of_math(a):
    x, y = a[0, 0], a[1, 1]
    return math.prod([x, y, 2.0]) + math.dist([x, y], [1.0, 2.0]) + x ** y


def orbit(a):
    z = 0j
    for _ in range(4):
        z = z * z + complex(a[0, 0], a[1, 1])
        if abs(z) > 9:
            break
    return abs(z) ** 2 + z.real


def source(f: Callable[..., Any], *args: Any) -> str:
    dispatcher = ag.value_and_grad(f).__ag_dispatcher__
    names = [p.name for p in dispatcher.parameters]
    return dispatcher.find(dict(zip(names, args, strict=True)))[0].source


def pushes(f: Callable[..., Any], *args: Any) -> int:
    graph: Graph = ag.value_and_grad(f).graph(*args)
    return sum(e.op.name == "push" for e in equations_in(graph))


def difference(f: Callable[..., Any], x: Any, direction: Any) -> float:
    step = 1e-6
    return float((f(x + step * direction) - f(x - step * direction)) / (2 * step))


@pytest.mark.parametrize("f", [low_rank, nearest_rotation, triangular])
def test_both_sweeps_share_the_factors_of_a_matrix(f) -> None:
    a = np.random.default_rng(0).normal(size=(4, 3))
    text = source(f, a)
    assert text.count("linalg.svd") + text.count("linalg.qr") == 1, text
    slope = np.vdot(ag.grad(f)(a), np.cos(a))
    np.testing.assert_allclose(slope, difference(f, a, np.cos(a)), rtol=1e-6)


@pytest.mark.parametrize(("f", "kernels"), [
    (calls_of_math, ("fitted_to", "masked_product", "sum_to_type", "np.where")),
    (orbit, ("fitted_to", "sum_to_type", "np.real", "np.imag"))])
def test_derivatives_of_pythons_numbers_are_computed_on_numbers(f, kernels) -> None:
    a = np.random.default_rng(0).normal(size=(4, 3)) ** 2 * 0.1
    assert [name for name in kernels if name in source(f, a)] == []
    slope = np.vdot(ag.grad(f)(a), np.cos(a))
    np.testing.assert_allclose(slope, difference(f, a, np.cos(a)), rtol=1e-6)


def test_equal_expressions_are_kept_once() -> None:
    assert pushes(decay, np.float64(0.7)) == 1


def test_only_a_count_is_kept_where_nothing_else_is_used() -> None:
    assert pushes(power, np.float64(1.5)) == 0


@pytest.mark.parametrize("f", [decay, power])
def test_loops_over_scalars_run_on_numbers_forward_and_backward(f) -> None:
    text = source(f, np.float64(0.7))
    numbers, _, exact = text.partition("except (OverflowError")
    assert numbers.count("for ") + numbers.count("while ") == 2 and exact.count("clear()") == (
        pushes(f, np.float64(0.7)))
    value, gradient = ag.value_and_grad(f)(np.float64(0.7))
    assert type(value) is type(gradient) is np.float64
    np.testing.assert_allclose(gradient, difference(f, np.float64(0.7), 1.0), rtol=1e-6)


@pytest.mark.parametrize("x", [1.1, 1e5, np.inf, np.nan, -0.0])
def test_numbers_and_the_exact_code_agree(x) -> None:
    with np.errstate(all="ignore"):
        value, gradient = ag.value_and_grad(growing)(np.float64(x))
        y, slope = np.float64(x), np.float64(1.0)
        for _ in range(4):
            y, slope = y * y * y, slope * 3 * y * y
    np.testing.assert_equal(value, y)
    np.testing.assert_allclose(gradient, slope, rtol=1e-14)


def test_a_constant_derivative_is_not_carried() -> None:
    x = np.arange(1.0, 9.0)
    assert "d_total" not in source(squares, x)
    np.testing.assert_array_equal(ag.grad(squares)(x), 2 * x)


def test_parts_that_do_not_overlap_are_stored_without_a_sum() -> None:
    x = np.linspace(-1.0, 1.0, 32).reshape(2, 16)
    text = source(halves, x)
    assert text.count("d_x[:, 8:] =") == 1 and "d_x[:, 8:] +" not in text
    expected = np.hstack([x[:, 8:] + np.exp(x[:, :8]), x[:, :8]])
    np.testing.assert_allclose(ag.grad(halves)(x), expected, rtol=1e-15)


def test_weights_are_summed_in_place() -> None:
    """Where so many rows would leave the cache, were they kept for one product."""
    w, x = np.eye(16) * 0.5, np.linspace(-1.0, 1.0, 50 * 8192).reshape(50, 512, 16)
    text = source(recurrent, w, x)
    assert text.count("d_w +=") == 1 and "d_w.copy" not in text
    slope = np.vdot(ag.grad(recurrent)(w, x), np.ones((16, 16)))
    np.testing.assert_allclose(
        slope, difference(lambda w: recurrent(w, x), w, np.ones((16, 16))), rtol=1e-6)


def test_products_with_kept_arrays_are_made_in_place() -> None:
    w, x = np.eye(16) * 0.5, np.linspace(-1.0, 1.0, 50 * 256).reshape(50, 16, 16)
    text = source(gated, w, x)
    backward = text[text.index("range(49"):]
    assert backward.count(" *= ") + backward.count(" += ") >= 3
    expected = ag.grad(gated, (0, 1))(w, x)
    for order in ("F", "A"):
        given = np.array(x, order="F"), np.array(x[::-1], order=order)[::-1]
        for y in given:
            for found, g in zip(ag.grad(gated, (0, 1))(np.array(w, order="F"), y), expected,
                                strict=True):
                np.testing.assert_allclose(found, g, rtol=1e-12, atol=1e-15)


def test_gradients_share_no_memory() -> None:
    def f(x, y):
        for _ in range(3):
            x = x + y
        return np.sum(x)

    a, b = ag.grad(f, (0, 1))(np.ones(300), np.ones(300))
    assert not np.shares_memory(a, b)
    np.testing.assert_array_equal(a, np.ones(300))
    np.testing.assert_array_equal(b, np.full(300, 3.0))


def test_the_logistic_function_does_not_overflow_backward() -> None:
    x = np.array([-800.0, -1.0, 0.0, 1.0, 40.0])
    with np.errstate(over="ignore"):
        found = ag.grad(logistic)(x)
        z = 1.0 / (1.0 + np.exp(-x))
    np.testing.assert_allclose(found, z * (1.0 - z), rtol=1e-15)
    second = ag.grad(lambda x: np.sum(ag.grad(logistic)(x)))(x[1:4])
    z = z[1:4]
    np.testing.assert_allclose(second, z * (1 - z) * (1 - 2 * z), rtol=1e-13, atol=1e-16)


def test_branches_in_loops_over_scalars_run_on_numbers() -> None:
    dispatcher = ag.grad(bisected).__ag_dispatcher__
    found = dispatcher.find({"lo": np.float64(1.0), "hi": np.float64(2.0)})[0].source
    numbers = found.partition("except (OverflowError")[0]
    assert "for k in" in numbers and "masked" not in found
    gradient = ag.grad(bisected)(np.float64(1.0), np.float64(2.0))
    given = np.float64(1.0), np.float64(2.0)
    forward = ag.jvp(bisected, given, (np.float64(1.0), np.float64(0.0)))[1]
    np.testing.assert_allclose(gradient, forward, rtol=1e-12)


def test_a_product_with_what_is_infinite_is_masked_on_numbers_too() -> None:
    def f(x, y):
        total = x
        for k in range(6):
            other = total * y
            total = other if k % 2 == 0 and x > 0 else total + x
        return total

    for x in (0.5, -0.5):
        gradient = ag.grad(f)(np.float64(x), np.float64(3.0))
        np.testing.assert_allclose(
            gradient, difference(lambda x: f(x, 3.0), x, 1.0), rtol=1e-6)


def after_a_branch(p, x):
    b = p * 0.5
    if b > 0.48:
        b = p * 0.9
    a = p * 0.5 + x[2]
    for _ in range(12):
        a = a * 0.5 + x[2]
        b = (-p) * b * 0.3
    return a + b + np.sum(x)


def one_loop_in_another(p, x):
    a, b, c = p, p * 0.5, x[1]
    x = x * 1.0
    for _ in range(12):
        c = c * 0.9
        for _ in range(10):
            a = a * 0.8
            x[3] = -(b / (1.5 + b * b) + c)
        a = (abs(b) - b) * p
    for _ in range(12):
        for _ in range(12):
            b = np.sin(b / (1.5 + b * b))
            c = a * 0.9
        b = p + np.sin(c)
    return a + b * c + np.sum(x)


@pytest.mark.parametrize("f", [after_a_branch, one_loop_in_another])
@pytest.mark.parametrize("p", [0.3, 1.7, np.inf])
def test_what_loops_keep_is_there_before_they_run(f, p) -> None:
    given, along = (np.float64(p), np.linspace(0.1, 1.6, 16)), (np.float64(0.7), np.ones(16))
    with np.errstate(all="ignore"):
        value, gradients = ag.value_and_grad(f, (0, 1))(*given)
        np.testing.assert_array_equal(value, f(*given))
        slope = gradients[0] * along[0] + np.sum(gradients[1])
        np.testing.assert_allclose(slope, ag.jvp(f, given, along)[1], rtol=1e-12)


def scaled_rows(x):
    y = x.copy()
    y[1:] *= 0.5  # Python stores what the update gave, once more
    return np.sum(y * y)


def test_a_store_of_what_is_there_costs_nothing():
    graph = ag.grad(scaled_rows).graph(np.ones((4, 3)))
    stores = [e for e in equations_in(graph) if e.op.name in ("setitem", "update_view")]
    assert len(stores) == 3  # the update; zero where it stores; what it read
    expected = np.where(np.arange(4)[:, None] > 0, 0.5, 2.0) * np.ones((4, 3))
    np.testing.assert_allclose(ag.grad(scaled_rows)(np.ones((4, 3))), expected)


def test_what_is_known_of_a_gradient_is_a_constant():
    """The cotangents of what is summed."""
    graph = ag.grad(lambda x: np.sum(x * 0.5) + np.sum(np.sin(x) * 3.0)).graph(np.ones(5))
    assert "broadcast_to" not in str(graph)


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.sin(x[:, None] - x[None, :])),
    lambda x: np.sum(np.sin(x[::-1] * x[..., None])),
])
def test_the_gradient_of_all_elements_is_stored_nowhere(f) -> None:
    x = np.array([0.5, -1.25, 2.0])
    slope = ag.grad(f)
    steps = [(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(slope(x), steps, atol=1e-8)
    ops = [e.op.name for e in equations_in(slope.graph(x))]
    assert "setitem" not in ops and "zeros" not in ops


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4))])
def test_products_of_matrices_need_no_tensordot(shapes) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape) for shape in shapes)
    both = ag.grad(lambda a, b: np.sum(np.sin(np.dot(a, b))), (0, 1))
    expected = ag.grad(lambda a, b: np.sum(np.sin(a @ b)), (0, 1))(a, b)
    for found, wanted in zip(both(a, b), expected, strict=True):
        np.testing.assert_allclose(found, wanted)
    assert "tensordot" not in [e.op.name for e in equations_in(both.graph(a, b))]


def length_and_distances(x):
    gaps = x[:, None] - x[None, :]
    return np.linalg.norm(x) + np.sum(np.linalg.norm(gaps, axis=-1))


def least(x, y):
    return min(x * x, y, 2.5) * max(x, y)


def test_norms_and_least_numbers_cost_no_masked_products():
    x = np.array([[3.0, 4.0], [3.0, 4.0], [1.0, -2.0]])
    assert "masked_product" not in source(length_and_distances, x)
    slope = np.vdot(ag.grad(length_and_distances)(x), np.cos(x))
    np.testing.assert_allclose(slope, difference(length_and_distances, x, np.cos(x)), rtol=1e-4)
    np.testing.assert_array_equal(ag.grad(np.linalg.norm)(np.zeros(3)), np.zeros(3))
    given = np.float64(1.3), np.float64(2.0)
    assert "np." not in source(least, *given)
    found = ag.grad(least, (0, 1))(*given)
    assert list(map(type, found)) == [np.float64, np.float64]
    np.testing.assert_allclose(found, (2 * 1.3 * 2.0, 1.3 * 1.3), rtol=1e-15)


def through_parts(x):
    return np.sum(np.where(x > 0, np.linalg.norm(np.log(x)[:, None], axis=1), 0.0))


def through_an_axis(x):
    return np.sum(np.where(x[:, None] > 0, np.log(x)[:, None], 0.0))


def through_a_store(x):
    logarithms, sizes = np.zeros(3), np.log(x)
    logarithms[:] = sizes
    return np.sum(np.where(x > 0, logarithms, 0.0))


@pytest.mark.parametrize("f", [through_parts, through_an_axis, through_a_store])
def test_zeros_for_what_is_not_used_meet_no_infinite_slope(f):
    with np.errstate(all="ignore"):
        found = ag.grad(f)(np.array([0.0, 2.0, -0.0]))
    np.testing.assert_array_equal(found, [0.0, 0.5, 0.0])


def bounded_below(x):
    if x < 0:
        x = 0.0
    return x


def test_a_float_of_either_class_is_surely_no_list():
    @ag.function
    def classes(x):
        y = bounded_below(x)
        return isinstance(y, (list, tuple)), isinstance(y, float), isinstance(y, np.floating)

    asked = [e for e in equations_in(classes.graph(np.float64(2.0))) if "isinstance" in e.op.name]
    assert len(asked) == 1  # only the run knows whether it is NumPy's
    assert classes(np.float64(2.0)) == (False, True, True)
    assert classes(np.float64(-2.0)) == (False, True, False)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("sizes", [(7, 3), (3, 7), (1, 4), (4, 4)])
def test_the_gradient_of_a_convolution_is_a_convolution(mode, sizes) -> None:
    rng = np.random.default_rng(0)
    a, v = (rng.normal(size=n) + 1j * rng.normal(size=n) for n in sizes)
    for f, given in ((np.convolve, (a, v)), (np.correlate, (a, v)),
                     (np.convolve, (a.real, v.real))):
        verdict = Trial(lambda a, v, f=f: f(a, v, mode), given).verdict()
        assert verdict.outcome == "agree", verdict.told
    gradient = ag.grad(lambda a: np.sum(np.convolve(a, v.real, mode) ** 2))
    text = str(ag.function(gradient).graph(a.real))
    assert "convolve" in text
    assert "matmul" not in text


def test_a_product_with_a_number_that_is_known_is_not_masked() -> None:
    @ag.function
    def slope(x, k):
        return ag.grad(lambda x, k: np.sum(np.where(x > 0, x * k, 0.0)))(x, k)

    x = np.array([1.0, -2.0])
    assert "masked_product" not in str(slope.graph(x, 0.5))
    np.testing.assert_array_equal(slope(x, 0.5), [0.5, 0.0])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(slope(x, np.inf), [np.inf, 0.0])


def test_the_gradient_of_a_product_is_as_long_for_any_length() -> None:
    def product(x: Any) -> Any:
        return np.prod(x)

    def of_some(x: Any) -> Any:
        return np.prod(x[x > 0.0])

    counts = [len(list(equations_in(ag.function(ag.grad(f)).graph(np.ones(n)))))
              for f, n in ((product, 3), (product, 1000), (of_some, 9))]
    assert counts[0] == counts[1]
    assert counts[2] < counts[1] + 12
