"""Rows 89 to 99: variables."""

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)


def test_row_089_made_at_every_call():
    f = ag.function(lambda x: ag.Variable(1.0).assign_add(x))
    with pytest.raises(ValueError, match=r"only supports singleton ag\.Variables"):
        f(ONE)


def test_row_090_made_once_by_one_trace_from_an_argument():
    traced = []

    class Layer:
        v = None

        @ag.function
        def __call__(self, x):
            traced.append(1)
            if self.v is None:
                self.v = ag.Variable(x * 3)
            return self.v * x

    layer = Layer()
    assert [layer(ONE), layer(np.float64(2))] == [3, 6] and len(traced) == 1


def test_row_091_made_on_a_later_call():
    made = {}

    @ag.function
    def f(key, x):
        if key not in made:
            made[key] = ag.Variable(x)
        return made[key].value()

    assert [f("a", ONE), f("b", ONE * 2), f("a", ONE * 3)] == [1, 2, 1]


def test_row_092_reads_and_writes_in_program_order():
    v, w = ag.Variable(1.0), ag.Variable(1.0)

    @ag.function
    def f(x):
        a = v.value()
        v.assign(v * 2)
        w.assign_add(v)
        v.assign_sub(x)
        return a, v.value(), w.value()

    assert f(ONE) == (1, 1, 3)


def test_row_093_all_ways_to_read_and_write():
    v = ag.Variable(np.zeros(4))

    @ag.function
    def f(x):
        v.assign(np.ones(4) * x)
        v.assign_add(np.ones(4))
        v.assign_sub(np.ones(4) * 0.5)
        v.scatter_update(ag.IndexedSlices(np.array([x * 5, x * 6]), [0, 3]))
        v.scatter_add(ag.IndexedSlices(np.array([x, x]), [1, 1]))
        v.scatter_nd_update([[2]], [x * 0.5])
        v[1] = x * 9
        rows = v.sparse_read([0, 1])
        total = 0.0
        for item in v:
            total = total + item
        if v[0] > 0:
            total = -total
        return rows, total, v.value(), v.read_value()

    rows, total, value, again = f(ONE)
    assert rows.tolist() == [5, 9] and total == -20.5
    assert value.tolist() == again.tolist() == v.numpy().tolist() == [5, 9, 0.5, 6]


def test_row_094_augmented_assignment_assigns():
    v = ag.Variable(1.0)

    @ag.function
    def f(x):
        global held
        held = v
        held += x
        return held.value()

    assert [f(ONE), f(ONE)] == [2, 3] and v.numpy() == 3


class Model:
    def __init__(self, v):
        self.v = v


def test_row_095_argument_mutated_and_replaced():
    f = ag.function(lambda m: m.v.value(), captures="guard")
    m = Model(ag.Variable(1.0))
    assert f(m) == 1
    m.v.assign(2)
    assert f(m) == 2
    m.v = ag.Variable(7.0)
    assert f(m) == 7


def test_row_096_unknown_dims():
    v = ag.Variable(np.ones(2), shape=[None])
    f = ag.function(lambda x: v.assign(x).value().sum())
    assert [f(np.ones(3)), f(np.ones(5))] == [3, 5]


def test_row_097_wrong_shape_at_the_assignment():
    v = ag.Variable(np.ones(2))
    with pytest.raises(ValueError, match="shape"):
        ag.function(lambda x: v.assign(x))(np.ones(3))


def test_row_098_returned_variable_is_a_copy_of_its_value():
    v = ag.Variable(np.ones(2))
    got = ag.function(lambda: v)()
    got[0] = 5
    assert type(got) is np.ndarray and v.numpy().tolist() == [1, 1]


def test_row_099_what_a_graph_refers_to_needs_no_tracking():
    v = ag.Variable(3.0)
    cf = ag.function(lambda x: v * x).get_concrete_function(ONE)
    assert cf.graph.variables == (v,) and cf(ONE) == 3
