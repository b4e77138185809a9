"""Derivatives of `[x] * n`, where only the run knows the integer n.

Where only the run knows what x and n are, the ops here see it: they may be numbers or arrays, too.
"""

from __future__ import annotations

from typing import Any

from autograph.runtime.differentiate.containers import LISTS, of_operand
from autograph.runtime.differentiate.forward import TANGENTS, Walk, tangent_of
from autograph.runtime.differentiate.reverse import COMPOSITES, Sweep, adjoint_of, operands_of
from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType
from autograph.runtime.ops.kept_values import NUMBER_TIMES, REPEATED, UNREPEATED
from autograph.runtime.ops.op import OPS
from autograph.runtime.symbolic.tensor import apply


def may_repeat(e: Equation) -> bool:
    """Returns True for `x * n` that repeats a list, or of which only the run knows if it does."""
    if e.op is not OPS["multiply"] or e.kwargs:
        return False
    return any(isinstance(n, Value) and (
        (_is_list(x) and (_is_integer(n) or n.type == DYNAMIC))
        or (_is_integer(n) and isinstance(x, Value) and x.type == DYNAMIC))
        for x, n in (e.args, e.args[::-1]))


def _is_list(x: Any) -> bool:
    return isinstance(x, LISTS) or (
        isinstance(x, Value) and x.type in (PyType(list), PyType(tuple)))


def _is_integer(n: Value) -> bool:
    t = n.type
    return t in (PyType(int), PyType(bool)) or (
        isinstance(t, ArrayType) and t.scalar and t.dtype is not None and t.dtype.kind in "iu")


def adjoint_of_repeated(sweep: Sweep, e: Equation, g: Any) -> bool:
    """An item has the sum of the cotangents of its copies; False for other equations."""
    if not may_repeat(e):
        return False
    for x, n in (e.args, e.args[::-1]):
        if sweep.wants(x):
            of_operand(sweep, e, apply(UNREPEATED, g, operands_of(x), operands_of(n)), x)
    return True


def tangent_of_repeated(walk: Walk, e: Equation) -> bool:
    """The tangents are repeated as well; False for other equations."""
    if not may_repeat(e):
        return False
    made = [apply(REPEATED, walk.dense_parts(x), operands_of(x), operands_of(n))
            for x, n in (e.args, e.args[::-1]) if walk.has(x)]
    walk.put(e.outputs[0], apply("sum_of", *made) if len(made) > 1 else made[0], fits=True)
    return True


COMPOSITES.append(adjoint_of_repeated)
TANGENTS.append(tangent_of_repeated)


@adjoint_of(REPEATED)
@adjoint_of(UNREPEATED)
def transposed(sweep: Sweep, e: Equation) -> None:
    """Each is the other's transpose, and a product of numbers by its third operand, too."""
    g, x, n = map(operands_of, e.args)
    (h,) = sweep.taken(e)
    other = UNREPEATED if e.op is REPEATED else REPEATED
    if sweep.wants(e.args[0]):
        of_operand(sweep, e, apply(other, h, x, n))
    if sweep.wants(e.args[2]):
        of_operand(sweep, e, apply(NUMBER_TIMES, h, g, x, n, n), e.args[2])


@tangent_of(REPEATED)
@tangent_of(UNREPEATED)
def same_of_tangents(walk: Walk, e: Equation) -> None:
    """The same of the tangents; a product of numbers has two."""
    g, x, n = map(operands_of, e.args)
    made = apply(e.op, walk.dense_parts(e.args[0]), x, n)
    if walk.has(e.args[2]):
        z = operands_of(e.outputs[0])
        made = apply("sum_of", made, apply(
            NUMBER_TIMES, g, walk.dense_parts(e.args[2]), x, n, z))
    walk.put(e.outputs[0], made, fits=True)
