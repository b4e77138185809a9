"""Loop-invariant motion: what is the same in every round is computed once, before the loop."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.ops import OPS
from autograph.runtime.optimize.effects_and_exceptions import constant_length, is_total, may_raise
from autograph.runtime.optimize.uses import LOOPS, Uses, copied, is_number, is_pure, rename_outputs

DEAR = frozenset({
    "matmul", "np.matmul", "dot", "inner", "outer", "kron", "tensordot", "sum", "mean", "std",
    "var", "max", "min", "prod", "linalg.norm", "linalg.inv", "linalg.solve", "linalg.det",
    "linalg.cholesky", "linalg.svd", "linalg.eigh", "linalg.pinv",
})
"""Worth a second copy of a loop's test, if nothing else may move what depends on it."""


def loop_invariants(graph: Graph, record: Record) -> None:
    """Move equations out of loops, inner loops first.

    What may raise or warn moves only if the loop certainly comes to it in its first round, before
    anything that has an effect. A `while` loop that may run no round at all gets a test around it
    where a product or a reduction is to be gained. Arrays that are written or handed on stay: every
    round needs its own.
    """
    _visit(graph, Uses(graph), record)


def _visit(graph: Graph, uses: Uses, record: Record) -> None:
    kept: list[Equation] = []
    for e in graph.equations:
        for region in regions_of(e):
            _visit(region, uses, record)
        if e.op.name in LOOPS:
            kept += _hoisted(e, uses, record)
            kept += _guarded(e, uses, record)
        else:
            kept.append(e)
    graph.equations[:] = kept
    rename_outputs(graph, record)


def _hoisted(loop: Equation, uses: Uses, record: Record) -> list[Equation]:
    """Take the invariant equations out of a loop that may be computed before it."""
    moved: list[Equation] = []
    outside = _Outside(loop)
    for region, certain in _rounds(loop):
        for e in _movable(region, outside, certain, uses):
            record.note(loop_invariants, e, "before the loop")
            moved.append(e)
    return moved


def _rounds(loop: Equation) -> list[tuple[Graph, bool]]:
    """The regions of a loop in the order in which they run, and whether each certainly runs."""
    if loop.op.name == "while":
        test, body = loop.regions
        return [(test, True), (body, False)]
    body, *tests = loop.regions
    certain = bool(constant_length(loop.args[0]))
    return [*((t, certain) for t in tests), (body, certain and not tests)]


class _Outside:
    """Which values are there before a loop; those of moved equations join them."""

    def __init__(self, loop: Equation) -> None:
        self.inside: set[Value] = set()
        for region in loop.regions:
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
    """Take the equations that may move out of a region; `certain`: the loop comes to it."""
    moved, kept = [], []
    first = certain  # whether nothing that stays can have raised something else before
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
    return is_pure(e) and outside.knows(e) and all(
        is_number(o) or uses.is_transient(o) for o in e.outputs)


def _guarded(loop: Equation, uses: Uses, record: Record) -> list[Equation]:
    """`if TEST: moved equations; the loop` for a `while` loop, if that is worth it."""
    if loop.op.name != "while" or not _is_dear(loop, uses):
        return [loop]
    test, body = loop.regions
    moved = _movable(body, _Outside(loop), True, uses)
    for e in moved:
        record.note(loop_invariants, e, "before the loop, under its test")
    first, (pred,) = copied(test, dict(zip(test.inputs, loop.args, strict=True)))
    outputs, loop.outputs = loop.outputs, tuple(Value(o.type, o.hint) for o in loop.outputs)
    branches = (Graph("true", (), [*moved, loop], loop.outputs), Graph("false", (), [], loop.args))
    return [*first, Equation(OPS["cond"], (pred,), {}, outputs, branches, loop.location)]


def _is_dear(loop: Equation, uses: Uses) -> bool:
    """Whether a product or a reduction of the body is invariant, and the test may run twice."""
    test, body = loop.regions
    if any(e.has_effect or e.regions for e in test.equations):
        return False
    outside = _Outside(loop)
    first = True
    for e in body.equations:
        if _is_movable(e, outside, uses) and (first or not may_raise(e)):
            outside.take(e)
            if e.op.name in DEAR:
                return True
        elif e.has_effect:
            return False
        else:
            first = first and not may_raise(e)
    return False
