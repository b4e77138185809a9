"""Products in recurrences: what each round computes from its own row is computed for all rows at
once, and a power of a matrix by repeated squaring."""

from __future__ import annotations

import math
from typing import Any

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ops import OPS
from autograph.runtime.optimize.effects_and_exceptions import constant_length
from autograph.runtime.optimize.uses import (
    PRODUCTS,
    Uses,
    dtype_of,
    known_shape,
    rename,
    rename_outputs,
)

MAX_SIZE = 10_000_000
"""Elements that the products of all rounds may have together."""

FEWEST = 4
"""Rounds from which on a matrix is raised to a power."""

INT, BOOL = PyType(int), PyType(bool)


def products(graph: Graph, record: Record) -> None:
    """Move the products `x[i] @ w` of a `for` loop over i before it, as one product.

    By default each row keeps its own product inside NumPy, so the bits are those of the loop: what
    is saved is the calls. With `fast_math`, rows that are vectors are multiplied as one matrix.
    `for _ in range(n): r = r @ w` becomes `r @ w**n`, for integers (exact, as they wrap around) and
    with `fast_math`; where the run decides n, under a test whether there are rounds enough.
    """
    _visit(graph, Uses(graph), record)


def _visit(graph: Graph, uses: Uses, record: Record) -> None:
    kept: list[Equation] = []
    for e in graph.equations:
        rename(e, record)
        for region in regions_of(e):
            _visit(region, uses, record)
        if e.op.name == "for" and len(e.regions) == 1:
            if power := _power(e, record):
                kept += power
                continue
            if constant_length(e.args[0]):
                kept += _batched(e, uses, record)
        kept.append(e)
    graph.equations[:] = kept
    rename_outputs(graph, record)


# -- x[i] @ w -------------------------------------------------------------------------------------


def _batched(loop: Equation, uses: Uses, record: Record) -> list[Equation]:
    """The equations before the loop that make the products of all rounds; the loop takes rows."""
    body = loop.regions[0]
    index = body.inputs[0]
    rows = {e.outputs[0]: e for e in body.equations if _is_row(e, index)}
    made = _made_in(body)
    before: list[Equation] = []
    for e in body.equations:
        if e.op.name not in PRODUCTS or e.kwargs or e.errstate or e.has_effect:
            continue
        left, right = e.args
        if left in rows and right not in made and rows[left].args[0] not in made:
            new = _all_at_once(rows[left], e, loop.args[0], record)
            if new:
                record.note(products, e, new)
                before += new
                e.op, e.args = OPS["getitem"], (new[-1].outputs[0], index)
                e.collect_inputs()
    return before


def _is_row(e: Equation, index: Value) -> bool:
    """`x[i]` with the loop's own index."""
    return e.op.name == "getitem" and len(e.args) == 2 and e.args[1] is index and not e.errstate


def _made_in(body: Graph) -> set[Any]:
    return {*body.inputs, *(o for e in body.equations for o in e.outputs)}


def _all_at_once(row: Equation, product: Equation, steps: range, record: Record
                 ) -> list[Equation]:
    """The product of every row with the matrix; empty if it is not known to be the same."""
    x, w, out = row.args[0], product.args[1], product.outputs[0]
    shape, matrix, each = map(known_shape, (x, w, out))
    if not shape or not matrix or not each or len(matrix) != 2 or len(shape) not in (2, 3):
        return []
    if steps != range(shape[0]) or math.prod(each) * shape[0] > MAX_SIZE:
        return []
    dtype, given = dtype_of(out), dtype_of(x)
    whole = ArrayType(dtype, (shape[0], *each))
    if len(shape) == 3 or record.fast_math:
        return [_equation("matmul", (x, w), whole, product)]
    # A row at a time inside NumPy: (n, 1, k) @ (k, m), and the middle axis dropped again.
    stacked = _equation("getitem", (x, (slice(None), None)),
                        ArrayType(given, (shape[0], 1, shape[1])), product)
    all_rows = _equation("matmul", (stacked.outputs[0], w),
                         ArrayType(dtype, (shape[0], 1, *each)), product)
    flat = _equation("getitem", (all_rows.outputs[0], (slice(None), 0)), whole, product)
    return [stacked, all_rows, flat]


def _equation(op: str, args: tuple[Any, ...], t: ArrayType, place: Equation) -> Equation:
    return Equation(OPS[op], args, {}, (Value(t),), (), place.location)


# -- r = r @ w, n times ---------------------------------------------------------------------------


def _power(loop: Equation, record: Record) -> list[Equation]:
    """`r @ matrix_power(w, n)` for a loop that does nothing but multiply r by w; empty for
    others."""
    body, rounds = loop.regions[0], constant_length(loop.args[0])
    if len(body.inputs) != 2 or len(body.equations) != 1 or not (
            is_range(loop.args[0]) if rounds is None else rounds >= FEWEST):
        return []
    (e,), carried, start = body.equations, body.inputs[1], loop.args[1]
    if e.op.name not in PRODUCTS or e.kwargs or e.errstate or body.outputs != e.outputs:
        return []
    w = e.args[1] if e.args[0] is carried else e.args[0]
    if carried not in e.args or w in (carried, body.inputs[0]) or not _may_associate(
            w, start, e.outputs[0], record):
        return []
    made = _if_many(loop, e, w) if rounds is None else _product(loop, e, w, rounds)
    record.note(products, loop, made)
    return made


def is_range(steps: Any) -> bool:
    return isinstance(steps, Value) and steps.type == PyType(range)


def _product(loop: Equation, e: Equation, w: Value, rounds: Any) -> list[Equation]:
    """The power, and its product with what the loop starts from."""
    power = Equation(OPS["counted_power"], (w, rounds), {}, (Value(w.type),), (), e.location)
    (raised,), start = power.outputs, loop.args[1]
    factors = (start, raised) if e.args[0] is loop.regions[0].inputs[1] else (raised, start)
    return [power, Equation(OPS["matmul"], factors, {}, loop.outputs, (), e.location)]


def _if_many(loop: Equation, e: Equation, w: Value) -> list[Equation]:
    """`if len(steps) >= FEWEST: the power, else: the loop`, which may give its start itself."""
    count, test = Value(INT), Value(BOOL)
    outputs = loop.outputs
    loop.outputs = tuple(Value(o.type, o.hint) for o in outputs)
    many = _product(loop, e, w, count)
    many[-1].outputs = tuple(Value(o.type, o.hint) for o in outputs)
    branches = Graph("true", (), many, many[-1].outputs), Graph("false", (), [loop], loop.outputs)
    return [Equation(OPS["len_"], (loop.args[0],), {}, (count,), (), loop.location),
            Equation(OPS["greater_equal"], (count, FEWEST), {}, (test,), (), loop.location),
            Equation(OPS["cond"], (test,), {}, outputs, branches, loop.location)]


def _may_associate(w: Any, start: Any, out: Value, record: Record) -> bool:
    """Whether the order in which the factors are multiplied is free: integers wrap around."""
    factor, first, last = map(known_shape, (w, start, out))
    dtypes = {dtype_of(v) for v in (w, start, out)}
    if factor is None or first is None or first != last or len(dtypes) != 1:
        return False
    dtype = dtypes.pop()
    return dtype is not None and dtype.kind in ("iuf" if record.fast_math else "iu") and (
        len(factor) == len(first) == 2 and factor[0] == factor[1])
