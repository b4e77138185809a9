"""Loop-invariant motion: values that no iteration changes are computed once, before the loop."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.ir.regions import Loop, as_loop
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ir.visitor import Rewriter, copied
from autograph.runtime.ops import OPS
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.optimize.effects_and_exceptions import is_total, may_raise
from autograph.runtime.optimize.uses import Uses, is_number


def hoist_invariants(graph: Graph, record: Record) -> None:
    """Moves equations out of loops, inner loops first.

    An equation that may raise or warn moves only if the first iteration certainly comes to it,
    before anything that has an effect or may raise. A `while` loop that may not run at all gets a
    test around it where that saves a product or a reduction. Arrays that are written or handed on
    stay: every iteration needs its own.
    """
    _Hoister(record, Uses(graph)).visit(graph)


class _Hoister(Rewriter):
    for_regions = True

    def __init__(self, record: Record, uses: Uses) -> None:
        super().__init__(record)
        self.uses = uses

    def after(self, e: Equation) -> list[Equation] | None:
        loop = as_loop(e)
        if loop is None:
            return None
        return [*self.hoisted(loop), *([e] if self.record.exact else self.guarded(loop))]

    def hoisted(self, loop: Loop) -> list[Equation]:
        """Takes the invariant equations out of a loop that may be computed before it."""
        moved: list[Equation] = []
        outside = _Outside(loop)
        certain = not loop.is_for or bool(loop.constant_length)  # it runs the first region
        for region in loop.in_order():
            for e in _movable(region, outside, certain and not self.record.exact, self.uses):
                self.record.note(hoist_invariants, e, "before the loop")
                moved.append(e)
            certain = False
        return moved

    def guarded(self, loop: Loop) -> list[Equation]:
        """Returns `if TEST: moved equations; the loop` for a `while` loop, if it pays."""
        e, test = loop.equation, loop.test
        if loop.is_for or test is None or not _is_expensive(test, loop, self.uses):
            return [e]
        moved = _movable(loop.body, _Outside(loop), True, self.uses)
        for each in moved:
            self.record.note(hoist_invariants, each, "before the loop, under its test")
        first, (pred,) = copied(test, dict(zip(test.inputs, loop.initial, strict=True)))
        outputs, e.outputs = e.outputs, tuple(Value(o.type, o.hint) for o in e.outputs)
        branches = (Graph("true", (), [*moved, e], e.outputs),
                    Graph("false", (), [], loop.initial))
        return [*first, Equation(OPS["cond"], (pred,), {}, outputs, branches, e.location)]


class _Outside:
    """Tells which equations use values from before a loop alone; moved equations join those."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.inside: set[Value] = set()
        for region in loop.in_order():
            self._collect(region)

    def _collect(self, region: Graph) -> None:
        self.inside.update(region.inputs)
        for e in region.equations:
            self.inside.update(e.outputs)
            for inner in e.regions and regions_of(e):
                self._collect(inner)

    def knows(self, e: Equation) -> bool:
        return self.inside.isdisjoint(e.uses)

    def is_in_bounds(self, e: Equation) -> bool:
        """Returns True for a load of an element that each item of the loop finds."""
        t = e.args[0].type if e.op is GETITEM and isinstance(e.args[0], Value) else None
        if not isinstance(t, ArrayType) or t.shape is None or not t.is_static:
            return False
        index = e.args[1] if type(e.args[1]) is tuple else (e.args[1],)
        return len(index) == len(t.shape) and all(map(self._is_within, index, t.shape))

    def _is_within(self, part: Any, size: Any) -> bool:
        items = range(part, part + 1) if type(part) is int else self.loop.iterable
        return (type(part) is int or part is self.loop.item) and type(items) is range and bool(
            items) and min(items[0], items[-1]) >= -size and max(items[0], items[-1]) < size

    def take(self, e: Equation) -> None:
        self.inside.difference_update(e.outputs)


def _movable(region: Graph, outside: _Outside, certain: bool, uses: Uses) -> list[Equation]:
    """Takes the equations that may move out of a region; `certain`: the loop comes to it."""
    moved, kept = [], []
    first = certain  # nothing that stays has an effect or can have raised something before
    for e in region.equations:
        if _is_movable(e, outside, uses) and (is_total(e) or first):
            outside.take(e)
            moved.append(e)
        else:
            first = first and not e.has_effect and (outside.is_in_bounds(e) or not may_raise(e))
            kept.append(e)
    region.equations[:] = kept
    return moved


def _is_movable(e: Equation, outside: _Outside, uses: Uses) -> bool:
    return e.is_repeatable and outside.knows(e) and all(
        is_number(o) or uses.is_transient(o) for o in e.outputs)


def _is_expensive(test: Graph, loop: Loop, uses: Uses) -> bool:
    """Returns True if a product or a reduction of the body is invariant, and the test may run
    twice."""
    if any(e.has_effect or e.regions for e in test.equations):
        return False
    outside = _Outside(loop)
    first = True
    for e in loop.body.equations:
        if _is_movable(e, outside, uses) and (first or is_total(e)):
            outside.take(e)
            if e.op.expensive:
                return True
        elif e.has_effect:
            return False
        else:
            first = first and (outside.is_in_bounds(e) or not may_raise(e))
    return False
