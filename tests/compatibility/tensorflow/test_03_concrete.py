"""Rows 34 to 47: ConcreteFunction."""

import json

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)
weight = ag.Variable(2.0, name="weight")
table = np.array([1.0, 2.0])


@ag.function
def square(a, b=2):
    return a ** b


@ag.function
def affine(x):
    return weight * x + table


def test_row_034_structured_call_fills_in_literals():
    cf = square.get_concrete_function(ag.TensorSpec([]))
    assert cf(np.float64(10)) == cf(np.float64(10), b=2) == 100
    with pytest.raises(TypeError, match="b"):
        cf(np.float64(10), b=3)


def test_row_035_flat_call_by_the_name_of_the_spec_and_one_error():
    f = ag.function(square.python_function)
    cf = f.get_concrete_function(ag.TensorSpec([], name="inp"))
    assert cf(inp=np.float64(3)) == 9
    with pytest.raises(TypeError) as caught:
        cf(other=np.float64(3))
    assert "Fallback" not in str(caught.value)


def test_row_036_wrong_dtype_is_an_invalid_argument():
    cf = square.get_concrete_function(ag.TensorSpec([]))
    for error in (ag.InvalidArgumentError, TypeError, ValueError):
        with pytest.raises(error):
            cf(np.int64(3))


def test_row_037_structured_input_signature():
    f = ag.function(lambda x, n, *, z=None: x)
    cf = f.get_concrete_function(ag.TensorSpec([], name="inp"), 5)
    assert cf.structured_input_signature == ((ag.TensorSpec([], name="inp"), 5), {"z": None})


def test_row_038_structured_outputs_keep_python_values():
    f = ag.function(lambda x: {"a": x, "p": 5, "n": None})
    assert f.get_concrete_function(ONE).structured_outputs == {
        "a": ag.TensorSpec([]), "p": 5, "n": None}


def test_row_039_inputs_and_outputs():
    cf = affine.get_concrete_function(np.ones(2))
    assert [str(t) for t in (*cf.inputs, *cf.outputs)] == ["f64[2]", "f64[2]"]


def test_row_040_graph():
    assert isinstance(str(affine.get_concrete_function(np.ones(2)).graph), str)


def test_row_041_function_type_of_one_trace():
    kind = affine.get_concrete_function(np.ones(2)).function_type
    assert list(kind.parameters) == ["x"] and kind.output == ag.TensorSpec([2])
    assert set(kind.captures) == {"weight", "table"}


def test_row_042_raw_call():
    cf = square.get_concrete_function(ONE)
    assert cf.inference_fn(np.float64(3)) == cf.run(np.float64(3)) == 9


def test_row_043_captures_by_name_can_be_swapped():
    f = ag.function(affine.python_function)
    cf = f.get_concrete_function(np.ones(2))
    assert any(c is weight for c in cf.captured_inputs)
    assert cf.variables == cf.trainable_variables == (weight,)
    other = ag.Variable(10.0, name="other")
    cf.set_external_captures({"weight": other, "table": np.zeros(2)})
    assert cf(np.ones(2)).tolist() == [10, 10]
    assert cf.variables == (other,)
    assert f(np.ones(2)).tolist() == [10, 10]
    with pytest.raises(ValueError, match="captures"):
        cf.set_external_captures({"unknown": np.zeros(2)})
    with pytest.raises(TypeError, match="table"):
        cf.set_external_captures({"table": np.zeros(3)})


def test_row_043_capture_read_anew_at_every_call():
    f = ag.function(lambda x: x + table)
    cf = f.get_concrete_function(np.ones(2))
    state = [np.zeros(2)]
    cf.replace_capture_with_deferred_capture("table", lambda: state[0])
    assert cf(np.ones(2)).tolist() == [1, 1]
    state[0] = np.array([5.0, 6.0])
    assert cf(np.ones(2)).tolist() == [6, 7]


def test_row_044_shapes_and_dtypes_of_outputs():
    cf = ag.function(lambda x: (x, [x.sum()])).get_concrete_function(np.ones((2, 3)))
    assert cf.output_shapes == ((2, 3), [()])
    assert cf.output_dtypes == (np.dtype("f8"), [np.dtype("f8")])


def test_row_045_function_definition_is_plain_data():
    made = affine.get_concrete_function(np.ones(2)).function_def
    assert json.loads(json.dumps(made))["name"] == "affine"
    assert [n["op"] for n in made["node"]].count("multiply") == 1


def test_row_046_printed_with_captures_by_name():
    cf = affine.get_concrete_function(np.ones(2))
    assert str(cf).startswith("ConcreteFunction Input Parameters:\n  x (POSITIONAL_OR_KEYWORD)")
    assert "weight: Variable[TensorSpec(shape=(), dtype=float64, name=None)]" in str(cf)
    assert repr(cf) == "<ConcreteFunction affine(x: f64[2])>"


def test_row_047_usable_inside_another_function():
    cf = square.get_concrete_function(ONE)
    assert ag.function(lambda x: cf(x) + 1)(np.float64(3)) == 10
