"""Batched products: the products of all iterations of a loop as one, and powers of a matrix by
repeated squaring."""

from __future__ import annotations

import math

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Nest, Value
from autograph.runtime.ir.regions import Loop, as_for
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops import OPS, Op
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.linalg import COUNTED_POWER
from autograph.runtime.ops.products import MATMUL
from autograph.runtime.optimize.uses import dtype_of, known_shape

MAX_SIZE = {2: 10_000_000, 3: 1 << 15}
"""Elements that the products of all iterations may have together, by the rank of x. Where rows are
matrices, little but calls is saved: more would leave the cache, and cost memory for nothing."""

FEWEST = 4
"""Iterations from which on a matrix is raised to a power."""

INT, BOOL = PyType(int), PyType(bool)


def batch_products(graph: Graph, record: Record) -> None:
    """Moves the products `x[i] @ w` of a `for` loop over i before it, as one product.

    By default each row keeps its own product inside NumPy, so the bits are those of the loop;
    only the calls are saved. With `fast_math`, rows that are vectors are multiplied as one matrix.
    `for _ in range(n): r = r @ w` becomes `r @ w**n`, for integers (exact, as they wrap around) and
    with `fast_math`; where n is known at run time only, a test decides if it is large
    enough.
    """
    _Batcher(record).visit(graph)


class _Batcher(Rewriter):
    for_regions = True

    def after(self, e: Equation) -> list[Equation] | None:
        loop = as_for(e)
        if loop is None or loop.test is not None:
            return None
        if power := _power(loop, self.record):
            return power
        return [*_batched(loop, self.record), e] if loop.constant_length else None


# -- x[i] @ w -------------------------------------------------------------------------------------


def _batched(loop: Loop, record: Record) -> list[Equation]:
    """Returns the equations that make all products before the loop; the loop takes rows of them."""
    body, index = loop.body, loop.item
    rows = {e.outputs[0]: e for e in body.equations if _is_row(e, index)}
    made = _made_in(body)
    before: list[Equation] = []
    for e in body.equations:
        if not e.op.product or e.kwargs or e.settings or e.has_effect:
            continue
        left, right = e.args
        if left in rows and right not in made and rows[left].args[0] not in made:
            new = _all_at_once(rows[left], e, loop.iterable, record)
            if new:
                record.note(batch_products, e, new)
                before += new
                e.op, e.args = GETITEM, (new[-1].outputs[0], index)
                e.collect_inputs()
    return before


def _is_row(e: Equation, index: Value | None) -> bool:
    """Returns True for `x[i]` with the loop's own index."""
    return e.op is GETITEM and len(e.args) == 2 and e.args[1] is index and not e.settings


def _made_in(body: Graph) -> set[Atom]:
    return {*body.inputs, *(o for e in body.equations for o in e.outputs)}


def _all_at_once(row: Equation, product: Equation, steps: range, record: Record
                 ) -> list[Equation]:
    """Returns the product of every row with the matrix; nothing if it may not be the same."""
    x, w, out = row.args[0], product.args[1], product.outputs[0]
    shape, matrix, each = map(known_shape, (x, w, out))
    if not shape or not matrix or not each or len(matrix) != 2 or len(shape) not in MAX_SIZE:
        return []
    if steps != range(shape[0]) or math.prod(each) * shape[0] > MAX_SIZE[len(shape)]:
        return []
    dtype, given = dtype_of(out), dtype_of(x)
    result = ArrayType(dtype, (shape[0], *each))
    if len(shape) == 3 or record.fast_math:
        return [_equation(MATMUL, (x, w), result, product)]
    # A row at a time inside NumPy: (n, 1, k) @ (k, m), and the middle axis dropped again.
    stacked = _equation(GETITEM, (x, (slice(None), None)),
                        ArrayType(given, (shape[0], 1, shape[1])), product)
    all_rows = _equation(MATMUL, (stacked.outputs[0], w),
                         ArrayType(dtype, (shape[0], 1, *each)), product)
    flat = _equation(GETITEM, (all_rows.outputs[0], (slice(None), 0)), result, product)
    return [stacked, all_rows, flat]


def _equation(op: Op, args: tuple[Nest, ...], t: ArrayType, like: Equation) -> Equation:
    return Equation(op, args, {}, (Value(t),), (), like.location)


# -- r = r @ w, n times ---------------------------------------------------------------------------


def _power(loop: Loop, record: Record) -> list[Equation]:
    """Returns `r @ matrix_power(w, n)` for a loop that does nothing but multiply r by w; nothing
    for others."""
    body, count = loop.body, loop.constant_length
    if len(body.inputs) != 2 or len(body.equations) != 1 or not (
            is_range(loop.iterable) if count is None else count >= FEWEST):
        return []
    (e,), (carried,), (start,) = body.equations, loop.carried, loop.initial
    if not e.op.product or e.kwargs or e.settings or body.outputs != e.outputs:
        return []
    w = e.args[1] if e.args[0] is carried else e.args[0]
    if carried not in e.args or w in (carried, loop.item) or not _may_associate(
            w, start, e.outputs[0], record):
        return []
    made = _if_many(loop, e, w) if count is None else _product(loop, e, w, count)
    record.note(batch_products, loop.equation, made)
    return made


def is_range(steps: Atom) -> bool:
    return isinstance(steps, Value) and steps.type == PyType(range)


def _product(loop: Loop, e: Equation, w: Value, count: Atom) -> list[Equation]:
    """Returns the power, and its product with the value that the loop starts from."""
    power = Equation(COUNTED_POWER, (w, count), {}, (Value(w.type),), (), e.location)
    (raised,), (start,), (carried,) = power.outputs, loop.initial, loop.carried
    factors = (start, raised) if e.args[0] is carried else (raised, start)
    return [power, Equation(MATMUL, factors, {}, loop.results, (), e.location)]


def _if_many(loop: Loop, e: Equation, w: Value) -> list[Equation]:
    """Returns `if len(steps) >= FEWEST: the power, else: the loop`, which may give its start
    itself."""
    count, test, outer = Value(INT), Value(BOOL), loop.equation
    outputs = outer.outputs
    outer.outputs = tuple(Value(o.type, o.hint) for o in outputs)
    many = _product(loop, e, w, count)
    many[-1].outputs = tuple(Value(o.type, o.hint) for o in outputs)
    branches = Graph("true", (), many, many[-1].outputs), Graph("false", (), [outer], outer.outputs)
    return [Equation(OPS["len_"], (loop.iterable,), {}, (count,), (), outer.location),
            Equation(OPS["greater_equal"], (count, FEWEST), {}, (test,), (), outer.location),
            Equation(OPS["cond"], (test,), {}, outputs, branches, outer.location)]


def _may_associate(w: Atom, start: Atom, out: Value, record: Record) -> bool:
    """Returns True if the factors may be multiplied in any order: integers wrap around."""
    factor, first, last = map(known_shape, (w, start, out))
    dtypes = {dtype_of(v) for v in (w, start, out)}
    if factor is None or first is None or first != last or len(dtypes) != 1:
        return False
    dtype = dtypes.pop()
    return dtype is not None and dtype.kind in ("iuf" if record.fast_math else "iu") and (
        len(factor) == len(first) == 2 and factor[0] == factor[1])
