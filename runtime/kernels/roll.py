"""`np.roll` along one axis, without the Python code that NumPy runs for general cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.kernels.buffer_pool import BUFFERS
from autograph.runtime.kernels.tiled import in_c_order

REUSED = 1 << 14
"""Elements from which on memory is used again."""

Array = np.ndarray[Any, Any]


def rolled(x: Array, shift: int, axis: int) -> Array:
    """`np.roll(x, shift, axis)`, for 0 <= shift < x.shape[axis] and axis >= 0."""
    if x.size < REUSED or not in_c_order(x):
        made: Array = np.empty_like(x)
    else:
        made = BUFFERS.take(x.shape, x.dtype)
    if shift == 0:
        made[...] = x
        return made
    before = (slice(None),) * axis
    parts = x[(*before, slice(-shift, None))], x[(*before, slice(-shift))]
    np.concatenate(parts, axis, made)
    return made
