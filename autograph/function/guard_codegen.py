"""Guard code: generates an entry point, which recognises calls by guards and runs their traces."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any, TypeVar

import numpy as np

from autograph.runtime.codegen.entry_inlining import body
from autograph.runtime.diagnostics.line_tables import REGISTRY, on_users_lines
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.cache_keys import ForeignArray, Stateful
from autograph.runtime.signatures.guards import Bind, Check, Const, Keyed, Step, render
from autograph.runtime.symbolic import trace
from autograph.syntax.traceback_filter import hide

T = TypeVar("T")

GUARDED = "__guarded__"
"""A switch among the entry points' globals: True if guards may recognise calls."""

SCOPES: dict[int, dict[str, Any]] = {}
"""The globals of the entry points, by the warning registry of the functions' module: NumPy's
warnings in graphs that are inlined count as the module's."""

_switch = True


def scope_for(module: dict[str, Any]) -> dict[str, Any]:
    """Returns the globals of an entry point for a function of a module."""
    registry = module.setdefault(REGISTRY, {})
    return SCOPES.setdefault(id(registry), {
        "__builtins__": builtins, "__name__": module.get("__name__", ""), REGISTRY: registry,
        GENERATED: True, GUARDED: _switch})

MAX_GUARDED = 4
"""At most so many signatures are tested one after the other. Of more, those that differ only in
dtypes, shapes and literals share a table."""

MAX_TABLES = 8
"""The entry point looks into at most so many tables, the newest; the slow path finds the others."""


def steps_of(concrete: ConcreteFunction) -> list[Step] | None:
    """Returns the guards that a call for this trace passes; None if no guard can tell."""
    if concrete.bound.guards is None:
        return None
    first = [] if is_pure(concrete) else [Check(("not ", Const(trace.ongoing)))]
    return [*first, *concrete.bound.guards, *_distinct(concrete)]


def is_pure(concrete: ConcreteFunction) -> bool:
    """Returns True if the graph may run at any time, so that a trace need not record the call."""
    program = concrete.program
    return not (program.write_back or program.refill or program.locations or concrete.state
                or any(e.op.effect for e in program.graph.walk())
                or any(isinstance(c, Storage) for c in program.graph.captures.values())
                or any(isinstance(x.type, Stateful) for x in concrete.bound.leaves))


def _distinct(concrete: ConcreteFunction) -> Iterator[Check]:
    """Yields tests that written arguments are different objects, as they were for the trace."""
    leaves = concrete.bound.leaves
    if concrete.writes_arguments:
        arrays = [leaf.path for leaf in leaves if _is_array(leaf.type)]
        for a, b in _pairs(arrays):
            yield Check(("not ", Const(np.may_share_memory), f"({a}, {b})"))
    for a, b in _pairs([leaf.path for leaf in leaves if isinstance(leaf.type, Stateful)]):
        yield Check((f"{a} is not {b}",))
    changed = {number for number, _ in concrete.program.refill}
    for (i, (a, _)), (j, (b, _)) in _pairs(list(enumerate(concrete.bound.containers))):
        if i in changed or j in changed:
            yield Check((f"{a} is not {b}",))


def _dtypes(concrete: ConcreteFunction) -> dict[str, np.dtype[Any]]:
    """Returns the dtypes of the arguments that are arrays of numbers with at least one axis."""
    return {x.path: x.type.dtype for x in concrete.bound.leaves
            if isinstance(x.type, ArrayType) and x.type.shape and x.type.dtype is not None
            and x.type.dtype.kind in "biufc"}


def _is_array(t: Any) -> bool:
    return isinstance(t, ForeignArray) or (isinstance(t, ArrayType) and not t.scalar)


def _pairs(xs: list[T]) -> list[tuple[T, T]]:
    return [(a, b) for i, a in enumerate(xs) for b in xs[i + 1:]]


@dataclass
class Table:
    """Traces whose guards differ only in `Keyed` values.

    steps      the guards that they share.
    arguments  the variables that hold the arrays.
    runs       values -> what runs the trace.
    """

    steps: list[Step]
    arguments: list[str]
    runs: dict[Any, Callable[..., Any]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The expression that is looked up."""
        parts = [x for step in self.steps if isinstance(step, Keyed) for x in step.expressions]
        return f"({', '.join(parts)},)" if parts else "()"


class Tables:
    """The tables of one function, by what the guards of their traces share."""

    def __init__(self) -> None:
        self.tables: dict[Any, Table] = {}
        self.entries: dict[Any, tuple[Any, Any]] = {}

    def put(self, key: Any, concrete: ConcreteFunction, run: Callable[..., Any]) -> None:
        """Enters the trace for a key, if it is not there."""
        if key in self.entries:
            return
        steps = steps_of(concrete)
        if steps is None:
            self.entries[key] = None, None
            return
        common = (*(s.expressions if isinstance(s, Keyed) else s for s in steps),
                  tuple(concrete.paths))
        values = tuple(v for s in steps if isinstance(s, Keyed) for v in s.values)
        table = self.tables.setdefault(common, Table(steps, concrete.paths))
        table.runs[values] = run
        self.entries[key] = common, values

    def drop(self, key: Any) -> None:
        common, values = self.entries.pop(key, (None, None))
        if common in self.tables:
            self.tables[common].runs.pop(values, None)
            if not self.tables[common].runs:
                del self.tables[common]

    def newest(self) -> list[Table]:
        return list(self.tables.values())[: -MAX_TABLES - 1: -1]


class Source:
    """Writes an entry point.

    Args:
      name: the function's name.
      parameters: its parameters; defaults are set on the function object afterwards.
    """

    def __init__(self, name: str, parameters: list[inspect.Parameter]) -> None:
        self.name = name
        self.parameters = parameters
        self.filename = f"<dispatch of {name}>"
        self.lines = [f"def entry({parameter_list(parameters)}):", " try:"]
        self.bodies: list[list[ast.stmt]] = []
        self.locations: dict[int, Location] = {}
        self.marks: dict[str, Any] = {}
        self.taken = {p.name for p in parameters}
        self.local = "c"
        while self.local in self.taken:
            self.local += "_"
        self.taken.add(self.local)

    def constant(self, x: Any) -> str:
        """Returns an expression for an object: `(c := MARK)` until it is a constant of the code.

        Code objects are hashed, and with them their constants: what has no hash is put in a box.
        """
        try:
            hash(x)
        except TypeError:
            return f"{self.constant(Const(x))}.value"
        mark = f"\0constant {len(self.marks)}"
        self.marks[mark] = x
        return f"({self.local} := {mark!r})"

    def trace(self, concrete: ConcreteFunction, run: Callable[..., Any]) -> None:
        """Writes `if GUARDS: return RUN(ARRAYS)`, or the graph's own statements if it is small."""
        steps = steps_of(concrete)
        if steps is None:
            return
        indent = self.guards([s.direct if isinstance(s, Keyed) else s for s in steps])
        emitted = concrete.emitted if run is concrete.run else None
        inlined = body(emitted, concrete.paths, _dtypes(concrete), self.taken, self.filename,
                       len(self.bodies), self.constant) if emitted else None
        if inlined is None:
            arguments = ", ".join(concrete.paths)
            self.lines.append(f"{indent}return {self.constant(run)}({arguments})")
        else:
            self.lines.append(f"{indent}{BODY}({len(self.bodies)})")
            self.bodies.append(inlined.statements)
            self.locations.update(inlined.locations)

    def table(self, table: Table) -> None:
        """Writes `if GUARDS: run = TABLE.get(KEY)`, and a call of what was found."""
        indent = self.guards([s for s in table.steps if not isinstance(s, Keyed)])
        found = f"({self.local} := {self.constant(table.runs.get)}({table.key})) is not None"
        self.lines.append(f"{indent}if {found}:")
        self.lines.append(f"{indent} return {self.local}({', '.join(table.arguments)})")

    def guards(self, steps: Iterable[Step | tuple[Any, ...]]) -> str:
        """Writes the guards; returns the indentation of what is done if all of them hold."""
        indent, tests = "  ", [GUARDED]
        for step in steps:
            if isinstance(step, Bind):
                indent, tests = self.test(indent, tests), []
                statement = render(step.pieces, self.constant)
                self.lines.append(indent + statement)
                self.taken.update(t.strip() for t in statement.partition(" = ")[0].split(","))
            else:
                pieces = step.pieces if isinstance(step, Check) else step
                tests.append(render(pieces, self.constant))
        return self.test(indent, tests)

    def test(self, indent: str, tests: list[str]) -> str:
        if tests:
            self.lines.append(f"{indent}if {' and '.join(tests)}:")
        return indent + " " if tests else indent

    def code(self, otherwise: Callable[..., Any], names: tuple[str, ...] | None = None) -> CodeType:
        """Returns the entry point's code.

        It calls `otherwise` with what no guard recognised: the names of the parameters, and their
        values.
        """
        own = tuple(p.name for p in self.parameters)
        given = ", ".join([self.constant(own if names is None else names), *own])
        self.lines += [f"  return {self.constant(otherwise)}({given})",
                       " except BaseException:", f"  {self.constant(hide)}()", "  raise"]
        text = "\n".join(self.lines) + "\n"
        if self.bodies:
            module = compile(_Insert(self.bodies).visit(ast.parse(text)), self.filename, "exec")
            code = next(c for c in module.co_consts if isinstance(c, CodeType))
        else:
            code = compiled(text)
        code = code.replace(co_name=self.name, co_filename=self.filename, co_consts=tuple(
            self.marks.get(x, x) if type(x) is str else x for x in code.co_consts))
        return on_users_lines(code, self.locations) if self.locations else code


def unguarded(name: str, parameters: list[inspect.Parameter], otherwise: Callable[..., Any]
              ) -> CodeType:
    """Returns the code of an entry point that recognises no call yet.

    It is compiled once for all functions with parameters of the same kinds, and gets the names of
    this function's.
    """
    source = Source(name, [p.replace(name=f"p{i}") for i, p in enumerate(parameters)])
    code = source.code(otherwise, tuple(p.name for p in parameters))
    names = {f"p{i}": p.name for i, p in enumerate(parameters)}
    return code.replace(co_varnames=tuple(names.get(v, ".c") for v in code.co_varnames))


@lru_cache(maxsize=256)
def compiled(text: str) -> CodeType:
    """Returns the code of an entry point without inlined graphs: many functions have the same
    text."""
    module = compile(text, "<dispatch>", "exec")
    return next(c for c in module.co_consts if isinstance(c, CodeType))


BODY = "__body__"
"""Marks the place of an inlined graph's statements until the source is parsed."""


class _Insert(ast.NodeTransformer):
    """Inserts the inlined bodies where they are marked."""

    def __init__(self, bodies: list[list[ast.stmt]]) -> None:
        self.bodies = bodies

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == BODY:
            number = call.args[0]
            assert isinstance(number, ast.Constant) and isinstance(number.value, int)
            return self.bodies[number.value]
        return node


def set_guarded(on: bool) -> None:
    """Lets all entry points recognise calls, or leave every call to the slow path."""
    global _switch
    _switch = on
    for scope in SCOPES.values():
        scope[GUARDED] = on


def parameter_list(parameters: list[inspect.Parameter]) -> str:
    """Returns the parameters as source, without their defaults' values."""
    return _listed(tuple((p.name, p.kind, p.default is p.empty) for p in parameters))


@lru_cache(maxsize=256)
def _listed(parameters: tuple[tuple[str, Any, bool], ...]) -> str:
    bare = [inspect.Parameter(name, kind, default=inspect.Parameter.empty if bare else None)
            for name, kind, bare in parameters]
    return str(inspect.Signature(bare))[1:-1]
