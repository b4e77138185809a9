"""Draws that pick or reorder numbers: the same draw forward and backward, from every generator."""

import random

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

X = np.array([0.3, -0.4, 1.2, 0.7])
W = np.array([1.0, 2.0, 3.0, 4.0])


def default(x):
    rng = np.random.default_rng(3)
    y = x * x
    rng.shuffle(y)
    return y * W, rng.permutation(x) * W, rng.permuted(x) * W, rng.choice(x, 4, replace=False) * W


def by_axis(x):
    rng = np.random.default_rng(4)
    y = np.outer(x, W)
    rng.shuffle(y, axis=1)
    return y, rng.permutation(y, axis=1), rng.permuted(y, axis=0), rng.choice(y, 5, axis=1)


def weighted(x):
    rng = np.random.default_rng(5)
    p = np.exp(x) / np.exp(x).sum()
    return rng.choice(x, 6, p=p) * 2.0, rng.choice(x) * 3.0


def legacy(x):
    np.random.seed(6)  # noqa: NPY002
    y = x.copy()
    np.random.shuffle(y)  # noqa: NPY002
    again = np.random.permutation(x) * W  # noqa: NPY002
    return y * W, again, np.random.choice(x, 3), np.random.choice(x)  # noqa: NPY002


def in_a_loop(x):
    rng, h = np.random.default_rng(7), x
    k = 0
    while h[0] < 3.0 and k < 30:
        h, k = rng.permutation(h) * 1.1 + 0.1 * x, k + 1
    return h


def lists(x):
    rng, other = np.random.default_rng(8), random.Random(9)
    items = [v * v for v in x]
    rng.shuffle(items)
    more = [np.sin(v) for v in x]
    other.shuffle(more)
    return items[0] * 3.0 + items[1], more[0] - 2.0 * more[2]


def pythons(x):
    rng = random.Random(10)
    items = [v * v for v in x]
    return rng.choice(items) * 3.0, sum(rng.sample(items, 2)), rng.choices(items, k=3)[0]


@pytest.mark.parametrize("f", [default, by_axis, weighted, legacy, in_a_loop, lists, pythons])
def test_picks(f):
    for form in (f, ag.function(f)):
        verdict = Trial(form, (X,)).verdict()
        assert verdict.outcome == "agree", verdict.told


def test_the_draw_is_made_once():
    rng = np.random.default_rng(11)
    value, gradient = ag.value_and_grad(lambda x: np.sum(rng.permutation(x) * W))(X)
    order = np.random.default_rng(11).permutation(4)
    np.testing.assert_array_equal(gradient, W[np.argsort(order)])
    assert value == np.sum(X[order] * W)
    assert rng.random() != np.random.default_rng(11).random()


def test_other_draws_are_refused():
    with pytest.raises(ag.NotDifferentiable, match="a draw of 'gamma' has no derivative"):
        ag.grad(lambda x: np.sum(np.random.default_rng(0).gamma(np.exp(x))))(X)


def test_a_reduction_that_is_not_step_by_step_is_refused():
    x = np.array([0.3, 0.4, 1.2, 0.7])
    steps = np.arctan2(np.arctan2(np.arctan2(x[0], x[1]), x[2]), x[3])
    if np.isclose(np.arctan2.reduce(x), steps):
        assert Trial(np.arctan2.reduce, (x,)).verdict().outcome == "agree"
    else:
        with pytest.raises(ag.NotDifferentiable, match="does not apply"):
            ag.grad(lambda x: np.arctan2.reduce(x))(x)
