# ruff: noqa: PERF401, PERF402, C416  # programs as users write them
"""Lists that converted code makes, as arguments and results of what differentiates."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.serialize.save import dumps, loads

X = np.array([1.0, 2.0, 3.0])
FACTORS = [2.0, 3.0]
VARIABLES = [ag.Variable(X * k) for k in FACTORS]


def product(xs):
    return (xs[0] * xs[1]).sum()


def tape_by_variables(x):
    with ag.GradientTape() as tape:
        y = product(VARIABLES) * x.sum()
    appended = []
    for v in VARIABLES:
        appended.append(v)
    return tape.gradient(y, {"a": [v for v in VARIABLES], "b": appended}, None, "zero")


def matrix_by_variables(x):
    with ag.GradientTape() as tape:
        y = VARIABLES[0] * VARIABLES[1] * x
    return tape.jacobian(y, [v for v in VARIABLES])


def gradient(x):
    return ag.value_and_grad(product)([x * k for k in FACTORS])


def pullback(x):
    _, back = ag.vjp(lambda *xs: [product(xs) * k for k in FACTORS], *[x * k for k in FACTORS])
    return back([k * 2 for k in FACTORS])


def of_a_nest(x):
    y, back = ag.vjp(product, [x * k for k in FACTORS])
    return y, back(2.0)


def forward(x):
    return ag.jvp(product, ([x * k for k in FACTORS],), ([x for k in FACTORS],))


def matrices(x):
    xs = [x * k for k in FACTORS]
    return ag.jacobian(lambda xs: xs[0] * xs[1])(xs), ag.hessian(product)(xs)


def with_a_rule(x):
    @ag.custom_vjp
    def doubled(xs):
        return product(xs)

    doubled.defvjp(lambda xs: (product(xs), [x for x in xs]),
                   lambda kept, g: ([2 * g * kept[1 - i] for i in range(2)],))
    return ag.grad(lambda x: doubled([x * k for k in FACTORS]))(x)


def flat(nest: Any) -> list[Any]:
    return list(flatten(nest))


@pytest.mark.parametrize("f", [tape_by_variables, matrix_by_variables, gradient, pullback,
                               of_a_nest, forward, matrices])
def test_they_are_nests(f):
    for wanted, found in zip(flat(f(X)), flat(ag.function(f)(X)), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_a_rule_takes_and_gives_them():
    np.testing.assert_array_equal(ag.function(with_a_rule)(X), 2 * 12 * X)


def watched(x):
    xs = [x * k for k in FACTORS]
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(xs)
        ys = [xs[0] * v for v in xs]
    return tape.gradient(ys, xs), tape.gradient(ys, xs, [v for v in xs])


def test_a_tape_watches_them_and_takes_them_as_targets():
    (a, b), (c, d) = ag.function(watched)(X)
    for found, wanted in ((a, 7 * X), (b, 2 * X), (c, 17 * X * X), (d, 6 * X * X)):
        np.testing.assert_array_equal(found, wanted)


def of_unknown_length(x):
    chosen = []
    with ag.GradientTape() as tape:
        y = product(VARIABLES) * x.sum()
    for v in x:
        if v > 1:
            chosen.append(v)
    return tape.gradient(y, chosen)


def test_a_list_of_which_only_the_run_knows_the_items_is_no_source():
    with pytest.raises(ag.NotDifferentiable, match="only the run knows what is in it"):
        ag.function(of_unknown_length)(X)


STATE = ag.Variable(X.copy())


@ag.function
def trained(x, n):
    for _ in range(n):
        with ag.GradientTape() as tape:
            loss = np.sum(STATE * STATE * x)
        for v, g in zip([STATE], tape.gradient(loss, [STATE]), strict=True):
            v.assign_sub(0.1 * g)
    return STATE.value()


def test_a_loop_around_a_tape_is_saved():
    trained(X, np.int64(1))
    np.testing.assert_allclose(loads(dumps(trained))(X, np.int64(2)), trained(X, np.int64(2)))


def test_a_list_that_a_branch_may_rebuild_is_an_argument_item_by_item():
    def clipped(x):
        made = [x, x * 2.0]
        if x.sum() > 3.0:
            made = [v * 0.5 for v in made]
        return ag.grad(product)(made)

    for x in (X, 0.1 * X):
        for found, wanted in zip(ag.function(clipped)(x), clipped(x), strict=True):
            np.testing.assert_allclose(found, wanted)


def test_a_list_of_another_length_on_one_side_of_a_branch_is_an_argument():
    def product_of_all(xs):
        made = 1.0
        for x in xs:
            made = made * np.sum(x ** 2)
        return made

    def clipped(x):
        made = [x, x * 2.0]
        if x.sum() > 3.0:
            made = [made[0]]
        return ag.grad(product_of_all)(made)

    for x in (X, X / 3.0):
        found = ag.function(clipped)(x)
        assert type(found) is list
        np.testing.assert_allclose(found, clipped(x))
