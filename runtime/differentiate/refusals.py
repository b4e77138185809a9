"""Refusals: what has no derivative, with the op and the user's line."""

from __future__ import annotations

from typing import NoReturn

from autograph.runtime.ir.errors import NotDifferentiable, at
from autograph.runtime.ir.graph import Equation
from autograph.runtime.ops.op import OPS


def refuse(e: Equation, reason: str = "") -> NoReturn:
    """Raises the error for an equation without a derivative."""
    if OPS.get(e.op.name) is not e.op:
        raise NotDifferentiable(
            f"the function {e.op.name} runs as it is, and gradients cannot look inside"
            f"{at(e.location)}\n  hint: attach a rule with ag.custom_vjp, or keep its argument out "
            "of the gradient with ag.stop_gradient")
    because = f": {reason}" if reason else " has no derivative"
    raise NotDifferentiable(
        f"the op {e.op.name!r}{because}{at(e.location)}\n"
        "  hint: write it with other operations, attach a rule with ag.custom_vjp, or keep its "
        "argument out of the gradient with ag.stop_gradient")
