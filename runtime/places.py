"""Places: what a function can rebind or change besides its own locals, found and read before a
region.

A region's state is what its trace changes, not only what the syntax shows: closure cells, and
lists, dicts, sets and objects that the functions can reach. A place is read before and after, and
put back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dis import get_instructions
from functools import lru_cache
from opcode import opmap
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from autograph.runtime import trace
from autograph.runtime.cursors import Cursor, Held, cursor_of, is_iterator
from autograph.runtime.errors import TracingError, at
from autograph.runtime.keys import is_method
from autograph.runtime.objects import Chosen
from autograph.runtime.tensor import Tensor
from autograph.runtime.trace import user_location
from autograph.runtime.undefined import UndefinedValue, is_undefined

MAX_OBJECTS = 5000
"""So many objects are looked at; what lies beyond is not watched."""


class Cell:
    """A closure cell; two places of one cell are equal."""

    __slots__ = ("cell", "name")

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
    """The contents of a list, dict, set or deque, or an object's attributes (its `__dict__`)."""

    __slots__ = ("container", "owner")

    def __init__(self, container: Any, owner: Any) -> None:
        self.container = container
        self.owner = owner

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contents) and self.container is other.container

    def __hash__(self) -> int:
        return id(self.container)

    def take(self) -> Any:
        """A copy: a dict for a dict, a list for a list, a tuple for a deque, a frozenset for a
        set."""
        if isinstance(self.container, dict):
            return dict(self.container)
        if isinstance(self.container, list):
            return list(list.__iter__(self.container))  # of a staged list, what it is made of
        return (frozenset if isinstance(self.container, set) else tuple)(self.container)

    def put(self, value: Any) -> None:
        if isinstance(value, Tensor) and hasattr(self.container, "become"):
            self.container.become(value)
            return
        if type(value) not in (dict, list, tuple, frozenset):
            raise TracingError(
                f"a {type(self.owner).__name__} gets another length or other keys on one side of a "
                f"staged branch or in a staged loop{at(user_location())}\n  hint: give it all its "
                "items before, or collect values in an array")
        self.container.clear()
        if isinstance(self.container, list):
            list.extend(self.container, value)
        elif isinstance(self.container, deque):
            self.container.extend(value)
        else:
            self.container.update(value)

    def same(self, a: Any, b: Any) -> bool:
        if len(a) != len(b):
            return False
        if isinstance(a, dict):
            return all(k in b and b[k] is v for k, v in a.items()) and list(a) == list(b)
        if isinstance(a, frozenset):
            return {id(x) for x in a} == {id(x) for x in b}
        return all(x is y for x, y in zip(a, b, strict=True))


Place = Cell | Global | Contents

_PLAIN = (int, float, complex, str, bytes, bool, type(None), np.ndarray, np.generic, type, range,
          ModuleType, BuiltinFunctionType, slice, CodeType)


def places_of(*roots: Any, read: dict[Place, None] | None = None) -> list[Place]:
    """The places that these functions and values can reach; each once, cells before what they
    hold.

    `read` takes in the global variables that the functions only read; iterators are looked at
    without it, where a region of a trace begins.
    """
    found: dict[Place, None] = {}
    seen: set[int] = set()
    pending: list[Any] = list(reversed(roots))
    while pending and len(seen) < MAX_OBJECTS:
        x = pending.pop()
        if isinstance(x, _PLAIN) or id(x) in seen:
            continue
        seen.add(id(x))
        if read is not None and isinstance(x, FunctionType):
            read.update((Global(x.__globals__, n), None) for n in global_names(x.__code__)
                        if n in x.__globals__)
        if read is None and is_iterator(x) and trace.tracing():
            x = cursor_of(x)
        pending.extend(reversed(list(_reach(x, found))))
    return list(found)


def _reach(x: Any, found: dict[Place, None]) -> Iterable[Any]:
    """Note the places of one object; what to look at next."""
    if isinstance(x, FunctionType):
        return _reach_function(x, found)
    if is_method(x):
        return x.__func__, x.__self__
    if isinstance(x, (list, set, deque)):
        found[Contents(x, x)] = None
        return list(list.__iter__(x)) if isinstance(x, list) else list(x)
    if isinstance(x, dict):
        found[Contents(x, x)] = None
        return list(x.values())
    if isinstance(x, (tuple, frozenset)):
        return x
    return _reach_object(x, found)


def _reach_function(x: FunctionType, found: dict[Place, None]) -> list[Any]:
    cells = [Cell(c, name) for name, c in zip(
        x.__code__.co_freevars, x.__closure__ or (), strict=True)]
    if x.__module__ and x.__module__.partition(".")[0] in ("autograph", "numpy"):
        return [c.take() for c in cells]  # ours rebinds nothing, but may hold a user's function
    found.update(dict.fromkeys(cells))
    found.update((Global(x.__globals__, n), None) for n in _bound_globals(x.__code__))
    names = dict.fromkeys(global_names(x.__code__))
    return [c.take() for c in cells] + [x.__globals__[n] for n in names if n in x.__globals__]


GLOBAL_STORES = frozenset({opmap["STORE_GLOBAL"], opmap["DELETE_GLOBAL"]})


@lru_cache(maxsize=4096)
def _bound_globals(code: CodeType) -> tuple[str, ...]:
    """The global variables that a function, or one inside it, binds or deletes."""
    names = [i.argval for i in get_instructions(code) if i.opcode in GLOBAL_STORES] if (
        not GLOBAL_STORES.isdisjoint(code.co_code[::2])) else []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _bound_globals(constant)
    return tuple(dict.fromkeys(names))


def global_names(code: CodeType) -> list[str]:
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += global_names(constant)
    return names


def _reach_object(x: Any, found: dict[Place, None]) -> Iterable[Any]:
    """An instance of a user's class; tensors and objects of libraries are not state."""
    if type(x) is Chosen:
        return x.parts()[1:]
    if isinstance(x, (Cursor, Held)):
        found[Contents(x.state, x)] = None
        return []
    module = getattr(type(x), "__module__", "") or ""
    attributes = getattr(x, "__dict__", None)
    if module.partition(".")[0] in ("autograph", "numpy", "builtins"):
        return []
    if type(attributes) is not dict:
        return []
    found[Contents(attributes, x)] = None
    return list(attributes.values())
