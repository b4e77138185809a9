"""Derivative rules of ops that pick elements: by position, by a mask, or from several arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import (
    as_array,
    axis_of,
    on_symbols,
    positions,
    rank,
)
from autograph.runtime.ops.derivative_rules.shape import moved_by, scattered
from autograph.runtime.ops.derivatives import (
    ZERO,
    Derivative,
    Formula,
    Linear,
    Multilinear,
    Parts,
    add_at,
)


def _take(g: Any, z: Any, a: Any, indices: Any, axis: Any = None, out: Any = None,
          mode: Any = "raise") -> Any:
    n, indices = rank(a), as_array(indices)
    if mode != "raise" or (axis is not None and n == 0):
        return moved_by(np.take)(g, z, a, indices, axis, None, mode)
    if axis is None:
        return np.reshape(add_at(np.zeros_like(np.reshape(a, -1)), indices, g), np.shape(a))
    before: tuple[Any, ...] = (slice(None),) * axis_of(axis, n)
    return add_at(np.zeros_like(a), (*before, indices), g)


def _take_along_axis(g: Any, z: Any, arr: Any, indices: Any, axis: Any = -1) -> Any:
    return scattered(g, arr, on_symbols(np.take_along_axis, positions(arr), indices, axis))


def _where_vjp(g: Any, z: Any, condition: Any, *sides: Any) -> Any:
    return (None, np.where(condition, g, 0), np.where(condition, 0, g)) if sides else (None,)


def _where_jvp(t: Any, z: Any, condition: Any, *sides: Any) -> Any:
    if not sides:
        return None
    return np.where(condition, *(0 if d is None else d for d in t[1:]))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None,
          max: Any = None, **more: Any) -> Any:
    """The parts: `a` itself at its bounds, so that the derivative there is 1."""
    low, high = (min if a_min is None else a_min), (max if a_max is None else a_max)
    if low is not None:
        a = np.where(np.less(a, low), low, a)
    return a if high is None else np.where(np.greater(a, high), high, a)


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    made = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        made = np.where(condition, choice, made)
    return made


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """The parts of an insertion: old and new elements in one flat array, and their order."""
    elements = np.concatenate([np.reshape(arr, -1), np.reshape(values, -1)])
    return elements[on_symbols(np.insert, positions(arr), obj, positions(values) + np.size(arr),
                               axis)]


def _delete(g: Any, z: Any, arr: Any, obj: Any, axis: Any = None) -> Any:
    return moved_by(np.delete)(g, z, arr, obj, axis)


def _ix(*args: Any) -> Any:
    ones = (1,) * len(args)
    return tuple(np.reshape(x, (*ones[:k], -1, *ones[k + 1:])) for k, x in enumerate(args))


RULES: dict[str, Derivative] = {
    "take": Linear(_take, pads=True), "take_along_axis": Linear(_take_along_axis, pads=True),
    "compress": Multilinear(None, moved_by(np.compress, 1), pads=True),
    "extract": Multilinear(None, moved_by(np.extract, 1), pads=True),
    "where": Formula(_where_vjp, _where_jvp), "clip": Parts(_clip),
    "select": Parts(_select, nests=True), "delete": Linear(_delete, pads=True),
    "insert": Parts(_insert),
    **dict.fromkeys(("nonzero", "flatnonzero", "argwhere", "unravel_index"), ZERO),
    "ix_": Parts(_ix),
}
