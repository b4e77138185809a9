"""Dead values: after which equation a temporary array can be dropped, as plain Python drops it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Set

from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.lower.buffer_reuse import Reuse
from autograph.runtime.lower.in_place import is_large


def dying(reuse: Reuse, uses: Counter[Value], others: Set[Value] = frozenset()
          ) -> dict[Equation, list[Value]]:
    """Returns the temporary arrays of a block that nothing needs after an equation; but for others,
    which die in another way.

    These are arrays to which the user gave no name: in plain Python they are freed as soon as the
    expression around them is done. Those that a view keeps are freed with the view.
    """
    found = defaultdict(list)
    for value, users in reuse.users.items():
        last = reuse.last[value]
        if last is not None and value not in others and len(users) == uses[value] and (
                _is_temporary(value, reuse)):
            found[last].append(value)
    return found


def _is_temporary(value: Value, reuse: Reuse) -> bool:
    while (maker := reuse.maker.get(value)) is not None and not value.hint and _has_size(value):
        if not maker.op.view:
            return maker.op.fresh
        value = maker.args[0]
        if not isinstance(value, Value):
            return False
    return False


def _has_size(value: Value) -> bool:
    """Returns True for an array that is large, or may be."""
    t = value.type
    return isinstance(t, ArrayType) and not t.scalar and t.shape != () and (
        is_large(value) or not t.is_static)
