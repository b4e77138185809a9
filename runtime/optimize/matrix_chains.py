"""Matrix chains: a product of several matrices in the order that takes the fewest operations."""

from __future__ import annotations

from functools import cache
from typing import Any

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.ops import OPS
from autograph.runtime.optimize.uses import PRODUCTS, Uses, dtype_of, known_shape, rename


def matrix_chains(graph: Graph, record: Record) -> None:
    """Order `a @ b @ c …` by dynamic programming over the splits (Godbole, 1973).

    For products of matrices of known shapes; the first and the last factor may be vectors. Only
    products that are used once, by the next product, are taken apart. Another order rounds
    differently, so this is for `fast_math`, and for integers, which wrap around.
    """
    _visit(graph, Uses(graph), record)


def _visit(graph: Graph, uses: Uses, record: Record) -> None:
    makers = {e.outputs[0]: e for e in graph.equations if _is_product(e, record)}
    for e in graph.equations:
        rename(e, record)
        for region in regions_of(e):
            _visit(region, uses, record)
    inner = {x for e in makers.values() for x in e.args if x in makers and uses.is_single(x)}
    for out, e in makers.items():
        if out not in inner:
            factors = _factors(e, makers, inner)
            if len(factors) > 2:
                _reorder(graph, e, factors, inner, makers, record)


def _is_product(e: Equation, record: Record) -> bool:
    if e.op.name not in PRODUCTS or e.kwargs or e.errstate or len(e.args) != 2:
        return False
    dtypes = {dtype_of(x) for x in (*e.args, *e.outputs)}
    dtype = dtypes.pop()
    return not dtypes and dtype is not None and (
        dtype.kind in ("iufc" if record.fast_math else "iu")) and all(
        len(known_shape(x) or ()) in (1, 2) for x in e.args)


def _factors(e: Equation, makers: dict[Value, Equation], inner: set[Value]) -> list[Value]:
    """The factors from left to right."""
    found: list[Value] = []
    for x in e.args:
        found += _factors(makers[x], makers, inner) if x in inner else [x]
    return found


def _reorder(graph: Graph, e: Equation, factors: list[Value], inner: set[Value],
             makers: dict[Value, Equation], record: Record) -> None:
    """Write the products anew in the best order, if it is better than the order that is there."""
    shapes = [known_shape(x) or () for x in factors]
    if any(len(shape) != 2 for shape in shapes[1:-1]):
        return
    cost, tree = best_order(_sizes(shapes))
    if cost >= _cost(e, makers, inner)[0]:
        return
    gone = _products_in(e, makers, inner)
    made: list[Equation] = []
    _write(tree, factors, e, made)
    record.note(matrix_chains, e, made)
    made[-1].outputs = e.outputs
    at = graph.equations.index(e)
    graph.equations[at:at + 1] = made
    graph.equations[:] = [x for x in graph.equations if x not in gone]


def _sizes(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """d0, d1 … dn: factor i has d(i) rows and d(i+1) columns; a vector is a row or column."""
    first, last = shapes[0], shapes[-1]
    lead = (1, first[0]) if len(first) == 1 else first
    return (*lead, *(shape[1] for shape in shapes[1:-1]), 1 if len(last) == 1 else last[1])


@cache
def best_order(sizes: tuple[int, ...]) -> tuple[int, Any]:
    """(multiplications, order) of a chain; the order is a factor's number or a pair of orders.

    >>> best_order((10, 100, 5, 50))
    (7500, ((0, 1), 2))
    """
    def best(i: int, j: int) -> tuple[int, Any]:
        if (i, j) not in table:
            table[i, j] = min(
                ((best(i, k)[0] + best(k + 1, j)[0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                 for k in range(i, j)), key=lambda pair: pair[0])
        return table[i, j]

    def tree(i: int, j: int) -> Any:
        return i if i == j else (tree(i, table[i, j][1]), tree(table[i, j][1] + 1, j))

    table: dict[tuple[int, int], tuple[int, Any]] = {(i, i): (0, i) for i in range(len(sizes))}
    last = len(sizes) - 2
    return best(0, last)[0], tree(0, last)


def _cost(e: Equation, makers: dict[Value, Equation], inner: set[Value]) -> tuple[int, int, int]:
    """(multiplications, rows, columns) of a product as it is written."""
    total, ends = 0, []
    for number, x in enumerate(e.args):
        cost, rows, columns = _cost(makers[x], makers, inner) if x in inner else (
            0, *_as_matrix(x, number))
        total += cost
        ends += [rows, columns]
    return total + ends[0] * ends[1] * ends[3], ends[0], ends[3]


def _as_matrix(x: Value, side: int) -> tuple[int, int]:
    """Rows and columns; a vector is a row on the left, a column on the right."""
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


def _write(tree: Any, factors: list[Value], place: Equation, made: list[Equation]) -> Value:
    """The equations of an order, inner products first; the value of the whole."""
    if isinstance(tree, int):
        return factors[tree]
    operands = tuple(_write(part, factors, place, made) for part in tree)
    t: Any = OPS["matmul"].infer(*(x.type for x in operands))
    made.append(Equation(OPS["matmul"], operands, {}, (Value(t),), (), place.location))
    return made[-1].outputs[0]
