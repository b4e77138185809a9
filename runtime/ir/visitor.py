"""The base of passes: walks a graph and its regions in program order and rewrites equations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import (
    Atom,
    Equation,
    Graph,
    PendingWrites,
    Value,
    map_leaves,
    regions_of,
)
from autograph.runtime.ir.pytree import map_nest


class Rewriter:
    """Rewrites a graph in place, one equation after the other.

    A pass overrides what it needs:

    before  gives the equations that take an equation's place, or None. They are visited in turn.
    region  visits a region, before the equation that holds it is finished.
    after   gives the equations that take an equation's place, or None. They are not visited again.
    finish  takes the new equations of a graph or region and may reorder them.

    A pass enters values that go into `record.renamed`; later equations use what stands for them.
    """

    for_regions = False
    """True if `before` and `after` want only equations with regions."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def visit(self, graph: Graph) -> None:
        """Rewrites a graph or region."""
        done: list[Equation] = []
        waiting = graph.equations[::-1]
        renamed, looks_before = self.record.renamed, type(self).before is not Rewriter.before
        passes_by, looks_after = self.for_regions, type(self).after is not Rewriter.after
        while waiting:
            e = waiting.pop()
            if renamed and not renamed.keys().isdisjoint(e.uses):
                rename(e, self.record)
            if passes_by and not e.regions:
                done.append(e)
                continue
            if looks_before and (instead := self.before(e)) is not None:
                waiting += instead[::-1]
                continue
            if e.regions:
                for region in regions_of(e):
                    self.region(e, region)
            instead = self.after(e) if looks_after else None
            if instead is None:
                done.append(e)
            else:
                done += instead
        graph.equations[:] = self.finish(done)
        if self.record.renamed:
            graph.outputs = tuple(map(self.record.now, graph.outputs))

    def before(self, e: Equation) -> Sequence[Equation] | None:
        return None

    def region(self, e: Equation, region: Graph) -> None:
        self.visit(region)

    def after(self, e: Equation) -> Sequence[Equation] | None:
        return None

    def finish(self, equations: list[Equation]) -> list[Equation]:
        return equations


def rename(e: Equation, record: Record) -> None:
    """Makes an equation use what stands for its inputs by now."""
    e.args = map_leaves(record.now, e.args)
    e.kwargs = map_leaves(record.now, dict(e.kwargs))
    e.pending_writes = renamed_writes(record.now, e)
    e.collect_inputs()


def renamed_writes(now: Callable[[Atom], Atom], e: Equation) -> PendingWrites | None:
    """Returns what an equation writes if it raises, of the values that there are by now."""
    writes = e.pending_writes
    return writes and tuple((target, map_nest(now, nest)) for target, nest in writes)


def copied(graph: Graph, renamed: Mapping[Value, Atom]) -> tuple[list[Equation], list[Atom]]:
    """Copies the equations of a graph, with values of their own, and its outputs.

    `renamed` says what stands for the inputs.
    """
    now: dict[Value, Atom] = dict(renamed)

    def leaf(x: Atom) -> Atom:
        return now.get(x, x) if isinstance(x, Value) else x

    def fresh(values: tuple[Value, ...]) -> tuple[Value, ...]:
        made = tuple(Value(v.type, v.hint) for v in values)
        now.update(zip(values, made, strict=True))
        return made

    def region(g: Graph) -> Graph:
        inputs = fresh(g.inputs)
        equations = list(map(equation, g.equations))
        return Graph(g.name, inputs, equations, tuple(map(leaf, g.outputs)))

    def equation(e: Equation) -> Equation:
        args, kwargs = map_leaves(leaf, e.args), map_leaves(leaf, dict(e.kwargs))
        own = tuple(map(region, regions_of(e)))
        location = e.location and e.location.with_frames(tuple(
            {name: leaf(x) for name, x in frame.items()} for frame in e.location.frames))
        return Equation(e.op, args, kwargs, fresh(e.outputs), own or e.regions, location,
                        e.settings, renamed_writes(leaf, e), e.pinned)

    return list(map(equation, graph.equations)), list(map(leaf, graph.outputs))


def rename_values(graph: Graph, now: dict[Value, Atom]) -> None:
    """Makes a graph and its regions use other values."""
    if not now:
        return

    def leaf(x: Atom) -> Atom:
        return now.get(x, x) if isinstance(x, Value) else x

    for e in graph.equations:
        if any(v in now for v in e.uses):
            e.args, e.kwargs = map_leaves(leaf, e.args), map_leaves(leaf, dict(e.kwargs))
            e.pending_writes = renamed_writes(leaf, e)
            e.collect_inputs()
        for region in regions_of(e):
            rename_values(region, now)
    graph.outputs = tuple(map(leaf, graph.outputs))
