"""Operations on Python's objects in Python's own syntax: `x.append(v)`, `x[k]`, `x.a = v`."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.runtime.ir.expressions import (
    Attribute,
    Call,
    Dict,
    Expression,
    List,
    Starred,
    Subscript,
)
from autograph.runtime.ir.graph import Equation, Nest
from autograph.runtime.ir.own_contents import base_beneath
from autograph.runtime.ir.statements import Delete, Statement, Store
from autograph.runtime.ops.attributes import GETATTR
from autograph.runtime.ops.kept_values import NEW_STACK
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.python import LIST_OF
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
from autograph.runtime.ops.random import DRAW, MAKE_GENERATOR

if TYPE_CHECKING:
    from autograph.runtime.lower.expressions import Expressions


def _construct(make: Expressions, e: Equation) -> Expression | None:
    cls, *args = e.args
    if cls is list and len(args) == 1 and type(args[0]) is tuple:
        return make.nest(list(args[0]))
    if cls is tuple and len(args) == 1 and type(args[0]) is tuple:
        return make.nest(args[0])
    if cls is dict and len(args) == 1 and not e.kwargs and type(args[0]) is tuple and all(
            type(item) is tuple and len(item) == 2 for item in args[0]):
        return Dict(tuple((make.nest(key), make.nest(value)) for key, value in args[0]))
    if not _has_names(e) or base_beneath(cls) is not None:
        return None
    return _called(make, e, make.nest(cls), [] if args == [()] else args)


def _call(make: Expressions, e: Equation) -> Expression | None:
    fn, *args = e.args
    return _called(make, e, make.nest(fn), args) if _has_names(e) else None


def _call_method(make: Expressions, e: Equation) -> Expression | None:
    x, name, *args = e.args
    if not _is_name(name) or not _has_names(e):
        return None
    return _called(make, e, Attribute(make.nest(x), name), args)


def _call_with_stars(make: Expressions, e: Equation) -> Expression | None:
    fn, stars, *args = e.args
    named = [(star, x) for star, x in zip(stars, args, strict=True) if isinstance(star, str)]
    if not all(_is_name(star) for star in (*e.kwargs, *(star for star, _ in named))):
        return None
    function = make.nest(fn)
    given = [(star, make.nest(x)) for star, x in zip(stars, args, strict=True)]
    # a name may stand before a `*`: what is between the brackets keeps its order
    return Call(function, tuple(x if star is False else Starred(STARS.get(star, f"{star}="), x)
                                for star, x in given), make.named_arguments(e))


def _look_up(make: Expressions, e: Equation) -> Expression | None:
    x, key = e.args
    return Subscript(make.nest(x), make.index(key))


def _get_attribute(make: Expressions, e: Equation) -> Expression | None:
    x, name = e.args
    return Attribute(make.nest(x), name) if _is_name(name) else None


def _unpack(make: Expressions, e: Equation) -> Expression | None:
    x, count = e.args
    return make.nest(x) if count > 1 and _is_used(make, e) else None


def _draw(make: Expressions, e: Equation) -> Expression:
    generator, method, *args = e.args
    return _called(make, e, Attribute(make.nest(generator), method.partition(".")[2]), args)


def _list_of(make: Expressions, e: Equation) -> Expression:
    return List(tuple(Starred("*", make.nest(x)) if spliced else make.nest(x)
                      for spliced, x in e.args))


def _called(make: Expressions, e: Equation, fn: Expression, args: list[Nest]) -> Expression:
    return Call(fn, tuple(map(make.nest, args)), make.named_arguments(e))


def _has_names(e: Equation) -> bool:
    """Returns True if the arguments that are given by name can be written so."""
    return all(map(_is_name, e.kwargs))


STARS: dict[Any, str] = {True: "*", None: "**"}
"""What stands before an argument that has no name."""


def _store_attribute(make: Expressions, e: Equation) -> Statement | None:
    x, name, value = e.args
    if not _is_name(name) or _is_used(make, e):
        return None
    given = make.nest(value)
    return Store(Attribute(make.nest(x), name), given)


def _delete_attribute(make: Expressions, e: Equation) -> Statement | None:
    x, name = e.args
    return Delete((Attribute(make.nest(x), name),)) if _is_name(name) and not _is_used(
        make, e) else None


def _delete_item(make: Expressions, e: Equation) -> Statement | None:
    x, key = e.args
    return None if _is_used(make, e) else Delete((Subscript(make.nest(x), make.index(key)),))


def _is_name(x: object) -> bool:
    return type(x) is str and x.isidentifier() and not keyword.iskeyword(x)


def _is_used(make: Expressions, e: Equation) -> bool:
    return any(map(make.uses.__getitem__, e.outputs))


SYNTAX: dict[Op, Callable[[Expressions, Equation], Expression | None]] = {
    CONSTRUCT: _construct,
    CALL_OBJECT: _call,
    CALL_METHOD: _call_method,
    CALLED_WITH: _call_with_stars,
    LOOK_UP: _look_up,
    GETATTR: _get_attribute,
    UNPACKED: _unpack,
    DRAW: _draw,
    MAKE_GENERATOR: _call,
    LIST_OF: _list_of,
    NEW_STACK: lambda make, e: List(()),
}
"""An op -> its expression in Python's own syntax; None: Python has no such syntax for this one."""

STATEMENTS: dict[Op, Callable[[Expressions, Equation], Statement | None]] = {
    STORE_ATTRIBUTE: _store_attribute,
    DELETE_ATTRIBUTE: _delete_attribute,
    DELETE_ITEM: _delete_item,
}
"""An op -> its statement in Python's own syntax."""
