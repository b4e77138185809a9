"""Frame state: the pending writes that in-place updates have not made already."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.graph import Equation, Graph, PendingWrites, Value
from autograph.runtime.ir.program import Program
from autograph.runtime.lower.in_place import LOOPS, Plan


def pending_writes(program: Program, plan: Plan) -> dict[Equation, PendingWrites]:
    """Returns the equations' pending writes, but for those that are in their array already."""
    there: dict[Value, Value] = {v: v for v in program.graph.inputs}
    if program.handled:
        return {}
    _follow(program.graph, there, plan)
    found = {}
    for e in program.graph.walk():
        writes = tuple((t, x) for t, x in e.pending_writes or () if not (
            isinstance(t, Value) and _home(there, x) is t))
        if writes:
            found[e] = writes
    return found


def _follow(graph: Graph, there: dict[Value, Value], plan: Plan) -> None:
    """Finds the values that are in the memory of an input of the program: value -> input."""
    for e in graph.equations:
        if e in plan.inplace:
            _same(there, e.outputs[:1], [_home(there, e.args[0])])
        elif e.op.name == "cond":
            for region in e.regions:
                _follow(region, there, plan)
            sides = zip(*(r.outputs for r in e.regions), strict=True)
            _same(there, e.outputs, [_agreed(*(_home(there, x) for x in pair)) for pair in sides])
        elif e.op.name in LOOPS:
            _follow_loop(e, there, plan)


def _home(there: dict[Value, Value], x: Any) -> Value | None:
    return there.get(x) if isinstance(x, Value) else None


def _same(there: dict[Value, Value], values: tuple[Value, ...], homes: list[Value | None]) -> None:
    there.update((v, home) for v, home in zip(values, homes, strict=True) if home is not None)


def _agreed(a: Value | None, b: Value | None) -> Value | None:
    return a if a is b else None


def _follow_loop(e: Equation, there: dict[Value, Value], plan: Plan) -> None:
    """What a loop carries is in the memory of an input if it starts there and every round leaves it
    there."""
    first = 0 if e.op.name == "while" else 1
    body, homes = e.regions[1 - first], [
        None if (e, i) in plan.copied else _home(there, x) for i, x in enumerate(e.args[first:])]
    while True:
        known = dict(there)
        _same(known, body.inputs[first:], homes)
        _follow(body, known, plan)
        after = [_agreed(h, _home(known, x)) for h, x in zip(homes, body.outputs, strict=True)]
        if after == homes:
            break
        homes = after
    there.update(known)
    for test in e.regions[:1] if e.op.name == "while" else e.regions[1:]:
        _same(there, test.inputs, homes)
        _follow(test, there, plan)
    _same(there, e.outputs, homes)
