"""Arguments that share parts: a container bound by value that an input by reference leads to.

What the graph changes through the one would not show in the other, so both are by reference then.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from functools import partial
from types import (
    BuiltinMethodType,
    FunctionType,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any
from weakref import ref

import numpy as np

from autograph.libraries import is_library, package_of
from autograph.runtime.heap.objects import contents_of, parts_held
from autograph.runtime.ir.closures import bound_cells
from autograph.runtime.signatures.cache_keys import LITERALS

FLAT = frozenset({*LITERALS, np.ndarray, np.float64, np.int64, np.bool_, np.float32, np.int32})
"""Classes of objects that lead to no container."""

CLOSED = (type, FunctionType, MethodType, ModuleType, np.ndarray, np.generic)
"""Classes of what is no state itself."""


def shared_parts(references: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """Returns those of `values` that are one of `references`, or to which one leads.

    >>> x, y = [1], [2]
    >>> shared_parts([{"a": ([3], x)}], [x, y]), shared_parts([[4]], [x, y])
    ([[1]], [])
    """
    reached = _reached(references)
    return [x for x in {id(x): x for x in values}.values() if id(x) in reached]


def are_separate(references: tuple[Any, ...], values: tuple[Any, ...]) -> bool:
    """Returns True if nothing in `references` leads to one of `values`."""
    return not shared_parts(references, values)


def are_different(*lists: Any) -> bool:
    """Returns True if no two of the arguments are one object."""
    return len(set(map(id, lists))) == len(lists)


def led_to(references: tuple[Any, ...], objects: tuple[Any, ...]) -> tuple[bool, ...]:
    """Returns, for each of some objects, if `references` lead to it, or to what can be changed and
    it leads to; that it holds one of them counts not.

    >>> x = [1]
    >>> led_to(([3, x],), ({"a": x}, [2]))
    (True, False)
    """
    seen = {id(x) for x in reached_from(references)} - {id(x) for x in references}
    return tuple(any(id(part) in seen for part in reached_from([x])) for x in objects)


def reached_from(roots: Iterable[Any]) -> list[Any]:
    """Returns the containers and objects that can be changed and to which some values lead."""
    return [x for x in _reached(roots).values() if type(x) not in FLAT and not isinstance(
        x, (*CLOSED, tuple, frozenset)) and not _is_ours(x)]


def _reached(roots: Iterable[Any]) -> dict[int, Any]:
    """Returns by id what some values lead to, and these."""
    found: dict[int, Any] = {}
    pending = list(roots)
    while pending:
        x = pending.pop()
        if id(x) not in found:
            found[id(x)] = x
            pending += _inside(x)
    return found


def _inside(x: Any) -> list[Any]:
    """Returns what may be or hold a container in a container or an object, or in what leads to one.
    """
    parts: Any = parts_held(x)
    if parts is None or type(x) is MappingProxyType:
        parts = _behind(x)
    return [part for part in parts if type(part) not in FLAT]


def _behind(x: Any) -> list[Any]:
    """Returns what is behind an object that holds nothing itself: a function by its variables and
    defaults, and so on."""
    if isinstance(x, VIA):
        return gc.get_referents(x)
    if isinstance(x, FunctionType):
        return [] if is_library(str(x.__globals__.get("__name__") or "")) else [
            *(cell.cell_contents for _, cell in bound_cells(x)), *(x.__defaults__ or ()),
            *(x.__kwdefaults__ or {}).values()]
    if isinstance(x, ref):
        return [x()]
    return [] if isinstance(x, CLOSED) or _is_ours(x) else list(contents_of(x).values())


VIA = (MappingProxyType, MethodType, BuiltinMethodType, MethodWrapperType, partial)
"""Classes of what leads to another object and is none itself."""


def _is_ours(x: Any) -> bool:
    """Returns True for an object of this package, which leads to all of a trace."""
    return package_of(type(x).__module__) == "autograph"
