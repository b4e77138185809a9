"""Small branches: those of which both sides are computed, as that takes less time than a guess of
the processor's that was wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation
from autograph.runtime.ir.regions import Branch
from autograph.runtime.native.kinds import BOOL, INT, Kind, Number
from autograph.runtime.native.operators import COMPARISONS
from autograph.runtime.ops.python import NOT

MOST = 4
"""So many equations are a small branch, on both sides together. LLVM has the same limit; it does
not take those that leave the kernel where an int does not fit."""

SIMPLE = {np.add, np.subtract, np.multiply, np.negative, np.bitwise_and, np.bitwise_or,
          np.bitwise_xor, np.invert, *COMPARISONS}

BY_POWERS = {np.floor_divide, np.remainder}
"""These are shifts and masks where the divisor is a power of two."""


def is_small(branch: Branch, kind_of: Callable[[Atom], Kind]) -> bool:
    """Returns True for a branch of numbers whose sides are a few instructions on ints, or none."""
    equations = [e for _, side in branch.sides() for e in side.equations]
    return len(equations) <= MOST and all(
        isinstance(kind_of(v), Number) for v in branch.results) and all(
        _is_simple(e) and _on_ints(e, kind_of) for e in equations)


def _is_simple(e: Equation) -> bool:
    if e.op is NOT:
        return True
    if not e.op.dunder:
        return False
    divisor = e.args[-1]
    return e.op.ufunc in SIMPLE or (
        e.op.ufunc in BY_POWERS and type(divisor) is int and divisor > 0
        and divisor & (divisor - 1) == 0)


def _on_ints(e: Equation, kind_of: Callable[[Atom], Kind]) -> bool:
    kinds = [kind_of(x) for x in (*e.args, *e.outputs)]
    return all(isinstance(k, Number) and k.dtype in (INT, BOOL) and not k.unbound for k in kinds)
