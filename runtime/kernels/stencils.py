"""Runs elementwise code over shifted views of arrays (stencils) as over one long line.

`u[:-2, 1:-1]` and its like are many short rows, which cost NumPy several times as much as one row.
If all views start at the same column, the code runs over the memory from the first element to the
last, and the elements between the rows are left out of the result. Where these would warn or raise,
the code runs on the views.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from autograph.runtime.kernels.tiled import Kind, Rows, in_pieces, in_tiles, raising_errstate

WASTE = 1.5
"""A line may be so many times as long as the rows it is made of."""

Array = np.ndarray[Any, Any]
Starts = tuple[tuple[int, ...], int, int, tuple[int, ...]]
"""(strides, elements) of an array in C order, (length, starts) of the lines of views of it."""


def in_lines(rows: Rows, count: int, keep: bool, starts: Starts | None, made: Sequence[Kind],
             scratch: Sequence[Kind], *arrays: Any) -> Any:
    """Returns `in_tiles(rows, count, made, scratch, *arrays)`, for code that is elementwise on
    arrays of one shape, and numbers.

    Args:
      keep: True if the results escape, so that they have to be in C order, without gaps.
      starts: the lines of the views, if all are views of one array in C order.
    """
    if arrays[0].flags.c_contiguous:
        return in_tiles(rows, count, made, scratch, *arrays)
    lines = lines_of_one(arrays[0], starts) if starts else None
    lines = lines or lines_of(arrays[:count])
    if lines is None:
        return in_tiles(rows, count, made, scratch, *arrays)
    with np.errstate(**raising_errstate()), suppress(Exception):  # type: ignore[arg-type]
        results = in_pieces(rows, count, [kind[:1] for kind in made],
                            [kind[:1] for kind in scratch], (*lines, *arrays[count:]))
        if len(made) == 1:
            return without_gaps(results, arrays[0], keep)
        return tuple(without_gaps(x, arrays[0], keep) for x in results)
    return rows(*arrays)


def lines_of_one(view: Array, starts: Starts) -> list[Array] | None:
    """The lines of views of one array, of which this is the first; None if it is not all of its
    memory, in C order."""
    strides, size, length, offsets = starts
    base = view.base
    if base is None or view.strides != strides or not is_base(base, view) or (
            base.size != size or base.strides != strides):
        return None
    memory = base.reshape(-1)
    return [memory[start:start + length] for start in offsets]


def lines_of(views: Sequence[Array]) -> list[Array] | None:
    """Returns for each view the memory from its first element to its last; None if the views
    differ in shape or strides."""
    first = views[0]
    shape, strides, size = first.shape, first.strides, first.itemsize
    if not is_base(first.base, first) or strides[-1] != size or (
            sorted(strides, reverse=True) != list(strides)):
        return None
    count = length_of(shape, strides, size)
    if count > WASTE * first.size:
        return None
    for view in views:
        if view.strides != strides or view.shape != shape or not is_base(view.base, view):
            return None
    return [_line(v.base, _start(v), count) for v in views]


def length_of(shape: Sequence[int], strides: Sequence[int], size: int) -> int:
    """Returns the number of elements from the first to the last."""
    return 1 + sum((d - 1) * s for d, s in zip(shape, strides, strict=True)) // size


def is_base(base: Any, view: Array) -> bool:
    """Returns True if the memory of an array is one piece, and a view of it is of the same kind."""
    return type(base) is np.ndarray and type(view) is np.ndarray and base.flags.c_contiguous and (
        base.flags.aligned and base.dtype == view.dtype)


def _line(base: Any, start: int, count: int) -> Array:
    line: Array = base.reshape(-1)[start:start + count]
    return line


def _start(view: Array) -> int:
    """The line offset of a view in its base, in elements."""
    return (address(view) - address(view.base)) // view.itemsize  # type: ignore[arg-type]


def address(x: Array) -> int:
    found: int = x.__array_interface__["data"][0]
    return found


def without_gaps(line: Array, like: Array, keep: bool) -> Array:
    """Returns the rows in a line: a view, or with `keep` an array of their own."""
    per_element = line.itemsize / like.itemsize
    strides = tuple(int(s * per_element) for s in like.strides)
    view: Array = np.ndarray(like.shape, line.dtype, line, 0, strides)
    return view.copy() if keep else view
