"""Changes by callbacks: the variables they rebind, the attributes they set, contents they change.

The answer is read off the bytecode of the callback and of the user's functions that it can reach.
A callback may change more by ways that no bytecode shows; the call then finds out, and raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from dis import get_instructions
from functools import partial
from types import BuiltinMethodType, CellType, CodeType, FunctionType, MethodType
from typing import Any

from autograph.extension_points import POINTS
from autograph.libraries import is_library
from autograph.own_attributes import held, own_dict
from autograph.runtime.heap.objects import is_object, module_of
from autograph.runtime.heap.reachability import globals_read
from autograph.runtime.heap.uses_of_names import uses_of
from autograph.runtime.ir.closures import bound_cells, is_method
from autograph.runtime.ir.code_answers import by_code
from autograph.runtime.symbolic.tensor import Tensor

CHANGING = frozenset({
    "append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "popitem", "remove",
    "discard", "clear", "add", "update", "setdefault", "sort", "reverse", "rotate", "move_to_end",
    "subtract", "intersection_update", "difference_update", "symmetric_difference_update",
    "fill", "put", "itemset", "resize", "partition", "byteswap", "frombytes", "fromlist",
    "heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left",
    "insort_right", "shuffle", "setattr", "delattr", "copyto", "place", "putmask",
    "put_along_axis", "fill_diagonal", "pack_into", "readinto", "out", "output",
})
"""Names of methods, functions and parameters that stand for a change of what they are given."""

STORES = frozenset({"STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"})
LIMIT = 300
"""So many functions are looked at; a callback that reaches more may change anything."""


@dataclass
class Changes:
    """Changes that some functions may make.

    cells       by id: the closure cells that they rebind.
    globals     the global variables that they rebind.
    attributes  the names of the attributes that they set.
    contents    True if they may change containers and arrays.
    read        the functions' global variables that they read, by name.
    objects     the objects of the user's classes that they use.
    functions   those of the user's functions that have variables of functions around them.
    reached     all that the functions lead to.
    """

    cells: dict[int, CellType] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    contents: bool = False
    read: dict[str, Any] = field(default_factory=dict)
    objects: list[Any] = field(default_factory=list)
    functions: list[FunctionType] = field(default_factory=list)
    reached: list[Any] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.cells or self.globals or self.attributes or self.contents)


def changes_of(functions: Iterable[Any]) -> Changes:
    """Returns what the functions may change, and those of the user's that they can reach.

    A method is reached if the class is and some code has its name, or if Python may call it by
    itself; of classes and objects that are given all are.
    """
    made = Changes()
    seen: dict[int, Any] = {}
    pending = list(functions)
    named = Named(any(isinstance(x, type) or is_object(x) for x in pending))
    while pending:
        x = pending.pop()
        if id(x) in seen or isinstance(x, Tensor):
            continue
        seen[id(x)] = x
        if len(seen) > LIMIT:
            made.contents = True
            break
        if isinstance(x, FunctionType) and not is_library(x.__globals__.get("__name__") or ""):
            pending.extend(_noted(x, made))
            pending.extend(named.by(uses_of(x.__code__).read))
        elif isinstance(x, type):
            pending.extend(named.of(x))
        else:
            if is_object(x):
                made.objects.append(x)
            made.contents |= callable(x) and held(x, "__name__") in CHANGING
            pending.extend(_inside(x))
    made.reached = list(seen.values())
    return made


class Named:
    """The methods of classes that were met: those that some code names, and those that wait for
    one that does.

    all_are  True if any method may be called: code that looks names up may name it.
    """

    def __init__(self, all_are: bool) -> None:
        self.all_are = all_are
        self.names: set[str] = set()
        self.waiting: dict[str, list[Any]] = {}

    def of(self, cls: type) -> Iterator[Any]:
        """Yields what is reached of a class; the rest waits."""
        if is_library(module_of(cls)):
            return
        for name, member in members(cls):
            if name[:2] == "__" or self.all_are or name in self.names:
                yield member
            else:
                self.waiting.setdefault(name, []).append(member)
        yield from cls.__mro__[1:]

    def by(self, names: Iterable[str]) -> Iterator[Any]:
        """Yields what waits for the names that a function has."""
        self.names.update(names)
        self.all_are = self.all_are or not LOOKING_UP.isdisjoint(self.names)
        for name in [n for n in self.waiting if self.all_are or n in self.names]:
            yield from self.waiting.pop(name)


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """Yields the names and values of a class, but for the data that Python keeps there by special
    names (`__annotations__`, `__dataclass_fields__`)."""
    return ((name, x) for name, x in vars(cls).items() if name[:2] != "__" or callable(x))


def methods_of(cls: type) -> list[Any]:
    """Returns the methods of a class that others than Python itself may call: not `__init__`."""
    return [v for c in cls.__mro__[:-1] for name, v in members(c) if name != "__init__"]


LOOKING_UP = frozenset({"getattr", "attrgetter", "methodcaller", "vars", "__dict__",
                        "__getattribute__", "eval", "exec"})
"""Names of functions by which code gets at methods that it does not name."""


def set_by(changes: Changes, classes: Iterable[type]) -> tuple[set[str], set[str]]:
    """Returns the names of the attributes that functions set in objects which are there, and of
    those that they set in objects other than their first parameter. That of `__init__` is new; that
    of a class method is the class."""
    of_classes = {x.__func__ for c in classes for x in vars(c).values()
                  if isinstance(x, classmethod)}
    in_any: set[str] = set()
    in_others: set[str] = set()
    for f in changes.reached:
        if isinstance(f, FunctionType):
            uses = uses_of(f.__code__)
            in_any.update(uses.others if f.__name__ == "__init__" else uses.stored)
            in_others.update(uses.stored if f in of_classes else uses.others)
    return in_any & changes.attributes, in_others & changes.attributes


def _noted(f: FunctionType, made: Changes) -> Iterator[Any]:
    """Notes what a function changes; yields the functions and objects that it uses."""
    rebound, contents = _of_code(f.__code__)
    own = zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
    made.cells.update((id(cell), cell) for name, cell in own if name in rebound)
    uses = uses_of(f.__code__)
    made.globals.update(uses.bound)
    made.attributes.update(uses.stored)
    made.contents |= contents
    yield from (cell.cell_contents for _, cell in bound_cells(f))
    made.functions += [f] if f.__closure__ else []
    for read in globals_read(f):
        made.read[read.name] = x = read.read()
        yield x
    yield from f.__defaults__ or ()
    yield from (f.__kwdefaults__ or {}).values()
    yield vars(f).get("__wrapped__")


def _inside(x: Any) -> Iterator[Any]:
    """Yields the functions that a method, partial or object leads to."""
    if is_method(x):
        yield x.__func__
        yield x.__self__
    elif isinstance(x, BuiltinMethodType):
        yield x.__self__
    elif isinstance(x, partial):
        yield x.func
        yield from x.args
        yield from x.keywords.values()
    elif isinstance(x, (staticmethod, classmethod)):
        yield x.__func__
    elif isinstance(x, property):
        yield from (x.fget, x.fset)
    elif not is_library(getattr(type(x), "__module__", "") or ""):
        yield type(x)
    elif isinstance(x, FunctionType) and (own := POINTS.own_method(x)) is not x:
        yield own  # whose converted form moves what it sets into inner functions
    else:
        kinds = (FunctionType, MethodType, partial)
        cells = [c.cell_contents for _, c in bound_cells(x)] if isinstance(x, FunctionType) else []
        held = [*(own_dict(x) or {}).values(), *cells]
        yield from (v for v in held if isinstance(v, kinds))


@by_code
def _of_code(code: CodeType) -> tuple[frozenset[str], bool]:
    """Returns the closure variables that a function rebinds, and True if it may change contents."""
    rebound: set[str] = set()
    contents = not CHANGING.isdisjoint(uses_of(code).read) or not CHANGING.isdisjoint(
        name for constant in code.co_consts if type(constant) is tuple for name in constant
        if type(name) is str)  # the names of keyword arguments
    for i in get_instructions(code):
        contents = contents or i.opname in STORES
        if i.opname in ("STORE_DEREF", "DELETE_DEREF") and i.argval in code.co_freevars:
            rebound.add(i.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            more, changed = _of_code(constant)
            rebound |= more.intersection(code.co_freevars)
            contents = contents or changed
    return frozenset(rebound), contents
