"""Guard code: generates an entry point, which recognises calls by guards and runs their traces."""

from __future__ import annotations

import builtins
import inspect
import weakref
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import CodeType, MethodType, WrapperDescriptorType
from typing import Any

from autograph.function.guard_tables import PlainCalls, Table
from autograph.runtime.codegen.entry_inlining import spliced
from autograph.runtime.diagnostics.line_tables import REGISTRY, on_line, on_users_lines
from autograph.runtime.diagnostics.watchers import is_watched
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.recognised_calls import steps_at_once
from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.location import Location
from autograph.runtime.signatures.guards import Bind, Check, Const, Keyed, Step, render
from autograph.traceback_filter import hide

GUARDED = "__guarded__"
"""A switch among the entry points' globals: True if guards may recognise calls."""

SLOW_PATH = "\0slow path"
"""Marks the first constant of the code: what gives the slow path. What pickles functions as their
code (joblib) finds it before all others, and with it the reason why that cannot be."""

SCOPES: dict[int, dict[str, Any]] = {}
"""The globals of the entry points, by the warning registry of the functions' module: NumPy's
warnings in graphs that are inlined count as the module's."""

Definition = tuple[str, int] | None
"""The file and the line at which a function is defined, if they are known."""

_switch = True


def scope_for(module: dict[str, Any]) -> dict[str, Any]:
    """Returns the globals of an entry point for a function of a module."""
    registry = module.setdefault(REGISTRY, {})
    return SCOPES.setdefault(id(registry), {
        "__builtins__": builtins, "__name__": module.get("__name__", ""), REGISTRY: registry,
        GENERATED: True, GUARDED: _switch})


class Source:
    """Writes an entry point.

    Args:
      name: the function's name.
      parameters: its parameters; defaults are set on the function object afterwards.
      definition: the file and the line of its `def`, which profilers and debuggers show.
    """

    def __init__(self, name: str, parameters: list[inspect.Parameter],
                 definition: Definition = None) -> None:
        self.name = name
        self.definition = definition
        self.parameters = parameters
        self.filename = f"<dispatch of {name}>"
        self.lines = [f"def entry({parameter_list(parameters)}):", f" {SLOW_PATH!r}", " try:"]
        self.is_spliced = False
        self.bound: dict[str, None] = {}
        self.locations: dict[int, Location] = {}
        self.marks: dict[str, Any] = {}
        self.taken = {p.name for p in parameters}
        self.local = "c"
        while self.local in self.taken:
            self.local += "_"
        self.taken.add(self.local)
        self.first = [GUARDED]

    def require(self, holds: Callable[..., bool], number: int) -> None:
        """Has all guards ask a method first, with a number."""
        self.first.append(f"{self.constant(weak(holds))}()({number})")

    def constant(self, x: Any) -> str:
        """Returns an expression for an object: `(c := MARK)` until it is a constant of the code.

        Code objects are hashed, and with them their constants: what has no hash, or has one of the
        program's, is put in a box.
        """
        if not isinstance(x, Const) and (type(type(x).__hash__) is not WrapperDescriptorType
                                         or isinstance(x, (tuple, frozenset))):
            return f"{self.constant(Const(x))}.value"
        mark = f"\0constant {len(self.marks)}"
        self.marks[mark] = x
        return f"({self.local} := {mark!r})"

    def trace(self, concrete: ConcreteFunction, run: Callable[..., Any]) -> None:
        """Writes `if GUARDS: return RUN(ARRAYS)`, or the graph's own statements if it is small."""
        steps = steps_at_once(concrete)
        if steps is None:
            return
        indent = self.guards([s.direct if isinstance(s, Keyed) else s for s in steps])
        emitted = concrete.emitted if run is concrete.run else None
        body = spliced(emitted, concrete.paths, self.taken, self.filename, self.constant, indent,
                       len(self.lines)) if emitted else None
        if body is None:
            arguments = ", ".join(concrete.paths)
            self.lines.append(f"{indent}return {self.constant(run)}({arguments})")
        else:
            self.lines += body.lines
            self.locations.update(body.locations)
            self.is_spliced = True

    def plain(self, calls: PlainCalls) -> None:
        """Writes `if GUARDS: return RUN(PARAMETERS)`."""
        indent = self.guards([s.direct if isinstance(s, Keyed) else s for s in calls.steps])
        given = ", ".join(p.name for p in self.parameters)
        self.forget(indent)
        self.lines.append(f"{indent}return {self.constant(calls.run)}({given})")

    def forget(self, indent: str) -> None:
        """Writes that the guards' variables hold nothing: plain Python lets objects go at once."""
        if self.bound:
            self.lines.append(f"{indent}{' = '.join(self.bound)} = None")

    def table(self, table: Table) -> None:
        """Writes `if GUARDS: run = TABLE.get(KEY)`, and a call of what was found."""
        indent = self.guards([s for s in table.steps if not isinstance(s, Keyed)])
        found = f"({self.local} := {self.constant(table.runs.get)}({table.key})) is not None"
        self.lines.append(f"{indent}if {found}:")
        self.lines.append(f"{indent} return {self.local}({', '.join(table.arguments)})")

    def guards(self, steps: Iterable[Step | tuple[Any, ...]]) -> str:
        """Writes the guards; returns the indentation of what is done if all of them hold."""
        indent, tests = "  ", [*self.first]
        for step in steps:
            if isinstance(step, Bind):
                indent, tests = self.test(indent, tests), []
                statement = render(step.pieces, self.constant)
                self.lines.append(indent + statement)
                targets = [t.strip() for t in statement.partition(" = ")[0].split(",")]
                self.taken.update(targets)
                self.bound.update(dict.fromkeys(filter(str.isidentifier, targets)))
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
        self.forget("  ")
        self.marks[SLOW_PATH] = weak(otherwise)
        self.lines += [f"  return ({self.local} := {SLOW_PATH!r})()({given})",
                       " except BaseException:", f"  {self.constant(hide)}()", "  raise"]
        text = "\n".join(self.lines) + "\n"
        # many functions have the same text, if no graph is in it
        code = compiled(text, self.filename) if self.is_spliced else compiled_once(text)
        constants = tuple(
            self.marks.get(x, x) if type(x) is str else x for x in code.co_consts)
        code = code.replace(co_name=self.name, co_qualname=self.name, co_filename=self.filename,
                            co_consts=constants)
        if self.locations and not is_watched():
            return on_users_lines(code, self.locations)
        return code if self.definition is None else on_line(code, *self.definition)


def unguarded(name: str, parameters: list[inspect.Parameter], otherwise: Callable[..., Any],
              definition: Definition = None) -> CodeType:
    """Returns the code of an entry point that recognises no call yet.

    It is compiled once for all functions with parameters of the same kinds, and gets the names of
    this function's.
    """
    source = Source(name, [p.replace(name=f"p{i}") for i, p in enumerate(parameters)], definition)
    code = source.code(otherwise, tuple(p.name for p in parameters))
    names = {f"p{i}": p.name for i, p in enumerate(parameters)}
    return code.replace(co_varnames=tuple(names.get(v, ".c") for v in code.co_varnames))


def compiled(text: str, filename: str = "<dispatch>") -> CodeType:
    """Returns the code of an entry point."""
    module = compile(text, filename, "exec")
    return next(c for c in module.co_consts if isinstance(c, CodeType))


compiled_once = lru_cache(maxsize=256)(compiled)


def weak(method: Callable[..., Any]) -> Callable[[], Any]:
    """Returns what gives a method: the collector cannot look into code, and what a function's code
    leads to may lead to the function. The function's own attributes keep the method's object."""
    return _Weak(method) if isinstance(method, MethodType) else lambda: method


class _Weak(weakref.WeakMethod[Callable[..., Any]]):
    """Gives a method. It is pickled as the method is, whose object may refuse."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        method = self()
        return getattr, (getattr(method, "__self__", None), getattr(method, "__name__", ""))


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
