"""Slots: single variables outside a function that it may change, read and written by name."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from autograph.runtime.heap.places import (
    Attributes,
    Cell,
    Contents,
    Global,
    Place,
    drop_attribute,
    set_attribute,
)
from autograph.runtime.ir.undefined import UndefinedValue, is_undefined
from autograph.runtime.symbolic.allocation_sites import parts_of


class Absent:
    """Stands for what a slot holds while its variable, attribute or key is not there."""

    def __repr__(self) -> str:
        return "<absent>"


ABSENT = Absent()


class Item:
    """An attribute of an object, or an item of a dict, by its key.

    Objects are referred to weakly: a trace does not keep what it is for. `mark` tells slots of
    living objects apart.
    """

    __slots__ = ("find", "group", "key", "mark", "name")

    def __init__(self, place: Contents, key: Any) -> None:
        self.find = _finder(place)
        self.key = key
        self.name = key if isinstance(key, str) else type(place.owner).__name__
        self.mark = id(place.container), key
        self.group = place.group

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Item) or self.mark != other.mark:
            return False
        ours, theirs = self.find(), other.find()
        return ours is theirs or (
            isinstance(ours, Members) and isinstance(theirs, Members)
            and ours.owner is theirs.owner)

    def __hash__(self) -> int:
        return hash(self.mark)

    def read(self) -> Any:
        found = self.find()
        return ABSENT if found is None else found.get(self.key, ABSENT)

    def write(self, value: Any) -> None:
        if value is ABSENT or is_undefined(value):
            self.find().pop(self.key, None)
        else:
            self.find()[self.key] = value

    put = write


class Variable:
    """A closure variable or a global one."""

    __slots__ = ("group", "mark", "name", "place")

    def __init__(self, place: Cell | Global) -> None:
        self.place = place
        self.name = place.name
        self.group = place.group
        self.mark: Hashable = id(place.cell) if isinstance(place, Cell) else (
            id(place.scope), place.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variable) and self.place == other.place

    def __hash__(self) -> int:
        return hash(self.place)

    def read(self) -> Any:
        value = self.place.take()
        return ABSENT if is_undefined(value) else value

    def write(self, value: Any) -> None:
        if value is not ABSENT and not is_undefined(value):
            self.place.put(value)
        elif self.read() is not ABSENT:
            self.place.put(UndefinedValue(self.name))

    put = write


Slot = Item | Variable


@dataclass(frozen=True)
class Extended:
    """A list that every run adds items to; `find` finds it."""

    find: Callable[[], Any]

    def put(self, items: Any) -> None:
        self.find().extend(items)


@dataclass(frozen=True)
class Replaced:
    """A list that every run gives other items to; `find` finds it."""

    find: Callable[[], Any]

    def put(self, items: Any) -> None:
        self.find()[:] = items


def _finder(place: Contents) -> Callable[[], Any]:
    """A function that finds the dict again; None once the object that it belongs to is gone."""
    container, owner = place.container, place.owner
    items: Callable[[Any], Any] = Members if isinstance(place, Attributes) else vars
    if owner is container and items is vars:
        return lambda: container
    try:
        reference = weakref.ref(owner)
    except TypeError:  # __slots__ without __weakref__
        return lambda: items(owner)

    def find() -> Any:
        living = reference()
        return None if living is None else items(living)

    return find


class Members:
    """The attributes of what has no `__dict__` to write to, as a dict has its items."""

    __slots__ = ("owner",)

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def get(self, name: str, default: Any) -> Any:
        return Attributes(self.owner).take().get(name, default)

    def pop(self, name: str, default: Any) -> None:
        if self.get(name, default) is not default:
            drop_attribute(self.owner, name)

    def __setitem__(self, name: str, value: Any) -> None:
        set_attribute(self.owner, name, value)


def changed_slots(place: Place, old: Any, new: Any) -> list[Slot]:
    """The slots of a place that hold something else now; none for lists and sets."""
    if isinstance(place, (Cell, Global)):
        return [Variable(place)]
    if not isinstance(place, Contents) or not isinstance(old, dict):
        return []
    keys = dict.fromkeys([*old, *new])
    return [Item(place, k) for k in keys if old.get(k, ABSENT) is not new.get(k, ABSENT)]


def slots_leading_to(thing: Any, held: Iterable[tuple[Place, Any]]) -> list[Slot]:
    """The slots, of places that hold so and so, in which this very object is found: alone, or in
    lists and tuples."""
    found: list[Slot] = []
    for place, values in held:
        if isinstance(place, (Cell, Global)):
            found += [Variable(place)] if _leads_to(values, thing) else []
        elif isinstance(place, Contents) and isinstance(values, dict):
            found += [Item(place, k) for k, x in values.items() if _leads_to(x, thing)]
    return found


def _leads_to(x: Any, thing: Any) -> bool:
    return x is thing or (isinstance(x, (list, tuple, deque)) and any(
        _leads_to(part, thing) for part in parts_of(x) or ()))
