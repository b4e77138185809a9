"""Means of arrays whose lengths only the run knows: a sum and a division, where that is what
`np.mean` does."""

from __future__ import annotations

from typing import Any

import numpy as np

MEANS = {np.dtype(np.float64): 2**53, np.dtype(np.float32): 2**24}
"""Sums of these are divided by a count exactly as `np.mean` does it, up to this count."""


def mean(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Returns `np.mean(x, axis=axis, keepdims=keepdims)` of an array, in half its time.

    >>> mean(np.array([[1.0, 2.0], [2.0, 4.0]]), 0)
    array([1.5, 3. ])
    """
    count = x.size if axis is None else x.shape[axis]
    if type(x) is np.ndarray and 0 < count <= MEANS.get(x.dtype, 0):
        total: Any = np.add.reduce
        return total(x, axis=axis, keepdims=keepdims) / count
    return np.mean(x, axis=axis, keepdims=keepdims)
