"""Tells from reference counts what holds a part of a trace that should be forgotten.

The idea is that of the cycle collector. What a trace made is young, as the collector waits
meanwhile. Of the young objects that lead to a symbolic value, the references from young objects are
subtracted from all that Python counts. Where some are left, something older holds the object, or C
code of which the collector does not know. The time grows with what the trace made, not with the
process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from itertools import chain
from types import FrameType
from typing import Any
from weakref import ref

from autograph.extension_points import TABLES
from autograph.runtime.functions.paths_to_symbols import (
    GRAPHS,
    UNTRACKED,
    module_of_class,
    referents,
)
from autograph.runtime.heap.young_objects import young_objects
from autograph.runtime.ir.call_frames import DEBUGGERS
from autograph.runtime.symbolic.region import Region

RESUMED = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR

OWN = 2
"""References to an object that are of this module: an item of its list, and an argument."""


class Young:
    """The young objects that lead to some regions, but for those that lead there by a graph alone.

    Frames and debuggers count as well, but not what leads to these: an exception with its traceback
    may stay, and a debugger may show what it likes.
    """

    def __init__(self, regions: Iterable[ref[Region]]) -> None:
        above = _young_above()
        self.objects: list[Any] = [found for region in regions if (found := region()) is not None]
        self.references: list[int] = []
        known = {*map(id, TABLES), *map(id, self.objects)}
        for x in self.objects:  # it grows meanwhile
            users = [] if _may_keep(x) else above.get(id(x), [])
            self.references.append(len(users))
            for user in users:
                if id(user) not in known and not module_of_class(user).startswith(GRAPHS):
                    known.add(id(user))
                    self.objects.append(user)

    def held(self) -> list[Any]:
        """Returns the objects that something else than young objects holds."""
        return [self.objects[i] for i, count in enumerate(self.references)
                if sys.getrefcount(self.objects[i]) - OWN > count
                and not (isinstance(self.objects[i], Region) or _may_keep(self.objects[i]))]

    def forget_variables(self) -> None:
        """Forgets the variables of calls that have ended, to which a traceback refers, or what a
        debugger keeps."""
        for x in self.objects:
            if isinstance(x, FrameType) and not x.f_code.co_flags & RESUMED:
                with suppress(RuntimeError):  # it runs
                    x.clear()


def _may_keep(x: Any) -> bool:
    """Returns True for a frame, and for an object of a debugger."""
    return isinstance(x, FrameType) or any(
        f"{c.__module__}.".startswith(DEBUGGERS) for c in type(x).__mro__)


def _young_above() -> dict[int, list[Any]]:
    """Returns the young objects that refer to each young object, by its id; once for each
    reference."""
    young = {id(x): x for x in chain(young_objects(), TABLES)}  # in no list, which would be one
    young.pop(id(young), None)
    above: dict[int, list[Any]] = {number: [] for number in young}
    pending = [*young.values()]
    for x in pending:  # it grows meanwhile
        for child in referents(x):
            if issubclass(type(child), UNTRACKED) and id(child) not in above:
                above[id(child)] = []
                pending.append(child)
            if id(child) in above:
                above[id(child)].append(x)
    return above
