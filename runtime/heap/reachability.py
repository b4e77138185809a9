"""Reachability: finds the heap locations that functions and values can reach.

What a region changes is found by comparison: the trace reads every location that the region's
functions could reach before it begins, and again when it ends. So `reachable_locations` walks from
the functions and operands over closure cells, defaults, globals, attributes and items to whatever
may be changed, and lists each location once. It follows the user's functions, classes and objects;
what belongs to Python, NumPy or this package is no state of the program. A name of a global counts
only if the code of a function reads or binds it.
"""

from __future__ import annotations

import functools
import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from enum import Enum
from functools import partial
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    MappingProxyType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
)
from typing import Any, NoReturn
from weakref import ProxyTypes, ref

import numpy as np

from autograph.libraries import OPAQUE, is_closed_class, is_library, package_of
from autograph.own_attributes import held, own_dict
from autograph.runtime.heap.iterators import Cursor, TracedState, cursor_of, is_iterator
from autograph.runtime.heap.library_names import containers_named, stores_named
from autograph.runtime.heap.locations import (
    FILES,
    Attributes,
    Cell,
    Contents,
    Defaults,
    File,
    Global,
    HeapLocation,
    attribute_locations,
)
from autograph.runtime.heap.objects import (
    NO_STATE,
    attributes_alone,
    is_instance,
    module_of,
)
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.heap.uses_of_names import uses_of
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.closures import is_method
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.stand_ins import STAND_INS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container, parts_of
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor

MAX_OBJECTS = 500_000
"""So many objects are visited; what could reach more is refused: its changes would be lost."""


class Found(dict[HeapLocation, None]):
    """The locations found so far, in order.

    cells    the ids of the cells that were followed: many functions may share one.
    globals  the globals that were followed, by the ids of their scopes and their names.
    unbound  True if cells that no function binds are locations, too.
    bare     the functions that have no attributes.
    stores   True if a function stores attributes: a bare one may get its first.
    """

    def __init__(self, unbound: bool) -> None:
        super().__init__()
        self.cells: set[int] = set()
        self.globals: set[tuple[int, str]] = set()
        self.unbound = unbound
        self.bare: list[FunctionType] = []
        self.stores = False

    def finish(self) -> None:
        """Enters the attributes that functions may get."""
        if self.stores:
            self.update((Attributes(x), None) for x in self.bare)


_PLAIN = (int, float, complex, str, bytes, bool, type(None), np.ndarray, np.generic, range,
          ModuleType, CodeType)
_LEAVES = frozenset(_PLAIN) - {np.ndarray}
_COMMON = frozenset({list, tuple, dict, set, FunctionType, CellType, type})
"""Classes of most of what is visited: no arrays, values or iterators."""


class Reachable(list[HeapLocation]):
    """Heap locations, each once; the real arrays and the tensors that are reached, and all that was
    visited on the way; by id, the functions that need not be visited again."""

    def __init__(self, locations: Iterable[HeapLocation], arrays: Iterable[np.ndarray],
                 tensors: Iterable[Tensor], visited: Iterable[Any],
                 functions: dict[int, FunctionType]) -> None:
        super().__init__(locations)
        self.arrays = tuple(arrays)
        self.tensors = tuple(tensors)
        self.visited = tuple(visited)
        self.functions = functions

    @property
    def is_small(self) -> bool:
        """True if it costs little to look at all of it once more."""
        return len(self) + len(self.tensors) + len(self.arrays) <= SMALL


SMALL = 32


def changeable_locations(*roots: Any) -> Reachable:
    """Returns the locations that these functions and values may change in the current region.

    A cell is one only if a function binds it, as only what is reached runs meanwhile. A function
    that the region around reached is not visited again: what it may change is among the locations
    of that region, or can be reached from them. So the cost of a chain of branches is near-linear.
    """
    here = trace.current_region()
    around = None if here is None else here.reached
    return _reachable(list(roots), Found(unbound=False),
                      around=around if around is not None and around.is_small else None)


def reachable_locations(*roots: Any, read: dict[HeapLocation, None] | None = None) -> Reachable:
    """Returns the locations that these functions and values can reach, cells before what they
    hold.

    read: receives the global variables that the functions only read. Without it the walk goes
      through iterators too.
    """
    return _reachable(list(roots), Found(unbound=True), read)


def _reachable(pending: list[Any], found: Found, read: dict[HeapLocation, None] | None = None,
               around: Reachable | None = None) -> Reachable:
    seen: dict[int, Any] = {}  # keeps what is made on the way: the id of nothing else is its id
    arrays: dict[int, np.ndarray] = {}
    tensors: list[Tensor] = []
    functions: dict[int, FunctionType] = {}
    known = {} if around is None else around.functions
    pending.reverse()
    while pending:
        x = pending.pop()
        cls = type(x)
        if cls in _LEAVES or id(x) in seen:
            continue
        if cls is Tensor:  # the most frequent
            seen[id(x)] = x
            tensors.append(x)
            continue
        is_common = cls in _COMMON
        stands = cls in STAND_INS  # for an array; the `__class__` of values is not asked for
        if stands or (not is_common and issubclass(cls, _PLAIN)):
            if stands or issubclass(cls, np.ndarray):
                pending += _held_by_array(x, arrays)
            if not _is_users_value(x):
                continue
        if id(x) in known:
            if around is not None:
                pending += _held_by(around, found)
                functions.update(known)
                around = None
            continue
        seen[id(x)] = x
        if len(seen) > MAX_OBJECTS:
            refuse_so_many()
        if not is_common and (own := attributes_alone(x)) is not None:
            found[Contents(own, x)] = None
            pending.append(cls)
            pending += reversed(own.values())
            continue
        if issubclass(cls, Tensor):
            tensors.append(x)
            continue
        if cls is FunctionType:
            functions[id(x)] = x
            if read is not None:
                read.update(dict.fromkeys(_read_by(x)))
        if read is None and not is_common and is_iterator(x) and trace.tracing():
            x = cursor_of(x)
        pending.extend(reversed(list(_visit(x, found))))
    found.finish()
    return Reachable(found, arrays.values(), tensors, seen.values(), functions)


def _held_by_array(x: np.ndarray, arrays: dict[int, np.ndarray]) -> list[Any]:
    """Notes an array; returns the objects in it, the last one first."""
    is_new = id(x) not in arrays
    arrays[id(x)] = x
    return list(x.flat)[::-1] if is_new and x.dtype == object else []


def _read_by(f: FunctionType) -> Iterator[HeapLocation]:
    """Yields the globals that a function may read, and its defaults."""
    yield from globals_read(f)
    if f.__defaults__ or f.__kwdefaults__:
        yield Defaults(f)


def _is_users_value(x: Any) -> bool:
    """Returns True for a number, text or array of a class of the user's: its methods may change
    state."""
    return type(x) not in _LEAVES and not is_library(module_of(type(x)))


def _held_by(around: Reachable, found: Found) -> list[Any]:
    """Note the locations of a region; returns what they hold now, with its arrays and tensors."""
    found.update(dict.fromkeys(around))
    return [*(x.read() if isinstance(x, (Cell, Global)) else x.owner for x in around),
            *around.arrays, *around.tensors]


def refuse_so_many() -> NoReturn:
    """Refuses functions and values that can reach more objects than are visited."""
    raise TracingError(
        f"a branch, a loop or a call can reach more than {MAX_OBJECTS:,} objects, all of which it "
        f"might change{at(user_location())}\n"
        "  hint: keep many objects in arrays, or in a module that is not traced")


def _visit(x: Any, found: Found) -> Iterable[Any]:
    """Note the locations of one object; returns the objects to visit next."""
    if type(x) in ProxyTypes:
        return behind(x)
    parts = PARTS.get(type(x))
    if parts is not None:
        if (own := own_dict(x)) is not None:
            found[Contents(own, x)] = None
        return parts(x)
    if isinstance(x, FunctionType):
        return _visit_function(x, found)
    if type(x) is CellType:
        found[location := Cell(x, "a variable")] = None
        return (location.read(),)
    if isinstance(x, type):
        return _visit_class(x, found)
    if is_method(x):
        return x.__func__, x.__self__
    if isinstance(x, ref):
        return [x(), *_visit_object(x, found)]
    if isinstance(x, property):
        return [x.fget, x.fset, x.fdel, *_visit_object(x, found)]
    if type(x) in FILES:
        found[File(x)] = None
        return ()
    if isinstance(x, (list, set, deque, dict, *BUFFERS)):
        found[Contents(x, x)] = None
        items = parts_of(x) or ()
        if type(x) in WITHOUT_ATTRIBUTES:
            return [*items, *x] if type(x) is dict else items
        return [*items, *_visit_object(x, found)]
    if isinstance(x, (tuple, frozenset)):
        kind: Any = tuple if isinstance(x, tuple) else frozenset
        items = [*kind.__iter__(x)]
        return items if is_library(module_of(type(x))) else [*items, *_visit_object(x, found)]
    return _visit_object(x, found)


WITHOUT_ATTRIBUTES = frozenset({list, set, deque, dict})
"""Classes of containers that hold their items and nothing else."""


def behind(x: Any) -> tuple[Any, ...]:
    """Returns the object that a weak proxy stands for; nothing if it is gone."""
    with suppress(ReferenceError):
        return (x.__sizeof__.__self__,)
    return ()


def _owner(x: Any) -> tuple[Any, ...]:
    return (x.__self__,)


def _items_shown(x: Any) -> Iterable[Any]:
    """Returns the items of the dict that a view shows: the dict itself is state only if another way
    leads to it."""
    (shown,) = gc.get_referents(x)
    return (*dict.keys(shown), *dict.values(shown)) if isinstance(shown, dict) else (shown,)


def parts_of_slice(*parts: Any) -> tuple[Any, ...]:
    """Returns the parts of a slice.

    Raises:
      TracingError: one can be changed: who gets the slice would change a copy of it.
    """
    for x in parts:
        if is_plain_container(x) or is_instance(x):
            raise TracingError(
                f"a slice holds a {type(x).__name__}, which can be changed{at(user_location())}\n"
                "  hint: keep it in a tuple")
    return parts


PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    BuiltinFunctionType: _owner,
    MethodWrapperType: _owner,
    partial: lambda x: (x.func, *x.args, x.keywords, *vars(x).values()),
    staticmethod: lambda x: (x.__func__,),
    slice: lambda x: parts_of_slice(x.start, x.stop, x.step),
    classmethod: lambda x: (x.__func__,),
    functools.cached_property: lambda x: (x.func,),
    SelectedObject: lambda x: x.parts()[1:],
    MappingProxyType: _items_shown,
    **{type(view({})): gc.get_referents for view in (dict.keys, dict.values, dict.items)},
}
"""Type of an object of Python's own -> the objects that it leads to."""


def _visit_function(x: FunctionType, found: Found) -> list[Any]:
    cells = [Cell(c, name) for name, c in zip(
        x.__code__.co_freevars, x.__closure__ or (), strict=True) if id(c) not in found.cells]
    inside = [*(c.read() for c in cells), *(x.__defaults__ or ()),
              *(x.__kwdefaults__ or {}).values(), vars(x).get("__wrapped__")]
    if is_library(x.__globals__.get("__name__") or ""):
        return inside  # it rebinds nothing of the user's, but may hold a function of theirs
    found.cells.update(id(c) for c in x.__closure__ or ())
    uses, scope = uses_of(x.__code__), x.__globals__
    if found.unbound:  # only a function that binds it changes what converted code calls
        found.update((c, None) for c in cells if c.name in uses.cells or not _is_ours(c.read()))
    elif uses.cells:
        free = zip(x.__code__.co_freevars, x.__closure__ or (), strict=True)
        found.update((Cell(c, name), None) for name, c in free if name in uses.cells)
    found.update((Global(scope, n), None) for n in uses.bound)
    read = [g.read() for g in globals_read(x, set() if uses.stored else found.globals)]
    found.update((Global(vars(m), n), None) for m in read if isinstance(m, ModuleType)
                 for n in uses.stored)
    found.update((location, None) for m in read if uses.stored and type(m) is ModuleType
                 and is_library(m.__name__) and not _is_ours(m)
                 for location in stores_named(m, uses.read, uses.stored))
    if x.__defaults__ or x.__kwdefaults__:
        found[Defaults(x)] = None
    found.stores |= bool(uses.stored) or "setattr" in x.__code__.co_names
    if any(not name.startswith("__") for name in vars(x)):
        found[Attributes(x)] = None
    else:
        found.bare.append(x)
    return inside + read + list(vars(x).values())


def _is_ours(x: Any) -> bool:
    return isinstance(x, ModuleType) and package_of(x.__name__) == "autograph"


def globals_read(x: FunctionType, known: set[tuple[int, str]] | None = None) -> Iterator[Global]:
    """Yields the global variables that a function may read, and those of the modules it uses; not
    those that are `known`, to which they are added."""
    scopes, known = [x.__globals__], set() if known is None else known
    for scope in scopes:
        for name in uses_of(x.__code__).read:
            if name not in scope:
                continue
            if (id(scope), name) not in known:
                known.add((id(scope), name))
                yield Global(scope, name)
            module = scope[name]
            if type(module) is ModuleType and all(vars(module) is not x for x in scopes):
                if not is_library(module.__name__):
                    scopes.append(vars(module))
                elif not _is_ours(module):
                    yield from containers_named(module, uses_of(x.__code__).read, known)


def _visit_class(cls: type, found: Found) -> Iterable[Any]:
    """Note the attributes of a user's class; returns them, its methods and its bases."""
    if is_library(module_of(cls)):
        return ()
    if not issubclass(cls, Enum):
        found[Attributes(cls)] = None
    return [*(x for name, x in vars(cls).items() if not name.startswith("__") or callable(x)
              or isinstance(x, (classmethod, staticmethod))), type(cls), *cls.__mro__[1:]]


def _visit_object(x: Any, found: Found) -> Iterable[Any]:
    """Note the attributes of an instance of a user's class; returns them, and the class. Tensors
    and objects of libraries are not state."""
    cls = type(x)
    if isinstance(x, (Cursor, TracedState)):
        found[Contents(x.state, x)] = None
        return [*x.state.values(), *(x.references() if isinstance(x, Cursor) else ())]
    if held(cls, "__ag_references__") is not None:
        return x.__ag_references__()  # type: ignore[no-any-return]
    module = package_of(module_of(cls))
    if module in NO_STATE or cls.__module__ in OPAQUE or (
            isinstance(x, PASSED) and is_library(module)):
        return ()
    if (wrapped := wrapped_by_library(x)) is not None:
        return (wrapped,)
    inside: list[Any] = []
    for location in attribute_locations(x) if cls is not np.ufunc else ():  # NumPy keeps theirs
        if not (type(location) is Attributes and is_library(module)):
            found[location] = None
            inside += location.read().values()
    if not is_library(module):
        return [*inside, *kept_in_c(x), cls]
    if inside or is_iterator(x) or isinstance(x, BUFFERS):
        return inside
    own = own_dict(x) if cls is np.ufunc else None
    return [part for part in gc.get_referents(x) if not isinstance(part, PASSED)
            and part is not own]


def wrapped_by_library(x: Any) -> FunctionType | None:
    """Returns the user's function that an object of a closed library stands for, as one that Numba
    makes: what else it holds is the library's."""
    wrapped = (own_dict(x) or {}).get("__wrapped__") if callable(x) else None
    is_users = isinstance(wrapped, FunctionType) and not is_library(wrapped.__module__)
    return wrapped if is_users and is_closed_class(type(x)) else None


def kept_in_c(x: Any) -> list[Any]:
    """Returns what a base in C, such as that of a partial, keeps in an object of a user's class."""
    if not any(is_library(module_of(base)) for base in type(x).__mro__[:-1]):
        return []
    own = own_dict(x)
    return [part for part in gc.get_referents(x)
            if part is not own and not isinstance(part, (*PASSED, BaseException))]


PASSED = (type, ModuleType, FrameType, TracebackType)
"""Types of objects that hold others without being state of the program."""
