"""Orders: views of arrays inside native loops whose steps do not fall as in C order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograph.runtime.ir.graph import Atom, Equation
from autograph.runtime.native.kinds import REVERSED, TURNED, Array, Kind, NotNative, static_shape
from autograph.runtime.ops.indexing import SETITEM
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.views import UPDATE_VIEW

FLIP, TRANSPOSE = OPS["flip"], OPS["transpose"]
DOT = OPS["dot"]
MATMUL = OPS["matmul"], OPS["np.matmul"]
"""The operator `@` and the function: what is a product of matrices for NumPy, too."""


def in_other_order(e: Equation, kind: Array) -> Array:
    """Returns the kind of a reversed row or a transposed matrix."""
    if e.kwargs or len(e.args) > 1 or kind.rank != (1 if e.op is FLIP else 2):
        raise NotNative(f"{e.op.name} of {kind}")
    if e.op is TRANSPOSE and 1 in (static_shape(e.outputs[0]) or ()):
        return replace(kind, view=True, own=False)  # a column as a row: it lies in any order
    return replace(kind, view=True, own=False, order=REVERSED if e.op is FLIP else TURNED)


def is_reversal(index: Any) -> bool:
    return type(index) is slice and (index.start, index.stop, index.step) == (None, None, -1)


def is_reversed(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.order == REVERSED


def in_c_order(kind: Kind, where: str) -> Kind:
    """Refuses an array in another order where NumPy's results may be in that order, too, or where
    it computes in another one."""
    if isinstance(kind, Array) and kind.order:
        raise NotNative(f"an array that is {kind.order} in {where}")
    return kind


def takes(e: Equation, atom: Atom, kind: Kind) -> bool:
    """Returns True if an operation does as NumPy with an array in this order."""
    if not isinstance(kind, Array) or not kind.order:
        return True
    if kind.order == TURNED:
        return e.op in MATMUL
    if e.op in (SETITEM, UPDATE_VIEW):
        return all(a is not atom for a in (e.args[0], e.args[1]))
    return e.op is DOT or e.op.ufunc is not None
