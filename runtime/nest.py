"""Nests of tuples, lists, dicts, namedtuples and dataclasses: what is in them, and how to build
them."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

Rebuild = Callable[[list[Any]], Any]


def children(x: Any) -> tuple[Any, list[Any], Rebuild] | None:
    """(kind, children, rebuild) of a container, or None for a leaf.

    Two containers of equal kind have the same structure one level down. Subclasses of list and dict
    that carry more than their items are leaves. A class with `__ag_flatten__` (instance ->
    metadata and components) and `__ag_unflatten__` (classmethod: metadata and components ->
    instance) is a container.

    >>> kind, inside, rebuild = children({"a": 1, "b": 2})
    >>> inside, rebuild([3, 4])
    ([1, 2], {'a': 3, 'b': 4})
    """
    cls = type(x)
    if cls is tuple or cls is list:
        return (cls, len(x)), list(x), cls
    if cls is dict:
        keys = tuple(x)
        return (cls, keys), list(x.values()), lambda new: dict(zip(keys, new, strict=True))
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return (cls, len(x)), list(x), lambda new: cls(*new)
    if cls is OrderedDict or cls is defaultdict:
        return _dict_subclass_children(x)
    if hasattr(cls, "__ag_flatten__"):
        metadata, inside = x.__ag_flatten__()
        return (cls, metadata), list(inside), lambda new: cls.__ag_unflatten__(metadata, new)
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return _dataclass_children(x)
    return None


def _dict_subclass_children(x: Any) -> tuple[Any, list[Any], Rebuild]:
    cls, keys = type(x), tuple(x)
    first = (x.default_factory,) if cls is defaultdict else ()
    return (cls, *first, keys), list(x.values()), lambda new: cls(
        *first, zip(keys, new, strict=True))


def _dataclass_children(x: Any) -> tuple[Any, list[Any], Rebuild]:
    names = tuple(f.name for f in dataclasses.fields(x))

    def rebuild(new: list[Any]) -> Any:
        made = object.__new__(type(x))  # not __init__: it may compute, and has run already
        for name, value in zip(names, new, strict=True):
            object.__setattr__(made, name, value)
        return made

    return (type(x), names), [getattr(x, n) for n in names], rebuild


def map_nest(fn: Callable[[Any], Any], x: Any) -> Any:
    """Rebuild a nest with `fn` applied to its leaves."""
    found = children(x)
    if found is None:
        return fn(x)
    _, inside, rebuild = found
    return rebuild([map_nest(fn, c) for c in inside])


def flatten(x: Any) -> Iterator[Any]:
    """The leaves of a nest, in order."""
    found = children(x)
    if found is None:
        yield x
    else:
        for c in found[1]:
            yield from flatten(c)
