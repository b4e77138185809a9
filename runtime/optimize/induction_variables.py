"""Induction variables: where the body uses only `a * i + b`, the loop runs over those numbers."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import Loop, as_for
from autograph.runtime.ir.types import PyType
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops.elementwise import ADD, MULTIPLY, SUBTRACT
from autograph.runtime.optimize.uses import Uses

LIMIT = 2**62
"""Beyond this the numbers of the new range would not be machine integers."""


def reduce_induction_variables(graph: Graph, record: Record) -> None:
    """Takes a multiplication of a loop's index by a constant, or an addition, into its range.

    `for i in range(10): … 3 * i …` becomes `for k in range(0, 30, 3): … k …`, if `i` is used for
    nothing else: that saves an operation on Python's ints, which do not wrap, in each iteration.
    """
    _Reducer(record, Uses(graph)).visit(graph)


class _Reducer(Rewriter):
    for_regions = True

    def __init__(self, record: Record, uses: Uses) -> None:
        super().__init__(record)
        self.uses = uses

    def after(self, e: Equation) -> None:
        loop = as_for(e)
        if loop is not None and type(loop.iterable) is range:
            while self.absorb(loop):
                pass

    def absorb(self, loop: Loop) -> bool:
        """Takes one equation into the range; returns False if there is none."""
        e, body = loop.equation, loop.body
        index = body.inputs[0]
        if index.type != PyType(int) or not self.uses.is_single(index):
            return False
        user = next((e for e in body.equations if index in e.inputs), None)
        steps = None if user is None else _mapped(loop.iterable, user, index)
        if user is None or steps is None or user.outputs[0].type != PyType(int):
            return False
        self.record.note(reduce_induction_variables, user, f"the loop runs over {steps}")
        body.equations.remove(user)
        e.args = (steps, *loop.initial)
        e.collect_inputs()
        body.inputs = (user.outputs[0], *loop.carried)
        if not user.outputs[0].hint:
            user.outputs[0].hint = index.hint
        return True


def _mapped(steps: range, e: Equation, index: Value) -> range | None:
    """Returns the range of what the equation gives for each index; None if there is none."""
    if e.op not in (ADD, SUBTRACT, MULTIPLY) or e.kwargs or e.settings:
        return None
    left, right = e.args
    other: Atom = right if left is index else left
    if type(other) is not int or other == 0:
        return None
    if e.op is MULTIPLY:
        scale, offset = other, 0
    elif e.op is ADD:
        scale, offset = 1, other
    else:
        scale, offset = (1, -other) if left is index else (-1, other)
    ends = [x * scale + offset for x in (steps.start, steps.stop)]
    if max(map(abs, ends)) > LIMIT:
        return None
    return range(ends[0], ends[1], steps.step * scale)
