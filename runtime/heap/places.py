"""Places: what a function can rebind or change besides its own locals, as state that can be put
back.

A region's state is what its trace changes, not only what the syntax shows: closure cells, and
lists, dicts, sets and objects that the functions can reach. A place is read before and after, and
put back.

The `group` of a place: what is state together. Once one variable of a group keeps a symbolic value
from call to call, all are kept.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from types import (
    CellType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
)
from typing import Any

from autograph.runtime.heap.objects import slot_names
from autograph.runtime.ir import buffers_of_numbers
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.undefined import UndefinedValue, is_undefined
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor


class Cell:
    """A closure cell; two places of one cell are equal."""

    __slots__ = ("cell", "name")
    group: Hashable = "closure"

    def __init__(self, cell: CellType, name: str) -> None:
        self.cell = cell
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and self.cell is other.cell

    def __hash__(self) -> int:
        return id(self.cell)

    def take(self) -> Any:
        """What the cell holds; an `UndefinedValue` if the variable is unbound."""
        try:
            return self.cell.cell_contents
        except ValueError:
            return UndefinedValue(self.name)

    def put(self, value: Any) -> None:
        if is_undefined(value):
            del self.cell.cell_contents
        else:
            self.cell.cell_contents = value

    def same(self, a: Any, b: Any) -> bool:
        return a is b


class Global:
    """A global variable that a function declares `global` and binds."""

    __slots__ = ("name", "scope")

    def __init__(self, scope: dict[str, Any], name: str) -> None:
        self.scope = scope
        self.name = name

    @property
    def group(self) -> Hashable:
        return "globals", id(self.scope)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Global) and (
            self.scope is other.scope and self.name == other.name)

    def __hash__(self) -> int:
        return hash((id(self.scope), self.name))

    def take(self) -> Any:
        return self.scope.get(self.name, UndefinedValue(self.name))

    def put(self, value: Any) -> None:
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
        """Whether these are the attributes of an object."""
        return self.owner is not self.container

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.container is other.container

    def __hash__(self) -> int:
        return id(self.container)

    def take(self) -> Any:
        """A copy: a dict for a dict, a list for a list, a tuple for a deque, a frozenset for a
        set, bytes for a buffer."""
        if isinstance(self.container, buffers_of_numbers.BUFFERS):
            return buffers_of_numbers.contents(self.container)
        if isinstance(self.container, dict):
            return dict(self.container)
        if isinstance(self.container, list):
            return list(list.__iter__(self.container))  # of a staged list, what it is made of
        return (frozenset if isinstance(self.container, set) else tuple)(self.container)

    def put(self, value: Any) -> None:
        if isinstance(value, Tensor) and hasattr(self.container, "become"):
            self.container.become(value)
            return
        if type(value) not in (dict, list, tuple, frozenset, bytes):
            here = trace.current_region()
            if here is not None and self.owner is self.container:
                here.trace.want(self.container, "gets another length or other keys when the graph "
                                                "runs")
            raise TracingError(
                f"a {type(self.owner).__name__} gets another length or other keys on one side of a "
                f"staged branch or in a staged loop{at(user_location())}\n  hint: give it all its "
                "items before, or collect values in an array")
        if isinstance(self.container, buffers_of_numbers.BUFFERS):
            buffers_of_numbers.put(self.container, value)
            return
        if self.has_attributes:
            value = _present(value)
        self.container.clear()
        if isinstance(self.container, list):
            list.extend(self.container, value)
        elif isinstance(self.container, deque):
            self.container.extend(value)
        else:
            self.container.update(value)

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
    """What an object keeps in `__slots__`, or a class or a function as its attributes."""

    __slots__ = ()

    def __init__(self, owner: Any) -> None:
        super().__init__(owner, owner)

    __hash__ = Contents.__hash__
    has_attributes = True

    def take(self) -> dict[str, Any]:
        return dict(_attributes(self.owner))

    def put(self, value: Any) -> None:
        now, value = self.take(), _present(value)
        for name in now.keys() - value.keys():
            drop_attribute(self.owner, name)
        for name, new in value.items():
            if name not in now or now[name] is not new:
                set_attribute(self.owner, name, new)

    def same(self, a: Any, b: Any) -> bool:
        return a.keys() == b.keys() and all(b[name] is x for name, x in a.items())


def _present(attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes that certainly, or perhaps, are there."""
    return {name: x for name, x in attributes.items() if not is_undefined(x)}


def _attributes(x: Any) -> Iterator[tuple[str, Any]]:
    """The names and values; of a class those that are data, and its own."""
    if isinstance(x, type):
        return ((name, value) for name, value in vars(x).items()
                if not (name.startswith("__") or isinstance(value, BEHAVIOUR)))
    if isinstance(x, FunctionType):
        return ((name, value) for name, value in vars(x).items() if not name.startswith("__"))
    return ((name, getattr(x, name)) for name in slot_names(type(x)) if hasattr(x, name))


BEHAVIOUR = (FunctionType, property, cached_property, classmethod, staticmethod,
             MemberDescriptorType, GetSetDescriptorType)
"""What a class says of its instances, and is not data."""


def set_attribute(x: Any, name: str, value: Any) -> None:
    """Sets it past what the class of `x` does when an attribute is set."""
    (type if isinstance(x, type) else object).__setattr__(x, name, value)


def drop_attribute(x: Any, name: str) -> None:
    (type if isinstance(x, type) else object).__delattr__(x, name)


class File:
    """The contents of a file in memory, which stays Python's own: no symbolic values."""

    __slots__ = ("owner",)

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __eq__(self, other: object) -> bool:
        return isinstance(other, File) and self.owner is other.owner

    def __hash__(self) -> int:
        return id(self.owner)

    def take(self) -> Any:
        return FILES[type(self.owner)][0](self.owner)

    def put(self, value: Any) -> None:
        if any(isinstance(x, Tensor) for x in flatten(value)):
            raise TracingError(
                f"a {type(self.owner).__name__} is changed in a staged branch or loop"
                f"{at(user_location())}\n  hint: keep the values in a list or an array")
        FILES[type(self.owner)][1](self.owner, value)

    def same(self, a: Any, b: Any) -> bool:
        return bool(a == b)


def _told(file: Any) -> tuple[Any, int]:
    return file.getvalue(), file.tell()


def _retell(file: Any, contents: tuple[Any, int]) -> None:
    file.seek(0)
    file.truncate()
    file.write(contents[0])
    file.seek(contents[1])


FILES: dict[type, tuple[Callable[[Any], Any], Callable[[Any, Any], None]]] = {
    io.StringIO: (_told, _retell), io.BytesIO: (_told, _retell),
}
"""How the contents are taken, and put back."""


Place = Cell | Global | Contents | File
