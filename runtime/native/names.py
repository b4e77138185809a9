"""Reads of names that may be unbound, as machine code has them."""

from __future__ import annotations

from autograph.runtime.ops.kept_values import REAL_NUMBER, UNWRAPPED
from autograph.runtime.ops.op import OPS

BOUND = OPS["bound"]

ON_NAMES = (BOUND, UNWRAPPED, REAL_NUMBER)
"""Ops that give their operand: what a name is bound to; `BOUND` raises where it is not bound, and
`REAL_NUMBER` where it is no float."""
