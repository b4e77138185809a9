"""Broadcasts in loops: a row or column that every round stretches to a matrix is stretched once."""

from __future__ import annotations

import math

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, regions_of
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops import OPS
from autograph.runtime.optimize.effects_and_exceptions import constant_length
from autograph.runtime.optimize.uses import dtype_of, is_number, known_shape

EXACT = frozenset({"add", "subtract", "multiply", "divide", "equal", "not_equal", "less",
                   "less_equal", "greater", "greater_equal"})
"""What gives the same bits however its operands lie in memory."""

IN_C_ORDER = frozenset({"matmul", "np.matmul", "dot", "zeros", "ones", "full", "full_like"})
"""What gives arrays in C order."""

ROUNDS = 8
"""A loop of so many rounds makes up for the array that is filled."""

LONGEST_ROW = 512
"""NumPy starts a loop for every row; in longer ones that does not count."""

SIZES = range(1 << 9, 1 << 15)
"""Elements of the result: smaller ones are cheap, larger ones would cost memory."""

Makers = dict[Value, Equation]


def loop_broadcasts(graph: Graph, record: Record) -> None:
    """`for …: y = h @ w + b` becomes `c = np.full(shape, b); for …: y = h @ w + c`.

    For rows and columns b from outside the loop beside arrays in C order, so that the result has
    the bits and the order that it had.
    """
    _visit(graph, {}, record)


def _visit(graph: Graph, outside: Makers, record: Record) -> None:
    makers = dict(outside)
    kept: list[Equation] = []
    for e in graph.equations:
        for region in regions_of(e):
            _visit(region, makers, record)
        if e.op.name == "for" and (constant_length(e.args[0]) or 0) >= ROUNDS:
            kept += _filled(e, makers, record)
        kept.append(e)
        makers.update(dict.fromkeys(e.outputs, e))
    graph.equations[:] = kept


def _filled(loop: Equation, outside: Makers, record: Record) -> list[Equation]:
    """The equations before a loop that fill arrays with what its body stretched."""
    body = loop.regions[0]
    makers = dict(outside)
    inside = {*body.inputs, *(o for e in body.equations for o in e.outputs)}
    made: dict[tuple[Value, tuple[int, ...]], Value] = {}
    filled: list[Equation] = []
    for e in body.equations:
        makers.update(dict.fromkeys(e.outputs, e))
        x, shape = _stretched(e, makers), known_shape(e.outputs[0]) if e.outputs else None
        if x is None or shape is None or x in inside:
            continue
        if (x, shape) not in made:
            out = made[x, shape] = Value(ArrayType(dtype_of(x), shape), x.hint)
            filled.append(Equation(OPS["full"], (shape, x), {}, (out,), (), e.location))
            makers[out] = filled[-1]
        record.note(loop_broadcasts, e, filled[-1:])
        e.args = tuple(made[x, shape] if a is x else a for a in e.args)
        e.collect_inputs()
    return filled


def _stretched(e: Equation, makers: Makers) -> Value | None:
    """The operand of an equation that is stretched to the shape of the other one."""
    if e.op.name not in EXACT or e.kwargs or e.errstate:
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
    """Whether an array certainly has C order, because of what made it."""
    e = makers.get(x) if isinstance(x, Value) else None
    if e is None:
        return False
    if e.op.name == "getitem":
        row = type(e.args[1]) is int or (isinstance(e.args[1], Value) and is_number(e.args[1]))
        return row and is_in_c_order(e.args[0], makers)
    if e.op.ufunc is not None and not e.kwargs:
        shape = known_shape(x)
        return all(is_in_c_order(a, makers) for a in e.args if known_shape(a) == shape)
    return e.op.name in IN_C_ORDER and not e.kwargs
