"""The values that code can get at as it was written, and whether any of them may be symbolic.

Code that only computes gets at its arguments, its free variables, what it reads by name, and what
these hold. If all of it is numbers, texts, Python's containers, and objects and functions of the
user's that only compute, too, then the code meets no symbolic value, and makes none.
"""

from __future__ import annotations

import enum
import functools
import gc
import operator
from collections.abc import Callable, Iterable, Iterator
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

from autograph.conversion.code_cache import unconverted
from autograph.conversion.conversion_rules import REPLACEMENTS, is_generated, original_of
from autograph.conversion.plain_code import (
    Facts,
    facts_of,
    original,
    undecorated,
    without_decorators,
)
from autograph.conversion.special_methods import own_method
from autograph.conversion.written_blocks import written_function
from autograph.libraries import is_library
from autograph.operators.builtins import BUILTIN_REPLACEMENTS
from autograph.own_attributes import held
from autograph.runtime.heap.growing_lists import StagedList, live_items
from autograph.runtime.heap.hidden_state import has_hidden_state
from autograph.runtime.heap.iterators import Cursor, cursor_of, held_inside, needs_cursor
from autograph.runtime.heap.objects import contents_of, is_instance
from autograph.runtime.heap.suspended_generators import blocks
from autograph.runtime.symbolic.trace import current_region
from autograph.staging.generators import Generated
from autograph.staging.plain_types import (
    ATOMS,
    BASES,
    CHANGING,
    CHANGING_METHODS,
    COMPUTING,
    CONTAINERS,
    HOLDING,
    ITERATORS,
    MAKING_METHODS,
    METACLASSES,
    MODULES,
    OF_CLASSES_IN_C,
    PLAIN_MODULES,
    PURE,
    USING_UP,
    NotPlain,
    content,
    is_of_values,
    makes_iterators,
    named,
    others,
)

ITEMS = 32
"""So many numbers and texts in a container take as long to look at as one object."""


class Reachable:
    """The values that code can get at.

    before      the containers and objects that were there before it runs, by their ids; the values
                keep them alive.
    most        how many values may still be visited.
    take        how converted code reads on an iterator that this code has read from.
    functions   those that are called as they are, and are still to be visited.
    held        True if a function is reached otherwise than by a name.
    decorated   True if a decorated function may be called by its name.
    stores      True if the code may change a container.
    instances   True if it gets at objects of the user's classes.
    identity    True if the code asks whether two values are one object.
    written     by the ids of functions of converted code, these as they were written.
    attributes  the names of the attributes that the code may read or set.
    stored      those that it may set.
    rebound     the variables of functions around it that it may bind.
    """

    def __init__(self, most: int, take: Callable[[Any], Any]) -> None:
        self.before: dict[int, Any] = {}
        self.most = most
        self.take = take
        self.functions: list[FunctionType] = []
        self.held = self.decorated = self.stores = self.instances = self.identity = False
        self.written: dict[int, FunctionType] = {}
        self.attributes: set[str] = set()
        self.stored: set[str] = set()
        self.rebound: set[str] = set()
        self._used_by_methods: set[tuple[str, str]] = set()
        self._kept: set[str] = set()
        self._generators: set[str] = set()
        self._spaces: list[tuple[Any, bool]] = []
        self._members: set[tuple[int, str]] = set()

    def walk(self, pending: list[Any]) -> None:
        """Visits values, and what they hold.

        Raises:
          NotPlain: one may be symbolic, or do more than compute.
        """
        while pending or self.functions or self._add_members(pending):
            if self.most < 0:
                raise NotPlain
            if self.functions:
                pending += self._function(self.functions.pop())
            if not pending:
                continue
            x = pending.pop()
            if type(x) is FunctionType:
                x = own_method(x)
                if is_generated(x.__code__) or makes_iterators(x):
                    raise NotPlain
                self.held = True
                self.functions.append(x)
            elif type(x) not in ATOMS and id(x) not in self.before:
                self.before[id(x)] = x
                pending += self._parts(x)
        if self._asks_too_much():
            raise NotPlain

    def _asks_too_much(self) -> bool:
        """Returns True if the code may keep an iterator, find another class, function or object
        than plain Python would, set a variable of a module, or read attributes that it does not
        name."""
        return not self._generators.isdisjoint(self._kept) or (
            self.decorated and (self.held or bool(self.stored))) or (
            self.instances and "format" in self.attributes) or (
            "__class__" in self.attributes and any(
                type(x) is StagedList for x in self.before.values())) or (
            self.identity and any(map(_may_stand_in, self.before.values()))) or any(
            type(space) is ModuleType and not self.stored.isdisjoint(vars(space))
            for space, _ in self._spaces) or (
                bool(self.stored) and self._sets_over_classes())

    def _sets_over_classes(self) -> bool:
        """Returns True if the code may set, where only the run knows if, an attribute that a class
        has: converted code knows if it is set in the class, or in an object."""
        here = current_region()
        return here is not None and here.parent is not None and any(
            name in vars(space) and not hasattr(vars(space)[name], "__set__")
            for space, _ in self._spaces if isinstance(space, type) for name in self.stored)

    def give(self, x: Any, pending: list[Any]) -> None:
        """Enters a value that code is given, among the functions that it calls or what is to be
        visited.

        Raises:
          NotPlain: plain Python cannot make, or read, an iterator of the trace.
        """
        x = _original_of(x)
        if type(x) is FunctionType and not makes_iterators(x):
            self.functions.append(x)
        elif isinstance(x, (Generated, Cursor)) and x.is_unread:
            self._give_maker(x.written, pending)
        else:
            known = isinstance(x, (Generated, Cursor)) and x.is_plain
            pending.append(x.iterator if known else x)

    def _give_maker(self, written: Any, pending: list[Any]) -> None:
        """Enters what makes an iterator of the trace in plain Python."""
        maker, args, kwargs = written
        if type(maker) is FunctionType:
            if blocks(maker.__code__):
                raise NotPlain  # the trace looks after generators that wait within a block
            self.functions.append(maker)
        else:
            self.give(maker, pending)
        for part in (*args, *kwargs.values()):
            self.give(part, pending)

    # -- functions ---------------------------------------------------------------------------------

    def _function(self, f: FunctionType) -> list[Any]:
        if id(f) in self.before:
            return []
        self.before[id(f)] = f
        own, f = f, self.form_of(f)
        if is_of_values(f) and f not in REPLACEMENTS:
            return []
        facts = facts_of(f)
        if facts is None or f in REPLACEMENTS or (facts.rebound and f is not own) or (
                is_library(f.__module__) and f.__module__ not in PLAIN_MODULES):
            raise NotPlain
        cells = [content(cell) for cell in f.__closure__ or ()]
        self.held |= bool(cells)
        attributes = [x for name, x in vars(f).items() if not name.startswith("__")]
        return [*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values(), *attributes, *cells,
                *self._by_name(facts, f.__globals__)]

    def form_of(self, x: Any) -> Any:
        """Returns what code as it was written is given in place of a value: functions of converted
        code are replaced, and those in the free variables of one that is called."""
        x = _original_of(x)
        if type(x) is not FunctionType or id(x) in self.written:
            return self.written.get(id(x), x)
        generated = is_generated(x.__code__)
        made: Any = x
        if generated:
            made = written_function(x) if original_of(x.__code__) is None else unconverted(x)
        if made is None:
            raise NotPlain
        closure = made.__closure__ or ()
        replaced = [_is_converted(content(cell)) for cell in closure]
        if not generated and not any(replaced):
            return x
        cells = [CellType() if new else cell
                 for new, cell in zip(replaced, closure, strict=True)]
        self.before[id(x)] = x
        self.written[id(x)] = new = _with_cells(made, tuple(cells))
        new.__dict__ = x.__dict__
        for own, cell in zip(cells, closure, strict=True):
            if own is not cell:
                own.cell_contents = self.form_of(cell.cell_contents)
        return new

    def _by_name(self, facts: Facts, scope: dict[str, Any]) -> Iterator[Any]:
        """Yields what is read by names of a module; functions are visited as what is called.

        Raises:
          NotPlain: a name is unbound, or names an iterator, or what makes one, and keeps it.
        """
        self.attributes |= facts.attributes | facts.stored
        self.stored |= facts.stored
        self.rebound |= facts.rebound
        self.identity |= facts.identity
        self.stores |= facts.stores or not CHANGING_METHODS.isdisjoint(facts.attributes)
        self._used_by_methods |= facts.by_methods
        kept = facts.kept
        if facts.used_up:
            kept = kept.union(made for user, made in facts.used_up if (
                named(scope, user, None) not in USING_UP))
            if "" in kept:
                raise NotPlain
        self._kept |= kept
        for name in facts.names:
            x = named(scope, name)
            f = undecorated(x)
            self.decorated |= f is not x
            if name in kept and makes_iterators(f):
                raise NotPlain
            if type(f) is FunctionType:
                self.functions.append(f)
            elif type(f) is ModuleType:
                self._module(f, name in kept)
            else:
                yield f

    # -- classes and modules -----------------------------------------------------------------------

    def _add_members(self, pending: list[Any]) -> bool:
        """Adds what the code reads from the classes and modules that it reaches. Returns False if
        there is nothing new."""
        found = [(space, kept, name, member) for space, kept in self._spaces
                 for name, member in vars(space).items()
                 if (name in self.attributes or (name.startswith("__") and type(space) is not (
                     ModuleType))) and (id(space), name) not in self._members]
        for space, kept, name, member in found:
            self._members.add((id(space), name))
            if type(space) is ModuleType:
                if makes_iterators(member) and kept:
                    raise NotPlain
                pending.append(member)
            else:
                pending += self._member(space, name, member)
        return bool(found)

    def _member(self, cls: type, name: str, x: Any) -> Iterable[Any]:
        """Returns what to visit of a member of a class."""
        if any(name == user for user, _ in self._used_by_methods):
            raise NotPlain
        if isinstance(x, (staticmethod, classmethod)):
            x = x.__func__
        if isinstance(x, property):
            return [f for f in (x.fget, x.fset, x.fdel) if f is not None]
        if isinstance(x, functools.cached_property):
            self.stored.add(name)
            return (x.func,)
        if type(x) is FunctionType:
            x = own_method(x)
            made = x.__code__.co_filename == "<string>" and name.startswith("_") and (
                cls.__bases__ == (tuple,) or "__dataclass_fields__" in vars(cls))
            if made or x.__globals__.get("__name__") in MAKING_METHODS:
                return ()
            if not makes_iterators(x) or is_generated(x.__code__):
                return (x,)
            self.held = True
            self.functions.append(x)
            if name not in ("__iter__", "__reversed__"):  # what asks for those uses them up
                self._generators.add(f".{name}")
            return ()
        if isinstance(x, OF_CLASSES_IN_C) or name.startswith("__"):
            return ()
        return (x,)

    def _module(self, x: ModuleType, kept: bool) -> None:
        if x not in MODULES and is_library(x.__name__) and not is_of_values(x):
            raise NotPlain
        self._spaces.append((x, kept))

    def _class(self, cls: type) -> Iterable[Any]:
        if type(cls) not in METACLASSES or is_library(cls.__module__) or "__del__" in dir(cls) or (
                any(map(is_of_values, cls.__mro__))):  # what it inherits may change its objects
            raise NotPlain
        self._spaces.append((cls, False))
        return [base for base in cls.__mro__[1:] if base not in BASES]

    # -- values ------------------------------------------------------------------------------------

    def _parts(self, x: Any) -> Iterable[Any]:
        cls = type(x)
        if cls is StagedList and not x.known:
            raise NotPlain
        if cls in CONTAINERS:
            self.most -= 1 + len(x) // ITEMS
            return () if self.most < 0 else others(CONTAINERS[cls](x))
        if isinstance(x, Iterator) and needs_cursor(x) and not cursor_of(x).in_step:
            raise NotPlain
        if cls is GeneratorType:
            return self._generator(x)
        if cls in ITERATORS or cls in HOLDING or cls is operator.itemgetter:
            return held_inside(x)
        if cls is operator.attrgetter:
            self.attributes.update(*(name.split(".") for name in x.__reduce__()[1]))
            return ()
        if cls is MethodDescriptorType and x.__objclass__ in CONTAINERS.keys() | ATOMS:
            self.stores |= x.__name__ in CHANGING_METHODS
            return ()
        if isinstance(x, BuiltinFunctionType):
            return self._builtin(x)
        if isinstance(x, type):
            return () if x in PURE or x in BASES or is_of_values(x) else self._class(x)
        if cls is ModuleType:
            self._module(x, True)
            return ()
        if cls is MethodType:
            return x.__func__, x.__self__
        self.most -= 1
        self.instances = True
        if cls.__bases__ == (tuple,):
            return [cls, *tuple.__iter__(x)]
        if isinstance(x, enum.Enum):
            return (cls,)
        if is_instance(x):
            return [cls, *contents_of(x).values()]
        if _is_value(x):
            return ()
        raise NotPlain

    def _generator(self, x: GeneratorType[Any, Any, Any]) -> Iterable[Any]:
        """Returns what a generator reads: that of a list of the trace, or of a function."""
        if (items := live_items(x)) is not None:
            return (items,)
        if x.gi_frame is None:
            return ()
        if is_generated(x.gi_code) or blocks(x.gi_code):
            raise NotPlain
        scope = x.gi_frame.f_globals
        cells = tuple(CellType() for _ in x.gi_code.co_freevars)
        facts = facts_of(FunctionType(x.gi_code, scope, closure=cells))
        if facts is None or facts.rebound:
            raise NotPlain
        held_in_frame = [y for y in gc.get_referents(x) if type(y) not in (
            CellType, CodeType, FrameType) and getattr(y, "__code__", None) is not x.gi_code]
        return [*x.gi_frame.f_locals.values(), *held_in_frame, *self._by_name(facts, scope)]

    def _builtin(self, x: Any) -> Iterable[Any]:
        owner = held(x, "__self__")
        if x in PURE:
            return ()
        if type(owner) is ModuleType and owner.__name__ in COMPUTING:
            self.stores |= x in CHANGING
            return ()
        if is_of_values(x) or _is_value(owner):
            return ()
        if type(owner) in CONTAINERS or type(owner) in ATOMS:
            self.stores |= x.__name__ in CHANGING_METHODS
            return (owner,)
        raise NotPlain

    # -- what the code is given --------------------------------------------------------------------

    def called(self, function: Any) -> Any:
        """Returns what is called in place of a function."""
        function = self.form_of(function)
        if self.decorated and type(function) is FunctionType:
            return without_decorators(function)
        return function

    def value_of(self, x: Any) -> Any:
        """Returns what code is given in place of a value; an iterator of the trace is read by
        nothing else from here on."""
        if not isinstance(x, (Generated, Cursor)):
            return self.form_of(x)
        if x.is_unread:
            assert x.written is not None
            maker, args, kwargs = x.written
            x.read_on(self.called(maker)(*map(self.value_of, args), **{
                name: self.value_of(v) for name, v in kwargs.items()}), self.take)
        return x.iterator


def _original_of(x: Any) -> Any:
    """Returns the callable for our replacement of it; anything else as it is."""
    if type(x) is FunctionType and BUILTIN_REPLACEMENTS.get(x.__name__) is x:
        return held(x, "__wrapped__")
    return original(x)


def _with_cells(f: FunctionType, cells: tuple[CellType, ...]) -> FunctionType:
    made = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, cells)
    made.__kwdefaults__ = f.__kwdefaults__
    return made


def _is_value(x: Any) -> bool:
    """Returns True for an object of Python's that computes values, and cannot be changed."""
    return is_of_values(type(x)) and not has_hidden_state(x)


def _may_stand_in(x: Any) -> bool:
    """Returns True for what may stand for another object while a function is traced."""
    return type(x) in CONTAINERS or isinstance(x, tuple) or (
        is_instance(x) and not isinstance(x, enum.Enum))


def _is_converted(x: Any) -> bool:
    return type(x) is FunctionType and is_generated(x.__code__)
