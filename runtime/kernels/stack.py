"""`np.stack` of many small arrays or numbers: one call of C for them all."""

from __future__ import annotations

from typing import Any

import numpy as np


def stacked(parts: Any) -> Any:
    """Returns `np.stack(parts)`; fast for a list of equal arrays or numbers."""
    if type(parts) not in (list, tuple) or not parts:
        return np.stack(parts)
    first = parts[0]
    cls = type(first)
    if not (cls is np.ndarray or isinstance(first, np.generic)) or first.ndim > 1:
        return np.stack(parts)
    dtype, shape = first.dtype, first.shape
    if dtype.kind not in "fiucb":
        return np.stack(parts)
    for x in parts:
        if type(x) is not cls or x.dtype is not dtype or x.shape != shape:
            return np.stack(parts)
    return np.array(parts)
