"""Captures: the arrays and variables from outside a function that its graph refers to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.types import type_of

CONSTANT = "c"
"""The name of a captured array that has no name outside the function."""

PIECE = 1 << 16
"""So many bytes of two arrays are compared at once: they fit a processor's cache."""


class Captures:
    """The captures of one graph.

    values   by id: the graph's value for an array or variable, and the object itself.
    names    by id: the names of the arrays and iterators that were there before the trace.
    handles  by id: the handles of arrays that were there before the trace.
    copies   by id: arrays that the function made meanwhile, and their contents when they were used.
    """

    def __init__(self) -> None:
        self.values: dict[int, tuple[Value, Any]] = {}
        self.names: dict[int, str] = {}
        self.handles: dict[int, Any] = {}
        self.copies: dict[int, tuple[Any, Any]] = {}

    def value_of(self, array: Any, hint: str = CONSTANT) -> Value:
        """Returns the value that stands for a concrete array or a variable: one for each object."""
        found = self.values.get(id(array))
        if found is None:
            found = Value(type_of(array), self.names.get(id(array), hint)), array
            self.values[id(array)] = found
        return found[0]

    def known(self, array: Any) -> Value | None:
        """Returns the value that stands for an array or variable; None if nothing has used it."""
        found = self.values.get(id(array))
        return None if found is None else found[0]

    def is_outside(self, array: Any) -> bool:
        """Returns True for an array that was there before the trace, and for a view of one."""
        while isinstance(array, np.ndarray):
            if id(array) in self.names:
                return True
            array = array.base
        return False

    def snapshot(self, array: Any) -> Any:
        """Returns an array that keeps what `array` holds now.

        An array from outside, or a view of one, is returned itself. One that the function made
        while it was traced may change later; it is copied, in the same memory layout.
        """
        if self.is_outside(array):
            return array
        known = self.copies.get(id(array))
        if known is None or not identical(array, known[1]):
            known = self.copies[id(array)] = array, array.copy(order="K")
        return known[1]


def identical(a: Any, b: Any) -> bool:
    """Returns True if two arrays have the same type, shape and bits."""
    return bool(a.shape == b.shape and a.dtype == b.dtype and (
        all(x is y for x, y in zip(a.flat, b.flat, strict=True)) if a.dtype.hasobject
        else all(x.tobytes() == y.tobytes() for x, y in _pieces(a, b))))


def _pieces(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    """Yields parts of two arrays of one shape, in order: the bytes of all of a large array would
    need memory of their own."""
    if a.nbytes <= PIECE or type(a) is not np.ndarray or type(b) is not np.ndarray:
        yield a, b
        return
    if a.flags.c_contiguous and b.flags.c_contiguous:
        a, b = a.reshape(-1), b.reshape(-1)
    rows = max(1, PIECE * len(a) // a.nbytes)
    for i in range(0, len(a), rows):
        yield a[i:i + rows], b[i:i + rows]
