"""Assignments that are written with an operator: `x.n += 1` for `x.n = iadd(x.n, 1)`."""

from __future__ import annotations

import operator
from typing import Any

from autograph.runtime.ir.expressions import (
    Attribute,
    Call,
    Expression,
    Global,
    Inlined,
    Literal,
    Name,
    Subscript,
    Tuple,
    computed,
)

SIGNS: dict[Any, str] = {
    operator.iadd: "+", operator.isub: "-", operator.imul: "*", operator.itruediv: "/",
    operator.ifloordiv: "//", operator.imod: "%", operator.ipow: "**", operator.imatmul: "@",
    operator.iand: "&", operator.ior: "|", operator.ixor: "^", operator.ilshift: "<<",
    operator.irshift: ">>"}
"""A function of `operator` -> the sign of the statement that calls it."""


def augmented(target: Expression, value: Expression) -> tuple[str, Expression]:
    """Returns the sign and the value of an assignment: `+` and x for `iadd(target, x)`, else none.

    >>> augmented(Name("n"), Call(Global("iadd", operator.iadd), (Name("n"), Literal(1))))
    ('+', Literal(value=1))
    >>> augmented(Name("n"), Name("m"))
    ('', Name(text='m', type=None, unboxed=False))
    """
    call = value.value if value.__class__ is Inlined else value  # `computed`, without a call
    match call:
        case Call(function=Global(value=function), args=(old, given), kwargs=()) if (
                type(function) is type(operator.iadd) and function in SIGNS
                and computed(old) == target and _is_simple(target)):
            return SIGNS[function], given
        case _:
            return "", value


def _is_simple(x: Expression) -> bool:
    """Returns True for variables and constants, an attribute or item of one: to evaluate it once
    is the same as to evaluate it twice."""
    match x:
        case Attribute(base=base):
            return isinstance(base, Name | Global)
        case Subscript(base=base, index=index):
            parts = index.items if isinstance(index, Tuple) else (index,)
            return isinstance(base, Name | Global) and all(
                isinstance(part, Name | Global | Literal) for part in parts)
        case _:
            return isinstance(x, Name)
