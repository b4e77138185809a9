"""The axes that a reduction reduces in machine code: all of them, or some that follow one another.
"""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.graph import Equation


def given_axes(e: Equation) -> tuple[Any, ...] | None:
    """Returns the axes that an equation reduces, as it says it; None: all."""
    axis = e.args[1] if len(e.args) == 2 else e.kwargs.get("axis")
    return axis if axis is None or type(axis) is tuple else (axis,)


def axes_in_row(axes: tuple[Any, ...], rank: int) -> range | None:
    """Returns axes that follow one another; none for all of them, and None for others.

    >>> axes_in_row((1, -2), 4), axes_in_row((0, 2), 4), axes_in_row((0, 1), 2)
    (range(1, 3), None, range(0, 0))
    """
    if not all(type(a) is int and -rank <= a < rank for a in axes):
        return None
    found = sorted({a % rank for a in axes})
    if len(found) in (0, rank):
        return range(0) if len(found) == len(axes) else None
    row = range(found[0], found[-1] + 1)
    return row if len(row) == len(axes) else None


def keeps_axes(e: Equation) -> Any:
    """Returns what an equation says of the axis that it reduces: True if the result has it."""
    return e.kwargs.get("keepdims", False)
