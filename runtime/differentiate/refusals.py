"""Refusals: what has no derivative, with the op and the user's line."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NoReturn

from autograph.runtime.ir.errors import NotDifferentiable, at
from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ops.derivatives import Derivative, Refused
from autograph.runtime.ops.op import OPS


def refuse_by_rule(e: Equation, rule: Derivative | None) -> NoReturn:
    """Raises the error for an equation whose op has a written refusal, or no rule."""
    if isinstance(rule, Refused) and rule.by_operand:
        reason, _, hint = str(e.args[-1]).partition("\n")
        raise NotDifferentiable(f"{reason}{at(e.location)}\n{hint}")
    refuse(e, rule.reason if isinstance(rule, Refused) else "")


def refuse_marked(equations: Sequence[Equation], active: Container[Value]) -> None:
    """Refuses parts that a rule marks as without derivatives: first, as what they come from may
    have the same rule."""
    for e in equations:
        rule = e.op.derivative
        if isinstance(rule, Refused) and rule.by_operand and any(v in active for v in e.outputs):
            refuse_by_rule(e, rule)


def called(name: str) -> str:
    """Returns what a function is called in a text; our own names tell the user nothing."""
    return "the call" if name.startswith("autograph.") else f"the function {name}"


def refuse(e: Equation, reason: str = "") -> NoReturn:
    """Raises the error for an equation without a derivative."""
    if OPS.get(e.op.name) is not e.op and not reason:
        raise NotDifferentiable(
            f"{called(e.op.name)} runs as it is, and gradients cannot look inside"
            f"{at(e.location)}\n  hint: attach a rule with ag.custom_vjp, or keep its argument out "
            "of the gradient with ag.stop_gradient")
    because = f": {reason}" if reason else " has no derivative"
    raise NotDifferentiable(
        f"the op {e.op.name!r}{because}{at(e.location)}\n"
        "  hint: write it with other operations, attach a rule with ag.custom_vjp, or keep its "
        "argument out of the gradient with ag.stop_gradient")
