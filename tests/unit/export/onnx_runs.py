"""Runs an exported model on onnxruntime or on ONNX's reference evaluator."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def run_onnx(model: Any, values: list[Any], reference: bool = False) -> Any:
    """The result of the model, in the structure that its metadata say."""
    names = [x.name for x in model.graph.input]
    feeds = dict(zip(names, (np.asarray(v).astype(_dtype(x)) for v, x in zip(
        values, model.graph.input, strict=True)), strict=True))
    outputs = [x.name for x in model.graph.output]
    found = dict(zip(outputs, _ran(model, feeds, outputs, reference), strict=True))
    return built(json.loads(model.metadata_props[0].value), found)


def built(structure: Any, found: dict[str, Any]) -> Any:
    """A result of the outputs, by name, and the constants that a structure has."""
    if isinstance(structure, list):
        return [built(part, found) for part in structure]
    if not isinstance(structure, dict):
        return structure
    if structure.keys() == {"output"}:
        return found[structure["output"]]
    if structure.keys() == {"items"}:
        return items(structure["items"], found)
    if structure.keys() == {"one_of"}:
        return next(built(item, found) for flag, item in structure["one_of"] if built(flag, found))
    if structure.keys() == {"pairs"}:
        return {built(key, found): built(part, found) for key, part in structure["pairs"]}
    if structure.keys() == {"constant"}:
        return constant(structure["constant"])
    return {key: built(part, found) for key, part in structure.items()}


def constant(text: str) -> Any:
    """A constant of Python or NumPy by its text; the text of another object."""
    try:
        return eval(text, {"__builtins__": {}, "np": np, "nan": np.nan, "inf": np.inf,
                           "range": range, "slice": slice, "array": np.array, "dtype": np.dtype})
    except (SyntaxError, NameError):
        return Text(text)


class Text(str):
    """The text of an object for which metadata have nothing else."""

    __slots__ = ()


def items(structure: Any, found: dict[str, Any]) -> list[Any]:
    """The items of a list, of whose leaves each output has a row for each item."""
    if isinstance(structure, list):
        return [*zip(*(items(part, found) for part in structure), strict=True)]
    if structure.keys() == {"one_of"}:
        things = [zip(items(flag, found), items(item, found), strict=True)
                  for flag, item in structure["one_of"]]
        return [next(x for flag, x in row if flag) for row in zip(*things, strict=True)]
    return list(found[structure["output"]])


def _dtype(info: Any) -> Any:
    import onnx

    return onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)


def _ran(model: Any, feeds: dict[str, Any], outputs: list[str], reference: bool) -> list[Any]:
    if reference:
        from onnx.reference import ReferenceEvaluator

        return list(ReferenceEvaluator(model).run(outputs, feeds))
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    return list(session.run(outputs, feeds))


def started(model: Any, inputs: list[Any]) -> list[Any]:
    """The outputs of a model on onnxruntime, for its inputs in order."""
    names = [x.name for x in model.graph.input]
    feeds = {n: np.asarray(x) for n, x in zip(names, inputs, strict=True)}
    return _ran(model, feeds, [x.name for x in model.graph.output], False)


SHAPES = {"TopK": [3], "Trilu": [3, 3], "ReduceMax": [3, 2]}


def kernel_exists(op: str, dtype: str) -> bool:
    """True if onnxruntime runs one node of an operation on a dtype."""
    import onnx
    from onnx import helper

    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    shape = SHAPES.get(op, [3])
    inputs = ["x", "x"] if op in ("Add", "Max", "Pow") else ["x"]
    constants = {"TopK": np.array([2]), "CumSum": np.array(0), "ReduceMax": np.array([0])}
    inits = []
    if op in constants:
        inits.append(onnx.numpy_helper.from_array(constants[op].astype(np.int64), "c"))
        inputs.append("c")
    if op == "Where":
        inits.append(onnx.numpy_helper.from_array(np.array([True, False, True]), "c"))
        inputs = ["c", "x", "x"]
    integer = helper.np_dtype_to_tensor_dtype(np.dtype(np.int64))
    outputs = {"TopK": [("y", kind), ("z", integer)], "NonZero": [("y", integer)]}.get(
        op, [("y", kind)])
    node = helper.make_node(op, inputs, [n for n, _ in outputs])
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", kind, shape)], [
        helper.make_tensor_value_info(n, k, None) for n, k in outputs], inits)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    try:
        _ran(model, {"x": np.ones(shape, dtype)}, [n for n, _ in outputs], False)
    except Exception:
        return False
    return True
