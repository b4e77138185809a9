"""Loops under `ag.checkpoint`: the same gradients in memory of the root of their length."""

import tracemalloc

import numpy as np
import pytest

import autograph as ag

X = np.array([0.5, 0.7, 1.1, 0.2])


def by_while(x):
    y, i = x, len(x[x < 9])
    while i < 37:
        y = np.tanh(y + 0.1 * x)
        i += 1
    return y


def until(x):
    y = x
    while np.sum(y * y) > 0.3:
        y = np.sin(y) * 0.97
    return y


def by_range(x):
    y = x
    for i in range(2 + len(x[x < 9]), 23, 3):
        y = np.tanh(y * (1 + 0.01 * i))
    return y


def by_length(x):
    y = x
    for i in range(len(x)):
        y = np.tanh(y * x[i])
    return y


def by_items(x):
    y = x.sum()
    for v in x:
        y = np.tanh(y * v) + 1
    return y


def with_break(x):
    y = x
    for _ in range(40):
        if y.sum() < 1.0:
            break
        y = np.sin(y)
    return y


def two_loops(x):
    return until(by_while(x) + 1.0)


def with_list(x):
    items = [x]
    while np.sum(items[-1]) > 1.0:
        items.append(np.sin(items[-1]))
    return items[-1]


LOOPS = [by_while, until, by_range, by_length, by_items, with_break, two_loops, with_list]


@pytest.mark.parametrize("f", LOOPS)
def test_gradients_are_the_same(f):
    def total(f):
        return lambda x: np.sum(f(x) ** 2)

    for x in (X, X[:3] / 9, X[:1] / 9, X[:0]):  # loops that end at once, too
        np.testing.assert_allclose(
            ag.grad(total(ag.checkpoint(f)))(x), ag.grad(total(f))(x), rtol=1e-14)


@pytest.mark.parametrize("f", [until, by_length])
def test_second_derivatives(f):
    def total(f):
        return lambda x: np.sum(f(x) ** 2)

    np.testing.assert_allclose(ag.hessian(total(ag.checkpoint(f)))(X), ag.hessian(total(f))(X))


def test_second_derivatives_of_a_checkpoint_in_a_loop():
    """What the rule uses of an iteration goes where the loop is copied to."""
    def total(step):
        def f(x):
            y = x
            while np.sum(y * y) > 0.3:
                y = step(y)
            return np.sum(y ** 2)

        return f

    def step(y):
        return np.sin(y) * 0.97

    for again in (lambda f: lambda x: ag.jvp(ag.grad(f), (x,), (X,))[1],
                  lambda f: ag.grad(lambda x: np.sum(ag.grad(f)(x) * X))):
        np.testing.assert_allclose(again(total(ag.checkpoint(step)))(X), again(total(step))(X))


def test_memory_is_the_root_of_the_length():
    x, count = np.ones(4000), 200

    def loop(x, n):
        y = x
        for _ in range(n):
            y = np.sin(y)
        return y

    def kept(f):
        """The arrays that are alive at once, at most; other threads only add to what is counted."""
        gradient = ag.grad(lambda x, n: np.sum(f(x, n)))
        gradient(x, np.int64(count))
        peaks = []
        for _ in range(3):
            tracemalloc.start()
            gradient(x, np.int64(count))
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        return min(peaks) / x.nbytes

    assert kept(loop) > count
    assert kept(ag.checkpoint(loop)) < 2 * np.sqrt(2 * count) + 10


W, B = ag.Variable(np.array([0.5, -0.3, 0.2])), ag.Variable(0.3)


def layers(run, x):
    block = run(lambda x: np.tanh(W * x + B) + x)
    for _ in range(3):
        x = block(x)
    return x


def assigned_between(run, x):
    block = run(lambda x: np.tanh(W * x + B) * W[0])
    y = block(x)
    W.assign(W * 2.0)
    return block(y)


def returns_the_variable(run, x):
    w, y, first = run(lambda x: (W, W * x, W[0]))(x)
    return w * y * first * B


@pytest.mark.parametrize("program", [layers, assigned_between, returns_the_variable])
def test_a_checkpoint_reads_variables_once(program):
    def gradients(run, x):
        with ag.GradientTape() as tape:
            x = tape.watch(x)
            y = (program(run, x) ** 2).sum()
        return tape.gradient(y, [W, B, x])

    found = []
    for run in (lambda f: f, ag.checkpoint):
        W.assign([0.5, -0.3, 0.2])
        found.append(ag.function(lambda x, run=run: gradients(run, x))(np.arange(1.0, 4.0)))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def writes(x):
    W.assign_add(x)
    return (W * x).sum()


def writes_in_a_branch(x):
    if x[0] > 0:
        W.assign_add(x)
    return (W * x).sum()


@pytest.mark.parametrize("f", [writes, writes_in_a_branch])
def test_a_checkpoint_that_writes_to_variables_is_refused(f):
    for g in (ag.function(ag.checkpoint(f)), ag.grad(ag.checkpoint(f))):
        with pytest.raises(ag.NotDifferentiable, match="has the effect"):
            g(np.ones(3))
