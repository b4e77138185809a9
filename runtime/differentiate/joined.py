"""Derivatives of `np.r_[…]` and `np.c_[…]`: objects whose index is what they join.

They only arrange their operands. So where each element goes is found by joining, in the same way,
arrays that number the elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.differentiate.cotangents import as_tensor, zeros_for
from autograph.runtime.differentiate.forward import Walk
from autograph.runtime.differentiate.refusals import refuse
from autograph.runtime.differentiate.reverse import Sweep, operands_of
from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.symbolic.tensor import apply

JOINS = (type(np.r_), type(np.c_))


def parts_of(e: Equation) -> tuple[Any, ...]:
    """Returns what is joined; refuses objects that do something else with their index."""
    joins, index = e.args
    if not isinstance(joins, JOINS):
        refuse(e, "only the run knows what this object does with its index")
    parts = index if type(index) is tuple else (index,)
    if any(isinstance(x, slice) for x in parts):
        refuse(e, "slices stand beside what has a derivative; write np.arange or np.linspace")
    return parts


def is_joined(x: Any) -> bool:
    return not isinstance(x, str)  # a string says how


def cotangents_of_parts(sweep: Sweep, e: Equation, g: Any) -> None:
    """Each operand has the cotangents of its elements, wherever they went."""
    numbers: list[Any] = []
    starts: list[Any] = []
    count: Any = 0
    for x in parts_of(e):
        starts.append(count)
        if not is_joined(x):
            numbers.append(x)
            continue
        shape, size = form_of(x)
        numbers.append(np.reshape(apply("arange", size), shape) + count if shape else count)
        count = count + size
    where = apply("getitem", e.args[0], tuple(numbers))
    flat = apply("add_at", apply("zeros", (count,), _dtype(e)), np.reshape(where, -1),
                 np.reshape(as_tensor(g), -1))
    for x, start in zip(parts_of(e), starts, strict=True):
        if sweep.wants(x):
            shape, size = form_of(x)
            piece = apply("getitem", flat, slice(start, start + size))
            sweep.cotangents.add(x, np.reshape(piece, shape), True)


def form_of(x: Any) -> tuple[Any, Any]:
    """Returns the shape and size of what is joined; symbolic if only the run knows them."""
    shape = np.shape(operands_of(x))
    known = type(shape) is tuple and all(isinstance(d, int) for d in shape)
    return shape, int(np.prod(shape, dtype=int)) if known else apply("size", operands_of(x))


def _dtype(e: Equation) -> Any:
    types = [getattr(v.type, "dtype", None) or np.dtype(getattr(v.type, "cls", float))
             for v in e.inputs]
    return np.result_type(float, *(t for t in types if t.kind in "fc"))


def tangent_of_parts(walk: Walk, e: Equation) -> None:
    """The tangents are joined in the same way."""
    parts: list[Any] = []
    for x in parts_of(e):
        t = walk.of(x)
        if t is None and isinstance(x, Value):
            t = zeros_for(x)
        parts.append(t if t is not None else np.zeros_like(x) * 1.0 if is_joined(x) else x)
    walk.put(e.outputs[0], apply("getitem", e.args[0], tuple(parts)))
