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
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ops import Op, pure
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.lists import ListBackend

METHODS: dict[Callable[..., Any], tuple[str, str]] = {
    builtins.float: ("__float__", "float_"), builtins.int: ("__int__", "int_"),
    builtins.len: ("__len__", "int_"), builtins.complex: ("__complex__", "complex_")}
"""Builtin -> the method that it calls, and the op that makes a number of Python's of the answer."""

RESULTS: dict[Callable[..., Any], type] = {
    builtins.len: int, **{cls: cls for cls in (bool, int, float, complex)}}
"""Builtin -> the class of what it gives."""


class ObjectBackend(ListBackend):
    """Calls the methods of an object's class, whose answers may be symbolic."""

    def truth(self, x: Any) -> Any:
        cls = type(x)
        if hasattr(cls, "__bool__"):
            return checked(builtins.bool, x, "__bool__", cls.__bool__(x))
        if not hasattr(cls, "__len__"):
            return True
        length = checked(builtins.len, x, "__len__", cls.__len__(x))
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
        name = METHODS.get(function, ("",))[0]
        method = getattr(type(args[0]), name, None) if len(args) == 1 else None
        if method is None:
            return super().builtin(function, args, kwargs)
        return checked(function, args[0], name, method(args[0]))


def checked(function: Callable[..., Any], x: Any, name: str, answer: Any) -> Any:
    """Returns what one of Python's functions makes of the answer of an object's method. The run
    checks an answer whose class only it knows.

    Raises:
      TypeError, ValueError: in Python's words, if the answer is not of the right class.
    """
    if not isinstance(answer, Tensor):
        return function(answering(type(x).__name__, name, answer))
    t = answer.type
    made: Any = answer
    if isinstance(t, ArrayType) and t.scalar and t.dtype is not None:
        function(answering(type(x).__name__, name, t.dtype.type(0)))
        made = apply(METHODS[function][1], answer)
    elif t != PyType(RESULTS[function]):
        return apply(ANSWERED[function], type(x).__name__, name, answer)
    if function is builtins.len:
        cond(made < 0, lambda: len(answering("", name, -1)), lambda: None)
    return made


def answering(cls: str, method: str, answer: Any) -> Any:
    """Returns what gives Python the answer of a method of an object of a class, which was asked
    already: Python checks it, and asks no second time."""
    return type(cls, (), {method: lambda self: answer})()


def _answered(function: Callable[..., Any]) -> Op:
    def made_of(cls: str, name: str, answer: Any) -> Any:
        return function(answering(cls, name, answer))

    made_of.__name__ = made_of.__qualname__ = f"{function.__name__}_of_answer"
    return pure(made_of, lambda *types: PyType(RESULTS[function]))


ANSWERED = {f: _answered(f) for f in RESULTS}
"""Builtin -> the op that makes of an answer what the builtin gives."""

BACKEND = ObjectBackend()
