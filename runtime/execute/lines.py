"""Runs elementwise code over shifted views of arrays (stencils) as over one long line.

`u[:-2, 1:-1]` and its like are many short rows, which cost NumPy several times as much as one row.
As all of them have the same place in their rows, they are worked on from the first element to the
last with what lies between the rows, and that is left out of the result. Where the elements
between would warn or raise, the code runs on the views.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from autograph.runtime.execute.tiles import Kind, Rows, in_tiles, loud

WASTE = 1.5
"""A line may be so many times as long as the rows it is made of."""

Array = np.ndarray[Any, Any]
Starts = tuple[tuple[int, ...], tuple[int, ...]]


def in_lines(rows: Rows, count: int, keep: bool, starts: Starts | None, made: Sequence[Kind],
             scratch: Sequence[Kind], *arrays: Any) -> Any:
    """`in_tiles(rows, count, made, scratch, *arrays)`, for code that is elementwise on arrays of
    one shape, and numbers.

    Args:
      keep: whether the results are kept, so that they have to be in C order, without gaps.
      starts: if they are all views of one array, its strides if it is in C order, and where they
        start in it, in elements.
    """
    lines = None if arrays[0].flags.c_contiguous else lines_of(arrays[:count], starts)
    if lines is None:
        return in_tiles(rows, count, made, scratch, *arrays)
    kinds = [[(dtype,) for dtype, *_ in kind] for kind in (made, scratch)]
    with np.errstate(**loud()), suppress(Exception):  # type: ignore[arg-type]
        results = in_tiles(rows, count, *kinds, *lines, *arrays[count:])
        if len(made) == 1:
            return without_gaps(results, arrays[0], keep)
        return tuple(without_gaps(x, arrays[0], keep) for x in results)
    return rows(*arrays)


def lines_of(views: Sequence[Array], starts: Starts | None) -> list[Array] | None:
    """For each view the memory from its first element to its last; None if they do not match."""
    first, base = views[0], views[0].base
    shape, strides, size = first.shape, first.strides, first.itemsize
    if not is_base(base, first) or strides[-1] != size or (
            sorted(strides, reverse=True) != list(strides)):
        return None
    count = 1 + sum((d - 1) * s for d, s in zip(shape, strides, strict=True)) // size
    if count > WASTE * first.size:
        return None
    for view in views:
        if view.strides != strides or view.shape != shape:
            return None
        if view.base is not base:
            starts = None
            if not is_base(view.base, view):
                return None
    if starts is None or starts[0] != strides:
        return [_line(v.base, _start(v), count) for v in views]
    offset = _start(first) - starts[1][0]
    memory = base.reshape(-1)  # type: ignore[union-attr]
    return [memory[start + offset:start + offset + count] for start in starts[1]]


def is_base(base: Any, view: Array) -> bool:
    """Whether the memory of an array is all of one piece, and a view of it of the same kind."""
    return type(base) is np.ndarray and type(view) is np.ndarray and base.flags.c_contiguous and (
        base.flags.aligned and base.dtype == view.dtype)


def _line(base: Any, start: int, count: int) -> Array:
    line: Array = base.reshape(-1)[start:start + count]
    return line


def _start(view: Array) -> int:
    """The place of a view in its base, in elements."""
    return (address(view) - address(view.base)) // view.itemsize  # type: ignore[arg-type]


def address(x: Array) -> int:
    place: int = x.__array_interface__["data"][0]
    return place


def without_gaps(line: Array, like: Array, keep: bool) -> Array:
    """The rows in a line, as a view, or as an array of their own if they are kept."""
    per_element = line.itemsize / like.itemsize
    strides = tuple(int(s * per_element) for s in like.strides)
    view: Array = np.ndarray(like.shape, line.dtype, line, 0, strides)
    return view.copy() if keep else view
