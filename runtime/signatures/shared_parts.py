"""Arguments that share parts: a container bound by value that an input by reference leads to.

What the graph changes through the one would not show in the other, so both are by reference then.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from types import FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph.own_attributes import own_dict
from autograph.runtime.signatures.cache_keys import LITERALS
from autograph.runtime.symbolic.allocation_sites import parts_of

FLAT = frozenset({*LITERALS, np.ndarray, np.float64, np.int64, np.bool_, np.float32, np.int32})
"""Classes of objects that lead to no container."""

CLOSED = (type, FunctionType, MethodType, ModuleType, np.ndarray, np.generic)


def shared_parts(references: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """Returns those of `values` that are one of `references`, or to which one leads.

    >>> x, y = [1], [2]
    >>> shared_parts([{"a": ([3], x)}], [x, y]), shared_parts([[4]], [x, y])
    ([[1]], [])
    """
    wanted = {id(x): x for x in values}
    found: dict[int, Any] = {}
    seen: set[int] = set()
    pending = list(references)
    while pending:
        x = pending.pop()
        if id(x) in wanted:
            found[id(x)] = x
        if id(x) not in seen:
            seen.add(id(x))
            pending += _inside(x)
    return list(found.values())


def are_separate(references: tuple[Any, ...], values: tuple[Any, ...]) -> bool:
    """Returns True if nothing in `references` leads to one of `values`."""
    return not shared_parts(references, values)


def _inside(x: Any) -> list[Any]:
    """Returns what may be or hold a container in a container or an object."""
    if type(x) is MappingProxyType:
        return gc.get_referents(x)
    parts = parts_of(x)
    if parts is None:
        parts = [] if isinstance(x, CLOSED) else list((own_dict(x) or {}).values())
    return [part for part in parts if type(part) not in FLAT]
