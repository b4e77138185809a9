"""Callables that are no plain functions: ufuncs, builtins, partials, classes, array methods."""

import functools
import math
import operator

import numpy as np
import pytest

import autograph as ag

x = np.arange(4.0)


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return self.by * x

    @classmethod
    def one_more(cls, x):
        return x + 1

    def method(self, x):
        if x.sum() > 0:
            return self.by - x
        return x

    def __eq__(self, other):
        return type(other) is Scale and self.by == other.by


class Empty:
    def __eq__(self, other):
        return type(other) is Empty


CALLS = [
    (np.sin, x), (np.add, x, 1), (np.add.reduce, x), (np.divmod, x, 2),
    (np.frompyfunc(abs, 1, 1), x),
    (np.sum, x), (np.where, x > 1, x, 0), (np.zeros, 3), (np.array, [1, 2]), (np.linalg.norm, x),
    (np.einsum, "i,i", x, x), (np.float32, 1), (np.vectorize(lambda a: a + 1), x),
    (max, 3, 4), (max, x), (min, np.float64(1), 2), (len, x), (sum, x), (abs, -x), (pow, x, 2),
    (round, np.float64(2.5)), (divmod, np.int64(7), 2), (sorted, x), (isinstance, x, np.ndarray),
    (int, np.float64(3.5)), (float, np.float64(3.5)), (str, np.float64(3.5)), (list, x), (tuple, x),
    (range, 3), (dict, [("a", x)]), (str.upper, "a"), (functools.reduce, operator.add, [1, 2, 3]),
    (math.sin, np.float64(1)), (operator.add, x, 2), (operator.itemgetter(1), x),
    (operator.methodcaller("sum"), x), (functools.partial(np.add, 1), x),
    (functools.partial(max, 2), 5), (functools.partial(Scale(2).method), x),
    (Scale, 3), (Empty,), (Scale(2), x), (Scale.one_more, x), (Scale(2).method, x),
    (Scale(2).method, -x),
    (x.sum,), (x.dot, x), (x.clip, 1, np.float64(2)), (x.take, [1, 2]), (x.searchsorted, 1.5),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: str(getattr(call[0], "__name__", "")))
def test_any_callable_means_what_it_means_plainly(call):
    plain, *args = call
    decorated, wanted = ag.function(plain), plain(*args)
    for _ in range(2):
        got = decorated(*args)
        assert type(got) is type(wanted)
        assert repr(np.asarray(got)) == repr(np.asarray(wanted)) or got == wanted


def test_functions_of_operators_compute_in_the_graph():
    """They were calls of Python's functions, of which nothing was known: no dtype, no gradient."""
    def product(v, k):
        return functools.reduce(operator.mul, v), operator.neg(v), operator.ge(v, k), [
            *map(operator.sub, v, v[::-1])]

    traced = ag.function(product)
    graph = str(traced.graph(x, 2))
    assert "_operator" not in graph and "dynamic" not in graph
    assert repr(traced(x, 2)) == repr(product(x, 2))
    slope = ag.grad(lambda v: functools.reduce(operator.mul, v))(x + 1)
    assert np.allclose(slope, np.prod(x + 1) / (x + 1))


def test_functions_of_operators_call_the_methods_of_objects():
    class Sum:
        def __init__(self, value):
            self.value = value

        def __add__(self, other):
            return Sum(self.value + other.value if self.value[0] > 0 else other.value)

    def total(v):
        return operator.add(Sum(v), Sum(v * 2)).value, operator.add([v], [v])

    for v in (x, -x):
        assert repr(ag.function(total)(v)) == repr(total(v))


def test_a_ufunc_without_results_is_called_for_its_effects():
    log = []
    note = np.frompyfunc(log.append, 1, 0)

    @ag.function
    def noted(v):
        note(v)
        note(v * 2)
        return v

    for _ in range(2):
        noted(x[1:3])
    assert log == [1, 2, 2, 4] * 2


def test_keyword_arguments_reach_what_is_written_in_c():
    out = np.zeros(4)
    assert ag.function(np.add)(x, x, out=out).tolist() == out.tolist() == [0, 2, 4, 6]
    assert ag.function(np.sum)(np.ones((2, 3)), axis=1).tolist() == [3, 3]
    assert ag.function(max)(x, key=lambda v: -v) == 0
    assert ag.function(x.sum)(axis=0) == 6


def test_method_of_an_array_sees_what_is_in_it_now():
    table = np.zeros(2)
    total = ag.function(table.sum)
    assert total() == 0
    table[0] = 5
    assert total() == 5


def test_signature_of_a_ufunc():
    f = ag.function(np.sin, input_signature=[ag.TensorSpec([None])])
    assert f([0.0]).tolist() == [0] and f(np.zeros(3)).tolist() == [0, 0, 0]
    assert f.experimental_get_tracing_count() == 1


def test_functions_may_be_called_like_builtins():
    @ag.function
    def abs(v):
        return np.abs(v) + 1

    @ag.function
    def range(len, max):
        total = 0.0
        for row in len:
            total += row.shape[0] * max
        return total

    for _ in "ab":
        assert abs(-x).tolist() == [1, 2, 3, 4]
        assert range(np.ones((2, 3)), np.float64(2)) == 12
