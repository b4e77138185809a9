"""Matrix chains: a product of several matrices in the order that takes the fewest operations."""

from __future__ import annotations

from functools import cache
from typing import Any

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops.products import MATMUL
from autograph.runtime.optimize.uses import Uses, dtype_of, known_shape

Order = int | tuple[Any, ...]
"""The number of a factor, or a pair of orders: their product."""


def order_matrix_chains(graph: Graph, record: Record) -> None:
    """Orders `a @ b @ c …` by dynamic programming over the splits (Godbole, 1973).

    For products of matrices of known shapes; the first and the last factor may be vectors. Only
    products that are used once, by the next product, are taken apart. Another order
    changes the rounding, so this is for `fast_math`, and for integers, which wrap around.
    """
    _Chains(record, Uses(graph)).visit(graph)


class _Chains(Rewriter):
    def __init__(self, record: Record, uses: Uses) -> None:
        super().__init__(record)
        self.uses = uses

    def finish(self, equations: list[Equation]) -> list[Equation]:
        makers = {e.outputs[0]: e for e in equations if _is_product(e, self.record)}
        inner = {x for e in makers.values() for x in e.args if x in makers
                 and self.uses.is_single(x)}
        instead: dict[Equation, list[Equation]] = {}
        for out, e in makers.items():
            if out not in inner and (made := _reordered(e, inner, makers)):
                self.record.note(order_matrix_chains, e, made)
                made[-1].outputs = e.outputs
                instead.update({gone: [] for gone in _products_in(e, makers, inner)})
                instead[e] = made
        return [new for e in equations for new in instead.get(e, (e,))]


def _is_product(e: Equation, record: Record) -> bool:
    if not e.op.product or e.kwargs or e.settings or len(e.args) != 2:
        return False
    dtypes = {dtype_of(x) for x in (*e.args, *e.outputs)}
    dtype = dtypes.pop()
    return not dtypes and dtype is not None and (
        dtype.kind in ("iufc" if record.fast_math else "iu")) and all(
        len(known_shape(x) or ()) in (1, 2) for x in e.args)


def _factors(e: Equation, makers: dict[Value, Equation], inner: set[Value]) -> list[Value]:
    """Returns the factors from left to right."""
    found: list[Value] = []
    for x in e.args:
        found += _factors(makers[x], makers, inner) if x in inner else [x]
    return found


def _reordered(e: Equation, inner: set[Value], makers: dict[Value, Equation]) -> list[Equation]:
    """Returns the products of a chain in the best order; nothing if it has that already."""
    factors = _factors(e, makers, inner)
    shapes = [known_shape(x) or () for x in factors]
    made: list[Equation] = []
    if len(factors) < 3 or any(len(shape) != 2 for shape in shapes[1:-1]):
        return made
    cost, tree = best_order(_sizes(shapes))
    if cost < _cost(e, makers, inner)[0]:
        _write(tree, factors, e, made)
    return made


def _sizes(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """Returns d0, d1 … dn: factor i has d(i) rows, d(i+1) columns; a vector is a row or column."""
    first, last = shapes[0], shapes[-1]
    lead = (1, first[0]) if len(first) == 1 else first
    return (*lead, *(shape[1] for shape in shapes[1:-1]), 1 if len(last) == 1 else last[1])


@cache
def best_order(sizes: tuple[int, ...]) -> tuple[int, Order]:
    """Returns (multiplications, order) of a chain; an order is a factor's number or a pair.

    >>> best_order((10, 100, 5, 50))
    (7500, ((0, 1), 2))
    """
    def best(i: int, j: int) -> tuple[int, int]:
        if (i, j) not in table:
            table[i, j] = min(
                ((best(i, k)[0] + best(k + 1, j)[0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                 for k in range(i, j)), key=lambda pair: pair[0])
        return table[i, j]

    def tree(i: int, j: int) -> Order:
        return i if i == j else (tree(i, table[i, j][1]), tree(table[i, j][1] + 1, j))

    table: dict[tuple[int, int], tuple[int, int]] = {(i, i): (0, i) for i in range(len(sizes))}
    last = len(sizes) - 2
    return best(0, last)[0], tree(0, last)


def _cost(e: Equation, makers: dict[Value, Equation], inner: set[Value]) -> tuple[int, int, int]:
    """Returns (multiplications, rows, columns) of a product as it is written."""
    total, ends = 0, []
    for number, x in enumerate(e.args):
        cost, rows, columns = _cost(makers[x], makers, inner) if x in inner else (
            0, *_as_matrix(x, number))
        total += cost
        ends += [rows, columns]
    return total + ends[0] * ends[1] * ends[3], ends[0], ends[3]


def _as_matrix(x: Value, side: int) -> tuple[int, int]:
    """Returns rows and columns; a vector is a row on the left, a column on the right."""
    shape = known_shape(x) or ()
    if len(shape) == 2:
        return shape[0], shape[1]
    return (1, shape[0]) if side == 0 else (shape[0], 1)


def _products_in(e: Equation, makers: dict[Value, Equation], inner: set[Value]) -> list[Equation]:
    found = []
    for x in e.args:
        if x in inner:
            found += [makers[x], *_products_in(makers[x], makers, inner)]
    return found


def _write(tree: Order, factors: list[Value], like: Equation, made: list[Equation]) -> Value:
    """Adds the equations of an order, inner products first; returns the value of the last."""
    if isinstance(tree, int):
        return factors[tree]
    operands = tuple(_write(part, factors, like, made) for part in tree)
    t: Any = MATMUL.infer(*(x.type for x in operands))
    made.append(Equation(MATMUL, operands, {}, (Value(t),), (), like.location))
    return made[-1].outputs[0]
