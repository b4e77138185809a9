"""Sums of cotangents as products with ones: a BLAS adds up the rows of a matrix in less than half
the time of `np.sum`, in an order of its own."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

LEAST = 64
"""Elements from which on it pays; loops over less may run on their numbers."""

MOST_ROWS, LONGEST_ROW = 4096, 128
"""Ones that a graph may hold, and the elements of a row that NumPy's sum adds up one after the
other as well: in longer ones it sums halves, which is more accurate."""

Shape = tuple[int, ...]


def factors(x: Any, shape: Shape, to: Shape, dtype: np.dtype[Any]) -> tuple[Any, Any] | None:
    """Returns the factors whose product is a matrix of floats summed to a shape; None where it has
    to be summed.

    The order of a sum is seen in its last bits. That of a cotangent over the axes along which an
    operand was broadcast has no counterpart in NumPy, so it is any order.

    >>> x = np.ones((64, 2))
    >>> [(a.shape, b.shape) for a, b in (
    ...     factors(x, x.shape, to, x.dtype) for to in ((2,), (1, 2), (64, 1)))]
    [((64,), (64, 2)), ((1, 64), (64, 2)), ((64, 2), (2, 1))]
    """
    if len(shape) != 2 or dtype.char not in "fd" or shape[0] * shape[1] < LEAST or 1 in shape:
        return None
    n, m = shape
    if to == (n, 1) and m <= LONGEST_ROW:
        return x, ones((m, 1), dtype)
    if to in ((m,), (1, m)) and n <= MOST_ROWS:
        return ones((*to[:-1], n), dtype), x
    return None


@lru_cache(maxsize=256)
def ones(shape: Shape, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Returns ones that nobody writes."""
    made = np.ones(shape, dtype)
    made.flags.writeable = False
    return made
