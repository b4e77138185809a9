"""Stars and comparisons: Python's own, unless what they look into is known only to the graph."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.operators.dispatch import active
from autograph.syntax.traceback_filter import hide

Part = tuple[bool, Any]
"""Whether there is a star before a value, and the value."""

KINDS: dict[str, Callable[[list[Any]], Any]] = {"list": list, "tuple": tuple, "set": set}

SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne,
}


def spread(kind: str, *parts: Part) -> Any:
    """`[a, *b]`, `(a, *b)` or `{a, *b}`.

    >>> spread("tuple", (False, 1), (True, "ab"))
    (1, 'a', 'b')
    """
    try:
        backend = active()
        return KINDS[kind](spread_out(parts)) if backend is None else backend.spread(kind, parts)
    except BaseException:
        hide()
        raise


def spread_out(parts: tuple[Part, ...]) -> list[Any]:
    """The values, those with a star gone through."""
    return [x for star, value in parts for x in (value if star else (value,))]


def call_spread(function: Callable[..., Any], parts: tuple[Part, ...], /, **kwargs: Any) -> Any:
    """`function(a, *b, **kwargs)`.

    >>> call_spread(max, ((False, 1), (True, [3, 2])), key=lambda x: -x)
    1
    """
    try:
        backend = active()
        return function(*spread_out(parts), **kwargs) if backend is None else backend.call_spread(
            function, parts, kwargs)
    except BaseException:
        hide()
        raise


def unpack_rest(x: Any, before: int, after: int) -> tuple[Any, ...]:
    """What `a, *b, c = x` gives the variables, of which so many stand before and after the star.

    >>> unpack_rest("abcd", 1, 1)
    ('a', ['b', 'c'], 'd')
    """
    try:
        backend = active()
        made = NotImplemented if backend is None else backend.unpack_rest(x, before, after)
        return _taken_apart(x, before, after) if made is NotImplemented else made
    except BaseException:
        hide()
        raise


def _taken_apart(x: Any, before: int, after: int) -> tuple[Any, ...]:
    try:
        items = list(iter(x))
    except TypeError:
        if hasattr(type(x), "__iter__"):
            raise
        raise TypeError(f"cannot unpack non-iterable {type(x).__name__} object") from None
    if len(items) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got "
                         f"{len(items)})")
    end = len(items) - after
    return *items[:before], items[before:end], *items[end:]


def compare(sign: str, a: Any, b: Any) -> Any:
    """`a < b` and the like.

    >>> compare("<=", (1, 2), (1, 2))
    True
    """
    try:
        backend = active()
        return SIGNS[sign](a, b) if backend is None else backend.compare(SIGNS[sign], a, b)
    except BaseException:
        hide()
        raise
