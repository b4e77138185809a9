"""Named locations: single variables, attributes and items that the next call finds by name."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from autograph.runtime.heap.locations import (
    Attributes,
    Cell,
    Contents,
    Defaults,
    Global,
    HeapLocation,
    Members,
    drop_attribute,
    set_attribute,
)
from autograph.runtime.ir.own_contents import drop_item, get_item, put_item
from autograph.runtime.ir.undefined import UndefinedValue, is_undefined
from autograph.runtime.symbolic.allocation_sites import parts_of


class Absent:
    """The class of `ABSENT`."""

    def __repr__(self) -> str:
        return "<absent>"


ABSENT = Absent()
"""The content of a location while its variable, attribute or key does not exist."""


class Item:
    """An attribute of an object, or an item of a dict, by its key.

    The object is referred to weakly: a trace does not keep alive what it was made for. `identity`
    tells the locations of living objects apart. `owner` returns the object, `find` its contents.
    """

    __slots__ = ("find", "group", "identity", "key", "name", "owner", "told")

    def __init__(self, location: Contents, key: Any) -> None:
        self.owner, self.find = _finders(location)
        self.key = key
        self.name = key if isinstance(key, str) else type(location.owner).__name__
        kind, of = ("attribute", "an object of class") if location.has_attributes else ("item", "a")
        self.told = f"the {kind} {key!r} of {of} {type(location.owner).__name__}"
        if isinstance(location, Defaults):
            self.told = f"the default {key!r} of the function {location.owner.__name__}"
        self.identity = id(location.container), key
        self.group = location.group

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Item) or self.identity != other.identity:
            return False
        ours, theirs = self.find(), other.find()
        return ours is theirs or (
            type(ours) in FINDERS.values() and type(ours) is type(theirs)
            and ours.owner is theirs.owner)

    def __hash__(self) -> int:
        return hash(self.identity)

    def read(self) -> Any:
        found = self.find()
        return ABSENT if found is None else get_item(found, self.key, ABSENT)

    def write(self, value: Any) -> None:
        """Writes the item; of an object that is gone, nobody can tell."""
        found = self.find()
        if found is None:
            return
        if value is ABSENT or is_undefined(value):
            drop_item(found, self.key)
        else:
            put_item(found, self.key, value)


class Variable:
    """A closure variable or a global one."""

    __slots__ = ("group", "identity", "location", "name", "told")

    def __init__(self, location: Cell | Global) -> None:
        self.location = location
        self.name = location.name
        self.told = f"the variable {location.name!r}"
        self.group = location.group
        self.identity: Hashable = id(location.cell) if isinstance(location, Cell) else (
            id(location.scope), location.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variable) and self.location == other.location

    def __hash__(self) -> int:
        return hash(self.location)

    def read(self) -> Any:
        value = self.location.read()
        return ABSENT if is_undefined(value) else value

    def write(self, value: Any) -> None:
        if value is not ABSENT and not is_undefined(value):
            self.location.write(value)
        elif self.read() is not ABSENT:
            self.location.write(UndefinedValue(self.name))


NamedLocation = Item | Variable


def holder_of(location: NamedLocation | HeapLocation) -> Hashable:
    """Identifies what holds a location: a container, the attributes of an object, a variable."""
    if isinstance(location, Item):
        return location.identity[0]
    if isinstance(location, Contents):
        return id(location.container)
    return id(location.cell) if isinstance(location, Cell) else (
        location.identity if isinstance(location, Variable) else (
            (id(location.scope), location.name) if isinstance(location, Global) else location))


def owners_of(locations: Iterable[Any]) -> Callable[[], list[Any]] | None:
    """Returns what gives the owners of the attributes and items among some locations; None if
    there are none.

    Who has them keeps them alive: other writes of the same run may let one go that the run writes
    afterwards, and that its result leads to.
    """
    found = [x.owner for x in locations if isinstance(x, Item)]
    return (lambda: [owner() for owner in found]) if found else None


@dataclass(frozen=True)
class ExtendedList:
    """A list to which every run adds items; `find` returns it."""

    find: Callable[[], Any]

    def write(self, items: Any) -> None:
        list.extend(self.find(), items)


@dataclass(frozen=True)
class ReplacedList:
    """A list of which every run replaces all items; `find` returns it."""

    find: Callable[[], Any]

    def write(self, items: Any) -> None:
        list.__setitem__(self.find(), slice(None), items)


def told(target: Any) -> str:
    """Returns what a message calls the target of a write.

    >>> scope = {"total": [1]}
    >>> told(Variable(Global(scope, "total")))
    "the variable 'total'"
    >>> told(ExtendedList(Variable(Global(scope, "total")).read))
    "the list in the variable 'total'"
    """
    known = getattr(target, "told", None)
    if known is not None:
        return str(known)
    holder = getattr(getattr(getattr(target, "find", None), "__self__", None), "told", None)
    return "something" if holder is None else f"the list in {holder}"


def _finders(location: Contents) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Returns functions that find the owner and the dict again; they return None once the owner is
    gone."""
    container, owner = location.container, location.owner
    items: Callable[[Any], Any] = FINDERS.get(type(location), vars)
    if owner is container and items is vars:
        return lambda: container, lambda: container
    try:
        reference = weakref.ref(owner)
    except TypeError:  # __slots__ without __weakref__
        return lambda: owner, lambda: items(owner)

    def find() -> Any:
        living = reference()
        return None if living is None else items(living)

    return reference, find


class DefaultsDict:
    """The defaults of a function's parameters, with the methods of a dict."""

    __slots__ = ("owner",)

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def get(self, key: Any, default: Any) -> Any:
        return Defaults(self.owner).read().get(key, default)

    def __setitem__(self, key: Any, value: Any) -> None:
        location = Defaults(self.owner)
        location.write({**location.read(), key: value})


class AttributeDict:
    """The attributes of an object without a writable `__dict__`, with the methods of a dict."""

    __slots__ = ("owner",)
    location = Attributes

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def get(self, name: str, default: Any) -> Any:
        return self.location(self.owner).read().get(name, default)

    def pop(self, name: str, default: Any) -> None:
        if self.get(name, default) is not default:
            drop_attribute(self.owner, name)

    def __setitem__(self, name: str, value: Any) -> None:
        set_attribute(self.owner, name, value)


class MemberDict(AttributeDict):
    """The attributes in memory of a class written in C, with the methods of a dict."""

    __slots__ = ()
    location = Members


FINDERS: dict[type, Callable[[Any], Any]] = {
    Attributes: AttributeDict, Members: MemberDict, Defaults: DefaultsDict}
"""Class of a location -> what finds its contents; of others, the owner's `__dict__`."""


def changed_locations(location: HeapLocation, old: Any, new: Any) -> list[NamedLocation]:
    """Returns the named locations inside a heap location that hold something else now. Lists and
    sets have none."""
    if isinstance(location, (Cell, Global)):
        return [Variable(location)]
    if not isinstance(location, Contents) or not isinstance(old, dict):
        return []
    keys = dict.fromkeys([*old, *new])
    return [Item(location, k) for k in keys if old.get(k, ABSENT) is not new.get(k, ABSENT)]


def locations_holding(thing: Any, contents: Iterable[tuple[HeapLocation, Any]]
                      ) -> list[NamedLocation]:
    """Returns the named locations that hold this very object, alone or in lists and tuples;
    `contents` pairs each heap location with what it holds, or held at some time."""
    found: list[NamedLocation] = []
    pairs = list(contents)
    items = {id(x.container): held for x, held in pairs if isinstance(x, Contents)}
    for location, held in pairs:
        if isinstance(location, (Cell, Global)):
            found += [Variable(location)] if _leads_to(held, thing, items) else []
        elif isinstance(location, Contents) and isinstance(held, dict):
            found += [Item(location, k) for k, x in held.items() if _leads_to(x, thing, items)]
    return found


def _leads_to(x: Any, thing: Any, items: dict[int, Any]) -> bool:
    """Returns True if an object is the thing, or a list or tuple that leads to it; `items`: by id,
    what containers held."""
    return x is thing or (isinstance(x, (list, tuple, deque)) and any(
        _leads_to(part, thing, items) for part in items.get(id(x), parts_of(x) or ())))
