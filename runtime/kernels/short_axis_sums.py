"""Sums along a short last axis, all at once and in NumPy's own order.

NumPy starts a loop for every sum, which costs more than the adding where a sum has few terms. It
adds fewer than eight terms one after the other, and more of them in eight columns, which it then
adds pairwise; that is done here for all sums at once, with the same bits.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from autograph.runtime.kernels.buffer_pool import BUFFERS
from autograph.runtime.kernels.tiled import in_c_order, raising_errstate

Array = np.ndarray[Any, Any]
COLUMNS = 8
MOST = 16
"""Terms of a sum up to which this is faster than NumPy."""


def axis_major(ufunc: np.ufunc, shape: tuple[int, ...], dtype: np.dtype[Any], *arrays: Any
          ) -> tuple[Any, bool]:
    """Returns `ufunc(*arrays)`, and True if its last axis is first in memory: no loop is short.

    It is not first where NumPy would give the result in another than C order, which it then adds
    up in another order.
    """
    if not (all(map(in_c_order, arrays)) and agrees()):
        return ufunc(*arrays), False
    memory = BUFFERS.take((shape[-1], *shape[:-1]), dtype)
    ufunc(*(_moved(x, len(shape)) for x in arrays), memory)
    return np.moveaxis(memory, 0, -1), True


def _moved(x: Array, rank: int) -> Array:
    padded = x[(None,) * (rank - x.ndim)]
    return np.ascontiguousarray(np.moveaxis(padded, -1, 0))


def short_axis_sum(x: Array, is_axis_major: bool = False) -> Any:
    """`np.add.reduce(x, axis=-1)` of an array, or of a result of `axis_major`."""
    if not is_axis_major and not (x.flags.c_contiguous and agrees()):
        return np.add.reduce(x, axis=-1)
    with np.errstate(**raising_errstate()), suppress(FloatingPointError):  # type: ignore[arg-type]
        return sums(np.moveaxis(x, -1, 0))
    return np.add.reduce(np.ascontiguousarray(x), axis=-1)  # warns in NumPy's words


def sums(x: Array) -> Array:
    """Returns the sums along the first axis, in the order of NumPy's sums along the last."""
    count = len(x)
    done = count - count % COLUMNS or 1
    total: Array = x[0]
    work = None
    if count >= COLUMNS:
        columns = x[:COLUMNS]
        for start in range(COLUMNS, done, COLUMNS):
            columns = work = np.add(columns, x[start:start + COLUMNS], work)
        while len(columns) > 1:
            left = columns[0::2]
            if work is None:
                work = BUFFERS.take(left.shape, x.dtype)
            columns = np.add(left, columns[1::2], work[:len(left)])
        total = columns[0]
    for k in range(done, count):
        total = work = np.add(total, x[k], total if work is not None else None)
    return total + 0.0  # NumPy starts from 0, so that no sum is -0.0


@cache
def agrees() -> bool:
    """Returns True if this NumPy adds up in the order that is known here."""
    sample = np.random.default_rng(0).normal(size=(9, MOST)) ** 9
    sample[0], sample[1, :-1] = -0.0, np.inf
    for count in range(2, MOST + 1):
        for dtype in (np.float64, np.float32):
            x = np.ascontiguousarray(sample[:, :count].astype(dtype))
            if sums(x.T).tobytes() != np.add.reduce(x, axis=-1).tobytes():
                return False
    return True
