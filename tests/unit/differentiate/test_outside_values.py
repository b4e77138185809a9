"""What a function with a rule of its own takes from around itself: `ag.checkpoint` has derivatives
by it; rules of users, which say nothing of it, are refused."""

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

X = np.array([0.3, 0.9, -0.4])


def a_number(x):
    a = x[0]
    f = ag.checkpoint(lambda t: np.sin(t * a))
    return f(f(x))


def the_argument_itself(x):
    f = ag.checkpoint(lambda t: np.sin(t * x))
    return f(x * 2) + f(x)


def no_argument(x):
    return ag.checkpoint(lambda: np.sin(x))()


def given_back(x):
    return ag.checkpoint(lambda t: (x, t))(3.0)


def in_segments(x):
    def f(t):
        for i in range(20):
            t = np.tanh(t * x + 0.01 * i)
        return t

    return ag.checkpoint(f)(x * 2)


def a_list(x):
    held = [x[0], x[1]]
    return ag.checkpoint(lambda t: t * held[0] + held[1])(x)


def nested(x):
    a = x[1]
    inner = ag.checkpoint(lambda t: np.sin(t * a))
    return ag.checkpoint(lambda t: inner(t) * a + inner(t * t))(x)


def in_a_loop(x):
    y, w = x, x[0]
    f = ag.checkpoint(lambda t: np.sin(t + w))
    while y.sum() > -1.0:
        y = f(y) - 0.3
        w = w * 1.1
    return y


def stopped(x):
    a = ag.stop_gradient(x * 0.0 + 2.0)

    @ag.custom_vjp
    def f(t):
        return t * a

    f.defvjp(lambda t: (t * a, a), lambda kept, g: (g * kept,))
    return f(x)


@pytest.mark.parametrize("program", [
    a_number, the_argument_itself, no_argument, given_back, in_segments, a_list, nested, in_a_loop,
    stopped])
def test_both_modes(program):
    verdict = Trial(program, (X.copy(),), 3).verdict()
    assert verdict.outcome == "agree", verdict.told


def by_vjp(x):
    @ag.custom_vjp
    def f(t):
        return t * x[0]

    f.defvjp(lambda t: (t * x[0], x[0]), lambda kept, g: (g * kept,))
    return f(x)


def by_jvp(x):
    @ag.custom_jvp
    def f(t):
        return t * x[0]

    f.defjvp(lambda p, t: (p[0] * x[0], t[0] * x[0]))
    return f(x)


def by_gradient(x):
    @ag.custom_gradient
    def f(t):
        return t * x[0], lambda g: g * x[0]

    return f(x)


def a_list_of_the_run(x):
    held = []
    while len(held) < 3 + (x.sum() > 5):
        held.append(x[0] * len(held))
    return ag.checkpoint(lambda t: t * held[-1])(x)


@pytest.mark.parametrize("program", [by_vjp, by_jvp, by_gradient, a_list_of_the_run])
def test_others_are_refused(program):
    for derivative in (lambda: ag.grad(lambda x: np.sum(program(x)))(X),
                       lambda: ag.jvp(program, (X,), (X,))):
        with pytest.raises(ag.NotDifferentiable, match="a variable from around the function"):
            derivative()
