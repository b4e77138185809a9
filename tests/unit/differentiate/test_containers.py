"""Gradients through lists, tuples and dicts that only the run knows, and through recursion."""

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.nodes import search_tree
from tests.support.slopes import Trial

X = np.array([0.7, -0.4, 1.3])


def appended_in_while(x):
    kept = []
    y = x[0]
    while y < 50.0:
        kept.append(y)
        y = y * 1.5 + abs(x[1])
    return np.sum(np.stack(kept) ** 2)


def arrays_appended_in_while(x):
    kept = []
    y = np.abs(x) + 0.3
    while y.sum() < 50.0:
        kept.append(y * y)
        y = y * 1.5
    return np.concatenate(kept), np.sum(np.array(kept))


def filtered(x):
    return [v * v for v in x if v > 0]


def summed(x):
    return sum([np.sin(v) for v in x])


def in_order(x):
    return sorted([v * x[0] for v in x])


def stack_of_work(x):
    work = [x[0]]
    total = 0.0
    while len(work) > 0:
        y = work.pop()
        total = total + y * y
        if y < 20.0:
            work.append(y * 1.5)
            work.append(y * 2.5)
    return total


def stored_in_list(x):
    kept = [v for v in x if v > -1.0]
    kept[0] = x[1] * x[2]
    first, *rest = kept
    return first * x[0], rest


def numbers_of_unknown_type(x):
    total = 0
    for v in x:
        if v > 0:
            total = total + v * v
    return total


def item_chosen(x):
    found = None
    for v in x:
        if found is None or v > found:
            found = v * 1.0
    return found * x[0]


def written_item_of_none(x):
    x[0] = x[1] * x[2]
    return x


def view_of_written(x):
    y = x[1:]
    x *= x[0]
    return y, x


def fibonacci(x, n):
    if n < 2.0:
        return x * n
    return fibonacci(x, n - 1.0) * x + fibonacci(x, n - 2.0)


def recursive(x):
    return fibonacci(x[0], abs(x[2]) * 4.0)


def recursive_in_loop(x):
    total = 0.0
    for i in range(len(x)):
        total = total + fibonacci(x[i], 3.0 + x[0] * 0.0) * x[1]
    return total


def simpson(f, a, b, depth):
    m = 0.5 * (a + b)
    whole = (b - a) / 6.0 * (f(a) + 4.0 * f(m) + f(b))
    left = (m - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + m)) + f(m))
    right = (b - m) / 6.0 * (f(m) + 4.0 * f(0.5 * (m + b)) + f(b))
    if depth <= 0 or abs(left + right - whole) < 1e-6:
        return left + right
    return simpson(f, a, m, depth - 1) + simpson(f, m, b, depth - 1)


def quadrature(x):
    def integrand(t):
        return np.exp(-t * x[0]) * np.sin(x[1] * t)

    return simpson(integrand, 0.0, abs(x[2]), 8)


def quicksort(xs):
    if len(xs) <= 1:
        return xs
    pivot, rest = xs[0], xs[1:]
    return np.concatenate([
        quicksort(rest[rest < pivot]), pivot[None], quicksort(rest[rest >= pivot])])


def sorted_by_recursion(x):
    return np.sum(quicksort(x) * np.arange(len(x)) ** 2)


def is_even(x, k):
    return x if k < 0.5 else is_odd(x * x, k - 1.0) + x


def is_odd(x, k):
    return 2.0 * x if k < 0.5 else is_even(np.sin(x), k - 1.0)


def mutual(x):
    return is_even(x[0], abs(x[2]) * 3.0)


def mapped(x):
    return ag.vmap(lambda r: r * r * x[0])(x), ag.vmap(ag.grad(lambda r: r ** 3))(x)


def added_at(x):
    y = x * 2.0
    np.add.at(y, [0, 0], np.sin(x[:2]))
    np.subtract.at(y, [1, 1], x[1:])
    return y ** 3


def stored_where_broadcast(x):
    t = np.zeros(3)
    for i in range(3):
        x = np.tanh(x)
        t[i] = x[0]
    return t.sum()


PROGRAMS = [
    appended_in_while, arrays_appended_in_while, filtered, summed, in_order, stack_of_work,
    stored_in_list, numbers_of_unknown_type, item_chosen, written_item_of_none, view_of_written,
    recursive, recursive_in_loop, quadrature, sorted_by_recursion, mutual, mapped, added_at,
    stored_where_broadcast,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes_are_the_slope(f):
    verdict = Trial(f, (X.copy(),)).verdict()
    assert verdict.outcome == "agree", verdict.told


@pytest.mark.parametrize("f", [appended_in_while, stack_of_work, numbers_of_unknown_type,
                               item_chosen, recursive], ids=lambda f: f.__name__)
def test_second_derivative(f):
    h = 1e-5
    g = ag.grad(f)
    expected = np.stack([(g(X + h * d) - g(X - h * d)) / (2 * h) for d in np.eye(3)])
    np.testing.assert_allclose(ag.hessian(f)(X.copy()), expected, rtol=1e-5, atol=1e-5)


def test_result_is_no_number():
    def chosen(x):
        return x if x[0] > 0 else x[0]

    with pytest.raises(ag.NotDifferentiable, match="an array of shape"):
        ag.grad(lambda x: next(chosen(x) for _ in range(1)))(X)


def test_container_of_the_caller_is_returned():
    def f(w, x):
        w[1] = w[0] * w[0]
        return w, x * w[0]

    _, pullback = ag.vjp(f, [2.0, 3.0], np.array([1.0, 2.0]))
    g, g_x = pullback(([1.0, 10.0], np.array([1.0, 1.0])))
    assert g == [44.0, 0.0]
    np.testing.assert_array_equal(g_x, [2.0, 2.0])


def test_what_is_caught_is_refused():
    def f(x):
        try:
            if x > 0:
                raise ValueError
            return x * x
        except ValueError:
            return x * 3.0

    with pytest.raises(ag.NotDifferentiable, match="a `try` or `with` around"):
        ag.vjp(f, 2.0)


def test_object_that_is_filled_is_refused():
    def f(x):
        array = ag.TensorArray(np.float64, size=2)
        array.write(0, x * x)
        array.write(1, x)
        return np.sum(array.stack())

    for run in (ag.grad(f), lambda x: ag.jvp(f, (x,), (1.0,))):
        with pytest.raises(ag.NotDifferentiable, match="tensor_array"):
            run(2.0)


def test_item_by_a_key_that_only_the_run_knows():
    """Of a dict or a list: the chosen item has the gradient."""
    def of_argument(d, k):
        return d[k] * 2.0

    d = {1: 2.0, 3: 4.0}
    assert ag.grad(of_argument)(d, np.int64(1)) == {1: 2.0, 3: 0.0}
    assert ag.jvp(of_argument, (d, np.int64(3)), ({1: 1.0, 3: 5.0}, None)) == (8.0, 10.0)
    for container in ({0: 2.0, 1: 3.0}, [2.0, 3.0]):
        def of_made(x, k, container=container):
            made = {i: v * x for i, v in container.items()} if isinstance(
                container, dict) else [v * x for v in container]
            return made[k]

        assert ag.grad(of_made)(5.0, np.int64(1)) == 3.0


def test_objects_that_recursion_changes_are_refused():
    """Stores to objects, inside of functions that call themselves."""
    def smallest(x):
        return search_tree(x)[0]

    for run in (ag.grad(smallest), lambda x: ag.jvp(smallest, (x,), (x,))):
        with pytest.raises(ag.NotDifferentiable, match="while the graph runs"):
            run(np.array([3.0, 1.0, 2.0, 0.5, 4.0]))


def test_a_list_that_recursion_fills():
    x = np.array([3.0, 1.0, 2.0])
    second = lambda x: search_tree(x)[1]
    np.testing.assert_array_equal(ag.grad(second)(x), [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(ag.jvp(second, (x,), (x,))[1], 2.0)


def dict_of_unknown_pairs(x):
    pairs = [(v, (v * 2, i)) for i, v in enumerate(x) if v > 0]
    found = {c: a * b for a, (b, c) in pairs if b > 2}
    return found, {k: f(x) for k, f in {"a": np.sin, "b": np.square}.items() if x[0] > 0}


def number_beside_an_integer(x):
    chosen = x[0] if x[0] > 9 else 3
    return chosen + 1, x[0] and chosen, (x[1] > 0 and x[1]), float(chosen) * x[1]


def step_that_only_the_run_knows(x):
    y, t, h = x, 0.0, 0.1
    while t < 1.0:
        h = min(h, 1.0 - t)
        if np.abs(y).max() > 2.0:
            y = y * 0.5
        y, t = y + h * y, t + h
    return y


@pytest.mark.parametrize("f", [dict_of_unknown_pairs, number_beside_an_integer,
                               step_that_only_the_run_knows])
def test_forms_that_only_the_run_knows(f):
    verdict = Trial(f, (np.array([1.5, -0.3, 2.0]),)).verdict()
    assert verdict.outcome == "agree", verdict.told


def test_a_float_as_a_key_that_only_the_run_knows_is_refused():
    def f(x):
        return {v: v * v for v in x if v > 0}

    x = np.array([1.5, 2.0])
    with pytest.raises(ag.NotDifferentiable, match="key"):
        ag.jvp(f, (x,), (x,))


def test_lists_whose_items_move():
    def f(x, n):
        items = []
        for i in range(n):
            items.append(x[i] * x[i])  # noqa: PERF401
        items.sort(key=lambda t: -t)
        items.reverse()
        items.insert(1, x[0])
        items.remove(x[0])  # the square of 1, which is equal
        return items[0] * items[1]

    x = np.array([1.0, 3.0, 2.0])
    np.testing.assert_allclose(ag.grad(f)(x, np.int64(3)), [4.0, 0.0, 4.0])
    np.testing.assert_allclose(ag.jvp(f, (x, np.int64(3)), (np.ones(3), None))[1], 8.0)
