"""Loop indices: where the body uses only `a * i + b`, the loop runs over those numbers itself."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.ir.types import PyType
from autograph.runtime.optimize.uses import Uses, rename, rename_outputs

LIMIT = 2**62
"""Beyond this the numbers of the new range would not be machine integers."""


def loop_indices(graph: Graph, record: Record) -> None:
    """Take a multiplication of a loop's index by a constant, or an addition of one, into the range.

    `for i in range(10): … 3 * i …` becomes `for k in range(0, 30, 3): … k …`, if `i` is used for
    nothing else: one operation on Python's ints less in every round. Exact, as they do not wrap.
    """
    _visit(graph, Uses(graph), record)


def _visit(graph: Graph, uses: Uses, record: Record) -> None:
    for e in graph.equations:
        rename(e, record)
        for region in regions_of(e):
            _visit(region, uses, record)
        if e.op.name == "for" and type(e.args[0]) is range:
            while _absorb(e, uses, record):
                pass
    rename_outputs(graph, record)


def _absorb(loop: Equation, uses: Uses, record: Record) -> bool:
    """Take one equation into the range; whether there was one."""
    body = loop.regions[0]
    index = body.inputs[0]
    if index.type != PyType(int) or not uses.is_single(index):
        return False
    user = next((e for e in body.equations if index in e.inputs), None)
    steps = None if user is None else _mapped(loop.args[0], user, index)
    if user is None or steps is None or user.outputs[0].type != PyType(int):
        return False
    record.note(loop_indices, user, f"the loop runs over {steps}")
    body.equations.remove(user)
    loop.args = (steps, *loop.args[1:])
    loop.collect_inputs()
    body.inputs = (user.outputs[0], *body.inputs[1:])
    if not user.outputs[0].hint:
        user.outputs[0].hint = index.hint
    return True


def _mapped(steps: range, e: Equation, index: Value) -> range | None:
    """The range of what the equation gives for each index; None if it is not of the kind."""
    if e.op.name not in ("add", "subtract", "multiply") or e.kwargs or e.errstate:
        return None
    left, right = e.args
    other: Any = right if left is index else left
    if type(other) is not int or other == 0:
        return None
    if e.op.name == "multiply":
        scale, offset = other, 0
    elif e.op.name == "add":
        scale, offset = 1, other
    else:
        scale, offset = (1, -other) if left is index else (-1, other)
    ends = [x * scale + offset for x in (steps.start, steps.stop)]
    if max(map(abs, ends)) > LIMIT:
        return None
    return range(ends[0], ends[1], steps.step * scale)
