"""Operations on Python's objects in Python's own syntax: `x.append(v)`, `x[k]`, `x.a = v`."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from autograph.runtime.ir.graph import Equation, Nest, Value
from autograph.runtime.ops.attributes import GETATTR
from autograph.runtime.ops.kept_values import NEW_STACK
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.python_objects import (
    CALL_METHOD,
    CALL_OBJECT,
    CALLED_WITH,
    CONSTRUCT,
    DELETE_ATTRIBUTE,
    DELETE_ITEM,
    LOOK_UP,
    STORE_ATTRIBUTE,
    UNPACKED,
)

if TYPE_CHECKING:
    from autograph.runtime.codegen.expressions import Expressions

Written = str | None
"""None: Python has no such syntax for this one."""


def _construct(write: Expressions, e: Equation) -> Written:
    cls, *args = e.args
    if cls is list and len(args) == 1 and type(args[0]) is tuple:
        return write.nest(list(args[0]))
    if cls is dict and len(args) == 1 and not e.kwargs and type(args[0]) is tuple and all(
            type(item) is tuple and len(item) == 2 for item in args[0]):
        items = [f"{write.nest(key)}: {write.nest(value)}" for key, value in args[0]]
        return "{" + ", ".join(items) + "}"
    return _called(write, _object(write, cls), [] if args == [()] else args, e.kwargs)


def _call(write: Expressions, e: Equation) -> Written:
    fn, *args = e.args
    return _called(write, _object(write, fn), args, e.kwargs)


def _call_method(write: Expressions, e: Equation) -> Written:
    x, name, *args = e.args
    return _called(write, f"{_object(write, x)}.{name}", args, e.kwargs) if _is_name(name) else None


def _call_with_stars(write: Expressions, e: Equation) -> Written:
    fn, stars, *args = e.args
    return _called(write, _object(write, fn), args, e.kwargs, stars)


def _look_up(write: Expressions, e: Equation) -> Written:
    x, key = e.args
    return f"{_object(write, x)}[{write.index(key)}]"


def _get_attribute(write: Expressions, e: Equation) -> Written:
    x, name = e.args
    return f"{_object(write, x)}.{name}" if _is_name(name) else None


def _unpack(write: Expressions, e: Equation) -> Written:
    x, count = e.args
    return write.nest(x) if count > 1 and _is_used(write, e) else None


def _store_attribute(write: Expressions, e: Equation) -> Written:
    x, name, value = e.args
    if not _is_name(name) or _is_used(write, e):
        return None
    text = write.nest(value)
    return f"{_object(write, x)}.{name} = {text}"


def _delete_attribute(write: Expressions, e: Equation) -> Written:
    x, name = e.args
    return None if not _is_name(name) or _is_used(write, e) else f"del {_object(write, x)}.{name}"


def _delete_item(write: Expressions, e: Equation) -> Written:
    x, key = e.args
    return None if _is_used(write, e) else f"del {_object(write, x)}[{write.index(key)}]"


def _called(write: Expressions, fn: str, args: list[Nest], kwargs: Mapping[str, Nest],
            stars: tuple[Any, ...] = ()) -> Written:
    names = [star for star in stars if isinstance(star, str)]
    if not all(map(_is_name, (*kwargs, *names))):
        return None
    texts = [STARS.get(star, f"{star}=") + write.operand(x) for star, x in zip(
        stars, args, strict=True)] if stars else [write.nest(x) for x in args]
    return f"{fn}({', '.join([*texts, *(f'{k}={write.nest(v)}' for k, v in kwargs.items())])})"


STARS: dict[Any, str] = {False: "", True: "*", None: "**"}
"""What stands before an argument that has no name."""


def _object(write: Expressions, x: Nest) -> str:
    """Returns the text of an object as it stands before a dot or a bracket."""
    text = write.operand(x)
    return text if isinstance(x, Value) or text.isidentifier() else f"({text})"


def _is_name(x: object) -> bool:
    return type(x) is str and x.isidentifier() and not keyword.iskeyword(x)


def _is_used(write: Expressions, e: Equation) -> bool:
    return any(map(write.uses.__getitem__, e.outputs))


SYNTAX: dict[Op, Callable[[Expressions, Equation], Written]] = {
    CONSTRUCT: _construct,
    CALL_OBJECT: _call,
    CALL_METHOD: _call_method,
    CALLED_WITH: _call_with_stars,
    LOOK_UP: _look_up,
    GETATTR: _get_attribute,
    UNPACKED: _unpack,
    STORE_ATTRIBUTE: _store_attribute,
    DELETE_ATTRIBUTE: _delete_attribute,
    DELETE_ITEM: _delete_item,
    NEW_STACK: lambda write, e: "[]",
}
"""An op -> its expression or statement in Python's own syntax."""
