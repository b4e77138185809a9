"""Converts Python's trees to gast's and back, in a third of the time that gast's functions take.

Only a few kinds of nodes differ between the two (`SPECIAL`, `SPECIAL_BACK`). The others are copied
field by field on the way to gast, and change their class in place on the way back.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

import gast

GENERIC_PARAMETERS = sys.version_info >= (3, 12)
"""True where definitions have `type_params` in Python's own tree."""

DEFAULTS = sys.version_info >= (3, 13)
"""True where type parameters have defaults in Python's own tree."""

GAST_CLASSES: dict[type[ast.AST], type[ast.AST]] = {
    kind: getattr(gast, name) for name, kind in vars(ast).items()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and hasattr(gast, name)}
AST_CLASSES: dict[type, type] = {
    kind: getattr(ast, name) for name, kind in vars(gast.gast).items()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and hasattr(ast, name)}
GAST_EMPTY: dict[type, Any] = {
    kind: counterpart() for kind, counterpart in GAST_CLASSES.items() if not counterpart._fields
    and issubclass(kind, (ast.expr_context, ast.operator, ast.boolop, ast.cmpop, ast.unaryop))}
"""Contexts and operators hold nothing: one of each will do."""

AST_EMPTY: dict[type, Any] = {
    counterpart.__class__: kind() for kind, counterpart in GAST_EMPTY.items()}


class UnknownKind(Exception):
    """The tree holds a kind of node that gast does not know: gast itself would drop it."""

    def __init__(self, node: ast.AST) -> None:
        super().__init__(type(node).__name__)
        self.node = node


def to_gast(node: Any) -> Any:
    """Returns the gast tree of a tree of Python's.

    Raises:
      UnknownKind: gast has no such node.
    """
    kind = node.__class__
    if kind in GAST_EMPTY:
        return GAST_EMPTY[kind]
    special = SPECIAL.get(kind)
    if special is not None:
        return special(node)
    if kind not in GAST_CLASSES:
        raise UnknownKind(node)
    return _copy(node, GAST_CLASSES[kind], to_gast, GAST_EMPTY)


def _copy(node: Any, kind: Any, convert: Callable[[Any], Any], empty: dict[type, Any]) -> Any:
    """Returns a node of another class with the same attributes, the nodes in them converted."""
    counterpart = kind.__new__(kind)
    found = counterpart.__dict__
    found.update(node.__dict__)
    held = HOLDING[kind]
    if held:
        _convert_held(found, held, convert, empty)
    return counterpart


def _convert_held(held: dict[str, Any], names: tuple[str, ...], convert: Callable[[Any], Any],
                  empty: dict[type, Any]) -> None:
    """Replaces the nodes that a node holds in these fields by their conversions, which `empty` has
    for those that hold nothing."""
    for name in names:
        value: Any = held.get(name)
        kind: type = value.__class__
        if kind is list:
            held[name] = [v if v.__class__ in PLAIN else convert(v) for v in value] if value else []
        elif kind in empty:
            held[name] = empty[kind]
        elif kind not in PLAIN:
            held[name] = convert(value)


PLAIN = frozenset({str, int, bool, type(None)})
"""The classes of what fields hold besides nodes and lists of nodes; constants are left alone."""


TEXT = frozenset({"id", "attr", "arg", "asname", "conversion", "kind", "level", "module", "rest",
                  "simple", "tag", "type_comment"})


class _Holding(dict[Any, tuple[str, ...]]):
    def __missing__(self, kind: Any) -> tuple[str, ...]:
        fields = () if kind.__name__ == "Constant" else kind._fields
        self[kind] = held = tuple(name for name in fields if name not in TEXT)
        return held


HOLDING = _Holding()
"""The fields of a class of nodes that may hold nodes, those without content included."""


def _name(node: ast.Name) -> Any:
    counterpart: Any = gast.Name.__new__(gast.Name)
    found = counterpart.__dict__
    found.update(node.__dict__)
    found["ctx"] = GAST_EMPTY[node.ctx.__class__]
    found["annotation"] = found["type_comment"] = None
    return counterpart


def _parameter(node: ast.arg) -> Any:
    """A parameter is a name with a context of its own."""
    counterpart = _copy(node, gast.Name, to_gast, GAST_EMPTY)
    counterpart.id, counterpart.ctx = counterpart.__dict__.pop("arg"), gast.Param()
    return counterpart


def _handler(node: ast.ExceptHandler) -> Any:
    """The name in `except E as name` is a node, at the place of the handler."""
    counterpart = _copy(node, gast.ExceptHandler, to_gast, GAST_EMPTY)
    if node.name:
        counterpart.name = gast.copy_location(gast.Name(node.name, gast.Store(), None, None), node)
    return counterpart


def _definition(node: Any) -> Any:
    counterpart = _copy(node, GAST_CLASSES[node.__class__], to_gast, GAST_EMPTY)
    counterpart.type_params = []
    return counterpart


def _type_parameter(node: Any) -> Any:
    counterpart = _copy(node, GAST_CLASSES[node.__class__], to_gast, GAST_EMPTY)
    counterpart.default_value = None
    return counterpart


SPECIAL: dict[type, Callable[[Any], Any]] = {
    ast.Name: _name, ast.arg: _parameter, ast.ExceptHandler: _handler}
if not GENERIC_PARAMETERS:
    SPECIAL.update(dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
                                 _definition))
elif not DEFAULTS:
    SPECIAL.update({getattr(ast, name): _type_parameter
                    for name in ("TypeVar", "TypeVarTuple", "ParamSpec")})


def copied(tree: Any) -> Any:
    """Returns a deep copy of a tree; contexts and operators, which hold nothing, are shared."""
    kind = tree.__class__
    return tree if kind in AST_EMPTY else _copy(tree, kind, copied, {})


# -- and back -------------------------------------------------------------------------------------


def as_ast(tree: Any) -> Any:
    """Returns the `ast` form of a gast tree, of an `ast` tree (itself), or of a list of trees."""
    if isinstance(tree, list):
        return [as_ast(t) for t in tree]
    return to_ast(copied(tree)) if type(tree).__module__ == gast.gast.__name__ else tree


def to_ast(node: Any) -> Any:
    """Converts a gast tree to Python's own, in place: its nodes change their class.

    The gast tree is gone afterwards. A node that is in it twice is converted once.
    """
    kind = node.__class__
    if kind in AST_EMPTY:
        return AST_EMPTY[kind]
    special = SPECIAL_BACK.get(kind)
    return _converted(node) if special is None else special(node)


def _converted(node: Any) -> Any:
    """Changes the class of a node, and of the nodes in it, to Python's."""
    kind = AST_CLASSES.get(node.__class__)
    if kind is None:
        return node  # it was converted before
    node.__class__ = kind
    held = HOLDING[kind]
    if held:
        _convert_held(node.__dict__, held, to_ast, AST_EMPTY)
    return node


def _name_back(node: Any) -> Any:
    node.__class__ = ast.Name
    held = node.__dict__
    held["ctx"] = AST_EMPTY[held["ctx"].__class__]
    del held["annotation"], held["type_comment"]
    return node


def _parameter_back(node: Any) -> Any:
    if node is None or node.__class__ is ast.arg:
        return node
    node.__class__ = ast.arg
    held = node.__dict__
    del held["ctx"]
    held["arg"], held["annotation"] = held.pop("id"), node.annotation and to_ast(node.annotation)
    return node


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
    handler = _converted(node)
    handler.name = handler.name and handler.name.id
    return handler


def _without(field: str) -> Callable[[Any], Any]:
    """Returns a conversion that drops a field which gast has on every Python."""
    def back(node: Any) -> Any:
        node.__dict__.pop(field, None)
        return _converted(node)

    return back


SPECIAL_BACK: dict[type, Callable[[Any], Any]] = {
    gast.Name: _name_back, gast.arguments: _arguments_back, gast.ExceptHandler: _handler_back,
    gast.Assign: _without("type_comment"),
}
if not GENERIC_PARAMETERS:
    SPECIAL_BACK.update(dict.fromkeys((gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef),
                                      _without("type_params")))
elif not DEFAULTS:
    SPECIAL_BACK.update(dict.fromkeys((gast.TypeVar, gast.TypeVarTuple, gast.ParamSpec),
                                      _without("default_value")))
