"""Builds the control-flow graph of one function, with the edges that exceptions and jumps take.

A point of the graph evaluates an expression or a simple statement, or joins paths. The graph is
built backwards, from the end of the function: each statement is given the point that follows it and
the targets of the jumps out of it, and returns the point where it starts. So no edge has to be
patched later, except the back edges of loops.

An exception may occur before the effects of a point: inside a `try`, an empty join before each
point leads to the handler as well. A `finally` block is built once for each way through it, and so
are statements in it: such a statement has several occurrences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from autograph.analysis.completion import endless, exhaustive
from autograph.analysis.reads_and_writes import Effects
from autograph.analysis.scopes import Scope
from autograph.analysis.statements import TRY, flagged_break

EXIT = 0


@dataclass
class Graph:
    """Points of a function, numbered from the end of the function to its start.

    `following[p]` are the points that control can reach from point p.  A point that can raise
    inside a `try` has a point without effects before it, from which the handler is reached:
    the exception may leave before the effects take place.  `skipped` leads from the heads of
    endless loops to what follows them: no run takes that way, but as an operator the loop
    returns what it was given.
    """

    effects: list[Effects]
    following: list[tuple[int, ...]]
    occurrences: dict[Any, list[Occurrence]] = field(default_factory=dict)
    evaluated: dict[Any, Effects] = field(default_factory=dict)
    skipped: dict[int, int] = field(default_factory=dict)
    entry: int = EXIT

    def add(self, effects: Effects, following: tuple[int, ...]) -> int:
        """A new point."""
        self.effects.append(effects)
        self.following.append(following)
        return len(self.effects) - 1


@dataclass(frozen=True)
class Occurrence:
    """One occurrence of a compound statement in the graph; in a `finally` block it has several.

    `inner` are the starts of the two blocks of an `if`; for a loop, its head twice.
    """

    start: int
    after: int
    handler: int
    inner: tuple[int, int]


@dataclass(frozen=True)
class JumpTargets:
    """The points to which the jumps out of a block lead.

    They are functions: a `finally` block that a jump runs first is added to the graph when a jump
    asks for its target.
    """

    returning: Callable[[], int]
    breaking: Callable[[], int]
    continuing: Callable[[], int]
    raising: int


def graph_of(function: gast.FunctionDef, scope: Scope) -> Graph:
    """Returns the graph of a function definition."""
    nothing = Effects(scope)
    graph = Graph([nothing], [()])
    builder = Builder(graph, scope, nothing)
    leave = lambda: EXIT
    body = builder.block(function.body, EXIT, JumpTargets(leave, leave, leave, EXIT))
    start = Effects(scope)
    start.parameters(function)
    graph.entry = graph.add(start, (body,))
    return graph


class Builder:
    """Adds the points of statements to a graph, from the end of the function to its start."""

    def __init__(self, graph: Graph, scope: Scope, nothing: Effects) -> None:
        self.graph, self.scope, self.nothing = graph, scope, nothing

    def block(self, body: list[gast.stmt], after: int, targets: JumpTargets) -> int:
        """A list of statements."""
        for statement in reversed(body):
            build = BUILDERS.get(statement.__class__, Builder.simple)
            after = build(self, statement, after, targets)
        return after

    def point(self, targets: JumpTargets, following: tuple[int, ...], node: Any) -> int:
        """A point that evaluates the node."""
        effects = self.graph.evaluated.get(node)
        if effects is None:
            effects = self.graph.evaluated[node] = Effects(self.scope, node)
        point = self.graph.add(effects, following)
        if targets.raising == EXIT:
            return point
        return self.join(point, targets.raising)

    def join(self, *following: int) -> int:
        """A point without effects."""
        return self.graph.add(self.nothing, following)

    def record(self, statement: Any, start: int, after: int, targets: JumpTargets,
               inner: tuple[int, int]) -> None:
        """Records an occurrence of a statement."""
        found = Occurrence(start, after, targets.raising, inner)
        self.graph.occurrences.setdefault(statement, []).append(found)

    def simple(self, statement: Any, after: int, targets: JumpTargets) -> int:
        """A statement without blocks."""
        return self.point(targets, (after,), statement)

    def leave(self, statement: Any, after: int, targets: JumpTargets) -> int:
        """`return`, `raise`."""
        target = () if isinstance(statement, gast.Raise) else (targets.returning(),)
        return self.point(targets, target, statement)

    def jump(self, statement: Any, after: int, targets: JumpTargets) -> int:
        """`break`, `continue`."""
        target = targets.breaking if isinstance(statement, gast.Break) else targets.continuing
        return self.join(target())

    def branch(self, statement: gast.If, after: int, targets: JumpTargets) -> int:
        """`if`."""
        after = self.join(after)
        inner = (self.block(statement.body, after, targets),
                 self.block(statement.orelse, after, targets))
        start = self.point(targets, inner, statement.test)
        self.record(statement, start, after, targets, inner)
        return start

    def loop(self, statement: Any, after: int, targets: JumpTargets) -> int:
        """`while`, `for`."""
        head = self.join()
        if flag := flagged_break(statement):
            self.graph.effects[head] = Effects(self.scope, flag)
        inside = replace(targets, breaking=lambda: after, continuing=lambda: head)
        body = self.block(statement.body, head, inside)
        end = self.block(statement.orelse, after, targets)
        if isinstance(statement, gast.While):
            out = (body,) if endless(statement) else (body, end)
            self.graph.following[head] = (self.point(targets, out, statement.test),)
            if endless(statement):
                self.graph.skipped[head] = end
            start = head
        else:
            target = self.point(targets, (body,), statement.target)
            self.graph.following[head] = (target, end, targets.raising)
            start = self.point(targets, (head,), statement.iter)
        self.record(statement, start, after, targets, (head, head))
        return start

    def with_statement(self, statement: Any, after: int, targets: JumpTargets) -> int:
        """`with`: leaving runs code that may raise, and that may swallow an exception."""

        def leave(target: int) -> int:
            return self.join(target, targets.raising)

        inside = replace(_through(leave, targets), raising=leave(after))
        start = self.block(statement.body, inside.raising, inside)
        for item in reversed(statement.items):
            if item.optional_vars is not None:  # a name is bound without an error
                bound = type(item.optional_vars) is gast.Name
                start = self.point(replace(inside, raising=EXIT) if bound else inside, (start,),
                                   item.optional_vars)
            start = self.point(targets if item is statement.items[0] else inside, (start,),
                               item.context_expr)
        return start

    def try_statement(self, statement: Any, after: int, targets: JumpTargets) -> int:
        """`try`: one copy of `finally` for each way that passes through it."""
        if statement.finalbody:
            outer = targets

            def finish(target: int) -> int:
                return self.block(statement.finalbody, target, outer)

            after, targets = finish(after), _through(finish, outer)
        handlers = [self.handle(handler, after, targets) for handler in statement.handlers]
        caught = self.join(*handlers, targets.raising) if handlers else targets.raising
        through = self.block(statement.orelse, after, targets)
        return self.block(statement.body, through, replace(targets, raising=caught))

    def handle(self, handler: Any, after: int, targets: JumpTargets) -> int:
        """`except E as name`: the name is gone when the block is left, whichever way."""
        if handler.name is None:
            body = self.block(handler.body, after, targets)
            return body if handler.type is None else self.point(targets, (body,), handler.type)
        drop = Effects(self.scope)
        drop.forget(handler.name.id)

        def forget(target: int) -> int:
            return self.graph.add(drop, (target,))

        inside = _through(forget, targets)
        body = self.block(handler.body, forget(after), inside)
        return self.point(targets, (self.point(inside, (body,), handler.name),), handler.type)

    def match(self, statement: gast.Match, after: int, targets: JumpTargets) -> int:
        """`match`: a pattern that fails may have bound some of its names."""
        missed = after
        for case in reversed(statement.cases):
            start = self.block(case.body, after, targets)
            if case.guard is not None:
                start = self.point(targets, (start, missed), case.guard)
            bindings = self.graph.evaluated[case] = Effects(self.scope)
            for name in capture_names(case.pattern):
                bindings.bind_name(name)
            bound = self.graph.add(bindings, (start,))
            last = case is statement.cases[-1] and exhaustive(statement)
            missed = self.point(targets, (bound,) if last else (bound, missed), case.pattern)
        return self.point(targets, (missed,), statement.subject)


def _through(detour: Callable[[int], int], targets: JumpTargets) -> JumpTargets:
    """Returns targets that lead through a detour, which is built when one is first asked for."""
    return JumpTargets(_once(lambda: detour(targets.returning())),
                       _once(lambda: detour(targets.breaking())),
                       _once(lambda: detour(targets.continuing())), detour(targets.raising))


def _once(build: Callable[[], int]) -> Callable[[], int]:
    known: list[int] = []

    def get() -> int:
        if not known:
            known.append(build())
        return known[0]
    return get


def capture_names(pattern: Any) -> list[str]:
    """Returns the names that a pattern binds."""
    names = []
    for node in gast.walk(pattern):
        name = getattr(node, "rest" if isinstance(node, gast.MatchMapping) else "name", None)
        if isinstance(name, str):
            names.append(name)
    return names


BUILDERS: dict[type, Any] = {
    gast.If: Builder.branch,
    gast.While: Builder.loop,
    gast.For: Builder.loop,
    gast.AsyncFor: Builder.loop,
    gast.With: Builder.with_statement,
    gast.AsyncWith: Builder.with_statement,
    gast.Match: Builder.match,
    gast.Return: Builder.leave,
    gast.Raise: Builder.leave,
    gast.Break: Builder.jump,
    gast.Continue: Builder.jump,
    **dict.fromkeys(TRY, Builder.try_statement),
}
