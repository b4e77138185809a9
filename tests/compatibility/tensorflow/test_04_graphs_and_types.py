"""Rows 48 to 57: graph objects, FunctionType, TensorSpec."""

import dataclasses

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)
table = np.arange(3.0)


def graph_of(f, *args):
    return ag.function(f).get_concrete_function(*args).graph


def test_row_048_graph_def_lists_nodes():
    nodes = graph_of(lambda a: a + a, ONE).as_graph_def().node
    assert [(n.input, n.op) for n in nodes] == [
        ([], "Placeholder"), ([nodes[0].name] * 2, "add"), ([nodes[1].name], "Identity")]
    assert all(hasattr(n, "attr") for n in nodes)


def test_row_049_operations_and_tensors_by_name():
    graph = graph_of(lambda a: np.sin(a) + a, ONE)
    names = [op.name for op in graph.get_operations()]
    assert graph.get_operation_by_name("sin").type == "np.sin"
    assert graph.get_operation_by_name("sin").inputs == ["a"]
    assert graph.get_operation_by_name("sin").control_inputs == []
    assert graph.get_tensor_by_name("sin:0").type == ag.TensorSpec([]).type
    assert names[0] == "a"
    with pytest.raises(KeyError):
        graph.get_tensor_by_name("sin:3")


def test_row_050_inputs_outputs_captures_and_variables_of_a_graph():
    v = ag.Variable(1.0, name="v")
    graph = graph_of(lambda x: x + v + table, np.ones(3))
    assert [x.hint for x in graph.inputs] == ["x"] and len(graph.outputs) == 1
    assert sorted(x.hint for x in graph.captures) == ["table", "v"]
    assert graph.name == "<lambda>"
    assert graph.variables == (v,) and graph.trainable_variables == (v,)
    assert any(x is table for x in graph.external_captures)
    assert [x.hint for x in graph.internal_captures] == [x.hint for x in graph.captures]


def test_row_051_branches_and_loops_are_nodes_with_functions():
    def f(x):
        if x > 0:
            x = x + 1
        while x < 10:
            x = x * 2
        for row in np.arange(20.0) * x:
            x = x + row
        return x

    made = graph_of(f, ONE).as_graph_def()
    attributes = {n.op: set(n.attr) for n in made.node}
    assert {"then_branch", "else_branch"} <= attributes["If"]
    assert {"cond", "body"} <= attributes["While"] and "body" in attributes["For"]
    assert len(made.library.function) >= 5


def test_row_052_function_type_methods():
    kind = ag.FunctionType.from_callable(lambda a, b=2: a)
    assert kind.bind_with_defaults(1).arguments == {"a": 1, "b": 2}
    f = ag.function(lambda a, b=2: (a, b))
    narrow = f.get_concrete_function(np.ones(3)).function_type
    wide = f.get_concrete_function(ag.TensorSpec([None])).function_type
    assert wide.is_supertype_of(narrow) and not narrow.is_supertype_of(wide)
    assert wide.flat_inputs == [ag.TensorSpec([None])]
    assert wide.flat_outputs == [ag.TensorSpec([None])] and wide.flat_captures == []
    assert wide.unpack_inputs(wide.bind(np.ones(2), 2))[0].tolist() == [1, 1]
    assert wide.pack_output([np.ones(1)])[1] == 2
    assert narrow.most_specific_common_subtype([wide]) == narrow
    assert narrow.placeholder_arguments().arguments["a"] == ag.TensorSpec([3])


def test_row_053_tensor_spec_methods():
    spec = ag.TensorSpec([None, 3], np.float32, "x")
    assert (spec.shape, spec.dtype, spec.name) == ((None, 3), np.float32, "x")
    assert spec.is_compatible_with(np.ones((2, 3), np.float32))
    assert ag.TensorSpec([2, 3], np.float32).is_subtype_of(spec)
    joined = ag.TensorSpec([2]).most_specific_common_supertype([ag.TensorSpec([3])])
    assert joined == ag.TensorSpec([None])
    assert ag.TensorSpec([2]).most_specific_compatible_type(ag.TensorSpec([3])) == joined
    with pytest.raises(ValueError, match="compatible"):
        ag.TensorSpec([2]).most_specific_compatible_type(ag.TensorSpec([2], np.int64))
    assert ag.TensorSpec.from_tensor(np.ones(2)) == ag.TensorSpec([2])
    assert ag.TensorSpec.from_spec(spec, "y").name == "y"
    assert spec.cast([[1, 2, 3]]).dtype == np.float32
    assert spec.flatten() == [spec]
    x = np.ones((1, 3), np.float32)
    assert spec.to_tensors(x)[0] is x and spec.from_tensors([x]) is x
    assert ag.TensorSpec([2], name="a") != ag.TensorSpec([2], name="b")
    placeholder = ag.function(lambda: spec.placeholder_value(None) is not None)
    assert placeholder() is True


def test_row_053_the_name_is_not_part_of_the_key():
    f = ag.function(lambda x: x)
    assert f.get_concrete_function(ag.TensorSpec([2], name="a")) is f.get_concrete_function(
        ag.TensorSpec([2], name="b"))


def test_row_054_unknown_and_named_dims():
    assert "shape=(None, 3)" in repr(ag.TensorSpec([None, 3]))
    assert "<unknown>" in repr(ag.TensorSpec(None))
    f = ag.function(lambda x: x, input_signature=[ag.TensorSpec(["n", "n"])])
    assert f(np.ones((2, 2))).shape == (2, 2)
    with pytest.raises(ag.SignatureError, match="n = 2"):
        f(np.ones((2, 3)))


def test_row_055_spec_from_a_value():
    assert ag.type_spec_from_value(np.ones((2, 1), np.int32)) == ag.TensorSpec([2, 1], np.int32)


def test_row_056_bounds_are_said_with_checks():
    @ag.function
    def f(x):
        ag.debugging.assert_less_equal(x, 1.0)
        return x

    with pytest.raises(ag.InvalidArgumentError):
        f(np.float64(2))


def test_row_057_dataclasses_of_specs_are_types():
    @dataclasses.dataclass
    class Point:
        x: object
        y: object

    f = ag.function(lambda p: p.x + p.y)
    cf = f.get_concrete_function(Point(ag.TensorSpec([]), ag.TensorSpec([])))
    assert cf(Point(ONE, ONE)) == 2
    assert f(Point(ONE, ONE)) == 2 and f.experimental_get_tracing_count() == 1
