"""Rows 17 to 33: the decorated object."""

import copy
import dataclasses
import gc
import inspect
import pickle
import threading
import weakref

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)


@ag.function
def double(a):
    """Twice."""
    return a + a


def test_row_017_eight_threads_at_once_make_one_trace_and_no_warning(recwarn):
    traced = []

    @ag.function
    def f(x):
        traced.append(1)
        return x + 1

    start = threading.Barrier(8)

    def run():
        start.wait()
        for _ in range(20):
            assert f(ONE) == 2

    threads = [threading.Thread(target=run) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(traced) == 1 and not recwarn.list


def test_row_018_names_are_kept_and_signatures_are_listed():
    assert (double.__name__, double.__doc__, double.name) == ("double", "Twice.", "double")
    assert double.__wrapped__ is double.python_function
    double(ONE)
    assert "double" in repr(double)
    assert "float64" in double.pretty_printed_concrete_signatures()


def test_row_019_python_function_runs_eagerly():
    assert double.python_function("a") == "aa"


def test_row_020_concrete_function_for_values_specs_and_literals():
    cf = double.get_concrete_function(np.int64(1))
    assert double.get_concrete_function(ag.TensorSpec([], np.int64)) is cf
    f = ag.function(double.python_function, input_signature=[ag.TensorSpec([None])])
    assert f.get_concrete_function()(np.ones(2)).tolist() == [2, 2]


def test_row_021_printed_signatures():
    f = ag.function(double.python_function)
    f(np.int32(1))
    assert f.pretty_printed_concrete_signatures() == """\
Input Parameters:
  a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=int32, name=None)
Output Type:
  TensorSpec(shape=(), dtype=int32, name=None)
Captures:
  None
"""
    assert f.pretty_printed_concrete_signatures(verbose=False) == (
        "(a: TensorSpec(shape=(), dtype=int32, name=None)) -> "
        "TensorSpec(shape=(), dtype=int32, name=None)")


def test_row_022_counts_of_traces_and_of_runs_of_the_body():
    @ag.function
    def f(x):
        return x

    f(ONE), f(ONE), f(np.ones(2))
    assert f.experimental_get_tracing_count() == f.cache_info().traces == 2
    f.cache_clear()
    f(ONE)
    assert f.experimental_get_tracing_count() == 1 and f.cache_info().traced == 3


def test_row_023_function_type_is_a_signature():
    f = ag.function(lambda a, b=1, *args, c, **kw: a)
    assert isinstance(f.function_type, inspect.Signature)
    assert str(f.function_type) == "(a, b=<captured_default_value>, *args, c, **kw)"


def test_row_024_function_spec():
    assert str(double.function_spec) == str(double.function_type)


def test_row_025_input_signature():
    spec = ag.TensorSpec([None])
    assert double.input_signature is None
    assert ag.function(lambda x: x, input_signature=[spec]).input_signature == (spec,)


def test_row_026_initialization_function():
    class Model:
        def __init__(self):
            self.v = None

        @ag.function
        def call(self, x):
            if self.v is None:
                self.v = ag.Variable(x * 10)
            return self.v + x

    model = Model()
    initialise = model.call.get_initialization_function(np.float64(2))
    initialise()
    assert model.v.numpy() == 20
    model.v.assign(1.0)
    initialise()
    assert model.v.numpy() == 20
    assert model.call(np.float64(3)) == 23
    with pytest.raises(RuntimeError, match="has been called"):
        model.call.get_initialization_function(np.float64(2))


def test_row_027_compiler_ir_at_every_stage():
    ir = double.experimental_get_compiler_ir(ONE)
    assert "add(a, a)" in ir(stage="graph") and "add(a, a)" in ir(stage="optimized")
    assert "return a + a" in ir(stage="python")
    with pytest.raises(ValueError, match="stage"):
        ir(stage="hlo")


class Model:
    def __init__(self, k):
        self.k = k

    @ag.function
    def times(self, x):
        return self.k * x


def test_row_028_methods_are_bound_and_their_instances_freed():
    model = Model(2)
    assert model.times(ONE) == 2
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_row_029_unhashable_instances():
    @dataclasses.dataclass
    class Data:
        k: float

        @ag.function
        def times(self, x):
            return self.k * x

    assert Data(3.0).times(ONE) == 3


def test_row_030_slotted_instances():
    class Slotted:
        __slots__ = ("k",)

        def __init__(self, k):
            self.k = k

        @ag.function
        def times(self, x):
            return self.k * x

    assert [Slotted(3).times(ONE), Slotted(4).times(ONE)] == [3, 4]


def test_row_031_pickled_by_reference_also_when_traced():
    double(ONE)
    assert pickle.loads(pickle.dumps(double)) is double and copy.deepcopy(double) is double


def test_row_032_cache_is_bounded_shown_and_cleared():
    f = ag.function(lambda n: n, max_traces=3)
    for n in range(10):
        f(n)
    assert f.cache_info().traces == 3 and f.cache_info().evicted == 7
    f.cache_clear()
    assert f.cache_info().traces == 0
    assert ag.function(lambda n: n).cache_info().max_traces == 1000


def test_row_033_variables_of_a_module_are_found():
    class Layer(ag.Module):
        def __init__(self):
            self.w = ag.Variable(1.0)

        @ag.function
        def __call__(self, x):
            return self.w * x

    layer = Layer()
    assert layer(ONE) == 1 and layer.variables == (layer.w,)


def test_row_028_what_a_bound_method_tells_is_about_its_instance():
    a, b = Model(2), Model(3)
    cf = a.times.get_concrete_function(ag.TensorSpec([]))
    assert cf(ONE) == 2 == a.times(ONE)
    assert (a.times.experimental_get_tracing_count(), b.times.experimental_get_tracing_count(),
            Model.times.experimental_get_tracing_count()) == (1, 0, 1)
    assert b.times(ONE) == 3 and b.times.experimental_get_tracing_count() == 1
    assert a.times.pretty_printed_concrete_signatures().count("Input Parameters") == 1
    assert a.times == a.times != b.times and hash(a.times) == hash(a.times)
    assert str(inspect.signature(a.times)) == "(x)" and a.times.__name__ == "times"
    assert a.times.graph(ONE).name == "times" and a.times.__self__ is a
    assert Model.times(a, ONE) == 2 and inspect.isfunction(Model.times)


def test_row_028_bound_methods_are_arguments_and_captures():
    two, three = Model(2), Model(3)
    f = ag.function(lambda g, x: g(x) + two.times(x))
    assert [f(two.times, ONE), f(three.times, ONE), f(two.times, 2 * ONE)] == [4, 5, 8]
    assert f.experimental_get_tracing_count() == 2
    chosen = ag.function(lambda x: (two.times if x > 0 else three.times)(x))
    assert [chosen(ONE), chosen(-ONE)] == [2, -3]


def logged(f):
    return ag.function(f)


class Base:
    @logged
    def f(self, x):
        return x + 1


class Derived(Base):
    @ag.function(reduce_retracing=True)
    def f(self, x):
        return super().f(x) * 2


def test_row_028_inherited_methods_and_decorators_of_the_users():
    assert Derived().f(ONE) == 4 and Base().f.get_concrete_function(ONE)(ONE) == 2
    made = pickle.loads(pickle.dumps(Derived().f))
    assert made(ONE) == 4


def test_row_028_methods_can_be_copied_checked_and_decorated_again():
    model = Model(2)
    copied = copy.deepcopy(model.times)
    assert copied(ONE) == 2 and copied.__self__ is not model
    assert ag.check(model.times, ONE)
    assert ag.function(model.times)(ONE) == ag.convert(model.times)(ONE) == 2
    assert "self.k * x" in ag.to_code(model.times) and model.times.python_function(ONE) == 2
