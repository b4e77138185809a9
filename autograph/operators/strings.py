"""Strings made of values: Python's own unless a value is symbolic."""

from __future__ import annotations

from typing import Any

from autograph.operators.dispatch import BACKENDS, active
from autograph.syntax.traceback_filter import hide


def formatted(template: str, *values: Any) -> Any:
    """An f-string: `template.format(*values)`.

    >>> formatted("{:.1f} and {!r}", 2, "a")
    "2.0 and 'a'"
    """
    try:
        backend = active()
        for value in values:
            backend = backend or BACKENDS.get(type(value))
        if backend is not None:
            made = backend.formatted(template, values)
            if made is not NotImplemented:
                return made
        return template.format(*values)
    except BaseException:
        hide()
        raise


def percent(template: str, values: Any) -> Any:
    """`template % values`.

    >>> percent("%d of %s", (1, 2))
    '1 of 2'
    """
    try:
        backend = active() or BACKENDS.get(type(values))
        if backend is not None:
            made = backend.percent(template, values)
            if made is not NotImplemented:
                return made
        return template % values
    except BaseException:
        hide()
        raise
