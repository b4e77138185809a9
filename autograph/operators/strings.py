"""Strings made of values: Python's own unless a value is symbolic."""

from __future__ import annotations

from typing import Any

from autograph.operators.dispatch import BACKENDS, active
from autograph.traceback_filter import hide


def formatted(template: str, *values: Any) -> Any:
    """Returns the text of an f-string, `template.format(*values)`.

    Args:
      template: a format string with one field for each value.
      values: any values; a symbolic one makes the text symbolic.

    Returns:
      A string, or a symbolic one.

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


def percent(template: Any, values: Any) -> Any:
    """Returns `template % values`.

    Args:
      template: a string with conversions such as `%d`; or something else that has a `%`.
      values: a value, a tuple or a dict, as for `%`; symbolic values make the text symbolic.

    Returns:
      A string, or a symbolic one.

    >>> percent("%d of %s", (1, 2))
    '1 of 2'
    """
    try:
        backend = active() or BACKENDS.get(type(values))
        if backend is not None and type(template) is str:
            made = backend.percent(template, values)
            if made is not NotImplemented:
                return made
        return template % values
    except BaseException:
        hide()
        raise
