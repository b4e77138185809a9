"""Iterators of a trace have the names of Python's classes: Python's errors tell them."""

from __future__ import annotations

from functools import cache
from typing import Any

from autograph.operators.dispatch import BACKENDS
from autograph.runtime.heap.store_targets import ITERATORS
from autograph.runtime.ir.pytree import LEAVES


def of_class(x: Any, kind: Any) -> Any:
    """Gives an iterator of the trace the name of its class in plain Python, and returns it."""
    cls: Any = type(x)
    if cls in BACKENDS:
        made = _named(cls, f"{kind.__module__}.{kind.__name__}".removeprefix("builtins."))
        vars(object)["__class__"].__set__(x, made)  # a cursor has one of its own
    return x


@cache
def _named(cls: type, name: str) -> type:
    """Returns a class like another one, under another name."""
    if cls.__name__ == name:
        return cls
    made = type(name, (cls,), {"__slots__": ()})
    BACKENDS[made] = BACKENDS[cls]
    for known in (LEAVES, ITERATORS):
        if cls in known:
            known.add(made)
    return made
