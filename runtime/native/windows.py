"""Windows: the elements of a contiguous array that a view of it has, or an array broadcast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.native.extents import Extent, Lengths, extent_of
from autograph.runtime.ops.indexing import GETITEM, is_basic_index

Steps = tuple[int, ...]

Axes = list[tuple[int | None, int]]
"""Lengths and steps; only the first length may be open."""

AXES = "ijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Window:
    """Elements of an array that lies in C order.

    >>> str(Window(8, (20, 1), (3, 5))), str(Window(0, (0, 1), (3, 5))), str(everything((3, 5)))
    (' at 8 + 20*i + j', ' at j', '')

    offset  of the first element.
    steps   from one element to the next along each axis, in elements; 0: the same again.
    shape   of the window, of which the first length may be open.
    """

    offset: int
    steps: Steps
    shape: Lengths

    def broadcast(self, shape: Lengths) -> Window:
        """Returns the window of a larger shape."""
        more = len(shape) - len(self.shape)
        steps = [0 if old != new else step
                 for old, new, step in zip(self.shape, shape[more:], self.steps, strict=True)]
        return Window(self.offset, (0,) * more + tuple(steps), shape)

    def at(self, k: int) -> Window:
        """Returns the window of the elements that are k-th along the last axis."""
        return Window(self.offset + k * self.steps[-1], self.steps[:-1], self.shape[:-1])

    def inner(self, count: int) -> Window:
        """Returns the window without its first axes, of one element each."""
        return Window(self.offset, self.steps[count:], self.shape[count:])

    def axes(self) -> Axes:
        """Returns (length, step) of the axes, neighbours that are one run as one.

        >>> Window(0, (12, 3, 1), (5, 4, 3)).axes(), Window(7, (12, 3, 1), (5, 2, 2)).axes()
        ([(60, 1)], [(5, 12), (2, 3), (2, 1)])
        """
        found: Axes = []
        for n, step in zip(self.shape, self.steps, strict=True):
            if n == 1:
                continue
            if found and n is not None and found[-1][1] == n * step:
                outer = found[-1][0]
                found[-1] = (None if outer is None else outer * n, step)
            else:
                found.append((n, step))
        return found or [(1, 1)]

    def is_direct(self, run: Extent) -> bool:
        """Returns True if pieces of `run` elements each lie in one run of memory."""
        n, step = self.axes()[-1]
        return run == Extent(1) or (step == 1 and (n is None or (
            not run.open and n % run.each == 0)))

    def __str__(self) -> str:
        if self == everything(self.shape):
            return ""
        along = [f"{s}*{x}" if s != 1 else x for s, x in zip(self.steps, AXES, strict=False) if s]
        return f" at {' + '.join([*([str(self.offset)] if self.offset else []), *along]) or 0}"


def everything(shape: Lengths) -> Window:
    """Returns the window that is all of an array."""
    return Window(0, tuple(extent_of(shape[k + 1:]).each for k in range(len(shape))), shape)


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


def may_be_in_parts(e: Equation) -> bool:
    """Returns True for a view of an array that may lie in several parts of memory."""
    return e.op.view and not e.op.may_copy and not (e.op is GETITEM and _is_leading(e.args[1]))


def has_rows_in_one_part(e: Equation) -> bool:
    """Returns True for a view each of whose rows has elements next to each other, as those of the
    array."""
    index = e.args[1] if e.op is GETITEM else None
    return type(index) is tuple and len(index) > 0 and all(type(p) is slice for p in index) and (
        index[-1].step in (None, 1))


def step_of(e: Equation) -> int | None:
    """Returns from how many elements of an array of one axis a view has one; None for another
    view."""
    t, index = e.outputs[0].type, e.args[1] if e.op is GETITEM else None
    if type(index) is tuple and len(index) == 1:
        index = index[0]
    step = index.step if type(index) is slice else None
    known = isinstance(t, ArrayType) and t.shape is not None and len(t.shape) == 1
    return step if known and type(step) is int and step > 1 else None


def _is_leading(index: Any) -> bool:
    """Returns True for an index along the first axis, of which each is taken."""
    if type(index) is tuple and len(index) == 1:
        index = index[0]
    return type(index) in (int, Value) or (type(index) is slice and index.step in (None, 1))


def part(of: Window, e: Equation) -> Window | None:
    """Returns the window that a view has of what a window has; None if it has no elements, or is
    not in C order: NumPy's results have the order of their operands."""
    memory = np.zeros(1, np.int8)
    shape = tuple(n for n in of.shape if n is not None)  # all are known
    here = as_strided(memory, shape, of.steps)  # nothing of it is read
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
