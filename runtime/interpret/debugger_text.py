"""A graph as Python that stands on the user's lines: what debuggers step through.

It has the user's file, function names, lines and variables, and no computation of its own: every
statement asks a `Stepper`, the local variable `__graph__`, to run an equation by its number.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.user_source import (
    Statement,
    Suite,
    UserFunction,
    assigned,
    function_at,
    operands,
    source_map,
)

GRAPH, ITERATION = "__graph__", "__iteration__"
"""The names of what is not the user's in a frame: the stepper, and the rounds of the loops around,
the outermost first."""


class Unknown:
    """Stands for what a variable was given by Python, not by an equation."""

    def __repr__(self) -> str:
        return "<given by Python while tracing>"


UNKNOWN = Unknown()


@dataclass(eq=False)
class Skeleton:
    """What the statements refer to by number, and the code of each stretch of a function.

    functions  the code of stretches; the first is that of the whole graph.
    """

    graph: Graph
    equations: list[Equation] = field(default_factory=list)
    atoms: list[Any] = field(default_factory=list)
    functions: list[FunctionType] = field(default_factory=list)

    def number(self, equation: Equation) -> int:
        self.equations.append(equation)
        return len(self.equations) - 1

    def atom(self, atom: Any) -> int:
        self.atoms.append(atom)
        return len(self.atoms) - 1


def skeleton(graph: Graph, known: dict[str, Any]) -> Skeleton:
    """The skeleton of a graph; `known` are the values of parameters that are constants in it."""
    made = Skeleton(graph)
    places = [e.location for e in graph.walk() if e.location is not None]
    names: dict[str, Any] = {**known, **{v.hint: v for v in graph.inputs if v.hint}}
    if not places:
        here = UserFunction("<graph>", graph.name, 1)
    else:
        named = [f for f in map(function_at, places) if f.name == graph.name]
        here = named[0] if named else function_at(places[0])
    made.functions.append(None)  # type: ignore[arg-type]  # its place is the first
    writer = _Writer(made, here, {})
    writer.scopes[here] = {}
    body = [*writer.given(names), *writer.block(graph, ()), *writer.rest(())]
    made.functions[0] = writer.function(body)
    return made


@dataclass
class _Writer:
    """Writes the statements of one stretch of a user's function.

    scopes  by function: what its variables are known to hold.
    last    the line of the statement that was written last.
    seen    the places since a loop that is unrolled began its round.
    fresh   the variables that got a value since the line began.
    """

    made: Skeleton
    here: UserFunction
    scopes: dict[UserFunction, dict[str, Any]]
    last: int = 0
    seen: set[Location] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.last = self.here.line

    # -- statements -------------------------------------------------------------------------------

    def statement(self, text: str, place: Location | None) -> Any:
        """A statement at the user's place, or else where the one before it stood."""
        (node,) = ast.parse(text).body
        inside = place is not None and function_at(place) == self.here
        line, end, col, end_col = place.span if place is not None and inside else (
            self.last, self.last, 0, 0)
        self.last = line
        for n in ast.walk(node):
            if isinstance(n, (ast.stmt, ast.expr)):
                n.lineno, n.end_lineno = line, end
                n.col_offset, n.end_col_offset = col, end_col
        return node

    def given(self, names: dict[str, Any], place: Location | None = None) -> Iterator[ast.stmt]:
        """The user's variables that hold something now."""
        scope = self.scopes.setdefault(self.here, {})
        self.fresh.update(names)
        for name, atom in names.items():
            if name.isidentifier() and scope.get(name, self) is not atom:
                scope[name] = atom
                yield self.statement(f"{name} = {GRAPH}.get({self.made.atom(atom)})", place)

    def lines_between(self, line: int, suite: Suite, inner: Suite) -> Iterator[ast.stmt]:
        """`pass` for lines that left nothing in the graph, from `suite` inwards, before a line: a
        debugger can stop there."""
        suites = [inner[:n] for n in range(len(suite), len(inner) + 1)]
        yield from self.leave_line(line)
        for s in self.simple():
            if s.suite in suites and self.last < s.line < line:
                self.last = s.line
                yield self.statement(s.stops or "pass", None)
                yield from self.leave_line(line)

    def simple(self) -> Iterator[Statement]:
        """The simple statements of the function."""
        for s in source_map(self.here.filename).statements:
            if s.function == self.here.line:
                yield s

    def leave_line(self, line: int) -> Iterator[ast.stmt]:
        """Before another line: what was bound on this one, by something that is no equation."""
        if line == self.last:
            return
        scope = self.scopes.setdefault(self.here, {})
        for s in self.simple():
            if s.line == self.last:
                names = [n for n in s.names if n not in self.fresh]
                if isinstance(s.value, ast.Constant):
                    yield from self.given(dict.fromkeys(names, s.value.value))
                elif isinstance(s.value, ast.Name) and s.value.id in scope:
                    yield from self.given(dict.fromkeys(names, scope[s.value.id]))
                else:
                    yield from self.given({n: UNKNOWN for n in names if n in scope})
        self.fresh.clear()

    def rest(self, suite: Suite) -> Iterator[ast.stmt]:
        """The lines of a suite after the last equation."""
        yield from self.lines_between(sys.maxsize, suite, suite)

    def next_round(self, place: Location) -> Iterator[ast.stmt]:
        """The line of a loop that was unrolled, when its body begins again."""
        suite = self.suite(place)
        if place in self.seen and suite:
            self.seen.clear()
            self.last = suite[-1][0]
            yield self.statement("pass", None)
        self.seen.add(place)

    # -- equations --------------------------------------------------------------------------------

    def block(self, graph: Graph, suite: Suite) -> Iterator[ast.stmt]:
        """The equations of a graph; those of other functions as calls of them."""
        def function_of(e: Equation) -> UserFunction:
            return self.here if e.location is None else function_at(e.location)

        for function, group in groupby(graph.equations, key=function_of):
            if function == self.here:
                for e in group:
                    yield from self.equation(e, suite)
            else:
                yield from self.to_call(function, suite)
                yield self.stretch(function, list(group))

    def to_call(self, function: UserFunction, suite: Suite) -> Iterator[ast.stmt]:
        """The lines up to the statement that calls a function, if it is one."""
        for s in self.simple():
            if s.line > self.last and function.name in s.calls and s.suite[:len(suite)] == suite:
                yield from self.lines_between(s.line, suite, s.suite)
                self.last = s.line
                yield self.statement("pass", None)
                return

    def stretch(self, function: UserFunction, equations: list[Equation]) -> ast.stmt:
        """Equations of another function that was called, as a function of that name."""
        first = equations[0].location
        assert first is not None  # or they would be of this function
        inner = _Writer(self.made, function, self.scopes)
        names = {**inner.scopes.pop(function, {}), **self.read(equations[0])}
        body = [*inner.given(names), *inner.block(Graph("", (), equations), self.suite(first))]
        self.made.functions.append(inner.function(body))
        call: ast.stmt = self.statement(
            f"{GRAPH}.functions[{len(self.made.functions) - 1}]({GRAPH})", None)
        return call

    def suite(self, place: Location) -> Suite:
        return source_map(place.filename).suites.get(place.line, ())

    def equation(self, e: Equation, suite: Suite) -> Iterator[ast.stmt]:
        if e.location is not None and not e.regions:
            yield from self.next_round(e.location)
        if e.location is not None and (inner := self.suite(e.location))[:len(suite)] == suite:
            yield from self.lines_between(e.location.line, suite, inner)
        number = self.made.number(e)
        if e.op.name in ("while", "for"):
            yield from self.loop(e, number)
        elif e.op.name == "cond":
            yield self.cond(e, number)
        else:
            yield from self.given(self.read(e))
            yield self.statement(f"{GRAPH}({number})", e.location)
            yield from self.given(_bound(e), e.location)

    def read(self, e: Equation) -> dict[str, Any]:
        """The variables that the user's expression reads, by the operands of its equation."""
        if e.location is None or e.regions:
            return {}
        names, scope = operands(e.location), _globals_of(self.here.filename)
        if names and names[0].endswith("."):
            root = names[0].rstrip(".")
            module = isinstance(scope.get(root), ModuleType)
            names = names[1:] if module else (root * (names[0] == f"{root}."), *names[1:])
        elif len(names) != len(e.args):
            return {}
        return {name: atom for name, atom in zip(names, e.args, strict=False)
                if name and isinstance(atom, Value) and not isinstance(scope.get(name), ModuleType)}

    def cond(self, e: Equation, number: int) -> Any:
        branch = self.statement(f"if {GRAPH}.test({number}):\n  0\nelse:\n  0", e.location)
        branch.body = list(self.branch(e, number, 0))
        branch.orelse = list(self.branch(e, number, 1))
        self.scopes.setdefault(self.here, {}).update(_bound(e))
        return branch

    def branch(self, e: Equation, number: int, which: int) -> Iterator[ast.stmt]:
        region = e.regions[which]
        outer = {f: dict(scope) for f, scope in self.scopes.items()}
        before, self.last = self.last, self.last if e.location is None else e.location.line
        suite = self.suite_of(region, e.location, ("body", "orelse")[which])
        yield from self.block(region, suite)
        if suite and suite[-1][1] in ("body", "orelse") and e.location is not None:
            yield from self.rest(suite)
        yield self.statement(f"{GRAPH}.leave({number}, {which})", None)
        yield from self.given(_bound(e))
        self.scopes, self.last = outer, before

    def suite_of(self, region: Graph, place: Location | None, block: str) -> Suite:
        """The suite that a region's lines are of: its first equation's, or a block of the
        statement."""
        for e in region.equations:
            if e.location is not None and function_at(e.location) == self.here:
                return self.suite(e.location)
        return () if place is None else (*self.suite(place), (place.line, block))

    def loop(self, e: Equation, number: int) -> Iterator[ast.stmt]:
        body, tests = e.regions[0], e.regions[1:]
        if e.op.name == "while":
            body, tests = e.regions[1], e.regions[:1]
        starts = e.args if e.op.name == "while" else e.args[1:]
        yield from self.given({v.hint: atom for v, atom in zip(
            e.outputs, starts, strict=True) if v.hint})
        yield self.statement(f"{GRAPH}.begin({number})", e.location)
        loop = self.statement("while True:\n  0", e.location)
        rounds = f"{ITERATION} = {GRAPH}.iteration"
        outer = {f: dict(scope) for f, scope in self.scopes.items()}
        head = [self.statement(f"if not {GRAPH}.next({number}): break", e.location),
                self.statement(rounds, e.location)]
        for test in tests:
            head += [*self.given(_hints(test), e.location), *self.block(test, ("test",))]  # type: ignore[arg-type]
            head.append(self.statement(f"if not {GRAPH}.holds({number}): break", e.location))
        head += self.given(_hints(body), e.location)
        suite = self.suite_of(body, e.location, "body")
        loop.body = [*head, *self.block(body, suite), *self.rest(suite),
                     self.statement(f"{GRAPH}.end({number})", None), self.again()]
        self.scopes = outer
        yield loop
        yield self.statement(f"{GRAPH}.finish({number})", e.location)
        yield self.statement(rounds, e.location)
        yield from self.given(_bound(e), e.location)

    def again(self) -> ast.stmt:
        """`continue` on the last line: the jump back is no stop of its own."""
        node = ast.Continue()
        node.lineno = node.end_lineno = self.last
        node.col_offset = node.end_col_offset = 0
        return node

    # -- code -------------------------------------------------------------------------------------

    def function(self, body: list[ast.stmt]) -> FunctionType:
        """The function of these statements, under the user's name, file and line."""
        (head,) = ast.parse(f"def stretch({GRAPH}): 0").body
        assert isinstance(head, ast.FunctionDef)
        for n in ast.walk(head):
            if isinstance(n, (ast.stmt, ast.expr, ast.arg)):
                n.lineno = n.end_lineno = self.here.line
        head.body = body or head.body
        code = compile(ast.Module([head], []), self.here.filename, "exec")
        inner = next(c for c in code.co_consts if isinstance(c, CodeType))
        name = self.here.name
        return FunctionType(inner.replace(co_name=name, co_qualname=name),
                            _globals_of(self.here.filename))


def _hints(region: Graph) -> dict[str, Any]:
    """The user's variables that a region gets."""
    return {v.hint: v for v in region.inputs if v.hint}


def _bound(e: Equation) -> dict[str, Any]:
    """The user's variables that an equation gives a new value."""
    names: tuple[str, ...] = ()
    if e.location is not None and not e.regions:
        names = assigned(e.location)
    if len(names) != len(e.outputs):
        names = tuple(v.hint for v in e.outputs)
    return {name: v for name, v in zip(names, e.outputs, strict=True) if name}


def _globals_of(filename: str) -> dict[str, Any]:
    """The globals of the module that a file is."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == filename:
            return vars(module)
    return {"__name__": "graph", "__file__": filename}
