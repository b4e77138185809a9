"""Which op is exported to ONNX for which dtype: each record's samples are lowered, in each dtype.

`python -m autograph.runtime.export.onnx.coverage > docs/onnx-coverage.md` writes the table.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.export.onnx.builder import T
from autograph.runtime.export.onnx.elementwise import FORMULAS, UNWRITTEN
from autograph.runtime.export.onnx.export import finish
from autograph.runtime.export.onnx.lowering import OnnxLowering
from autograph.runtime.export.onnx.rules import elementwise, rule_for
from autograph.runtime.ir.errors import ExportError
from autograph.runtime.ir.graph import Equation, Graph, Value, leaves, map_leaves
from autograph.runtime.ir.types import DYNAMIC, Type, type_of
from autograph.runtime.ops.op import OPS, Op

STRUCTURE = {"cond": "`If`", "while": "`Loop`", "for": "`Loop`", "call": "inlined"}
DTYPES = ("float64", "float32", "float16", "int64", "int32", "int8", "uint8", "bool")


class Exported(NamedTuple):
    """A model of one op, the arrays it takes, and what NumPy gives for them."""

    model: Any
    inputs: list[Any]
    wanted: Any


def in_dtype(x: Any, dtype: np.dtype[Any]) -> Any:
    """Returns an argument of a sample with its arrays of floats in another dtype."""
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype == np.float64:
        with np.errstate(all="ignore"):
            return x.astype(dtype)
    return x


def samples_in(op: Op, dtype: str) -> Iterator[tuple[tuple[Any, ...], dict[str, Any], Any]]:
    """The samples of an op that have arrays or NumPy numbers of floats, in another dtype, and what
    the op gives; without those on which it raises."""
    for args, kwargs in () if op.effect else op.samples:
        if not any(isinstance(x, (np.ndarray, np.generic)) and x.dtype == np.float64
                   for x in leaves((args, kwargs))):
            continue
        cast = map_leaves(lambda x: in_dtype(x, np.dtype(dtype)), (args, kwargs))
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = op.kernel(*cast[0], **cast[1])
        except Exception:  # the op does not take this dtype
            continue
        several = isinstance(_types(op, *cast), tuple) and len(_types(op, *cast)) > 1
        if isinstance(wanted, (list, tuple, dict, range)) and not several:
            continue  # a container is no tensor: its items are
        yield cast[0], cast[1], wanted


def exported(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], wanted: Any) -> Exported:
    """Returns the model of one equation, whose arrays of numbers are inputs.

    Raises:
      ExportError: the op has no form in ONNX.
    """
    given: dict[Value, Any] = {}

    def value(x: Any) -> Any:
        if not isinstance(x, (np.ndarray, np.generic)) or x.dtype.kind not in "biufc":
            return x
        made = Value(type_of(x), f"x{len(given)}")
        given[made] = x
        return made

    graph_args, graph_kwargs = map_leaves(value, (args, kwargs))
    types = _types(op, args, kwargs)
    outputs = tuple(Value(t) for t in types)
    graph = Graph(op.name, tuple(given), [Equation(op, graph_args, graph_kwargs, outputs)], outputs)
    lowering = OnnxLowering(rule_for, checks="drop")
    for v, x in given.items():
        if x.dtype.kind == "c":
            raise ExportError("onnxruntime does not compute with complex numbers")
        lowering.env[v] = T(lowering.b, v.hint, np.asarray(x).dtype, np.shape(x))
        lowering.b.tensor_type(np.asarray(x).dtype)
    results = lowering.run(graph)
    made = [lowering.b.given(lowering.tensor(x), f"result_{i}") for i, x in enumerate(results)]
    inputs = [(lowering.env[v], list(np.shape(x))) for v, x in given.items()]
    return Exported(finish(lowering.b, op.name, inputs, made, None), list(given.values()), wanted)


def _types(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Type, ...]:
    """Returns the types that the type rule gives for operands of these types."""
    args, kwargs = map_leaves(lambda x: type_of(x) if isinstance(x, (
        np.ndarray, np.generic)) else x, (args, kwargs))
    try:
        found = op.infer(*args, **kwargs)
    except Exception:  # a rule that needs a constant
        return (DYNAMIC,)
    return found if isinstance(found, tuple) else (found,)


def outcome(op: Op, dtype: str) -> str:
    """Returns "yes", "part" for some of the samples, "no", or nothing if the op does not take the
    dtype."""
    done = []
    for args, kwargs, wanted in samples_in(op, dtype):
        try:
            exported(op, args, kwargs, wanted)
            done.append(True)
        except ExportError:
            done.append(False)
    return "" if not done else "yes" if all(done) else "part" if any(done) else "no"


def how(op: Op) -> str:
    """Returns how an op is exported: as one operation, a formula, control flow, or not: why."""
    if op.name in STRUCTURE:
        return STRUCTURE[op.name]
    rule = rule_for(op)
    reason = getattr(rule, "reason", "")
    if rule is elementwise and op.ufunc not in FORMULAS:
        reason = UNWRITTEN.get(op.ufunc, "ONNX has no operation for it")
    if reason:
        return f"refused: {reason}"
    return f"`{op.onnx}`" if op.onnx else "decomposed"


def table() -> str:
    """Returns the page of docs/onnx-coverage.md."""
    head = ["# What ONNX takes", "",
            "Made by `python -m autograph.runtime.export.onnx.coverage`: each op on the samples of "
            "its record,", "in each dtype. *part*: some of the samples; nothing: NumPy has no such "
            "call.", 'What may raise is exported with `checks="drop"`.', "",
            f"| op | exported as | {' | '.join(DTYPES)} |", "|---" * (len(DTYPES) + 2) + "|"]
    rows = [f"| `{op.name}` | {how(op)} | {' | '.join(outcome(op, d) for d in DTYPES)} |"
            for op in OPS.values()]
    return "\n".join([*head, *rows]) + "\n"


if __name__ == "__main__":
    print(table(), end="")
