"""Adjoints of what gradients keep of iterations, so that a gradient can be differentiated again."""

from __future__ import annotations

from autograph.runtime.differentiate.cotangents import kept_like
from autograph.runtime.differentiate.reverse import Sweep, adjoint_of, operands_of
from autograph.runtime.ir.graph import Equation
from autograph.runtime.ops.kept_values import (
    ADD_KEPT,
    CLEARED,
    FILLED,
    FITTED_TO,
    IN_FRAME,
    KEPT_AT,
    KEPT_OR_ZERO,
    NUMBER_PART,
    POPPED,
    PUSH,
    PUSHED_NONE,
    PUT_BACK,
    SUM_OF,
    UNWRAPPED,
)
from autograph.runtime.symbolic.tensor import apply


@adjoint_of(PUSH)
def push(sweep: Sweep, e: Equation) -> None:
    """The value's cotangent is the last one on the stack of cotangents."""
    stack, x = e.args
    (g,) = sweep.taken(e)
    if sweep.wants(x):
        sweep.cotangents.add(x, kept_like(g, -1, x), sweep.is_padded(e))
    sweep.cotangents.add(stack, apply("popped", g))


@adjoint_of(KEPT_AT)
def kept_at(sweep: Sweep, e: Equation) -> None:
    """Adds to the cotangent of the value of one iteration."""
    stack, k = e.args
    (g,) = sweep.taken(e)
    if sweep.wants(stack):
        old = sweep.cotangents.of(stack)
        sweep.cotangents.add(stack, apply("add_kept", old, operands_of(k), g), sweep.is_padded(e))


@adjoint_of(IN_FRAME)
def in_frame(sweep: Sweep, e: Equation) -> None:
    """The same for what a call kept."""
    frame, k, _ = e.args
    (g,) = sweep.taken(e)
    if sweep.wants(frame):
        made = apply("add_kept", sweep.cotangents.of(frame), k, g)
        sweep.cotangents.add(frame, made, True, fits=True)


@adjoint_of(KEPT_OR_ZERO)
def kept_or_zero(sweep: Sweep, e: Equation) -> None:
    """The same for a stack of cotangents."""
    stack, k, _ = e.args
    (g,) = sweep.taken(e)
    if sweep.wants(stack):
        old = sweep.cotangents.of(stack)
        sweep.cotangents.add(stack, apply("add_kept", old, operands_of(k), g), True)


@adjoint_of(ADD_KEPT)
def add_kept(sweep: Sweep, e: Equation) -> None:
    """That which was added has the cotangent of its item."""
    stack, k, x = e.args
    (g,) = sweep.taken(e)
    if sweep.wants(x):
        sweep.cotangents.add(x, kept_like(g, operands_of(k), x), True)
    sweep.cotangents.add(stack, g)


@adjoint_of(POPPED)
def popped(sweep: Sweep, e: Equation) -> None:
    """The value that was taken off has none."""
    (g,) = sweep.taken(e)
    sweep.cotangents.add(e.args[0], apply("pushed_none", g))


@adjoint_of(PUSHED_NONE)
def pushed_none(sweep: Sweep, e: Equation) -> None:
    """The zero that was added has none."""
    (g,) = sweep.taken(e)
    sweep.cotangents.add(e.args[0], apply("popped", g))


@adjoint_of(SUM_OF)
def sum_of(sweep: Sweep, e: Equation) -> None:
    """Both summands have the cotangent of the sum."""
    (g,) = sweep.taken(e)
    for x in e.args:
        sweep.cotangents.add(x, g)


@adjoint_of(UNWRAPPED)
def unwrapped(sweep: Sweep, e: Equation) -> None:
    """The value of a branch that was taken."""
    (g,) = sweep.taken(e)
    sweep.cotangents.add(e.args[0], g, sweep.is_padded(e))


@adjoint_of(FITTED_TO)
@adjoint_of(NUMBER_PART)
@adjoint_of(FILLED)
def fitted_to(sweep: Sweep, e: Equation) -> None:
    """The form of what was fitted, again."""
    g, _ = e.args
    (h,) = sweep.taken(e)
    if sweep.wants(g):
        sweep.cotangents.add(g, h, True)


@adjoint_of(CLEARED)
def cleared(sweep: Sweep, e: Equation) -> None:
    """Clears the same place."""
    g, index = e.args
    (h,) = sweep.taken(e)
    sweep.cotangents.add(g, apply("cleared", h, operands_of(index)), True, fits=True)


@adjoint_of(PUT_BACK)
def put_back(sweep: Sweep, e: Equation) -> None:
    """The item is taken out again."""
    g, index, item = e.args
    (h,) = sweep.taken(e)
    taken, rest = apply("list_pop", h, operands_of(index))
    if sweep.wants(item):
        sweep.cotangents.add(item, kept_like(apply("pack", [taken]), 0, item), True)
    sweep.cotangents.add(g, rest, True, fits=True)
