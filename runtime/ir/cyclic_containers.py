"""Containers and data classes that contain themselves: a trace takes them apart without an end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, NoReturn

from autograph.own_attributes import own_dict
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import field_names

CONTAINERS = (list, tuple, dict, set, frozenset, deque)
DEEPEST = 60
"""So many frames are looked at: one round through a container takes fewer."""


@contextmanager
def refused_cycles(locate: Callable[[BaseException], object | None]) -> Iterator[None]:
    """Refuses a container that contains itself where it is taken apart without an end.

    locate: returns where an exception was raised.

    Raises:
      TracingError: in place of a RecursionError whose frames hold such a container.
    """
    try:
        yield
    except RecursionError as error:
        found = next((x for x in _held(error.__traceback__) if is_cyclic(x)), None)
        if found is None:
            raise
        refuse_cycle(found, locate(error))


def refuse_cycle(container: Any, location: object | None) -> NoReturn:
    """Refuses a container that contains itself: a call runs as plain Python.

    Raises:
      TracingError: always.
    """
    if isinstance(container, CONTAINERS):
        kind, other = "dict" if isinstance(container, dict) else "list", "an object"
    else:
        kind, other = f"data class {type(container).__name__}", "a class that is no data class"
    raise TracingError(
        f"the function uses a {kind} that contains itself{at(location)}\n"
        f"  hint: keep the reference back in an attribute of {other}", about_state=True) from None


def _has_items(x: Any) -> bool:
    return isinstance(x, CONTAINERS) or field_names(type(x)) is not None


def _held(traceback: TracebackType | None) -> list[Any]:
    """Returns the containers that the variables of the innermost frames hold, and those in their
    attributes."""
    frames = []
    while traceback is not None:
        frames.append(traceback.tb_frame)
        traceback = traceback.tb_next
    held = [x for frame in frames[-DEEPEST:] for x in frame.f_locals.values()]
    held += [y for x in held for y in (own_dict(x) or {}).values()]
    return list(filter(_has_items, held))


def is_cyclic(container: Any) -> bool:
    """Returns True if a container contains itself, or one that does.

    >>> items = [1]
    >>> is_cyclic(items)
    False
    >>> items.append((2, items))
    >>> is_cyclic(items)
    True
    """
    around: dict[int, Any] = {}
    done: dict[int, Any] = {}
    pending: list[tuple[Any, bool]] = [(container, False)]
    while pending:
        x, left = pending.pop()
        if left:
            done[id(x)] = around.pop(id(x))
        elif id(x) in around:
            return True
        elif id(x) not in done:
            around[id(x)] = x
            pending.append((x, True))
            pending += [(y, False) for y in _items(x) if _has_items(y)]
    return False


def _items(x: Any) -> list[Any]:
    """Returns the items as they are stored: a subclass may refuse to give them."""
    if not isinstance(x, CONTAINERS):
        return list((own_dict(x) or {}).values())
    if isinstance(x, dict):
        return list(dict.values(x))
    cls: Any = next(c for c in CONTAINERS if isinstance(x, c))
    return list(cls.__iter__(x))
