"""Loop-invariant motion: values that no iteration changes are computed once, before the loop."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.ir.regions import Loop, as_loop
from autograph.runtime.ir.visitor import Rewriter, copied
from autograph.runtime.ops import OPS
from autograph.runtime.optimize.effects_and_exceptions import is_total, may_raise
from autograph.runtime.optimize.uses import Uses, is_number


def hoist_invariants(graph: Graph, record: Record) -> None:
    """Moves equations out of loops, inner loops first.

    An equation that may raise or warn moves only if the first iteration certainly comes to it,
    before anything that has an effect. A `while` loop that may not run at all gets a test around it
    where that saves a product or a reduction. Arrays that are written or handed on stay: every
    iteration needs its own.
    """
    _Hoister(record, Uses(graph)).visit(graph)


class _Hoister(Rewriter):
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
        self.inside: set[Value] = set()
        for region in loop.in_order():
            self._collect(region)

    def _collect(self, region: Graph) -> None:
        self.inside.update(region.inputs)
        for e in region.equations:
            self.inside.update(e.outputs)
            for inner in regions_of(e):
                self._collect(inner)

    def knows(self, e: Equation) -> bool:
        return self.inside.isdisjoint(e.uses)

    def take(self, e: Equation) -> None:
        self.inside.difference_update(e.outputs)


def _movable(region: Graph, outside: _Outside, certain: bool, uses: Uses) -> list[Equation]:
    """Takes the equations that may move out of a region; `certain`: the loop comes to it."""
    moved, kept = [], []
    first = certain  # nothing that stays can have raised something else before
    for e in region.equations:
        if _is_movable(e, outside, uses) and (is_total(e) or (
                certain and (first or not may_raise(e)))):
            outside.take(e)
            moved.append(e)
        else:
            certain = certain and not e.has_effect
            first = first and certain and not may_raise(e)
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
        if _is_movable(e, outside, uses) and (first or not may_raise(e)):
            outside.take(e)
            if e.op.expensive:
                return True
        elif e.has_effect:
            return False
        else:
            first = first and not may_raise(e)
    return False
