"""The variables of a frame while it is traced: values of the graph, and constants."""

from __future__ import annotations

from inspect import CO_OPTIMIZED
from types import FrameType
from typing import Any

import numpy as np

from autograph.runtime.ir.call_frames import locals_of
from autograph.runtime.ir.location import UNKNOWN

LITERALS = frozenset({bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range})
"""Classes of constants that no program changes."""


SYMBOLIC: set[type] = set()
"""The classes of symbolic values."""


def is_literal(x: Any) -> bool:
    """Returns True for constants that no program changes, and for tuples of them."""
    return type(x) in LITERALS or isinstance(x, np.generic) or (
        type(x) is tuple and all(map(is_literal, x)))


def frame_variables(frame: FrameType) -> dict[str, Any]:
    """Returns the variables of a function's frame. What the graph cannot show, and what is not
    bound, is UNKNOWN: a frame around it may have a variable of that name."""
    code = frame.f_code
    if not code.co_flags & CO_OPTIMIZED:
        return {}
    found: dict[str, Any] = dict.fromkeys((*code.co_varnames, *code.co_cellvars), UNKNOWN)
    for name, x in locals_of(frame).items():
        cls = type(x)
        if cls in LITERALS:
            found[name] = x
        elif cls in SYMBOLIC:
            handle = x._handle
            is_own = handle.base is None and not handle.invalidated
            found[name] = handle.value if is_own else _known(handle)
        else:
            literal = (cls is tuple or issubclass(cls, np.generic)) and is_literal(x)
            found[name] = x if literal else UNKNOWN
    return found


def _known(handle: Any) -> Any:
    """Returns the current value of a symbolic value; UNKNOWN where reading it would compute it."""
    value = handle.value
    while handle is not None:
        base = handle.base
        if handle.invalidated or (base is not None and handle.seen is not base.value):
            return UNKNOWN
        handle = base
    return value
