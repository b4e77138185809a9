"""Signs that follow from how a value is computed: `exp` of what is at most zero is finite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ops.op import OPS

Maker = Callable[[Any], Equation | None]
"""Gives the equation of a graph or region that makes a value, if one does."""

SUMS = OPS["sum"], OPS["mean"]
MAX, GETITEM = OPS["max"], OPS["getitem"]
NOT_NEGATIVE = np.absolute, np.fabs, np.square, np.sqrt, np.exp, np.hypot
STEPS = 8
"""So many equations back is looked."""


def is_at_most_zero(x: Any, maker: Maker, steps: int = STEPS) -> bool:
    """Returns True if no element of a value is above zero: each is at most zero, or NaN."""
    e = maker(x) if steps else None
    if e is None or e.kwargs:
        return _is_number(x) and bool(x <= 0)
    ufunc, args = e.op.ufunc, e.args
    if ufunc is np.negative:
        return is_at_least_zero(args[0], maker, steps - 1)
    if ufunc is np.subtract:
        return _is_largest_of(args[1], args[0], maker) or (
            is_at_most_zero(args[0], maker, steps - 1)
            and is_at_least_zero(args[1], maker, steps - 1))
    if ufunc in (np.multiply, np.divide):
        return _have(is_at_most_zero, is_at_least_zero, args, maker, steps) or _have(
            is_at_least_zero, is_at_most_zero, args, maker, steps)
    if ufunc is np.add:
        return _have(is_at_most_zero, is_at_most_zero, args, maker, steps)
    return e.op in (*SUMS, GETITEM) and is_at_most_zero(args[0], maker, steps - 1)


def is_at_least_zero(x: Any, maker: Maker, steps: int = STEPS) -> bool:
    """Returns True if no element of a value is below zero."""
    e = maker(x) if steps else None
    if e is None or (e.kwargs and e.op not in SUMS):
        return _is_number(x) and bool(x >= 0)
    ufunc, args = e.op.ufunc, e.args
    if ufunc in NOT_NEGATIVE or (ufunc is np.power and type(args[1]) is int and args[1] % 2 == 0):
        return True
    if ufunc in (np.multiply, np.divide, np.add):
        return (args[0] is args[1] and ufunc is np.multiply) or _have(
            is_at_least_zero, is_at_least_zero, args, maker, steps) or (
            ufunc is not np.add and _have(is_at_most_zero, is_at_most_zero, args, maker, steps))
    return e.op in (*SUMS, GETITEM) and is_at_least_zero(args[0], maker, steps - 1)


def _have(one: Callable[..., bool], other: Callable[..., bool], args: tuple[Any, ...],
          maker: Maker, steps: int) -> bool:
    """Returns True if the first of two operands has one sign, and the second another."""
    steps = (steps - 1) // 2
    return one(args[0], maker, steps) and other(args[1], maker, steps)


def _is_largest_of(m: Any, x: Any, maker: Maker) -> bool:
    """Returns True if m is the largest element of x, along some axes or of all."""
    e = maker(m)
    while e is not None and e.op is GETITEM and e.args[0] is not x and _adds_axes(e.args[1]):
        e = maker(e.args[0])
    return e is not None and e.op is MAX and e.args[0] is x and isinstance(x, Value) and (
        {"axis", "keepdims"}.issuperset(e.kwargs)) and len(e.args) <= 2


def _adds_axes(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return all(k is None or k is ... or k == slice(None) for k in parts)


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float, np.integer, np.floating))
