"""Composites: several equations with one derivative, which needs less and does not overflow."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.differentiate.reverse import COMPOSITES, Sweep
from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ops.derivative_rules.helpers import chosen
from autograph.runtime.ops.elementwise import ADD, DIVIDE
from autograph.runtime.ops.op import OPS
from autograph.runtime.symbolic.tensor import Tensor

EXP, SUM = OPS["np.exp"], OPS["sum"]


def sigmoid(sweep: Sweep, e: Equation, g: Any) -> bool:
    """Records the adjoint of z = 1 / (1 + exp(u)); returns False for other equations.

    It is `g * z * (z - 1)`, and `g * z * (1 - z)` for x where u is -x: z alone has to be kept. By
    the parts it would be `-exp(u) / (1 + exp(u))**2`, of which both sides overflow for large u,
    where the derivative is 0.
    """
    u = _exponent(sweep, e)
    if u is None:
        return False
    z: Any = Tensor(e.outputs[0])
    before = sweep.maker(u)
    if before is not None and before.op.ufunc is np.negative and not before.kwargs:
        sweep.cotangents.add(before.args[0], g * (z * (1.0 - z)))
    else:
        sweep.cotangents.add(u, g * (z * (z - 1.0)))
    return True


def _exponent(sweep: Sweep, e: Equation) -> Value | None:
    """Returns u of 1 / (1 + exp(u)); what else uses the parts between has their own rules."""
    if not (_is(e, DIVIDE) and _is_one(e.args[0]) and _is_float(e.outputs[0])):
        return None
    total = sweep.maker(e.args[1])
    if total is None or not _is(total, ADD) or not any(map(_is_one, total.args)):
        return None
    power = sweep.maker(total.args[1] if _is_one(total.args[0]) else total.args[0])
    if power is None or not _is(power, EXP) or not isinstance(power.args[0], Value):
        return None
    u: Value = power.args[0]
    return u if u.type == e.outputs[0].type else None


def root_of_squares(sweep: Sweep, e: Equation, g: Any) -> bool:
    """Records the adjoint of the root of a sum of squares, a distance; 0 where it is 0.

    By the parts it would be the product of infinity and 0 there, though each square has slope 0.
    """
    root = e.op.ufunc is np.sqrt or (e.op.ufunc is np.power and e.args[1] == 0.5)
    if not root or e.kwargs or not _is_float(e.outputs[0]) or not _is_square(sweep, e.args[0]):
        return False
    z: Any = Tensor(e.outputs[0])
    there = np.not_equal(z, 0)
    number = z.dtype.type if isinstance(z.type, ArrayType) else float
    one, zero = number(1.0), number(0.0)
    made = chosen(there, 0.5 * g / chosen(there, z, one), zero)
    sweep.cotangents.add(e.args[0], made, sweep.is_padded(e))  # where z is 0, all squares are
    return True


def _is_square(sweep: Sweep, x: Atom) -> bool:
    """Returns True for squares, and for sums of them."""
    e = sweep.maker(x)
    if e is None:
        return False
    if e.op is SUM:
        return _is_square(sweep, e.args[0])
    if e.op.ufunc is np.add:
        return all(_is_square(sweep, a) for a in e.args)
    return e.op.ufunc is np.square or (e.op.ufunc is np.power and type(e.args[1]) in (
        int, float) and e.args[1] == 2) or (
        (e.op.ufunc is np.multiply or e.op.product) and _same(sweep, *e.args[:2]))


def _same(sweep: Sweep, a: Any, b: Any) -> bool:
    """Returns True if two operands are certainly equal: made by the same steps."""
    if not isinstance(a, Value) or not isinstance(b, Value):
        return type(a) is type(b) and isinstance(a, (int, tuple, slice)) and bool(a == b)
    one, other = sweep.maker(a), sweep.maker(b)
    return a is b or (
        one is not None and other is not None and one.op is other.op and one.is_repeatable
        and not one.regions and not one.kwargs and not other.kwargs
        and len(one.args) == len(other.args)
        and all(_same(sweep, x, y) for x, y in zip(one.args, other.args, strict=True)))


def _is(e: Equation, op: Any) -> bool:
    return e.op.ufunc is op.ufunc and not e.kwargs and not e.settings


def _is_one(x: Atom) -> bool:
    return type(x) in (int, float) and x == 1


def _is_float(v: Value) -> bool:
    t = v.type
    return t == PyType(float) or (
        isinstance(t, ArrayType) and t.dtype is not None and t.dtype.kind == "f")


COMPOSITES += [sigmoid, root_of_squares]
