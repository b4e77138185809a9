"""The variables of a frame while it is traced: values of the graph, and constants."""

from __future__ import annotations

import re
from inspect import CO_OPTIMIZED
from linecache import getline
from types import FrameType
from typing import Any

import numpy as np

from autograph.runtime.ir.call_frames import locals_of

LITERALS = frozenset({bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range})
"""Classes of constants that no program changes."""


SYMBOLIC: set[type] = set()
"""The classes of symbolic values."""


def is_literal(x: Any) -> bool:
    """Returns True for constants that no program changes, and for tuples of them."""
    return type(x) in LITERALS or isinstance(x, np.generic) or (
        type(x) is tuple and all(map(is_literal, x)))


def frame_variables(frame: FrameType) -> dict[str, Any]:
    """Returns the variables of a function's frame that the graph can show; of a frame that has more
    than `MOST_SHOWN`, those that the line has the names of."""
    code = frame.f_code
    if not code.co_flags & CO_OPTIMIZED:
        return {}
    found: dict[str, Any] = {}
    names = None if code.co_nlocals <= MOST_SHOWN else _names_in_line(frame)
    for name, x in locals_of(frame, names).items():
        cls = type(x)
        if cls in LITERALS:
            found[name] = x
        elif cls in SYMBOLIC:
            handle = x._handle
            is_own = handle.base is None and not handle.invalidated
            value = handle.value if is_own else _known(handle)
            if value is not None:
                found[name] = value
        elif (cls is tuple or issubclass(cls, np.generic)) and is_literal(x):
            found[name] = x
    return found


MOST_SHOWN = 200
"""Each equation that may fail asks for the variables: of all of them, in long generated code, the
time would grow with the square of its length."""


def _names_in_line(frame: FrameType) -> set[str]:
    """Returns the words of the line that runs in a frame."""
    return set(re.findall(r"\w+", getline(frame.f_code.co_filename, frame.f_lineno)))


def _known(handle: Any) -> Any:
    """Returns the current value of a symbolic value; None where reading it would compute it."""
    value = handle.value
    while handle is not None:
        base = handle.base
        if handle.invalidated or (base is not None and handle.seen is not base.value):
            return None
        handle = base
    return value
