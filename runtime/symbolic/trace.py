"""Traces and regions: where equations are recorded, and how a region is undone or kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from operator import is_not
from types import CodeType
from typing import Any, NamedTuple, NoReturn

from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.trace_signals import RetraceByReference, RetraceWithInputs
from autograph.runtime.ir.types import type_of
from autograph.runtime.symbolic.allocation_sites import Known, Origins, is_plain_container, parts_of
from autograph.runtime.symbolic.source_locations import user_location


class Region:
    """A stretch of the trace that can be undone: its equations, and what it changed outside itself.

    `journal` maps the key of everything changed since the region began to (thing, undo);
    `undo(thing)` puts back what was there. Handles born inside need no entry: they die with the
    region. `unhandled`: it is known that no handler of the function's is around it.
    """

    __slots__ = ("alive", "depth", "graph", "journal", "parent", "trace", "unhandled")

    def __init__(self, trace: Trace, name: str, parent: Region | None) -> None:
        self.trace = trace
        self.graph = Graph(name)
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.journal: dict[Any, tuple[Any, Callable[[], None]]] = {}
        self.alive = True
        self.unhandled = False

    def note(self, key: Any, thing: Any, undo: Callable[[], None]) -> None:
        """Remember how to undo the first change to `thing` in this region."""
        self.journal.setdefault(key, (thing, undo))

    def undo(self) -> None:
        for _, undo in reversed(self.journal.values()):
            undo()

    def written(self) -> list[Any]:
        """The handles from outside whose value changed here, views included."""
        return [thing for (kind, _), (thing, _) in self.journal.items() if kind == "handle"]

    def encloses(self, other: Region | None) -> bool:
        """Whether this region is `other` or one around it."""
        while other is not None:
            if other is self:
                return True
            other = other.parent
        return False


CONSTANT = "c"
"""What a captured array is called that has no name outside the function."""


class Decision(NamedTuple):
    """Something that was decided while tracing: where, what about, and why."""

    location: Location | None
    kind: str
    reason: str


class Trace:
    """One run of a function on symbolic values; holds the arrays that the graph captures.

    by_reference  arrays are written where the program writes them, instead of being made anew.
    at_run_time   prints of Python's, and reads of its iterators, happen when the graph runs.
    decisions     what was decided on the way, for those who want to know.
    unclear       why the trace has to be made again, by reference.
    recursive     the functions that call themselves on symbolic values; 2: on Python's alone, too.
    deeper        why the trace has to be made again: another such function.
    calls         those of them whose graphs are being made, the innermost last.
    known         the containers that were met, and where they come from.
    wanted        those of them that the graph has to hold as objects, and why.
    hidden        why converted code has to look for symbolic values in what it gives to NumPy.
    choices       the containers of which a branch chose one, and what was in them.
    """

    def __init__(self, name: str, by_reference: bool = False, origins: Origins | None = None
                 ) -> None:
        self.by_reference = by_reference
        self.known = Known(origins or Origins())
        self.wanted: list[tuple[Any, Decision]] = []
        self.hidden: Decision | None = None
        self.choices: list[Any] = []
        self.at_run_time = False
        self.recursive: dict[CodeType, int] = {}
        self.deeper: CodeType | None = None
        self.calls: list[Any] = []
        self.decisions: list[Decision] = list(self.known.origins.reasons)
        self.unclear: Decision | None = None
        self.copies: dict[int, tuple[Any, Any]] = {}  # arrays made meanwhile, as they were used
        self.handled = False  # whether anything was recorded under a `try` or `with`
        self.captures: dict[int, tuple[Value, Any]] = {}
        self.arguments: frozenset[Value] = frozenset()
        self.ordered: dict[Value, None] = {}  # arguments that the graph takes to be in C order
        self.rounds: dict[Any, tuple[int, int]] = {}  # of loops that Python runs, by their tests
        self.arrays: dict[int, Any] = {}  # handles of arrays from outside, by id
        self.names: dict[int, str] = {}  # of arrays and iterators from outside, by id
        self.loop: Any = None  # the staged loop whose body is being traced
        self.cursors: dict[int, Any] = {}  # by the id of the iterator: how far it was read
        self.made: list[Any] = []  # weak references to the variables that the function made
        self.ledger: Any = None  # what tells of each equation what is owed if it raises
        self.root = Region(self, name, None)

    def again(self) -> Trace | None:
        """The trace that has to be made in place of this one, if it was given up.

        Raises:
          TracingError: it is by reference already, and that does not do.
        """
        if (self.unclear, self.deeper, self.hidden) == (None, None, None) and not self.wanted:
            return None
        if self.wanted and not self.can_grow:
            why = self.wanted[-1][1]
            raise TracingError(f"a container {why.reason}{at(why.location)}")
        if self.unclear is not None and self.by_reference:
            raise TracingError(f"{self.unclear.reason}{at(self.unclear.location)}\n"
                               "  hint: write to a .copy()")
        origins = self.known.grown([x for x, _ in self.wanted])
        if self.wanted:
            origins.reasons += tuple(why for _, why in self.wanted)
        if self.hidden is not None:
            origins = replace(origins, apart=True, reasons=(*origins.reasons, self.hidden))
        before = self.known.origins
        if (origins.whole, origins.slots) != (before.whole, before.slots):
            raise RetraceWithInputs(origins)
        new = Trace(self.root.graph.name, bool(self.by_reference or self.unclear or self.wanted),
                    origins)
        new.decisions += [self.unclear] if self.unclear is not None else []
        new.recursive = dict(self.recursive)
        if self.deeper is not None:
            new.recursive[self.deeper] = new.recursive.get(self.deeper, 0) + 1
        return new

    def want(self, container: Any, why: str) -> None:
        """Note that the graph has to hold a container (None: one that is not known) as an
        object."""
        self.wanted.append((container, Decision(user_location(), "at run time", why)))

    def want_chosen(self) -> None:
        """Want the containers that a branch chose from and that were changed afterwards."""
        for *three, before in self.choices:
            now = [parts_of(x) or () for x in three]
            if any(len(p) != len(q) or any(map(is_not, p, q)) for p, q in zip(
                    now, before, strict=True)):
                for x in three[:2]:
                    self.want(x, "is chosen by a staged branch, and changed")

    @property
    def can_grow(self) -> bool:
        """Whether another trace would hold more objects, or see more, than this one."""
        return self.hidden is not None or (bool(self.wanted) and self.known.grown(
            [x for x, _ in self.wanted]).size() != self.known.origins.size())

    def capture(self, array: Any, hint: str = CONSTANT) -> Value:
        """The value that stands for a concrete array (or a variable) in this graph; one each."""
        found = self.captures.get(id(array))
        if found is None:
            found = Value(type_of(array), self.names.get(id(array), hint)), array
            self.captures[id(array)] = found
        return found[0]

    def snapshot(self, array: Any) -> Any:
        """The array itself if it comes from outside, else a copy, of the same layout, of what is in
        it now: the function made it while it was traced, and may change it."""
        if id(array) in self.names:
            return array
        known = self.copies.get(id(array))
        if known is None or not _identical(array, known[1]):
            known = self.copies[id(array)] = array, array.copy(order="K")
        return known[1]


def _identical(a: Any, b: Any) -> bool:
    """Whether two arrays of one shape hold the same, bit by bit."""
    return bool(a.shape == b.shape and a.dtype == b.dtype and (
        all(x is y for x, y in zip(a.flat, b.flat, strict=True)) if a.dtype.hasobject
        else a.tobytes() == b.tobytes()))


class _Current(threading.local):
    region: Region | None = None


_current = _Current()


def current_region() -> Region | None:
    """The innermost region of this thread's trace, or None outside any trace."""
    return _current.region


def tracing() -> bool:
    return _current.region is not None


class _Ongoing(list[Any]):
    """A list that may be a constant of a code object: those are hashed."""

    __hash__ = object.__hash__  # type: ignore[assignment]


ongoing: list[Trace] = _Ongoing()
"""The traces of all threads that are being made; empty means, cheaply, that nothing is traced."""


def by_reference() -> bool:
    """Whether the current trace writes arrays where the program does."""
    return _current.region is not None and _current.region.trace.by_reference


def in_call() -> bool:
    """Whether a graph is made that will be called, of a function that calls itself."""
    return _current.region is not None and bool(_current.region.trace.calls)


def effects_at_run_time() -> bool:
    """Whether what Python does besides computing is to happen when the graph runs."""
    return _current.region is not None and _current.region.trace.at_run_time


def holds_objects() -> bool:
    """Whether the current trace may hold containers as objects of the graph."""
    return _current.region is not None and _current.region.trace.known.origins.apart


def wanted() -> list[tuple[Any, Decision]]:
    """The containers that the current trace wants as objects of the graph."""
    return [] if _current.region is None else _current.region.trace.wanted


def note_choice(one: Any, other: Any, made: Any) -> None:
    """Note that a branch chose between two containers, of which there is a copy now: if one of the
    three is changed later on, they have to be objects of the graph."""
    if _current.region is not None and one is not other and all(
            map(is_plain_container, (one, other, made))):
        _current.region.trace.choices.append((one, other, made, [list(parts_of(x) or ()) for x in (
            one, other, made)]))


def want_one(why: str) -> None:
    """Note that some container, it is not known which, has to be an object of the graph."""
    here = _current.region
    if here is not None and not here.trace.known.origins.apart:
        here.trace.want(None, why)


def look_into_lists() -> None:
    """Note that NumPy was given a list in which there is a symbolic value, or one in a place that
    it does not look at for dispatching."""
    here = _current.region
    if here is not None and not here.trace.known.origins.apart:
        here.trace.hidden = Decision(user_location(), "looked into",
                                     "a list of symbolic values is given to a NumPy function")


def from_outside(x: object) -> bool:
    """Whether an array or an iterator was there before the trace, and the function can reach it."""
    return _current.region is not None and id(x) in _current.region.trace.names


def decide(kind: str, reason: str) -> None:
    """Note a decision about the line that is being traced."""
    if _current.region is not None:
        known, where = _current.region.trace.decisions, user_location()
        known[:] = [d for d in known if d.location != where]  # the line was traced before
        known.append(Decision(where, kind, reason))


def need_references(why: str, where: Location | None = None) -> NoReturn:
    """Give this trace up: it has to be made by reference."""
    here = _current.region
    assert here is not None
    here.trace.unclear = Decision(where or user_location(), "by reference", why)
    raise RetraceByReference(why)


@contextmanager
def start(trace: Trace) -> Iterator[Region]:
    """Make a trace the current one; traces nest (a trace may start while another one is on)."""
    outer = _current.region
    _current.region = trace.root
    ongoing.append(trace)
    try:
        yield trace.root
    finally:
        ongoing.remove(trace)
        trace.root.alive = False
        _current.region = outer


@contextmanager
def region(name: str) -> Iterator[Region]:
    """Record into a new region; on leaving, whatever it changed outside itself is put back."""
    outer = _current.region
    assert outer is not None, "a region needs a trace"
    inner = Region(outer.trace, name, outer)
    _current.region = inner
    try:
        yield inner
    finally:
        _current.region = outer
        inner.alive = False
        inner.undo()


@contextmanager
def no_trace() -> Iterator[None]:
    """Run something concretely in the middle of a trace."""
    outer = _current.region
    _current.region = None
    try:
        yield
    finally:
        _current.region = outer
