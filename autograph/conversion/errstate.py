"""Functions that are not what they look like: those under `np.errstate`, and those in C."""

from __future__ import annotations

from types import BuiltinMethodType, CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

ERRSTATE = np.errstate()(len).__code__
"""The code object that all functions under `np.errstate` share."""


def is_of_module_in_c(f: Any) -> bool:
    """Returns True for a function in C of a module, but those that look at the running calls.

    >>> import math, sys
    >>> is_of_module_in_c(math.sqrt), is_of_module_in_c(sys._getframe), is_of_module_in_c([].pop)
    (True, False, False)
    """
    return type(f) is BuiltinMethodType and isinstance(f.__self__, ModuleType) and (
        f.__self__.__name__ not in LOOKING_AT_CALLS)


LOOKING_AT_CALLS = frozenset({"sys", "_warnings", "gc", "faulthandler", "_tracemalloc"})
"""Modules whose functions ask who calls them, or what is kept alive: nothing stands between."""


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
