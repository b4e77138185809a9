"""Items of lists of cotangents, whose memory is theirs, whatever becomes of the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.lower.shared_memory import RESIZES, held_operands
from autograph.runtime.ops.kept_values import KEPT_OR_ZERO

Makers = Mapping[Value, Equation]
MANY = 1000
"""So many operands are looked at."""


def list_states(makers: Makers, x: Value) -> Sequence[Value]:
    """Returns a list, and what it was before items were taken off or put back."""
    found = [x]
    while (e := makers.get(found[-1])) is not None and e.op in RESIZES:
        found.append(e.args[0])
    return found


def is_item(makers: Makers, value: Value, states: Sequence[Value]) -> bool:
    """Returns True if a value comes from items of a list alone, or from elsewhere, by operations
    that give or hold their operands: it is not the list, which is in no list of those."""
    seen, left = {value}, [value]
    if value in states:
        return False
    while left:
        e = makers.get(left.pop())
        if e is None or len(seen) > MANY:
            return False
        if e.op is KEPT_OR_ZERO and e.args[0] in states:
            continue
        gives = e.op is KEPT_OR_ZERO or e.op.holds_operands
        if not gives and not e.op.fresh:
            return False
        held = set(held_operands(e)) if gives else set()
        if not held.isdisjoint(states):
            return False
        left += held - seen
        seen |= held
    return True
