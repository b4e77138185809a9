"""Floats as integers, as NumPy casts them on this machine: JAX's casts stop at the ends."""

from __future__ import annotations

from typing import Any

import numpy as np


def integers_of(jnp: Any, x: Any, dtype: np.dtype[Any]) -> Any:
    """Returns floats as integers of a dtype; those that do not fit it wrap where C's do.

    Narrow integers are cut from int32, unsigned ones from int64. What fits these neither, is
    what NumPy gives for infinities and NaN: another number on another processor.
    """
    if dtype == np.uint64:
        return jnp.where(x < 2.0 ** 63, integers_of(jnp, x, np.dtype(np.int64)).astype(dtype),
                         _inside(jnp, x, dtype, 2.0 ** 64))
    wide = np.dtype(np.int32 if dtype.itemsize < 4 or dtype == np.int32 else np.int64)
    return _inside(jnp, x, wide, 2.0 ** (8 * wide.itemsize - 1)).astype(dtype)


def _inside(jnp: Any, x: Any, dtype: np.dtype[Any], end: float) -> Any:
    """Returns floats as integers; those whose size is not below an end are NumPy's infinities."""
    with np.errstate(invalid="ignore"):
        above, below, of_nan = np.array([np.inf, -np.inf, np.nan]).astype(dtype)
    x = x.astype(np.float32) if x.dtype.itemsize < 4 else x
    outside = jnp.where(jnp.isnan(x), of_nan, jnp.where(x > 0, above, below))
    return jnp.where(abs(x) < end, x.astype(dtype), outside)
