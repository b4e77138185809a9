"""The keys of captured values, and the objects that lead to others which a trace may have read."""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Container, Hashable, Iterable, Sequence
from types import MappingProxyType
from typing import Any
from weakref import ProxyTypes, ref

import numpy as np

from autograph.own_attributes import own_dict
from autograph.runtime.heap.reachability import behind
from autograph.runtime.ir.buffers_of_numbers import BUFFERS, contents
from autograph.runtime.signatures.cache_keys import (
    LITERALS,
    Identity,
    Key,
    Node,
    items_key,
    value_key,
)
from autograph.runtime.symbolic.variables import Variable

SHOWING: tuple[type, ...] = (property, MappingProxyType, *(type(view({})) for view in (
    dict.keys, dict.values, dict.items)))
"""Classes of objects that show others, and may not be given others."""


def shown_by(x: Any) -> Sequence[Any] | None:
    """Returns the objects that a property, a view of a dict or a weak reference shows; None for
    other objects."""
    if type(x) in ProxyTypes:
        return behind(x)
    if isinstance(x, SHOWING):
        return gc.get_referents(x)
    return (x(),) if isinstance(x, ref) else None


def items_held(x: Any) -> Iterable[tuple[Any, Any]]:
    """Returns the keys, or numbers, and the items of a container: its own methods are not asked.

    >>> list(items_held(["a", "b"])), list(items_held({"a": 1}))
    ([(0, 'a'), (1, 'b')], [('a', 1)])
    """
    kind: Any = next(cls for cls in (list, tuple, dict, deque) if isinstance(x, cls))
    return dict.items(x) if kind is dict else enumerate(kind.__iter__(x))


def value_or_contents_key(x: Any, inputs: Container[Hashable] = ()) -> Key:
    """Returns the key of a value; that of a container is the key of its contents, without the items
    of dicts that are inputs of the trace."""
    return items_key(x, _leaf_key, inputs=inputs)


def _leaf_key(x: Any) -> Key:
    if type(x) is np.ndarray and x.dtype.hasobject:
        return Node(np.ndarray, (Identity(x), x.dtype, x.shape, tuple(map(Identity, x.flat))))
    if isinstance(x, np.ndarray) and not x.dtype.hasobject:
        return Node(np.ndarray, (Identity(x), *contents_of(x)))
    if isinstance(x, BUFFERS):
        return Node(type(x), (Identity(x), hash(contents(x))))
    return Identity(x) if isinstance(x, (np.ndarray, Variable)) else value_key(x)


def contents_of(x: np.ndarray) -> tuple[Any, ...]:
    """Returns what tells the items of an array from others, and its mask, if it has one."""
    masks = sys.modules.get("numpy.ma")
    mask = masks.getmaskarray(x).tobytes() if masks and isinstance(x, masks.MaskedArray) else b""
    return x.dtype, x.shape, hash(np.asarray(x).tobytes()), hash(mask)


def simple_attributes(owner: Any) -> Key:
    """Returns the numbers and texts that an object has as attributes, by their names."""
    return tuple((name, value_or_contents_key(x)) for name, x in (own_dict(owner) or {}).items()
                 if type(x) in LITERALS)
