"""Summed products: what a derivative's loop adds up, a product of matrices an iteration, is one
product of all of them together, behind the loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import Loop, as_for
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops import OPS
from autograph.runtime.ops.adjoints import SUM_TO_TYPE
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.kept_values import KEPT_AT
from autograph.runtime.ops.products import MATMUL
from autograph.runtime.optimize.uses import Uses, dtype_of, known_shape

FEWEST = 8
"""Iterations from which on it pays to keep the factors."""

LEAST, LEAST_WORK = 64, 1 << 14
"""Elements of a sum from which on it pays, as loops over less may run on its numbers; and products
of numbers in all iterations, as machine code makes fewer in the time that a call takes."""

MOST, MOST_BYTES, THIN = 1 << 22, 1 << 22, 64
"""Elements of all factors, and their bytes if an iteration has more than so many rows: then the
products of the iterations are as fast, if the factors leave the cache."""

EVERYTHING = slice(None)
TRANSPOSE = OPS["transpose"]


def sum_products(graph: Graph, record: Record) -> None:
    """Moves sums of products out of the loops of derivatives.

    `for k in …: total += x[k].T @ g` becomes `for k in …: gs[k] = g` and, behind it, `total +=
    xs.T @ gs`, where rows of all iterations stand below each other; `np.outer(x[k], g)` likewise,
    and sums of such rows. It is another order of summation, so the last bits differ: a loop that
    reads what another one kept is one of a derivative.
    """
    _Summer(record, Uses(graph), {o for e in graph.walk() if e.op.zeros for o in e.outputs}
            ).visit(graph)


@dataclass(frozen=True)
class _Sum:
    """`total + left.T @ right`, or the sum of the rows of `left`, if `right` is None.

    index      that of the total among the carried values.
    equations  those that go.
    """

    index: int
    left: Value
    right: Value | None
    equations: tuple[Equation, ...]


class _Summer(Rewriter):
    for_regions = True

    def __init__(self, record: Record, uses: Uses, zeros: set[Value]) -> None:
        super().__init__(record)
        self.uses = uses
        self.zeros = zeros

    def after(self, e: Equation) -> list[Equation] | None:
        loop = as_for(e)
        n = loop.constant_length if loop is not None else None
        if loop is None or n is None or n < FEWEST or loop.test is not None or not (
                loop.iterable in (range(n), range(n - 1, -1, -1))
                and any(x.op is KEPT_AT for x in loop.body.equations)):
            return None
        sums = _Sums(loop, n, self.uses)
        found = sums.found()
        return self.moved(loop, found, sums) if found else None

    def moved(self, loop: Loop, found: list[_Sum], sums: _Sums) -> list[Equation]:
        """Returns the loop without the sums, and what makes them behind it."""
        used = {each.left for each in found}
        loop.body.equations += [x for x in sums.made.values() if x.outputs[0] in used]
        rows = _Rows(loop, sums.n)
        behind: list[Equation] = []
        for each in found:
            start, result = loop.initial[each.index], loop.results[each.index]
            made = rows.product(each.left, each.right)
            if start not in self.zeros:
                total = Value(result.type)
                made[-1].outputs = (total,)
                made.append(_equation("add", (start, total), result.type))
            made[-1].outputs = (result,)
            for x in made:
                x.location = each.equations[0].location
            self.record.note(sum_products, each.equations[-1], made)
            behind += made
        gone = {x for each in found for x in each.equations}
        loop.body.equations[:] = [x for x in loop.body.equations if x not in gone]
        loop.drop({each.index for each in found})
        rows.keep()
        return [*rows.before, loop.equation, *rows.behind, *behind]


class _Sums:
    """The sums of a loop that may be made behind it."""

    def __init__(self, loop: Loop, n: int, uses: Uses) -> None:
        self.loop = loop
        self.n = n
        self.uses = uses
        self.makers = {v: e for e in loop.body.equations for v in e.outputs}
        self.made: dict[Value, Equation] = {}

    def found(self) -> list[_Sum]:
        """Returns the sums of products, and of what their factors are."""
        terms = [(k, *term) for k in range(len(self.loop.carried))
                 if (term := self.term(k)) is not None]
        sums = [each for k, add, value in terms if (each := self.product(k, add, value))]
        factors = {v for each in sums for v in (each.left, each.right)}
        return sums + [each for k, add, value in terms
                       if (each := self.rows(k, add, value)) and each.left in factors]

    def term(self, k: int) -> tuple[Equation, Value] | None:
        """Returns the equation that adds to a carried value and does nothing else, and what it
        adds."""
        total, end = self.loop.carried[k], self.loop.body.outputs[k]
        add = self.makers.get(end) if isinstance(end, Value) else None
        if add is None or add.op.ufunc is not np.add or add.kwargs or add.settings or not (
                len(add.args) == 2 and self.uses.is_single(total) and self.uses.is_single(end)):
            return None
        others = [x for x in add.args if x is not total]
        if len(others) != 1 or not isinstance(others[0], Value) or others[0].type != total.type:
            return None
        return add, others[0]

    def product(self, k: int, add: Equation, value: Value) -> _Sum | None:
        e = self.makers.get(value)
        if e is None or not self.uses.is_single(value) or e.kwargs or e.settings:
            return None
        factors = self.factors(e)
        shapes = [known_shape(x) for x in factors or ()]
        if factors is None or None in shapes or {dtype_of(x) for x in factors} != {
                dtype_of(value)} or not self.pays(factors, value) or not all(
                    x in self.makers or x in self.loop.carried for x in self.unturned(factors)):
            return None
        return _Sum(k, *factors, (add, e))

    def factors(self, e: Equation) -> tuple[Value, Value] | None:
        """Returns what is multiplied, as rows: x and y of `x.T @ y`, and of an outer product."""
        if len(e.args) != 2:
            return None
        left, right = e.args
        if e.op.product and all(len(known_shape(x) or ()) == 2 for x in e.args):
            return self.operand(left, TRANSPOSE, lambda args: len(args) == 1) or self.turned(
                left), right
        if e.op.ufunc is not np.multiply:
            return None
        for a, b in ((left, right), (right, left)):
            x = self.operand(a, GETITEM, lambda args: args[1:] == ((EVERYTHING, None),))
            y = self.operand(b, GETITEM, lambda args: args[1:] == ((None, EVERYTHING),)) or b
            if x is not None and all(len(known_shape(v) or ()) == 1 for v in (x, y)):
                return x, y
        return None

    def turned(self, x: Value) -> Value:
        """Returns the transposed matrix, which an equation of its own makes in the body."""
        if x not in self.made:
            rows, columns = known_shape(x) or (0, 0)
            self.made[x] = _equation("transpose", (x,), ArrayType(dtype_of(x), (columns, rows)))
        return self.made[x].outputs[0]

    def operand(self, x: Atom, op: Any, fits: Callable[[tuple[Any, ...]], bool]) -> Value | None:
        """Returns the first operand of the equation that makes x, if it is as asked for."""
        e = self.makers.get(x) if isinstance(x, Value) else None
        return e.args[0] if e is not None and e.op is op and not e.kwargs and fits(
            e.args) else None

    def unturned(self, factors: tuple[Value, Value]) -> list[Value]:
        """Returns the factors as they were, so far as they have been transposed."""
        before = {e.outputs[0]: x for x, e in self.made.items()}
        return [before.get(x, x) for x in factors]

    def pays(self, factors: tuple[Value, Value], value: Value) -> bool:
        size = self.n * sum(prod(known_shape(x) or ()) for x in factors)
        rows, dtype = prod((known_shape(factors[1]) or ())[:-1]), dtype_of(value)
        elements = prod(known_shape(value) or ())
        return dtype is not None and dtype.kind in "fc" and size <= MOST and (
            elements >= LEAST and self.n * rows * elements >= LEAST_WORK) and (
                rows <= THIN or size * dtype.itemsize <= MOST_BYTES)

    def rows(self, k: int, add: Equation, value: Value) -> _Sum | None:
        """Returns the sum of the rows of a value, or of a vector."""
        e = self.makers.get(value)
        if len(known_shape(value) or ()) != 1:
            return None
        if e is not None and (e.op is SUM_TO_TYPE or (
                e.op is OPS["sum"] and dict(e.kwargs) == {"axis": 0})) and (
                    dtype_of(e.args[0]) == dtype_of(value)) and (
                len(known_shape(e.args[0]) or ()) == 2 and self.uses.is_single(value)):
            return _Sum(k, e.args[0], None, (add, e))
        return _Sum(k, value, None, (add,))


class _Rows:
    """The rows of all iterations, one matrix for each factor.

    before  equations that make arrays for them before the loop.
    behind  equations behind it that the sums need.
    """

    def __init__(self, loop: Loop, n: int) -> None:
        self.loop = loop
        self.n = n
        self.before: list[Equation] = []
        self.behind: list[Equation] = []
        self.found: dict[Value, Value] = {}
        self.turned: dict[Value, Value] = {}
        self.stored: list[tuple[Value, Value]] = []
        self.makers = {v: e for e in loop.body.equations for v in e.outputs}

    def product(self, left: Value, right: Value | None) -> list[Equation]:
        """Returns equations that make the product, or the sum of the rows of `left`."""
        x = self.of(left)
        dtype, width = dtype_of(x), (known_shape(x) or ())[1]
        if right is None:
            return [_equation("sum_to_type", (x, (width,), dtype, False), ArrayType(
                dtype, (width,)))]
        y = self.of(right)
        n, m = known_shape(y) or (0, 0)
        if x not in self.turned:
            turned = _equation("transpose", (x,), ArrayType(dtype, (width, n)))
            self.behind.append(turned)
            self.turned[x] = turned.outputs[0]
        return [Equation(MATMUL, (self.turned[x], y), {}, (
            Value(ArrayType(dtype, (width, m))),))]

    def of(self, v: Value) -> Value:
        """Returns the matrix of the rows of a factor."""
        if v not in self.found:
            array = self.outside(v) or self.array(v)
            *rows, width = known_shape(v) or ()
            if rows:
                flat = _equation("reshape", (array, (self.n * rows[0], width)), ArrayType(
                    dtype_of(v), (self.n * rows[0], width)))
                self.behind.append(flat)
                array = flat.outputs[0]
            self.found[v] = array
        return self.found[v]

    def outside(self, v: Value) -> Value | None:
        """Returns the array of which a factor is row k in iteration k, if there is one."""
        e = self.makers.get(v)
        if e is None or e.op is not GETITEM or e.args[1:] != (self.loop.item,) or (
                e.args[0] in self.makers or e.args[0] in self.loop.body.inputs):
            return None
        shape = known_shape(e.args[0])
        return e.args[0] if shape is not None and shape[0] == self.n else None

    def array(self, v: Value) -> Value:
        """Returns an array in which each iteration stores a factor."""
        t = ArrayType(dtype_of(v), (self.n, *(known_shape(v) or ())))
        self.before.append(_equation("empty", (t.shape, t.dtype), t))
        result = Value(t, v.hint)
        self.stored.append((v, result))
        return result

    def keep(self) -> None:
        """Has the loop store the factors."""
        e, body = self.loop.equation, self.loop.body
        for (v, result), start in zip(self.stored, self.before, strict=True):
            entering, end = Value(result.type), Value(result.type)
            body.equations.append(Equation(SETITEM, (entering, self.loop.item, v), {}, (end,), (),
                                           e.location))
            e.args, e.outputs = (*e.args, start.outputs[0]), (*e.outputs, result)
            body.inputs, body.outputs = (*body.inputs, entering), (*body.outputs, end)
        e.collect_inputs()


def _equation(op: str, args: tuple[Any, ...], t: Any, kwargs: dict[str, Any] | None = None
              ) -> Equation:
    return Equation(OPS[op], args, kwargs or {}, (Value(t),))
