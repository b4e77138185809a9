"""Functions written in C: which of them converted code calls by a replacement."""

from __future__ import annotations

from types import BuiltinMethodType, ModuleType
from typing import Any


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
