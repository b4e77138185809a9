"""Fusion groups: elementwise equations over large arrays that run together, in tiles."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.types import ArrayType, Shape
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops.op import Reduction
from autograph.runtime.optimize.effects_and_exceptions import may_raise

LARGE = 1 << 15
"""Words, of eight bytes each, of an array that is worth cutting into tiles."""

HUGE = 1 << 19
"""Words of an array that one operation and a sum are worth cutting."""

UNCAST = frozenset(map(np.dtype, ("f4", "f8", "c8", "c16")))
PAIRWISE = frozenset(map(np.dtype, ("f4", "f8")))
"""The dtypes that NumPy adds up by halves."""


def form_fusion_groups(graph: Graph, record: Record) -> None:
    """Moves views that do not depend on a group of row by row equations before the group.

    Only the order changes; an equation that may warn, raise, or change something keeps its place.
    """
    _Grouper(record).visit(graph)


class _Grouper(Rewriter):
    def finish(self, equations: list[Equation]) -> list[Equation]:
        if not any(map(is_rowwise, large(equations))):
            return equations
        ordered: list[Equation] = []
        group: FusionGroup | None = None
        for e in equations:
            if group is not None and group.takes(e):
                group.add(e)
            elif group is not None and is_movable(e, group.made):
                ordered.append(e)
            else:
                ordered += group.equations if group is not None else []
                group = FusionGroup(e) if is_rowwise(e) else None
                ordered += [e] if group is None else []
        return ordered + (group.equations if group is not None else [])


def is_movable(e: Equation, group: Collection[Value]) -> bool:
    """Returns True for a view of an array, at a known index if at one, that cannot fail and uses
    nothing that a group makes."""
    return may_be_grouped(e) and e.op.view and len(e.inputs) == 1 and (
        not may_raise(e) and not any(v in group for v in e.uses))


def may_be_grouped(e: Equation) -> bool:
    """Returns True if an equation may run beside others, in tiles: it gives new values alone."""
    return not (e.has_effect or e.regions or e.op.inplace or e.settings)


def fusion_groups(graph: Graph) -> list[list[Equation]]:
    """Returns the groups of a graph's own equations that may run in tiles, each of the greatest
    length."""
    if not large(graph.equations):
        return []
    found: list[FusionGroup] = []
    is_open = False
    for equation in graph.equations:
        if is_open and found[-1].takes(equation):
            found[-1].add(equation)
            continue
        is_open = is_rowwise(equation)
        if is_open:
            found.append(FusionGroup(equation))
    return [group.equations for group in found if group.pays]


class FusionGroup:
    """Neighbouring equations that work on the same rows.

    made        the values that they make.
    shapes      of their arrays.
    reductions  the numbers that all elements of an array are reduced to, known after the last tile.
    """

    def __init__(self, first: Equation) -> None:
        self.equations: list[Equation] = []
        self.rows = rows_of(first)
        self.made: set[Value] = set()
        self.shapes: set[Shape | None] = set()
        self.reductions: set[Value] = set()
        self.add(first)

    @property
    def pays(self) -> bool:
        """True if the group is worth a function of rows."""
        largest = max(map(size_of, self.equations))
        return largest >= LARGE and len(self.equations) > (
            1 if self.reductions and largest >= HUGE else 2)

    def takes(self, e: Equation) -> bool:
        """Returns True if the equation may be the next of the group."""
        if self.reductions and not self.reductions.isdisjoint(e.inputs):
            return False
        if is_full_reduction(e):
            return len(self.shapes | shapes_of(e)) == 1
        return is_rowwise(e) and rows_of(e) == self.rows and not (
            self.reductions and self.shapes | shapes_of(e) != self.shapes)

    def add(self, e: Equation) -> None:
        self.equations.append(e)
        self.made.update(e.outputs)
        self.shapes |= shapes_of(e)
        self.reductions.update(e.outputs if is_full_reduction(e) else ())


def shapes_of(e: Equation) -> set[Shape | None]:
    """Returns the shapes of the arrays in an equation; numbers have none."""
    types = [v.type for v in (*e.inputs, *e.outputs)]
    return {t.shape for t in types if isinstance(t, ArrayType)} - {()}


def rows_of(e: Equation) -> tuple[int, int]:
    """Returns (rank, rows) of the result of an equation that works row by row."""
    t = e.outputs[0].type
    assert isinstance(t, ArrayType) and t.shape
    rows = t.shape[0]
    assert isinstance(rows, int)
    return len(t.shape), rows


def large(equations: list[Equation]) -> list[Equation]:
    """Returns the equations whose results are worth cutting."""
    return [e for e in equations if len(e.outputs) == 1 and (
        (t := e.outputs[0].type).__class__ is ArrayType) and t.words >= LARGE]


def size_of(e: Equation) -> int:
    """Returns how many words of memory the result takes: what fits into a cache is left there."""
    t = e.outputs[0].type
    return t.words if isinstance(t, ArrayType) else 1


def size(value: Value) -> int:
    return value.type.size if isinstance(value.type, ArrayType) else 1


def is_rowwise(e: Equation) -> bool:
    """Returns True if row i of the result depends on row i of the arguments only, or on operands
    that all rows share."""
    if not may_be_grouped(e) or len(e.outputs) != 1 or not _is_numeric(e.outputs[0]):
        return False
    if e.op.reduction is not None and e.op.reduction.by_rows:
        return _reduces_within_rows(e, e.op.reduction)
    if e.kwargs or (e.op.ufunc is None and e.op.elementwise_arity != len(e.args)) or (
            depends_on_position(e.op.ufunc)):
        return False
    rank, rows = rows_of(e)
    operands = [x for x in e.args if isinstance(x, Value)]
    if len(e.inputs) != len(operands) or not all(map(_is_known, operands)):
        return False
    return rows > 1 and any(is_cut(x, rank, rows) for x in operands) and all(
        is_cut(x, rank, rows) or is_shared(x, rank) for x in operands)


@cache
def depends_on_position(ufunc: np.ufunc | None) -> bool:
    """Returns True if it depends on where two elements are in an array which zero a ufunc gives: so
    it is with NumPy's `fmin` and `fmax`, whose vector instructions choose as others do not."""
    if ufunc is None or ufunc.nin != 2 or ufunc.nout != 1 or ufunc.signature is not None:
        return False
    for dtype in PAIRWISE:
        x = np.resize(np.array([0.0, -0.0], dtype), 65)
        try:
            with np.errstate(all="ignore"):
                parts = [ufunc(x[k:k + 5], -x[k:k + 5]) for k in range(0, 65, 5)]
                if np.concatenate(parts).tobytes() != ufunc(x, -x).tobytes():
                    return True
        except TypeError:
            return False
    return False


def is_cut(x: Value, rank: int, rows: int) -> bool:
    """Returns True if the rows of a value are those of the group."""
    t = x.type
    return isinstance(t, ArrayType) and t.shape is not None and len(t.shape) == rank and (
        t.shape[0] == rows)


def is_shared(x: Value, rank: int) -> bool:
    """Returns True if all rows share a value: a number, or an array without that axis."""
    t = x.type
    if not isinstance(t, ArrayType):
        return True
    return t.shape is not None and (len(t.shape) < rank or t.shape[0] == 1)


def _reduces_within_rows(e: Equation, reduction: Reduction) -> bool:
    """Returns True for a reduction along the last axis, with `keepdims`, of elements that are not
    cast (NumPy casts in pieces of its own)."""
    x, axis = e.args[0], e.args[1] if len(e.args) == 2 else e.kwargs.get("axis")
    if len(e.args) > 2 or set(e.kwargs) - {"axis", "keepdims"} or e.kwargs.get(
            "keepdims") is not True or not isinstance(x, Value) or len(e.inputs) != 1:
        return False
    if not (_is_numeric(x) and type(axis) is int):
        return False
    rank, rows = rows_of(e)
    dtype = getattr(x.type, "dtype", np.dtype(object))
    exact = reduction.selects or dtype in UNCAST or (not reduction.mean and dtype.kind in "iub")
    return exact and rank > 1 and rows > 1 and axis in (-1, rank - 1) and is_cut(x, rank, rows)


def is_full_reduction(e: Equation) -> bool:
    """Returns True for a reduction of all elements of an array that can be computed tile by
    tile."""
    reduction = e.op.reduction
    if reduction is None or not reduction.in_parts or len(e.args) != 1:
        return False
    x = e.args[0]
    if not isinstance(x, Value) or not may_be_grouped(e) or (
            e.kwargs.get("axis") is not None) or not (
            set(e.kwargs) <= {"axis"} and _is_numeric(x)):
        return False
    dtype = getattr(x.type, "dtype", np.dtype(object))
    return dtype in PAIRWISE or (not reduction.mean and dtype.kind in "iu")


def is_mean(e: Equation) -> bool:
    return e.op.reduction is not None and e.op.reduction.mean


def _is_known(x: Value) -> bool:
    t = x.type
    return not isinstance(t, ArrayType) or t.is_static


def _is_numeric(x: Value) -> bool:
    t = x.type
    return isinstance(t, ArrayType) and t.is_static and bool(t.shape) and (
        t.dtype is not None and t.dtype.kind in "fiucb")
