"""Arrays that NumPy's own code makes while a function is traced, as values of the graph.

`a = np.flip([1.0, 2.0])` is an array of NumPy's, in which no symbolic value can be stored. A trace
that meets `a[0] = x` is made again, and each such array becomes a value of the graph where it is
made, if nothing else refers to it: then nobody can tell.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import SymbolicValueError, at
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import apply


def new_array(made: Any) -> Any:
    """Called with what converted code gets from a call or an item of an object. Returns an array,
    and the arrays in a list or tuple, as values of the graph, if the trace asks for that."""
    if not (issubclass(type(made), (np.ndarray, list, tuple)) and _are_asked()):
        return made
    if sys.getrefcount(made) > ALONE:
        return made
    if type(made) is list:
        return _items(made)
    if isinstance(made, tuple):
        return tuple.__new__(type(made), _items(made))
    return _value(made) if type(made) is np.ndarray else made


def is_made_by_trace(x: Any) -> bool:
    """Returns True for an array that code which is not converted has made during this trace."""
    here = trace.current_region()
    return here is not None and isinstance(x, np.ndarray) and (
        not here.trace.captures.is_outside(x))


def check_copied(x: Any, left: Region | None = None) -> None:
    """Asks that an array which the trace made be a value of the graph if it leaves a region that it
    was there before, or is an operand: a copy would be another array than the program knows.

    Raises:
      SymbolicValueError: it is such an array.
    """
    if not is_made_by_trace(x) or (
            left is not None and all(x is not known for known in left.reached.arrays)):
        return
    trace.want_arrays()
    raise SymbolicValueError(
        f"an array of the class {type(x).__name__}, which the function makes of constants, is "
        f"one of several that the graph decides between{at(user_location())}\n"
        "  hint: make the array outside the function, or pass it as an argument")


def _are_asked() -> bool:
    here = trace.current_region()
    return here is not None and here.trace.mode.sites.arrays


def _items(made: list[Any] | tuple[Any, ...]) -> list[Any]:
    """Returns the items of a container, with values for the arrays that nothing else refers to."""
    counts = _counts(made)
    return [_value(x) if type(x) is np.ndarray and n <= ALONE_IN_CONTAINER else x
            for x, n in zip(made, counts, strict=True)]


def _counts(items: list[Any] | tuple[Any, ...]) -> list[int]:
    return [sys.getrefcount(x) for x in items]


def _value(array: Any) -> Any:
    """Returns an array as a value of the graph, if it can be written and its memory is its own."""
    if not array.flags.writeable or array.dtype.hasobject or not (
            array.base is None or (type(array.base) is np.ndarray
                                   and _base_count(array) <= ALONE_AS_BASE)):
        return array
    return apply("copy", array, "K")


def _base_count(view: Any) -> int:
    return sys.getrefcount(view.base)


def _operator(made: Any) -> int:
    return _backend(made)


def _backend(made: Any) -> int:
    return _here(made)


def _here(made: Any) -> int:
    return sys.getrefcount(made)


ALONE = _operator(np.empty(0))
"""The references to an object that only the calls hold which lead to `new_array`."""

ALONE_IN_CONTAINER = _counts([np.empty(0)])[0]
ALONE_AS_BASE = _base_count(np.empty(2)[:1])
"""The references to an array that only a container, or a view, holds."""
