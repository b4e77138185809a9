"""`hasattr` and `getattr`, whose answer may depend on the run."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.control_flow import cond
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.types import ArrayType, PyType, is_maybe_undefined
from autograph.runtime.ir.undefined import is_bound
from autograph.runtime.ops import pure
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.tensor import Tensor, apply


def class_of(x: Any) -> Any:
    """Returns the class of a symbolic value; None if it is not known."""
    t = getattr(x, "type", None)
    if isinstance(t, PyType):
        return t.cls
    if isinstance(t, ArrayType) and t.shape is not None and not t.scalar:
        return np.ndarray
    return t.dtype.type if isinstance(t, ArrayType) and t.scalar and t.dtype is not None else None


def _hasattr(x: Any, name: Any) -> Any:
    if isinstance(x, Tensor):
        cls = class_of(x)
        return apply(pure(builtins.hasattr), x, name) if cls is None else (
            builtins.hasattr(cls, name))
    if type(x) is SelectedObject:
        return x.each(lambda one: _hasattr(one, name))
    try:
        value = builtins.getattr(x, name)
    except AttributeError:
        return False
    return _is_there(value) if _may_be_absent(value) else True


def _getattr(x: Any, name: Any, *default: Any) -> Any:
    if isinstance(x, Tensor) and default:
        cls = class_of(x)
        if cls is None:
            return apply(pure(builtins.getattr), x, name, *default)
        return builtins.getattr(x, name) if builtins.hasattr(cls, name) else default[0]
    if type(x) is SelectedObject:
        return x.each(lambda one: _getattr(one, name, *default))
    value = builtins.getattr(x, name, *default)
    if not default or not _may_be_absent(value):
        return value
    return cond(_is_there(value), lambda: value.bound(free=False), lambda: default[0])


def _may_be_absent(value: Any) -> bool:
    return isinstance(value, Tensor) and is_maybe_undefined(value.type)


def _is_there(value: Tensor) -> Tensor:
    """Record a test of whether a maybe-unbound value is bound. (Any other op would raise.)"""
    return Tensor(record(IS_BOUND, (value.read(),), {})[0])


IS_BOUND = pure(is_bound, lambda value: PyType(bool))

ATTRIBUTES: dict[Callable[..., Any], Callable[..., Any]] = {
    builtins.hasattr: _hasattr, builtins.getattr: _getattr,
}
"""Python's builtin -> what it does while a function is traced."""
