"""Constant folding: what has only constants for operands is computed once, when it is optimised."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, leaves, regions_of
from autograph.runtime.ops import OPS
from autograph.runtime.optimize.uses import Uses, is_pure, rename, rename_outputs

MAX_SIZE = 4096
"""Elements of an array that may become a constant of the graph."""

NAMED = frozenset({
    "not_", "truth", "int_", "float_", "complex_", "is_none", "select_", "min_", "max_", "len_",
    "shape", "ndim", "size", "dim", "item", "index_", "arange", "linspace", "eye", "identity",
    "zeros", "ones", "full", "where", "sum", "prod", "max", "min", "mean", "concatenate", "stack",
})
"""Ops beside the elementwise ones that are folded. Not: what depends on settings or on the machine
(printing, formatting), and what could take long."""

EXPLODING = frozenset({"power", "left_shift", "np.power", "np.left_shift"})
"""On Python's ints the result may be as long as you like."""


class _Refused(Exception):
    """The equation is left to run time."""


def fold(graph: Graph, record: Record) -> None:
    """Replace equations by their values.

    What would raise or warn stays, so that it happens when the program comes there; so do effects
    and random numbers. An array becomes a constant only where it is read and never handed out or
    written: every call would share it.
    """
    _fold(graph, Uses(graph), record)


def _fold(graph: Graph, uses: Uses, record: Record) -> None:
    kept = []
    for e in graph.equations:
        rename(e, record)
        for region in regions_of(e):
            _fold(region, uses, record)
        if not e.inputs and may_fold(e):
            try:
                value = _value(e, uses)
            except Exception:  # whatever it raises, it raises when the graph runs
                kept.append(e)
                continue
            record.note(fold, e, value)
            record.renamed[e.outputs[0]] = value
        else:
            kept.append(e)
    graph.equations[:] = kept
    rename_outputs(graph, record)


def may_fold(e: Equation) -> bool:
    """Whether the equation is one of those that are folded, if its operands are constants."""
    known: Any = OPS.get(e.op.name)
    if known is not e.op or not is_pure(e) or len(e.outputs) != 1 or e.errstate:
        return False
    if e.op.ufunc is None and e.op.name not in NAMED:
        return False
    return all(map(_is_small, leaves((e.args, dict(e.kwargs))))) and not (
        e.op.name in EXPLODING and any(type(x) is int for x in leaves(e.args)))


def _is_small(x: Any) -> bool:
    if isinstance(x, np.ndarray):
        return x.size <= MAX_SIZE and x.dtype.kind in "biufc"
    if type(x) is int:
        return abs(x) < 2**64
    return x is None or isinstance(x, (bool, float, complex, np.dtype, type)) or (
        isinstance(x, np.generic) and x.dtype.kind in "biufc")


def _value(e: Equation, uses: Uses) -> Any:
    """The constant; it raises if there is to be none."""
    size = _announced(e)
    if size > MAX_SIZE:
        raise _Refused
    with np.errstate(all="raise"):
        value = e.op.kernel(*e.args, **e.kwargs)
    if isinstance(value, np.ndarray):
        if not uses.is_transient(e.outputs[0]) or value.size > MAX_SIZE:
            raise _Refused
        value = value.view()
        value.flags.writeable = False
    elif not _is_small(value) or not e.outputs[0].type.admits(value):
        raise _Refused
    return value


def _announced(e: Equation) -> int:
    """How many elements the result has, as its type says; too many if the type does not say."""
    t = e.outputs[0].type
    shape = getattr(t, "shape", ())
    if shape is None or not all(isinstance(d, int) for d in shape):
        return MAX_SIZE + 1
    return int(np.prod(shape, dtype=float))
