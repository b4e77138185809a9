"""Finds the places that functions and values can reach, before a region of a trace begins."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dis import get_instructions
from enum import Enum
from functools import cached_property, lru_cache, partial
from opcode import opmap
from types import BuiltinFunctionType, CodeType, FunctionType, MethodWrapperType, ModuleType
from typing import Any
from weakref import ref

import numpy as np

from autograph.runtime.heap.iterators import Cursor, Held, cursor_of, is_iterator
from autograph.runtime.heap.locations import (
    FILES,
    Attributes,
    Cell,
    Contents,
    File,
    Global,
    HeapLocation,
)
from autograph.runtime.heap.objects import is_library, slot_names
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.closures import is_method
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import parts_of

MAX_OBJECTS = 5000
"""So many objects are looked at; what lies beyond is not watched."""

Found = dict[HeapLocation, None]

_PLAIN = (int, float, complex, str, bytes, bool, type(None), np.ndarray, np.generic, range,
          ModuleType, slice, CodeType)


def reachable_locations(*roots: Any, read: Found | None = None) -> list[HeapLocation]:
    """The places that these functions and values can reach; each once, cells before what they
    hold.

    `read` takes in the global variables that the functions only read; iterators are looked at
    without it, where a region of a trace begins.
    """
    found: Found = {}
    seen: dict[int, Any] = {}  # keeps what is made on the way: the id of nothing else is its id
    pending: list[Any] = list(reversed(roots))
    while pending and len(seen) < MAX_OBJECTS:
        x = pending.pop()
        if isinstance(x, _PLAIN) or id(x) in seen:
            continue
        seen[id(x)] = x
        if read is not None and isinstance(x, FunctionType):
            read.update(dict.fromkeys(globals_read(x)))
        if read is None and is_iterator(x) and trace.tracing():
            x = cursor_of(x)
        pending.extend(reversed(list(_reach(x, found))))
    return list(found)


def _reach(x: Any, found: Found) -> Iterable[Any]:
    """Note the places of one object; what to look at next."""
    parts = PARTS.get(type(x))
    if parts is not None:
        return parts(x)
    if isinstance(x, FunctionType):
        return _reach_function(x, found)
    if isinstance(x, type):
        return _reach_class(x, found)
    if is_method(x):
        return x.__func__, x.__self__
    if type(x) in FILES:
        found[File(x)] = None
        return ()
    if isinstance(x, (list, set, deque, dict, *BUFFERS)):
        found[Contents(x, x)] = None
        return [*(parts_of(x) or ()), *_reach_object(x, found)]
    if isinstance(x, (tuple, frozenset)):
        return x
    return _reach_object(x, found)


def _owner(x: Any) -> tuple[Any, ...]:
    return (x.__self__,)


PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    BuiltinFunctionType: _owner,
    MethodWrapperType: _owner,
    partial: lambda x: (x.func, *x.args, *x.keywords.values()),
    staticmethod: lambda x: (x.__func__,),
    classmethod: lambda x: (x.__func__,),
    property: lambda x: (x.fget, x.fset, x.fdel),
    cached_property: lambda x: (x.func,),
    ref: lambda x: (x(),),
    SelectedObject: lambda x: x.parts()[1:],
    **{type(view({})): gc.get_referents for view in (dict.keys, dict.values, dict.items)},
}
"""What an object of Python's own leads to, by its type."""


def _reach_function(x: FunctionType, found: Found) -> list[Any]:
    cells = [Cell(c, name) for name, c in zip(
        x.__code__.co_freevars, x.__closure__ or (), strict=True)]
    inside = [*(c.read() for c in cells), *(x.__defaults__ or ()),
              *(x.__kwdefaults__ or {}).values(), vars(x).get("__wrapped__")]
    if is_library(x.__globals__.get("__name__") or ""):
        return inside  # it rebinds nothing of the user's, but may hold a function of theirs
    found.update(dict.fromkeys(cells))
    uses, scope = uses_of(x.__code__), x.__globals__
    found.update((Global(scope, n), None) for n in uses.bound)
    read = [g.read() for g in globals_read(x)]
    found.update((Global(vars(m), n), None) for m in read if isinstance(m, ModuleType)
                 for n in uses.stored)
    if any(not name.startswith("__") for name in vars(x)):
        found[Attributes(x)] = None
    return inside + read + list(vars(x).values())


def globals_read(x: FunctionType) -> Iterator[Global]:
    """The global variables that a function may read, and those of the modules it looks into."""
    scopes = [x.__globals__]
    for scope in scopes:
        for name in uses_of(x.__code__).read:
            if name in scope:
                yield Global(scope, name)
                module = scope[name]
                if type(module) is ModuleType and not is_library(module.__name__) and all(
                        vars(module) is not known for known in scopes):
                    scopes.append(vars(module))


class Uses:
    """The names of a function, and of those in it: globals that they bind or delete, attributes
    that they set, and all that may be globals that they read."""

    def __init__(self, code: CodeType) -> None:
        ops = code.co_code[::2]
        found = list(get_instructions(code)) if not STORES.isdisjoint(ops) else []
        inner = [uses_of(c) for c in code.co_consts if isinstance(c, CodeType)]
        self.bound: tuple[str, ...] = _names(found, GLOBAL_STORES, [u.bound for u in inner])
        self.stored: tuple[str, ...] = _names(found, ATTRIBUTE_STORES, [u.stored for u in inner])
        self.read = tuple(dict.fromkeys(global_names(code)))


def _names(found: Iterable[Any], ops: frozenset[int], inner: Iterable[tuple[str, ...]]
           ) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*(i.argval for i in found if i.opcode in ops),
                                *(name for names in inner for name in names)]))


GLOBAL_STORES = frozenset({opmap["STORE_GLOBAL"], opmap["DELETE_GLOBAL"]})
ATTRIBUTE_STORES = frozenset({opmap["STORE_ATTR"], opmap["DELETE_ATTR"]})
STORES = GLOBAL_STORES | ATTRIBUTE_STORES


@lru_cache(maxsize=4096)
def uses_of(code: CodeType) -> Uses:
    """What a function does with names, found once."""
    return Uses(code)


def global_names(code: CodeType) -> list[str]:
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += global_names(constant)
    return names


def _reach_class(cls: type, found: Found) -> Iterable[Any]:
    """The attributes of a user's class, its methods, and the classes that it is derived from."""
    if is_library(cls.__module__ or ""):
        return ()
    if not issubclass(cls, Enum):
        found[Attributes(cls)] = None
    return [*(x for name, x in vars(cls).items() if not name.startswith("__") or callable(x)),
            *cls.__mro__[1:]]


def _reach_object(x: Any, found: Found) -> Iterable[Any]:
    """An instance of a user's class; tensors and objects of libraries are not state."""
    cls = type(x)
    if isinstance(x, (Cursor, Held)):
        found[Contents(x.state, x)] = None
        return [*x.state.values(), *(x.holds() if isinstance(x, Cursor) else ())]
    if hasattr(cls, "__ag_held__"):
        return x.__ag_held__()  # type: ignore[no-any-return]
    module = (getattr(cls, "__module__", "") or "").partition(".")[0]
    if module in ("autograph", "numpy", "builtins") and not isinstance(x, BaseException):
        return ()
    attributes = getattr(x, "__dict__", None)
    inside: list[Any] = []
    if type(attributes) is dict:
        found[Contents(attributes, x)] = None
        inside += attributes.values()
    if not is_library(module):
        if slot_names(cls):
            found[(slots := Attributes(x))] = None
            inside += slots.read().values()
        inside.append(cls)
    return inside
