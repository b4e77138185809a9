"""The contents of Python's containers, read and written by the class that is written in C: what the
methods of a user's subclass make of them, they made when the program called them."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Any

from autograph.runtime.ir.buffers_of_numbers import BUFFERS, contents, making, put
from autograph.runtime.ir.pytree import before_pairs, makes_tuples
from autograph.runtime.ir.types import CONTAINERS
from autograph.weak_id_dict import IdentityDict

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
    if type(x) is dict:
        return x.copy()
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


def base_beneath(cls: Any) -> Any:
    """Returns the class of Python's that fills the objects of a container or tuple class of the
    user's, where a call of that class does more; None if a call does just that.

    >>> class Bounded(list):
    ...     def __init__(self, most, *items):
    ...         super().__init__(items)
    >>> base_beneath(Bounded), base_beneath(list)
    (<class 'list'>, None)
    """
    if cls in CONTAINERS or not isinstance(cls, type) or cls is tuple:
        return None
    if id(cls) not in _beneath.values:
        _beneath.put(cls, (_base_beneath(cls),))
    return _beneath.values[id(cls)][0]


_beneath: IdentityDict[tuple[Any]] = IdentityDict()
"""A class -> what `base_beneath` returns for it."""


def _base_beneath(cls: Any) -> Any:
    if makes_tuples(cls):
        base = next((c for c in cls.__mro__ if "_fields" in vars(c)), None)
        return None if base is not None and _calls_like(cls, base) else tuple
    base = next((c for c in cls.__mro__ if c in CONTAINERS), None)
    return None if base is None or _calls_like(cls, base) else base


def _calls_like(cls: Any, base: Any) -> bool:
    """Returns True if a call of a class runs no other code than one of its base."""
    return type(cls).__call__ is type.__call__ and all(
        getattr(cls, name, None) is getattr(base, name, None) for name in FILLING)


FILLING = ("__new__", "__init__", "__setitem__", "update", "append", "extend", "add")
"""The methods that may run while a container is made of what it holds."""


def container(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Returns `cls(*args, **kwargs)`; of a user's class what Python's own makes of that: the user's
    `__init__` and `__new__` have run already. Of a tuple of a user's class, the parts
    are given."""
    base = base_beneath(cls)
    if base is None:
        return cls(*args, **kwargs)
    if base is tuple:
        return tuple.__new__(cls, args)
    if not issubclass(base, dict):
        return made_by(base, cls, *args, **kwargs)
    made, (*before, items) = base.__new__(cls), args
    if before:
        base.__init__(made, *before)
    fill(made, dict(items))
    return made


def made_by(base: Any, cls: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Returns a new object of a class as one of its bases makes it."""
    made = base.__new__(cls, *args, **kwargs)
    if base.__init__ is not object.__init__:
        base.__init__(made, *args, **kwargs)
    return made


def content(x: Any) -> list[Any]:
    """Returns the arguments with which `container` makes one like `x`.

    >>> content(deque([1, 2], 3)), content({"a": 1})
    ([[1, 2], 3], [{'a': 1}])
    """
    if isinstance(x, BUFFERS):
        return list(making(x))
    if isinstance(x, dict):
        return [*before_pairs(x), dict(own_class(x).items(x))]
    return [own_values(x), x.maxlen] if isinstance(x, deque) else [own_values(x)]


def empty_like(x: Any) -> Any:
    """Returns an empty container of the same class, but no buffer; it has no attributes."""
    if isinstance(x, dict):
        return container(type(x), *before_pairs(x), {})
    return container(type(x), (), *((x.maxlen,) if isinstance(x, deque) else ()))


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
