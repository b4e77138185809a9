"""Results of a kernel that may be one array under two names: a kernel makes an array for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.ir.regions import Branch, Loop, as_branch, as_loop
from autograph.runtime.lower.plan import Plan

Pair = tuple[Atom, Atom]


def may_be_one(values: Sequence[Value], run: list[Equation], plan: Plan) -> bool:
    """Returns True if two of the values that equations give may be the same array."""
    sources = _Sources(run, plan)
    return any(sources.meet(a, b) for a, b in combinations(values, 2))


class _Sources:
    """Where the arrays of a run come from; `made` has what gives each value: a loop what it
    carries and its results, a branch, a store, or None a new array. It has them in their order."""

    def __init__(self, run: list[Equation], plan: Plan) -> None:
        self.plan = plan
        self.made: dict[Value, Loop | Branch | Equation | None] = {}
        self.enter(run)
        self.order = {v: k for k, v in enumerate(self.made)}

    def enter(self, equations: list[Equation]) -> None:
        for e in equations:
            loop, branch = as_loop(e), as_branch(e)
            if loop is not None:
                self.made.update(dict.fromkeys(loop.carried, loop))
            for region in e.regions:
                self.enter(region.equations)
            self.made.update(dict.fromkeys(e.outputs, loop or branch or (
                e if e in self.plan.inplace else None)))

    def meet(self, a: Value, b: Value) -> bool:
        """Returns True if two values may be the same array: it goes back from pair to pair."""
        seen: set[Pair] = set()
        left: list[Pair] = [(a, b)]
        while left:
            pair = left.pop()
            if pair[0] is pair[1]:
                return True
            if pair not in seen:
                seen.add(pair)
                left += self.before(*pair)
        return False

    def before(self, a: Atom, b: Atom) -> Iterator[Pair]:
        """Yields the pairs of which one is the same array if these two are: the younger one is what
        it was made of."""
        if not (isinstance(a, Value) and isinstance(b, Value)):
            return
        if self.order.get(a, -1) < self.order.get(b, -1):
            a, b = b, a
        for values, given in self.ways(a):
            yield given[values.index(a)], given[values.index(b)] if b in values else b

    def ways(self, v: Value) -> Iterator[tuple[tuple[Value, ...], tuple[Atom, ...]]]:
        """Yields the values that are made together with one, and what each of them then is."""
        made = self.made.get(v)
        if isinstance(made, Branch):
            for _, side in made.sides():
                yield made.results, side.outputs
        elif isinstance(made, Loop) and v in made.results:
            yield made.results, made.carried
        elif isinstance(made, Loop):
            yield made.carried, made.initial
            yield made.carried, made.body.outputs
        elif made is not None:
            yield made.outputs, made.args
