"""Gather: elementwise equations over large arrays stand together, so that they can run in tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.ir.types import ArrayType

LARGE = 1 << 15
"""Elements of an array that is worth cutting into tiles."""

HUGE = 1 << 19
"""Elements of an array that one operation and a sum are worth cutting."""

FOLDS = frozenset({"sum", "prod", "max", "min", "mean"})
"""Reductions that may stand in a run when they leave the rows alone."""

TOTALS = frozenset({"sum", "max", "min", "mean"})
"""Reductions of all elements to one number that may stand in a run of arrays of one shape."""

UNCAST = frozenset(map(np.dtype, ("f4", "f8", "c8", "c16")))
PAIRWISE = frozenset(map(np.dtype, ("f4", "f8")))
"""What NumPy adds up by halves."""

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
    run: Run | None = None
    for equation in graph.equations:
        if run is not None and run.takes(equation):
            run.add(equation)
        elif run is not None and is_movable(equation) and not any(
                v in e.outputs for e in run.equations for v in equation.inputs):
            ordered.append(equation)
        else:
            ordered += run.equations if run is not None else []
            run = Run(equation) if is_rowwise(equation) else None
            ordered += [equation] if run is None else []
    graph.equations[:] = ordered + (run.equations if run is not None else [])


def is_movable(e: Equation) -> bool:
    """Whether it only looks at an array: a view at a place that is known, which cannot fail."""
    return is_pure(e) and (e.op.view or e.op.name == "getitem") and len(e.inputs) == 1


def is_pure(e: Equation) -> bool:
    return not (e.has_effect or e.regions or e.op.inplace or e.op.name == "list_of" or e.errstate)


def runs(graph: Graph) -> list[list[Equation]]:
    """The runs of a graph's own equations that may be cut into tiles, longest possible."""
    if not any(map(is_large, graph.equations)):
        return []
    found: list[Run] = []
    open_run = False
    for equation in graph.equations:
        if open_run and found[-1].takes(equation):
            found[-1].add(equation)
            continue
        open_run = is_rowwise(equation)
        if open_run:
            found.append(Run(equation))
    return [r.equations for r in found if r.pays]


class Run:
    """Equations that stand in a row and work on the same rows.

    shapes  of their arrays.
    totals  the numbers that all elements of an array are reduced to, known after the last piece.
    """

    def __init__(self, first: Equation) -> None:
        self.equations: list[Equation] = []
        self.rows = rows_of(first)
        self.shapes: set[Any] = set()
        self.totals: set[Value] = set()
        self.add(first)

    @property
    def pays(self) -> bool:
        """Whether it is worth calling a function of rows for."""
        largest = max(map(size_of, self.equations))
        return largest >= LARGE and len(self.equations) > (
            1 if self.totals and largest >= HUGE else 2)

    def takes(self, e: Equation) -> bool:
        """Whether the equation may be the next of the run."""
        if self.totals and not self.totals.isdisjoint(e.inputs):
            return False
        if is_total(e):
            return len(self.shapes | shapes_of(e)) == 1
        return is_rowwise(e) and rows_of(e) == self.rows and not (
            self.totals and self.shapes | shapes_of(e) != self.shapes)

    def add(self, e: Equation) -> None:
        self.equations.append(e)
        self.shapes |= shapes_of(e)
        self.totals.update(e.outputs if is_total(e) else ())


def shapes_of(e: Equation) -> set[Any]:
    """The shapes of the arrays in an equation; numbers have none."""
    types = [v.type for v in (*e.inputs, *e.outputs)]
    return {t.shape for t in types if isinstance(t, ArrayType)} - {()}


def rows_of(e: Equation) -> tuple[int, int]:
    """(rank, rows) of the result of an equation that works row by row."""
    t = e.outputs[0].type
    assert isinstance(t, ArrayType) and t.shape
    rows = t.shape[0]
    assert isinstance(rows, int)
    return len(t.shape), rows


def is_large(e: Equation) -> bool:
    return size_of(e) >= LARGE


def size_of(e: Equation) -> int:
    return size(e.outputs[0]) if len(e.outputs) == 1 else 0


def size(value: Value) -> int:
    return value.type.size if isinstance(value.type, ArrayType) else 1


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


def is_total(e: Equation) -> bool:
    """Whether it reduces all elements of an array to one number that can be found piece by
    piece."""
    x = e.args[0] if e.op.name in TOTALS and len(e.args) == 1 else None
    if not isinstance(x, Value) or not is_pure(e) or e.kwargs.get("axis") is not None or not (
            set(e.kwargs) <= {"axis"} and _is_numeric(x)):
        return False
    dtype = getattr(x.type, "dtype", np.dtype(object))
    return dtype in PAIRWISE or (e.op.name != "mean" and dtype.kind in "iu")


def _is_known(x: Value) -> bool:
    t = x.type
    return not isinstance(t, ArrayType) or t.is_static


def _is_numeric(x: Value) -> bool:
    t = x.type
    return isinstance(t, ArrayType) and t.is_static and bool(t.shape) and (
        t.dtype is not None and t.dtype.kind in "fiucb")
