"""What an op is: one record that holds all that is known about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograph.runtime.ir.types import Type

TypeRule = Callable[..., "Type | tuple[Type, ...]"]
"""Called with the equation's args and kwargs, values replaced by types; gives the output's type."""

Sample = tuple[tuple[Any, ...], dict[str, Any]]
"""Arguments (args, kwargs) that the kernel takes; tests are generated from them."""


@dataclass(frozen=True, eq=False)
class Op:
    """One operation.

    name      in the graph's text; NumPy's own name where NumPy has the function.
    kernel    what runs: called with the equation's args and kwargs. Never changes its arguments.
    infer     the type rule. It may raise what the kernel would raise (same class), if certain.
    emit      Python source of a call: a format string over the printed arguments ("{0} + {1}"), a
              dotted name that is called with them ("np.sum"), or "": the kernel itself is called.
    samples   argument sets for the generated tests (values, types, emitted source, errors).
    vjp       gradient rule, or None: written, so that a missing rule is a decision.
    onnx      ONNX form, or None.
    effect    "" for a pure op, else what kind: "print", "raise", "random", "call", "write".
    view      whether the result may share memory with the first argument.
    elementwise  whether each output element depends on the matching input elements only.
    ufunc     the NumPy ufunc of an elementwise op (for out=, tiling), or None.
    doc       what it computes, for docs/ops.md.
    inplace   for an op that gives its first argument as it is after a store: the kernel that stores
              into that very argument, for when its old value is of no use any more.
    result    what the function returns its several outputs in: a namedtuple class, a list.
    regions   the roles of the regions that a control-flow op holds, in order.

    The kernel's result is what the equation's one output holds. If the type rule gives several
    types, the equation has as many outputs and the kernel gives a sequence of as many.
    """

    name: str
    kernel: Callable[..., Any]
    infer: TypeRule
    emit: str
    samples: tuple[Sample, ...]
    vjp: Callable[..., Any] | None
    onnx: str | None
    effect: str = ""
    view: bool = False
    elementwise: bool = False
    ufunc: Any = None
    doc: str = ""
    inplace: Callable[..., Any] | None = None
    result: Callable[[Any], Any] = tuple
    regions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


OPS: dict[str, Op] = {}
"""Every op by name, in order of definition."""


def define(op: Op) -> Op:
    """Enter an op into the table; a name is defined once."""
    if op.name in OPS:
        raise ValueError(f"the op {op.name!r} is defined twice")
    OPS[op.name] = op
    return op
