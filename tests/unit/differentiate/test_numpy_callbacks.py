"""Derivatives look inside the functions that NumPy calls for numbers, rows and parts of arrays."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

X = np.array([0.5, -1.25, 2.0, 0.75])
A = np.array([[0.5, -1.25, 2.0], [1.5, 0.25, -0.75]])


def each(x):
    return np.vectorize(lambda t: t * t if t > 0 else np.sin(t))(x)


def of_two(x):
    return np.vectorize(lambda t, u: t * np.exp(u) if t > u else u)(x, x[::-1] * 0.5)


def of_python_floats(x):
    return np.vectorize(lambda t: t * (type(t) is float))(x)


def two_results(x):
    low, high = np.vectorize(lambda t: (t * t, t + 1.0))(x)
    return low * high


def in_a_dtype(x):
    return np.vectorize(lambda t: t * 3, otypes=[float])(x.reshape(2, 2))


def first_result_is_an_int(x):
    return np.vectorize(lambda t: 1 if t == 0.5 else t * 2)(x) * x


def with_a_closure(x):
    return np.vectorize(lambda t: t * x[0])(x)


def of_numbers_known_before(x):
    return np.vectorize(lambda i: x[i] * i)([0, 1, 3])


def rows(a):
    return np.apply_along_axis(lambda r: r * r.sum(), 1, a)


def columns(a):
    return np.apply_along_axis(lambda r, p: (r ** p).sum(), 0, a, 2)


def outer_of_columns(a):
    return np.apply_along_axis(lambda r: np.outer(r, r), 0, a)


def pieces(x):
    return np.piecewise(x, [x < 0, x > 1], [lambda t: t ** 2, lambda t: np.exp(-t), 0.5])


def pieces_with_others(x):
    return np.piecewise(x, [x < 0, x >= 0], [lambda t, k: t * k, lambda t, k: t.max() + k], x[0])


def grid(x):
    return np.fromfunction(lambda i, j: i * x[0] + j * x[1] ** 2, (2, 3))


OF_A = (rows, columns, outer_of_columns)


@pytest.mark.parametrize("f", [
    each, of_two, of_python_floats, two_results, in_a_dtype, with_a_closure,
    of_numbers_known_before, *OF_A, pieces, pieces_with_others, grid])
def test_both_modes_are_the_slope(f):
    given = A if f in OF_A else X
    verdict = Trial(f, (given,)).verdict()
    assert verdict.outcome == "agree", verdict.told
    value, _ = ag.vjp(f, given)
    np.testing.assert_allclose(value, f(given))
    assert value.dtype == f(given).dtype


def test_the_first_result_says_the_dtype():
    with pytest.raises(ag.NotDifferentiable, match="the dtype of the first one"):
        ag.vjp(first_result_is_an_int, X)
    value, pullback = ag.vjp(lambda x: np.vectorize(lambda t: 2)(x) * x, X)
    np.testing.assert_array_equal(value, 2 * X)
    np.testing.assert_array_equal(pullback(np.ones(4))[0], [2.0] * 4)


def test_what_a_function_does_to_others_is_done_as_often():
    def f(x, seen):
        def noted(t):
            seen.append(1)
            return t * t

        return np.vectorize(noted)(x).sum()

    plain, traced = [], []
    f(X, plain)
    ag.grad(f)(X, traced)
    assert traced == plain


def test_a_tape():
    @ag.function
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = each(x).sum()
        return tape.gradient(y, x)

    np.testing.assert_allclose(slope(X), ag.grad(lambda x: each(x).sum())(X))


def test_very_many_calls_are_refused():
    with pytest.raises(ag.NotDifferentiable, match="runs as it is"):
        ag.grad(lambda x: np.vectorize(lambda t: t * t)(x).sum())(np.ones(1000))


class Held(np.ndarray):
    def __new__(cls, x: Any) -> Any:
        return super().__new__(cls, x.shape, float, x)


def test_code_in_c_that_refuses_a_symbolic_value_is_told_with_its_line() -> None:
    for derivative in (ag.grad(lambda x: Held(x)[0]), lambda x: ag.vjp(Held, x),
                       lambda x: ag.jvp(Held, (x,), (x,))):
        with pytest.raises(ag.NotDifferentiable, match=r"(?s)not 'Tensor'.*__new__.*hint"):
            derivative(np.ones(3))
