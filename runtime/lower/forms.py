"""The source forms of ops, `abs({0})` or `{0} + {1}`, as expressions.

What a form calls by name is a global name, so that the code may stand where that name is taken.
"""

from __future__ import annotations

import ast
import builtins
import re
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from autograph.runtime.ir.expressions import (
    Attribute,
    Call,
    Expression,
    Global,
    Literal,
    Operator,
    Subscript,
)

HOLE = "hole"


def filled(form: str, operands: tuple[Expression, ...], ufunc: np.ufunc | None = None
           ) -> Expression:
    """Returns a form with its operands; `ufunc`: what it is certain to call.

    >>> from autograph.runtime.ir.expressions import Name
    >>> filled("abs({0})", (Name("x"),)).function
    Global(text='abs', value=<built-in function abs>)
    """
    tree = _tree(form)
    if tree is None:
        return Operator(form, operands, ufunc)
    made = _built(tree, operands)
    if isinstance(made, Call):
        made.ufunc = ufunc
    return made


@cache
def holes(form: str) -> tuple[int, ...]:
    """Returns the numbers of the operands in a form, as they stand there: so they are evaluated.

    >>> holes("{1} in {0}")
    (1, 0)
    """
    return tuple(map(int, re.findall(r"{(\d+)}", form)))


@cache
def _tree(form: str) -> ast.expr | None:
    """Returns the tree of a form that has calls, attributes or items; None if it is an operator."""
    numbered = form.format(*(f"{HOLE}{k}" for k in range(len(holes(form)))))
    tree = ast.parse(numbered, mode="eval").body
    return tree if isinstance(tree, ast.Call | ast.Attribute | ast.Subscript) else None


def _built(tree: ast.expr, operands: tuple[Expression, ...]) -> Expression:
    match tree:
        case ast.Name(id=name) if name.startswith(HOLE):
            return operands[int(name.removeprefix(HOLE))]
        case ast.Name(id=name):
            return Global(name, vars(builtins)[name])
        case ast.Constant(value=value):
            return Literal(value)
        case ast.Attribute(value=ast.Name(id="np"), attr=name):
            return in_numpy(f"np.{name}")
        case ast.Attribute(value=base, attr=name):
            return Attribute(_built(base, operands), name)
        case ast.Subscript(value=base, slice=index):
            return Subscript(_built(base, operands), _built(index, operands))
        case ast.Call(func=function, args=args):
            return Call(_built(function, operands), tuple(_built(x, operands) for x in args))
        case _:
            raise TypeError(f"{ast.unparse(tree)!r} in the form of an op")


@cache
def in_numpy(path: str) -> Expression:
    """Returns what `np.linalg.norm` or the like is."""
    _, *names = path.split(".")
    found: Any = np
    for name in names:
        if not isinstance(found, ModuleType):
            return Attribute(in_numpy(path.rpartition(".")[0]), name)
        found = getattr(found, name)
    return Global(path, found)
