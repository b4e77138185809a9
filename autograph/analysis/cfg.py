"""The control-flow graph of one function, with the edges that exceptions and jumps take."""

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
    hands back what it was given.
    """

    effects: list[Effects]
    following: list[tuple[int, ...]]
    places: dict[Any, list[Place]] = field(default_factory=dict)
    evaluated: dict[Any, Effects] = field(default_factory=dict)
    skipped: dict[int, int] = field(default_factory=dict)
    entry: int = EXIT

    def add(self, effects: Effects, following: tuple[int, ...]) -> int:
        """A new point."""
        self.effects.append(effects)
        self.following.append(following)
        return len(self.effects) - 1


@dataclass(frozen=True)
class Place:
    """Where a compound statement sits in the graph (a `finally` block has several places).

    `inner` are the starts of the two blocks of an `if`; for a loop, its head twice.
    """

    start: int
    after: int
    handler: int
    inner: tuple[int, int]


@dataclass(frozen=True)
class Ways:
    """Where the ways out of a block lead; a `finally` on the way is built when it is taken."""

    returning: Callable[[], int]
    breaking: Callable[[], int]
    continuing: Callable[[], int]
    raising: int


def flow_of(function: gast.FunctionDef, scope: Scope) -> Graph:
    """The graph of a function definition."""
    nothing = Effects(scope)
    graph = Graph([nothing], [()])
    builder = Builder(graph, scope, nothing)
    leave = lambda: EXIT
    body = builder.block(function.body, EXIT, Ways(leave, leave, leave, EXIT))
    start = Effects(scope)
    start.parameters(function)
    graph.entry = graph.add(start, (body,))
    return graph


class Builder:
    """Builds backwards: each statement is told where to go on, and says where it starts."""

    def __init__(self, graph: Graph, scope: Scope, nothing: Effects) -> None:
        self.graph, self.scope, self.nothing = graph, scope, nothing

    def block(self, body: list[gast.stmt], after: int, ways: Ways) -> int:
        """A list of statements."""
        for statement in reversed(body):
            build = BUILDERS.get(statement.__class__, Builder.simple)
            after = build(self, statement, after, ways)
        return after

    def point(self, ways: Ways, following: tuple[int, ...], node: Any) -> int:
        """A point that evaluates the node."""
        effects = self.graph.evaluated.get(node)
        if effects is None:
            effects = self.graph.evaluated[node] = Effects(self.scope, node)
        point = self.graph.add(effects, following)
        if ways.raising == EXIT:
            return point
        return self.join(point, ways.raising)

    def join(self, *following: int) -> int:
        """A point without effects."""
        return self.graph.add(self.nothing, following)

    def mark(self, statement: Any, start: int, after: int, ways: Ways,
             inner: tuple[int, int]) -> None:
        """Remembers where a statement sits."""
        place = Place(start, after, ways.raising, inner)
        self.graph.places.setdefault(statement, []).append(place)

    def simple(self, statement: Any, after: int, ways: Ways) -> int:
        """A statement without blocks."""
        return self.point(ways, (after,), statement)

    def leave(self, statement: Any, after: int, ways: Ways) -> int:
        """`return`, `raise`."""
        target = () if isinstance(statement, gast.Raise) else (ways.returning(),)
        return self.point(ways, target, statement)

    def jump(self, statement: Any, after: int, ways: Ways) -> int:
        """`break`, `continue`."""
        way = ways.breaking if isinstance(statement, gast.Break) else ways.continuing
        return self.join(way())

    def branch(self, statement: gast.If, after: int, ways: Ways) -> int:
        """`if`."""
        after = self.join(after)
        inner = (self.block(statement.body, after, ways),
                 self.block(statement.orelse, after, ways))
        start = self.point(ways, inner, statement.test)
        self.mark(statement, start, after, ways, inner)
        return start

    def loop(self, statement: Any, after: int, ways: Ways) -> int:
        """`while`, `for`."""
        head = self.join()
        if flag := flagged_break(statement):
            self.graph.effects[head] = Effects(self.scope, flag)
        inside = replace(ways, breaking=lambda: after, continuing=lambda: head)
        body = self.block(statement.body, head, inside)
        end = self.block(statement.orelse, after, ways)
        if isinstance(statement, gast.While):
            out = (body,) if endless(statement) else (body, end)
            self.graph.following[head] = (self.point(ways, out, statement.test),)
            if endless(statement):
                self.graph.skipped[head] = end
            start = head
        else:
            target = self.point(ways, (body,), statement.target)
            self.graph.following[head] = (target, end, ways.raising)
            start = self.point(ways, (head,), statement.iter)
        self.mark(statement, start, after, ways, (head, head))
        return start

    def context(self, statement: Any, after: int, ways: Ways) -> int:
        """`with`: leaving runs code that may raise, and that may swallow an exception."""

        def leave(way: int) -> int:
            return self.join(way, ways.raising)

        inside = replace(_through(leave, ways), raising=leave(after))
        start = self.block(statement.body, inside.raising, inside)
        for item in reversed(statement.items):
            if item.optional_vars is not None:
                start = self.point(inside, (start,), item.optional_vars)
            start = self.point(ways if item is statement.items[0] else inside, (start,),
                               item.context_expr)
        return start

    def attempt(self, statement: Any, after: int, ways: Ways) -> int:
        """`try`: one copy of `finally` for each way that passes through it."""
        if statement.finalbody:
            outer = ways

            def finish(way: int) -> int:
                return self.block(statement.finalbody, way, outer)

            after, ways = finish(after), _through(finish, outer)
        handlers = [self.handle(handler, after, ways) for handler in statement.handlers]
        caught = self.join(*handlers, ways.raising) if handlers else ways.raising
        through = self.block(statement.orelse, after, ways)
        return self.block(statement.body, through, replace(ways, raising=caught))

    def handle(self, handler: Any, after: int, ways: Ways) -> int:
        """`except E as name`: the name is gone when the block is left, whichever way."""
        if handler.name is None:
            body = self.block(handler.body, after, ways)
            return body if handler.type is None else self.point(ways, (body,), handler.type)
        drop = Effects(self.scope)
        drop.forget(handler.name.id)

        def forget(way: int) -> int:
            return self.graph.add(drop, (way,))

        inside = _through(forget, ways)
        body = self.block(handler.body, forget(after), inside)
        return self.point(ways, (self.point(inside, (body,), handler.name),), handler.type)

    def match(self, statement: gast.Match, after: int, ways: Ways) -> int:
        """`match`: a pattern that fails may have bound some of its names."""
        missed = after
        for case in reversed(statement.cases):
            start = self.block(case.body, after, ways)
            if case.guard is not None:
                start = self.point(ways, (start, missed), case.guard)
            bindings = self.graph.evaluated[case] = Effects(self.scope)
            for name in capture_names(case.pattern):
                bindings.bind_name(name)
            bound = self.graph.add(bindings, (start,))
            last = case is statement.cases[-1] and exhaustive(statement)
            missed = self.point(ways, (bound,) if last else (bound, missed), case.pattern)
        return self.point(ways, (missed,), statement.subject)


def _through(detour: Callable[[int], int], ways: Ways) -> Ways:
    """The ways, each with a detour that is built when the way is first taken."""
    return Ways(_once(lambda: detour(ways.returning())), _once(lambda: detour(ways.breaking())),
                _once(lambda: detour(ways.continuing())), detour(ways.raising))


def _once(build: Callable[[], int]) -> Callable[[], int]:
    known: list[int] = []

    def get() -> int:
        if not known:
            known.append(build())
        return known[0]
    return get


def capture_names(pattern: Any) -> list[str]:
    """The names that a pattern binds."""
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
    gast.With: Builder.context,
    gast.AsyncWith: Builder.context,
    gast.Match: Builder.match,
    gast.Return: Builder.leave,
    gast.Raise: Builder.leave,
    gast.Break: Builder.jump,
    gast.Continue: Builder.jump,
    **dict.fromkeys(TRY, Builder.attempt),
}
