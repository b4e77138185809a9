"""Heap locations: cells, globals, containers, attributes and files that a region may change.

The state of a region is everything that its trace changes, not only the variables that the syntax
shows. So the locations that a region's functions can reach are read before and after it, compared,
and written back. The `group` of a location says which locations are one state: once one variable
of a group holds a symbolic value from call to call, all of them do.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Hashable, Iterator, Mapping
from types import CellType, FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from autograph.own_attributes import declared_attributes, held, held_among, own_dict
from autograph.runtime.heap.objects import OF_ERRORS, aligned_attributes
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.own_contents import fill, own_contents
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ir.types import is_maybe_undefined
from autograph.runtime.ir.undefined import UndefinedGlobal, UndefinedValue, is_undefined
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor


class Cell:
    """A closure cell. Two locations of the same cell are equal."""

    __slots__ = ("cell", "name")
    group: Hashable = "closure"

    def __init__(self, cell: CellType, name: str) -> None:
        self.cell = cell
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and self.cell is other.cell

    def __hash__(self) -> int:
        return id(self.cell)

    def read(self) -> Any:
        """Returns what the cell holds; an `UndefinedValue` if the variable is unbound."""
        try:
            return self.cell.cell_contents
        except ValueError:
            return UndefinedValue(self.name)

    def write(self, value: Any) -> None:
        if is_undefined(value):
            del self.cell.cell_contents
        else:
            self.cell.cell_contents = value

    def same(self, a: Any, b: Any) -> bool:
        return a is b or (is_undefined(a) and is_undefined(b))


class Global:
    """A global variable that a function declares `global` and binds, or a variable of a library's
    module or object."""

    __slots__ = ("name", "scope")

    def __init__(self, scope: dict[str, Any], name: str) -> None:
        self.scope = scope
        self.name = name

    @property
    def group(self) -> Hashable:
        return "globals", id(self.scope)

    @property
    def home(self) -> str:
        """The module's name."""
        return str(self.scope.get("__name__", "an object of a library"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Global) and (
            self.scope is other.scope and self.name == other.name)

    def __hash__(self) -> int:
        return hash((id(self.scope), self.name))

    def read(self) -> Any:
        return self.scope.get(self.name, UndefinedGlobal(self.name))

    def write(self, value: Any) -> None:
        if is_undefined(value):
            self.scope.pop(self.name, None)
        else:
            self.scope[self.name] = value

    def same(self, a: Any, b: Any) -> bool:
        return a is b or (is_undefined(a) and is_undefined(b))


class Contents:
    """The contents of a container, or an object's attributes (its `__dict__`)."""

    __slots__ = ("container", "owner")

    def __init__(self, container: Any, owner: Any) -> None:
        self.container = container
        self.owner = owner

    @property
    def group(self) -> Hashable:
        return id(self.container)

    @property
    def has_attributes(self) -> bool:
        """True if these are the attributes of an object, and not the items of a container."""
        return self.owner is not self.container

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.container is other.container

    def __hash__(self) -> int:
        return id(self.container)

    def read(self) -> Any:
        """Returns a copy, in the form of `own_contents`."""
        return own_contents(self.container)  # a StagedList's own parts, Splices too

    def write(self, value: Any) -> None:
        if isinstance(value, Tensor) and hasattr(type(self.container), "become"):
            self.container.become(value)
            return
        if type(value) not in (dict, list, tuple, frozenset, bytes):
            here = trace.current_region()
            if here is not None and self.owner is self.container:
                here.trace.want(self.container, "gets another length or other keys when the graph "
                                                "runs")
            kind = list if isinstance(self.owner, list) else type(self.owner)
            raise TracingError(
                f"a {kind.__name__} gets another length or other keys on one side of a "
                f"staged branch or in a staged loop{at(user_location())}\n  hint: give it all its "
                "items before the branch or loop, or collect the values in an array")
        if self.has_attributes:
            value = _present(value)
        if hasattr(type(self.container), "hold"):
            self.container.hold(value)
        else:
            fill(self.container, value)

    def same(self, a: Any, b: Any) -> bool:
        if isinstance(a, bytes):
            return bool(a == b)
        if len(a) != len(b):
            return False
        if isinstance(a, dict):
            return all(k in b and b[k] is v for k, v in a.items()) and list(a) == list(b)
        if isinstance(a, frozenset):
            return {id(x) for x in a} == {id(x) for x in b}
        return all(x is y for x, y in zip(a, b, strict=True))


class Attributes(Contents):
    """The attributes of an object with `__slots__`, of a class, or of a function."""

    __slots__ = ()

    def __init__(self, owner: Any) -> None:
        super().__init__(owner, owner)

    __hash__ = Contents.__hash__
    has_attributes = True

    def read(self) -> dict[str, Any]:
        return dict(_attributes(self.owner))

    def write(self, value: Any) -> None:
        now, value = self.read(), _present(value)
        for name in now.keys() - value.keys():
            drop_attribute(self.owner, name)
        for name, new in value.items():
            if name not in now or now[name] is not new:
                set_attribute(self.owner, name, new)

    def same(self, a: Any, b: Any) -> bool:
        return a.keys() == b.keys() and all(b[name] is x for name, x in a.items())


class Defaults(Contents):
    """The defaults of a function's parameters, by position and by name."""

    __slots__ = ()

    def __init__(self, owner: FunctionType) -> None:
        super().__init__(owner, owner)

    __hash__ = Contents.__hash__
    has_attributes = True

    def read(self) -> dict[Any, Any]:
        return {**dict(enumerate(self.owner.__defaults__ or ())),
                **(self.owner.__kwdefaults__ or {})}

    def write(self, value: dict[Any, Any]) -> None:
        self.owner.__defaults__ = tuple(x for k, x in value.items() if type(k) is int) or None
        self.owner.__kwdefaults__ = {k: x for k, x in value.items() if type(k) is str} or None

    def same(self, a: Any, b: Any) -> bool:
        return a.keys() == b.keys() and all(b[name] is x for name, x in a.items())


class Members(Attributes):
    """The attributes in memory of a class written in C, such as an exception's arguments."""

    __slots__ = ()

    __hash__ = Contents.__hash__

    def read(self) -> dict[str, Any]:
        return held_among(self.owner, members_of(type(self.owner)))

    def write(self, value: Any) -> None:
        for name, new in value.items():
            if held(self.owner, name, value) is not new:  # one may set another
                set_attribute(self.owner, name, new)

    def same(self, a: Any, b: Any) -> bool:
        return a.keys() == b.keys() and all(
            b[name] is x or (type(x) is int and x == b[name]) for name, x in a.items())


def members_of(cls: type) -> list[str]:
    """Returns the attributes that exceptions and dicts keep in memory of their classes in C.

    >>> members_of(KeyError), members_of(dict)
    (['args', '__cause__', '__context__', '__suppress_context__'], [])
    """
    found = [*OF_ERRORS, "__context__"] if issubclass(cls, BaseException) else []
    return [*found, *(name for base in cls.__mro__ if "__slots__" not in vars(base)
                      for name, x in vars(base).items() if type(x) is MemberDescriptorType
                      )] if found or issubclass(cls, dict) else found


def attribute_locations(x: Any) -> list[Contents]:
    """Returns the locations of the attributes of an object: its `__dict__`, its `__slots__`, and
    what classes written in C keep in it."""
    own = own_dict(x)
    found = [] if own is None else [Contents(own, x)]
    if declared_attributes(type(x)):
        found.append(Attributes(x))
    return [*found, Members(x)] if members_of(type(x)) else found


def locations_of(x: Any) -> list[Contents]:
    """Returns the locations of what a container or an object holds."""
    return [Contents(x, x)] if is_plain_container(x) else attribute_locations(x)


def dict_of(location: HeapLocation) -> Mapping[Any, Any] | None:
    """Returns the dict of Python's own that is all of a location, or the one of a class, of which a
    part is; None for any other location."""
    if type(location) is Contents:
        return location.container if type(location.container) is dict else None
    if type(location) is Attributes and isinstance(location.owner, type):
        return vars(location.owner)
    return None


def _present(attributes: dict[str, Any]) -> dict[str, Any]:
    """Returns the attributes that exist, or may exist: those that are not marked as unbound. Notes
    those that may."""
    here = trace.current_region()
    if here is not None:
        here.trace.lacks.update(x._handle for x in attributes.values() if isinstance(
            x, Tensor) and is_maybe_undefined(x._handle.value.type))
    return {name: x for name, x in attributes.items() if not is_undefined(x)}


def _attributes(x: Any) -> Iterator[tuple[str, Any]]:
    """Yields the names and values of the attributes; of a class, its own that are data."""
    if isinstance(x, type):
        return ((name, value) for name, value in vars(x).items()
                if not (type(value) is FunctionType or name.startswith("__")
                        or isinstance(value, BEHAVIOUR)))
    if isinstance(x, FunctionType):
        return ((name, value) for name, value in vars(x).items() if not name.startswith("__"))
    return iter(held_among(x, declared_attributes(type(x))).items())


BEHAVIOUR = (FunctionType, property, functools.cached_property, classmethod, staticmethod,
             MemberDescriptorType, GetSetDescriptorType)
"""Types of class attributes that define how instances behave and hold no data."""


def set_attribute(x: Any, name: str, value: Any) -> None:
    """Sets an attribute without calling the class's own `__setattr__`.

    Raises:
      TracingError: code in C refuses a symbolic value.
    """
    try:
        (type if isinstance(x, type) else object).__setattr__(x, name, value)
    except TypeError as error:
        if not str(type(value).__module__).startswith("autograph."):
            raise
        raise TracingError(
            f"{name} of a {type(x).__name__} object depends on a condition that only the run knows"
            f"{at(user_location())}\n  hint: set it before, or make another object") from error


def drop_attribute(x: Any, name: str) -> None:
    """Deletes an attribute without calling the class's own `__delattr__`."""
    (type if isinstance(x, type) else object).__delattr__(x, name)


class File:
    """The contents and position of a file in memory, which cannot hold symbolic values."""

    __slots__ = ("owner",)

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __eq__(self, other: object) -> bool:
        return isinstance(other, File) and self.owner is other.owner

    def __hash__(self) -> int:
        return id(self.owner)

    def read(self) -> Any:
        return FILES[type(self.owner)][0](self.owner)

    def write(self, value: Any) -> None:
        if any(isinstance(x, Tensor) for x in all_leaves(value)):
            raise TracingError(
                f"a {type(self.owner).__name__} is written to in a staged branch or loop"
                f"{at(user_location())}\n  hint: collect the values in a list or an array, and "
                "write them to the file after it")
        if self.owner.closed and value is not None:
            raise TracingError(
                f"a {type(self.owner).__name__} is closed while the function is traced"
                f"{at(user_location())}\n  hint: close it outside the function")
        FILES[type(self.owner)][1](self.owner, value)

    def same(self, a: Any, b: Any) -> bool:
        return bool(a == b)


def _file_contents(file: Any) -> tuple[Any, int] | None:
    """Returns what a file in memory holds, and where it stands; None if it is closed."""
    return None if file.closed else (file.getvalue(), file.tell())


def _set_file_contents(file: Any, contents: tuple[Any, int] | None) -> None:
    if contents is None:
        file.close()
        return
    file.seek(0)
    file.truncate()
    file.write(contents[0])
    file.seek(contents[1])


FILES: dict[type, tuple[Callable[[Any], Any], Callable[[Any, Any], None]]] = {
    io.StringIO: (_file_contents, _set_file_contents),
    io.BytesIO: (_file_contents, _set_file_contents),
}
"""Class of a file in memory -> how its contents are read, and written back."""


def is_file(x: Any) -> bool:
    """Returns True for a file in memory."""
    return type(x) in FILES


HeapLocation = Cell | Global | Contents | File
"""A location that is read before a region and written back after it."""


def aligned(location: HeapLocation, *contents: Any) -> tuple[Any, ...]:
    """Returns what a location holds on several paths; of an object, the same attributes in the
    same order (see `aligned_attributes`)."""
    if not (isinstance(location, Contents) and location.has_attributes) or any(
            type(c) is not dict for c in contents):
        return contents
    return aligned_attributes(location.owner, *contents)
