"""Captured values: the globals, closure variables and attributes that a function uses, as a key."""

from __future__ import annotations

import builtins
from collections import deque
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping
from enum import Enum
from functools import partial
from itertools import count
from types import (
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from autograph.decorated import python_function_of
from autograph.libraries import is_closed_class, is_closed_module, is_library, is_python, package_of
from autograph.own_attributes import declared_attributes, held, own_dict
from autograph.runtime.heap.hidden_state import has_hidden_state
from autograph.runtime.heap.library_names import scopes_named
from autograph.runtime.heap.locations import Attributes
from autograph.runtime.heap.reachability import globals_read, wrapped_by_library
from autograph.runtime.heap.uses_of_names import uses_of
from autograph.runtime.ir.closures import cell_contents, is_method
from autograph.runtime.ir.errors import CaptureError
from autograph.runtime.signatures.cache_keys import LITERALS, Identity, Key, Literal, function_key
from autograph.runtime.signatures.captured_keys import (
    contents_of,
    items_held,
    shown_by,
    simple_attributes,
    value_or_contents_key,
)
from autograph.runtime.signatures.process_settings import settings_of_process
from autograph.runtime.signatures.unchanged import Read, Unchanged, items_of

NOW = vars(builtins)
"""The builtins as they are now."""

MANY = 1000
"""Arrays in containers of more items have no names."""

MODES = ("freeze", "guard", "error")


class Captured:
    """Watches the values that a function takes from outside, as `ag.function(captures=…)` says.

    freeze  the values of the trace are used forever.
    guard   another value is another signature.
    error   another value is an error.
    """

    def __init__(self, function: Any, mode: str) -> None:
        if mode not in MODES:
            raise ValueError(f"captures must be one of {', '.join(MODES)}, not {mode!r}")
        self.function = function
        self.mode = mode
        self.first: dict[str, Key] = {}
        self.inputs: set[Hashable] = set()  # the locations that are inputs of the traces
        self.last: Outside = Outside()
        self.known: LastRead | None = None  # what `last` was read from

    @property
    def is_frozen(self) -> bool:
        return self.mode == "freeze"

    @property
    def result(self) -> Key:
        """The part of the last call's key: what does not change is in none."""
        return self.last if self.mode == "guard" else ()

    def key(self, arguments: Mapping[str, Any]) -> Key:
        """Returns the key of what the function would take from outside if it were traced now.

        Raises:
          CaptureError: mode "error", and something changed since the first call.
        """
        if self.is_frozen:
            return ()
        known = self.known
        if known is not None and known.fits(arguments, len(self.inputs)):
            return self.result
        found: dict[str, Key] = {}
        _read_all(_Reader(found, self.inputs), self.function, arguments)
        made = Outside(found.items())
        self.known = self._known(arguments) if made == self.last else None
        self.last = made if self.known is None else self.last
        if self.mode == "guard":
            return self.last
        for path, key in found.items():
            if self.first.setdefault(path, key) != key:
                name = path.rstrip("*")
                raise CaptureError(
                    f"{name} was {_show(self.first[path])} when the function was traced; it is "
                    f"{_show(key)} now\n  hint: pass it as an argument, keep it in an ag.Variable, "
                    'or use captures="guard"')
        return ()

    def is_known(self, number: int) -> bool:
        """Returns True if what is known has a number, and is as it was."""
        known = self.known
        return known is not None and known.number == number and (
            known.count == len(self.inputs) and known.unchanged.holds())

    def _known(self, arguments: Mapping[str, Any]) -> LastRead | None:
        """Reads all again, and returns what that was read from; None if it is something else, or
        cannot be told."""
        found: dict[str, Key] = {}
        reader = _Reader(found, self.inputs)
        reader.unchanged = Unchanged(self.inputs)
        inputs = len(self.inputs)
        try:
            _read_all(reader, self.function, arguments)
        except RuntimeError:  # containers without an end, or another thread changes one
            return None
        objects = {name: x for name, x in arguments.items() if not _holds_nothing(x)}
        for x in objects.values():
            reader.unchanged.refer(x)
        if Outside(found.items()) != self.last:
            return None
        return LastRead(reader.unchanged, inputs, {name: id(x) for name, x in objects.items()})


class Outside(tuple[Any, ...]):
    """A key of what is outside a function: its hash is computed once."""

    def __hash__(self) -> int:
        found = vars(self).get("hash")
        if found is None:
            found = self.hash = super().__hash__()
        return found


class LastRead:
    """Tells if the objects that the last key was read from hold the same things still.

    number   its own.
    count    the number of locations that were inputs.
    objects  the identities of the arguments that have something to read in them, by name.
    """

    def __init__(self, unchanged: Unchanged, count: int, objects: dict[str, int]) -> None:
        self.number = next(_numbers)
        self.unchanged = unchanged
        self.count = count
        self.objects = objects

    def fits(self, arguments: Mapping[str, Any], count: int) -> bool:
        """Returns True if a call with these arguments would find the same key."""
        if count != self.count:
            return False
        for name, x in arguments.items():
            if id(x) != self.objects[name] if name in self.objects else not _holds_nothing(x):
                return False
        return self.unchanged.holds()


_numbers = count()


def _read_all(reader: _Reader, function: Any, arguments: Mapping[str, Any]) -> None:
    reader.read("", function)
    reader.settings()
    for name, x in arguments.items():
        reader.read_argument(name, x)


def _holds_nothing(x: Any, depth: int = 0) -> bool:
    """Returns True for an argument of which nothing is outside its signature."""
    cls = type(x)
    return cls is np.ndarray or cls in LITERALS or issubclass(cls, np.generic) or (
        depth < 4 and cls in (list, tuple, dict) and all(
            _holds_nothing(part, depth + 1) for part in (x.values() if cls is dict else x)))


def names_of_arrays(function: Any, arguments: Mapping[str, Any]) -> dict[int, str]:
    """Returns the name, by id, of each array and iterator that a function finds outside itself, and
    of each object with hidden state."""
    reader = _Reader(None)
    reader.read("", function)
    for name, x in arguments.items():
        reader.note_arrays(name, x)
        reader.read_argument(name, x)
    return reader.arrays


class _Reader:
    """Collects keys by the path under which a program finds the object.

    Without a dict for the keys, it collects only the names of arrays.
    """

    def __init__(self, found: dict[str, Key] | None, skipped: Container[Hashable] = ()) -> None:
        self.found = found
        self.skipped = skipped
        self.arrays: dict[int, str] = {}
        self.seen: set[int] = set()
        self.opened: set[int] = set()
        self.named: set[tuple[int, str]] = set()
        self.unchanged: Unchanged | None = None
        self.waiting: deque[tuple[str, Any]] = deque()

    def read(self, path: str, x: Any) -> None:
        """Notes an object, and what can be reached from it."""
        self.look(path, x)
        self.read_waiting()

    def read_argument(self, path: str, x: Any) -> None:
        """Notes an argument, as `argument` does, and what can be reached from it."""
        self.argument(path, x)
        self.read_waiting()

    def read_waiting(self) -> None:
        """Looks at what waits, one after the other: chains of objects may be long."""
        while self.waiting:
            self.look_at(*self.waiting.popleft())

    def look(self, path: str, x: Any) -> None:
        """Has an object looked at."""
        self.waiting.append((path, x))

    def look_at(self, path: str, x: Any) -> None:
        """Notes an object; has what it holds looked at."""
        if is_method(x):
            self.look(path, x.__func__)
            self.attributes(path or "self", x.__self__)
            return
        if isinstance(x, FunctionType):
            self.function(path, x)
            return
        if path:
            self.note(path, x)
            self.note_arrays(path.rpartition(".")[2], x)
        if isinstance(x, type):
            self.class_(path, x)
        elif self.found is not None:
            self.parts(path, x)
        self.attributes(path, x)

    def argument(self, path: str, x: Any) -> None:
        """Notes the attributes of an argument and of what its containers hold; the rest of it is in
        the signature, but for a function. An object of a closed library is a value of the graph."""
        if self.found is not None and (isinstance(x, (FunctionType, partial)) or is_method(x)):
            self.look(path, x)
        elif not is_closed_class(type(x)):
            self.attributes(path, x)
        if isinstance(x, (list, tuple, dict, deque)) and id(x) not in self.opened:
            self.opened.add(id(x))
            for i, part in items_held(x):
                if type(part) not in LITERALS:
                    self.argument(f"{path}[{i!r}]", part)

    def note(self, path: str, x: Any) -> None:
        """Notes the key of an object under a path that no other object has."""
        if self.found is not None:
            while path in self.found:
                path += "*"
            key = (function_key(x) if isinstance(x, FunctionType)
                   else value_or_contents_key(x, self.skipped))
            if self.unchanged is not None:
                self.note_what_holds(self.unchanged, x, key)
            self.found[path] = key

    def note_what_holds(self, unchanged: Unchanged, x: Any, key: Key) -> None:
        """Notes what the key of an object was read from, unless that never changes."""
        if isinstance(x, FunctionType):
            unchanged.note_function(x, partial(_parts_of_function, self.skipped))
        elif isinstance(x, (list, tuple, dict, deque)):
            if type(x) not in (list, tuple, dict):
                unchanged.note(x, items_of)
        elif isinstance(x, partial):
            unchanged.note(x, lambda x: (x.func, x.args, x.keywords))
        elif type(x) is np.ndarray and not x.dtype.hasobject:
            unchanged.note_key(x, contents_of, contents_of(x))
        elif not isinstance(key, (Identity, Literal)):
            unchanged.note_key(x, value_or_contents_key, key)

    def holder(self, x: Any, read: Read) -> None:
        """Notes what is read from an object."""
        if self.unchanged is not None:
            self.unchanged.note(x, read)

    def parts(self, path: str, x: Any) -> None:
        """Looks at the objects in a container or a partial function."""
        if (shown := shown_by(x)) is not None:
            self.holder(x, lambda x: shown_by(x) or ())
            self.each(path, shown)
        elif isinstance(x, (staticmethod, classmethod)):
            self.look(path, x.__func__)
        elif isinstance(x, partial):
            self.note(f"{path}.keywords", x.keywords)
            self.each(path, (x.func, *x.args, *x.keywords.values()))
        elif isinstance(x, (list, tuple, dict, deque)) and id(x) not in self.opened:
            self.opened.add(id(x))
            self.each(path, (
                item for key, item in items_held(x) if (id(x), key) not in self.skipped))

    def each(self, path: str, found: Iterable[Any]) -> None:
        """Looks at several objects; a literal is in the key of what holds it."""
        for i, x in enumerate(found):
            if type(x) not in LITERALS:
                self.look(f"{path}[{i}]", x)

    def class_(self, path: str, x: type) -> None:
        """Looks at the attributes and methods of a user's class, and of those it inherits from."""
        if issubclass(x, Enum) and self.found is not None and id(x) not in self.seen:
            self.seen.add(id(x))
            self.each(path, vars(x).get("_member_map_", {}).values())
        meta: Any = type(x)
        kinds = () if is_library(meta.__module__) else meta.__mro__
        for cls in (*x.__mro__, *kinds) if self.found is not None else ():
            if id(cls) in self.seen or issubclass(cls, Enum) or _is_library(
                    cls.__module__) or is_closed_class(cls):
                continue
            self.seen.add(id(cls))
            if self.unchanged is not None:
                some = any((id(cls), name) in self.skipped for name in vars(cls))
                self.unchanged.note_shallow(cls, partial(
                    _attributes_but, self.skipped, id(cls)) if some else _attributes_of_class)
            for name, value in list(vars(cls).items()):
                if (not name.startswith("__") or callable(value)) and not isinstance(
                        value, (MemberDescriptorType, GetSetDescriptorType, type)) and (
                        id(cls), name) not in self.skipped:
                    self.look(f"{cls.__name__}.{name}", value)

    def note_arrays(self, name: str, x: Any) -> None:
        """Notes the name of an array, its owner and container; of an iterator, of hidden state."""
        while isinstance(x, (np.ndarray, Iterator)) or has_hidden_state(x):
            self.arrays.setdefault(id(x), name)
            x = held(x, "base")  # a view of the same memory leads to it, too
        if type(x) in (list, tuple, dict) and len(x) <= MANY:
            for part in x.values() if type(x) is dict else x:
                self.note_arrays(name, part)

    def function(self, path: str, x: FunctionType) -> None:
        if path:
            self.note(path, x)
        if id(x) in self.seen or _is_library(x.__module__) or is_closed_module(
                str(x.__globals__.get("__name__"))):  # wrappers copy `__module__`
            return
        self.seen.add(id(x))
        if not path and self.unchanged is not None:
            self.note_what_holds(self.unchanged, x, ())
        inner = python_function_of(x)
        if inner is not x:
            self.look(path, inner)
            return
        if self.found is not None and path:  # a function's own defaults are arguments
            given = (x.__defaults__ or (), x.__kwdefaults__ or {})
            self.note(f"{path}.__code__", x.__code__)
            self.note(f"{path}.__defaults__", given)
            self.each(f"{path}.__defaults__", given)
        if self.found is not None:
            if self.unchanged is not None:
                self.unchanged.note_function(x, partial(_attributes_but, self.skipped, id(x)))
            for name, value in vars(x).items():
                if not name.startswith("__") and (id(x), name) not in self.skipped:
                    self.look(f"{path or x.__name__}.{name}", value)
        for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
            if id(cell) not in self.skipped:
                self.look(name, cell_contents(cell))
        self.scopes(x)
        for read in globals_read(x):
            if (id(read.scope), read.name) not in self.skipped:
                own = read.scope is x.__globals__
                self.look(read.name if own else f"{read.home}.{read.name}", read.read())
        if self.found is not None:
            self.builtins(x)
            self.libraries(x)

    def libraries(self, x: FunctionType) -> None:
        """Notes what a function names in the modules of libraries: a program or the system may set
        it. Containers are looked at as other globals are."""
        names = uses_of(x.__code__).read
        modules = {id(m): m for n in names if type(m := x.__globals__.get(n)) is ModuleType}
        for module in (m for m in modules.values() if is_library(m.__name__)):
            for scope in scopes_named(module, names):
                for name in names:
                    if name in scope and (id(scope), name) not in self.named:
                        self.named.add((id(scope), name))
                        self.note_simple(f"{module.__name__}.{name}", scope[name])

    def settings(self) -> None:
        """Notes the settings that code in C takes from the process, whatever it is given."""
        found = settings_of_process()
        assert self.found is not None
        self.found["the settings of NumPy and of decimal"] = found
        if self.unchanged is not None:
            self.unchanged.note_key(np, lambda x: settings_of_process(), found)

    def note_simple(self, path: str, x: Any) -> None:
        """Notes an object of a library: a number or text by its value."""
        if not isinstance(x, (ModuleType, list, dict, set, deque, np.ndarray)):
            simple = type(x) in LITERALS or type(x) is tuple
            assert self.found is not None
            self.found[path] = value_or_contents_key(x) if simple else Identity(x)
            if type(x) is MethodType:
                self.settings_of(path, x.__self__)

    def settings_of(self, path: str, x: Any) -> None:
        """Notes the numbers and texts in an object of a library, of which a module has a method."""
        key = simple_attributes(x)
        self.found[f"{path}.__self__"] = key  # type: ignore[index]  # as in `note_simple`
        if self.unchanged is not None:
            self.unchanged.note_key(x, simple_attributes, key)

    def builtins(self, x: FunctionType) -> None:
        """Notes the builtins that a function reads: a global may hide one later."""
        read = [n for n in uses_of(x.__code__).read if n not in x.__globals__ and n in NOW]
        for name in read:
            self.look(name, NOW[name])
        if self.unchanged is not None:
            self.unchanged.note_names(NOW, read)

    def scopes(self, x: FunctionType) -> None:
        """Notes what the names that a function may read stand for, and in the modules it uses."""
        names = uses_of(x.__code__).read
        scopes = [x.__globals__]
        if self.unchanged is None:
            return
        for scope in scopes:
            self.unchanged.note_names(
                scope, (n for n in names if (id(scope), n) not in self.skipped))
            for name in names:
                module = scope.get(name)
                if type(module) is ModuleType and all(vars(module) is not s for s in scopes):
                    scopes += scopes_named(module, names)

    def attributes(self, path: str, x: Any) -> None:
        """Notes the attributes of an instance of a user's class; of what each run asks, such as a
        logger, those that it has itself."""
        attributes = own_dict(x) or {}
        if isinstance(x, type) or id(x) in self.seen or _is_library(type(x).__module__):
            return
        self.seen.add(id(x))
        if (wrapped := wrapped_by_library(x)) is not None:
            self.look(path, wrapped)
            return
        of_run = is_python(type(x).__module__) and has_hidden_state(x)
        if not (is_python(type(x).__module__) and own_dict(x) is None
                and not declared_attributes(type(x))):
            self.holder(x, partial(_attributes_of_object, self.skipped, id(attributes)))
        for name, value in attributes.items():
            if (id(attributes), name) not in self.skipped:
                (self.note if of_run else self.look)(f"{path}.{name}", value)
        if self.found is not None and not of_run:
            for name, value in Attributes(x).read().items():  # of __slots__
                if (id(x), name) not in self.skipped:
                    self.look(f"{path}.{name}", value)
            self.class_(path, type(x))


def _parts_of_function(skipped: Container[Hashable], x: FunctionType) -> Iterable[Any]:
    cells = [cell_contents(cell) for cell in x.__closure__ or () if id(cell) not in skipped]
    return (x.__code__, x.__defaults__, x.__kwdefaults__, *cells)


def _attributes_but(skipped: Container[Hashable], number: int, x: Any) -> Iterable[Any]:
    """Returns the names and values of a class or function, and the classes it inherits from."""
    found = [part for name, value in list(vars(x).items()) if (number, name) not in skipped
             for part in (name, value)]
    return (*found, *x.__mro__) if isinstance(x, type) else found


def _attributes_of_class(x: type) -> Iterable[Any]:
    """Returns the names and values of a class, and the classes it inherits from."""
    return (*vars(x), *vars(x).values(), *x.__mro__)


def _attributes_of_object(skipped: Container[Hashable], number: int, x: Any) -> Iterable[Any]:
    """Returns the class, names and values of an object."""
    attributes = own_dict(x) or {}
    found = [part for name, value in list(attributes.items()) if (number, name) not in skipped
             for part in (name, value)]
    others = Attributes(x).read().items()
    return (type(x), *found, *(part for name, value in others if (id(x), name) not in skipped
                               for part in (name, value)))


def _is_library(module: object) -> bool:
    return package_of(module) in ("autograph", "numpy", "builtins", "")


def _show(key: Key) -> str:
    if getattr(key, "kind", None) is FunctionType:
        return f"the function {key.parts[0].co_qualname}"
    value = getattr(key, "value", key)
    return str(value) if getattr(key, "cls", None) in (float, complex) else repr(value)
