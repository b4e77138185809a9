"""How many equations a loop is expected to make, from the text of its body."""

from __future__ import annotations

from collections.abc import Callable
from opcode import opmap
from types import CodeType
from typing import Any

from autograph.runtime.control_flow.loop_names import unwrapped
from autograph.runtime.ir.code_answers import by_code

BUDGET = 200
"""How many equations the iterations of a short loop may make, with those of loops in it."""


def looks_long(turns: int, body: Callable[..., Any]) -> bool:
    """Returns True if the text of a loop's body lets expect that its iterations make more equations
    than they may: then the loop is tried as one equation first, which also tells how many."""
    code = code_of(body)
    return turns > 0 and code is not None and operations_in(code) * turns > 1.5 * BUDGET


@by_code
def operations_in(code: CodeType) -> int:
    """Returns how many operators, subscripts and calls are in a function and those inside it; as
    if a loop in it made few iterations, whose number only the trace knows."""
    own = sum(code.co_code[::2].translate(OPERATES))
    inside = sum(operations_in(c) for c in code.co_consts if isinstance(c, CodeType))
    return own + (FEW if "for_loop" in code.co_names else 1) * inside


FEW = 3
"""How many iterations a loop inside another one is thought to make."""

OPERATES = bytes(number in {opmap.get(name) for name in (
    "BINARY_OP", "BINARY_SUBSCR", "BINARY_SLICE", "STORE_SUBSCR", "STORE_SLICE", "CALL",
    "COMPARE_OP", "UNARY_NEGATIVE")} for number in range(256))
"""By instruction: 1 where an equation may come from it."""


def code_of(body: Callable[..., Any]) -> CodeType | None:
    """Returns the code of a loop's body; None if it has none."""
    return getattr(unwrapped(body), "__code__", None)
