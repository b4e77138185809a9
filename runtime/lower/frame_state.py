"""Frame state: the pending writes that in-place updates have not made already."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import MutableMapping

from autograph.runtime.ir.graph import Atom, Equation, Graph, PendingWrites, Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.regions import Loop, as_branch, as_loop
from autograph.runtime.lower.plan import Plan

Homes = MutableMapping[Value, Value]
"""Values in the memory of an input of the program -> the input."""


def pending_writes(program: Program, plan: Plan) -> dict[Equation, PendingWrites]:
    """Returns the equations' pending writes, but for those that are in their array already."""
    there: Homes = {v: v for v in program.graph.inputs}
    if program.handled:
        return {}
    _follow(program.graph, there, plan)
    found = {}
    for e in program.graph.walk():
        if not e.pending_writes:
            continue
        writes = tuple([(t, x) for t, x in e.pending_writes if not (
            x.__class__ is Value and t.__class__ is Value and there.get(x) is t)])
        if writes:
            found[e] = writes
    return found


def _follow(graph: Graph, there: Homes, plan: Plan) -> None:
    """Enters the values that are in the memory of an input of the program."""
    for e in graph.equations:
        if e in plan.inplace:
            before, after = plan.updated(e)
            if (home := _home(there, before)) is not None:
                there[after] = home
        elif not e.regions:
            continue
        elif (branch := as_branch(e)) is not None:
            _follow(branch.on_true, there, plan)
            _follow(branch.on_false, there, plan)
            _same(there, e.outputs, [
                _agreed(_home(there, x), _home(there, y)) for x, y in branch.given()])
        elif (loop := as_loop(e)) is not None:
            _follow_loop(loop, there, plan)


def _home(there: Homes, x: Atom) -> Value | None:
    return there.get(x) if isinstance(x, Value) else None


def _same(there: Homes, values: tuple[Value, ...], homes: list[Value | None]) -> None:
    there.update((v, home) for v, home in zip(values, homes, strict=True) if home is not None)


def _agreed(a: Value | None, b: Value | None) -> Value | None:
    return a if a is b else None


def _follow_loop(loop: Loop, there: Homes, plan: Plan) -> None:
    """Follows a loop: a carried value is in the memory of an input if it starts there and every
    iteration leaves it there."""
    homes = [None if (loop.equation, i) in plan.copied else _home(there, x)
             for i, x in enumerate(loop.initial)]
    while True:
        known = ChainMap[Value, Value]({}, there)  # entered when an iteration changes nothing
        _same(known, loop.carried, homes)
        _follow(loop.body, known, plan)
        after = [_agreed(h, _home(known, x))
                 for h, x in zip(homes, loop.body.outputs, strict=True)]
        if after == homes:
            break
        homes = after
    there.update(known.maps[0])
    if loop.test is not None:
        _same(there, loop.test.inputs, homes)
        _follow(loop.test, there, plan)
    _same(there, loop.results, homes)
