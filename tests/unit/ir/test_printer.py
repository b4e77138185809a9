"""The graph's text: what it looks like, and that it reads back."""

from typing import Any

import numpy as np
import pytest

from autograph.runtime.ir.errors import GraphError
from autograph.runtime.ir.graph import Equation, Graph, Value, leaves
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.printer import show, to_text
from autograph.runtime.ir.type_text import parse_type
from autograph.runtime.ir.types import (
    DYNAMIC,
    TEXT,
    UNDEFINED,
    ArrayType,
    DynamicType,
    PyType,
    type_of,
)
from autograph.runtime.ir.undefined import UndefinedValue
from autograph.runtime.ops import OPS, Op, opaque
from autograph.runtime.ops.parse import parse
from tests.support.sample_graphs import COLLATZ, FACTORIAL, FIRST_ABOVE, SAMPLED, graphs_of

F64 = np.dtype(float)


@pytest.mark.parametrize("text", [COLLATZ, FIRST_ABOVE, FACTORIAL], ids=lambda t: t.split("(")[0])
def test_written_text_reads_and_prints_equal(text: str) -> None:
    assert to_text(parse(text)) == text


@pytest.mark.parametrize("op", SAMPLED, ids=lambda op: op.name)
def test_graph_of_every_op_reads_back(op: Op) -> None:
    for graph, _, _ in graphs_of(op):
        text = to_text(graph)
        assert to_text(parse(text)) == text
        (equation,), (again,) = graph.equations, parse(text).equations
        assert again.op is op
        assert list(map(constant, leaves((again.args, dict(again.kwargs))))) == list(
            map(constant, leaves((equation.args, dict(sorted(equation.kwargs.items()))))))


def constant(leaf: Any) -> Any:
    return str(leaf.type) if isinstance(leaf, Value) else repr(leaf)


def test_values_without_a_hint_get_letters_that_no_hint_has() -> None:
    x, y, z = Value(PyType(int), "a"), Value(PyType(int)), Value(PyType(int), "lambda")
    graph = Graph("f", (x,), [Equation(OPS["add"], (x, 1), {}, (y,)),
                              Equation(OPS["add"], (y, 1), {}, (z,))], (z,))
    assert to_text(graph).splitlines() == [
        "f(a: py.int):", "  b: py.int = add(a, 1)", "  lambda_1: py.int = add(b, 1)",
        "  return lambda_1"]


def test_hints_that_repeat_are_numbered() -> None:
    values = [Value(PyType(int), "x") for _ in range(3)]
    equations = [Equation(OPS["negative"], (values[i],), {}, (values[i + 1],)) for i in range(2)]
    assert to_text(Graph("f", (values[0],), equations, (values[2],))).splitlines()[1:] == [
        "  x_1: py.int = negative(x)", "  x_2: py.int = negative(x_1)", "  return x_2"]


def test_keywords_are_sorted_and_indices_look_like_indices() -> None:
    x, i = Value(ArrayType(F64, ("n", 3)), "x"), Value(PyType(int), "i")
    y, s = Value(ArrayType(F64, (None,)), "y"), Value(ArrayType(F64, ()), "s")
    graph = Graph("f", (x, i), [
        Equation(OPS["getitem"], (x, (slice(1, None), i)), {}, (y,)),
        Equation(OPS["sum"], (y,), {"keepdims": False, "axis": 0}, (s,))], (s,))
    assert to_text(graph).splitlines()[1:3] == [
        "  y: f64[?] = x[1:, i]", "  s: f64[] = sum(y, axis=0, keepdims=False)"]


@pytest.mark.parametrize(("index", "text"), [
    (0, "x[0]"), ((), "x[()]"), ((1,), "x[1,]"), (Ellipsis, "x[...]"), (None, "x[None]"),
    (slice(None, None, -1), "x[::-1]"), ((slice(0, 2), None), "x[0:2, None]"),
    ([0, 1], "x[[0, 1]]"),
])
def test_index(index: Any, text: str) -> None:
    x, y = Value(DYNAMIC, "x"), Value(DYNAMIC, "y")
    graph = Graph("f", (x,), [Equation(OPS["getitem"], (x, index), {}, (y,))], (y,))
    assert to_text(graph).splitlines()[1] == f"  y: dynamic = {text}"
    assert parse(to_text(graph)).equations[0].args[1] == index


@pytest.mark.parametrize("value", [
    None, True, -3, 2.5, float("inf"), float("-inf"), 1 - 2j, "it's", b"x", Ellipsis,
    range(1, 9, 2),
    np.float32(0.1), np.int8(-3), np.bool_(True), np.complex128(1 + 2j), np.dtype("i4"), np.float64,
    np.dtype("M8[ns]"), float, np.add, np.linalg.norm, ValueError,
    np.str_("it's"), np.bytes_(b"x"), np.datetime64("2020-01-01T00", "h"), np.timedelta64(3, "D"),
])
def test_constant_reads_back(value: Any) -> None:
    graph = parse(f"f():\n  return {show(value)}")
    assert type(graph.outputs[0]) is type(value)
    assert graph.outputs[0] == value


def test_other_constants_read_back() -> None:
    nan, error, unbound, array = parse(
        f"f():\n  return {show(float('nan'))}, {show(KeyError('k', 1))}, "
        f"{show(UndefinedValue('y'))}, {show(np.array([[1, 2]], 'i2'))}").outputs
    assert nan != nan
    assert type(error) is KeyError and error.args == ("k", 1)
    assert unbound.name == "y"
    assert array.dtype == "i2" and array.tolist() == [[1, 2]]


def test_object_without_a_text_is_shown_by_its_class_and_not_read() -> None:
    text = f"f():\n  return {show(object())}"
    assert text.endswith("<object>")
    with pytest.raises(GraphError, match="no expression"):
        parse(text)


@pytest.mark.parametrize("t", [
    PyType(int), PyType(type(None)), PyType(range), DYNAMIC, UNDEFINED,
    DynamicType(True, PyType(int)), DynamicType(True, ArrayType(F64, ("n",))),
    ArrayType(F64, ()), ArrayType(F64, (), True),
    ArrayType(None, None), ArrayType(None, (), True), ArrayType(np.dtype("i1"), (2, None, "n")),
    ArrayType(np.dtype("M8[ns]"), (3,)), ArrayType(np.dtype("U5"), None),
    ArrayType(np.dtype(bool), (0,)), *TEXT.values(),
], ids=str)
def test_type_reads_back(t: Any) -> None:
    again = parse_type(str(t))
    assert again == t and str(again) == str(t)


def test_large_captured_array_is_elided_and_handed_in_to_read() -> None:
    big = np.arange(100.0)
    c = Value(type_of(big), "c")
    graph = Graph("f", (), [], (c,), {c: big})
    text = to_text(graph)
    assert text == "f():\n  const c: f64[100] = ...\n  return c"
    assert next(iter(parse(text, {"c": big}).captures.values())) is big
    with pytest.raises(GraphError, match=r"captures=\{'c': array\}"):
        parse(text)


@pytest.mark.parametrize("array", [np.zeros((0, 3)), np.array(2.5), np.array([True, False]),
                                   np.array([[1 + 2j]]), np.array(["a", "bc"]), np.array([np.nan])])
def test_small_captured_array_reads_back(array: np.ndarray[Any, Any]) -> None:
    c = Value(type_of(array), "c")
    text = to_text(Graph("f", (), [], (c,), {c: array}))
    (again,) = parse(text).captures.values()
    np.testing.assert_array_equal(again, array)
    assert again.dtype == array.dtype and to_text(parse(text)) == text


def test_opaque_op_is_named_by_its_import_path() -> None:
    x, y = Value(DYNAMIC, "x"), Value(DYNAMIC, "y")
    graph = Graph("f", (x,), [Equation(opaque(np.fft.fft), (x,), {}, (y,))], (y,))
    assert to_text(graph).splitlines()[1] == "  y: dynamic = numpy.fft.fft(x)"
    assert parse(to_text(graph)).equations[0].op is opaque(np.fft.fft)


def test_locations_stand_in_a_column() -> None:
    graph = parse("f(x: py.int):\n  y: py.int = add(x, 1)\n  z: py.int = negative(y)\n  return z")
    here = Location(test_locations_stand_in_a_column.__code__, 2)
    for equation in graph.equations:
        equation.location = here
    lines = to_text(graph, locations=True).splitlines()
    place = f"# test_printer.py:{here.line}"
    assert lines[1] == f"  y: py.int = add(x, 1)    {place}"
    assert lines[2] == f"  z: py.int = negative(y)  {place}"
    assert to_text(parse("\n".join(lines))) == to_text(graph)


def test_printing_does_not_depend_on_what_was_printed_before() -> None:
    graph = parse(COLLATZ)
    assert to_text(graph) == to_text(graph) == str(graph)


@pytest.mark.parametrize(("text", "complaint"), [
    ("", "holds no graph"),
    ("f(x):\n  return x", "expected NAME: TYPE"),
    ("f(x: f65[3]):\n  return x", "is no type"),
    ("f:\n  return 1", r"expected NAME\(INPUTS\):"),
    ("f():\n  return x", "'x' is not made before"),
    ("f():\n  add(1, 2)", "expected OUTPUTS = OP"),
    ("f():\n  y: py.int = add\n  return y", "expected OP"),
    ("f():\n  y: py.int = no_such_op(1)\n  return y", "no_such_op"),
    ("f():\n  y: py.int = numpy.no_such(1)\n  return y", "numpy.no_such"),
    ("f():\n  y: py.int = add(1,, 2)\n  return y", "no expression"),
    ("f():\n  y: any = cond(True):\n    maybe():\n      yield 1\n  return y", "no region 'maybe'"),
    ("f():\n  return 1 + 1", "neither a value nor a constant"),
    ("f():\n  return f99(1)", "makes no constant"),
])
def test_wrong_text_is_refused_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(GraphError, match=complaint):
        parse(text)
