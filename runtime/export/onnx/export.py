"""The ONNX model of one signature: inputs, outputs, constants, metadata, and the check of it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from autograph.runtime.export.exported import exported_program
from autograph.runtime.export.joins import OneOf, Rows, map_parts
from autograph.runtime.export.kinds import NoForm, dtype_of, is_number, kind_of_type
from autograph.runtime.export.onnx.builder import IR_VERSION, OPSET, Builder, T
from autograph.runtime.export.onnx.lowering import OnnxLowering
from autograph.runtime.export.onnx.rules import rule_for
from autograph.runtime.export.results import result_nest
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.constant_state import with_constant_state
from autograph.runtime.ir.errors import ExportError
from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.types import ArrayType


def model_of(concrete: ConcreteFunction, checks: str = "refuse") -> Any:
    """Returns the ONNX model of a traced signature.

    Its inputs are the arrays among the arguments, by name. Its outputs are the arrays of the
    result, in order, as `result_0`, `result_1` …, and for each array that the function writes, its
    new value, as `x_after`. The structure of the result is in the model's metadata, as JSON.

    Raises:
      ExportError: the graph has no form in ONNX.
    """
    program = exported_program(concrete, "ONNX", with_constant_state(concrete)[0])
    lowering = OnnxLowering(rule_for, checks)
    b = lowering.b
    inputs = [_input(b, v, concrete, lowering) for v in program.graph.inputs]
    lowering.run(program.graph)
    makers = {v: e for e in [*program.graph.equations, *program.views] for v in e.outputs}
    written = []
    for target, atom in program.write_back:
        name = lowering.env[target].name
        with lowering.refusing(makers.get(atom)):
            lowering.env[target] = lowering.tensor(lowering.read(atom), lowering.env[target].dtype)
        written.append(_named(b, lowering.env[target], f"{name}_after"))
    for e in program.views:
        lowering.env.update(zip(e.outputs, lowering.results_of(e), strict=True))
    structure, results = _results(lowering, program.result, makers)
    if not results and not written:
        raise ExportError(f"{concrete.name} gives no number or array, so that there is nothing to "
                          "export")
    return finish(b, concrete.name, [x for x in inputs if x is not None], [*results, *written],
                  structure)


def _input(b: Builder, value: Value, concrete: ConcreteFunction, lowering: OnnxLowering
           ) -> tuple[T, list[Any]] | None:
    """Returns an input, and its dimensions with their names."""
    t = value.type
    kind = kind_of_type(t)
    if kind is not None:
        t = ArrayType(dtype_of(kind), ())
        lowering.kinds[value] = kind
    if not isinstance(t, ArrayType):
        raise ExportError(f"{concrete.name} takes {value.hint}, an object ({t}) that is changed or "
                          "chosen while the graph runs: ONNX has none",
                          "return new values, or give its arrays one by one",
                          next((e.location for e in concrete.graph.walk() if value in e.inputs),
                               None))
    if t.dtype is None or t.shape is None:
        raise ExportError(f"{concrete.name} takes {value.hint}, whose dtype or number of "
                          f"dimensions is not known ({value.type})",
                          "trace it with arrays or TensorSpecs")
    name = b.fresh(value.hint or "input")
    made = T(b, name, t.dtype, tuple(d if isinstance(d, int) else None for d in t.shape))
    try:
        b.tensor_type(t.dtype)
    except NoForm as error:
        raise ExportError(f"{concrete.name} takes {value.hint}: {error}", error.hint) from None
    lowering.env[value] = made
    return made, [f"{name}_{i}" if d is None else d for i, d in enumerate(t.shape)]


def _named(b: Builder, x: T, name: str) -> T:
    return b.given(x, name)


def _results(lowering: OnnxLowering, result: Any, makers: Mapping[Any, Equation]
             ) -> tuple[Any, list[T]]:
    """Returns the structure of the result, and the outputs that it names."""
    outputs: list[T] = []

    def leaf(x: Any) -> Any:
        with lowering.refusing(makers.get(x) if isinstance(x, Value) else None):
            return map_parts(output, lowering.env[x] if isinstance(x, Value) else x)

    def output(x: Any) -> Any:
        if not lowering.is_symbolic(x) and not is_number(x):
            return Mark(constant=text_of(x))
        outputs.append(_named(lowering.b, lowering.tensor(x), f"result_{len(outputs)}"))
        return Mark(output=outputs[-1].name)

    return result_nest(lowering, result, leaf, lambda x: x), outputs


def text_of(x: Any) -> str:
    """Returns the text of a constant, which the metadata have for it.

    Raises:
      NoForm: it has none that says what it is.
    """
    text = repr(x)
    if f"0x{id(x):x}" in text.lower():
        raise NoForm(f"it is an object of class {type(x).__name__}, which has no text",
                     "return its numbers and arrays")
    return text


class Mark(dict[str, Any]):
    """The entry of the metadata for a value: its key says what it is."""


MARKS = frozenset({"output", "items", "one_of", "constant", "pairs"})


def described(x: Any) -> Any:
    """Returns the structure of a result as JSON has it: a dict whose keys are not all texts, or
    might be taken for a mark, as pairs; a data class as its fields; other objects as text.

    >>> described({(0, 1): Mark(output="result_0"), "a": [None]})
    {'pairs': [[{'constant': '(0, 1)'}, {'output': 'result_0'}], [{'constant': "'a'"}, [None]]]}
    """
    if x.__class__ is Mark:
        return {key: described(part) for key, part in x.items()}
    if isinstance(x, Rows):
        return {"items": described(x.item)}
    if isinstance(x, OneOf):
        return {"one_of": [[described(flag), described(item)] for flag, item in zip(
            x.flags, x.items, strict=True)]}
    if isinstance(x, dict):
        if all(type(key) is str for key in x) and not (len(x) == 1 and MARKS.issuperset(x)):
            return {key: described(part) for key, part in x.items()}
        return {"pairs": [[{"constant": repr(key)}, described(part)] for key, part in x.items()]}
    if isinstance(x, (list, tuple)):
        return [*map(described, x)]
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return {f.name: described(getattr(x, f.name)) for f in dataclasses.fields(x)}
    return x if x is None or type(x) in (bool, int, float, str) else repr(x)


def finish(b: Builder, name: str, inputs: Sequence[tuple[T, list[Any]]], outputs: Sequence[T],
           structure: Any) -> Any:
    """Returns the checked model of the nodes that were built."""
    used = _names_used(b.nodes)
    constants = [b.onnx.numpy_helper.from_array(array, key) for key, array in b.arrays.items()
                 if key in used]
    graph = b.helper.make_graph(
        b.nodes, name or "function", [b.info(x, dims) for x, dims in inputs],
        [b.info(x) for x in outputs], constants)
    model = b.helper.make_model(graph, opset_imports=[b.helper.make_opsetid("", OPSET)],
                                ir_version=IR_VERSION, producer_name="autograph")
    entry = model.metadata_props.add()
    entry.key, entry.value = "autograph.result", json.dumps(described(structure))
    try:
        b.onnx.checker.check_model(model, full_check=True)
    except (b.onnx.checker.ValidationError, b.onnx.shape_inference.InferenceError) as error:
        reason = str(error).strip().split("\n")[0]
        raise ExportError(f"{name} makes no valid model ({reason})",
                          "call the plain function with such arguments: shapes that do not fit "
                          "each other raise there") from None
    return model


def _names_used(nodes: Sequence[Any]) -> set[str]:
    """Returns the names that nodes read, those of nested graphs too."""
    used: set[str] = set()
    for node in nodes:
        used.update(node.input)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                used |= _names_used(attribute.g.node)
                used.update(x.name for x in attribute.g.output)
    return used
