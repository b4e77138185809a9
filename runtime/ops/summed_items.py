"""The derivative of Python's `sum` of a list that only the run knows, without a loop."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ops.kept_values import fitted_to, sum_of, zero_of
from autograph.runtime.ops.op import Op, define
from autograph.runtime.ops.samples import SCALAR, VECTOR, call
from autograph.runtime.ops.type_rules import fixed


def spread_over(g: Any, items: Any, start: Any) -> list[Any]:
    """Returns the cotangents of the items, and of the start, of `sum(items, start)` from that of
    the sum: all of it to each, or to each of some lists its piece.

    >>> spread_over(2.0, [1.0, 5.0], 0), spread_over([1.0, 2.0, 3.0], [[5.0, 6.0]], [4.0])
    ([[2.0, 2.0], np.float64(2.0)], [[[2.0, 3.0]], [1.0]])
    """
    if g is None or isinstance(items, dict):
        return [zero_of(items), zero_of(start)]
    if isinstance(start, (list, tuple)):
        ends = list(accumulate(map(len, items), initial=len(start)))
        return [[g[a:b] for a, b in pairwise(ends)], g[:len(start)]]
    if isinstance(items, np.ndarray) and items.dtype.kind in "fc":
        parts: Any = np.array(np.broadcast_to(g, items.shape), items.dtype)
    else:
        parts = [fitted_to(g, x) for x in items]
    return [parts, fitted_to(g, start)]


def summed_parts(h: Any, g: Any, items: Any, start: Any) -> Any:
    """Returns the transpose, what is like g: the sum of the parts, or the lists joined."""
    if h is None or g is None or isinstance(items, dict):
        return None
    of_items, of_start = h
    parts = [None] * len(items) if of_items is None else of_items
    if isinstance(start, (list, tuple)):
        rows = zip([of_start, *parts], [start, *items], strict=True)
        return [x for p, row in rows for x in ([None] * len(row) if p is None else p)]
    made = zero_of(g)
    for part in (of_start, *parts):
        made = sum_of(made, part)
    return made


SPREAD_OVER = define(Op(
    "spread_over", spread_over, fixed(DYNAMIC), "",
    (call(2.0, [SCALAR, 3.0], 0), call([1.0, 2.0], [[SCALAR], [3.0]], [])), onnx=None,
    holds_operands=True, doc="the cotangents of the items and of the start of `sum(items, start)`"))
SUMMED_PARTS = define(Op(
    "summed_parts", summed_parts, fixed(DYNAMIC), "",
    (call([[1.0, None], None], 2.0, [SCALAR, 3.0], 0),
     call([[VECTOR], 1.0], VECTOR, [VECTOR], 2.0),
     call([[[1.0]], [2.0]], [3.0, 4.0], [[SCALAR]], [5.0])), onnx=None,
    holds_operands=True, doc="the sum of what belongs to the items and the start of a sum"))
