"""What a function takes from outside: frozen by default, guarded or refused on demand."""


import ctypes

import gast
import numpy as np
import pytest

import autograph as ag
from autograph.errors import TracingError
from autograph.runtime.signatures.captured_values import Captured

FACTOR = 2
TABLE = {"rate": 1}


class Model:
    def __init__(self):
        self.weight, self.bias = np.float64(2), 5.0


def helper(x):
    return x * FACTOR


@pytest.fixture(autouse=True)
def restore():
    yield
    globals().update(FACTOR=2)
    TABLE["rate"] = 1


def change_factor(value):
    globals()["FACTOR"] = value


def test_globals_and_closure_variables_are_frozen():
    n = 1
    f = ag.function(lambda x: helper(x) + n)
    assert f(np.float64(1)) == 3
    change_factor(100)
    n = 50
    assert f(np.float64(1)) == 3


def test_guarded_globals_make_a_new_trace():
    n = 1
    f = ag.function(lambda x: helper(x) + n + TABLE["rate"], captures="guard")
    assert [f(np.float64(1)), f(np.float64(2))] == [4, 6]
    change_factor(100)
    assert f(np.float64(1)) == 102
    n = 50
    assert f(np.float64(1)) == 151
    TABLE["rate"] = 7
    assert f(np.float64(1)) == 157
    assert f.experimental_get_tracing_count() == 4
    change_factor(2)
    n, TABLE["rate"] = 1, 1
    assert f(np.float64(1)) == 4
    assert f.experimental_get_tracing_count() == 4


def test_guarded_attributes():
    model = Model()
    f = ag.function(lambda m, x: m.weight * x + m.bias, captures="guard")
    g = ag.function(lambda x: model.weight * x + model.bias, captures="guard")
    assert f(model, 1.0) == g(1.0) == 7
    model.bias += 5
    assert f(model, 1.0) == g(1.0) == 12
    model.weight = np.float64(0)
    assert f(model, 1.0) == g(1.0) == 10


def test_guarded_attributes_of_objects_in_containers():
    """Objects in an argument's lists and dicts; arrays in them are arguments, with no key."""
    f = ag.function(lambda nest: nest[0]["model"].weight * nest[1], captures="guard")
    model, array = Model(), np.ones(2)
    model.weight = np.array([1.0, 2.0])
    assert f([{"model": model}, array]).tolist() == [1, 2]
    model.weight[0] = 9
    assert f([{"model": model}, array + 1]).tolist() == [18, 4]
    model.weight = 7.0
    assert f([{"model": model}, array]).tolist() == [7, 7]
    f([{"model": model}, array + 5])
    assert f.experimental_get_tracing_count() == 3


def test_guarded_method_sees_its_instance():
    class Counter:
        def __init__(self):
            self.n = 0

        @ag.function(captures="guard")
        def get(self):
            return self.n

    c = Counter()
    seen = []
    for _ in range(3):
        seen.append(c.get())
        c.n += 1
    assert seen == [0, 1, 2]


def test_changed_capture_is_an_error_on_demand():
    f = ag.function(helper, captures="error")
    assert [f(np.float64(1)), f(np.float64(2))] == [2, 4]
    change_factor(3)
    with pytest.raises(ag.CaptureError, match="FACTOR was 2 when the function was traced"):
        f(np.float64(1))
    change_factor(2)
    assert f(np.float64(3)) == 6


def test_captured_array_is_not_copied_and_seen_as_it_is():
    weights = np.ones(1000)
    f = ag.function(lambda x: (x + weights).sum() + (weights * x).sum())
    cf = f.get_concrete_function(np.float64(1))
    assert [c is weights for c in cf.captured_inputs] == [True]
    assert f(np.float64(0)) == 1000
    weights[:] = 2
    assert f(np.float64(0)) == 2000


def test_array_made_while_tracing_is_new_at_every_call():
    f = ag.function(lambda xs: (np.maximum(0.0, xs), [np.negative(xs)]))
    f([1, -1])[0][0] = 99
    f([1, -1])[1][0][:] = 99
    assert f([1, -1])[0].tolist() == [1, 0] and f([1, -1])[1][0].tolist() == [-1, 1]


def test_array_from_outside_is_itself():
    weights, boxed = np.ones(2), {"w": np.ones(3)}
    f = ag.function(lambda: (weights, boxed["w"]))
    assert [a is b for a, b in zip(f(), (weights, boxed["w"]), strict=True)] == [True, True]


def test_captures_are_called_by_their_names():
    weights, model = np.ones(2), Model()
    model.scale = np.full(2, 3.0)
    cf = ag.function(lambda x: x * weights + model.scale).get_concrete_function(np.ones(2))
    assert list(cf.function_type.captures) == ["weights", "scale"]


def test_live_values_are_read_at_every_call():
    model = Model()
    f = ag.function(lambda x: ag.live(lambda: model.bias) * x)
    assert f(np.float64(1)) == 5
    model.bias = 6.0
    assert f(np.float64(1)) == 6
    assert f.experimental_get_tracing_count() == 1
    assert ag.live(lambda: 3) == 3


def test_tensor_of_a_finished_trace_is_refused_by_both_classes():
    leaked, holder = [], ctypes.py_object()  # what it holds is not watched

    @ag.function
    def f(x):
        holder.value = x
        return x

    with pytest.raises(TracingError, match="holds a symbolic value when the trace"):
        f(np.float64(1))
    leaked.append(holder.value)
    with pytest.raises(AttributeError, match="numpy"):
        leaked[0].numpy()
    with pytest.raises(TypeError, match="used outside the trace"):
        ag.function(lambda y: y + leaked[0])(np.float64(1))


def test_symbolic_values_left_outside_become_real():
    kept = []

    @ag.function
    def f(x):
        kept.append(x + 1)
        return x

    f(np.float64(1))
    f(np.float64(2))
    assert kept[-1] == 3 and all(isinstance(x, np.float64) for x in kept)


# -- effects --------------------------------------------------------------------------------------


def counting(effects, **options):
    log, table = [], {"n": 0}
    model = Model()
    calls = 0

    @ag.function(effects=effects, **options)
    def f(x):
        nonlocal calls
        calls += 1
        log.append("called")
        table["last"] = x * 2
        model.bias = 0.5
        return x

    return f, log, table, model, lambda: calls


def test_side_effects_happen_while_tracing():
    f, log, _, _, _ = counting("trace")
    for n in range(3):
        f(np.float64(n))
    assert log == ["called"] * 2  # the second trace takes table["last"] as an input


def test_side_effects_happen_at_every_call_on_demand():
    f, log, table, model, _ = counting("runtime")
    for n in range(3):
        model.bias = 5.0
        f(np.float64(n))
        assert table == {"n": 0, "last": 2 * n}
        assert model.bias == 0.5
    assert log == ["called"] * 3
    assert f.experimental_get_tracing_count() == 1


def test_runtime_effects_with_guards_are_those_of_python():
    f, log, _, _, calls = counting("runtime", captures="guard")
    for n in range(4):
        f(np.float64(n))
    assert calls() == 4 and log == ["called"] * 4


def test_runtime_effects_keep_what_others_appended():
    log = []

    @ag.function(effects="runtime")
    def f(x):
        log.append(x + 1)

    f(np.float64(1))
    log.append("other")
    f(np.float64(2))
    assert log == [2, "other", 3]


def test_what_a_closed_library_reads_is_not_watched():
    """Its functions are called as they are, and its objects are values of the graph."""
    captured = Captured(lambda tree: gast.dump(tree), "guard")
    paths = [path for path, _ in captured.key({"tree": gast.parse("f(1)")})]
    assert paths[:2] == ["gast.dump", "gast"]  # and the settings of the process
