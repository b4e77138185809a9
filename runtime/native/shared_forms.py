"""Groups that differ in lengths only share machine code, which takes any lengths.

A kernel is made for the lengths of its trace. When another one of the same form is to be compiled,
with other lengths, the two have more to gain from one machine code: the group is made again of
arrays of open lengths, and its text is the same for all. Where a group has no form with open
lengths, each kernel has its own code.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from autograph.runtime.ir.graph import Equation, Value, map_leaves
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.native.array_groups import ArrayGroup
from autograph.runtime.native.array_kernel import ArrayKernel
from autograph.runtime.native.extents import extent_of
from autograph.runtime.native.kinds import NotNative

LEAST, ROW = 64, 64
"""Elements from which on machine code for any lengths is nearly as fast as that for known ones: of
all, and of each row where there are numbers of rows; shorter ones stay known."""

_lengths: dict[Hashable, tuple[Any, ...]] = {}
"""By the forms that were compiled, the lengths of the first one."""

_shared: WeakValueDictionary[Hashable, ArrayKernel] = WeakValueDictionary()
"""By form, the kernel for any lengths, while others use it."""

MOST = 1000
"""Forms that are remembered."""


def shared_kernel(group: ArrayGroup, results: list[Value]) -> ArrayKernel | None:
    """Returns the kernel whose machine code that of a group's is, too: None for the first one of
    its form, and where there is none with open lengths."""
    extent = extent_of(group.shape)
    if group.views or extent.open or extent.each < LEAST:
        return None
    form, lengths = _form(group, results), tuple(map(_lengths_of, group.inputs))
    if len(_lengths) >= MOST:
        _lengths.clear()
    if _lengths.setdefault(form, lengths) == lengths:
        return None
    found = _shared.get(form)
    if found is None and (found := _with_open_lengths(group, results)) is not None:
        found = _shared.setdefault(form, found)
    return found


def _lengths_of(v: Value) -> Any:
    return v.type.shape if isinstance(v.type, ArrayType) else None


def _form(group: ArrayGroup, results: list[Value]) -> Hashable:
    """Returns a key that is the same for groups that differ in lengths only: all that the text of
    machine code for any lengths follows from."""
    numbers: dict[Value, int] = {}

    def leaf(x: Any) -> Any:
        if isinstance(x, Value):
            return numbers.setdefault(x, len(numbers)), _open_type(x.type, group)
        known = isinstance(x, np.ndarray | np.generic)
        return type(x), (x.dtype.str, np.shape(x), x.tobytes()) if known else repr(x)

    steps = [(e.op, e.settings, str(map_leaves(leaf, [e.args, dict(e.kwargs), e.outputs])))
             for e in group.equations]
    return group.fast, tuple(steps), tuple(numbers[v] for v in results)


def _with_open_lengths(group: ArrayGroup, results: list[Value]) -> ArrayKernel | None:
    now: dict[Value, Value] = {}

    def leaf(x: Any) -> Any:
        if isinstance(x, Value) and x not in now:
            now[x] = Value(_open_type(x.type, group), x.hint)
        return now[x] if isinstance(x, Value) else x

    made = ArrayGroup(fast=group.fast)
    for e in group.equations:
        copy = Equation(e.op, map_leaves(leaf, e.args), map_leaves(leaf, dict(e.kwargs)),
                        map_leaves(leaf, e.outputs), location=e.location, settings=e.settings)
        try:
            made.add(copy)
        except NotNative:
            return None
    return ArrayKernel(made.nest([now[v] for v in results]), list(made.inputs))


def _open_type(t: Any, group: ArrayGroup) -> Any:
    """Returns a type without the lengths that may be others."""
    if not isinstance(t, ArrayType) or not t.shape or t.scalar:
        return t
    row = group.shape[-1] if group.by_rows else None
    shape = [n if n == 1 else None for n in t.shape]
    if isinstance(row, int) and row < ROW and t.shape[-1] == row:
        shape[-1] = row
    return ArrayType(t.dtype, tuple(shape), False, t.either)
