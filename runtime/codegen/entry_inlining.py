"""Small graphs written into the entry point: a call then runs one function instead of two."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Mapping
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.codegen.emitted import NOTE, Emitted
from autograph.runtime.diagnostics.error_notes import Notes
from autograph.runtime.ir.location import Location
from autograph.runtime.lower.direct_ufuncs import DirectUfuncs

MAX_STATEMENTS = 16
LINE_OFFSET = 100_000
"""The offset between the line numbers of two bodies in one entry point."""

ELSEWHERE = (ast.For, ast.While, ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp,
             ast.DictComp, ast.GeneratorExp)
"""With a loop the call is not what costs; with a scope of its own there are names to mix up."""

_MISSING = object()


class Body(NamedTuple):
    """The statements of a small graph, and the user's source locations of their lines."""

    statements: list[ast.stmt]
    locations: dict[int, Location]


def body(emitted: Emitted, arguments: list[str], dtypes: Mapping[str, np.dtype[Any]],
         taken: Collection[str], filename: str, number: int, name: Callable[[Any], str]
         ) -> Body | None:
    """The statements of a graph's function over the entry point's own variables; None if it is not
    small.

    Args:
      arguments: the variables that hold the arrays and numbers.
      dtypes: those that hold arrays with at least one axis.
      taken: the entry point's other variables.
      number: the index of the body among those of the entry point.
      name: gives an object a name in the source, as an expression.
    """
    function, *others = ast.parse(emitted.source).body
    assert isinstance(function, ast.FunctionDef)
    if others or emitted.frame_states:
        return None  # large arrays: the call is not what costs
    nodes = list(ast.walk(function))
    parameters = [a.arg for a in function.args.args]
    if (any(isinstance(n, ELSEWHERE) for n in nodes[1:]) or len(parameters) != len(arguments)
            or sum(isinstance(n, ast.stmt) for n in nodes) > MAX_STATEMENTS
            or not all(a.isidentifier() for a in arguments)):
        return None
    names = dict(zip(parameters, arguments, strict=True))
    for local in _stored(nodes):
        if local not in names:
            names[local] = _unlike(local, {*taken, *arguments, *names.values()})
    offset = LINE_OFFSET * (number + 1)
    locations = {line + offset: location for line, location in emitted.locations.items()}
    told = {names[own]: name for own, name in emitted.variables.items() if own in names}

    def failing(local: Mapping[str, Any]) -> list[str]:
        return emitted.failing_iterations(
            {own: local[new] for own, new in names.items() if new in local})

    def owned(location: Location) -> dict[str, str]:
        return {names[own]: name for own, name in emitted.owned(location).items() if own in names}

    notes = Notes(filename, locations, told, failing, owned)
    _Renamer(names, {**emitted.namespace, NOTE: notes}, name).visit(function)
    DirectUfuncs(dtypes, name).visit(function)
    ast.increment_lineno(function, offset)
    return Body(function.body, locations)


def _stored(nodes: list[ast.AST]) -> list[str]:
    """The names that are assigned to, in order."""
    found = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    found += [n.name for n in nodes if isinstance(n, ast.ExceptHandler) and n.name]
    return list(dict.fromkeys(found))


def _unlike(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_"
    return name


class _Renamer(ast.NodeTransformer):
    """Gives variables other names, and puts objects in place of global names."""

    def __init__(self, names: dict[str, str], namespace: dict[str, Any],
                 name: Callable[[Any], str]) -> None:
        self.names = names
        self.namespace = namespace
        self.name = name

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.name = self.names[node.name] if node.name else None
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        found = self.object(node)
        if found is not _MISSING:
            return self.constant(found, node)
        node.id = self.names[node.id]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        found = self.object(node)
        return self.generic_visit(node) if found is _MISSING else self.constant(found, node)

    def object(self, node: ast.expr) -> Any:
        """Returns the object of a global name, or of an attribute of a module."""
        if isinstance(node, ast.Name) and node.id not in self.names:
            return self.namespace.get(node.id, getattr(builtins, node.id, _MISSING))
        if isinstance(node, ast.Attribute):
            owner = self.object(node.value)
            if isinstance(owner, ModuleType):
                return getattr(owner, node.attr, _MISSING)
        return _MISSING

    def constant(self, x: Any, node: ast.expr) -> ast.expr:
        made = ast.parse(self.name(x), mode="eval").body
        for part in ast.walk(made):
            ast.copy_location(part, node)
        return made
