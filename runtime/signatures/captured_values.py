"""Captured values: the globals, closure variables and attributes that a function uses, as a key."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping
from enum import Enum
from functools import partial
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

import numpy as np

from autograph.decorated import python_function_of
from autograph.libraries import is_closed_class, is_closed_module, is_python, package_of
from autograph.own_attributes import held, own_dict
from autograph.runtime.heap.hidden_state import has_hidden_state
from autograph.runtime.heap.locations import Attributes
from autograph.runtime.heap.reachability import globals_read
from autograph.runtime.ir.closures import cell_contents, is_method
from autograph.runtime.ir.errors import CaptureError
from autograph.runtime.signatures.cache_keys import (
    LITERALS,
    Identity,
    Key,
    Node,
    function_key,
    items_key,
    value_key,
)
from autograph.runtime.symbolic.variables import Variable

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

    @property
    def is_frozen(self) -> bool:
        return self.mode == "freeze"

    def key(self, arguments: Mapping[str, Any]) -> Key:
        """Returns the key of what the function would take from outside if it were traced now.

        Raises:
          CaptureError: mode "error", and something changed since the first call.
        """
        if self.is_frozen:
            return ()
        found: dict[str, Key] = {}
        _Reader(found, self.inputs).read("", self.function)
        for name, x in arguments.items():
            _Reader(found, self.inputs).read_argument(name, x)
        if self.mode == "guard":
            return tuple(found.items())
        for path, key in found.items():
            if self.first.setdefault(path, key) != key:
                name = path.rstrip("*")
                raise CaptureError(
                    f"{name} was {_show(self.first[path])} when the function was traced; it is "
                    f"{_show(key)} now\n  hint: pass it as an argument, keep it in an ag.Variable, "
                    'or use captures="guard"')
        return ()


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
        """Notes the attributes of an argument and of the objects in its containers, whose other
        items are in the signature; what a function holds is outside as that of any other function.
        An object of a closed library is a value of the graph."""
        if self.found is not None and (isinstance(x, (FunctionType, partial)) or is_method(x)):
            self.look(path, x)
        elif not is_closed_class(type(x)):
            self.attributes(path, x)
        if isinstance(x, (list, tuple, dict, deque)) and id(x) not in self.seen:
            self.seen.add(id(x))
            for i, part in x.items() if isinstance(x, dict) else enumerate(x):
                if type(part) not in LITERALS:
                    self.argument(f"{path}[{i!r}]", part)

    def note(self, path: str, x: Any) -> None:
        """Notes the key of an object under a path that no other object has."""
        if self.found is not None:
            while path in self.found:
                path += "*"
            self.found[path] = function_key(x) if isinstance(x, FunctionType) else _key(x)

    def parts(self, path: str, x: Any) -> None:
        """Looks at the objects in a container or a partial function."""
        if isinstance(x, (staticmethod, classmethod)):
            self.look(path, x.__func__)
        elif isinstance(x, property):
            self.each(path, (x.fget, x.fset, x.fdel))
        elif isinstance(x, partial):
            self.each(path, (x.func, *x.args, *x.keywords.values()))
        elif isinstance(x, (list, tuple, dict, deque)) and id(x) not in self.seen:
            self.seen.add(id(x))
            self.each(path, x.values() if isinstance(x, dict) else x)

    def each(self, path: str, found: Iterable[Any]) -> None:
        """Looks at several objects; a literal is in the key of what holds it."""
        for i, x in enumerate(found):
            if type(x) not in LITERALS:
                self.look(f"{path}[{i}]", x)

    def class_(self, path: str, x: type) -> None:
        """Looks at the attributes and methods of a user's class, and of those it inherits from."""
        for cls in x.__mro__ if self.found is not None else ():
            if id(cls) in self.seen or issubclass(cls, Enum) or _is_library(
                    cls.__module__) or is_closed_class(cls):
                continue
            self.seen.add(id(cls))
            for name, value in list(vars(cls).items()):
                if (not name.startswith("__") or callable(value)) and not isinstance(
                        value, (MemberDescriptorType, GetSetDescriptorType, type)) and (
                        id(cls), name) not in self.skipped:
                    self.look(f"{cls.__name__}.{name}", value)

    def note_arrays(self, name: str, x: Any) -> None:
        """Notes the name of an array and of its owner, or of the container that it is in; so of an
        iterator, and of an object with hidden state."""
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
            for name, value in vars(x).items():
                if not name.startswith("__") and (id(x), name) not in self.skipped:
                    self.look(f"{path or x.__name__}.{name}", value)
        for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
            if id(cell) not in self.skipped:
                self.look(name, cell_contents(cell))
        for read in globals_read(x):
            if (id(read.scope), read.name) not in self.skipped:
                own = read.scope is x.__globals__
                self.look(read.name if own else f"{read.scope['__name__']}.{read.name}",
                          read.read())

    def attributes(self, path: str, x: Any) -> None:
        """Notes the attributes of an instance of a user's class; of what each run asks, such as a
        logger, those that it has itself."""
        attributes = own_dict(x) or {}
        if isinstance(x, type) or id(x) in self.seen or _is_library(
                type(x).__module__):
            return
        self.seen.add(id(x))
        of_run = is_python(type(x).__module__) and has_hidden_state(x)
        for name, value in attributes.items():
            if (id(attributes), name) not in self.skipped:
                (self.note if of_run else self.look)(f"{path}.{name}", value)
        if of_run:
            return
        if self.found is not None:
            for name, value in Attributes(x).read().items():  # of __slots__
                if (id(x), name) not in self.skipped:
                    self.look(f"{path}.{name}", value)
            self.class_(path, type(x))


def _key(x: Any) -> Key:
    """Returns the key of a value; that of a container is the key of its contents."""
    return items_key(x, _leaf_key)


def _leaf_key(x: Any) -> Key:
    if type(x) is np.ndarray:
        held = tuple(map(Identity, x.flat)) if x.dtype.hasobject else hash(x.tobytes())
        return Node(np.ndarray, (Identity(x), x.dtype, x.shape, held))
    if isinstance(x, (np.ndarray, Variable)):
        return Identity(x)
    return value_key(x)


def _is_library(module: object) -> bool:
    return package_of(module) in ("autograph", "numpy", "builtins", "")


def _show(key: Key) -> str:
    value = getattr(key, "value", key)
    return str(value) if getattr(key, "cls", None) in (float, complex) else repr(value)
