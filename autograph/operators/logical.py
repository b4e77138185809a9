"""`and`, `or`, `not`, `in` and `is None`: Python's own, lazy operands included, unless symbolic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.dispatch import BACKENDS, Backend, active, backend_for
from autograph.syntax.traceback_filter import hide


def and_(first: Any, *lazy: Callable[[], Any]) -> Any:
    """`first and lazy[0]() and …`: the first operand that is false, or the last one.

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
    """`first or lazy[0]() or …`: the first operand that is true, or the last one.

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
    """`not x`."""
    try:
        backend = BACKENDS.get(type(x))
        return not x if backend is None else backend.not_(x)
    except BaseException:
        hide()
        raise


def in_(item: Any, container: Any) -> Any:
    """`item in container`.

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
    """`item not in container`."""
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
    """`x is other`."""
    backend = backend_for(x, other)
    return x is other if backend is None else backend.is_(x, other)


def is_not(x: Any, other: Any) -> Any:
    """`x is not other`."""
    backend = backend_for(x, other)
    return x is not other if backend is None else not_(backend.is_(x, other))


def is_none(x: Any) -> Any:
    """`x is None`."""
    backend = BACKENDS.get(type(x))
    return x is None if backend is None else backend.is_none(x)


def is_not_none(x: Any) -> Any:
    """`x is not None`."""
    backend = BACKENDS.get(type(x))
    return x is not None if backend is None else not_(backend.is_none(x))
