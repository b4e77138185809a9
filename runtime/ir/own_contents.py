"""The contents of Python's containers, read and written by the class that is written in C: what the
methods of a user's subclass make of them, they made when the program called them."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Any

from autograph.runtime.ir.buffers_of_numbers import BUFFERS, contents, put

DICTS = (OrderedDict, dict)
WRITTEN_IN_C = (*DICTS, list, set, deque)


def own_class(x: Any) -> Any:
    """Returns the class written in C that a container is an instance of.

    >>> from collections import Counter
    >>> own_class(Counter("ab"))
    <class 'dict'>
    """
    cls = type(x)
    return cls if cls in WRITTEN_IN_C else next(c for c in WRITTEN_IN_C if isinstance(x, c))


def own_contents(x: Any) -> Any:
    """Returns a copy of what a container holds: a dict for a dict, a list for a list, a tuple for a
    deque, a frozenset for a set, bytes for a buffer."""
    if isinstance(x, BUFFERS):
        return contents(x)
    cls = own_class(x)
    if cls in DICTS:
        return dict(cls.items(x))
    kind = list if cls is list else frozenset if cls is set else tuple
    return kind(cls.__iter__(x))


def own_values(x: Any) -> list[Any]:
    """Returns the values of a dict, or the items of another container that is no buffer."""
    cls = own_class(x)
    return list(cls.values(x) if cls in DICTS else cls.__iter__(x))


def fill(x: Any, held: Any) -> None:
    """Gives a container new contents."""
    if isinstance(x, BUFFERS):
        put(x, held)
        return
    cls = own_class(x)
    cls.clear(x)
    if cls in DICTS:
        for key, value in own_contents(held).items():
            cls.__setitem__(x, key, value)
    elif cls is set:
        cls.update(x, held)
    else:
        cls.extend(x, held)


def get_item(x: Any, key: Any, default: Any) -> Any:
    """Returns an item of a dict, or of what has the methods of one."""
    return _own(x).get(x, key, default)


def put_item(x: Any, key: Any, value: Any) -> None:
    """Sets an item of a dict, or of what has the methods of one."""
    _own(x).__setitem__(x, key, value)


def drop_item(x: Any, key: Any) -> None:
    """Deletes an item of a dict, or of what has the methods of one, if it is there."""
    if not isinstance(x, dict):
        x.pop(key, None)
    elif dict.__contains__(x, key):
        own_class(x).__delitem__(x, key)


def _own(x: Any) -> Any:
    return own_class(x) if isinstance(x, dict) else type(x)
