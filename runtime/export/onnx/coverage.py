"""Which op is exported to ONNX for which dtype: each record's samples are lowered, in each dtype.

`python -m autograph.runtime.export.onnx.coverage > docs/onnx-coverage.md` writes the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.export.onnx.builder import T
from autograph.runtime.export.onnx.elementwise import FORMULAS, UNWRITTEN
from autograph.runtime.export.onnx.export import finish
from autograph.runtime.export.onnx.lowering import OnnxLowering
from autograph.runtime.export.onnx.rules import elementwise, rule_for
from autograph.runtime.export.samples import STRUCTURE, graph_of, page, row
from autograph.runtime.ir.errors import ExportError
from autograph.runtime.ops.op import Op

FORMS = dict(zip(STRUCTURE, ("`If`", "`Loop`", "`Loop`", "inlined"), strict=True))


class Exported(NamedTuple):
    """A model of one op, the arrays it takes, and what NumPy gives for them."""

    model: Any
    inputs: list[Any]
    wanted: Any


def exported(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], wanted: Any) -> Exported:
    """Returns the model of one equation, whose arrays of numbers are inputs.

    Raises:
      ExportError: the op has no form in ONNX.
    """
    graph, given = graph_of(op, args, kwargs)
    lowering = OnnxLowering(rule_for, checks="drop")
    for v, x in given.items():
        if x.dtype.kind == "c":
            raise ExportError("onnxruntime does not compute with complex numbers")
        lowering.env[v] = T(lowering.b, v.hint, np.asarray(x).dtype, np.shape(x))
        lowering.b.tensor_type(np.asarray(x).dtype)
    results = lowering.run(graph)
    if len(results) > 1:  # one of several may be a list
        results = [part for x in results for part in (x if x.__class__ is list else [x])]
    made = [lowering.b.given(lowering.tensor(x), f"result_{i}") for i, x in enumerate(results)]
    inputs = [(lowering.env[v], list(np.shape(x))) for v, x in given.items()]
    return Exported(finish(lowering.b, op.name, inputs, made, None), list(given.values()), wanted)


def how(op: Op) -> str:
    """Returns how an op is exported: as one operation, a formula, control flow, or not: why."""
    form = FORMS.get(op.name)
    if form is not None:
        return form
    rule = rule_for(op)
    reason = getattr(rule, "reason", "")
    if rule is elementwise and op.ufunc not in FORMULAS:
        reason = UNWRITTEN.get(op.ufunc, "ONNX has no operation for it")
    if reason:
        return f"refused: {reason}"
    return f"`{op.onnx}`" if op.onnx else "decomposed"


def line(op: Op) -> str:
    """Returns the line of an op in the table."""
    return row(op, how(op), exported)


def table() -> str:
    """Returns the page of docs/onnx-coverage.md."""
    return page("What ONNX takes", "autograph.runtime.export.onnx.coverage",
                'What may raise is exported with `checks="drop"`.', line)


if __name__ == "__main__":
    print(table(), end="")
