"""Python's operators on tensors: `x + y`, `x < y`, `-x`, `x += y` are recorded as ops."""

from __future__ import annotations

import operator
import sys
from collections import deque
from collections.abc import Callable
from operator import imatmul
from types import FunctionType
from typing import Any

import numpy as np

from autograph.extension_points import POINTS
from autograph.libraries import is_closed_module, is_python, package_of
from autograph.runtime.ir.call_frames import is_in_place
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.types import (
    CONTAINERS,
    DYNAMIC,
    ArrayType,
    DynamicType,
    PyType,
    Type,
    bound_type,
    is_container,
    may_have_memory,
)
from autograph.runtime.ops import OPS, Op, pure
from autograph.runtime.ops.products import MATMUL
from autograph.runtime.ops.stores import AUGMENTED
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.numpy_protocols import assign_inplace, store_by, store_into
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply, handed_over

NUMBERS = frozenset({Tensor, int, float, bool, complex})
"""The most usual operands, all of which are recorded."""

REFLECTED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
"""Comparison -> the one that Python asks the other operand for."""


def _operator(op: Op, swapped: bool = False) -> Callable[..., Any]:
    reflected = REFLECTED.get(op.dunder, f"r{op.dunder}")

    def forward(self: Tensor, other: Any) -> Any:
        if type(other) in NUMBERS:
            return apply(op, self, other)
        if _asked_first(self.type, op.dunder) or operand(other, reflected):
            return apply(op, self, by_value(other))
        return by_elements(self, op, other) if (
            isinstance(self.type, ArrayType) and op is not MATMUL
            and not _takes_arrays(type(other))) else NotImplemented

    def backward(self: Tensor, other: Any) -> Any:
        if type(other) in NUMBERS:
            return apply(op, other, self)
        if is_plain_container(other) and not isinstance(self.type, ArrayType) and is_in_place(
                sys._getframe(1)):  # Python asks this also for `other += self`, before `other`
            trace.want(other, "is changed by a value that only the run knows")
            return other
        return apply(op, by_value(other), self) if (
            _asked_first(self.type, reflected) or operand(other, op.dunder)) else NotImplemented

    def power(self: Tensor, other: Any, modulus: Any = None) -> Any:
        return forward(self, other) if modulus is None else apply(pure(pow), self, other, modulus)

    return backward if swapped else power if op.dunder == "pow" else forward


def _asked_first(t: Type, name: str) -> bool:
    """Returns True if a symbolic value may have a special method of this name that a class of the
    user's defines: Python asks that first, and only the run can."""
    return isinstance(t, DynamicType) or (isinstance(t, PyType) and isinstance(
        getattr(t.cls, f"__{name}__", None), FunctionType))


def _takes_arrays(cls: type) -> bool:
    """Returns True for a class whose reflected operators NumPy calls with the array itself."""
    return hasattr(cls, "__array_ufunc__") or hasattr(cls, "__array_priority__")


def by_elements(x: Tensor, op: Op, other: Any) -> Any:
    """Returns what NumPy makes of a number and an object whose class has the reflected operator: it
    is given Python's number.

    Raises:
      TracingError: it is an array. NumPy makes an array of objects, element by element.
    """
    t = x.type
    assert isinstance(t, ArrayType)
    if not t.scalar or t.dtype is None or t.dtype.char not in "?bhilqBHILQefdFD":
        raise TracingError(
            f"an operator on an array and an object of the class {type(other).__name__} makes an "
            f"array of objects{at(user_location())}\n"
            "  hint: give the class `__array_ufunc__ = None`, and NumPy leaves the array to it")
    return getattr(operator, op.dunder)(apply("item", x), other)


def _unary(op: Op) -> Callable[..., Any]:
    return lambda self: apply(op, self)


def operand(value: Any, name: str) -> bool:
    """Returns True if an operator on a tensor and this value is recorded; False if a class of the
    user's has the special method of this name, which says what the operator does. Methods of
    Python's library, such as those of `Counter`, do not know symbolic values."""
    if type(value) in NUMBERS or isinstance(value, (Tensor, np.ndarray, np.generic)):
        return True
    module, method = type(value).__module__, getattr(type(value), f"__{name}__", None)
    if isinstance(value, CONTAINERS) and package_of(module) == "autograph":
        return True  # it stands for a list that converted code made
    return (not isinstance(method, FunctionType) or is_closed_module(module) or is_python(module)
            or (is_python(method.__module__) and method.__module__ not in CALLING_OTHERS))


CALLING_OTHERS = ("functools", "collections.abc")
"""Modules of Python's library that make special methods out of other methods of the user's."""


def by_value(x: Any) -> Any:
    """Returns an operand; a container that is no nest is made anew when the graph runs."""
    return POINTS.read_operand(x) if isinstance(x, (set, dict, deque)) else x


def _inplace(op: Op, by_reference: Op) -> Callable[..., Any]:
    def update(self: Tensor, other: Any) -> Any:
        t = bound_type(self.type) or DYNAMIC
        if not may_have_memory(t) and not is_container(t):
            return NotImplemented  # a number: Python rebinds the name to `self + other`
        known = is_container(t) or (isinstance(t, ArrayType) and t.shape is not None)
        if trace.by_reference():
            if is_container(t) and POINTS.read_each(
                    other, lambda item: apply(by_reference, self, *handed_over(([item],)))):
                return self
            if is_container(t):  # `items += iterator` reads it to its end
                other = POINTS.read_operand(POINTS.read_for(slice(None), other))
            made = apply(by_reference, self, by_value(other))
            return self if known and not (is_container(t) and _answers(other)) else made
        if not known or is_container(t):
            trace.need_references("an operator such as += is used on something that is not known "
                                  "to be a number or an array")
        if op is MATMUL and np.ndim(other) < 2:
            store_by(imatmul, self, other)  # raises, in NumPy's words
            return self
        made = assign_inplace(self, lambda: apply(op, self, other))
        return store_into(op.ufunc or np.matmul, (self,), (self, other), {}) if (
            made is None) else made

    return update


def _answers(x: Any) -> bool:
    """Returns True for what may be an array or number of NumPy's, or an object: a container leaves
    an operator to it, as in `[1] += array`, and the name is bound to what that makes."""
    if isinstance(x, Tensor):
        return isinstance(x.type, (ArrayType, DynamicType))
    return isinstance(x, (np.ndarray, np.generic)) or not isinstance(x, (*CONTAINERS, tuple, str))


OPERATORS = [op for op in OPS.values() if op.dunder]
UNARY = [op for op in OPERATORS if "{1}" not in op.emit]

METHODS: dict[str, Callable[..., Any]] = {
    **{f"__{op.dunder}__": _operator(op) for op in OPERATORS if op not in UNARY},
    **{f"__r{name}__": _operator(op, swapped=True) for name, op in AUGMENTED.items()},
    **{f"__i{name}__": _inplace(op, OPS[f"i{name}"]) for name, op in AUGMENTED.items()},
    **{f"__{op.dunder}__": _unary(op) for op in UNARY},
}
"""Tensor's operators."""
