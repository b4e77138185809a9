"""Extents: how many elements or rows a loop nest has, known or as a call gives it."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from autograph.runtime.ir.types import Shape

Lengths = tuple[int | None, ...]
"""The shape of a nest; an open length is None."""


@dataclass(frozen=True, slots=True)
class Extent:
    """So many, or so many for each of what is open.

    >>> print(Extent(30), Extent(3, True), Extent(1, True))
    30 3*n n
    """

    each: int
    open: bool = False

    def __str__(self) -> str:
        return f"{self.each}*n".removeprefix("1*") if self.open else str(self.each)


def extent_of(shape: Shape) -> Extent:
    """Returns the number of elements of a shape.

    >>> print(extent_of((None, 2, 5)))
    10*n
    """
    return Extent(prod(n for n in shape if isinstance(n, int)), open_axes(shape) > 0)


def open_axes(shape: Shape) -> int:
    """Returns the number of axes up to the last open one, whose length is not known.

    >>> open_axes((None, 3)), open_axes((2, "n", None, 3)), open_axes((4, 3))
    (1, 3, 0)
    """
    return max((k + 1 for k, n in enumerate(shape) if not isinstance(n, int)), default=0)


def is_read_by_rows(shape: Shape, in_parts: bool) -> bool:
    """Returns True for matrices of open lengths, and for parts of arrays of three axes: rows may
    have gaps between them.

    >>> is_read_by_rows((None, 3), False), is_read_by_rows((None, None, None), True)
    (False, True)
    """
    count = open_axes(shape)
    if len(shape) == 2:
        return count == 2 or (count > 0 and in_parts)
    return len(shape) == count == 3 and in_parts


def joined(shape: Shape) -> Lengths:
    """Returns a shape whose axes up to the last open one are one.

    >>> joined((2, "n", None, 3)), joined((4, 3))
    ((None, 3), (4, 3))
    """
    count = open_axes(shape)
    rest = tuple(n for n in shape[count:] if isinstance(n, int))
    return (None, *rest) if count else rest
