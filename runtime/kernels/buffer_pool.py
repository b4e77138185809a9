"""A pool of arrays that generated code uses again once nothing else refers to them."""

from __future__ import annotations

import sys
import threading
from sys import getrefcount
from typing import Any
from weakref import getweakrefcount

import numpy as np

MOST = 24
"""Arrays kept for each thread."""

BYTES = 1 << 25
"""Bytes kept for each thread; memory that a system has just given costs as much as a pass over
it."""

LARGE = 1 << 17
"""Bytes of an array from which on a result of machine code is one of the pool: the C library gives
such pieces back to the system, and asks for them again, which takes longer than to fill them."""

Array = np.ndarray[Any, Any]


class Buffers(threading.local):
    """The arrays of a thread by shape and dtype, also those that are in use."""

    def __init__(self) -> None:
        self.pools: dict[tuple[tuple[int, ...], np.dtype[Any]], list[Array]] = {}
        self.count = self.bytes = 0

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Returns an array with any contents: a free one of the pool, or a new one."""
        arrays = self.pools.get((shape, dtype), ())
        for index in range(len(arrays)):
            if getrefcount(arrays[index]) <= FREE and not getweakrefcount(arrays[index]):
                if is_as_made(arrays[index], shape, dtype):
                    return arrays[index]
                self.drop(shape, dtype, index)
                break
        made: Array = np.empty(shape, dtype)
        if REFERENCES_COUNT and made.nbytes <= BYTES:
            while self.count >= MOST or self.bytes + made.nbytes > BYTES:
                self.drop(*next(iter(self.pools)), 0)
            self.pools.setdefault((shape, dtype), []).append(made)
            self.count, self.bytes = self.count + 1, self.bytes + made.nbytes
        return made

    def drop(self, shape: tuple[int, ...], dtype: np.dtype[Any], index: int) -> None:
        """Removes an array from the pool."""
        self.count -= 1
        self.bytes -= self.pools[shape, dtype].pop(index).nbytes
        if not self.pools[shape, dtype]:
            del self.pools[shape, dtype]


def is_as_made(x: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> bool:
    """Returns True if the last user of an array left its shape, dtype and flags alone."""
    return x.shape == shape and x.dtype == dtype and x.flags.carray


REFERENCES_COUNT = getattr(sys, "_is_gil_enabled", lambda: True)()
"""True if reference counts are reliable: they are not without the global interpreter lock."""

FREE = 2
"""References to a free array while `take` counts them: the list's and the argument's. A view
refers to the array whose memory it shows."""

BUFFERS = Buffers()


def new_array(shape: tuple[int, ...], dtype: Any = float) -> Array:
    """Returns what `np.empty` does: an array with any contents, one of the pool.

    >>> new_array((2, 3)).shape
    (2, 3)
    """
    return BUFFERS.take(shape, np.dtype(dtype))
