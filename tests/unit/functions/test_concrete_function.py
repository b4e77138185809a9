"""ConcreteFunction: one signature, called like the function or with just the arrays."""

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions import concrete_function

LAYOUT = """\
Input Parameters:
  a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=int64, name=None)
Output Type:
  TensorSpec(shape=(), dtype=int64, name=None)
Captures:
  None

Input Parameters:
  a (POSITIONAL_OR_KEYWORD): List[Literal[1], Literal[-1]]
Output Type:
  List[Literal[1], Literal[-1], Literal[1], Literal[-1]]
Captures:
  None
"""


@ag.function
def double(a):
    return a + a


@ag.function
def power(a, b):
    return a ** b


@ag.function
def square(a, b=2):
    return a ** b


def test_values_specs_and_literals_may_be_mixed():
    cf = power.get_concrete_function(ag.TensorSpec([None], np.float64), b=2)
    assert cf(np.array([2.0, 3.0])).tolist() == [4, 9]
    assert power.get_concrete_function(np.ones(3), np.float64(2)).inputs == (
        ag.TensorSpec([3]).type, ag.TensorSpec([]).type)


def test_same_type_is_the_same_object():
    first = double.get_concrete_function(np.int64(1))
    assert double.get_concrete_function(np.int64(2)) is first
    assert double.get_concrete_function(ag.TensorSpec([], np.int64)) is first
    assert double.get_concrete_function(1) is not double.get_concrete_function(2)


def test_wider_signature_serves_narrower_arguments():
    f = ag.function(lambda x: x.sum())
    any_rank = f.get_concrete_function(ag.TensorSpec(None))
    assert f.get_concrete_function(np.ones(3)) is any_rank
    assert [f(np.ones(3)), f(np.ones((2, 2)))] == [3, 4]
    assert f.experimental_get_tracing_count() == 1
    other = ag.function(lambda x: x.sum())
    column = other.get_concrete_function(np.ones((3, 1)))
    assert other.get_concrete_function(np.ones(3)) is not column


def test_no_arguments_are_needed_with_an_input_signature():
    f = ag.function(lambda x: x + 1, input_signature=[ag.TensorSpec([None])])
    assert f.get_concrete_function() is f.get_concrete_function(np.ones(3))


def test_called_structured_literals_filled_in():
    cf = square.get_concrete_function(ag.TensorSpec([], np.float64))
    assert cf(np.float64(10)) == cf(a=np.float64(10)) == cf(10.0) == cf(10.0, 2) == 100
    with pytest.raises(TypeError, match=r"b was given as 3, but it is Literal\[2\]"):
        cf(10.0, b=3)


@pytest.mark.parametrize("error", [TypeError, ValueError, ag.InvalidArgumentError])
def test_wrong_dtype(error):
    cf = double.get_concrete_function(ag.TensorSpec([], str))
    assert cf(np.str_("a")) == cf(a=np.str_("a")) == cf("a") == "aa"
    with pytest.raises(error, match="a does not fit its signature"):
        cf(np.int64(1))


def test_missing_and_unknown_arguments():
    cf = power.get_concrete_function(np.ones(2), np.ones(2))
    with pytest.raises(TypeError, match="missing 'b'"):
        cf(np.ones(2))
    with pytest.raises(TypeError):
        cf(np.ones(2), np.ones(2), np.ones(2))
    with pytest.raises(TypeError, match="'c'"):
        cf(np.ones(2), c=np.ones(2))


def test_called_flat_by_name_of_the_spec():
    @ag.function
    def f(pair, scale, *, k=None):
        return (pair[0] - pair[1]["x"]) * scale

    left, right = ag.TensorSpec([2], name="left"), ag.TensorSpec([2], name="right")
    cf = f.get_concrete_function((left, {"x": right}), 3)
    one, two = np.ones(2), np.full(2, 2.0)
    assert cf((two, {"x": one}), 3).tolist() == [3, 3]
    assert cf(left=two, right=one).tolist() == cf(two, one).tolist() == [3, 3]
    assert cf.structured_input_signature == (
        ((left, {"x": right}), 3), {"k": None})


def test_objects_are_left_out_of_a_flat_call():
    class Model:
        bias = 5.0

    cf = ag.function(lambda model, x: model.bias * x).get_concrete_function(Model(), np.float64(1))
    assert cf(np.float64(4)) == 20


def test_outputs():
    @ag.function
    def f(x):
        return {"sum": x + x, "n": 5, "nothing": None}, [x.sum()]

    cf = f.get_concrete_function(np.ones((2, 3), np.float32))
    total = ag.TensorSpec([2, 3], np.float32)
    assert cf.structured_outputs == ({"sum": total, "n": 5, "nothing": None},
                                     [ag.TensorSpec([], np.float32)])
    assert cf.output_shapes == ({"sum": (2, 3), "n": None, "nothing": None}, [()])
    assert cf.output_dtypes == ({"sum": np.float32, "n": None, "nothing": None}, [np.float32])
    assert [str(t) for t in cf.outputs] == ["f32[2, 3]", "f32"]
    assert [str(t) for t in cf.inputs] == ["f32[2, 3]"]


def test_captures_by_name_and_not_copied():
    weights, counter = np.ones(3), ag.Variable(2.0, name="counter")
    frozen = ag.Variable(1.0, trainable=False)
    cf = ag.function(lambda x: x + weights * counter * frozen).get_concrete_function(np.ones(3))
    assert any(c is weights for c in cf.captured_inputs)
    assert set(cf.variables) == {counter, frozen}
    assert cf.trainable_variables == (counter,)
    assert "counter: Variable[TensorSpec(shape=(), dtype=float64, name=None)]" in str(cf)


def test_printed_signatures():
    f = ag.function(lambda a: a + a)
    f(np.int64(1))
    f([1, -1])
    assert f.pretty_printed_concrete_signatures() == LAYOUT
    assert f.pretty_printed_concrete_signatures(verbose=False).splitlines()[0] == (
        "(a: TensorSpec(shape=(), dtype=int64, name=None)) -> "
        "TensorSpec(shape=(), dtype=int64, name=None)")


def test_printed_concrete_function():
    cf = power.get_concrete_function(a=ag.TensorSpec(None, np.float32), b=2)
    assert str(cf).startswith("ConcreteFunction Input Parameters:\n  a (POSITIONAL_OR_KEYWORD): "
                              "TensorSpec(shape=<unknown>, dtype=float32, name=None)\n"
                              "  b (POSITIONAL_OR_KEYWORD): Literal[2]\n")
    assert repr(double.get_concrete_function(np.ones(2))) == "<ConcreteFunction double(a: f64[2])>"


def test_function_types():
    def f(a, b=1, *args, c, **kw):
        return a

    kind = ag.function(f).function_type
    assert str(kind) == "(a, b=<captured_default_value>, *args, c, **kw)"
    cf = double.get_concrete_function(ag.TensorSpec([], np.int64))
    assert str(cf.function_type) == ("(a: TensorSpec(shape=(), dtype=int64, name=None)) -> "
                                     "TensorSpec(shape=(), dtype=int64, name=None)")
    assert cf.function_type.output == ag.TensorSpec([], np.int64)
    assert list(cf.function_type.parameters) == ["a"] and cf.function_type.captures == {}


def test_raw_call():
    cf = double.get_concrete_function(ag.TensorSpec([2]))
    assert cf.run(np.ones(2)).tolist() == [2, 2]
    assert cf.inference_fn is cf.run


def test_inside_another_function():
    cf = double.get_concrete_function(ag.TensorSpec([2]))
    f = ag.function(lambda x: cf(x) + 1)
    assert f(np.ones(2)).tolist() == [3, 3]


def test_arguments_are_changed_and_containers_refilled():
    @ag.function
    def f(x, log):
        x[0] = 7
        log.append(x.sum())

    cf = f.get_concrete_function(np.ones(2), [])
    x, log = np.zeros(2), []
    cf(x, log)
    assert x.tolist() == [7, 0] and log == [7]


def test_unknown_executor():
    with pytest.raises(ValueError, match=r"executor must be one of python, .*not 'fast'"):
        ag.function(lambda x: x, executor="fast")(np.ones(1))


def test_an_error_whose_message_only_the_run_knows_is_part_of_the_trace():
    @ag.function
    def checked(x):
        if not isinstance(np.frompyfunc(abs, 1, 1)(x), np.ndarray):
            raise TypeError(f"not a {type(x)} like {x.sum()}")
        return x

    for _ in range(2):
        checked(np.ones(2))
    assert checked.experimental_get_tracing_count() == 1
    assert "raise_(TypeError" in str(checked.get_concrete_function(np.ones(2)).graph)


def test_a_call_with_the_same_types_of_arrays_is_not_bound_again(monkeypatch):
    cf = power.get_concrete_function(np.ones(3), np.ones(3))
    x, y = np.array([2.0, 3.0, 4.0]), np.array([1.0, 2.0, 3.0])
    assert [cf(x, y).tolist() for _ in range(2)] == [[2, 9, 64]] * 2
    bound, bind = [], concrete_function.bind_direct
    monkeypatch.setattr(concrete_function, "bind_direct",
                        lambda *given: bound.append(given) or bind(*given))
    assert cf(y, x).tolist() == [1, 8, 81] and bound == []
    assert cf(x, x).tolist() == [4, 27, 256]
    bound.clear()
    for other in ((x, y[:2]), (x, y.astype(complex)), (x,)):
        with pytest.raises(TypeError):
            cf(*other)
    assert len(bound) == 3


def test_calls_while_another_function_is_traced_are_bound():
    cf = double.get_concrete_function(np.ones(2))
    x = np.array([1.0, 2.0])
    assert [cf(x).tolist() for _ in range(2)] == [[2, 4]] * 2
    outer = ag.function(lambda a: cf(a) + a)
    assert outer(x).tolist() == [3, 6]
    outer.get_concrete_function(x)
    assert outer(x + 1).tolist() == [6, 9]
