"""The values that a backward region needs: made again where that is cheap, else kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from autograph.runtime.differentiate.activity import may_vary
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, map_leaves
from autograph.runtime.ir.types import is_number
from autograph.runtime.ir.visitor import rename_values


@dataclass
class Plan:
    """The values that a backward region uses of a forward one.

    kept  those that the forward region has to hand over.
    made  equations of the forward region that the backward one runs again, in order.
    """

    kept: list[Value]
    made: list[Equation]


def plan(forward: Graph, backward: Graph, given: Collection[Value] = ()) -> Plan:
    """Decides for each value of the forward region that the backward one uses.

    Args:
      forward: the region whose values are asked for.
      backward: the region that uses them.
      given: values of the forward region that the backward one has at hand.
    """
    makers = {v: e for e in forward.equations for v in e.outputs}
    inside = {*forward.inputs, *makers}
    needed = [v for v in backward.free_values() if v in inside and v not in given]
    choice = _Choice(makers, inside, set(given))
    for v in needed:
        if choice.is_free(v):
            choice.again(v)
        else:
            choice.kept[v] = None
    order = {e: i for i, e in enumerate(forward.equations)}
    for v in sorted((v for v in choice.kept if v in makers), key=lambda v: -order[makers[v]]):
        choice.make_from_others(v)
    return Plan(list(choice.kept), sorted(choice.made, key=lambda e: order[e]))


class _Choice:
    def __init__(self, makers: dict[Value, Equation], inside: set[Value], given: set[Value]
                 ) -> None:
        self.makers = makers
        self.inside = inside
        self.given = given
        self.kept: dict[Value, None] = {}
        self.made: dict[Equation, None] = {}
        self.free: dict[Value, bool] = {}

    def is_free(self, v: Value) -> bool:
        """Returns True if a value follows, at next to no cost, from what is at hand anyway."""
        if v in self.given or v not in self.inside:
            return True
        if v not in self.free:
            e = self.makers.get(v)
            self.free[v] = e is not None and e.is_repeatable and (
                e.op.view or (is_number(v.type) and not may_vary(v.type))
            ) and all(map(self.is_free, e.inputs))
        return self.free[v]

    def again(self, v: Value) -> None:
        """Has a value that is free made again, with what it is made of."""
        if v in self.given or v not in self.inside:
            return
        e = self.makers[v]
        if e not in self.made:
            self.made[e] = None
            for x in e.inputs:
                self.again(x)

    def make_from_others(self, v: Value) -> None:
        """Has a kept value made again, if that is cheap and its operands are kept or free."""
        e = self.makers[v]
        if not (e.is_cheap or e.is_view):
            return
        others = [x for x in e.inputs if x is not v]
        if all(x in self.kept or self.is_free(x) for x in others):
            del self.kept[v]
            self.made[e] = None
            for x in others:
                if x not in self.kept:
                    self.again(x)


def supply(backward: Graph, plan: Plan, read: Callable[[Value], Equation],
           first: Sequence[Equation] = (), renamed: dict[Value, Atom] | None = None) -> None:
    """Puts what a backward region needs before its equations, and has it use that.

    Args:
      backward: the region.
      plan: what it needs.
      read: gives the equation that reads a kept value.
      first: equations that come before all others.
      renamed: what stands for values at hand.
    """
    now: dict[Value, Atom] = dict(renamed or {})
    head: list[Equation] = list(first)
    for v in plan.kept:
        e = read(v)
        now[v] = e.outputs[0]
        head.append(e)
    for old in plan.made:
        fresh = tuple(Value(v.type, v.hint) for v in old.outputs)
        args = map_leaves(lambda x: now.get(x, x) if isinstance(x, Value) else x, old.args)
        kwargs = map_leaves(lambda x: now.get(x, x) if isinstance(x, Value) else x,
                            dict(old.kwargs))
        head.append(Equation(old.op, args, kwargs, fresh, (), old.location, old.settings))
        now.update(zip(old.outputs, fresh, strict=True))
    rename_values(backward, now)
    backward.equations[:0] = head
