"""Decides which names travel into and out of each statement that becomes functions.

A converted `if` or loop becomes functions, so its variables become parameters and results. Two
data-flow problems over the control-flow graph decide which: a name is a parameter if a block
reads it before binding it (live-in), and a result if it is read afterwards (live-out).

Two kinds of names need more. A name that a closure or an exception handler may see in the middle
of a statement is *shared*: it stays a variable of the function, which the generated functions
declare `nonlocal`. A name that may be unbound where it travels is *tracked*: it holds the marker
`ag.Undefined` there, and its uses check for it, so that they raise what Python raises.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gast

from autograph.analysis.cfg import Graph, Occurrence, graph_of
from autograph.analysis.completion import Completion, Jump
from autograph.analysis.dataflow import solve
from autograph.analysis.reads_and_writes import Effects
from autograph.analysis.scopes import Scope, scope_of
from autograph.analysis.statements import (
    around_frame_counters,
    blocks,
    flagged_break,
    headers,
    idle,
    statements,
)


@dataclass(frozen=True)
class LiveNames:
    """The names that travel into and out of one converted statement.

    The values of `live_in` go in (for a loop: the loop variables), those of `live_out` come back.
    `returns`: every path of the statement returns from the function, so that nothing comes back.
    """

    live_in: tuple[str, ...]
    live_out: tuple[str, ...]
    returns: bool


@dataclass(frozen=True)
class State:
    """The facts about one function that the passes ask for.

    live_names     the statements that are converted, and what is live into and out of each.
    shared         names that stay in one cell of the function, read and written in place.
    tracked        names that travel where they may be unbound, and hold `ag.Undefined` then.
    starting       those of the tracked names that hold it from the start of the function.
    maybe_unbound  the uses that have to be checked: of tracked names, and of captured names in
                   a generated function.
    """

    scope: Scope
    live_names: dict[Any, LiveNames]
    shared: frozenset[str]
    tracked: tuple[str, ...]
    starting: tuple[str, ...]
    maybe_unbound: frozenset[Any]


def state_of(function: gast.FunctionDef, counts_frames: bool = True) -> State:
    """Analyses a function definition; inner functions are analysed on their own.

    `counts_frames`: whether there may be calls that count the frames above them.
    """
    return _Analysis(function, counts_frames).state()


class _Analysis:
    def __init__(self, function: gast.FunctionDef, counts_frames: bool) -> None:
        self.function = function
        self.counts_frames = counts_frames
        self.scope = scope_of(function)
        self.graph = graph_of(function, self.scope)
        self.live_at = live_before(self.graph)
        self.unbound = maybe_unbound_at(self.graph, self.scope)
        self.completion = Completion()
        self.assigned: dict[Any, int] = {}
        self.occurrences = self._convertible()
        for statement in function.body:
            self._assign(statement)

    def state(self) -> State:
        shared = self._shared()
        live = {statement: self._live_names(statement, shared) for statement in self.occurrences}
        tracked, checked = self._tracked(live)
        names = self.scope.names(shared)
        starting = self._never_bound(live, checked) & tracked
        return State(self.scope, live, frozenset((*names, *self.scope.outer)),
                     tuple(self.scope.names(tracked)), tuple(self.scope.names(starting)), checked)

    def _convertible(self) -> dict[Any, list[Occurrence]]:
        """The statements that can become functions, in the order of the text."""
        body = self.function.body
        staying = around_frame_counters(body) if self.counts_frames else ()
        return {s: self.graph.occurrences[s] for s in statements(body)
                if s in self.graph.occurrences and s not in staying and self._movable(s)}

    def _movable(self, statement: Any) -> bool:
        jumps = self.completion.escapes(statement)
        if isinstance(statement, gast.If):
            if not self.completion.falls(statement):
                jumps &= ~Jump.RETURN
            return not jumps
        body = statement.body[:-1] if flagged_break(statement) else statement.body
        return not jumps and not self.completion.out_of(body) and not statement.orelse

    def _assign(self, statement: Any) -> int:
        """Returns, and records, the local names that a statement may bind or delete."""
        mask = 0
        for part in headers(statement):
            mask |= self.graph.evaluated[part].may
        for block in blocks(statement):
            for inner in block:
                mask |= self._assign(inner)
        self.assigned[statement] = mask
        return mask

    def _assigned_inside(self, statement: Any) -> int:
        """Returns the same for the parts that become functions: the test of an `if` does not."""
        if not isinstance(statement, gast.If):
            return self.assigned[statement]
        mask = 0
        for inner in (*statement.body, *statement.orelse):
            mask |= self.assigned[inner]
        return mask

    def _live_at_any(self, points: Iterable[int]) -> int:
        mask = 0
        for point in points:
            mask |= self.live_at[point]
        return mask

    def _shared(self) -> int:
        """Returns the names bound in a converted statement that a closure or handler may see."""
        captured = self.scope.mask(self.scope.captured)
        shared = 0
        for statement, occurrences in self.occurrences.items():
            seen = captured | self._live_at_any(occurrence.handler for occurrence in occurrences)
            shared |= self.assigned[statement] & seen
        return shared

    def _live_names(self, statement: Any, shared: int) -> LiveNames:
        occurrences = self.occurrences[statement]
        own = self._assigned_inside(statement) & ~shared
        inner = self._live_at_any(point for occurrence in occurrences for point in occurrence.inner)
        after = self._live_at_any(occurrence.after for occurrence in occurrences)
        if isinstance(statement, gast.If):
            returns = Jump.RETURN in self.completion.escapes(statement)
            live_out = 0 if returns else after
            if not returns and (idle(statement.body) or idle(statement.orelse)):
                live_out |= inner
            return self._names(own & inner, own & live_out, returns)
        return self._names(own & (inner | after), own & (inner | after), False)

    def _names(self, live_in: int, live_out: int, returns: bool) -> LiveNames:
        names = self.scope.names
        return LiveNames(tuple(names(live_in)), tuple(names(live_out)), returns)

    def _tracked(self, live: dict[Any, LiveNames]) -> tuple[int, frozenset[Any]]:
        """Returns the names that travel while they may be unbound, and the uses to check."""
        captured = self.scope.mask(self.scope.captured)
        risky = self._maybe_unbound_loads()
        moved = self._moved_parts()
        elsewhere = {node: bit for part, loads in risky.items()
                     for node, bit, lazy in loads if lazy or part in moved}
        tracked = self._passed_unbound(live, self.unbound)
        for bit in elsewhere.values():
            tracked |= bit
        tracked &= ~captured
        checked = {node for loads in risky.values() for node, bit, _ in loads if bit & tracked}
        checked |= {node for node, bit in elsewhere.items() if bit & captured}
        return tracked, frozenset(checked)

    def _passed_unbound(self, live: dict[Any, LiveNames], unbound: list[int]) -> int:
        """Returns the names that travel into or out of a statement while they may be unbound."""
        found = 0
        for statement, occurrences in self.occurrences.items():
            taken = self.scope.mask(live[statement].live_in)
            given = self.scope.mask(live[statement].live_out)
            if not isinstance(statement, gast.If):
                given = 0  # the results of a loop are also live into it, or bound at its head
            for occurrence in occurrences:
                first, second = occurrence.inner
                found |= taken & (unbound[first] | unbound[second])
                found |= given & unbound[occurrence.after]
        return found

    def _never_bound(self, live: dict[Any, LiveNames], checked: frozenset[Any]) -> int:
        """Returns the names that travel, or are used, where no path may have bound them yet."""
        if not any(effects.deleted for effects in self.graph.effects):
            return -1
        unbound = maybe_unbound_at(self.graph, self.scope, deletions=False)
        found = self._passed_unbound(live, unbound)
        for effects, point in zip(self.graph.effects, unbound, strict=True):
            found |= sum({bit for node, bit, _ in effects.loads if node in checked and bit & point})
        return found

    def _maybe_unbound_loads(self) -> dict[Any, list[tuple[Any, int, bool]]]:
        """Returns the uses of names that may be unbound, by the part of a statement they are in."""
        unbound: dict[Effects, int] = {}
        for point, effects in enumerate(self.graph.effects):
            unbound[effects] = unbound.get(effects, 0) | self.unbound[point]
        return {part: [load for load in effects.loads if load[1] & unbound.get(effects, 0)]
                for part, effects in self.graph.evaluated.items() if effects.loads}

    def _moved_parts(self) -> set[Any]:
        """Returns the parts of statements that end up inside a generated function."""
        moved: set[Any] = set()
        for statement in self.occurrences:
            if statement in moved:
                continue
            if isinstance(statement, gast.While):
                moved.add(statement.test)
            for block in blocks(statement):
                moved.update(part for inner in statements(block)
                             for part in (inner, *headers(inner)))
        return moved


def maybe_unbound_uses(function: gast.FunctionDef) -> frozenset[Any]:
    """Returns the uses of local names, in the tree as it is now, that may find the name unbound."""
    scope = scope_of(function)
    graph = graph_of(function, scope)
    unbound = maybe_unbound_at(graph, scope)
    return frozenset(node for point, effects in enumerate(graph.effects)
                     for node, bit, _ in effects.loads if bit & unbound[point])


def live_before(graph: Graph) -> list[int]:
    """Returns, for each point, the set of names whose value is read later."""
    effects = graph.effects
    nothing = [0] * len(effects)
    sources = list(graph.following)
    for head, after in graph.skipped.items():
        sources[head] = (*sources[head], after)
    return solve(sources, [e.reads for e in effects], [e.must | e.deleted for e in effects],
                 nothing, range(len(effects)))[1]


def maybe_unbound_at(graph: Graph, scope: Scope, deletions: bool = True) -> list[int]:
    """Returns, for each point, the set of names that are unbound on some path to it.

    Without `deletions`, only paths on which the name was never bound count.
    """
    effects = graph.effects
    count = len(effects)
    sources: list[list[int]] = [[] for _ in range(count)]
    for point, following in enumerate(graph.following):
        for target in following:
            sources[target].append(point)
    start = [0] * count
    start[graph.entry] = (1 << len(scope.bits)) - 1
    gone = [e.deleted if deletions else 0 for e in effects]
    return solve(sources, gone, [e.touched for e in effects],
                 start, range(count - 1, -1, -1))[0]
