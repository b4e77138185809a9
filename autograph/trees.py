"""From Python's tree to gast's and back: what `gast.ast_to_gast` does, in a third of the time.

A conversion spends its time in walks over trees, and gast's are the longest. Only a few kinds of
nodes differ between the two; the others are copied field by field.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

import gast

GENERIC_PARAMETERS = sys.version_info >= (3, 12)
"""Whether definitions have `type_params` in Python's own tree."""

DEFAULTS = sys.version_info >= (3, 13)
"""Whether type parameters have defaults in Python's own tree."""

TWINS: dict[type[ast.AST], type[ast.AST]] = {
    kind: getattr(gast, name) for name, kind in vars(ast).items()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and hasattr(gast, name)}
BACK: dict[type, type] = {
    kind: getattr(ast, name) for name, kind in vars(gast.gast).items()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and hasattr(ast, name)}
EMPTY: dict[type, Any] = {
    kind: twin() for kind, twin in TWINS.items() if not twin._fields
    and issubclass(kind, (ast.expr_context, ast.operator, ast.boolop, ast.cmpop, ast.unaryop))}
"""Contexts and operators hold nothing: one of each will do."""


class UnknownKind(Exception):
    """The tree holds a kind of node that gast does not know: gast itself would drop it."""

    def __init__(self, node: ast.AST) -> None:
        super().__init__(type(node).__name__)
        self.node = node


def to_gast(node: Any) -> Any:
    """The gast twin of a tree.

    Raises:
      UnknownKind: gast has no such node.
    """
    kind = node.__class__
    if kind in EMPTY:
        return EMPTY[kind]
    special = SPECIAL.get(kind)
    if special is not None:
        return special(node)
    if kind not in TWINS:
        raise UnknownKind(node)
    return _copy(node, TWINS[kind])


def _copy(node: Any, kind: Any) -> Any:
    twin = kind.__new__(kind)
    found = twin.__dict__
    for name, value in node.__dict__.items():
        if value.__class__ is list:
            found[name] = [to_gast(v) if isinstance(v, ast.AST) else v for v in value]
        elif isinstance(value, ast.AST):
            found[name] = to_gast(value)
        else:
            found[name] = value
    return twin


def _name(node: ast.Name) -> Any:
    twin = _copy(node, gast.Name)
    twin.annotation = twin.type_comment = None
    return twin


def _parameter(node: ast.arg) -> Any:
    """A parameter is a name with a context of its own."""
    twin = _copy(node, gast.Name)
    twin.id, twin.ctx = twin.__dict__.pop("arg"), gast.Param()
    return twin


def _handler(node: ast.ExceptHandler) -> Any:
    """The name in `except E as name` is a node, at the place of the handler."""
    twin = _copy(node, gast.ExceptHandler)
    if node.name:
        twin.name = gast.copy_location(gast.Name(node.name, gast.Store(), None, None), node)
    return twin


def _definition(node: Any) -> Any:
    twin = _copy(node, TWINS[node.__class__])
    twin.type_params = []
    return twin


def _type_parameter(node: Any) -> Any:
    twin = _copy(node, TWINS[node.__class__])
    twin.default_value = None
    return twin


SPECIAL: dict[type, Callable[[Any], Any]] = {
    ast.Name: _name, ast.arg: _parameter, ast.ExceptHandler: _handler}
if not GENERIC_PARAMETERS:
    SPECIAL.update(dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
                                 _definition))
elif not DEFAULTS:
    SPECIAL.update({getattr(ast, name): _type_parameter
                    for name in ("TypeVar", "TypeVarTuple", "ParamSpec")})


# -- and back -------------------------------------------------------------------------------------


def to_ast(node: Any) -> Any:
    """Python's own twin of a gast tree."""
    kind = node.__class__
    special = SPECIAL_BACK.get(kind)
    return _copy_back(node, kind) if special is None else special(node)


def _copy_back(node: Any, kind: type, without: tuple[str, ...] = ()) -> Any:
    held = node.__dict__
    found = {}
    for name in _PARTS[kind]:
        if name in held and name not in without:
            value = held[name]
            if value.__class__ is list:
                value = [to_ast(v) if isinstance(v, ast.AST) else v for v in value]
            elif isinstance(value, ast.AST):
                value = to_ast(value)
            found[name] = value
    return BACK[kind](**found)


class _Parts(dict[type, tuple[str, ...]]):
    def __missing__(self, kind: Any) -> tuple[str, ...]:
        self[kind] = parts = (*kind._fields, *kind._attributes)
        return parts


_PARTS = _Parts()
"""The fields of a kind of nodes and its positions."""


def _name_back(node: Any) -> Any:
    return _copy_back(node, gast.Name, ("annotation", "type_comment"))


def _parameter_back(node: Any) -> Any:
    if node is None:
        return None
    annotation = node.annotation and to_ast(node.annotation)
    return ast.copy_location(ast.arg(node.id, annotation, node.type_comment), node)


def _arguments_back(node: Any) -> Any:
    def each(names: list[Any]) -> list[Any]:
        return [_parameter_back(n) for n in names]

    def values(nodes: list[Any]) -> list[Any]:
        return [n and to_ast(n) for n in nodes]

    return ast.arguments(
        each(node.posonlyargs), each(node.args), _parameter_back(node.vararg),
        each(node.kwonlyargs), values(node.kw_defaults), _parameter_back(node.kwarg),
        values(node.defaults))


def _handler_back(node: Any) -> Any:
    handler = _copy_back(node, gast.ExceptHandler, ("name",))
    handler.name = node.name and node.name.id
    return handler


SPECIAL_BACK: dict[type, Callable[[Any], Any]] = {
    gast.Name: _name_back, gast.arguments: _arguments_back, gast.ExceptHandler: _handler_back,
    gast.Assign: lambda node: _copy_back(node, gast.Assign, ("type_comment",)),
}
if not GENERIC_PARAMETERS:
    SPECIAL_BACK.update({kind: lambda node, kind=kind: _copy_back(node, kind, ("type_params",))
                         for kind in (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)})
elif not DEFAULTS:
    SPECIAL_BACK.update({kind: lambda node, kind=kind: _copy_back(node, kind, ("default_value",))
                         for kind in (gast.TypeVar, gast.TypeVarTuple, gast.ParamSpec)})
