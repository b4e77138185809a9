"""Shared memory: which equations give, hold or overwrite the memory of their operands."""

from __future__ import annotations

from functools import cache

from autograph.runtime.ir.graph import Equation, Value, map_leaves
from autograph.runtime.ir.types import ArrayType, StackType, may_have_memory
from autograph.runtime.lower.list_methods import changed_list
from autograph.runtime.ops.kept_values import ADD_KEPT, PUSH, PUT_BACK
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.python import LIST_OF, LIST_POP
from autograph.runtime.ops.views import may_share


@cache
def is_about_memory(op: Op) -> bool:
    """Returns True if results of an op without regions may have memory of its operands, or that
    of a constant, or if it overwrites or holds an operand."""
    return bool(op.inplace or op.view or op.holds_operands or op.unwritable
                or op in (LIST_OF, LIST_POP) or op.effect in ("call", "store"))


def is_view(e: Equation) -> bool:
    """Returns True if the result may be in the memory of the first argument. `x[mask]` is not."""
    if not e.op.view:
        return False
    t = e.args[0].type if e.args and isinstance(e.args[0], Value) else None
    is_copy = isinstance(t, ArrayType) and t.dtype is not None and not t.dtype.hasobject and (
        may_share(e.op, map_leaves(lambda x: x.type if isinstance(x, Value) else x, e.args),
                  e.kwargs) is False)
    return not is_copy


def held_by(equation: Equation) -> tuple[Value, ...]:
    """Returns the values that a list holds after an equation. A stack that a stack holds is
    complete: nothing is pushed on it any more."""
    if equation.op in (ADD_KEPT, PUT_BACK):
        return tuple(v for v in equation.inputs[1:] if may_have_memory(v.type))
    if equation.op is PUSH:
        return tuple(v for v in equation.inputs[1:] if may_have_memory(v.type) and (
            not isinstance(v.type, StackType)))
    if equation.op is LIST_OF and changed_list(equation) is not None:
        return equation.inputs[1:]
    return ()
