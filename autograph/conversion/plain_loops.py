"""Loops of converted functions as they were written: each compiled alone, as a function.

Where nothing symbolic is reachable from a loop, a trace runs it in this form, at Python's own
speed. The function takes what the loop goes through and the values of the loop variables, and
returns these; its free variables are the cells of the converted body. A loop that binds variables
otherwise than by an assignment has no such form, nor has one whose variables a function may keep.

A loop variable that the loop as written does not bind is one of the compiler's: it says whether the
loop was left, whether by a `return`, or holds what is returned.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from dis import get_instructions
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph.conversion.conversion_rules import file_of
from autograph.conversion.written_blocks import compiled_alone, definition
from autograph.operators.variables import Undefined
from autograph.syntax.source_file import all_codes
from autograph.traceback_filter import ITEMS
from autograph.weak_id_dict import IdentityDict

KINDS_LEFT = frozenset({
    "Delete", "FunctionDef", "Global", "Match", "Nonlocal", "Yield", "YieldFrom"})
"""Kinds of nodes that a loop with a plain form does not have."""


@dataclass(frozen=True)
class PlainLoop:
    """A loop as it was written.

    function  takes the items of a `for` loop, or None, and the loop variables; returns these.
    result    which loop variable gets what the loop returns; None if it returns nothing.
    unread    the loop variables whose values before the loop nothing reads.
    """

    function: FunctionType
    result: int | None
    unread: frozenset[int]


@dataclass(frozen=True)
class Flags:
    """The compiler's loop variables.

    left      those that are True once the loop was left, one of them by a `break` too.
    returned  True once it was left by a `return`; None if `left` says that.
    result    what it returns; None if nothing.
    """

    left: str | None = None
    returned: str | None = None
    result: str | None = None


Compiled = tuple[CodeType, int | None, int | None, frozenset[int]]

_codes: IdentityDict[Compiled | None] = IdentityDict()
"""The code of a loop's body -> that of its plain form, which variable gets its result, which says
that the loop was left, and which are unread; None if it has none."""

def plain_loop(body: FunctionType, test: FunctionType | None, state: tuple[Any, ...]
               ) -> PlainLoop | None:
    """Returns a loop as it was written, by the functions that it was converted to and the values of
    its variables where it goes on; None if it has no such form, or was left."""
    if body.__code__ not in _codes:
        _codes.put(body.__code__, _compiled(body, test, state))
    found = _codes.get(body.__code__)
    if found is None:
        return None
    code, result, left, unread = found
    if left is not None and state[left] is not False:
        return None  # the iterations before have left the loop
    cells = _cells(body, test)
    closure = tuple(cells[n] for n in code.co_freevars)
    function = FunctionType(code, body.__globals__, code.co_name, None, closure)
    return PlainLoop(function, result, unread)


def _cells(body: FunctionType, test: FunctionType | None) -> dict[str, CellType]:
    """Returns the cells of a loop's functions by the names of the variables."""
    return {name: cell for f in (body, test) if f is not None for name, cell in zip(
        f.__code__.co_freevars, f.__closure__ or (), strict=True)}


def _global_names(body: FunctionType, test: FunctionType | None) -> set[str]:
    """Returns the names of the module that a loop's functions bind."""
    return {i.argval for f in (body, test) if f is not None for code in all_codes(f.__code__)
            for i in get_instructions(code) if i.opname == "STORE_GLOBAL"}


def _compiled(body: FunctionType, test: FunctionType | None, values: tuple[Any, ...]
              ) -> Compiled | None:
    code = body.__code__
    file = file_of(code)
    loop = None if file is None else _loop_at(file.module, code.co_firstlineno)
    if loop is None or not _binds_by_assignments(loop) or loop.orelse:
        return None
    state = code.co_varnames[isinstance(loop, ast.For): code.co_argcount]
    cells, stored = _cells(body, test), _names(loop, ast.Store)
    own = {name: x for name, x in zip(state, values, strict=True) if name not in stored}
    flags = _flags(loop, own, test)
    if flags is None or not stored.isdisjoint(_global_names(body, test)):
        return None
    outer = sorted(stored.intersection(cells))
    inner = compiled_alone(_function(loop, state, flags, outer), list(cells), code)
    if any(c.co_name == "<lambda>" and not set(inner.co_cellvars).isdisjoint(c.co_freevars)
           for c in all_codes(inner)):
        return None  # it may be kept, and sees what follows
    result, left = (None if n is None else state.index(n) for n in (flags.result, flags.left))
    first = _assigned_first(loop)
    return inner, result, left, frozenset(i for i, name in enumerate(state) if name in first)


def _flags(loop: Any, own: dict[str, Any], test: FunctionType | None) -> Flags | None:
    """Returns which of the compiler's variables is which; None if that is not clear.

    own: these variables, with their values where the loop begins.
    """
    returns = any(isinstance(n, ast.Return) for n in ast.walk(loop))
    results = [name for name, x in own.items() if type(x) is Undefined and not x.name]
    bools = [name for name, x in own.items() if x is False]
    if len(own) != len(results) + len(bools) or len(results) != returns:
        return None
    if not bools:
        return None if returns else Flags()
    asked = set() if test is None else _names_loaded(test.__code__)
    left = [name for name in bools if name in asked]
    returned = [name for name in bools if name not in asked]
    breaks = _breaks(loop.body)
    if len(left) != 1 or len(returned) != (returns and breaks) or not (returns or breaks):
        return None
    return Flags(left[0], *returned or (None,), *results)


def _names_loaded(code: CodeType) -> set[str]:
    """Returns the names of the variables that a function, and those in it, read."""
    found: set[str] = set()
    for i in (i for c in all_codes(code) for i in get_instructions(c)):
        if i.opname.startswith("LOAD_"):
            found.update(i.argval if isinstance(i.argval, tuple) else [i.argval])
    return found


def _function(loop: Any, state: tuple[str, ...], flags: Flags, outer: list[str]
              ) -> ast.FunctionDef:
    """Returns a function whose body is the loop. What it returns tells how the loop was left.

    outer: the variables around the body that the loop binds.
    """
    values = ast.Return(ast.Tuple([ast.Name(n, ast.Load()) for n in state], ast.Load()))
    before, ended = ([] if flags.left is None else [_set(flags.left, ast.Constant(x), loop)]
                     for x in (True, False))
    body = loop.body if flags.result is None else (
        _Returns(flags, values).visit(copy.deepcopy(loop)).body)
    new: Any = ast.For(loop.target, ast.Name(ITEMS, ast.Load()), body, ended) if (
        isinstance(loop, ast.For)) else ast.While(loop.test, body, ended)
    shared = [ast.copy_location(ast.Nonlocal(outer), loop)] if outer else []
    lines = [*shared, *before, ast.copy_location(new, loop), ast.copy_location(values, loop)]
    return definition("<loop>", [ITEMS, *state], lines, loop)


class _Returns(ast.NodeTransformer):
    """Replaces each `return` of a loop: the function returns the loop variables."""

    def __init__(self, flags: Flags, values: ast.Return) -> None:
        self.flags = flags
        self.values = values

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        assert self.flags.result is not None
        left = [x for x in (self.flags.left, self.flags.returned) if x is not None]
        return [_set(self.flags.result, node.value or ast.Constant(None), node),
                *(_set(name, ast.Constant(True), node) for name in left),
                ast.copy_location(copy.deepcopy(self.values), node)]


def _set(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), at)


def _loop_at(node: Any, line: int) -> Any:
    """Returns the loop that begins on a line."""
    while True:
        inside = [n for n in _statements(node) if n.lineno <= line <= (n.end_lineno or 0)]
        for n in inside:
            if isinstance(n, (ast.For, ast.While)) and n.lineno == line:
                return n
        if len(inside) != 1:
            found = [loop for n in inside if (loop := _loop_at(n, line)) is not None]
            return found[0] if len(found) == 1 else None
        (node,) = inside


def _statements(node: Any) -> Iterator[Any]:
    """Yields the statements directly in a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            yield from _statements(child)


def _assigned_first(loop: Any) -> set[str]:
    """Returns the names that an iteration binds before anything in the loop reads them."""
    is_for = isinstance(loop, ast.For)
    found, read = (_names(loop.target, ast.Store), set()) if is_for else (
        set(), _names(loop.test, ast.Load))
    for statement in loop.body:
        read |= _names(statement, ast.Load)
        if isinstance(statement, ast.Assign):
            found |= {n for x in statement.targets for n in _names(x, ast.Store)} - read
    return found


def _names(node: Any, context: type[ast.expr_context]) -> set[str]:
    """Returns the names in a node that are bound, or read: `x += 1` reads x."""
    parts = list(ast.walk(node))
    changed = [n.target for n in parts if isinstance(n, ast.AugAssign) and context is ast.Load]
    return {n.id for n in (*parts, *changed) if isinstance(n, ast.Name) and (
        isinstance(n.ctx, context) or n in changed)}


def _breaks(body: list[Any]) -> bool:
    """Returns True if a `break` in a body ends the loop around it."""
    return any(isinstance(s, ast.Break) or (
        not isinstance(s, (ast.For, ast.While)) and _breaks(list(_statements(s))))
        or (isinstance(s, (ast.For, ast.While)) and _breaks(s.orelse)) for s in body)


def _binds_by_assignments(loop: Any) -> bool:
    """Returns True if a loop binds its variables by nothing but assignments."""
    return not any(type(n).__name__ in KINDS_LEFT or (
        isinstance(n, ast.ExceptHandler) and n.name) for n in ast.walk(loop))
