"""Captured values: the globals, closure variables and attributes that a function uses, as a key."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from autograph.runtime.heap.reachability import globals_read
from autograph.runtime.ir.closures import cell_contents, is_method
from autograph.runtime.ir.errors import CaptureError
from autograph.runtime.signatures.cache_keys import Identity, Key, Node, function_key, value_key
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
        _Reader(found, self.inputs).look("", self.function)
        for name, x in arguments.items():
            _Reader(found, self.inputs).attributes(name, x)
        if self.mode == "guard":
            return tuple(found.items())
        for path, key in found.items():
            if self.first.setdefault(path, key) != key:
                raise CaptureError(
                    f"{path} was {_show(self.first[path])} when the function was traced; it is "
                    f"{_show(key)} now\n  hint: pass it as an argument, keep it in an ag.Variable, "
                    'or use captures="guard"')
        return ()


def names_of_arrays(function: Any, arguments: Mapping[str, Any]) -> dict[int, str]:
    """Returns the name, by id, of every array and iterator that a function finds outside itself."""
    reader = _Reader(None)
    reader.look("", function)
    for name, x in arguments.items():
        reader.note_arrays(name, x)
        reader.attributes(name, x)
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

    def look(self, path: str, x: Any) -> None:
        """Notes an object, and what can be reached from it."""
        if is_method(x):
            self.look(path, x.__func__)
            self.attributes(path or "self", x.__self__)
            return
        if isinstance(x, FunctionType):
            self.function(path, x)
            return
        if path:
            if self.found is not None:
                self.found[path] = Identity(x) if isinstance(x, (np.ndarray, Variable)) else _key(x)
            self.note_arrays(path.rpartition(".")[2], x)
        self.attributes(path, x)

    def note_arrays(self, name: str, x: Any) -> None:
        """Notes the name of an array, or of the container that it is in."""
        if isinstance(x, (np.ndarray, Iterator)):
            self.arrays.setdefault(id(x), name)
        elif type(x) in (list, tuple, dict) and len(x) <= MANY:
            for part in x.values() if type(x) is dict else x:
                self.note_arrays(name, part)

    def function(self, path: str, x: FunctionType) -> None:
        if path and self.found is not None:
            self.found[path] = function_key(x)
        if id(x) in self.seen or _is_library(x.__module__):
            return
        self.seen.add(id(x))
        inner = getattr(x, "python_function", x)
        if inner is not x:
            self.look(path, inner)
            return
        for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
            if id(cell) not in self.skipped:
                self.look(name, cell_contents(cell))
        for read in globals_read(x):
            if (id(read.scope), read.name) not in self.skipped:
                own = read.scope is x.__globals__
                self.look(read.name if own else f"{read.scope['__name__']}.{read.name}",
                          read.read())

    def attributes(self, path: str, x: Any) -> None:
        """Notes the attributes of an instance of a user's class."""
        attributes = getattr(x, "__dict__", None)
        if type(attributes) is not dict or _is_library(type(x).__module__) or id(x) in self.seen:
            return
        self.seen.add(id(x))
        for name, value in attributes.items():
            if (id(attributes), name) not in self.skipped:
                self.look(f"{path}.{name}", value)


def _key(x: Any) -> Key:
    """Returns the key of a value; that of a dict or list is the key of its contents."""
    if type(x) is dict:
        return Node(dict, tuple((k, _key(v)) for k, v in x.items()))
    if type(x) in (list, tuple):
        return Node(type(x), tuple(map(_key, x)))
    return value_key(x)


def _is_library(module: str | None) -> bool:
    return (module or "").partition(".")[0] in ("autograph", "numpy", "builtins", "")


def _show(key: Key) -> str:
    value = getattr(key, "value", key)
    return str(value) if getattr(key, "cls", None) in (float, complex) else repr(value)
