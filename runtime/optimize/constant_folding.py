"""Constant folding: an equation whose operands are all constants is replaced by its value."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, leaves
from autograph.runtime.optimize.uses import Asking, Uses

MAX_SIZE = 4096
"""Elements of an array that may become a constant of the graph."""


class _Refused(Exception):
    """The equation is left to run time."""


def fold_constants(graph: Graph, record: Record) -> None:
    """Replaces equations by their values.

    What would raise or warn stays, so that it happens when the program comes there; so do effects
    and random numbers. An array becomes a constant only where it is read and never handed out or
    written: every call would share it.
    """
    _Folder(record, graph).visit(graph)


class _Folder(Asking):
    def after(self, e: Equation) -> list[Equation] | None:
        if e.inputs or not may_fold(e):
            return None
        try:
            value = _value(e, self.uses)
        except Exception:  # whatever it raises, it raises when the graph runs
            return None
        self.record.note(fold_constants, e, value)
        self.record.renamed[e.outputs[0]] = value
        return []


def may_fold(e: Equation) -> bool:
    """Returns True if an equation is folded where its operands are constants."""
    if not (e.op.foldable and e.is_repeatable) or len(e.outputs) != 1 or e.settings:
        return False
    return all(map(_is_small, leaves((e.args, dict(e.kwargs))))) and not (
        e.op.unbounded and any(type(x) is int for x in leaves(e.args)))


def _is_small(x: object) -> bool:
    if isinstance(x, np.ndarray):
        return x.size <= MAX_SIZE and x.dtype.kind in "biufc"
    if type(x) is int:
        return abs(x) < 2**64
    return x is None or isinstance(x, (bool, float, complex, np.dtype, type)) or (
        isinstance(x, np.generic) and x.dtype.kind in "biufc")


def _value(e: Equation, uses: Uses) -> Any:
    """Computes the constant; raises if the equation stays."""
    if _size(e) > MAX_SIZE:
        raise _Refused
    with np.errstate(all="raise"):
        value = e.op.kernel(*e.args, **e.kwargs)
    if isinstance(value, np.ndarray):
        if not uses.is_only_read(e.outputs[0]) or value.size > MAX_SIZE:
            raise _Refused
        value = value.view() if all(value.strides) else np.array(value, order="C")
        value.flags.writeable = False
    elif not _is_small(value) or not e.outputs[0].type.admits(value):
        raise _Refused
    return value


def _size(e: Equation) -> int:
    """Returns the size of the result by its type; more than MAX_SIZE if the type does not say."""
    t = e.outputs[0].type
    shape = getattr(t, "shape", ())
    if shape is None or not all(isinstance(d, int) for d in shape):
        return MAX_SIZE + 1
    return int(np.prod(shape, dtype=float))
