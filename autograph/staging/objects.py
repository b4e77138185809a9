"""The backend of objects whose classes define `__bool__`, `__len__`, `__contains__` and the like.

Python lets these methods return its own types only, but a method that computes with symbolic values
returns a symbolic one. So the operators call the methods themselves.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import Any

from autograph.operators.control_flow import cond
from autograph.operators.dispatch import BACKENDS
from autograph.operators.logical import not_
from autograph.runtime.ir.types import ArrayType, class_name
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.lists import ListBackend

METHODS = {builtins.float: ("__float__", "float_"), builtins.int: ("__int__", "int_"),
           builtins.len: ("__len__", "int_"), builtins.complex: ("__complex__", "complex_")}
"""Builtin -> the method that it calls, and the op that makes a number of Python's of the answer."""


class ObjectBackend(ListBackend):
    """Calls the methods of an object's class, whose answers may be symbolic."""

    def truth(self, x: Any) -> Any:
        cls = type(x)
        if hasattr(cls, "__bool__"):
            value = cls.__bool__(x)
            if isinstance(value, Tensor) and isinstance(value.type, ArrayType):
                raise TypeError("__bool__ should return bool, returned "
                                f"{class_name(value.type)}")
            return value if isinstance(value, Tensor) else bool(answering(x, "__bool__", value))
        if not hasattr(cls, "__len__"):
            return True
        length = cls.__len__(x)
        return apply("truth", length) if isinstance(length, Tensor) else bool(
            answering(x, "__len__", length))

    def is_none(self, x: Any) -> Any:
        return False

    def in_(self, item: Any, container: Any) -> Any:
        contains = getattr(type(container), "__contains__", None)
        if contains is None or type(container) not in BACKENDS:
            return super().in_(item, container)
        found = contains(container, item)
        return not_(not_(found)) if isinstance(found, Tensor) else bool(found)

    def getitem(self, container: Any, index: Any) -> Any:
        return container[index]

    def bound(self, value: Any, free: bool) -> Any:
        return value

    def builtin(self, function: Callable[..., Any], args: tuple[Any, ...],
                kwargs: Mapping[str, Any]) -> Any:
        if len(args) == 1 and function is builtins.bool:
            return cond(args[0], lambda: True, lambda: False)
        name, op = METHODS.get(function, ("", ""))
        method = getattr(type(args[0]), name, None) if len(args) == 1 else None
        if method is None:
            return super().builtin(function, args, kwargs)
        made = method(args[0])
        t = getattr(made, "type", None)
        if not isinstance(made, Tensor):
            return function(answering(args[0], name, made))
        if isinstance(t, ArrayType) and t.scalar and t.dtype is not None:
            function(answering(args[0], name, t.dtype.type(0)))  # raises, in Python's words
            return apply(op, made)
        return made


def answering(x: Any, method: str, answer: Any) -> Any:
    """Returns what gives Python the answer of an object's method, which was asked already: Python
    checks it, and asks no second time."""
    return type(type(x).__name__, (), {method: lambda self: answer})()


BACKEND = ObjectBackend()
