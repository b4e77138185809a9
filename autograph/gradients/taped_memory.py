"""The memory of arrays under tapes: how often it was written, and what calls were given of it."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from autograph.gradients.tapes import Untold


class Memory:
    """A piece of memory with taped arrays on it.

    owner   the array that owns it, weakly.
    writes  how often it was written; a taped array that knows of fewer is another value now.
    reason  the token of such a one.
    noted   arrays on it as calls were given them, which are to stay what they are: weakly, by id.
    """

    def __init__(self, owner: Any) -> None:
        key = id(owner)
        self.owner = weakref.ref(owner, lambda _: MEMORY.pop(key, None))
        self.writes = 0
        self.reason = THROUGH_A_VIEW
        self.noted: dict[int, weakref.ref[Any]] = {}

    def note(self, x: Any) -> None:
        """Notes an array that a call was given."""
        key = id(x)
        self.noted[key] = weakref.ref(x, lambda _: self.noted.pop(key, None))

    def leave(self) -> None:
        """Gives what calls were given memory of its own, before this one is written."""
        for found in list(self.noted.values()):
            x = found()
            if x is not None and x.writes == self.writes:
                x.array = x.array.copy()
                x.writes = memory_of(x.array).writes
        self.noted.clear()

    def write(self, reason: Untold) -> int:
        """Notes that it was written; returns how often that was."""
        self.writes += 1
        self.reason = reason
        return self.writes


THROUGH_A_VIEW = Untold(
    "an array was changed through another one on the same memory (a view), which a tape outside of "
    "functions does not follow\n  hint: write through its own name, copy it, or decorate the "
    "function")
AFTERWARDS = Untold(
    "an array was changed after the block of its tape\n  hint: change a copy of it, or ask for the "
    "gradient first")
"""The token of an array that was changed when no tape was there: to later ones it is a constant."""
MEMORY: dict[int, Memory] = {}
"""The memory of taped arrays, by the id of its owner."""


def owner_of(x: Any) -> Any:
    """Returns the array that has the memory of an array."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x


def memory_of(x: Any) -> Memory:
    """Returns the memory of an array."""
    owner = owner_of(x)
    found = MEMORY.get(id(owner))
    if found is None:
        found = MEMORY[id(owner)] = Memory(owner)
    return found
