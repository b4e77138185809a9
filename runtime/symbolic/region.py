"""Regions: stretches of a trace whose effects outside themselves can be undone."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from autograph.runtime.ir.errors import EscapedTensorError
from autograph.runtime.ir.graph import Graph

if TYPE_CHECKING:
    from autograph.runtime.ir.location import Frames, Location
    from autograph.runtime.symbolic.trace import Trace


class Region:
    """A stretch of the trace that can be undone: its equations, and what it changed outside itself.

    `journal` maps the key of everything changed since the region began to (thing, undo);
    `undo(thing)` restores what was there. Handles born inside need no entry: they die with the
    region. `unhandled` is True if no exception handler of the user's is around the region.
    `probed` has what handles stood for when `probe` was called. `begun` counts the branches and
    loops that began in it, `scanned` its equations that were searched for constants. `filters` are
    those of `warnings` when it began: a block that catches warnings has others. `called` is the
    user's line that the region begins at, with its callers, `around` what the variables were there.
    `reached` is what its functions could reach when it began; None if it is a whole function's.
    `young` has the ids of objects that are younger than it, `old`, by id, some that are not.
    """

    __slots__ = ("__weakref__", "alive", "around", "begun", "called", "depth", "filters", "graph",
                 "journal", "old", "parent", "probed", "reached", "scanned", "trace", "unhandled",
                 "young")

    def __init__(self, trace: Trace, name: str, parent: Region | None) -> None:
        self.trace = trace
        self.graph = Graph(name)
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.journal: dict[Any, tuple[Any, Callable[[], None]]] = {}
        self.alive = True
        self.begun = 0
        self.scanned = 0
        self.filters = warnings.filters
        self.unhandled = False
        self.called: Location | None = None
        self.around: Frames = ()
        self.reached: Any = None
        self.probed: dict[Any, Any] | None = None
        self.young: set[int] = set()
        self.old: dict[int, Any] = {}

    @property
    def catches_warnings(self) -> bool:
        """Returns True within a block of the program's that catches warnings."""
        return warnings.filters is not self.trace.root.filters

    def note(self, key: Any, thing: Any, undo: Callable[[], None]) -> None:
        """Remembers how to undo the first change to `thing` in this region."""
        self.journal.setdefault(key, (thing, undo))

    @contextmanager
    def probe(self) -> Iterator[dict[Any, Any]]:
        """Yields a dict that gets the handles that are changed meanwhile, with what they stood for.
        """
        outer, self.probed = self.probed, {}
        try:
            yield self.probed
        finally:
            self.probed = outer if outer is None else {**self.probed, **outer}

    def undo(self) -> None:
        """Restores everything that the region changed outside itself."""
        for _, undo in reversed(self.journal.values()):
            undo()

    def written(self) -> list[Any]:
        """Returns the handles from outside whose value changed here, views included."""
        return [thing for (kind, _), (thing, _) in self.journal.items() if kind == "handle"]

    def encloses(self, other: Region | None) -> bool:
        """Returns True if this region is `other` or one around it."""
        while other is not None:
            if other is self:
                return True
            other = other.parent
        return False


def refuse_elsewhere(regions: Iterable[Region | None]) -> None:
    """Refuses an operation where nothing is traced, on values of a trace that goes on in another
    thread. That trace is refused at its end, too, as a thread's errors go nowhere.

    Raises:
      EscapedTensorError: there is such a trace.
    """
    for region in regions:
        if region is not None and region.alive:
            error = EscapedTensorError(
                "a symbolic value is used in another thread than the one that traces the function\n"
                "  hint: start threads outside the function, or in one under ag.py_function",
                about_state=True)
            region.trace.refusals.append(error)
            raise error
