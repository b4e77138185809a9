"""Kept values: a loop keeps for its derivative only what does not follow from the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, map_leaves
from autograph.runtime.ir.regions import Loop, as_loop
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops.kept_values import KEPT_AT, PUSH
from autograph.runtime.optimize.uses import Uses


def reduce_kept_values(graph: Graph, record: Record) -> None:
    """Removes stacks on which a loop puts what another stack holds, or what is made from that
    at no cost: elementwise, or as a view.

    `kept.append(x); negative.append(-x)` and `negative[k]` become `kept.append(x)` and `-kept[k]`.
    A derivative is recorded before equal expressions are one, so that it keeps each of them.
    """
    _Reducer(record, Uses(graph)).visit(graph)


@dataclass(eq=False)
class FilledStack:
    """A stack that a loop fills: the index of the carried value, and the equation that pushes."""

    index: int
    push: Equation
    result: Value

    @property
    def item(self) -> Atom:
        item: Atom = self.push.args[1]
        return item


class _Reducer(Rewriter):
    """Keeps for each stack that is gone how its items are made, given their number.

    outside  for a stack of the same value from outside the loop, again and again: that value.
    """

    def __init__(self, record: Record, uses: Uses) -> None:
        super().__init__(record)
        self.uses = uses
        self.makers: dict[Value, Callable[[Atom], list[Equation]]] = {}
        self.outside: dict[Value, Atom] = {}

    def after(self, e: Equation) -> list[Equation] | None:
        if e.op is KEPT_AT and e.args[0] in self.outside:
            self.record.renamed[e.outputs[0]] = self.outside[e.args[0]]
            return []
        if e.op is KEPT_AT and e.args[0] in self.makers:
            made = self.makers[e.args[0]](e.args[1])
            made[-1].outputs = e.outputs
            return made
        loop = as_loop(e)
        if loop is not None:
            self.reduce(loop)
        return None

    def reduce(self, loop: Loop) -> None:
        """Removes the stacks of a loop that follow from others, the last ones made first."""
        order = {v: k for k, x in enumerate(loop.body.equations) for v in x.outputs}
        makers = {v: x for x in loop.body.equations for v in x.outputs}
        inside = {*loop.body.inputs, *makers}
        gone: list[FilledStack] = []
        kept: dict[Value, FilledStack] = {}
        for stack in each_filled(loop, self.uses):
            x = stack.item
            if not isinstance(x, Value) or x not in inside:
                self.outside[stack.result] = x
                gone.append(stack)
            elif x in kept:
                self.record.renamed[stack.result] = kept[x].result
                gone.append(stack)
            else:
                kept[x] = stack
        for x in sorted((x for x in kept if x in makers), key=lambda x: -order[x]):
            maker = makers[x]
            if (maker.is_cheap or maker.is_view) and all(
                    v in kept or v not in inside for v in maker.inputs):
                stack = kept.pop(x)
                self.makers[stack.result] = self.again(maker, kept)
                gone.append(stack)
        for stack in gone:
            self.record.note(reduce_kept_values, stack.push, "it follows from what else is kept")
        loop.drop({stack.index for stack in gone})
        pushes = {stack.push for stack in gone}
        loop.body.equations[:] = [x for x in loop.body.equations if x not in pushes]

    def again(self, maker: Equation, kept: dict[Value, FilledStack]
              ) -> Callable[[Atom], list[Equation]]:
        """Returns what runs an equation of the loop again, on the operands that the loop kept."""
        results = {v: kept[v].result for v in maker.inputs if v in kept}

        def made(k: Atom) -> list[Equation]:
            items = {v: Value(v.type, v.hint) for v in results}
            found = [x for v, stack in results.items() for x in self.read(stack, k, items[v])]
            args, kwargs = map_leaves(lambda x: items.get(x, x) if isinstance(x, Value) else x,
                                      (maker.args, dict(maker.kwargs)))
            return [*found, Equation(maker.op, args, kwargs, maker.outputs, (), maker.location,
                                     maker.settings)]

        return made

    def read(self, stack: Value, k: Atom, out: Value) -> list[Equation]:
        """Returns the equations that give item k of a stack, which may be gone by now."""
        make = self.makers.get(stack)
        found = [Equation(KEPT_AT, (stack, k), {}, (out,))] if make is None else make(k)
        found[-1].outputs = (out,)
        return found


def each_filled(loop: Loop, uses: Uses) -> list[FilledStack]:
    """Returns the stacks of a loop that it only fills, and that others only read."""
    pushes = {x.outputs[0]: x for x in loop.body.equations if x.op is PUSH}
    found = []
    for k, (carried, end, result) in enumerate(zip(
            loop.carried, loop.body.outputs, loop.results, strict=True)):
        push = pushes.get(end) if isinstance(end, Value) else None
        if push is not None and push.args[0] is carried and uses.is_single(carried) and (
                uses.is_single(push.outputs[0])) and all(
                    e is not None and e.op is KEPT_AT for e in uses.of.get(result, ())):
            found.append(FilledStack(k, push, result))
    return found
