"""Loops of converted functions as they were written: each compiled alone, as a function.

Where nothing symbolic is reachable from a loop, a trace runs it in this form, at Python's own
speed. The function takes what the loop goes through and the values of the loop variables, and
returns these; its free variables are the cells of the converted body. A loop that could do more
than compute with containers and numbers has no such form: one that defines a function, enters a
context, or keeps an iterator.

A loop variable that the loop as written does not bind is one of the compiler's: it says whether the
loop was left, whether by a `return`, or holds what is returned.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from dis import get_instructions
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph.compiled_again import compiled
from autograph.conversion.conversion_rules import file_of_block
from autograph.conversion.weak_id_dict import IdentityDict
from autograph.operators.variables import Undefined
from autograph.syntax.errors import AutographError
from autograph.syntax.source import FUTURE, find
from autograph.syntax.source_file import all_codes

ITEMS = "<items>"
"""The parameter for what a `for` loop goes through; no name of the user's is like it."""

AS_WRITTEN = "__ag_as_written__"
"""The attribute of a decorated function with a weak reference to it and what it stands for."""

KINDS_LEFT = frozenset({
    "AsyncFor", "AsyncFunctionDef", "AsyncWith", "Await", "ClassDef", "Delete", "FunctionDef",
    "Global", "Import", "ImportFrom", "Lambda", "Match", "Nonlocal", "Try", "TryStar", "TypeAlias",
    "With", "Yield", "YieldFrom",
})
"""Kinds of nodes that a loop with a plain form does not have."""

ITERATORS = frozenset({"enumerate", "filter", "map", "reversed", "zip"})
"""Builtins whose result is an iterator: it may not outlive the loop."""


@dataclass(frozen=True)
class PlainLoop:
    """A loop as it was written.

    code    of a function that takes the items of a `for` loop, or None, and the loop variables.
    cells   its free variables.
    names   the module-level names that it reads.
    result  which loop variable gets what the loop returns; None if it returns nothing.
    """

    code: CodeType
    cells: tuple[CellType, ...]
    names: tuple[str, ...]
    scope: dict[str, Any]
    result: int | None

    def run(self, items: Any, state: tuple[Any, ...], undecorate: bool = False
            ) -> tuple[Any, ...]:
        """Returns the loop variables at the end of the loop.

        undecorate: the loop calls functions that decorated ones stand for, in place of those.
        """
        scope = plain_scope(self.scope, self.names) if undecorate else self.scope
        f = FunctionType(self.code, scope, self.code.co_name, None, self.cells)
        return f(items, *state)  # type: ignore[no-any-return]


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


_codes: IdentityDict[tuple[CodeType, int | None, int | None] | None] = IdentityDict()
"""The code of a loop's body -> that of its plain form, which variable gets its result, and which
says that the loop was left; None if it has none."""

_names: IdentityDict[tuple[str, ...]] = IdentityDict()
"""The code of a function -> the global names that it reads."""

_recursive: IdentityDict[bool] = IdentityDict()
"""The code of a function -> whether it calls itself, and only computes."""

_simple: IdentityDict[bool] = IdentityDict()
"""The code of a function -> whether it only computes."""


def plain_loop(body: FunctionType, test: FunctionType | None, state: tuple[Any, ...]
               ) -> PlainLoop | None:
    """Returns a loop as it was written, by the functions that it was converted to and the values of
    its variables where it goes on; None if it has no such form, or was left."""
    if body.__code__ not in _codes:
        _codes.put(body.__code__, _compiled(body, test, state))
    found = _codes.get(body.__code__)
    if found is None:
        return None
    code, result, left = found
    if left is not None and state[left] is not False:
        return None  # the iterations before have left the loop
    cells = _cells(body, test)
    return PlainLoop(code, tuple(cells[n] for n in code.co_freevars), names_read(code),
                     body.__globals__, result)


def names_read(code: CodeType) -> tuple[str, ...]:
    """Returns the global names that a function, and those in it, read."""
    names = _names.get(code)
    if names is None:
        names = tuple(dict.fromkeys(i.argval for c in all_codes(code) for i in get_instructions(c)
                                    if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")))
        _names.put(code, names)
    return names


def only_computes(function: FunctionType) -> bool:
    """Returns True if a function only computes with its arguments and what it reads by name."""
    code = function.__code__
    if code not in _simple:
        _simple.put(code, not code.co_freevars and _is_simple_function(function))
    return _simple.get(code) is True


def calls_itself(function: FunctionType) -> bool:
    """Returns True if a function that only computes reads its own name, or one by which it comes
    back to itself."""
    code = function.__code__
    found = _recursive.get(code)
    if found is None:
        _recursive.put(code, found := only_computes(function) and function in _callees(function))
    return found


def undecorated(f: Any) -> Any:
    """Returns the function that a decorated one stands for, if a call of either does the same;
    anything else as it is.

    >>> import autograph as ag
    >>> undecorated(ag.function(undecorated)) is undecorated
    True
    """
    entry, function = vars(f).get(AS_WRITTEN, (None, f)) if type(f) is FunctionType else (None, f)
    return function if entry is not None and entry() is f else f  # functools.wraps copies it


def without_decorators(function: FunctionType, made: dict[int, FunctionType] | None = None
                       ) -> FunctionType:
    """Returns a function that only computes as one that calls, by name, no decorated function, but
    those that they stand for.

    made: the functions made so far, by the ids of the user's.
    """
    made = {} if made is None else made
    if id(function) not in made:
        scope: dict[str, Any] = {}
        made[id(function)] = f = FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__)
        f.__kwdefaults__ = function.__kwdefaults__
        scope |= plain_scope(function.__globals__, names_read(function.__code__), made)
    return made[id(function)]


def plain_scope(scope: dict[str, Any], names: Iterable[str],
                made: dict[int, FunctionType] | None = None) -> dict[str, Any]:
    """Returns some names of a module for functions that only compute; see `without_decorators`."""
    made = {} if made is None else made
    found = {name: undecorated(scope[name]) for name in names if name in scope}
    return {name: without_decorators(x, made) if type(x) is FunctionType else x
            for name, x in found.items()}


def _callees(function: FunctionType) -> list[FunctionType]:
    """Returns the functions that one can reach by the names that they read, and that only compute.
    """
    found: list[FunctionType] = []
    pending = [function]
    while pending:
        f = pending.pop()
        for g in map(undecorated, map(f.__globals__.get, names_read(f.__code__))):
            if type(g) is FunctionType and g not in found and only_computes(g):
                found.append(g)
                pending.append(g)
    return found


def _is_simple_function(function: FunctionType) -> bool:
    try:
        tree = find(function).tree
    except AutographError:
        return False
    return type(tree).__name__ == "FunctionDef" and all(map(_is_simple, tree.body))


def _cells(body: FunctionType, test: FunctionType | None) -> dict[str, CellType]:
    """Returns the cells of a loop's functions by the names of the variables."""
    return {name: cell for f in (body, test) if f is not None for name, cell in zip(
        f.__code__.co_freevars, f.__closure__ or (), strict=True)}


def _global_names(body: FunctionType, test: FunctionType | None) -> set[str]:
    """Returns the names of the module that a loop's functions bind."""
    return {i.argval for f in (body, test) if f is not None for code in all_codes(f.__code__)
            for i in get_instructions(code) if i.opname == "STORE_GLOBAL"}


def _compiled(body: FunctionType, test: FunctionType | None, values: tuple[Any, ...]
              ) -> tuple[CodeType, int | None, int | None] | None:
    code = body.__code__
    file = file_of_block(code)
    loop = None if file is None else _loop_at(file.module, code.co_firstlineno)
    if loop is None or not _is_simple(loop) or loop.orelse:
        return None
    state = code.co_varnames[isinstance(loop, ast.For): code.co_argcount]
    cells, stored = _cells(body, test), _stored(loop)
    own = {name: x for name, x in zip(state, values, strict=True) if name not in stored}
    flags = _flags(loop, own, test)
    if flags is None or not stored.isdisjoint(set(cells) | _global_names(body, test)):
        return None
    function = _function(loop, state, flags)
    factory = _definition("<factory>", list(cells), [function], loop)
    module = ast.Module([ast.fix_missing_locations(factory)], [])
    made = compiled(module, code.co_filename, code.co_flags & FUTURE)
    (outer,) = (c for c in made.co_consts if isinstance(c, CodeType))
    (inner,) = (c for c in outer.co_consts if isinstance(c, CodeType))
    inner = inner.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    result, left = (None if n is None else state.index(n) for n in (flags.result, flags.left))
    return inner, result, left


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


def _function(loop: Any, state: tuple[str, ...], flags: Flags) -> ast.FunctionDef:
    """Returns a function whose body is the loop. What it returns tells how the loop was left."""
    values = ast.Return(ast.Tuple([ast.Name(n, ast.Load()) for n in state], ast.Load()))
    before, ended = ([] if flags.left is None else [_set(flags.left, ast.Constant(x), loop)]
                     for x in (True, False))
    body = loop.body if flags.result is None else (
        _Returns(flags, values).visit(copy.deepcopy(loop)).body)
    new: Any = ast.For(loop.target, ast.Name(ITEMS, ast.Load()), body, ended) if (
        isinstance(loop, ast.For)) else ast.While(loop.test, body, ended)
    lines = [*before, ast.copy_location(new, loop), ast.copy_location(values, loop)]
    return _definition("<loop>", [ITEMS, *state], lines, loop)


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


def _definition(name: str, parameters: list[str], body: list[Any], at: ast.AST) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(n) for n in parameters], None, [], [], None, [])
    definition = ast.FunctionDef(name, arguments, body, [], None, None)
    if "type_params" in definition._fields:
        definition.type_params = []  # type: ignore[attr-defined,unused-ignore]  # 3.12 and later
    return ast.copy_location(definition, at)


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


def _stored(loop: Any) -> set[str]:
    """Returns the names that a loop binds, those of its comprehensions included."""
    return {n.id for n in ast.walk(loop) if isinstance(n, ast.Name)
            and isinstance(n.ctx, ast.Store)}


def _breaks(body: list[Any]) -> bool:
    """Returns True if a `break` in a body ends the loop around it."""
    return any(isinstance(s, ast.Break) or (
        not isinstance(s, (ast.For, ast.While)) and _breaks(list(_statements(s))))
        or (isinstance(s, (ast.For, ast.While)) and _breaks(s.orelse)) for s in body)


def _is_simple(node: Any, above: Any = None) -> bool:
    """Returns True if code only computes: it has no effect but on what it reads by name, and keeps
    no iterator. Nodes may be of `ast` or `gast`."""
    kind = type(node).__name__
    if kind in KINDS_LEFT:
        return False
    if kind == "Attribute" and (node.attr.startswith("__") or type(node.ctx).__name__ != "Load"):
        return False
    if kind == "Name" and node.id.startswith("__"):
        return False
    if (kind == "GeneratorExp" or _makes_iterator(node)) and not _consumes(above, node):
        return False
    return all(_is_simple(child, node) for child in ast.iter_child_nodes(node))


def _makes_iterator(node: Any) -> bool:
    return type(node).__name__ == "Call" and getattr(node.func, "id", "") in ITERATORS


def _consumes(above: Any, node: Any) -> bool:
    """Returns True if the node around an iterator uses it up, or is such a node itself."""
    if type(above).__name__ in ("For", "comprehension"):
        return above.iter is node
    return type(above).__name__ == "Call" and type(above.func).__name__ == "Name" and (
        node in above.args)
