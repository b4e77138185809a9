"""Modes of tracing: how one attempt traces a function, and why another attempt is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any, NamedTuple

from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.trace_signals import RetraceWithInputs
from autograph.runtime.symbolic.allocation_sites import Allocations, AllocationSites


class Decision(NamedTuple):
    """Something that was decided while tracing: where, of what kind, and why."""

    location: Location | None
    kind: str
    reason: str


Key = tuple[str, int, str]
"""What the forms of a function have in common: its file, line and name."""


RESUMES = "resumes"
"""The attribute of a refusal that holds the generators which it would not meet as functions."""


def key_of(code: CodeType) -> Key:
    """Returns the key of the function of a code object, whatever its form."""
    return code.co_filename, code.co_firstlineno, code.co_name


@dataclass(frozen=True)
class TraceMode:
    """How one attempt traces a function.

    by_reference         arrays are written where the program writes them, not made anew.
    effects_at_run_time  Python's prints, and reads of its iterators, happen when the graph runs.
    sites                the containers that are objects of the graph.
    recursive            the functions that call themselves on symbolic values, by `key_of` -> 1; 2
                         for those whose calls on Python values alone are calls in the graph, too.
    long_loops           the bodies of short loops whose copies would make the graph too long.
    generators           the generators that run inside the loop which reads them: they have very
                         many items, or no end.
    callbacks            the functions that libraries call with the values that their variables had
                         when the call was recorded: those are bound to others later.
    closed               the classes, and the code of the functions, that are not converted and that
                         refused a symbolic value: the graph calls them as they are.
    decisions            the decisions that led to this mode, beside those about the sites.
    resumed              the generators that are functions which go on with them, by `key_of`: they
                         are read on where only the run knows how far they were read.
    counts_items         loops that may stop before the end of an iterator count what they read of
                         it: something reads on.
    left                 the functions that branches and loops leave, and that are values of the run
                         as they hold symbolic values.
    late                 the functions that are no such values, as a variable of theirs is bound to
                         something else later: loops that make them are unrolled.
    tuples               tuples that cross a join are values of the run: it shows which they are.
    """

    by_reference: bool = False
    effects_at_run_time: bool = False
    sites: AllocationSites = field(default_factory=AllocationSites)
    recursive: Mapping[Key, int] = field(default_factory=dict)
    long_loops: frozenset[CodeType] = frozenset()
    generators: frozenset[CodeType] = frozenset()
    callbacks: frozenset[CodeType] = frozenset()
    closed: frozenset[Any] = frozenset()
    decisions: tuple[Decision, ...] = ()
    resumed: frozenset[Key] = frozenset()
    counts_items: bool = False
    left: frozenset[CodeType] = frozenset()
    late: frozenset[CodeType] = frozenset()
    tuples: bool = False

    @classmethod
    def first(cls, effects_at_run_time: bool, sites: AllocationSites | None = None) -> TraceMode:
        """Returns the mode of the first attempt for some allocation sites."""
        return cls(effects_at_run_time=effects_at_run_time,
                   sites=sites or AllocationSites()).bound_anew()

    def level_of(self, code: CodeType) -> int:
        """Returns which calls of a function, in whatever form, are calls in the graph: see
        `recursive`; 0 for none."""
        return self.recursive.get(key_of(code), 0) if self.recursive else 0

    def bound_anew(self) -> TraceMode:
        """Returns the mode of the first attempt with other inputs: whether arrays are written by
        reference is decided anew."""
        return replace(self, by_reference=self.sites.instrumented)

    @property
    def is_for_sizes(self) -> bool:
        """True if other sizes of arrays may lead to another mode: loops were too long."""
        return bool(self.long_loops or self.sites.shorter)


@dataclass
class RetraceRequest:
    """Why a function has to be traced again.

    references  why arrays have to be written by reference.
    recursion   a function whose calls of itself have to be calls in the graph.
    containers  the containers that have to be objects of the graph (None: one that is not known),
                and why.
    lists       why converted code has to look for symbolic values in lists that it gives to NumPy.
    arrays      why arrays that NumPy's own code makes have to be values of the graph.
    loops       the bodies of loops that have to be one equation each.
    generators  the generators that have to run inside the loop which reads them.
    callbacks   the functions whose variables are bound to other values after a library was given
                them.
    closed      classes, and the code of functions, that the graph has to call as they are.
    reasons     why.
    shorter     True if the containers are wanted for no other reason than a short graph.
    resumed     the generators that have to be functions which go on with them.
    counts_items  True if loops have to count the items that they read.
    left        the functions that branches and loops have to leave as values of the run.
    late        those that cannot be: what their variables hold is bound to others later.
    tuples      why tuples that cross a join have to be values of the run.
    """

    references: Decision | None = None
    recursion: CodeType | None = None
    containers: list[tuple[Any, Decision]] = field(default_factory=list)
    lists: Decision | None = None
    arrays: Decision | None = None
    loops: set[CodeType] = field(default_factory=set)
    generators: set[CodeType] = field(default_factory=set)
    callbacks: set[CodeType] = field(default_factory=set)
    closed: set[Any] = field(default_factory=set)
    reasons: list[Decision] = field(default_factory=list)
    shorter: bool = False
    resumed: set[Key] = field(default_factory=set)
    counts_items: bool = False
    left: set[CodeType] = field(default_factory=set)
    late: set[CodeType] = field(default_factory=set)
    tuples: Decision | None = None

    @property
    def is_empty(self) -> bool:
        return not (self.references or self.recursion or self.containers or self.lists
                    or self.arrays or self.loops or self.generators or self.callbacks
                    or self.closed or self.counts_items or self.resumed or self.tuples or self.left
                    or self.late)

    def helps(self, allocations: Allocations) -> bool:
        """Returns True if the next trace would hold more objects, or see more, than this one."""
        return bool(self.lists or self.arrays or self.generators or self.callbacks or self.closed
                    or self.counts_items or self.resumed or self.tuples or self.left
                    or self.late) or (
            allocations.sites_with(self._objects()) != allocations.sites)

    def next_mode(self, mode: TraceMode, allocations: Allocations) -> TraceMode | None:
        """Returns the mode of the next attempt; None if this one need not be made again.

        Raises:
          TracingError: no mode helps.
          RetraceWithInputs: containers have to become inputs.
        """
        if self.is_empty:
            return None
        self._check(mode, allocations)
        sites = self._sites(allocations)
        recursive = dict(mode.recursive)
        if self.recursion is not None:
            recursive[key_of(self.recursion)] = mode.level_of(self.recursion) + 1
        decisions = (*mode.decisions, *self.reasons, *filter(None, (
            self.references, self.tuples)))
        by_reference = mode.by_reference or bool(self.references or self.containers)
        made = replace(mode, by_reference=by_reference, sites=sites, recursive=recursive,
                       long_loops=mode.long_loops | self.loops,
                       generators=mode.generators | self.generators,
                       callbacks=mode.callbacks | self.callbacks,
                       closed=mode.closed | self.closed, decisions=decisions,
                       resumed=mode.resumed | self.resumed,
                       counts_items=mode.counts_items or self.counts_items,
                       left=mode.left | self.left, late=mode.late | self.late,
                       tuples=mode.tuples or bool(self.tuples))
        if sites.inputs != mode.sites.inputs:
            raise RetraceWithInputs(made.bound_anew())
        return made

    def _check(self, mode: TraceMode, allocations: Allocations) -> None:
        """Raises an error if the trace that failed did already what is requested."""
        if self.containers and not self.helps(allocations):
            why = self.containers[-1][1]
            raise TracingError(f"a container {why.reason}{at(why.location)}")
        if self.references is not None and mode.by_reference:
            raise TracingError(f"{self.references.reason}{at(self.references.location)}\n"
                               "  hint: write to a .copy()")

    def _sites(self, allocations: Allocations) -> AllocationSites:
        sites = allocations.sites_with(self._objects())
        reasons = [why for _, why in self.containers]
        if self.lists is not None:
            sites = replace(sites, instrumented=True)
            reasons.append(self.lists)
        if self.arrays is not None:
            sites = replace(sites, instrumented=True, arrays=True)
            reasons.append(self.arrays)
        if self.shorter:
            sites = replace(sites, shorter=True)
        return replace(sites, reasons=(*sites.reasons, *reasons))

    def _objects(self) -> list[Any]:
        return [container for container, _ in self.containers]
