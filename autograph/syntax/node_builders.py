"""Small constructors for the nodes that passes make, and the one way to give them positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, TypeVar

import gast

from autograph.syntax.node_inventory import FIELDS, HOLDING

Node = TypeVar("Node")
Function = gast.FunctionDef | gast.Lambda

POSITIONED = (gast.expr, gast.stmt, gast.excepthandler, gast.pattern, gast.keyword)


def load(name: str) -> gast.Name:
    """The expression `name`."""
    return _name(name, _LOAD)


def store(name: str) -> gast.Name:
    """`name` as a target."""
    return _name(name, _STORE)


def parameter(name: str) -> gast.Name:
    """`name` in a list of parameters."""
    return _name(name, _PARAM)


_LOAD, _STORE, _PARAM = gast.Load(), gast.Store(), gast.Param()


def _name(name: str, context: Any) -> gast.Name:
    """Returns what `gast.Name` makes, in a third of the time: half of the new nodes are names."""
    node: gast.Name = gast.Name.__new__(gast.Name)
    node.__dict__.update(id=name, ctx=context, annotation=None, type_comment=None)
    return node


def constant(value: object) -> gast.Constant:
    """A literal."""
    return gast.Constant(value, None)


def tuple_of(elements: Sequence[gast.expr]) -> gast.Tuple:
    """The tuple display of the elements."""
    return gast.Tuple(list(elements), gast.Load())


def call(function: gast.expr, *arguments: gast.expr) -> gast.Call:
    """`function(*arguments)`."""
    return gast.Call(function, list(arguments), [])


def operator(ag: str, name: str) -> gast.Attribute:
    """`ag.name`."""
    return gast.Attribute(load(ag), name, _LOAD)


def assign(name: str, value: gast.expr) -> gast.Assign:
    """`name = value`."""
    return gast.Assign([store(name)], value, None)


def unpack(names: Sequence[str], value: gast.expr) -> gast.Assign:
    """`a, b = value`; one name is unpacked too: `(a,) = value`."""
    return gast.Assign([gast.Tuple([store(n) for n in names], gast.Store())], value, None)


def declare(name: str, note: str) -> gast.AnnAssign:
    """`name: 'note'`: makes a name local to its function without binding it."""
    return gast.AnnAssign(store(name), constant(note), None, 1)


def parameters(names: Iterable[str]) -> gast.arguments:
    """A plain list of parameters."""
    return gast.arguments([parameter(n) for n in names], [], None, [], [], None, [])


def function(name: str, names: Iterable[str], body: list[gast.stmt]) -> gast.FunctionDef:
    """`def name(*names): body`."""
    return gast.FunctionDef(name, parameters(names), body, [], None, None, [])


def thunk(value: gast.expr) -> gast.Lambda:
    """`lambda: value`."""
    return gast.Lambda(parameters(()), value)


def negated(test: gast.expr) -> gast.expr:
    """`not test`."""
    return gast.UnaryOp(gast.Not(), test)


def position(node: Any) -> tuple[int, int, int, int]:
    """Returns the source position of a node; for a statement with a block, that of its header.

    A traceback, a breakpoint or a coverage report must point to a line, not to a block.
    """
    for field in ("test", "iter", "subject"):
        if (header := getattr(node, field, None)) is not None and isinstance(node, gast.stmt):
            return position(header)
    if isinstance(node, gast.With):
        return position(node.items[0].context_expr)
    line, column = node.lineno, node.col_offset
    if getattr(node, "body", None) is not None and isinstance(node, gast.stmt):
        return line, column, line, column + 1
    return line, column, node.end_lineno, node.end_col_offset


def at(origin: Any, node: Node) -> Node:
    """Gives every new node in `node` (one without a position) the position of `origin`."""
    _set_position(node, position(origin))
    return node


def _set_position(node: Any, where: tuple[int, int, int, int]) -> None:
    if "lineno" in node.__dict__:
        return
    if isinstance(node, POSITIONED):
        line, column, end, _ = where
        if line != end and node.__class__ is gast.Attribute:
            # Python takes the last line of `ag.cond` for the line of the call.
            where = line, column, line, column + 1
        node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = where
    held = node.__dict__
    for field in FIELDS[node.__class__]:
        value = held.get(field)
        if value.__class__ is list:
            for item in value:
                if isinstance(item, gast.AST):
                    _set_position(item, where)
        elif isinstance(value, gast.AST):
            _set_position(value, where)


def blocks_replaced(statement: Any, replace: Callable[[list[gast.stmt]], list[gast.stmt]]) -> None:
    """Replaces every block of a statement by the result of `replace`.

    Inner functions and classes are left alone; an absent block stays absent.
    """
    if statement.__class__ not in HOLDING:
        return
    holders = (getattr(statement, field, ()) for field in ("handlers", "cases"))
    for holder in chain([statement], *holders):
        for field in ("body", "orelse", "finalbody"):
            if block := getattr(holder, field, None):
                setattr(holder, field, replace(block))


def insert_first(function: Any, new: list[Any]) -> None:
    """Puts statements at the start of a function, after its docstring and its declarations."""
    body = function.body
    start = 0
    while start < len(body) and _is_preamble(body[start], start):
        start += 1
    function.body = [*body[:start], *new, *body[start:]]


def _is_preamble(statement: Any, index: int) -> bool:
    if isinstance(statement, gast.AnnAssign):
        return statement.value is None and isinstance(statement.target, gast.Name)
    if isinstance(statement, gast.Expr) and index == 0:
        return isinstance(statement.value, gast.Constant) and isinstance(statement.value.value, str)
    return isinstance(statement, (gast.Global, gast.Nonlocal))
