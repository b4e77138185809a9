"""Arrays beside memory that nobody may touch: a read or write out of bounds ends the process."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

PAGE = mmap.PAGESIZE


def guarded(x: Any, at_end: bool) -> Any:
    """Returns a copy of an array with the same strides, which ends where a closed page begins, or
    begins where one ends; anything else as it is.

    >>> guarded(np.arange(6.0)[::-2], True).tolist()
    [5.0, 3.0, 1.0]
    """
    if type(x) is not np.ndarray:
        return x
    ends = [(n - 1) * s for n, s in zip(x.shape, x.strides, strict=True)] if x.size else []
    first = -sum(min(0, end) for end in ends)
    size = first + sum(max(0, end) for end in ends) + x.itemsize * bool(x.size)
    pages = max(1, -(-size // PAGE))
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for closed in (start, start + (pages + 1) * PAGE):
        assert _protect()(closed, PAGE, 0) == 0
    offset = (pages + 1) * PAGE - size if at_end else PAGE
    made: Any = np.ndarray(x.shape, x.dtype, memory, offset + first, x.strides)
    if x.size:
        once = tuple(slice(0, None if s else 1) for s in x.strides)
        made[once] = x[once]
    made.flags.writeable = x.flags.writeable
    return made


def _protect() -> Any:
    found = ctypes.CDLL(None).mprotect
    found.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return found
