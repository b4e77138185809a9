"""Converts Python's trees to gast's and back, in a third of the time that gast's functions take.

Only a few kinds of nodes differ between the two (`SPECIAL`, `SPECIAL_BACK`). The others are copied
field by field on the way to gast, and change their class in place on the way back.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
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
    return TO_GAST[node.__class__](node)


Convert = Callable[[Any], Any]


class Conversions(dict[type, Convert]):
    """By the class of a node, what converts it; `make` makes that when the first is met.

    empty  for the classes of nodes that hold nothing, what stands for all of them.
    """

    def __init__(self, make: Callable[[type], Convert], empty: dict[type, Any]) -> None:
        self.make = make
        self.empty = empty

    def __missing__(self, kind: type) -> Convert:
        if (one := self.empty.get(kind)) is not None:
            self[kind] = lambda node: one
        else:
            self[kind] = self.make(kind)
        return self[kind]


def converter(kind: Any, conversions: Conversions, in_place: bool = False) -> Convert:
    """Returns what makes a node of this class of another, or changes its class in place; the nodes
    in it are converted."""
    names, new, empty = HOLDING[kind], kind.__new__, conversions.empty

    def convert(node: Any) -> Any:
        if in_place:
            made, made.__class__ = node, kind
        else:
            made = new(kind)
            made.__dict__.update(node.__dict__)
        held = made.__dict__
        for name in names:
            value = held.get(name)
            found = value.__class__
            if found is list:
                held[name] = [v if v.__class__ in PLAIN else conversions[v.__class__](v)
                              for v in value] if value else []
            elif found in empty:
                held[name] = empty[found]
            elif found not in PLAIN:
                held[name] = conversions[found](value)
        return made

    return convert


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


@cache
def _copier(kind: Any) -> Convert:
    return converter(kind, TO_GAST)


def _copy(node: Any, kind: Any) -> Any:
    return _copier(kind)(node)


def _parameter(node: ast.arg) -> Any:
    """A parameter is a name with a context of its own."""
    counterpart = _copy(node, gast.Name)
    counterpart.id, counterpart.ctx = counterpart.__dict__.pop("arg"), gast.Param()
    return counterpart


def _handler(node: ast.ExceptHandler) -> Any:
    """The name in `except E as name` is a node, at the place of the handler."""
    counterpart = _copy(node, gast.ExceptHandler)
    if node.name:
        counterpart.name = gast.copy_location(gast.Name(node.name, gast.Store(), None, None), node)
    return counterpart


def _definition(node: Any) -> Any:
    counterpart = _copy(node, GAST_CLASSES[node.__class__])
    counterpart.type_params = []
    return counterpart


def _type_parameter(node: Any) -> Any:
    counterpart = _copy(node, GAST_CLASSES[node.__class__])
    counterpart.default_value = None
    return counterpart


SPECIAL: dict[type, Convert] = {
    ast.Name: _name, ast.arg: _parameter, ast.ExceptHandler: _handler}
if not GENERIC_PARAMETERS:
    SPECIAL.update(dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
                                 _definition))
elif not DEFAULTS:
    SPECIAL.update({getattr(ast, name): _type_parameter
                    for name in ("TypeVar", "TypeVarTuple", "ParamSpec")})


def _to_gast(kind: type) -> Convert:
    if kind in SPECIAL:
        return SPECIAL[kind]
    if kind not in GAST_CLASSES:
        return _unknown
    counterpart: Any = GAST_CLASSES[kind]
    return _copier(counterpart)


def _unknown(node: Any) -> Any:
    raise UnknownKind(node)


TO_GAST = Conversions(_to_gast, GAST_EMPTY)

COPIES: Conversions = Conversions(
    lambda kind: converter(kind, COPIES), {one.__class__: one for one in GAST_EMPTY.values()})


def copied(tree: Any) -> Any:
    """Returns a deep copy of a tree; contexts and operators, which hold nothing, are shared."""
    return COPIES[tree.__class__](tree)


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
    return TO_AST[node.__class__](node)


def _to_ast(kind: type) -> Convert:
    return SPECIAL_BACK.get(kind) or changer(kind)


TO_AST = Conversions(_to_ast, AST_EMPTY)


@cache
def changer(kind: type) -> Convert:
    """Returns what changes the class of a node to Python's, and of the nodes in it."""
    counterpart = AST_CLASSES.get(kind)
    if counterpart is None:
        return lambda node: node  # it was converted before
    return converter(counterpart, TO_AST, in_place=True)


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
    handler = changer(gast.ExceptHandler)(node)
    handler.name = handler.name and handler.name.id
    return handler


def _without(field: str, kind: type) -> Convert:
    """Returns a conversion that drops a field which gast has on every Python."""
    change = changer(kind)

    def back(node: Any) -> Any:
        node.__dict__.pop(field, None)
        return change(node)

    return back


SPECIAL_BACK: dict[type, Convert] = {
    gast.Name: _name_back, gast.arguments: _arguments_back, gast.ExceptHandler: _handler_back,
    gast.Assign: _without("type_comment", gast.Assign),
}
if not GENERIC_PARAMETERS:
    SPECIAL_BACK.update((kind, _without("type_params", kind)) for kind in (
        gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef))
elif not DEFAULTS:
    SPECIAL_BACK.update((kind, _without("default_value", kind)) for kind in (
        gast.TypeVar, gast.TypeVarTuple, gast.ParamSpec))
