"""`np.r_[…]` and `np.c_[…]` of symbolic arrays: NumPy's `concatenate` of the pieces."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.symbolic.tensor import Tensor, apply


class Form(NamedTuple):
    """The axis along which pieces are joined, the least rank of one, and the axis at which the
    dimensions of one of less rank stand: -1 for the last ones."""

    axis: int
    rank: int
    first: int


JOINS = {type(np.r_): Form(0, 1, -1), type(np.c_): Form(-1, 2, 0)}
NUMBERS = (int, float, complex, np.generic)


def joined(join: Any, index: Any) -> Any:
    """Returns the items of an index as one array; NotImplemented for what is no such join, or where
    the trace does not know how the pieces fit together."""
    if type(join) not in JOINS:
        return NotImplemented
    parts = index if type(index) is tuple else (index,)
    form: Form | None = JOINS[type(join)]
    if parts and type(parts[0]) is str:
        form, parts = _directed(parts[0], JOINS[type(join)]), parts[1:]
    if form is None or not parts:
        return NotImplemented
    parts = tuple(map(_as_piece, parts))
    types = list(map(_type_of, parts))
    if any(t is None for t in types) or not all(_fits(x, form) for x in parts):
        return NotImplemented  # a dtype is equal to None
    dtype = np.result_type(*types)
    return np.concatenate([_piece(x, dtype, form) for x in parts], axis=form.axis)


def _directed(text: str, form: Form) -> Form | None:
    """Returns the form that the text at the beginning of an index asks for; None for a matrix, and
    for what NumPy does not know."""
    try:
        return Form(*map(int, text.split(",")), *form[text.count(",") + 1:])
    except (ValueError, TypeError):
        return None


def _as_piece(x: Any) -> Any:
    """Returns an array for a list, or for a slice of numbers that are known."""
    if type(x) is slice and not any(isinstance(end, Tensor) for end in (x.start, x.stop, x.step)):
        return np.r_[x]
    if isinstance(x, (list, tuple)) and any(isinstance(item, Tensor) for item in flatten(x)):
        return apply("array", x)
    return np.array(x) if type(x) in (list, tuple) else x


def _type_of(x: Any) -> Any:
    """Returns what stands for a piece in NumPy's rules of types; None for what may be anything."""
    if not isinstance(x, Tensor):
        return x if isinstance(x, NUMBERS) else (x.dtype if type(x) is np.ndarray else None)
    t = x.type
    if isinstance(t, PyType):
        return t.cls(0) if t.cls in (bool, int, float, complex) else None
    known = isinstance(t, ArrayType) and t.shape is not None
    return t.dtype if known else None  # type: ignore[union-attr]


def _fits(x: Any, form: Form) -> bool:
    """Returns True if the dimensions of a piece have a place among those of the form."""
    missing = form.rank - np.ndim(x)
    return missing <= 0 or np.ndim(x) == 0 or -missing - 1 <= form.first <= missing


def _piece(x: Any, dtype: Any, form: Form) -> Any:
    """Returns a piece as an array of the least rank at least: of `np.c_`, a vector is a column."""
    missing = form.rank - np.ndim(x)
    if np.ndim(x) == 0:
        return apply("full", (1,) * form.rank, x, dtype)
    piece = x if x.dtype == dtype else x.astype(dtype)
    if missing <= 0:
        return piece
    before = form.first % (missing + 1)
    return piece[(None,) * before + (Ellipsis,) + (None,) * (missing - before)]
