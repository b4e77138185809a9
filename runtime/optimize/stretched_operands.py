"""Stretched operands: an operation that broadcasts its operands is given them as they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops import OPS
from autograph.runtime.ops.elementwise import POWER
from autograph.runtime.optimize.uses import known_shape

BROADCAST_TO = OPS["broadcast_to"]


def use_unstretched(graph: Graph, record: Record) -> None:
    """`np.broadcast_to(x, shape) * y` becomes `x * y`, where that has the shape as well.

    NumPy goes through both in the same order, so the bits, the warnings and the layout of the
    result are the same. `np.broadcast_to` takes as long as ten operations on small arrays.
    """
    _Unstretched(record).visit(graph)


class _Unstretched(Rewriter):
    """`sources`: what each array was before it was stretched."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self.sources: dict[Atom, Atom] = {}

    def after(self, e: Equation) -> None:
        if e.op is BROADCAST_TO and not e.kwargs and is_strong(e.args[0]):
            self.sources[e.outputs[0]] = e.args[0]
        elif self.sources and not self.sources.keys().isdisjoint(e.inputs) and broadcasts(e):
            self.narrow(e)

    def narrow(self, e: Equation) -> None:
        """Puts the sources into an equation, one after the other, while its result is as large."""
        shape = known_shape(e.outputs[0])
        before, args = e.args, list(e.args)
        for k, x in enumerate(args):
            if isinstance(x, Value) and x in self.sources and shape and shape == known_shape(x):
                narrowed = [*args[:k], self.sources[x], *args[k + 1:]]
                if gives(narrowed, shape):
                    args = narrowed
        if any(a is not b for a, b in zip(args, before, strict=True)):
            e.args = tuple(args)
            e.collect_inputs()
            self.record.note(use_unstretched, Equation(e.op, before, {}, e.outputs), [e])


def broadcasts(e: Equation) -> bool:
    """Returns True for an operation that broadcasts its operands, and is no shortcut of NumPy's for
    a number among them, as powers have them."""
    op = e.op
    return not e.kwargs and len(e.outputs) == 1 and op is not POWER and (
        op.ufunc is not None or op.elementwise_arity == len(e.args) or op.broadcasts)


def is_strong(x: Atom) -> bool:
    """Returns True for an array or number whose dtype counts as the stretched array's would."""
    t = x.type if isinstance(x, Value) else x
    return isinstance(t, (ArrayType, np.generic, np.ndarray))


def gives(operands: Sequence[Atom], shape: tuple[int, ...]) -> bool:
    """Returns True if operands certainly broadcast to a shape that they all fit."""
    known = [known_shape(x) if isinstance(x, Value) else np.shape(x) for x in operands]
    return np.broadcast_shapes(*filter(None, known)) == shape
