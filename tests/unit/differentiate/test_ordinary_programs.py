"""Programs as they are written for NumPy, classes and lists: both modes against differences."""

import math

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

RNG = np.random.default_rng(0)


class Kalman:
    def __init__(self, f, q, r):
        self.f, self.q, self.r = f, q * np.eye(2), r * np.eye(1)
        self.h = np.array([[1.0, 0.0]])

    def filtered(self, ys):
        m, p, found = np.zeros(2), np.eye(2), []
        for y in ys:
            before, wide = self.f @ m, self.f @ p @ self.f.T + self.q
            gain = wide @ self.h.T @ np.linalg.inv(self.h @ wide @ self.h.T + self.r)
            m, p = before + gain @ (y - self.h @ before), wide - gain @ self.h @ wide
            found.append((m, p, before, wide))
        return found

    def smoothed(self, ys):
        found = self.filtered(ys)
        m = found[-1][0]
        means = [m]
        for k in reversed(range(len(found) - 1)):
            now, p = found[k][:2]
            m = now + p @ self.f.T @ np.linalg.inv(found[k + 1][3]) @ (m - found[k + 1][2])
            means.insert(0, m)
        return np.array(means)


def kalman_smoother(f, q, r, ys):
    return np.sum(Kalman(f, q, r).smoothed(ys) ** 2)


def messages(w, h, edges):
    for matrix in w:
        added, most = np.zeros_like(h), np.full(h.shape, -1.0)
        np.add.at(added, edges[:, 1], h[edges[:, 0]] @ matrix)
        np.maximum.at(most, edges[:, 1], h[edges[:, 0]])
        h = np.tanh(h + added + 0.1 * most)
    return h.sum()


def queue(arrivals, services):
    free, waits = [0.0, 0.0], []
    for a, s in zip(arrivals, services, strict=True):
        free.sort()
        start = max(a, free[0])
        waits.append(start - a)
        free[0] = start + s
    return sum(waits) / len(waits) + max(free)


def root_of_polynomial(c, x):
    k = 0
    while True:
        step = np.polyval(c, x) / np.polyval(np.polyder(c), x)
        x, k = x - step, k + 1
        if abs(step) < 1e-12 or k >= 50:
            return x


def chosen_twice(a, x):
    y = np.sin(x)
    z = x
    for _ in range(2):
        x = [x, y][int(a > 0.2)]
        y = [y, x, z][int(a > 0.1)]
    x[1:] *= a
    return z.sum() + x @ y


def soft_alignment(a, b, softness):
    """The cost of aligning two series; no path leads through the infinite border."""
    cost = np.full((len(a) + 1, len(b) + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            before = np.array([cost[i - 1, j - 1], cost[i - 1, j], cost[i, j - 1]])
            least = before.min()
            soft = softness * np.log(np.sum(np.exp(-(before - least) / softness)))
            cost[i, j] = (a[i - 1] - b[j - 1]) ** 2 + least - soft
    return cost[-1, -1]


def adaptive_euler(y, end):
    """A step size and a time that begin as Python's numbers and become NumPy's."""
    t, h = 0.0, 0.1
    while t < end:
        h = min(h, end - t)
        one, half = y - h * y, y - h / 2 * y
        two = half - h / 2 * half
        error = np.abs(two - one).max()
        if error > 1e-3:
            h /= 2
            continue
        y, t = two, t + h
        if error < 1e-4:
            h *= 1.5
    return y, h


def roots_of_companion(c):
    matrix = np.diag(np.ones(len(c) - 1), -1)
    matrix[0] = c
    roots = np.linalg.eigvals(matrix)
    return np.sum(np.abs(roots) ** 2)


PROGRAMS = [
    (soft_alignment, RNG.normal(size=4), RNG.normal(size=3), 0.5),
    (adaptive_euler, np.array([1.0, 2.0]), np.float64(0.31)),
    (roots_of_companion, RNG.normal(size=4)),
    (kalman_smoother, np.array([[1.0, 0.1], [0.0, 0.9]]), 0.3, 0.5, RNG.normal(size=(6, 1))),
    (messages, [RNG.normal(size=(3, 3)) * 0.5 for _ in range(2)], RNG.normal(size=(5, 3)),
     np.array([[0, 1], [1, 2], [2, 0], [3, 4], [4, 0], [1, 0]])),
    (queue, np.sort(RNG.uniform(size=6)), RNG.uniform(0.1, 0.5, 6)),
    (root_of_polynomial, np.array([1.0, -3.0, 1.0, 0.5]), 2.0),
    (chosen_twice, 0.3, RNG.normal(size=4)), (chosen_twice, 0.15, RNG.normal(size=4)),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_slopes(program):
    f, *arguments = program
    found = Trial(f, tuple(arguments)).verdict()
    assert found.outcome == "agree", found.told


def test_what_only_the_run_knows_has_one_derivative():
    """A rule that asks for the rank of an operand is called when the graph runs."""
    def f(x, n):
        items = []
        for i in range(n):
            items.append(x * i)
            items.append([x, i])
        return np.sum((x @ items[2]) ** 2)

    for x in (np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]])):
        g = ag.grad(f)(x, np.int64(2))
        np.testing.assert_allclose(g, ag.grad(lambda x: np.sum((x @ x) ** 2))(x))
        with pytest.raises(ag.NotDifferentiable, match="chosen by what only the run knows"):
            ag.grad(lambda x, n: np.sum(ag.grad(f)(x, n)))(x, np.int64(2))


def recovers(x):
    try:
        y = x[5]
    except IndexError:
        y = x[0] * 2
    return y * x[1]


@pytest.mark.parametrize("run", [
    lambda: ag.grad(recovers)(np.ones(3)), lambda: ag.jvp(recovers, (np.ones(3),), (np.ones(3),))])
def test_an_error_names_the_handler_that_it_cannot_enter(run):
    line = recovers.__code__.co_firstlineno + 1
    with pytest.raises(ag.NotDifferentiable, match=rf"_programs.py:{line}, in recovers"):
        run()


def test_views_of_further_arguments_are_not_views_of_the_first():
    def f(x, y):
        _, b = np.ix_(x, y)
        b[...] = b * 2.0
        return np.sum(x * x) + np.sum(y * b)

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    expected = f(x.copy(), y.copy())
    assert ag.function(f)(x.copy(), y.copy()) == expected


@pytest.mark.parametrize("f", [
    lambda x: np.percentile(x, 30), lambda x: np.linalg.norm(x[None], "nuc"),
    lambda x: np.sum(np.abs(np.linalg.eigvals(np.outer(x, x) + 1j * np.eye(3))))])
def test_rows_have_a_known_dtype(f):
    x = np.array([[0.3, -1.2, 0.9], [0.5, 0.1, 2.0]])
    found = ag.grad(lambda x: np.sum(ag.vmap(f)(x)))(x)
    np.testing.assert_allclose(found, [ag.grad(f)(row) for row in x])


def test_distance_of_arrays():
    x = np.array([1.0, 2.0, 4.0, 6.0])
    np.testing.assert_allclose(ag.grad(lambda x: math.dist(x[:2], x[2:]))(x),
                               [-0.6, -0.8, 0.6, 0.8])
