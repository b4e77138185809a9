"""Calls of the function that an op is, with ones for what only the run knows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.ir.graph import leaves, map_leaves
from autograph.runtime.ops.op import Op

if TYPE_CHECKING:
    from autograph.runtime.export.lowering import Lowering

OPEN = 3
"""The length that stands for an open dimension where a function is called on ones."""


def tried(lw: Lowering, op: Op, args: Any, kwargs: Any, length: int = OPEN,
          most: float = np.inf) -> Any:
    """Returns what a function gives for ones of such shapes; the error, if it raises.

    most: the length of longer dimensions.
    """
    def ones(x: Any) -> Any:
        if not lw.is_symbolic(x):
            return x
        shape = [length if d is None else min(d, most) for d in x.shape]
        made = np.ones(shape, lw.dtype_of(x))
        return made[()] if isinstance(lw.kind_of_value(x), np.dtype) else made.item()

    args, kwargs = map_leaves(ones, (args, kwargs))
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return op.kernel(*args, **kwargs)
    except Exception as error:
        return error


def certain_error(lw: Lowering, op: Op, args: Any, kwargs: Any) -> Exception | None:
    """Returns the error that an op raises for all operands of such dtypes, if it does: a TypeError,
    or of arrays without elements a ValueError."""
    given = [x for x in leaves((args, kwargs)) if lw.is_symbolic(x)]
    if op.effect or not all(hasattr(x, "shape") for x in given):
        return None
    found = tried(lw, op, args, kwargs, most=OPEN)
    empty = any(0 in x.shape for x in given)
    return found if isinstance(found, (TypeError, ValueError) if empty else TypeError) else None


def index_error(lw: Lowering, shape: tuple[int, ...], index: Any) -> IndexError | None:
    """Returns the error that NumPy raises for an index of an array of a shape, whatever its
    symbolic parts hold."""
    def first(x: Any) -> Any:
        if not lw.is_symbolic(x):
            return x
        return np.zeros(x.shape, "?" if lw.dtype_of(x).kind == "b" else np.intp)

    try:
        np.broadcast_to(np.False_, shape)[map_leaves(first, index)]
    except IndexError as error:
        return error
    return None
