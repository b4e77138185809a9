"""Walks over everything that a function and its arguments lead to, and names what it meets."""

from __future__ import annotations

import random
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from autograph.decorated import python_function_of
from autograph.libraries import is_library, package_of
from autograph.own_attributes import class_has, declared_attributes, held_among, own_dict
from autograph.runtime.heap.locations import Cell, Global
from autograph.runtime.heap.reachability import PARTS, globals_read, kept_in_c
from autograph.runtime.symbolic.variables import Variable
from autograph.traceback_filter import ADDED_TO_ERRORS

PLAIN = (int, float, complex, str, bytes, bool, type(None), np.generic, range, slice, ModuleType,
         CodeType, Enum)
"""What leads to nothing else, and does not change."""

CONTAINERS = (list, tuple, deque)
RANDOM = (np.random.Generator, np.random.RandomState, random.Random)

MAX_OBJECTS = 100_000
"""So many objects are walked over."""


class Met(NamedTuple):
    """An object on the walk: the name by which it was reached, and if it was met before.

    closed  True inside an object of a library, such as a logger.
    """

    name: str
    value: Any
    again: bool
    closed: bool


def roots_of(function: Any, arguments: dict[str, Any]) -> list[tuple[str, Any]]:
    """Returns what a call can reach: its arguments, the function, and the global generators of
    random numbers."""
    return [*((f"argument {name}", x) for name, x in arguments.items()), ("", function),
            ("the numbers of np.random", np.random.mtrand._rand),
            ("the numbers of random", random._inst)]


def walk(roots: Iterable[tuple[str, Any]]) -> Iterator[Met]:
    """Yields every object that the roots lead to, each before what it holds; plain values as often
    as they are met, others once more for each further way to them."""
    seen: dict[int, Any] = {}
    pending = [(name, x, False) for name, x in roots][::-1]
    while pending and len(seen) < MAX_OBJECTS:
        name, x, closed = pending.pop()
        if isinstance(x, PLAIN):
            yield Met(name, x, False, closed)
            continue
        again = id(x) in seen
        yield Met(name, x, again, closed)
        if not again:
            seen[id(x)] = x
            closed = closed or is_closed(x)
            pending.extend([(join(name, step), held, closed) for step, held in held_by(x)][::-1])


def join(name: str, step: str) -> str:
    """Returns the name of a part: `argument o.s[2]`; a variable of a function has its own name."""
    return name + step if step.startswith((".", "[", " ")) else step


def is_closed(x: Any) -> bool:
    """Returns True for an object of a library that is no container."""
    return not isinstance(x, (dict, list, tuple, set, deque, frozenset, FunctionType, MethodType,
                              partial, type, np.ndarray)) and is_library(type(x).__module__ or "")


def held_by(x: Any) -> Iterator[tuple[str, Any]]:
    """Yields what an object holds: a step, such as `.name` or `[0]`, and the value."""
    if isinstance(x, FunctionType):
        yield from of_function(x)
    elif isinstance(x, type):
        yield from of_class(x)
    elif type(x) in PARTS and not isinstance(x, (BuiltinFunctionType, MethodType)):
        yield from ((f"[{i}]", part) for i, part in enumerate(PARTS[type(x)](x)))
    elif isinstance(x, (MethodType, BuiltinFunctionType)):
        yield from ((f".{name}", getattr(x, name)) for name in ("__self__", "__func__")
                    if hasattr(x, name))
    elif not isinstance(x, (Variable, *RANDOM)):
        yield from items_of(x)
        yield from attributes_of(x)


def items_of(x: Any) -> Iterator[tuple[str, Any]]:
    """Yields the items of a container."""
    if isinstance(x, CONTAINERS):
        yield from ((f"[{i}]", held) for i, held in enumerate(x))
    elif isinstance(x, dict):
        for key, held in dict.items(x):
            yield f"[{key_text(key)}]", held
            if not isinstance(key, PLAIN):
                yield f" key {key_text(key)}", key
    elif isinstance(x, (set, frozenset)):
        yield from ((" item", held) for held in sorted(x, key=key_text))
    elif isinstance(x, np.ndarray) and x.dtype == object:
        yield from ((f"[{i}]", held) for i, held in enumerate(x.flat))


def key_text(x: Any) -> str:
    """Returns a text of a key or an item of a set that is the same in every run."""
    if isinstance(x, (tuple, frozenset)):
        inside = [key_text(item) for item in x]
        return f"({', '.join(inside if isinstance(x, tuple) else sorted(inside))})"
    if isinstance(x, PLAIN):
        return repr(x)
    return getattr(x, "__qualname__", "") or f"<{type(x).__name__}>"


def attributes_of(x: Any) -> Iterator[tuple[str, Any]]:
    """Yields the attributes of an instance, without those that only its class has."""
    cls = type(x)
    module = package_of(cls.__module__)
    if module in ("autograph", "numpy") and not class_has(cls, "__ag_references__"):
        return
    yield from ((f".{name}", held) for name, held in (own_dict(x) or {}).items()
                if name not in ADDED_TO_ERRORS)
    if isinstance(x, BaseException):
        yield ".args", x.args
    if not is_library(module):
        yield from ((f".{name}", part)
                    for name, part in held_among(x, declared_attributes(cls)).items())
        if not isinstance(x, (dict, *CONTAINERS, set, frozenset, np.ndarray)):
            yield from ((f" part {i}", part) for i, part in enumerate(kept_in_c(x)))
        yield " class", cls


def of_function(x: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yields what a function holds: its variables, those of its module that it reads, defaults."""
    inner = python_function_of(x)
    if inner is not x:
        yield ".python_function", inner
        return
    for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
        held = Cell(cell, name).read()
        if held is not sys.modules["autograph"]:  # the operators of converted code
            yield f"variable {name}", held
    if not is_library(x.__globals__.get("__name__") or ""):
        found = (location for location in globals_read(x) if isinstance(location, Global))
        yield from ((f"global {g.name}", g.read()) for g in found)
    parameters = x.__code__.co_varnames[:x.__code__.co_argcount]
    defaults = x.__defaults__ or ()
    yield from ((f"default of {name}", held) for name, held in zip(
        parameters[len(parameters) - len(defaults):], defaults, strict=True))
    yield from ((f"default of {n}", held) for n, held in (x.__kwdefaults__ or {}).items())
    yield from ((f"{x.__name__}.{name}", held) for name, held in vars(x).items()
                if not name.startswith("__"))


def of_class(x: type) -> Iterator[tuple[str, Any]]:
    """Yields the attributes of a user's class, its methods, and its bases."""
    if not is_library(x.__module__ or ""):
        yield from ((f"{x.__name__}.{name}", held) for name, held in vars(x).items()
                    if not isinstance(held, (CellType, str)) and (
                        not name.startswith("__") or callable(held)))
        yield from ((base.__name__, base) for base in x.__mro__[1:])
