"""Writes a graph as Python that stands on the user's lines, for debuggers to step through.

This skeleton has the user's file, function names, lines and variables, and computes nothing: every
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
from autograph.runtime.ir.regions import Branch, Loop, as_branch, as_loop
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
"""The variables in a frame that are not the user's: the stepper, and the iterations of the loops
around, the outermost first."""


class Unknown:
    """Stands for a value that Python gave a variable while tracing, and no equation did."""

    def __repr__(self) -> str:
        return "<given by Python while tracing>"


UNKNOWN = Unknown()


@dataclass(eq=False)
class Skeleton:
    """The equations and atoms that the statements refer to by number, and their functions.

    functions  one for each stretch of equations that come from one user function; the first runs
               the graph.
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
    """Returns the skeleton of a graph; `known` has the parameters that are constants in it."""
    made = Skeleton(graph)
    locations = [e.location for e in graph.walk() if e.location is not None]
    names: dict[str, Any] = {**known, **{v.hint: v for v in graph.inputs if v.hint}}
    if not locations:
        here = UserFunction("<graph>", graph.name, 1)
    else:
        named = [f for f in map(function_at, locations) if f.name == graph.name]
        here = named[0] if named else function_at(locations[0])
    made.functions.append(None)  # type: ignore[arg-type]  # the first, but written last
    writer = _Writer(made, here, {})
    writer.scopes[here] = {}
    body = [*writer.bind(names), *writer.block(graph, ()), *writer.rest(())]
    made.functions[0] = writer.function(body)
    return made


@dataclass
class _Writer:
    """Writes the statements of one stretch of a user's function.

    scopes  by function: what its variables are known to hold.
    last    the line of the statement that was written last.
    seen    the locations since an unrolled loop began its iteration.
    fresh   the variables that got a value since the line began.
    """

    skeleton: Skeleton
    here: UserFunction
    scopes: dict[UserFunction, dict[str, Any]]
    last: int = 0
    seen: set[Location] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.last = self.here.line

    # -- statements -------------------------------------------------------------------------------

    def statement(self, text: str, location: Location | None) -> Any:
        """Returns a statement at the user's location, or else on the line of the one before."""
        (node,) = ast.parse(text).body
        inside = location is not None and function_at(location) == self.here
        line, end, col, end_col = location.span if location is not None and inside else (
            self.last, self.last, 0, 0)
        self.last = line
        for n in ast.walk(node):
            if isinstance(n, (ast.stmt, ast.expr)):
                n.lineno, n.end_lineno = line, end
                n.col_offset, n.end_col_offset = col, end_col
        return node

    def bind(self, names: dict[str, Any], location: Location | None = None) -> Iterator[ast.stmt]:
        """Yields assignments of the user's variables that hold something new."""
        scope = self.scopes.setdefault(self.here, {})
        self.fresh.update(names)
        for name, atom in names.items():
            if name.isidentifier() and scope.get(name, self) is not atom:
                scope[name] = atom
                yield self.statement(f"{name} = {GRAPH}.get({self.skeleton.atom(atom)})", location)

    def lines_between(self, line: int, suite: Suite, inner: Suite) -> Iterator[ast.stmt]:
        """Yields `pass` for lines before `line` that left nothing in the graph, in suites from
        `suite` to `inner`, so that a debugger can stop there."""
        suites = [inner[:n] for n in range(len(suite), len(inner) + 1)]
        yield from self.leave_line(line)
        for s in self.simple():
            if s.suite in suites and self.last < s.line < line:
                self.last = s.line
                yield self.statement(s.stops or "pass", None)
                yield from self.leave_line(line)

    def simple(self) -> Iterator[Statement]:
        """Yields the simple statements of the function."""
        for s in source_map(self.here.filename).statements:
            if s.function == self.here.line:
                yield s

    def leave_line(self, line: int) -> Iterator[ast.stmt]:
        """Yields, before another line, assignments of what no equation bound on this one."""
        if line == self.last:
            return
        scope = self.scopes.setdefault(self.here, {})
        for s in self.simple():
            if s.line == self.last:
                names = [n for n in s.names if n not in self.fresh]
                if isinstance(s.value, ast.Constant):
                    yield from self.bind(dict.fromkeys(names, s.value.value))
                elif isinstance(s.value, ast.Name) and s.value.id in scope:
                    yield from self.bind(dict.fromkeys(names, scope[s.value.id]))
                else:
                    yield from self.bind({n: UNKNOWN for n in names if n in scope})
        self.fresh.clear()

    def rest(self, suite: Suite) -> Iterator[ast.stmt]:
        """Yields the lines of a suite after the last equation."""
        yield from self.lines_between(sys.maxsize, suite, suite)

    def next_iteration(self, location: Location) -> Iterator[ast.stmt]:
        """Yields the line of a loop that was unrolled when its body begins again."""
        suite = self.suite(location)
        if location in self.seen and suite:
            self.seen.clear()
            self.last = suite[-1][0]
            yield self.statement("pass", None)
        self.seen.add(location)

    # -- equations --------------------------------------------------------------------------------

    def block(self, graph: Graph, suite: Suite) -> Iterator[ast.stmt]:
        """Yields the equations of a graph; those of another function as a call of it."""
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
        """Yields the lines up to the statement that calls a function, if there is one."""
        for s in self.simple():
            if s.line > self.last and function.name in s.calls and s.suite[:len(suite)] == suite:
                yield from self.lines_between(s.line, suite, s.suite)
                self.last = s.line
                yield self.statement("pass", None)
                return

    def stretch(self, function: UserFunction, equations: list[Equation]) -> ast.stmt:
        """Returns a call of a new function, named as the user's, that has these equations."""
        first = equations[0].location
        assert first is not None  # or they would be of this function
        inner = _Writer(self.skeleton, function, self.scopes)
        names = {**inner.scopes.pop(function, {}), **self.read(equations[0])}
        body = [*inner.bind(names), *inner.block(Graph("", (), equations), self.suite(first))]
        self.skeleton.functions.append(inner.function(body))
        call: ast.stmt = self.statement(
            f"{GRAPH}.functions[{len(self.skeleton.functions) - 1}]({GRAPH})", None)
        return call

    def suite(self, location: Location) -> Suite:
        return source_map(location.filename).at(location.line).suites.get(location.line, ())

    def equation(self, e: Equation, suite: Suite) -> Iterator[ast.stmt]:
        if e.location is not None and not e.regions:
            yield from self.next_iteration(e.location)
        if e.location is not None and (inner := self.suite(e.location))[:len(suite)] == suite:
            yield from self.lines_between(e.location.line, suite, inner)
        number = self.skeleton.number(e)
        if (loop := as_loop(e)) is not None:
            yield from self.loop(loop, number)
        elif (branch := as_branch(e)) is not None:
            yield self.cond(branch, number)
        else:
            yield from self.bind(self.read(e))
            yield self.statement(f"{GRAPH}({number})", e.location)
            yield from self.bind(_bound(e), e.location)

    def read(self, e: Equation) -> dict[str, Any]:
        """Returns the operands of an equation by the variables that the user's expression reads."""
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

    def cond(self, branch: Branch, number: int) -> Any:
        e = branch.equation
        statement = self.statement(f"if {GRAPH}.test({number}):\n  0\nelse:\n  0", e.location)
        statement.body = list(self.side(branch, number, True))
        statement.orelse = list(self.side(branch, number, False))
        self.scopes.setdefault(self.here, {}).update(_bound(e))
        return statement

    def side(self, branch: Branch, number: int, truth: bool) -> Iterator[ast.stmt]:
        e, region = branch.equation, branch.side(truth)
        outer = self.known()
        before, self.last = self.last, self.last if e.location is None else e.location.line
        suite = self.suite_of(region, e.location, "body" if truth else "orelse")
        yield from self.block(region, suite)
        if suite and suite[-1][1] in ("body", "orelse") and e.location is not None:
            yield from self.rest(suite)
        yield self.statement(f"{GRAPH}.leave({number}, {truth})", None)
        yield from self.bind(_bound(e))
        self.restore(outer)
        self.last = before

    def suite_of(self, region: Graph, location: Location | None, block: str) -> Suite:
        """Returns the suite that a region's lines are in: its first equation's, or else a block
        of the statement at the location."""
        for e in region.equations:
            if e.location is not None and function_at(e.location) == self.here:
                return self.suite(e.location)
        return () if location is None else (*self.suite(location), (location.line, block))

    def loop(self, view: Loop, number: int) -> Iterator[ast.stmt]:
        e, body = view.equation, view.body
        yield from self.bind({v.hint: atom for v, atom in zip(
            view.results, view.initial, strict=True) if v.hint})
        yield self.statement(f"{GRAPH}.begin({number})", e.location)
        loop = self.statement("while True:\n  0", e.location)
        iteration = f"{ITERATION} = {GRAPH}.iteration"
        outer = self.known()
        head = [self.statement(f"if not {GRAPH}.next({number}): break", e.location),
                self.statement(iteration, e.location)]
        if (test := view.test) is not None:
            head += [*self.bind(_hints(test), e.location), *self.block(test, ("test",))]  # type: ignore[arg-type]
            head.append(self.statement(f"if not {GRAPH}.holds({number}): break", e.location))
        head += self.bind(_hints(body), e.location)
        suite = self.suite_of(body, e.location, "body")
        loop.body = [*head, *self.block(body, suite), *self.rest(suite),
                     self.statement(f"{GRAPH}.end({number})", None), self.again()]
        self.restore(outer)
        yield loop
        yield self.statement(f"{GRAPH}.finish({number})", e.location)
        yield self.statement(iteration, e.location)
        yield from self.bind(_bound(e), e.location)

    def known(self) -> dict[UserFunction, dict[str, Any]]:
        """Returns a copy of the scopes, as they are before a region."""
        return {f: dict(scope) for f, scope in self.scopes.items()}

    def restore(self, outer: dict[UserFunction, dict[str, Any]]) -> None:
        """Forgets what a region bound, in the callers' writers too: they share the scopes."""
        self.scopes.clear()
        self.scopes.update(outer)

    def again(self) -> ast.stmt:
        """Returns a `continue` on the last line, where the jump back makes no stop of its own."""
        node = ast.Continue()
        node.lineno = node.end_lineno = self.last
        node.col_offset = node.end_col_offset = 0
        return node

    # -- code -------------------------------------------------------------------------------------

    def function(self, body: list[ast.stmt]) -> FunctionType:
        """Returns a function of these statements under the user's name, file and line."""
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
    """Returns the inputs of a region by the user's variables."""
    return {v.hint: v for v in region.inputs if v.hint}


def _bound(e: Equation) -> dict[str, Any]:
    """Returns the results of an equation by the user's variables that they are bound to."""
    names: tuple[str, ...] = ()
    if e.location is not None and not e.regions:
        names = assigned(e.location)
    if len(names) != len(e.outputs):
        names = tuple(v.hint for v in e.outputs)
    return {name: v for name, v in zip(names, e.outputs, strict=True) if name}


def _globals_of(filename: str) -> dict[str, Any]:
    """Returns the globals of the module that was loaded from a file."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == filename:
            return vars(module)
    return {"__name__": "graph", "__file__": filename}
