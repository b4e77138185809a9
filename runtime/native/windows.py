"""Windows: the elements of a contiguous array that a view of it has, or an array broadcast."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided

from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops.indexing import GETITEM, is_basic_index

Shape = tuple[int, ...]

AXES = "ijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Window:
    """Elements of an array that lies in C order.

    >>> str(Window(8, (20, 1), (3, 5))), str(Window(0, (0, 1), (3, 5))), str(everything((3, 5)))
    (' at 8 + 20*i + j', ' at j', '')

    offset  of the first element.
    steps   from one element to the next along each axis, in elements; 0: the same again.
    shape   of the window.
    """

    offset: int
    steps: Shape
    shape: Shape

    def broadcast(self, shape: Shape) -> Window:
        """Returns the window of a larger shape."""
        more = len(shape) - len(self.shape)
        steps = [0 if old != new else step
                 for old, new, step in zip(self.shape, shape[more:], self.steps, strict=True)]
        return Window(self.offset, (0,) * more + tuple(steps), shape)

    def at(self, k: int) -> Window:
        """Returns the window of the elements that are k-th along the last axis."""
        return Window(self.offset + k * self.steps[-1], self.steps[:-1], self.shape[:-1])

    def axes(self) -> list[tuple[int, int]]:
        """Returns (length, step) of the axes, neighbours that are one run as one.

        >>> Window(0, (12, 3, 1), (5, 4, 3)).axes(), Window(7, (12, 3, 1), (5, 2, 2)).axes()
        ([(60, 1)], [(5, 12), (2, 3), (2, 1)])
        """
        found: list[tuple[int, int]] = []
        for n, step in zip(self.shape, self.steps, strict=True):
            if n == 1:
                continue
            if found and found[-1][1] == n * step:
                found[-1] = (found[-1][0] * n, step)
            else:
                found.append((n, step))
        return found or [(1, 1)]

    def is_direct(self, run: int) -> bool:
        """Returns True if pieces of `run` elements each lie in one run of memory."""
        n, step = self.axes()[-1]
        return run == 1 or (step == 1 and n % run == 0)

    def __str__(self) -> str:
        if self == everything(self.shape):
            return ""
        along = [f"{s}*{x}" if s != 1 else x for s, x in zip(self.steps, AXES, strict=False) if s]
        return f" at {' + '.join([*([str(self.offset)] if self.offset else []), *along]) or 0}"


def everything(shape: Shape) -> Window:
    """Returns the window that is all of an array."""
    return Window(0, tuple(math.prod(shape[k + 1:]) for k in range(len(shape))), shape)


def is_window(e: Equation) -> bool:
    """Returns True for a view of an array of known shape, at an index that is known if at one."""
    if len(e.inputs) != 1 or not e.args or not isinstance(e.args[0], Value):
        return False
    t = e.args[0].type
    if not isinstance(t, ArrayType) or not t.is_static or t.scalar or t.dtype is None or (
            t.dtype.names):
        return False
    return e.op.always_view or (
        e.op is GETITEM and not e.kwargs and is_basic_index(e.args[1]) is True)


def part(of: Window, e: Equation) -> Window | None:
    """Returns the window that a view has of what a window has; None if it has no elements, or is
    not in C order: NumPy's results have the order of their operands."""
    memory = np.zeros(1, np.int8)
    here = as_strided(memory, of.shape, of.steps)  # nothing of it is read
    if e.op is GETITEM:
        index = e.args[1]
        found = here[(*index, ...) if type(index) is tuple and ... not in index else (
            (index, ...) if type(index) is not tuple and index is not ... else index)]
    else:
        found = e.op.kernel(here, *e.args[1:], **e.kwargs)
    steps = [step for n, step in zip(found.shape, found.strides, strict=True) if n != 1]
    if not found.size or min(found.strides, default=0) < 0 or steps != sorted(steps, reverse=True):
        return None
    first = found.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return Window(of.offset + first, found.strides, found.shape)
