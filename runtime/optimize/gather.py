"""Gather: elementwise equations over large arrays stand together, so that they can run in tiles."""

from __future__ import annotations

import math

import numpy as np

from autograph.runtime.graph import Equation, Graph, Value, regions_of
from autograph.runtime.optimize.record import Record
from autograph.runtime.types import ArrayType

LARGE = 1 << 15
"""Elements of an array that is worth cutting into tiles."""

FOLDS = frozenset({"sum", "prod", "max", "min", "mean"})
"""Reductions that may stand in a run when they leave the rows alone."""

UNCAST = frozenset(map(np.dtype, ("f4", "f8", "c8", "c16")))
OTHERS = {"where": 3, "astype": 2}
"""Ops without a ufunc that work element by element, given so many arguments."""


def gather(graph: Graph, record: Record) -> None:
    """Move views that do not depend on a run of row by row equations before the run.

    Only the order changes; what may warn, raise, or change something keeps its place.
    """
    for equation in graph.equations:
        for region in regions_of(equation):
            gather(region, record)
    if not any(is_large(e) and is_rowwise(e) for e in graph.equations):
        return
    ordered: list[Equation] = []
    run: list[Equation] = []
    for equation in graph.equations:
        if run and joins(run, equation):
            run.append(equation)
        elif run and is_movable(equation) and not any(
                v in e.outputs for e in run for v in equation.inputs):
            ordered.append(equation)
        else:
            ordered += run
            run = [equation]
            if not is_rowwise(equation):
                ordered, run = [*ordered, equation], []
    graph.equations[:] = ordered + run


def is_movable(e: Equation) -> bool:
    """Whether it only looks at an array: a view at a place that is known, which cannot fail."""
    return is_pure(e) and (e.op.view or e.op.name == "getitem") and len(e.inputs) == 1


def is_pure(e: Equation) -> bool:
    return not (e.has_effect or e.regions or e.op.inplace or e.op.name == "list_of" or e.errstate)


def runs(graph: Graph) -> list[list[Equation]]:
    """The runs of a graph's own equations that may be cut into tiles, longest possible."""
    if not any(map(is_large, graph.equations)):
        return []
    found: list[list[Equation]] = []
    run: list[Equation] = []
    for equation in graph.equations:
        if run and joins(run, equation):
            run.append(equation)
            continue
        found.append(run)
        run = [equation] if is_rowwise(equation) else []
    return [r for r in (*found, run) if len(r) > 2 and any(map(is_large, r))]


def joins(run: list[Equation], e: Equation) -> bool:
    """Whether the equation works row by row on the same rows as the run."""
    return is_rowwise(e) and rows_of(e) == rows_of(run[0])


def rows_of(e: Equation) -> tuple[int, int]:
    """(rank, rows) of the result of an equation that works row by row."""
    t = e.outputs[0].type
    assert isinstance(t, ArrayType) and t.shape
    rows = t.shape[0]
    assert isinstance(rows, int)
    return len(t.shape), rows


def is_large(e: Equation) -> bool:
    return len(e.outputs) == 1 and size(e.outputs[0]) >= LARGE


def size(value: Value) -> int:
    shape = value.type.shape if isinstance(value.type, ArrayType) else ()
    return math.prod(d for d in shape or () if isinstance(d, int))


def is_rowwise(e: Equation) -> bool:
    """Whether row i of the result depends on row i of the arguments only, or on what all rows
    share."""
    if not is_pure(e) or len(e.outputs) != 1 or not _is_numeric(e.outputs[0]):
        return False
    if e.op.name in FOLDS:
        return _folds_within_rows(e)
    if e.kwargs or (e.op.ufunc is None and OTHERS.get(e.op.name) != len(e.args)):
        return False
    rank, rows = rows_of(e)
    operands = [x for x in e.args if isinstance(x, Value)]
    if len(e.inputs) != len(operands) or not all(map(_is_known, operands)):
        return False
    return rows > 1 and any(is_cut(x, rank, rows) for x in operands) and all(
        is_cut(x, rank, rows) or is_shared(x, rank) for x in operands)


def is_cut(x: Value, rank: int, rows: int) -> bool:
    """Whether the rows of a value are those of the run."""
    t = x.type
    return isinstance(t, ArrayType) and t.shape is not None and len(t.shape) == rank and (
        t.shape[0] == rows)


def is_shared(x: Value, rank: int) -> bool:
    """Whether a value is the same for all rows: a number, or an array without that axis."""
    t = x.type
    if not isinstance(t, ArrayType):
        return True
    return t.shape is not None and (len(t.shape) < rank or t.shape[0] == 1)


def _folds_within_rows(e: Equation) -> bool:
    """Along the last axis, kept; what is added up is not cast, which NumPy does in pieces of its
    own."""
    x, axis = e.args[0], e.args[1] if len(e.args) == 2 else e.kwargs.get("axis")
    if len(e.args) > 2 or set(e.kwargs) - {"axis", "keepdims"} or e.kwargs.get(
            "keepdims") is not True or not isinstance(x, Value) or len(e.inputs) != 1:
        return False
    if not (_is_numeric(x) and type(axis) is int):
        return False
    rank, rows = rows_of(e)
    dtype = getattr(x.type, "dtype", np.dtype(object))
    exact = e.op.name in ("max", "min") or dtype in UNCAST or (
        e.op.name != "mean" and dtype.kind in "iub")
    return exact and rank > 1 and rows > 1 and axis in (-1, rank - 1) and is_cut(x, rank, rows)


def _is_known(x: Value) -> bool:
    t = x.type
    return not isinstance(t, ArrayType) or t.is_static


def _is_numeric(x: Value) -> bool:
    t = x.type
    return isinstance(t, ArrayType) and t.is_static and bool(t.shape) and (
        t.dtype is not None and t.dtype.kind in "fiucb")
