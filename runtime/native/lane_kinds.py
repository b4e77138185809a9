"""The ufuncs that are machine instructions, by the dtypes for which they are."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from autograph.runtime.native.inner_loops import same_bits

KINDS: dict[str, tuple[Any, ...]] = {
    "fiub": (np.add, np.multiply, np.absolute, np.equal, np.not_equal, np.less, np.less_equal,
        np.greater, np.greater_equal, np.logical_and, np.logical_or, np.logical_xor,
        np.logical_not),
    "fiu": (np.subtract, np.square, np.negative, np.positive, np.minimum, np.maximum),
    "f": (np.divide, np.reciprocal, np.fabs, np.sqrt, np.floor, np.ceil, np.trunc, np.rint,
        np.copysign, np.isnan, np.isinf, np.isfinite),
    "iub": (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert),
}
"""By the kinds of the dtypes; for the other ufuncs NumPy's inner loop is called."""

KINDS_OF: dict[Any, str] = {ufunc: kinds for kinds, ufuncs in KINDS.items() for ufunc in ufuncs}


def has_lanes(ufunc: Any, dtype: np.dtype[Any]) -> bool:
    """Returns True if a ufunc on operands of a dtype is instructions on lanes."""
    known = dtype.kind in KINDS_OF.get(ufunc, "")
    return known and (ufunc not in (np.minimum, np.maximum) or extremes_agree())


@cache
def extremes_agree() -> bool:
    """Returns True if NumPy's minimum and maximum choose among zeros as the forms here do."""
    values = np.array([0.0, -0.0, np.nan, 1.0, -1.0, np.inf, -np.inf])
    a, b = (x.ravel() for x in np.meshgrid(values, values))
    for dtype in (np.float64, np.float32):
        for length in range(1, len(a) + 1):
            x, y = a[:length].astype(dtype), b[:length].astype(dtype)
            for ufunc, first in ((np.maximum, x > y), (np.minimum, x < y)):
                expected = np.where(first | np.isnan(x), x, y)
                if not same_bits(ufunc(x, y), expected):
                    return False
    return True
