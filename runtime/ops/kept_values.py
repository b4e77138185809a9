"""Stacks: what a loop keeps of its iterations for its derivative.

A stack is a list that only gradients make and read, so that no program ever holds one. In the
derivative of a derivative, the cotangent of a stack is a list of as many cotangents, None for zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC, DynamicType, StackType, Type, join
from autograph.runtime.ir.undefined import is_undefined
from autograph.runtime.ops.op import Op, Sample, define
from autograph.runtime.ops.samples import SCALAR, VECTOR, call
from autograph.runtime.ops.type_rules import INT, as_type, rule


def new_stack() -> list[Any]:
    """Returns an empty stack."""
    return []


def push(stack: list[Any], x: Any) -> list[Any]:
    """Returns a stack with one more value."""
    return [*stack, x]


def push_in_place(stack: list[Any], x: Any) -> list[Any]:
    """Puts a value on a stack; returns the stack."""
    stack.append(x)
    return stack


def kept_at(stack: list[Any], k: int) -> Any:
    """Returns the value that iteration k put on the stack."""
    return stack[k]


def kept_or_zero(stack: list[Any], k: int, like: Any) -> Any:
    """Returns item k of a stack of cotangents; zeros like another value where it is None."""
    found = stack[k]
    return zero_of(like) if found is None else found


def zero_of(x: Any) -> Any:
    """Returns the zero cotangent of a value."""
    if isinstance(x, list):
        return [None] * len(x)
    if is_undefined(x):
        return 0.0  # of a branch that was not taken: nothing uses it
    return type(x)(0) if isinstance(x, (int, float, complex)) else np.zeros_like(x)


def sum_of(x: Any, y: Any) -> Any:
    """Returns the sum of two cotangents; stacks are added item by item."""
    if x is None or y is None:
        return y if x is None else x
    if isinstance(x, list):
        return [sum_of(a, b) for a, b in zip(x, y, strict=True)]
    return x + y


def add_kept(stack: list[Any], k: int, g: Any) -> list[Any]:
    """Returns a stack of cotangents with one added at item k."""
    return add_kept_in_place([*stack], k, g)


def add_kept_in_place(stack: list[Any], k: int, g: Any) -> list[Any]:
    """Adds a cotangent to item k of a stack of them; returns the stack."""
    stack[k] = sum_of(stack[k], g)
    return stack


def popped(stack: list[Any]) -> list[Any]:
    """Returns a stack without its last value."""
    return stack[:-1]


def popped_in_place(stack: list[Any]) -> list[Any]:
    """Takes the last value off a stack; returns the stack."""
    stack.pop()
    return stack


def pushed_none(stack: list[Any]) -> list[Any]:
    """Returns a stack of cotangents with one more, which is zero."""
    return [*stack, None]


def unwrapped(x: Any) -> Any:
    """Returns the value itself, which is there."""
    return x


def _item(stack: Any, *more: Any) -> Type:
    return stack.item if isinstance(stack, StackType) and stack.item is not None else DYNAMIC


def _pushed(stack: Any, x: Any) -> Type:
    return join(stack, StackType(as_type(x))) if isinstance(stack, StackType) else DYNAMIC


def _added(stack: Any, k: Any, g: Any) -> Type:
    return _pushed(stack, g)


def _same(stack: Any) -> Type:
    return stack if isinstance(stack, StackType) else DYNAMIC


@rule
def _there(x: Any) -> Type:
    t = as_type(x)
    if isinstance(t, DynamicType) and t.maybe_undefined and t.bound is not None:
        return t.bound
    return t


def _define(kernel: Callable[..., Any], infer: Any, *samples: Sample, **traits: Any) -> Op:
    return define(Op(kernel.__name__, kernel, infer, "", samples, onnx=None,
                     doc=(kernel.__doc__ or "").removeprefix("Returns ").rstrip("."), **traits))


NEW_STACK = _define(new_stack, lambda: StackType(None), call(), fresh=True,
                    cheap=True, on_python_numbers=True)
PUSH = _define(push, _pushed, call([1.0], SCALAR), inplace=push_in_place,
               on_python_numbers=True)
KEPT_AT = define(Op("kept_at", kept_at, _item, "{0}[{1}]",
                    (call([SCALAR, VECTOR], 1),), onnx=None, view=True,
                    on_python_numbers=True, doc="the value that iteration k put on the stack"))
KEPT_OR_ZERO = _define(kept_or_zero, lambda stack, k, like: _there(like),
                       call([None, VECTOR], 0, VECTOR), view=True)
ZERO_OF = _define(zero_of, _there, call(VECTOR), call(2.5), fresh=True)
SUM_OF = _define(sum_of, lambda x, y: join(as_type(x), as_type(y)), call(VECTOR, VECTOR),
                 holds_operands=True)
ADD_KEPT = _define(add_kept, _added, call([1.0, None], 1, 2.0), inplace=add_kept_in_place)
POPPED = _define(popped, _same, call([1.0, 2.0]), inplace=popped_in_place)
PUSHED_NONE = _define(pushed_none, _same, call([1.0]))
UNWRAPPED = define(Op("unwrapped", unwrapped, _there, "{0}", (call(VECTOR), call(2.5)),
                      onnx=None, holds_operands=True,
                      view=True, doc="the value of a branch that was taken"))
STACK_LENGTH = define(Op("stack_length", len, lambda stack: INT, "len", (call([1, 2]),),
                         onnx=None,
                         doc="how many values a stack holds"))
