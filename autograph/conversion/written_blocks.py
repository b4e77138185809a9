"""Lambdas, local functions and comprehensions of converted functions, as they were written.

Each is found in the user's file by its position, and compiled alone, as a function whose free
variables are the cells of the converted one.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph.compiled_again import compiled
from autograph.conversion.conversion_rules import file_of
from autograph.conversion.plain_code import note_tree
from autograph.syntax.source import FUTURE
from autograph.syntax.source_file import SourceFile
from autograph.traceback_filter import ITEMS
from autograph.weak_id_dict import IdentityDict

GENERATOR = "<generator>"
"""The name of a function that makes a generator, for who calls it to use up."""

Positions = dict[tuple[int, int], list[Any]]

KINDS: dict[type | None, type[ast.AST]] = {
    list: ast.ListComp, set: ast.SetComp, dict: ast.DictComp, None: ast.GeneratorExp}
"""What a comprehension makes (None: a generator) -> its kind of node."""

_written: IdentityDict[CodeType | None] = IdentityDict()
"""The code of a converted lambda, local function or element -> that of the block as written."""

_positions: IdentityDict[Positions] = IdentityDict()
"""The first node of a part of a file -> the lambdas, functions and comprehensions of the part, by
where they, or what they compute, begin."""


def written_function(f: FunctionType) -> FunctionType | None:
    """Returns a lambda or local function of converted code as it was written, with the same cells;
    None if it is not known."""
    code = _code_of(f.__code__, _function_at, list(_cells(f)))
    if code is None:
        return None
    made = _with_cells(code, f)
    made.__defaults__, made.__kwdefaults__ = f.__defaults__, f.__kwdefaults__
    return made


def written_comprehension(kind: type | None, element: Any, test: Any) -> FunctionType | None:
    """Returns a comprehension as it was written, as a function of what it goes through; None if it
    is not known.

    element, test: the functions that conversion made of what it computes, and of its conditions.
    """
    def find(code: CodeType) -> Any:
        return _comprehension_at(code, KINDS[kind])

    code = _code_of(element.__code__, find, list(_cells(element, test)))
    return None if code is None else _with_cells(code, element, test)


def compiled_alone(function: ast.FunctionDef, free: list[str], like: CodeType) -> CodeType:
    """Returns the code of a function with some free variables, in the file of other code, and with
    its name."""
    factory = definition("<factory>", free, [function], function)
    module = ast.Module([ast.fix_missing_locations(factory)], [])
    made = compiled(module, like.co_filename, like.co_flags & FUTURE)
    (outer,) = (c for c in made.co_consts if isinstance(c, CodeType))
    (inner,) = (c for c in outer.co_consts if isinstance(c, CodeType))
    name = like.co_qualname
    if inner.co_varnames[:1] == (ITEMS,):  # a part of the function around it, as in tracebacks
        name = name.removesuffix(".<locals>.<lambda>")
    inner = inner.replace(co_name=name.rpartition(".")[2], co_qualname=name)
    generator = getattr(function.body[0], "value", None) if function.name == GENERATOR else None
    note_tree(inner, function.body if generator is None else [*ast.iter_child_nodes(generator)])
    return inner


def definition(name: str, parameters: list[str], body: list[Any], at: ast.AST) -> ast.FunctionDef:
    """Returns the definition of a function, at the position of a node."""
    return _defined(name, ast.arguments([], [ast.arg(n) for n in parameters], None, [], [], None,
                                        []), body, at)


def _defined(name: str, arguments: ast.arguments, body: list[Any], at: ast.AST) -> ast.FunctionDef:
    made = ast.FunctionDef(name, arguments, body, [], None, None)
    if "type_params" in made._fields:
        made.type_params = []  # type: ignore[attr-defined,unused-ignore]  # 3.12 and later
    return ast.copy_location(made, at)


def _code_of(code: CodeType, find: Any, free: list[str]) -> CodeType | None:
    if code not in _written:
        node = find(code)
        _written.put(code, None if node is None else compiled_alone(node, free, code))
    return _written.get(code)


def _cells(*functions: FunctionType | None) -> dict[str, CellType]:
    """Returns the cells of some functions by the names of the variables."""
    return {name: cell for f in functions if f is not None for name, cell in zip(
        f.__code__.co_freevars, f.__closure__ or (), strict=True)}


def _with_cells(code: CodeType, *functions: FunctionType | None) -> FunctionType:
    (first, *_), cells = functions, _cells(*functions)
    assert first is not None
    return FunctionType(code, first.__globals__, first.__name__, None,
                        tuple(cells[n] for n in code.co_freevars))


def _function_at(code: CodeType) -> ast.FunctionDef | None:
    """Returns the definition of the local function, or lambda, that code was made from."""
    wanted = code.co_varnames[:code.co_argcount]
    found = [n for n in _nodes_at(code) if isinstance(n, (ast.FunctionDef, ast.Lambda))
             and tuple(a.arg for a in (*n.args.posonlyargs, *n.args.args)) == wanted
             and getattr(n, "name", "<lambda>") == code.co_name]
    if len(found) != 1:
        return None
    node = found[0]
    body = node.body if isinstance(node, ast.FunctionDef) else [
        ast.copy_location(ast.Return(node.body), node.body)]
    return _defined(code.co_name, _bare(node.args), body, node)


def _bare(arguments: ast.arguments) -> ast.arguments:
    """Returns the parameters of a function without annotations and defaults."""
    made = copy.deepcopy(arguments)
    for a in (*made.posonlyargs, *made.args, *made.kwonlyargs, made.vararg, made.kwarg):
        if a is not None:
            a.annotation = None
    made.defaults, made.kw_defaults = [], [None] * len(made.kwonlyargs)
    return made


def _comprehension_at(code: CodeType, kind: type[ast.AST]) -> ast.FunctionDef | None:
    """Returns a function of what it goes through that makes the comprehension whose element code
    was made from."""
    found = [n for n in _nodes_at(code) if type(n) is kind]
    if len(found) != 1 or any(isinstance(n, ast.NamedExpr) for n in ast.walk(found[0])):
        return None
    node: Any = copy.deepcopy(found[0])
    node.generators[0].iter = ast.copy_location(ast.Name(ITEMS, ast.Load()), node)
    name = GENERATOR if kind is ast.GeneratorExp else "<comprehension>"
    return definition(name, [ITEMS], [ast.copy_location(ast.Return(node), node)], node)


def _nodes_at(code: CodeType) -> list[Any]:
    """Returns the nodes that begin, or whose element begins, where code does."""
    file = file_of(code)
    if file is None:
        return []
    starts = [(line, column) for line, _, column, end in code.co_positions()
              if line is not None and column is not None and end]
    definitions = _positions_at(file, code.co_firstlineno).get((code.co_firstlineno, -1), [])
    first = min(starts, default=None)
    return [*definitions, *(_positions_at(file, first[0]).get(first, []) if first else [])]


def _positions_at(file: SourceFile, line: int) -> Positions:
    """Returns those in the part of a file that a line belongs to."""
    nodes = file.parts.at(line)
    if not nodes:
        return {}
    found: Positions | None = _positions.get(nodes[0])
    if found is None:
        found = {}
        for node, at in _positions_of(n for top in nodes for n in ast.walk(top)):
            found.setdefault(at, []).append(node)
        _positions.put(nodes[0], found)
    return found


def _positions_of(nodes: Iterable[Any]) -> Iterator[tuple[Any, tuple[int, int]]]:
    """Yields the nodes that may be asked for, each with its position: the line of a definition;
    where the body of a lambda begins, or the element that a comprehension computes."""
    first: Any
    for n in nodes:
        if isinstance(n, ast.FunctionDef):
            first = n.decorator_list[0] if n.decorator_list else n
            yield n, (first.lineno, -1)
        elif isinstance(n, ast.Lambda):
            yield n, (n.body.lineno, n.body.col_offset)
        elif type(n) in KINDS.values():
            steps = len(n.generators) > 1 or any(
                isinstance(e, (ast.Tuple, ast.List)) for e in getattr(
                    n.generators[0].target, "elts", ()))
            first = n if steps else n.key if isinstance(n, ast.DictComp) else n.elt
            yield n, (first.lineno, first.col_offset)
