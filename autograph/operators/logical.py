"""`and`, `or`, `not`, `in` and `is None`: Python's own, lazy operands included, unless symbolic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.dispatch import BACKENDS, Backend, active, backend_for
from autograph.traceback_filter import hide


def and_(first: Any, *lazy: Callable[[], Any]) -> Any:
    """Returns `first and lazy[0]() and …`: the first operand that is false, or else the last one.

    Args:
      first: the first operand.
      lazy: functions without parameters, one for each other operand; called only when needed. On a
        symbolic operand the rest becomes a branch of the graph.

    Returns:
      The operand that decides; a symbolic value if a symbolic operand decides.

    >>> and_(2, lambda: 0, lambda: 1 / 0)
    0
    """
    value = first
    try:
        for i, operand in enumerate(lazy):
            backend = BACKENDS.get(type(value))
            if backend is not None:
                return backend.and_(value, lazy[i:])
            if not value:
                return value
            value = operand()
    except BaseException:
        hide()
        raise
    return value


def or_(first: Any, *lazy: Callable[[], Any]) -> Any:
    """Returns `first or lazy[0]() or …`: the first operand that is true, or else the last one.

    Args:
      first: the first operand.
      lazy: functions without parameters, one for each other operand; called only when needed. On a
        symbolic operand the rest becomes a branch of the graph.

    Returns:
      The operand that decides; a symbolic value if a symbolic operand decides.

    >>> or_(0, lambda: 2, lambda: 1 / 0)
    2
    """
    value = first
    try:
        for i, operand in enumerate(lazy):
            backend = BACKENDS.get(type(value))
            if backend is not None:
                return backend.or_(value, lazy[i:])
            if value:
                return value
            value = operand()
    except BaseException:
        hide()
        raise
    return value


def not_(x: Any) -> Any:
    """Returns `not x`.

    Args:
      x: any value; an array must have one element, as for Python's `not`.

    Returns:
      A Python bool; a symbolic one if `x` is symbolic.

    >>> not_([])
    True
    """
    try:
        backend = BACKENDS.get(type(x))
        return not x if backend is None else backend.not_(x)
    except BaseException:
        hide()
        raise


def truth(x: Any) -> Any:
    """Returns `bool(x)`; a symbolic value as it is.

    Converted code asks an operand of `and` or `or` by it, where only the truth matters: an object
    may count how often it is asked.

    Args:
      x: any value; an array must have one element, as for Python's `bool`.

    Returns:
      A Python bool, or `x` itself if it is symbolic.

    >>> truth([]), truth("a")
    (False, True)
    """
    try:
        backend = BACKENDS.get(type(x))
        return bool(x) if backend is None else backend.truth(x)
    except BaseException:
        hide()
        raise


def in_(item: Any, container: Any) -> Any:
    """Returns `item in container`.

    Args:
      item: any value, perhaps symbolic.
      container: an array, list, tuple, set, dict, string, or any object with `__contains__`.

    Returns:
      A Python bool; a symbolic one if it depends on symbolic values.

    >>> in_(2, [1, 2, 3])
    True
    """
    try:
        found = _staged_in(item, container)
        return item in container if found is NotImplemented else found
    except BaseException:
        hide()
        raise


def not_in(item: Any, container: Any) -> Any:
    """Returns `item not in container`: the opposite of `in_`, with the same arguments.

    >>> not_in(2, [1, 2, 3])
    False
    """
    try:
        found = _staged_in(item, container)
        return item not in container if found is NotImplemented else not_(found)
    except BaseException:
        hide()
        raise


def _staged_in(item: Any, container: Any) -> Any:
    backend: Backend | None = backend_for(container, item) or active()
    return NotImplemented if backend is None else backend.in_(item, container)


def is_(x: Any, other: Any) -> Any:
    """Returns `x is other`.

    Args:
      x: any value, perhaps symbolic.
      other: any value, perhaps symbolic.

    Returns:
      A Python bool; a symbolic one where only the run knows which object a variable holds.

    >>> is_(None, None), is_([], [])
    (True, False)
    """
    backend = backend_for(x, other) or active()
    return x is other if backend is None else backend.is_(x, other)


def is_not(x: Any, other: Any) -> Any:
    """Returns `x is not other`: the opposite of `is_`, with the same arguments.

    >>> is_not([], [])
    True
    """
    return not_(is_(x, other))


def is_none(x: Any) -> Any:
    """Returns `x is None`.

    Args:
      x: any value; a symbolic one that may be None gives a symbolic answer.

    Returns:
      A bool.

    >>> is_none(None), is_none(0)
    (True, False)
    """
    backend = BACKENDS.get(type(x))
    return x is None if backend is None else backend.is_none(x)


def is_not_none(x: Any) -> Any:
    """Returns `x is not None`: the opposite of `is_none`, with the same argument.

    >>> is_not_none(None), is_not_none(0)
    (False, True)
    """
    backend = BACKENDS.get(type(x))
    return x is not None if backend is None else not_(backend.is_none(x))
