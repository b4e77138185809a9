"""Functions under `np.errstate`: which they are, and what settings hold in them."""

from __future__ import annotations

from types import CellType, FunctionType
from typing import Any

import numpy as np

ERRSTATE = np.errstate()(len).__code__
"""The code object that all functions under `np.errstate` share."""


def settings_in(f: Any) -> dict[str, str]:
    """Returns the settings of a function that `np.errstate` decorates: those that are the same
    whatever is around it."""
    probe = FunctionType(f.__code__, f.__globals__, closure=tuple(
        CellType(np.geterr) if x.cell_contents is f.__wrapped__ else x for x in f.__closure__))
    found = []
    for around in ("ignore", "raise"):
        with np.errstate(all=around):
            found.append(probe())
    return {k: v for k, v in found[0].items() if v == found[1][k]}
