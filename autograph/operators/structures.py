"""Stars and comparisons: Python's own unless the operands are containers that the graph makes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.operators.dispatch import active
from autograph.traceback_filter import hide

Part = tuple[bool, Any]
"""An operand: True if there is a star before it, and its value."""

KINDS: dict[str, Callable[[list[Any]], Any]] = {"list": list, "tuple": tuple, "set": set}

SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne,
}


def spread(kind: str, *parts: Part) -> Any:
    """Returns `[a, *b]`, `(a, *b)` or `{a, *b}`.

    Args:
      kind: "list", "tuple" or "set".
      parts: (starred, value) pairs; of a starred value the items are taken, and its length may be
        symbolic.

    Returns:
      The container.

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
    """Returns the values, with the items of those that have a star."""
    return [x for star, value in parts for x in (value if star else (value,))]


def call_spread(function: Callable[..., Any], parts: tuple[Part, ...],
                mappings: tuple[tuple[str | None, Any], ...] = (), /, **kwargs: Any) -> Any:
    """Returns `function(a, *b, k=c, **d)`.

    Args:
      function: what is called.
      parts: (starred, value) pairs of positional arguments; of a starred value the items are taken.
      mappings: keyword arguments, where one has two stars: (name, value) pairs; the name of a value
        with two stars is None.
      kwargs: keyword arguments, where none has.

    Returns:
      The function's result.

    Raises:
      SymbolicValueError: only the run knows how many arguments there are, and the function must
        know.

    >>> call_spread(max, ((False, 1), (True, [3, 2])), key=lambda x: -x)
    1
    """
    try:
        backend = active()
        if backend is not None:
            return backend.call_spread(function, parts, mappings, kwargs)
        return function(*spread_out(parts), **kwargs, **merged(function, mappings))
    except BaseException:
        hide()
        raise


def merged(function: Any, mappings: tuple[tuple[str | None, Any], ...]) -> dict[str, Any]:
    """Returns the keyword arguments of a call with two stars.

    Raises:
      TypeError: one is given twice.
    """
    found: dict[str, Any] = {}
    for name, value in mappings:
        more = dict(value) if name is None else {name: value}
        for key in more:
            if key in found:
                function(**found, **more)  # raises, in Python's words
        found.update(more)
    return found


def unpack_rest(x: Any, before: int, after: int) -> tuple[Any, ...]:
    """Returns the values that `a, *b, c = x` gives the variables.

    Args:
      x: an iterable; its length may be symbolic.
      before: the number of variables before the starred one.
      after: the number of variables after it.

    Returns:
      A tuple of `before + 1 + after` values; the starred one is a list.

    Raises:
      ValueError: there are too few values.
      TypeError: `x` is not iterable.

    >>> unpack_rest("abcd", 1, 1)
    ('a', ['b', 'c'], 'd')
    """
    try:
        backend = active()
        made = NotImplemented if backend is None else backend.unpack_rest(x, before, after)
        return _unpacked(x, before, after) if made is NotImplemented else made
    except BaseException:
        hide()
        raise


def _unpacked(x: Any, before: int, after: int) -> tuple[Any, ...]:
    *items, = x
    if len(items) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got "
                         f"{len(items)})")
    end = len(items) - after
    return *items[:before], items[before:end], *items[end:]


def compare(sign: str, a: Any, b: Any) -> Any:
    """Returns `a < b`, or another comparison, also of containers that hold symbolic values.

    Args:
      sign: "<", "<=", ">", ">=", "==" or "!=".
      a: the left operand.
      b: the right operand.

    Returns:
      What Python's comparison gives; a symbolic bool if symbolic values decide.

    >>> compare("<=", (1, 2), (1, 2))
    True
    """
    try:
        backend = active()
        return SIGNS[sign](a, b) if backend is None else backend.compare(SIGNS[sign], a, b)
    except BaseException:
        hide()
        raise
