"""The markers of names that are not bound, and of attributes that an object may lack, as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.ir.errors import LoadError
from autograph.runtime.ir.undefined import (
    AbsentAttribute,
    ClassAttribute,
    UndefinedGlobal,
    UndefinedValue,
    is_constant,
)
from autograph.runtime.serialize.fields import the_list, the_text

GLOBALS = ""
"""Stands for the owner of global variables."""


def marker_data(x: Any, nest: Callable[[Any], Any]) -> list[Any]:
    """Returns a marker as plain data: its name, its owner and the value of the class; `nest` makes
    that of a value."""
    owners = [x.owner] if isinstance(x, AbsentAttribute) else []
    return [x.name, *([GLOBALS] if isinstance(x, UndefinedGlobal) else owners),
            *([nest(x.value)] if isinstance(x, ClassAttribute) else [])]


def marker_of_data(x: Any, nest: Callable[[Any], Any], where: str) -> UndefinedValue:
    """Returns the marker that `marker_data` wrote.

    Raises:
      LoadError: the data is no marker.
    """
    found = the_list(x, where)
    if len(found) not in (1, 2, 3):
        raise LoadError("a name is needed", where)
    parts = [the_text(p, where) for p in found[:2]]
    if len(parts) == 1:
        return UndefinedValue(parts[0])
    if len(found) == 2 and parts[1] == GLOBALS:
        return UndefinedGlobal(parts[0])
    if len(found) == 2:
        return AbsentAttribute(parts[0], parts[1])
    value = nest(found[2])
    if not is_constant(value):
        raise LoadError("a number, a text or null is needed", where)
    return ClassAttribute(parts[0], parts[1], value)
