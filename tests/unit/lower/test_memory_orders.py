"""Memory orders: results lie, and add up, as NumPy's, whatever the order of the operands."""

import itertools

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions.execution import lie_alike


def sums_up(x, y):
    a = x * 2.0
    b = a + y
    return b, (a - 0.1 + y).sum(), np.ravel(b, order="K")[:5]


def in_a_loop(x, y):
    for _ in range(3):
        x = x + y
    return x, x.sum()


def turned(x, y):
    a = x.T * 2.0
    b = a + y.T.copy() - 0.1
    return b, b.sum()


def with_new(x, y):
    z = np.zeros(x.shape)
    z[0, 0] = 1.0
    a = np.sqrt(x)
    b = (a - z) * y
    return b, b.sum()


def in_a_branch(x, y):
    a = x * 0.5
    if y[0, 0] > 0:
        a = np.sqrt(y)
    b = np.exp(a) + x
    return b, b.sum()


def kept(x, order):
    return np.array(x, order=order)


@pytest.mark.parametrize("options", [{}, {"jit_compile": False}, {"jit_compile": True}], ids=str)
@pytest.mark.parametrize("f", [sums_up, in_a_loop, turned, with_new, in_a_branch])
def test_results_lie_as_numpys(f, options):
    rng = np.random.default_rng(3)
    x, y = rng.random((2, 30, 20)) + 0.5
    for orders in itertools.product("CF", repeat=2):
        compiled = ag.function(f, **options)
        args = [kept(a, order) for a, order in zip((x, y), orders, strict=True)]
        for _ in range(3):
            for found, expected in zip(compiled(*args), f(*args), strict=True):
                assert found.tobytes() == expected.tobytes()
                assert found.strides == expected.strides


def test_arrays_in_parts_run_with_the_graph():
    compiled = ag.function(sums_up)
    x, y = np.random.default_rng(3).random((2, 60, 40))
    compiled(x[::2, ::2], y[::2, ::2])
    concrete = compiled.get_concrete_function(x[::2, ::2], y[::2, ::2])
    lowered = concrete.execution._emitted.lowered
    assert set(lowered.alike) == set(concrete.graph.inputs)
    assert lie_alike([x[::2, ::2], y[::2, ::2]], not lowered.in_c_order)
    assert not lie_alike([x.T, y], not lowered.in_c_order)


def grows_rows(x, n):
    s = 0.0
    for _ in range(n):
        s = s + x * 0.5
    return s


def one_row(x, n):
    s = np.zeros((1, 40))
    for _ in range(n):
        s = s * 2.0 + x
    return s


def turned(x, n):
    s = x[0]
    for i in range(n):
        s = (s + x).T.copy() if i % 2 else s + x.T
    return s


def row_plus_turned(x, n):
    s, t = np.zeros(40), x.T
    for _ in range(n):
        s = s + t
    return s * x


@pytest.mark.parametrize("f", [grows_rows, one_row, turned, row_plus_turned])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [0, 1, 2, 30])
def test_loops_that_begin_without_rows_and_end_with_some_keep_numpys_order(f, order, n):
    x = np.asarray(np.random.default_rng(1).normal(size=(40, 40)), order=order)
    found, expected = ag.function(f)(x, n), f(x, n)
    np.testing.assert_array_equal(found, expected)
    assert np.shape(found) == np.shape(expected)
    assert getattr(found, "strides", None) == getattr(expected, "strides", None)


def added_to_new(x, y):
    c = np.zeros_like(y)
    c += np.pad(x, 1)[1:-1, 1:-1]
    return c


def multiplied_twice(x, y):
    c = y.copy("K")
    c *= x
    c -= np.sqrt(x, order="F")
    return c


def written_out(x, y):
    c = np.empty_like(y)
    np.add(x, x, out=c)
    return c


def multiplied_as_matrices(x, y):
    c = np.zeros_like(y)
    c += 1.0
    c @= np.eye(y.shape[1], order="F")
    return c


def stored_in_branches(x, y):
    c = np.ones_like(y)
    print("begins")
    if x[0, 0] > 0:
        c += np.asfortranarray(x)
    else:
        c = x - c
    return c


def stored_in_loops(x, y):
    c = np.zeros_like(y)
    for _ in range(100):
        c += x
        c *= np.pad(y, 1)[1:-1, 1:-1]
    return c


def stored_in_arguments(x, y):
    y += x
    return y


@pytest.mark.parametrize("shape", [(30, 20), (3, 2)], ids=str)
@pytest.mark.parametrize("f", [
    added_to_new, multiplied_twice, written_out, multiplied_as_matrices, stored_in_branches,
    stored_in_loops, stored_in_arguments], ids=lambda f: f.__name__)
def test_an_array_that_is_stored_over_keeps_its_order(f, shape):
    x, y = np.random.default_rng(4).random((2, *shape)) + 0.5
    for orders in itertools.product("CF", repeat=2):
        compiled = ag.function(f)
        for _ in range(2):
            found, expected = (each(*(kept(a, order) for a, order in zip(
                (x, y), orders, strict=True))) for each in (compiled, f))
            assert found.strides == expected.strides
            assert found.tobytes("K") == expected.tobytes("K")


def test_an_array_is_copied_in_the_order_that_is_asked_for():
    def f(x):
        return x.copy("F"), x.copy("C"), x.flatten("F")

    x = np.random.default_rng(5).random((4, 3))
    for found, expected in zip(ag.function(f)(x), f(x), strict=True):
        assert found.strides == expected.strides and np.array_equal(found, expected)
