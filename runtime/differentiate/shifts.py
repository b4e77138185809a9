"""Shifts that cancel: the largest logit that a softmax subtracts has no share in its derivative.

`m = x.max(axis=1)` in `m + log(sum(exp(x - m)))`, or in `exp(x - m) / sum(exp(x - m))`, is there
against overflow alone: any other m gives the same result, so the derivative by m is zero, and what
m was computed from gets none through it. By the parts it would be computed as a difference of equal
numbers, and shared between the largest elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Equation, Value, regions_of
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ops.derivatives import Zero
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.type_rules import axes_of

EXTREMES = OPS["max"], OPS["min"]
SUMS = OPS["sum"], OPS["mean"]
GETITEM = OPS["getitem"]
RESHAPES = OPS["reshape"], OPS["expand_dims"], OPS["squeeze"]


@dataclass(frozen=True)
class Slope:
    """How a value follows when c is added to the shift.

    degree  the value becomes x + degree * c, or x * exp(degree * c) if it `scales`.
    axes    for each axis of the value, which axis of the shift runs along it; None for none.
    """

    degree: float
    scales: bool
    axes: tuple[int | None, ...]


class _NotKnownError(Exception):
    """An equation gives what neither adds the shift nor is scaled by it."""


Slopes = dict[Value, Slope]


def cancelling(equations: Sequence[Equation], ends: Iterable[Any], useful: set[Value]
               ) -> set[Value]:
    """Returns the extremes of arrays by which no end has a derivative, in regions, too.

    ends: the values whose derivatives are asked for.
    useful: the values that lead to them.
    """
    found: set[Value] = set()
    ends = {v for v in ends if isinstance(v, Value)}
    users: dict[Value, list[int]] | None = None
    for e in equations:
        for region in regions_of(e):
            found |= cancelling(region.equations, region.outputs, useful)
        if e.op in EXTREMES and e.outputs[0] in useful and isinstance(e.args[0], Value):
            users = _users(equations, useful) if users is None else users
            if len(users.get(e.args[0], ())) > 1 and _cancels(e.outputs[0], equations, users, ends):
                found.add(e.outputs[0])
    return found


def _users(equations: Sequence[Equation], useful: set[Value]) -> dict[Value, list[int]]:
    """Returns the positions of the equations that lead to an end, for each value that they use."""
    found: dict[Value, list[int]] = {}
    for k, e in enumerate(equations):
        if regions_of(e) or e.callee is not None or e.op.effect or any(
                v in useful for v in e.outputs):
            for v in e.inputs:
                found.setdefault(v, []).append(k)
    return found


def _cancels(m: Value, equations: Sequence[Equation], users: dict[Value, list[int]],
             ends: set[Value]) -> bool:
    """Returns True if what is added to a value changes no end."""
    if not isinstance(m.type, ArrayType) or m.type.shape is None or m in ends:
        return False
    slopes = {m: Slope(1, False, tuple(None if d == 1 else k for k, d in enumerate(m.type.shape)))}
    waiting = list(users.get(m, ()))
    done: set[int] = set()
    while waiting:
        k = heappop(waiting)
        if k in done:
            continue
        done.add(k)
        try:
            slope = _through(equations[k], slopes)
        except _NotKnownError:
            return False
        if slope is not None and slope.degree:
            v, = equations[k].outputs
            if v in ends:
                return False
            slopes[v] = slope
            for user in users.get(v, ()):
                heappush(waiting, user)
    return True


def _through(e: Equation, slopes: Slopes) -> Slope | None:
    """Returns how an equation's result follows the shift; None if it does not."""
    rule: Callable[[Equation, Slopes, int], Slope | None] | None = RULES.get(
        e.op.ufunc if e.op.ufunc is not None else e.op)
    rank = _rank(e.outputs[0]) if len(e.outputs) == 1 else None
    if isinstance(e.op.derivative, Zero) and not regions_of(e):
        return None
    if rule is None or rank is None or e.settings:
        raise _NotKnownError
    if e.op.ufunc is not None and e.kwargs:
        raise _NotKnownError
    return rule(e, slopes, rank)


def _rank(x: Any) -> int | None:
    """Returns the number of axes of a number or array, if it is known."""
    if isinstance(x, Value):
        t = x.type
        if isinstance(t, ArrayType):
            return None if t.shape is None else len(t.shape)
        return 0 if t in (PyType(float), PyType(int)) else None
    return np.ndim(x) if isinstance(x, (int, float, np.number, np.ndarray)) else None


def _of(x: Any, slopes: Slopes, rank: int) -> Slope | None:
    """Returns the slope of an operand, with the axes that broadcasting gives it."""
    found = slopes.get(x) if isinstance(x, Value) else None
    return found and replace(found, axes=(None,) * (rank - len(found.axes)) + found.axes)


def _sum(sign: int) -> Callable[[Equation, Slopes, int], Slope | None]:
    """Returns the rule of a sum or difference."""
    def rule(e: Equation, slopes: Slopes, rank: int) -> Slope | None:
        a, b = (_of(x, slopes, rank) for x in e.args)
        if ((a or b) and a and a.scales) or (b and b.scales):
            if a != b:
                raise _NotKnownError
            return a
        return _together(a, b, sign)

    return rule


def _together(a: Slope | None, b: Slope | None, sign: int) -> Slope | None:
    """Returns the slope whose degree is that of a and sign times that of b."""
    if a and b:
        if a.axes != b.axes or a.scales != b.scales:
            raise _NotKnownError
        return replace(a, degree=a.degree + sign * b.degree)
    return a or (b and replace(b, degree=sign * b.degree))


def _product(sign: int) -> Callable[[Equation, Slopes, int], Slope | None]:
    """Returns the rule of a product or quotient."""
    def rule(e: Equation, slopes: Slopes, rank: int) -> Slope | None:
        a, b = (_of(x, slopes, rank) for x in e.args)
        if (a is None or a.scales) and (b is None or b.scales):
            return _together(a, b, sign)
        number = e.args[1] if b is None else e.args[0]
        if (a and b) or type(number) not in (int, float) or (
                sign < 0 and (b or not number)):
            raise _NotKnownError
        slope = a or b
        assert slope is not None
        return replace(slope, degree=slope.degree * float(number) ** sign)

    return rule


def _negative(e: Equation, slopes: Slopes, rank: int) -> Slope | None:
    slope = _of(e.args[0], slopes, rank)
    return slope and (slope if slope.scales else replace(slope, degree=-slope.degree))


def _turned(scales: bool) -> Callable[[Equation, Slopes, int], Slope | None]:
    """Returns the rule of exp, whose result scales, or log, whose operand does."""
    def rule(e: Equation, slopes: Slopes, rank: int) -> Slope | None:
        slope = _of(e.args[0], slopes, rank)
        if slope and slope.scales is scales:
            raise _NotKnownError
        return slope and replace(slope, scales=scales)

    return rule


def _reduction(e: Equation, slopes: Slopes, rank: int) -> Slope | None:
    """The slope of a sum, mean or extreme along axes along which the shift is constant."""
    slope = slopes.get(e.args[0]) if isinstance(e.args[0], Value) else None
    axis = e.args[1] if len(e.args) > 1 else e.kwargs.get("axis")
    if slope is None or len(e.args) > 2 or not {"axis", "keepdims"}.issuperset(e.kwargs) or (
            e.op is SUMS[0] and not slope.scales) or not (
            axis is None or type(axis) is int or isinstance(axis, tuple)):
        raise _NotKnownError
    gone = range(len(slope.axes)) if axis is None else axes_of(axis, len(slope.axes))
    if any(slope.axes[k] is not None for k in gone):
        raise _NotKnownError
    return slope if rank == len(slope.axes) else replace(slope, axes=tuple(
        a for k, a in enumerate(slope.axes) if k not in gone))


def _item(e: Equation, slopes: Slopes, rank: int) -> Slope | None:
    """The slope of a view that takes all along the axes of the shift."""
    slope = slopes.get(e.args[0])
    index = e.args[1] if isinstance(e.args[1], tuple) else (e.args[1],)
    if slope is None or e.kwargs or not all(
            x is None or x is ... or isinstance(x, slice) or type(x) is int for x in index):
        raise _NotKnownError
    left, made = list(slope.axes), list[int | None]()
    rest = len(left) - sum(x is not None and x is not ... for x in index)
    for x in index if any(x is ... for x in index) else (*index, ...):
        if x is None:
            made.append(None)
        elif x is ...:
            made += [left.pop(0) for _ in range(rest)]
        else:
            axis = left.pop(0)
            if axis is not None and x != slice(None):
                raise _NotKnownError
            made += [axis] if isinstance(x, slice) else []
    return replace(slope, axes=tuple(made))


def _same_elements(e: Equation, slopes: Slopes, rank: int) -> Slope | None:
    """The slope of a view that differs in axes of one element."""
    slope = slopes.get(e.args[0])
    old, new = (getattr(x.type, "shape", None) for x in (e.args[0], e.outputs[0]))
    if slope is None or old is None or new is None or not all(
            isinstance(d, int) for d in (*old, *new)) or (
            [d for d in old if d != 1] != [d for d in new if d != 1]):
        raise _NotKnownError
    left = [a for a, d in zip(slope.axes, old, strict=True) if d != 1]
    return replace(slope, axes=tuple(None if d == 1 else left.pop(0) for d in new))


RULES: dict[Any, Callable[[Equation, Slopes, int], Slope | None]] = {
    np.add: _sum(1), np.subtract: _sum(-1), np.negative: _negative, np.multiply: _product(1),
    np.divide: _product(-1), np.exp: _turned(True), np.log: _turned(False), GETITEM: _item,
    **dict.fromkeys((*EXTREMES, *SUMS), _reduction), **dict.fromkeys(RESHAPES, _same_elements)}
"""By the ufunc that an op is, or by the op."""
