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

METHODS = {builtins.float: "__float__", builtins.int: "__int__", builtins.len: "__len__",
           builtins.complex: "__complex__"}
"""Builtin -> the method that it calls."""


class ObjectBackend(ListBackend):
    """Calls the methods of an object's class, whose answers may be symbolic."""

    def truth(self, x: Any) -> Any:
        cls = type(x)
        if hasattr(cls, "__bool__"):
            value = cls.__bool__(x)
            if isinstance(value, Tensor) and isinstance(value.type, ArrayType):
                raise TypeError("__bool__ should return bool, returned "
                                f"{class_name(value.type)}")
            return value if isinstance(value, (bool, Tensor)) else bool(x)
        if not hasattr(cls, "__len__"):
            return True
        length = cls.__len__(x)
        return apply("truth", length) if isinstance(length, Tensor) else bool(length)

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
        method = getattr(type(args[0]), METHODS.get(function, ""), None) if len(args) == 1 else None
        made = NotImplemented if method is None else method(args[0])
        return made if isinstance(made, Tensor) else super().builtin(function, args, kwargs)


BACKEND = ObjectBackend()
