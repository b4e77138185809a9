"""Cotangents of lists and dicts among the arguments that the function changes."""

import numpy as np
import pytest

import autograph as ag


def stores_in_a_branch(table, x):
    if x > 0:
        table["x"] = x
    return table["x"] ** 2 + table["y"] ** 3


def gives_it_back(table, x):
    if x > 0:
        table["x"] = x
    return table


@pytest.mark.parametrize(("x", "of_table", "of_x"), [(1.5, 0.0, 3.0), (-1.5, 2.0, 0.0)])
def test_a_dict_that_a_branch_changes(x, of_table, of_x):
    table = {"x": np.float64(1.0), "y": 3.0}
    _, pullback = ag.vjp(stores_in_a_branch, table, np.float64(x))
    g, by_x = pullback(1.0)
    assert g == {"x": of_table, "y": 27.0}
    assert isinstance(g["x"], np.float64)
    assert type(g["y"]) is float
    assert by_x == of_x


def test_a_key_that_came_later_has_no_gradient():
    y, pullback = ag.vjp(gives_it_back, {"y": 3.0}, np.float64(1.5))
    assert y == {"x": 1.5, "y": 3.0}
    assert pullback({"x": 2.0, "y": 5.0}) == ({"y": 5.0}, 2.0)


def test_a_dict_without_floats():
    _, pullback = ag.vjp(gives_it_back, {}, np.float64(1.5))
    assert pullback({"x": 2.0}) == ({}, 2.0)


def popped_with_default(x):
    table = {}
    for k, v in enumerate(x):
        if v > 0:
            table[k] = v * v
    return table.pop(0, x[1]) + 2.0 * table.pop(0, x[1]) + sum(table.values())


def sorted_keys(x):
    table = {"a": x[0], "b": x[1]}
    total = 0.0
    for i, k in enumerate(sorted(table, key=lambda k: -table[k])):
        total = total + (i + 1) * table[k] ** 2
    return total


def places(x):
    pairs = [(v, 1) for v in x]
    pairs.remove((x[1], 1))
    return pairs.index((x[2], 1)) * x[0] + pairs.count((x[0], 1)) * x[2]


def products(x):
    kept = [v * v for v in x if v > -5.0]
    total = 1.0
    for v in kept:
        total *= 1.0 + 0.1 * v
    for v in reversed(kept):
        total /= 1.0 + v
        total -= v
    return total


@pytest.mark.parametrize("f", [popped_with_default, sorted_keys, places, products])
@pytest.mark.parametrize("x", [np.array([0.5, -0.2, 0.7]), np.array([-0.5, 0.2, 0.3])])
def test_containers_of_the_function(f, x):
    slopes = [(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(ag.grad(f)(x), slopes, atol=1e-8)
    np.testing.assert_allclose([ag.jvp(f, (x,), (e,))[1] for e in np.eye(3)], slopes, atol=1e-8)


def longer(items):
    for _ in range(int(items[0]) + 2):
        items.append(items[0] * items[-1])
    return items[-1]


FOUND = []


def among(x):
    count = 0
    FOUND.clear()
    for v in x:
        if v > 0:
            FOUND.append(v * v)
            count = len(FOUND)
    return FOUND[count // 2]


def test_a_list_of_the_caller_that_gets_longer():
    items = [1.5, 2.0]
    y, pullback = ag.vjp(longer, items)
    assert y == 2.0 * 1.5 ** 3
    assert items == [1.5, 2.0, 3.0, 4.5, 6.75]
    assert pullback(1.0) == ([2.0 * 3 * 1.5 ** 2, 1.5 ** 3],)


def test_a_list_outside_that_gets_other_items():
    y, pullback = ag.vjp(among, np.array([0.5, -0.2, 0.75]))
    assert y == 0.5625
    assert FOUND == [0.25, 0.5625]
    np.testing.assert_array_equal(pullback(1.0)[0], [0.0, 0.0, 1.5])


def doubled_product(a, b):
    a *= 2.0
    return np.sum(a * b)


DERIVATIVES = {
    "grad": lambda x, y: ag.grad(doubled_product)(x, y),
    "vjp": lambda x, y: ag.vjp(doubled_product, x, y),
    "jvp": lambda x, y: ag.jvp(doubled_product, (x, y), (x, y)),
    "hessian": lambda x, y: ag.hessian(doubled_product)(x, y),
}


@pytest.mark.parametrize("derivative", DERIVATIVES.values(), ids=list(DERIVATIVES))
@pytest.mark.parametrize("other", [lambda x: x, lambda x: x[::-1]], ids=["the same", "a view"])
@pytest.mark.parametrize("inside", [False, True])
def test_one_memory_for_two_arguments_is_refused_if_it_is_written(derivative, other, inside):
    def call(x):
        return derivative(x, other(x))

    def of_a_new_array(x):
        y = x * 1.0
        return derivative(y, other(y))[0]

    with pytest.raises(ag.NotDifferentiable, match="share memory"):
        (ag.function(of_a_new_array) if inside else call)(np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("other", [lambda x: x, lambda x: x[::-1]], ids=["the same", "a view"])
def test_a_checkpoint_refuses_it_too(other):
    def f(x):
        y = x * 1.0
        return ag.checkpoint(doubled_product)(y, other(y))

    with pytest.raises(ag.NotDifferentiable, match="share memory"):
        ag.function(f)(np.array([1.0, 2.0, 3.0]))


def test_an_array_that_is_two_arguments_has_two_gradients():
    def product(a, more):
        return np.sum(a * more["b"])

    x = np.array([1.0, 2.0, 3.0])
    for found in (ag.grad(product, (0, 1))(x, {"b": x}), ag.vjp(product, x, {"b": x})[1](1.0)):
        np.testing.assert_array_equal(found[0], x)
        np.testing.assert_array_equal(found[1]["b"], x)
