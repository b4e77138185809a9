"""Shapes and dtypes as users give them: checked, and in the form that types have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from operator import index
from typing import Any

import numpy as np

from autograph.runtime.ir.types import Dim


def shape_given(shape: Any, call: str) -> tuple[Dim, ...]:
    """Returns a shape as a tuple; `call` is how it is given.

    Raises:
      TypeError: it is no shape; the message has the way out.

    >>> shape_given([2, None, "n"], "TensorSpec(shape, dtype)")
    (2, None, 'n')
    """
    if not isinstance(shape, Iterable) or isinstance(shape, (str, bytes, Mapping, Set)):
        raise _no_shape(shape, call)
    try:
        dims = list(shape)
    except TypeError:  # an array or a variable without axes
        raise _no_shape(shape, call) from None
    return tuple(_dim_given(dim, dims) for dim in dims)


def _no_shape(shape: Any, call: str) -> TypeError:
    return TypeError(f"{shape!r} is no shape\n  hint: write {call}, the shape as a list: [3], "
                     "[None, 2], or [] for a number")


def _dim_given(dim: Any, dims: list[Any]) -> Dim:
    if dim is None or isinstance(dim, str):
        return dim
    try:
        length: int = index(dim)
    except TypeError:
        length = -1
    if length < 0:
        raise TypeError(f"{dim!r} in the shape {dims} is no length of an axis\n"
                        "  hint: None stands for any length, a name for equal lengths")
    return length


def dtype_given(dtype: Any, call: str) -> np.dtype[Any]:
    """Returns a dtype; `call` is how it is given.

    Raises:
      TypeError: it is no dtype; the message has the way out.

    >>> dtype_given("i4", "TensorSpec(shape, dtype)")
    dtype('int32')
    """
    try:
        known: np.dtype[Any] = np.dtype(dtype)
    except (TypeError, ValueError):
        raise TypeError(f"{dtype!r} is no dtype\n  hint: write {call}, the dtype as np.dtype takes "
                        "it: np.float64, 'int32'") from None
    return known
