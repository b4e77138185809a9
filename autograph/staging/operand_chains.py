"""Long chains of `and` and of `or` in a trace.

Each operand of a chain is evaluated in a branch on the one before, so a chain nests as deeply as it
is long. A long one is recorded in groups: `(a and b) and (c and d)` evaluates what
`a and b and c and d` does, in the same order, and gives the same operand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor

LONG = 140
"""Chains of more operands are recorded in groups; shorter ones take any objects."""

GROUP = 25
"""How many operands a group has."""

Lazy = tuple[Callable[[], Any], ...]


def in_groups(chain: Callable[..., Any], first: Any, lazy: Lazy) -> Any:
    """Returns what `chain`, which is `and_` or `or_`, gives for many operands.

    Raises:
      TracingError: the truth of a group's result may be asked only once, by the user's own code.
    """
    value = first
    for start in range(0, len(lazy), GROUP):
        if start and not _has_plain_truth(value):
            raise TracingError(
                f"a chain of {len(lazy) + 1} operands that may be any objects nests too deeply"
                f"{at(user_location())}\n"
                "  hint: write several statements, or all([…]) and any([…]) of the operands")
        value = chain(value, *lazy[start:start + GROUP])
    return value


def _has_plain_truth(x: Any) -> bool:
    """Returns True if the truth of a value can be asked again, with no effect."""
    if isinstance(x, Tensor):
        return x._handle.value.type != DYNAMIC
    return isinstance(x, (bool, int, float, complex, str))
