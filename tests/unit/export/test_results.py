"""What comes out of exports that is no array: objects from outside, and one of two objects."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.export.kinds import Mixed, joined_dtype, kind_of_items
from tests.unit.export.onnx_runs import run_onnx

LIST = [1, 2]
TABLE = {"a": np.arange(2.0), "b": (1.5, None)}


class Color(enum.Enum):
    RED = 2
    GREEN = 6


class Thing:
    pass


ONE, OTHER = Thing(), Thing()


def a_list(x: Any) -> Any:
    return LIST, x


def a_table(x: Any) -> Any:
    return {"table": TABLE, "x": x}


def a_member(x: Any) -> Any:
    return Color.RED if x > 3 else Color.GREEN


def a_member_by_value(x: Any) -> Any:
    color = Color(int(x))
    return color, color.name, color is Color.GREEN


def one_of_three(x: Any) -> Any:
    return [ONE if x > 3 else OTHER if x > 1 else None, x]


def an_object(x: Any) -> Any:
    return ONE, x


FUNCTIONS: list[Callable[..., Any]] = [a_list, a_table, a_member, a_member_by_value]


@pytest.mark.parametrize("x", [2, 6])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_an_object_is_told_by_the_metadata_of_onnx(f: Callable[..., Any], x: int) -> None:
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    model: Any = ag.export_onnx(None, ag.function(f), np.int64(x), checks="drop")
    assert "object at" not in model.metadata_props[0].value
    found, wanted = run_onnx(model, [np.int64(x)]), f(np.int64(x))
    assert told(found) == told(wanted)


def maxima(x: Any) -> Any:
    found = []
    for args in ([x[0]], [x[1], x[2]]):
        found.append(max(*args, 1.5))
        if found[-1] > 5:
            break
    return found


@pytest.mark.parametrize("x", [[3, -6, 9], [0, 0, 1], [9, 0, 0]])
def test_each_item_of_a_list_may_be_one_of_two_things(x: list[int]) -> None:
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    model: Any = ag.export_onnx(None, ag.function(maxima), np.array(x))
    assert list(map(float, run_onnx(model, [np.array(x)]))) == list(map(float, maxima(x)))


def told(x: Any) -> Any:
    """A result with the texts of what is no number, and lists for tuples and arrays."""
    if isinstance(x, (list, tuple)):
        return [*map(told, x)]
    if isinstance(x, dict):
        return {key: told(part) for key, part in x.items()}
    return repr(x) if isinstance(x, Color) else np.asarray(x).tolist()


@pytest.mark.parametrize("f", [an_object, one_of_three])
def test_an_object_without_a_text_is_refused(f: Callable[..., Any]) -> None:
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    with pytest.raises(ag.errors.ExportError, match="an object of class Thing, which has no text"):
        ag.export_onnx(None, ag.function(f), np.int64(2))


@pytest.mark.parametrize(("f", "x"), [
    *((f, x) for f in [*FUNCTIONS, an_object, one_of_three] for x in (2, 6)), (one_of_three, 0)])
def test_an_object_comes_out_of_jax_itself(f: Callable[..., Any], x: int) -> None:
    jax = pytest.importorskip("jax", reason="the extra jax is not installed")
    found = ag.function(f).to_jax(checks="drop")(jax.numpy.asarray(x))
    for one, other in zip(parts(found), parts(f(np.int64(x))), strict=True):
        assert one is other or one == other


def parts(x: Any) -> list[Any]:
    return [*x.values()] if isinstance(x, dict) else [*x] if isinstance(x, (list, tuple)) else [x]


def test_one_of_two_objects_under_jit_is_refused() -> None:
    jax = pytest.importorskip("jax", reason="the extra jax is not installed")
    with pytest.raises(ag.errors.ExportError, match="one of 2 things"):
        jax.jit(ag.function(a_member).to_jax())(2)


def test_a_list_that_the_run_changes_is_told_with_the_line() -> None:
    pytest.importorskip("onnx", reason="the extra onnx is not installed")

    def noted(d: Any, x: Any) -> Any:
        if x > 0:
            d["a"] = x
        return x

    with pytest.raises(ag.errors.ExportError, match=r"takes d, an object \(py.dict\)") as caught:
        ag.export_onnx(None, ag.function(noted), {}, np.float64(1))
    assert 'd["a"] = x' in str(caught.value)


def test_the_kind_of_many_items_is_found_at_once() -> None:
    """Twenty numbers, each an int of Python's or an int64, may be so in a million ways."""
    either = Mixed((int, np.dtype("int64")), np.dtype("int64"))
    assert kind_of_items([either] * 40) == np.int64 == joined_dtype(*[either] * 40)
    floats = Mixed((int, np.dtype("float32")), np.dtype("float32"))
    assert kind_of_items([floats] * 2) == kind_of_items([floats] * 30)
