"""Iterators of a trace, as a program sees them: `iter(e) is e` and `e.__next__()`.

Python's own code in C asks a class for `__iter__` and `__next__`, and reads items while it is known
that there are some. A program that asks an iterator by name gets what `iter` and `next` do in a
trace. So all classes of iterators have one protocol, whatever makes their items.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.runtime.heap.iterators import Cursor
from autograph.runtime.ir.call_frames import is_structural
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor
from autograph.staging.generators import Generated, Items
from autograph.staging.iterator_builtins import next_

_items_in_python = Items.__iter__


def _iter(items: Items) -> Any:
    """Gives Python what it iterates over: an iterator itself."""
    if items.position is None:
        return _items_in_python(items)
    if isinstance(items.length, Tensor) and is_structural(sys._getframe(1)):
        trace.want_one("is unpacked with a star, and known only when the graph runs")
    return items


def _next(items: Items) -> Any:
    """Gives Python the next item.

    Raises:
      SymbolicValueError: only the run knows if there is one.
    """
    if items.position is None:
        raise TypeError(f"{type(items).__name__!r} object is not an iterator")
    end = len(range(items.length))  # only the run may know it
    if (i := items.position.moved(items.position.values)) < end:
        items.position.moved(i + 1)
        return items.get(i)
    if items.end is not None:
        items.end()
    raise StopIteration


BY_NAME: dict[str, Callable[[Any], Any]] = {
    "__iter__": lambda x: lambda: x, "__next__": lambda x: partial(next_, x)}
"""What a program gets that asks an iterator for a method by its name."""


def _attribute_of(cls: type) -> Callable[[Any, str], Any]:
    found: Any = cls.__getattribute__

    def attribute(x: Any, name: str) -> Any:
        if name in BY_NAME and not (isinstance(x, Items) and x.position is None):
            return BY_NAME[name](x)
        return found(x, name)

    return attribute


def kind_of(x: Any) -> Any:
    """Returns the class of Python's that an iterator of the trace has for a program; None for
    anything else, and for a cursor, which tells it itself."""
    return x.kind if issubclass(type(x), (Items, Generated)) else None


def _hand_over(x: Any) -> None:
    """Notes that code of which nothing is known has an iterator: only the run knows how far it is
    read then."""
    if isinstance(x, Items) and x.position is not None:
        x.position.unknown = True
    elif isinstance(x, Generated):
        x.read_by_loop, x.reads_on, x.ended = True, False, False
    else:
        x.handed_on = True


PROTOCOL: dict[str, Any] = {"__ag_hand_over__": _hand_over}
METHODS: tuple[tuple[type, dict[str, Any]], ...] = (
    (Items, {**PROTOCOL, "__iter__": _iter, "__next__": _next,
             "__getattribute__": _attribute_of(Items)}),
    (Generated, {**PROTOCOL, "__getattribute__": _attribute_of(Generated)}),
    (Cursor, {**PROTOCOL, "__getattribute__": _attribute_of(Cursor)}))
"""What the classes of iterators get from here."""

ITERATORS = (Items, Generated, Cursor)
