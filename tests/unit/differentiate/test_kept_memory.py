"""What a pullback needs is its own: writes to arguments and results do not reach it."""

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, 2.0, 3.0])


def by_branch(b, x):
    return np.exp(x) if b > 0.3 else x * 2


def by_view_of_branch(b, x):
    z = x
    if b > 0.3:
        x[1:] *= 3.0
    z[1:] *= b
    return z


def by_loop(b, x):
    y = x
    while b > 0.3:
        y, b = np.exp(y), b - 1
    return y


def by_recursion(b, x):
    return x if b <= 0.3 else np.exp(0.1 * by_recursion(b - 1, x))


def by_view_of_result(b, x):
    y = np.exp(x)
    return y[::-1], y.sum() * b


@pytest.mark.parametrize("f", [by_branch, by_view_of_branch, by_loop, by_recursion,
                               by_view_of_result])
@pytest.mark.parametrize("b", [0.0, 1.0])
def test_writes_between_the_halves(f, b):
    def total(b, x):
        y = f(b, x)
        return np.sum(y[0]) + y[1] if isinstance(y, tuple) else np.sum(y)

    argument = X.copy()
    y, pullback = ag.vjp(f, np.float64(b), argument)
    part = y[0] if isinstance(y, tuple) else y
    ones = (np.ones(3), np.float64(1.0)) if isinstance(y, tuple) else np.ones(3)
    argument[:] = part[:] = 7.0
    for found, right in zip(pullback(ones), ag.grad(total, (0, 1))(np.float64(b), X.copy()),
                            strict=True):
        np.testing.assert_allclose(found, right)


@pytest.mark.parametrize("b", [0.0, 1.0])
def test_given_cotangents_stay_as_they_are(b):
    """Also where a loop over small arrays gives what it was given."""
    def f(b, x):
        first, z = x[0], x
        while b > 0.3:
            b = b - 1
            z *= 0.5
        return z, first

    _, pullback = ag.vjp(f, np.float64(b), X.copy())
    given = np.ones(3)
    found = pullback((given, np.float64(5.0)))[1]
    np.testing.assert_array_equal(given, 1.0)
    factor = 0.5 if b else 1.0
    np.testing.assert_array_equal(found, [factor + 5.0, factor, factor])


def merged(x):
    n = len(x)
    if n <= 1:
        return x
    left, out = merged(x[:n // 2]), np.empty(n)
    for k in range(n):
        out[k] = left[0] * k
    return out


def test_given_cotangents_stay_as_they_are_in_recursion():
    """A graph that is called overwrites an input if a loop that starts from its memory does."""
    _, pullback = ag.vjp(lambda x: merged(x[x > 0]), X.copy())
    given = np.ones(3)
    found = pullback(given)[0]
    np.testing.assert_array_equal(given, 1.0)
    np.testing.assert_array_equal(found, pullback(given)[0])
