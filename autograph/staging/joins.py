"""`np.r_[…]` and `np.c_[…]` of symbolic arrays: NumPy's `concatenate` of the pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.symbolic.tensor import Tensor, apply

JOINS = {type(np.r_): (1, 0), type(np.c_): (2, -1)}
"""The classes of the two, with the least rank of a piece, and the axis."""


def joined(join: Any, index: Any) -> Any:
    """Returns the items of an index as one array; NotImplemented for what is no such join, or where
    the trace does not know how the pieces fit together."""
    if type(join) not in JOINS:
        return NotImplemented
    rank, axis = JOINS[type(join)]
    parts = [np.r_[x] if type(x) is slice and not _is_symbolic(x) else x
             for x in (index if type(index) is tuple else (index,))]
    types = list(map(_type_of, parts))
    if any(t is None for t in types):  # a dtype is equal to None
        return NotImplemented
    dtype = np.result_type(*types)
    return np.concatenate([_piece(x, dtype, rank) for x in parts], axis=axis)


def _is_symbolic(x: slice) -> bool:
    return any(isinstance(end, Tensor) for end in (x.start, x.stop, x.step))


def _type_of(x: Any) -> Any:
    """Returns what stands for a piece in NumPy's rules of types; None for what may be anything."""
    if not isinstance(x, Tensor):
        return x if isinstance(x, (int, float, complex, np.generic)) else (
            x.dtype if type(x) is np.ndarray else None)
    t = x.type
    if isinstance(t, PyType):
        return t.cls(0) if t.cls in (bool, int, float, complex) else None
    known = isinstance(t, ArrayType) and t.shape is not None
    return t.dtype if known else None  # type: ignore[union-attr]


def _piece(x: Any, dtype: Any, rank: int) -> Any:
    """Returns a piece as an array of at least this rank: a vector is a column."""
    if np.ndim(x) == 0:
        return apply("full", (1,) * rank, x, dtype)
    piece = x if x.dtype == dtype else x.astype(dtype)
    return piece[..., None] if piece.ndim < rank else piece
