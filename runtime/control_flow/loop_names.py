"""The names that the user gave a loop's variables and its item; values of the graph have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor

Fn = Callable[..., Any]


def unwrapped(body: Fn) -> Fn:
    """Returns the function that the user wrote."""
    while hasattr(body, "__wrapped__"):
        body = body.__wrapped__
    return body


def names_of(body: Fn) -> list[str]:
    """Returns the names of a body's parameters; one empty name if it has none by name."""
    code = getattr(unwrapped(body), "__code__", None)
    return list(code.co_varnames[: code.co_argcount]) or [""] if code is not None else [""]


def item_named(name: str, get: Callable[[], Any]) -> Any:
    """Returns the item that `get` gives for an iteration. The value recorded for it gets this name,
    not that of the variable to which the loop's result is bound."""
    here = trace.current_region()
    before = 0 if here is None else len(here.graph.equations)
    item = get()
    for e in here.graph.equations[before:] if here is not None else ():
        for made in e.outputs:
            is_item = isinstance(item, Tensor) and item._handle.value is made
            made.hint = name if is_item else ""
    return item
