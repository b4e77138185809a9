"""Python's operators on tensors: `x + y`, `x < y`, `-x`, `x += y` are recorded as ops."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from operator import imatmul
from typing import Any

import numpy as np

from autograph.runtime.ir.types import CONTAINERS, ArrayType, is_container, may_have_memory
from autograph.runtime.ops import OPS
from autograph.runtime.ops.opaque import VALUE_MODULES
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.numpy_protocols import assign_inplace, store_by, store_into
from autograph.runtime.symbolic.tensor import Tensor, apply, handed_over


def _operator(name: str, swapped: bool = False) -> Callable[..., Any]:
    def forward(self: Tensor, other: Any) -> Any:
        return apply(name, self, by_value(other)) if operand(other) else NotImplemented

    def backward(self: Tensor, other: Any) -> Any:
        return apply(name, by_value(other), self) if operand(other) else NotImplemented

    return backward if swapped else forward


def _unary(name: str) -> Callable[..., Any]:
    return lambda self: apply(name, self)


def operand(value: Any) -> bool:
    """Whether Python's operators on a tensor and this are ours to record."""
    return isinstance(value, (Tensor, np.ndarray, np.generic, bool, int, float, complex, str,
                              bytes, tuple, frozenset, range, type(None), type, np.dtype,
                              *CONTAINERS)) or type(value).__module__ in VALUE_MODULES


def by_value(x: Any) -> Any:
    """An operand; a container that is no nest is made anew when the graph runs."""
    return handed_over((x,))[0] if isinstance(x, (set, dict, deque)) else x


def _inplace(name: str, dunder: str) -> Callable[..., Any]:
    def update(self: Tensor, other: Any) -> Any:
        t = self.type
        if not may_have_memory(t) and not is_container(t):
            return NotImplemented  # a number: Python rebinds the name to `self + other`
        known = is_container(t) or (isinstance(t, ArrayType) and t.shape is not None)
        if trace.by_reference():
            made = apply(f"i{dunder}", self, by_value(other))
            return self if known else made
        if not known or is_container(t):
            trace.need_references("an operator such as += is used on something that is not known "
                                  "to be a number or an array")
        if name == "matmul" and np.ndim(other) < 2:
            store_by(imatmul, self, other)  # raises, in NumPy's words
            return self
        made = assign_inplace(self, lambda: apply(name, self, other))
        return store_into(OPS[name].ufunc or np.matmul, (self,), (self, other), {}) if (
            made is None) else made

    return update


BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
    "floordiv": "floor_divide", "mod": "mod", "pow": "power", "matmul": "matmul",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift",
    "rshift": "right_shift",
}
COMPARE = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
           "eq": "equal", "ne": "not_equal"}
UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}

METHODS: dict[str, Callable[..., Any]] = {
    **{f"__{dunder}__": _operator(name) for dunder, name in (*BINARY.items(), *COMPARE.items())},
    **{f"__r{dunder}__": _operator(name, swapped=True) for dunder, name in BINARY.items()},
    **{f"__i{dunder}__": _inplace(name, dunder) for dunder, name in BINARY.items()},
    **{f"__{dunder}__": _unary(name) for dunder, name in UNARY.items()},
}
"""Tensor's operators."""
