"""Objects that stand for arrays of NumPy's: arrays under a tape. A call is bound with the array;
the containers that hold such an object, and may be changed, stay the caller's own."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any

from autograph.runtime.ir.pytree import children

STAND_INS: dict[type, Callable[[Any], Any]] = {}
"""By such a class: what gives the array for an object of it, on the same memory."""

UNDOERS: dict[type, Callable[[Any], Callable[[], None]]] = {}
"""By such a class: what gives the function that makes an object of it what it is now."""

Stands = list[tuple[Any, Any]]
"""The arrays that a call was bound with, and what stands for each."""


def array_of(x: Any) -> Any:
    """Returns the array for an object that stands for one; anything else as it is.

    >>> array_of(3)
    3
    """
    return STAND_INS[type(x)](x) if type(x) in STAND_INS else x


def put_back(nest: Any, stands: Stands) -> Any:
    """Returns a nest in which each array is again what stands for it; a list, dict or object is
    changed and stays itself.

    >>> array, stand, inner = [1.0], "stand", {"a": 2}
    >>> inner["b"] = (made := complex(3.5))
    >>> put_back([inner, (made, 4)], [(made, stand)])
    [{'a': 2, 'b': 'stand'}, ('stand', 4)]
    """
    known = {id(array): stand for array, stand in stands}
    seen: dict[int, Any] = {}

    def part(x: Any) -> Any:
        if id(x) in known:
            return known[id(x)]
        found = children(x)
        if found is None or id(x) in seen:
            return x
        seen[id(x)] = x
        made = [part(c) for c in found[1]]
        return x if all(map(is_, made, found[1])) else _changed(x, made, found[2])

    return part(nest)


def _changed(x: Any, parts: list[Any], rebuild: Callable[[list[Any]], Any]) -> Any:
    """Returns a container with other parts: itself, if it can be changed."""
    if isinstance(x, list):
        x[:] = parts
    elif isinstance(x, dict):
        x.update(rebuild(parts))
    elif hasattr(x, "__dict__") and not isinstance(x, tuple):
        vars(x).update(vars(rebuild(parts)))
    else:
        return rebuild(parts)
    return x
