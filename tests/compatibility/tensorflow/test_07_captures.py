"""Rows 82 to 88: what a function uses from outside itself."""

import numpy as np
import pytest

import autograph as ag
from autograph.errors import TracingError

ONE = np.float64(1)
big = np.arange(100000.0)
factor = 1


def test_row_082_arrays_are_captured_once_and_by_reference():
    f = ag.function(lambda x: np.sum(big + x) + (big * x)[1])
    graph = f.get_concrete_function(ONE).graph
    assert sum(c is big for c in graph.external_captures) == 1


def test_row_083_globals_are_frozen_guarded_or_refused():
    global factor
    made = {how: ag.function(lambda x: x * factor, captures=how)
            for how in ("freeze", "guard", "error")}
    factor = 1
    assert [f(ONE) for f in made.values()] == [1, 1, 1]
    factor = 3
    assert [made["freeze"](ONE), made["guard"](ONE)] == [1, 3]
    with pytest.raises(ag.CaptureError, match="factor"):
        made["error"](ONE)
    factor = 1
    assert made["error"](ONE) == made["guard"](ONE) == 1


@pytest.mark.parametrize("where", ["closure", "attribute"])
def test_row_083_closures_and_attributes_too(where):
    n = 1

    class Holder:
        n = 1

    holder = Holder()
    body = (lambda x: x * n) if where == "closure" else (lambda x: x * holder.n)
    frozen, guarded = ag.function(body), ag.function(body, captures="guard")
    assert (frozen(ONE), guarded(ONE)) == (1, 1)
    n = holder.n = 5
    assert (frozen(ONE), guarded(ONE)) == (1, 5)


def test_row_084_array_is_stored_once_and_its_changes_are_seen():
    table = np.array([1.0, 2.0])
    f = ag.function(lambda x: x + table + table)
    assert f(ONE).tolist() == [3, 5]
    concrete = f.get_concrete_function(ONE)
    assert len(concrete.graph.captures) == 1
    table[0] = 10
    assert f(ONE).tolist() == f.python_function(ONE).tolist() == [21, 5]


def test_row_085_variables_by_reference():
    v = ag.Variable(1)
    f = ag.function(lambda: v + 1)
    assert f() == 2
    v.assign(100)
    assert f() == 101


def test_row_086_live_values_are_read_at_every_call():
    state = {"v": 1}
    f = ag.function(lambda x: x + ag.live(lambda: state["v"]))
    assert f(ONE) == 2
    state["v"] = 5
    assert f(ONE) == 6 and f.experimental_get_tracing_count() == 1


def test_row_087_captured_variable_is_kept_alive():
    class Holder:
        v = ag.Variable(2.0)

    f = ag.function(lambda x: Holder.v.assign_add(x).value())
    f(ONE)
    del Holder.v
    assert f(ONE) == 4


def test_row_088_symbolic_value_of_a_finished_trace():
    kept = []

    class Keeper:
        def __init__(self, x):
            self.x = x

        def __ag_flatten__(self):
            return None, [self.x]

        @classmethod
        def __ag_unflatten__(cls, metadata, components):
            kept.extend(components)
            return cls(*components)

    with pytest.raises(TracingError, match="holds a symbolic value when the trace"):
        ag.function(lambda keeper: 1)(Keeper(ONE))
    (leaked,) = [x for x in kept if isinstance(x, ag.Tensor)]
    for use in (lambda: leaked + 1, lambda: ag.function(lambda: leaked + 1)()):
        with pytest.raises(TypeError, match="outside the trace"):
            use()
