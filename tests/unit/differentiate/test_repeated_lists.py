"""Lists of which `n` copies are joined, `[x] * n`, where only the run knows n."""

import numpy as np
import pytest

import autograph as ag

X = np.array([0.5, -0.2, 0.7])


def count_of(x):
    n = 1
    while x[0] * n < 1.2:
        n += 1
    return n


def of_numbers(x):
    return np.sum(np.array([x[0] ** 2, x[2]] * count_of(x)) ** 2)


def of_lists(x):
    rows = [[x[0], 1.0]] * count_of(x)
    return rows[0][0] * 2 + rows[1][0] ** 3


def of_a_list_that_grew(x):
    out = [v * v for v in x if v > 0]
    total = 0.0
    for i, v in enumerate(out * count_of(x) + count_of(x) * [x[1], x[0]]):
        total = total + (i + 1) * v ** 2
    return total


def of_a_count_in_a_list(x):
    """Averages neighbours that are in the wrong order; a block is its mean and its length."""
    blocks = []
    for v in x:
        blocks.append([v, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            b, a = blocks.pop(), blocks.pop()
            n = a[1] + b[1]
            blocks.append([(a[0] * a[1] + b[0] * b[1]) / n, n])
    out = []
    for mean, n in blocks:
        out.extend([mean] * n)
    return np.sum(np.sin(np.array(out)) * np.arange(1.0, 4.0))


@pytest.mark.parametrize("f", [of_numbers, of_lists, of_a_list_that_grew, of_a_count_in_a_list])
def test_derivatives(f):
    step = 1e-6 * np.eye(3)
    slopes = [(f(X + e) - f(X - e)) / 2e-6 for e in step]
    np.testing.assert_allclose(ag.grad(f)(X), slopes, atol=1e-6)
    np.testing.assert_allclose([ag.jvp(f, (X,), (e,))[1] for e in np.eye(3)], slopes, atol=1e-6)


@pytest.mark.parametrize("f", [of_numbers, of_lists, of_a_list_that_grew])
def test_second_derivatives(f):
    curvature = [(ag.grad(f)(X + e) - ag.grad(f)(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(ag.hessian(f)(X), curvature, atol=1e-6)
