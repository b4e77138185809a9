"""Attributes of iterators that a trace reads by index: those that Python's own have, too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.staging.generators import Items
from autograph.staging.iterator_builtins import next_


def _attribute(items: Items, name: str) -> Any:
    """Returns `x.__next__` of an iterator; there is no other attribute that it does not have."""
    if name == "__next__" and items.position is not None:
        return partial(next_, items)
    raise AttributeError(f"{type(items).__name__!r} object has no attribute {name!r}")


METHODS: dict[str, Callable[..., Any]] = {"__getattr__": _attribute}
