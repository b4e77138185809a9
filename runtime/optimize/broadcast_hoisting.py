"""Broadcast hoisting: a row that every iteration stretches to a matrix is stretched once."""

from __future__ import annotations

import math

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import Loop, as_for
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops import OPS
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.optimize.uses import dtype_of, is_number, known_shape

FEWEST = 8
"""A loop of so many iterations makes up for the array that is filled."""

LONGEST_ROW = 512
"""NumPy starts a loop for every row; in longer ones that does not count."""

SIZES = range(1 << 9, 1 << 15)
"""Elements of the result: smaller ones are cheap, larger ones would cost memory."""

Makers = dict[Value, Equation]


def hoist_broadcasts(graph: Graph, record: Record) -> None:
    """`for …: y = h @ w + b` becomes `c = np.full(shape, b); for …: y = h @ w + c`.

    For rows and columns b from outside the loop beside arrays in C order, so that the result has
    the bits and the order that it had.
    """
    _Hoister(record).visit(graph)


class _Hoister(Rewriter):
    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self.makers: Makers = {}

    def after(self, e: Equation) -> list[Equation] | None:
        self.makers.update(dict.fromkeys(e.outputs, e))
        loop = as_for(e) if e.regions else None
        if loop is None or (loop.constant_length or 0) < FEWEST:
            return None
        return [*self.filled(loop), e]

    def filled(self, loop: Loop) -> list[Equation]:
        """Returns equations before a loop that fill arrays with what its body stretches."""
        body = loop.body
        inside = {*body.inputs, *(o for e in body.equations for o in e.outputs)}
        made: dict[tuple[Value, tuple[int, ...]], Value] = {}
        filled: list[Equation] = []
        for e in body.equations:
            x, shape = _stretched(e, self.makers), known_shape(e.outputs[0]) if e.outputs else None
            if x is None or shape is None or x in inside:
                continue
            if (x, shape) not in made:
                out = made[x, shape] = Value(ArrayType(dtype_of(x), shape), x.hint)
                filled.append(Equation(OPS["full"], (shape, x), {}, (out,), (), e.location))
                self.makers[out] = filled[-1]
            self.record.note(hoist_broadcasts, e, filled[-1:])
            e.args = tuple(made[x, shape] if a is x else a for a in e.args)
            e.collect_inputs()
        return filled


def _stretched(e: Equation, makers: Makers) -> Value | None:
    """Returns the operand of an equation that is stretched to the shape of the other one."""
    if not e.op.ignores_layout or e.kwargs or e.settings:
        return None
    shape = known_shape(e.outputs[0]) or ()
    if math.prod(shape) not in SIZES or shape[-1] > LONGEST_ROW:
        return None
    for x, other in (e.args, e.args[::-1]):
        given = known_shape(x)
        if isinstance(x, Value) and given and math.prod(given) > 1 and given != shape and (
                known_shape(other) == shape and is_in_c_order(other, makers)):
            return x
    return None


def is_in_c_order(x: Atom, makers: Makers) -> bool:
    """Returns True if an array certainly has C order, by the equation that made it."""
    e = makers.get(x) if isinstance(x, Value) else None
    if e is None:
        return False
    if e.op is GETITEM:
        row = type(e.args[1]) is int or (isinstance(e.args[1], Value) and is_number(e.args[1]))
        return row and is_in_c_order(e.args[0], makers)
    if e.op.ufunc is not None and not e.kwargs:
        shape = known_shape(x)
        return all(is_in_c_order(a, makers) for a in e.args if known_shape(a) == shape)
    given_order = any(isinstance(a, str) for a in e.args)
    return e.op.c_order and not e.kwargs and not given_order
