"""Derivatives inside of derivatives: no mode mixes up what is moved by whom (perturbation
confusion), whatever the way in which the inner function knows the outer variable."""

import functools
import itertools

import numpy as np
import pytest

import autograph as ag


def by_tape(f):
    def slope(x):
        with ag.GradientTape() as tape:
            x = tape.watch(x)
            y = f(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return slope


MODES = {
    "grad": ag.grad,
    "value_and_grad": lambda f: lambda x: ag.value_and_grad(f)(x)[1],
    "vjp": lambda f: lambda x: ag.vjp(f, x)[1](1.0)[0],
    "jvp": lambda f: lambda x: ag.jvp(f, (x,), (1.0,))[1],
    "linearize": lambda f: lambda x: ag.linearize(f, x)[1](1.0),
    "jacobian": ag.jacobian,
    "tape": by_tape,
}
PAIRS = [*itertools.product(MODES, MODES)]


def closes_over(d):
    return lambda x: x * d(lambda y: x + y)(1.0)


def by_default(d):
    return lambda x: x * d(lambda y, z=x: z * y * y)(3.0)


def by_partial(d):
    def product(a, y):
        return a * np.sin(y)

    return lambda x: x * d(functools.partial(product, x))(0.5)


def by_container(d):
    def f(x):
        held = {"x": [x]}
        return x * d(lambda y: held["x"][0] ** 2 * y)(2.0)

    return f


def by_loop(d):
    def f(x):
        def inner(y):
            s = 0.0
            for _ in range(3):
                s = s + x * y
            return s * y

        return x * d(inner)(2.0)

    return f


def at_a_copy(d):
    return lambda x: d(lambda y: x * y * y)(x * 1.0)


PROGRAMS = {  # with the derivative at 2
    closes_over: 1.0, by_default: 24.0, by_partial: 4.0 * np.cos(0.5), by_container: 12.0,
    by_loop: 48.0, at_a_copy: 8.0,
}


REFUSED_UNDER_TAPES = (ag.NotDifferentiable, "array under a tape")
"""What a tape outside of functions cannot follow: pullbacks, and what a trace computes of an array
that the function takes from around it and that meets nothing symbolic."""


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_two_levels(outer, inner, program):
    def found():
        return MODES[outer](program(MODES[inner]))(2.0)

    if outer == "tape" and (inner == "vjp" or (program is by_container and inner != "tape")):
        error, match = REFUSED_UNDER_TAPES
        with pytest.raises(error, match=match):
            found()
    else:
        np.testing.assert_allclose(found(), PROGRAMS[program], rtol=1e-12)


@pytest.mark.parametrize("modes", [*itertools.product(MODES, repeat=3)][::17],
                         ids="-".join)
def test_three_levels(modes):
    """d/dz x y z² is 10 x y at z = 5; d/dy 10 x y² is 60 x at y = 3; d/dx 60 x² is 240 at 2."""
    a, b, c = map(MODES.get, modes)
    try:
        found = a(lambda x: x * b(lambda y: y * c(lambda z: x * y * z * z)(5.0))(3.0))(2.0)
    except ag.NotDifferentiable as error:
        assert "tape" in modes and REFUSED_UNDER_TAPES[1] in str(error)
        return
    np.testing.assert_allclose(found, 240.0, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_around_derivatives(mode):
    """Newton's method on x³ = a, differentiated by a: the inner slope is taken in each step."""
    d = MODES[mode]

    def root(a):
        x = 2.0
        for _ in range(30):
            x = x - (x ** 3 - a) / d(lambda y: y ** 3 - a)(x)
        return x

    np.testing.assert_allclose(ag.grad(root)(5.0), 5.0 ** (-2 / 3) / 3, rtol=1e-9)


@pytest.mark.parametrize(("first", "second"), [p for p in PAIRS if p != ("tape", "vjp")])
def test_second_order(first, second):
    np.testing.assert_allclose(MODES[first](MODES[second](lambda x: np.sin(x) * x))(0.7),
                               2 * np.cos(0.7) - 0.7 * np.sin(0.7), rtol=1e-12)


def test_functions_around_arrays_under_a_tape():
    """A decorated function uses an array under a tape that is no argument of it."""
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([0.5, 1.0]))
        z = ag.function(lambda y: (x * y).sum())(np.array([1.0, 2.0]))
    np.testing.assert_allclose(tape.gradient(z, x), [1.0, 2.0])


def test_gradients_of_arrays_under_a_tape():
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([0.5, 1.0]))
        g = ag.grad(lambda v: (v ** 3).sum())(x)
    np.testing.assert_allclose(tape.gradient(g, x), 6.0 * np.array([0.5, 1.0]))


def test_a_number_is_no_object():
    """Equal constants of a module are one object: a tape does not take one for the other."""
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
        y = ag.function(lambda a, b: a * b)(x, 2.0)
    assert tape.gradient(y, x) == 2.0
    with ag.GradientTape() as tape:
        tape.watch(number := 2.5)
        y = ag.function(np.square)(number)
    with pytest.raises(ag.NotDifferentiable, match=r"x = tape\.watch\(x\)"):
        tape.gradient(y, number)


def test_constants_watched_in_a_function():
    @ag.function
    def slope():
        with ag.GradientTape() as tape:
            x = tape.watch(3.0)
            y = x * x
        return tape.gradient(y, x)

    @ag.function
    def unbound():
        x = 3.0
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    assert slope() == 6.0
    with pytest.raises(ag.NotDifferentiable, match=r"x = tape\.watch\(x\)"):
        unbound()


def test_the_jacobian_of_a_tape_in_a_function():
    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.sin(x)
        return tape.jacobian(y, x)

    np.testing.assert_allclose(f(np.arange(3.0)), np.diag(np.cos(np.arange(3.0))))


def test_variables_that_are_not_trainable_are_not_watched():
    v, w = ag.Variable(3.0), ag.Variable(2.0, trainable=False)
    with ag.GradientTape(persistent=True) as tape:
        y = v * w
    assert tape.gradient(y, [v, w]) == [2.0, None]
    assert tape.watched_variables() == (v,)
