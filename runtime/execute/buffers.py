"""Memory that generated code uses again: arrays that nothing refers to any more."""

from __future__ import annotations

import sys
import threading
import weakref
from typing import Any

import numpy as np

MOST = 24
"""Arrays kept for each thread."""

BYTES = 1 << 25
"""Bytes kept for each thread; memory that a system has just given costs as much as a pass over
it."""

Array = np.ndarray[Any, Any]


class Buffers(threading.local):
    """The arrays that a thread has made this way, those in use by others among them."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """An array with any contents: one that only this list refers to, or a new one."""
        arrays = self.arrays
        for index in range(len(arrays)):
            if is_free(arrays, index) and arrays[index].shape == shape and (
                    arrays[index].dtype == dtype):
                return arrays[index]
        made: Array = np.empty(shape, dtype)
        if REFERENCES_COUNT and made.nbytes <= BYTES:
            self.drop(made.nbytes)
            arrays.append(made)
        return made

    def drop(self, needed: int) -> None:
        """Forget arrays, the oldest first, until there is room for so many bytes."""
        while len(self.arrays) >= MOST or (
                sum(a.nbytes for a in self.arrays) + needed > BYTES and self.arrays):
            del self.arrays[0]


def is_free(arrays: list[Array], index: int) -> bool:
    """Whether nothing but the list refers to the array or its memory: a view counts as a reference
    to its base."""
    return sys.getrefcount(arrays[index]) <= FREE and not weakref.getweakrefcount(arrays[index])


REFERENCES_COUNT = getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether a count of references can be relied on: not in a build without the interpreter lock."""

FREE = 2
"""References to a free array while `is_free` looks at it: the list's and the argument's."""

BUFFERS = Buffers()
