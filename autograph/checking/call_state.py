"""The state that a call can reach, as it was, to be put back."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.checking.walk import walk
from autograph.runtime.heap.locations import FILES
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.heap.snapshot import Snapshot
from autograph.runtime.ir.stand_ins import UNDOERS, array_of
from autograph.runtime.symbolic.variables import Variable

Undo = Callable[[], None]


class CallState:
    """The state that some roots lead to: variables, containers, attributes, arrays, files in
    memory and generators of random numbers. `left_out` says what cannot be put back: what can be
    read only once, such as a generator or a file.

    Raises:
      TracingError: the roots lead to more objects than are visited.

    >>> items = [1, 2]
    >>> before = CallState([("items", items)])
    >>> items.append(3)
    >>> before.put_back()
    >>> items
    [1, 2]
    """

    def __init__(self, roots: Iterable[tuple[str, Any]]) -> None:
        self.names: dict[int, str] = {}
        self.kept: list[Any] = []  # no other object gets the id of one of these
        self.left_out: list[str] = []
        for met in walk(roots := [*roots]):
            if met.again or id(met.value) in self.names:
                continue
            self.names[id(met.value)] = met.name
            self.kept.append(met.value)
            if is_once(met.value) and not met.closed:
                self.left_out.append(f"{met.name} is a {type(met.value).__name__}, which can be "
                                     "read only once")
        reached = reachable_locations(*(x for _, x in roots))
        self._undo: list[Undo] = [Snapshot.take(reached).restore, *map(of_array, reached.arrays)]
        for x in reached.visited:
            self._undo += undos(x)

    def put_back(self) -> None:
        """Gives everything the contents that it had."""
        for undo in self._undo:
            undo()


def is_once(x: Any) -> bool:
    """Returns True for what can be read only once: a generator, an iterator, a file on disk."""
    return hasattr(type(x), "__next__") and type(x) not in FILES


@contextmanager
def put_back(roots: Iterable[tuple[str, Any]]) -> Iterator[CallState]:
    """Puts back, after the block, the state that some roots lead to."""
    snapshot = CallState(roots)
    try:
        yield snapshot
    finally:
        snapshot.put_back()


def undos(x: Any) -> Iterator[Undo]:
    """Yields what gives an object that is no location of the heap the contents that it has now."""
    if isinstance(x, Variable):
        yield of_variable(x)
    elif isinstance(x, np.random.Generator):
        yield of_bits(x.bit_generator)
    elif isinstance(x, np.random.RandomState):
        held = x.get_state()
        yield lambda: x.set_state(held)
    elif isinstance(x, random.Random):
        state = x.getstate()
        yield lambda: x.setstate(state)


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
    stand, x = UNDOERS[type(x)](x) if type(x) in UNDOERS else None, array_of(x)
    held, writeable = x.copy(), x.flags.writeable

    def undo() -> None:
        if stand is not None:
            stand()
        if x.flags.writeable and x.shape == held.shape and x.tobytes() != held.tobytes():
            x[...] = held
        if x.flags.writeable != writeable:
            x.flags.writeable = writeable

    return undo
