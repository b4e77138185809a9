"""The decorated object: spellings, names, methods, cache, threads, pickling, retracing warnings."""

import copy
import dataclasses
import functools
import gc
import inspect
import pickle
import threading
import warnings
import weakref

import numpy as np
import pytest

import autograph as ag
from autograph.function.trace_cache import TraceCache

ONE = np.float64(1)


def plain(x, y=2):
    """Says what it does."""
    return x * y


module_function = ag.function(plain)


@ag.function
def pickled(x):
    return x + 1


def test_three_spellings():
    @ag.function
    def bare(x):
        return x + 1

    @ag.function()
    def empty(x):
        return x + 1

    assert bare(ONE) == empty(ONE) == ag.function(plain)(ONE) == ag.function(func=plain)(ONE) == 2


def test_other_callables():
    class Adder:
        def __init__(self, n):
            self.n = n

        def __call__(self, x):
            return x + self.n

        def method(self, x):
            return x - self.n

    assert ag.function(functools.partial(plain, y=5))(ONE) == 5
    assert ag.function(Adder(3))(ONE) == 4
    assert ag.function(Adder(3).method)(ONE) == -2

    @functools.wraps(plain)
    def wrapped(*args, **kwargs):
        return plain(*args, **kwargs) + 1

    assert ag.function(wrapped)(ONE, 4) == 5


def test_names_and_documentation_are_kept():
    assert module_function.__name__ == module_function.name == "plain"
    assert module_function.__doc__ == "Says what it does."
    assert module_function.__wrapped__ is module_function.python_function is plain
    assert inspect.signature(module_function) == inspect.signature(plain)
    assert "plain" in repr(module_function)


def test_a_partial_is_called_by_the_name_of_its_function():
    inner = functools.partial(plain, ONE)
    for f in (ag.function(inner), ag.function(functools.partial(inner, y=3))):
        assert f.name == "plain"
        with pytest.raises(TypeError, match=r"^plain\(\) takes "):
            f(ONE, ONE, ONE)
        with pytest.raises(TypeError, match=r"^plain\(\) got an unexpected keyword argument 'z'"):
            f(z=ONE)
    with pytest.raises(TypeError, match=r"^plain\(\): missing a required argument: 'x'"):
        ag.vjp(functools.partial(plain, y=ONE))


def test_python_names_the_method_that_an_object_is_called_by():
    class Adder:
        def __call__(self, x):
            return x + 1

    for f in (Adder(), ag.function(Adder())):
        with pytest.raises(TypeError, match=r"Adder\.__call__\(\) missing 1 required"):
            f()


def test_python_function_runs_eagerly():
    printed = []
    f = ag.function(lambda x: printed.append(x) or x)
    assert f.python_function(3) == 3 and printed == [3]
    assert f.experimental_get_tracing_count() == 0


# -- methods --------------------------------------------------------------------------------------


class Model:
    def __init__(self, scale):
        self.scale = scale

    @ag.function
    def scaled(self, x):
        return self.scale * x

    @staticmethod
    @ag.function
    def static(x):
        return x + 1

    @ag.function
    @staticmethod
    def outer_static(x):
        return x + 1

    @classmethod
    @ag.function
    def named(cls, x):
        return cls.__name__, x + 1

    @ag.function
    @classmethod
    def outer_named(cls, x):
        return cls.__name__, x + 1

    @property
    @ag.function
    def half(self):
        return self.scale / 2

    @ag.function
    @property
    def third(self):
        return self.scale / 3


def test_methods_bind_and_trace_per_instance():
    a, b = Model(2), Model(3)
    assert [a.scaled(ONE), b.scaled(ONE), a.scaled(x=np.float64(5))] == [2, 3, 10]
    assert Model.scaled.experimental_get_tracing_count() == 2
    assert a.scaled == a.scaled and Model.scaled(a, ONE) == 2


def test_methods_tell_of_their_own_traces():
    a, b, x = Model(2), Model(3), np.ones(2)
    a.scaled(x), b.scaled(np.ones(3)), b.scaled(np.ones(4))
    assert str(a.scaled.graph()) == str(a.scaled.graph(x)) != str(b.scaled.graph())
    assert a.scaled.to_python() == a.scaled.to_python(x)
    shapes = [[t.signature.split(",")[1] for t in m.scaled.explain().traces] for m in (a, b)]
    assert shapes == [[" x: f64[2]"], [" x: f64[3]", " x: f64[4]"]]
    assert "1 trace" in a.scaled._repr_html_() and "2 traces" in b.scaled._repr_html_()
    with pytest.raises(ValueError, match="2 traces"):
        b.scaled.to_python()
    with pytest.raises(ValueError, match="no trace yet"):
        Model(4).scaled.graph()


class Signed:
    by = 2

    @ag.function(input_signature=[ag.TensorSpec([None], np.float64)])
    def scaled(self, x):
        return x * self.by


def test_a_methods_signature_stands_for_its_arguments():
    signed = Signed()
    for told in (signed.scaled.get_concrete_function(),
                 Signed.scaled.get_concrete_function(signed)):
        np.testing.assert_array_equal(told(np.ones(3)), [2.0, 2.0, 2.0])
    assert "x: f64[?]" in str(signed.scaled.graph()) and "(None,)" in signed.scaled.to_python()
    assert signed.scaled.experimental_get_tracing_count() == 1


def test_instances_are_collected_with_their_traces():
    model = Model(7)
    before = Model.scaled.cache_info().traces
    assert model.scaled(ONE) == 7
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None
    assert Model.scaled.cache_info().traces <= before


def test_static_and_class_methods_and_properties():
    model = Model(6)
    assert Model.static(ONE) == model.static(ONE) == Model.outer_static(ONE) == 2
    assert Model.named(ONE) == model.outer_named(ONE) == ("Model", 2)
    assert (model.half, model.third) == (3, 2)


@dataclasses.dataclass
class Unhashable:
    values: np.ndarray

    @ag.function
    def total(self, x):
        return self.values.sum() + x


class Slotted:
    __slots__ = ("n",)

    def __init__(self, n):
        self.n = n

    @ag.function
    def plus(self, x):
        return self.n + x


def test_methods_of_unhashable_and_slotted_instances():
    assert Unhashable(np.ones(3)).total(ONE) == 4
    assert Unhashable(np.zeros(3)).total(ONE) == 1
    one, two = Slotted(1), Slotted(2)
    assert [one.plus(ONE), two.plus(ONE), one.plus(np.float64(5))] == [2, 3, 6]


# -- the cache ------------------------------------------------------------------------------------


def test_cache_info_and_clear():
    f = ag.function(lambda x: x)
    f(np.ones(1)), f(np.ones(2)), f(np.ones(1))
    assert f.cache_info() == (2, 1000, 2, 0, None)
    f.cache_clear()
    assert f.cache_info() == (0, 1000, 2, 2, None)
    assert f(np.ones(1)).tolist() == [1]
    assert f.cache_info().traced == 3


def test_trace_unused_for_longest_goes():
    f = ag.function(lambda x, n: x * n, max_traces=2)
    assert [f(ONE, n) for n in (1, 2, 3, 1, 3)] == [1, 2, 3, 1, 3]
    assert f.cache_info()[:4] == (2, 2, 4, 2)
    f = ag.function(lambda x, n: x * n, max_traces=3)
    for n in (1, 2, 3, 1, 1, 4):
        f(ONE, n)
    kept = [c.split("Literal[")[1][0] for c in
            f.pretty_printed_concrete_signatures(verbose=False).splitlines()]
    assert kept == ["1", "3", "4"]


def test_calls_of_each_trace_are_counted():
    f = ag.function(lambda x: x + 1, count_calls=True)
    for _ in range(20):
        f(ONE)
    for _ in range(3):
        f(np.ones(2))
    f.get_concrete_function(np.ones(3))
    assert list(f.cache_info().hits.values()) == [20, 3, 0]


def test_many_signatures():
    f = ag.function(lambda x, n: x * n)
    for _ in range(2):
        assert [f(ONE, n) for n in range(30)] == list(range(30))
    assert f.experimental_get_tracing_count() == 30


def test_separate_functions_share_nothing():
    count = []

    def f():
        count.append(1)

    ag.function(f)(), ag.function(f)()
    assert len(count) == 2


def test_arguments_of_the_first_call_are_not_kept_alive():
    class Array(np.ndarray):
        """An array that can be watched."""

    f = ag.function(lambda x, box: x + box[0])
    x, box = np.ones(2), [np.ones(2)]
    gone = weakref.ref(x), weakref.ref(box[0])
    f(x, box)
    del x, box
    gc.collect()
    assert [g() for g in gone] == [None, None]


@pytest.mark.parametrize("calls", [0, 1, 9])
def test_functions_are_collected_with_their_traces(calls):
    def used():
        weights = Model(3)
        f = ag.function(lambda x: x * weights.scale if x.sum() > 0 else x)
        for _ in range(calls):
            f(np.ones(2))
        return weakref.ref(f), weakref.ref(weights)

    gone = used()
    gc.collect()
    assert [g() for g in gone] == [None, None]


# -- threads, pickling ----------------------------------------------------------------------------


def test_eight_threads_make_one_trace():
    traced, results = [], []
    start = threading.Barrier(8)

    @ag.function
    def f(x):
        traced.append(1)
        return x * 2

    def run():
        start.wait()
        results.extend(float(f(np.float64(i))) for i in range(20))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        threads = [threading.Thread(target=run) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert len(traced) == 1
    assert sorted(results) == sorted([2.0 * i for i in range(20)] * 8)


def test_a_call_that_comes_while_a_trace_is_entered_waits_for_it(monkeypatch):
    traced, searched = [], threading.Event()
    enter, find = TraceCache.enter, TraceCache.find

    @ag.function
    def f(x):
        traced.append(1)
        return x * 2

    other = threading.Thread(target=f, args=(np.float64(2.0),))

    def note_search(cache, call):
        found = find(cache, call)
        if threading.current_thread() is other:
            searched.set()
        return found

    def enter_late(cache, call, concrete):
        other.start()
        assert searched.wait(60)
        enter(cache, call, concrete)

    monkeypatch.setattr(TraceCache, "find", note_search)
    monkeypatch.setattr(TraceCache, "enter", enter_late)
    assert f(np.float64(1.0)) == 2.0
    other.join()
    assert len(traced) == 1


def test_threads_with_signatures_of_their_own():
    f = ag.function(lambda x, n: x.sum() * n)
    wrong = []

    def run(n):
        wrong.extend(i for i in range(30) if f(np.ones(1 + i % 5), n) != (1 + i % 5) * n)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_pickled_by_reference():
    assert pickled(ONE) == 2
    assert pickle.loads(pickle.dumps(pickled)) is pickled
    assert copy.deepcopy(pickled) is pickled


# -- retracing ------------------------------------------------------------------------------------


def retracing(f, *calls):
    """The warnings that these calls cause, as texts."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for args in calls:
            f(*args)
    return [str(w.message) for w in found if w.category is ag.RetracingWarning]


def test_warning_names_argument_types_and_remedy():
    f = ag.function(lambda x, n: x * n)
    told = retracing(f, *((ONE, n) for n in range(9)))
    assert len(told) == 2
    assert told[0].startswith("5 of the last 5 calls of <lambda>() made a new trace")
    assert "n: Literal[3] before, now Literal[4]" in told[0] and "x:" not in told[0]
    assert "np.asarray(n)" in told[0] and "reduce_retracing=True" in told[0]
    assert "f(*args)" in told[0]


def test_warning_about_shapes_dtypes_and_objects():
    told = retracing(ag.function(lambda x: x), *((np.ones(n),) for n in range(5)))
    assert "shape=(3,)" in told[0] and "input_signature with None" in told[0]
    told = retracing(ag.function(lambda x: x), *((np.ones(1, d),) for d in "fdiqh"))
    assert "convert x to one dtype" in told[0]
    kept = [Model(n) for n in range(5)]
    told = retracing(ag.function(lambda m: m.scale), *((m,) for m in kept))
    assert "m counts by identity" in told[0]


def test_no_warning_when_most_calls_hit():
    f = ag.function(lambda x, n: x * n)
    calls = [(ONE, n) for n in range(8) for _ in range(4)]
    assert retracing(f, *calls) == []
    assert f.experimental_get_tracing_count() == 8


def test_five_of_ten_calls():
    f = ag.function(lambda x, n: x * n)
    calls = [(ONE, n) for n in range(5) for _ in range(2)]
    assert len(retracing(f, *calls)) == 1


# -- options --------------------------------------------------------------------------------------


def test_old_options_are_accepted_with_a_warning():
    with pytest.warns(DeprecationWarning, match="use reduce_retracing"):
        f = ag.function(lambda x: x, experimental_relax_shapes=True)
    for n in range(5):
        f(np.ones(n))
    assert f.experimental_get_tracing_count() == 2
    with pytest.warns(DeprecationWarning, match="always on"):
        ag.function(lambda x: x, experimental_autograph_options=())
    with pytest.warns(DeprecationWarning, match="use attributes"):
        named = ag.function(lambda x: x, experimental_implements="matmul")
    assert named.attributes == {"implements": "matmul"}


def test_attributes_are_kept():
    assert ag.function(lambda x: x, attributes={"a": 1}).attributes == {"a": 1}


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match="has no option 'fast'\n  hint: did you mean fast_math"):
        ag.function(lambda x: x, fast=True)
    with pytest.raises(ValueError, match="captures must be one of freeze, guard, error"):
        ag.function(lambda x: x, captures="maybe")
    with pytest.raises(ValueError, match="effects must be one of trace, runtime"):
        ag.function(lambda x: x, effects="maybe")


def test_without_conversion():
    f = ag.function(lambda x: x if x > 0 else -x, autograph=False)
    with pytest.raises(TypeError, match="a Python bool of a symbolic value"):
        f(ONE)
    assert ag.function(lambda x: x + 1, autograph=False)(ONE) == 2


def test_to_code_of_a_decorated_function():
    assert ag.to_code(ag.function(plain)) == ag.to_code(plain)
