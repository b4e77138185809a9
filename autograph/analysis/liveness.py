"""What every converted statement passes in and hands back, and which names need more care."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gast

from autograph.analysis.cfg import Graph, Place, flow_of
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
class Traffic:
    """The names that travel through one converted statement.

    `operands` go in (for a loop: the loop variables); `outs` come back; `returns` tells that
    every path of the statement returns from the function, so that nothing comes back.
    """

    operands: tuple[str, ...]
    outs: tuple[str, ...]
    returns: bool


@dataclass(frozen=True)
class State:
    """The facts about one function that the passes ask for.

    `traffic` has the statements that are converted.  `shared` names live in one cell of the
    function.  `tracked` names travel where they may be unbound, and hold `ag.Undefined` then,
    those of `starting` from the start; `unsure` are the uses that have to check: those of tracked
    names, and those of captured names from a function that is generated.
    """

    scope: Scope
    traffic: dict[Any, Traffic]
    shared: frozenset[str]
    tracked: tuple[str, ...]
    starting: tuple[str, ...]
    unsure: frozenset[Any]


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
        self.graph = flow_of(function, self.scope)
        self.live = live_before(self.graph)
        self.unbound = maybe_unbound(self.graph, self.scope)
        self.completion = Completion()
        self.assigned: dict[Any, int] = {}
        self.places = self._convertible()
        for statement in function.body:
            self._assign(statement)

    def state(self) -> State:
        shared = self._shared()
        traffic = {statement: self._traffic(statement, shared) for statement in self.places}
        tracked, unsure = self._tracked(traffic)
        names = self.scope.names(shared)
        starting = self._never_bound(traffic, unsure) & tracked
        return State(self.scope, traffic, frozenset((*names, *self.scope.outer)),
                     tuple(self.scope.names(tracked)), tuple(self.scope.names(starting)), unsure)

    def _convertible(self) -> dict[Any, list[Place]]:
        """The statements that can become functions, in the order of the text."""
        body = self.function.body
        staying = around_frame_counters(body) if self.counts_frames else ()
        return {s: self.graph.places[s] for s in statements(body)
                if s in self.graph.places and s not in staying and self._movable(s)}

    def _movable(self, statement: Any) -> bool:
        jumps = self.completion.escapes(statement)
        if isinstance(statement, gast.If):
            if not self.completion.falls(statement):
                jumps &= ~Jump.RETURN
            return not jumps
        body = statement.body[:-1] if flagged_break(statement) else statement.body
        return not jumps and not self.completion.out_of(body) and not statement.orelse

    def _assign(self, statement: Any) -> int:
        """The local names that a statement may bind or delete."""
        mask = 0
        for part in headers(statement):
            mask |= self.graph.evaluated[part].may
        for block in blocks(statement):
            for inner in block:
                mask |= self._assign(inner)
        self.assigned[statement] = mask
        return mask

    def _assigned_inside(self, statement: Any) -> int:
        """The same for what becomes functions: the test of an `if` does not."""
        if not isinstance(statement, gast.If):
            return self.assigned[statement]
        mask = 0
        for inner in (*statement.body, *statement.orelse):
            mask |= self.assigned[inner]
        return mask

    def _live(self, points: Iterable[int]) -> int:
        mask = 0
        for point in points:
            mask |= self.live[point]
        return mask

    def _shared(self) -> int:
        """Names bound in a converted statement that a closure or a handler may look at."""
        captured = self.scope.mask(self.scope.captured)
        shared = 0
        for statement, places in self.places.items():
            seen = captured | self._live(place.handler for place in places)
            shared |= self.assigned[statement] & seen
        return shared

    def _traffic(self, statement: Any, shared: int) -> Traffic:
        places = self.places[statement]
        own = self._assigned_inside(statement) & ~shared
        inner = self._live(point for place in places for point in place.inner)
        after = self._live(place.after for place in places)
        if isinstance(statement, gast.If):
            returns = Jump.RETURN in self.completion.escapes(statement)
            outs = 0 if returns else after
            if not returns and (idle(statement.body) or idle(statement.orelse)):
                outs |= inner
            return self._names(own & inner, own & outs, returns)
        return self._names(own & (inner | after), own & (inner | after), False)

    def _names(self, operands: int, outs: int, returns: bool) -> Traffic:
        return Traffic(tuple(self.scope.names(operands)), tuple(self.scope.names(outs)), returns)

    def _tracked(self, traffic: dict[Any, Traffic]) -> tuple[int, frozenset[Any]]:
        """Names that meet a converted statement while they may be unbound, and their uses."""
        captured = self.scope.mask(self.scope.captured)
        unsure = self._unsure_loads()
        moved = self._moved_parts()
        elsewhere = {node: bit for part, loads in unsure.items()
                     for node, bit, lazy in loads if lazy or part in moved}
        tracked = self._passed_unbound(traffic, self.unbound)
        for bit in elsewhere.values():
            tracked |= bit
        tracked &= ~captured
        checked = {node for loads in unsure.values() for node, bit, _ in loads if bit & tracked}
        checked |= {node for node, bit in elsewhere.items() if bit & captured}
        return tracked, frozenset(checked)

    def _passed_unbound(self, traffic: dict[Any, Traffic], unbound: list[int]) -> int:
        """The names that a converted statement takes or hands back while they may be unbound."""
        found = 0
        for statement, places in self.places.items():
            taken = self.scope.mask(traffic[statement].operands)
            given = self.scope.mask(traffic[statement].outs)
            if not isinstance(statement, gast.If):
                given = 0  # what a loop hands back, it has taken or made at its head
            for place in places:
                first, second = place.inner
                found |= taken & (unbound[first] | unbound[second]) | given & unbound[place.after]
        return found

    def _never_bound(self, traffic: dict[Any, Traffic], unsure: frozenset[Any]) -> int:
        """The names that travel, or are used, where no path may have bound them yet."""
        if not any(effects.deleted for effects in self.graph.effects):
            return -1
        unbound = maybe_unbound(self.graph, self.scope, deletions=False)
        found = self._passed_unbound(traffic, unbound)
        for effects, point in zip(self.graph.effects, unbound, strict=True):
            found |= sum({bit for node, bit, _ in effects.loads if node in unsure and bit & point})
        return found

    def _unsure_loads(self) -> dict[Any, list[tuple[Any, int, bool]]]:
        """The uses, by the part of a statement that holds them, of names that may be unbound."""
        unbound: dict[Effects, int] = {}
        for point, effects in enumerate(self.graph.effects):
            unbound[effects] = unbound.get(effects, 0) | self.unbound[point]
        return {part: [load for load in effects.loads if load[1] & unbound.get(effects, 0)]
                for part, effects in self.graph.evaluated.items() if effects.loads}

    def _moved_parts(self) -> set[Any]:
        """The parts of statements that end up inside a generated function."""
        moved: set[Any] = set()
        for statement in self.places:
            if statement in moved:
                continue
            if isinstance(statement, gast.While):
                moved.add(statement.test)
            for block in blocks(statement):
                moved.update(part for inner in statements(block)
                             for part in (inner, *headers(inner)))
        return moved


def doubtful_uses(function: gast.FunctionDef) -> frozenset[Any]:
    """The uses of local names, as the tree is now, that may find the name unbound."""
    scope = scope_of(function)
    graph = flow_of(function, scope)
    unbound = maybe_unbound(graph, scope)
    return frozenset(node for point, effects in enumerate(graph.effects)
                     for node, bit, _ in effects.loads if bit & unbound[point])


def live_before(graph: Graph) -> list[int]:
    """For each point, the names whose value is read later."""
    effects = graph.effects
    nothing = [0] * len(effects)
    sources = list(graph.following)
    for head, after in graph.skipped.items():
        sources[head] = (*sources[head], after)
    return solve(sources, [e.reads for e in effects], [e.must | e.deleted for e in effects],
                 nothing, range(len(effects)))[1]


def maybe_unbound(graph: Graph, scope: Scope, deletions: bool = True) -> list[int]:
    """For each point, the names that some path to it leaves unbound (or never bound at all)."""
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
