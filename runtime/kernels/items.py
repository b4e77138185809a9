"""The elements of an array as Python's numbers, without a list of them all."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

FEW = 512
"""So many elements are Python objects at a time."""


def items_of(x: Any) -> Iterable[Any]:
    """Returns what goes over `x.tolist()` for an array of one axis.

    >>> list(items_of(np.arange(3)))
    [0, 1, 2]
    """
    if len(x) <= FEW:
        return x.tolist()  # type: ignore[no-any-return]
    parts = (x[k:k + FEW] for k in range(0, len(x), FEW))
    return chain.from_iterable(map(np.ndarray.tolist, parts))


def may_be_put_back(x: Any) -> bool:
    """Returns True if an array can be written, and each of its elements alone: a view that
    `as_strided` made may have one element in two places.

    >>> x = np.arange(4)
    >>> may_be_put_back(x[::2]), may_be_put_back(np.lib.stride_tricks.as_strided(x, (3, 2), (8, 8)))
    (True, False)
    """
    if not x.flags.writeable:
        return False
    if x.flags.c_contiguous:
        return True
    end = x.itemsize
    for step, n in sorted((abs(s), n) for s, n in zip(x.strides, x.shape, strict=True) if n != 1):
        if step < end:
            return not x.size
        end += step * (n - 1)
    return True
