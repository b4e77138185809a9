"""A dictionary keyed by the identity of objects, whose entries go when their object dies."""

from __future__ import annotations

import weakref
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class _Key(weakref.ref[Any]):
    """A weak reference with the id of the object that it referred to."""

    __slots__ = ("key",)
    key: int


class IdentityDict(Generic[V]):
    """Maps objects to values by identity: they need be neither hashable nor comparable.

    `values` may be read directly, by `id(object)`: that is the fastest look-up there is.
    """

    def __init__(self) -> None:
        values: dict[int, V] = {}
        keys: dict[int, object] = {}

        def forget(key: _Key) -> None:  # holds the tables: it may be called when modules are gone
            values.pop(key.key, None)
            keys.pop(key.key, None)

        self.values, self._keys, self._forget = values, keys, forget

    def __contains__(self, thing: object) -> bool:
        return id(thing) in self.values

    def get(self, thing: object) -> V | None:
        """Returns the value of an object, or None."""
        return self.values.get(id(thing))

    def put(self, thing: object, value: V) -> None:
        """Sets the value of an object; TypeError if it cannot be referred to weakly."""
        key = _Key(thing, self._forget)
        key.key = id(thing)
        self._keys[id(thing)] = key
        self.values[id(thing)] = value

    def put_for_good(self, thing: object, value: V) -> None:
        """Sets the value of an object, and keeps the object alive."""
        self._keys[id(thing)] = thing
        self.values[id(thing)] = value

    def discard(self, thing: object) -> None:
        """Removes an object, if it is there."""
        self.values.pop(id(thing), None)
        self._keys.pop(id(thing), None)

    def clear(self) -> None:
        """Removes all objects."""
        self.values.clear()
        self._keys.clear()
