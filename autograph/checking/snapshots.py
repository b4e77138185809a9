"""Snapshots: the state that a call can reach, as it was, to be put back."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from autograph.checking.walk import walk
from autograph.libraries import is_library
from autograph.own_attributes import declared_attributes, own_dict
from autograph.runtime.heap.locations import FILES, Attributes, Cell, Contents, File, Global
from autograph.runtime.heap.reachability import globals_read, uses_of
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.symbolic.variables import Variable

Undo = Callable[[], None]


class Snapshot:
    """The state that some roots lead to: variables, containers, attributes, arrays, files in
    memory and generators of random numbers. `once` names what cannot be put back: what can be read
    only once, such as a generator or a file.

    >>> items = [1, 2]
    >>> before = Snapshot([("items", items)])
    >>> items.append(3)
    >>> before.put_back()
    >>> items
    [1, 2]
    """

    def __init__(self, roots: Iterable[tuple[str, Any]]) -> None:
        self.names: dict[int, str] = {}
        self.kept: list[Any] = []  # no other object gets the id of one of these
        self.once: list[str] = []
        self._undo: list[Undo] = []
        for met in walk(roots):
            if met.again or id(met.value) in self.names:
                continue
            self.names[id(met.value)] = met.name
            self.kept.append(met.value)
            self._undo += undos(met.value)
            if is_once(met.value) and not met.closed:
                self.once.append(f"{met.name} is a {type(met.value).__name__}")

    def put_back(self) -> None:
        """Gives everything the contents that it had."""
        for undo in self._undo:
            undo()


def is_once(x: Any) -> bool:
    """Returns True for what can be read only once: a generator, an iterator, a file on disk."""
    return hasattr(type(x), "__next__") and type(x) not in FILES


@contextmanager
def put_back(roots: Iterable[tuple[str, Any]]) -> Iterator[Snapshot]:
    """Puts back, after the block, the state that some roots lead to."""
    snapshot = Snapshot(roots)
    try:
        yield snapshot
    finally:
        snapshot.put_back()


def undos(x: Any) -> Iterator[Undo]:
    """Yields what gives an object the contents that it has now."""
    if isinstance(x, np.ndarray):
        yield of_array(x)
    elif isinstance(x, Variable):
        yield of_variable(x)
    elif isinstance(x, np.random.Generator):
        yield of_bits(x.bit_generator)
    elif isinstance(x, np.random.RandomState):
        held = x.get_state()
        yield lambda: x.set_state(held)
    elif isinstance(x, random.Random):
        state = x.getstate()
        yield lambda: x.setstate(state)
    else:
        yield from map(of_location, locations(x))


def of_bits(x: np.random.BitGenerator) -> Undo:
    state = x.state

    def undo() -> None:
        x.state = state

    return undo


def of_variable(x: Variable) -> Undo:
    held = x.storage.snapshot()

    def undo() -> None:
        x.storage.array = held

    return undo


def of_array(x: np.ndarray) -> Undo:
    held, writeable = x.copy(), x.flags.writeable

    def undo() -> None:
        if x.flags.writeable and x.shape == held.shape and x.tobytes() != held.tobytes():
            x[...] = held
        if x.flags.writeable != writeable:
            x.flags.writeable = writeable

    return undo


def of_location(location: Any) -> Undo:
    held = location.read()

    def undo() -> None:
        if not location.same(held, location.read()):
            location.write(held)

    return undo


def locations(x: Any) -> Iterator[Any]:
    """Yields the heap locations of one object."""
    cls = type(x)
    if cls in FILES:
        yield File(x)
    elif isinstance(x, FunctionType):
        yield from of_function(x)
    elif isinstance(x, type):
        if not is_library(x.__module__ or ""):
            yield Attributes(x)
    else:
        if isinstance(x, (list, set, deque, dict, *BUFFERS)):
            yield Contents(x, x)
        if (attributes := own_dict(x)) is not None:
            yield Contents(attributes, x)
        if declared_attributes(cls) and not is_library(cls.__module__ or ""):
            yield Attributes(x)


def of_function(x: FunctionType) -> Iterator[Any]:
    """Yields a function's variables, and the globals that it binds."""
    if "__ag_dispatcher__" in vars(x):
        return
    yield from (Cell(cell, name) for name, cell in zip(
        x.__code__.co_freevars, x.__closure__ or (), strict=True))
    if is_library(x.__globals__.get("__name__") or ""):
        return
    uses = uses_of(x.__code__)
    yield from (Global(x.__globals__, name) for name in uses.bound)
    modules = [m for g in globals_read(x) if type(m := g.read()) is ModuleType]
    yield from (Global(vars(m), name) for m in modules for name in uses.stored)
    yield Attributes(x)
