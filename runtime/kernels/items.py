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
