"""Memory order: whether a reshape is a view or a copy, where NumPy decides it by the strides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Equation, Value, leaves
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops.creation import ARRAY, ASCONTIGUOUSARRAY, COPY
from autograph.runtime.ops.shape import RAVEL, RESHAPE
from autograph.runtime.ops.views import Step
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import maker

Array = np.ndarray[Any, Any]


def needed(value: Value) -> frozenset[Value] | None:
    """Returns the arguments that must be in C order for `value` to be so; None if nobody knows."""
    here = trace.current_region()
    assert here is not None
    asked, left = {value}, [value]
    while left:
        v = left.pop()
        made_by = maker(v)
        if made_by is None and v not in here.trace.arguments:
            return None
        from_these = [] if made_by is None else _operands(made_by)
        if from_these is None:
            return None
        left += [v for v in dict.fromkeys(from_these) if v not in asked]
        asked.update(from_these)
    return frozenset(asked.intersection(here.trace.arguments))


def _operands(e: Equation) -> list[Value] | None:
    """Returns what must be in C order for an equation's result to be so; None if nobody knows."""
    if e.kwargs.get("order") is not None or not {"F", "A"}.isdisjoint(_texts(e.args)):
        return None  # an order that is given, by name or by position
    if e.op.inplace or e.op is COPY:
        return [e.inputs[0]]
    if not (e.op.elementwise or e.op.c_order or e.op.keeps_c_order):
        return None
    if e.op is ARRAY and e.args and isinstance(e.args[0], list):
        return []
    return [v for v in leaves(e.args) if isinstance(v, Value) and _has_dims(v)]


def _texts(args: Iterable[Any]) -> set[str]:
    return {x for x in args if isinstance(x, str)}


def _has_dims(value: Value) -> bool:
    return not (isinstance(value.type, ArrayType) and value.type.shape == ())


def shares(root: ArrayType, steps: Sequence[Step]) -> bool | None:
    """Returns True if steps from an array in C order end in a view of it; None if nobody knows.

    >>> from autograph.runtime.ops.shape import TRANSPOSE
    >>> from autograph.runtime.ops.views import Apply
    >>> square = ArrayType(np.dtype(float), (3, 3))
    >>> shares(square, [Apply(RESHAPE, (-1,))])
    True
    >>> shares(square, [Apply(TRANSPOSE), Apply(RESHAPE, (-1,))])
    False
    """
    if not root.is_static or root.shape is None or root.dtype is None:
        return None
    strides = np.cumprod([root.dtype.itemsize, *(max(int(d or 0), 1) for d in root.shape[:0:-1])])
    # Memory for one element, whatever the shape: no step may read it, not even to copy it.
    view: Array = np.lib.stride_tricks.as_strided(
        np.empty(1, root.dtype), [int(d or 0) for d in root.shape],
        [int(s) for s in strides[::-1]][-len(root.shape):] if root.shape else ())
    for step in steps:
        if any(isinstance(x, Value) for x in leaves(step)):
            return None
        made = _after(step, view)
        if made is None:
            return False
        view = made
    return True


def _after(step: Step, view: Array) -> Array | None:
    """Returns the view that a step makes; None where it copies."""
    op, args, kwargs = step.call()
    if op is RESHAPE:
        given = {**dict(zip(("shape", "order"), args, strict=False)), **kwargs}
        shape = given.get("shape", given.get("newshape"))
        return None if given.get("copy") else _reshape(view, shape, given.get("order") or "C")
    if op is RAVEL:
        return _ravel(view, *args, **kwargs)
    if not op.may_copy:
        made: Array = step.of(view)
        return made
    dtype = args[0] if args else kwargs.get("dtype")
    if dtype is not None and np.dtype(dtype) != view.dtype:
        return None
    order = "C" if op is ASCONTIGUOUSARRAY else kwargs.get("order")
    if order == "C" and not view.flags.c_contiguous:
        return None
    return None if order == "F" and not view.flags.f_contiguous else view


def _ravel(view: Array, order: str = "C") -> Array | None:
    """Returns a ravelled view; a ravel copies what is not contiguous, even if a reshape need
    not."""
    if order == "K" or (order == "A" and np.isfortran(view)):
        view = view.transpose(np.argsort([-stride for stride in view.strides], kind="stable"))
    elif order == "F":
        view = view.T
    return _reshape(view, (-1,)) if view.flags.c_contiguous else None


def _reshape(view: Array, shape: Any, order: str = "C") -> Array | None:
    sizes = [int(n) for n in np.atleast_1d(shape)]
    if order == "F" or (order == "A" and np.isfortran(view)):
        turned = _reshape(view.T, sizes[::-1])
        return None if turned is None else turned.T
    if not view.size:
        return view.reshape(sizes)
    if -1 in sizes:
        sizes[sizes.index(-1)] = view.size // -math.prod(sizes)
    strides = _strides(view, sizes)
    return None if strides is None else np.lib.stride_tricks.as_strided(view, sizes, strides)


def _strides(view: Array, shape: Sequence[int]) -> list[int] | None:
    """Returns the strides of a reshape in C order; None if it needs a copy.

    NumPy has no call that answers this and reads nothing: `np.reshape(…, copy=False)` is of 2.1.
    """
    runs: list[tuple[int, int]] = []  # axes that lie in memory as one: (elements, stride)
    for size, stride in zip(view.shape, view.strides, strict=True):
        if runs and runs[-1][1] == size * stride:
            runs[-1] = runs[-1][0] * size, stride
        elif size > 1:
            runs.append((size, stride))
    left, stride = 1, view.itemsize
    strides: list[int] = []
    for size in reversed(shape):
        if left == 1 and size > 1 and runs:
            left, stride = runs.pop()
        if left % size:
            return None
        strides.insert(0, stride)
        left, stride = left // size, stride * size
    return strides
