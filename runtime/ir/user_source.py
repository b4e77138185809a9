"""The user's source around a location: the names bound and read there, the function, the lines."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from autograph.compiled_again import tree_of
from autograph.file_parts import FileParts
from autograph.runtime.ir.location import Location

Span = tuple[int, int, int, int]
"""(line, end line, column, end column), as `Location.span`."""

Suite = tuple[tuple[int, str], ...]
"""The blocks around a statement, outside in: the line of each compound statement of the function,
and which of its blocks it is."""


class Statement(NamedTuple):
    """A simple statement: its line, the blocks around it, and the line of the `def` it is of.

    names   the variables that it binds.
    value   the expression that it binds them to, if it is a variable or a literal; else None.
    stops   the text of a call of a debugger, `breakpoint()`; else empty.
    calls   the names of the functions and methods that it calls.
    """

    line: int
    suite: Suite
    function: int
    names: tuple[str, ...] = ()
    value: ast.expr | None = None
    stops: str = ""
    calls: tuple[str, ...] = ()


class UserFunction(NamedTuple):
    """A function of the user's, by its file, its name and the line of its `def`."""

    filename: str
    name: str
    line: int


class UserScope(NamedTuple):
    """A function of the user's: the line at which it begins, decorators included, the
    names that are bound in it (None if its source cannot be had), and its parameters."""

    first: int
    names: frozenset[str] | None = None
    parameters: tuple[str, ...] = ()


@dataclass
class Facts:
    """The facts of a part of a file (`FileParts`).

    bound       by expression: the variables that it is bound to.
    operands    by expression: the variables that are its operands, in order; "" is no variable. Of
                a call `x.f(y)` the first is "x.", since x may be a module or an operand.
    functions   (first line, last line, name of every `def`), outer ones first.
    statements  the simple statements, in order.
    suites      by line: the suite of the innermost statement that begins there.
    scopes      by line of a `def`.
    around      what `enclosing` has found so far.
    """

    bound: dict[Span, tuple[str, ...]] = field(default_factory=dict)
    operands: dict[Span, tuple[str, ...]] = field(default_factory=dict)
    functions: list[tuple[int, int, str]] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    suites: dict[int, Suite] = field(default_factory=dict)
    scopes: dict[int, UserScope] = field(default_factory=dict)
    around: dict[int, tuple[int, str] | None] = field(default_factory=dict)

    def enclosing(self, line: int) -> tuple[int, str] | None:
        """The line and the name of the innermost `def` around a line."""
        if line not in self.around:
            self.around[line] = max([(first, name) for first, last, name in self.functions
                                     if first <= line <= last], default=None)
        return self.around[line]


class SourceMap:
    """One file: the facts of its parts, each of which is read when a line of it is asked for."""

    def __init__(self, tree: ast.Module) -> None:
        self._file = FileParts(tree)
        self._facts: dict[int, Facts] = {}

    def at(self, line: int) -> Facts:
        """The facts of the part that a line belongs to."""
        return self._of(self._file.number(line))

    @property
    def statements(self) -> list[Statement]:
        """The simple statements of the file, in order."""
        return [s for number in range(len(self._file.parts)) for s in self._of(number).statements]

    def _of(self, number: int) -> Facts:
        if number not in self._facts:
            self._facts[number] = _facts_of(self._file.parts[number] if number >= 0 else [])
        return self._facts[number]


def source_map(filename: str) -> SourceMap:
    """The map of a file; an empty one if its source cannot be had."""
    lines = linecache.getlines(filename)
    known = _maps.pop(filename, None)
    if known is None or known[0] is not lines:  # linecache keeps the list as long as the file
        while len(_maps) >= MOST_FILES:
            _maps.pop(next(iter(_maps)), None)
        known = lines, _map_of("".join(lines))
    _maps[filename] = known
    return known[1]


MOST_FILES = 64

_maps: dict[str, tuple[list[str], SourceMap]] = {}
"""By file: its lines and their map; the latest last."""


def assigned(location: Location) -> tuple[str, ...]:
    """The variables that the expression (or the augmented assignment) at a location is bound to.

    Unlike `Location.targets`, which reads the code that runs, it sees what the user wrote: in a
    staged loop, `x = x + 1` runs as `return x + 1`.
    """
    return source_map(location.filename).at(location.line).bound.get(location.span, ())


def operands(location: Location) -> tuple[str, ...]:
    """The variables that are the operands of the expression at a location; "" for those that are
    none."""
    return source_map(location.filename).at(location.line).operands.get(location.span, ())


def function_at(location: Location) -> UserFunction:
    """The user's function around a location, whatever generated function runs there."""
    found = source_map(location.filename).at(location.line).enclosing(location.line)
    if found is None:
        return UserFunction(location.filename, location.code.co_name, location.code.co_firstlineno)
    return UserFunction(location.filename, found[1], found[0])


def scope_at(location: Location) -> UserScope:
    """Returns what is known of the user's function around a location. A lambda or a generator
    expression begins at its own line, and has its own parameters; its names are those of the
    function around it, too."""
    function, code = function_at(location), location.code
    scope = source_map(location.filename).at(function.line).scopes.get(
        function.line, UserScope(function.line))
    if not code.co_name.startswith("<"):
        return scope
    count = code.co_argcount + code.co_kwonlyargcount
    return scope._replace(first=code.co_firstlineno, parameters=code.co_varnames[:count])


@lru_cache(maxsize=16)
def _map_of(text: str) -> SourceMap:
    try:
        return SourceMap(tree_of(text))
    except (SyntaxError, ValueError):
        return SourceMap(ast.Module([], []))


def _facts_of(nodes: list[ast.stmt | ast.expr]) -> Facts:
    made = Facts()
    for top in nodes:
        for node in ast.walk(top):
            made.bound.update(_bindings(node))
            made.operands.update(_operands(node))
        if isinstance(top, ast.stmt):
            _statements([top], (), 0, made)
    return made


def _statements(body: list[ast.stmt], suite: Suite, function: int, made: Facts) -> None:
    """Enter the statements of a block, those in it included."""
    for s in body:
        made.suites[s.lineno] = suite
        if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)):
            made.functions.append((s.lineno, s.end_lineno or s.lineno, s.name))
            made.scopes[s.lineno] = _scope(s)
            _statements(s.body, (), s.lineno, made)
        elif isinstance(s, ast.ClassDef):
            _statements(s.body, suite, function, made)
        elif isinstance(s, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)) and (
                not isinstance(getattr(s, "value", None), ast.Constant)
                or not isinstance(s, ast.Expr)):
            made.statements.append(_statement(s, suite, function))
        else:
            for name, block in ast.iter_fields(s):
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    _statements(block, (*suite, (s.lineno, name)), function, made)


def _scope(function: ast.FunctionDef | ast.AsyncFunctionDef) -> UserScope:
    first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    names = {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
    bound = frozenset(name for s in function.body for n in ast.walk(s) for name in _bound_by(n))
    own = function.args
    ordered = (*own.posonlyargs, *own.args, own.vararg, *own.kwonlyargs, own.kwarg)
    return UserScope(first, bound | names, tuple(a.arg for a in ordered if a is not None))


def _bound_by(node: ast.AST) -> Iterator[str]:
    """Yields the names that a node binds or deletes by itself: a variable, or what a definition, an
    import, a handler or a pattern names."""
    if isinstance(node, ast.Name):
        yield from () if isinstance(node.ctx, ast.Load) else (node.id,)
    else:
        yield from (name for field in ("name", "asname", "rest")
                    if isinstance(name := getattr(node, field, None), str))


def _statement(s: ast.stmt, suite: Suite, function: int) -> Statement:
    """Collects the facts of a simple statement."""
    value = getattr(s, "value", None)
    if isinstance(s, ast.Expr) and isinstance(value, ast.Call) and _is_debugger(value.func):
        return Statement(s.lineno, suite, function, stops=ast.unparse(s))
    targets = s.targets if isinstance(s, ast.Assign) else [getattr(s, "target", None)]
    names = tuple(n.id for t in targets if t is not None for n in ast.walk(t)
                  if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    plain = isinstance(value, (ast.Name, ast.Constant)) and isinstance(s, ast.Assign) and all(
        isinstance(t, ast.Name) for t in targets)
    calls = tuple(_called(n) for n in ast.walk(s) if isinstance(n, ast.Call))
    return Statement(s.lineno, suite, function, names, value if plain else None, "", calls)


def _called(call: ast.Call) -> str:
    """Returns the name of the function or method that is called; empty if it has none."""
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def _is_debugger(f: ast.expr) -> bool:
    return (isinstance(f, ast.Name) and f.id == "breakpoint") or (
        isinstance(f, ast.Attribute) and f.attr == "set_trace")


def _bindings(node: ast.AST) -> Iterator[tuple[Span, tuple[str, ...]]]:
    if isinstance(node, ast.AugAssign):
        yield _span(node), _names(node.target)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        yield from _bound(node.target, node.value)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _bound(target, node.value)


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Enters the variables that `target = value` binds; `a, b = x, y` binds twice."""
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)) and (
            len(target.elts) == len(value.elts)):
        for left, right in zip(target.elts, value.elts, strict=True):
            yield from _bound(left, right)
    else:
        yield _span(value), _names(target)


def _names(target: ast.expr) -> tuple[str, ...]:
    """The variables of a target, if it has nothing else."""
    if isinstance(target, ast.Name):
        return (target.id,)
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    names = tuple(part.id for part in parts if isinstance(part, ast.Name))
    return names if len(names) == len(parts) else ()


def _operands(node: ast.AST) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """The operands of what becomes one equation with its operands in this order."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.AugAssign):
        parts = [node.target, node.value]
    elif isinstance(node, ast.UnaryOp):
        parts = [node.operand]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        parts = [node.left, *node.comparators]
    elif isinstance(node, ast.Subscript):
        parts = [node.value, node.slice]
    elif isinstance(node, ast.Call) and not any(isinstance(a, ast.Starred) for a in node.args):
        parts = node.args
    if isinstance(node, (ast.expr, ast.AugAssign)):
        names = tuple(p.id if isinstance(p, ast.Name) else "" for p in parts)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            names = (_receiver(node.func), *names)
        if any(names):
            yield _span(node), names


def _receiver(f: ast.Attribute) -> str:
    """Returns the owner of a method: "x." for x, "np.." for something of np's, "" for others."""
    if isinstance(f.value, ast.Name):
        return f"{f.value.id}."
    inner: ast.expr = f.value
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return f"{inner.id}.." if isinstance(inner, ast.Name) else ""


def _span(node: ast.expr | ast.stmt) -> Span:
    return (node.lineno, node.end_lineno or node.lineno, node.col_offset,
            node.end_col_offset or node.col_offset)
