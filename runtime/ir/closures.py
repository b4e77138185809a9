"""The objects that Python functions hold: closure cells, and the object of a method."""

from __future__ import annotations

from types import CellType, MethodType
from typing import Any

from autograph.own_attributes import class_has, held


def cell_contents(cell: CellType) -> Any:
    """Returns the contents of a closure cell; `Ellipsis` for a variable that is not bound yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return ...


def all_cells(x: Any) -> list[tuple[str, CellType]]:
    """The variables of the functions around a function that it uses."""
    closure = held(x, "__closure__")
    return list(zip(x.__code__.co_freevars, closure, strict=True)) if closure else []


def bound_cells(x: Any) -> list[tuple[str, CellType]]:
    """Those of these variables that are bound."""
    return [(name, cell) for name, cell in all_cells(x) if cell_contents(cell) is not ...]


def is_method(x: object) -> bool:
    """Returns True for a function bound to an instance: `__func__` and `__self__`."""
    return type(x) is MethodType or class_has(type(x), "__ag_bound__")
