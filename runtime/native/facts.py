"""Facts: what a test tells of the ints that it compares, where it holds and where it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import as_branch
from autograph.runtime.native.kinds import Kind, is_int
from autograph.runtime.native.operators import SIGNS
from autograph.runtime.native.ranges import OPPOSITE
from autograph.runtime.ops.python import NOT, SELECT, TRUTH

Fact = tuple[str, Atom, Atom]
"""A comparison that holds: its sign, and what it compares."""


class Facts:
    """Knows the tests of a graph and its regions.

    makers  the equations that make the values.
    """

    def __init__(self, graph: Graph, kind_of: Callable[[Atom], Kind]) -> None:
        self.kind_of = kind_of
        self.makers: dict[Value, Equation] = {v: e for e in graph.walk() for v in e.outputs}

    def of(self, test: Atom, holds: bool) -> Iterator[Fact]:
        """Yields what follows from a test: of `a and b`, if it holds, what follows from both.
        An int is a test, too, which holds if it is not 0."""
        if isinstance(test, Value) and is_int(self.kind_of(test)):
            yield ("!=" if holds else "==", test, 0)
        e = self.makers.get(test) if isinstance(test, Value) else None
        if e is None:
            return
        if e.op is NOT:
            yield from self.of(e.args[0], not holds)
        elif e.op is TRUTH:
            yield from self.of(e.args[0], holds)
        elif e.op.dunder and e.op.ufunc in SIGNS:
            sign = SIGNS[e.op.ufunc]
            if all(is_int(self.kind_of(a)) for a in e.args):
                yield (sign if holds else OPPOSITE[sign], *e.args)
        elif e.op is SELECT:
            yield from self._both(e.args[0], e.args[1:], holds)
        elif (branch := as_branch(e)) is not None:
            sides = [side.outputs[e.outputs.index(test)] for _, side in branch.sides()]
            yield from self._both(branch.predicate, tuple(sides), holds)

    def has_parts(self, test: Atom) -> bool:
        """Returns True for `a and b` and the like."""
        e = self.makers.get(test) if isinstance(test, Value) else None
        if e is not None and e.op in (NOT, TRUTH):
            return self.has_parts(e.args[0])
        return e is not None and (e.op is SELECT or as_branch(e) is not None)

    def _both(self, first: Atom, sides: tuple[Atom, ...], holds: bool) -> Iterator[Fact]:
        """Yields what follows from `first and second` that holds, and from `first or second` that
        does not: the side where only the first one decides gives it, or a constant."""
        second, decided = sides if holds else sides[::-1]
        if decided is first or (not isinstance(decided, Value) and bool(decided) is not holds):
            yield from self.of(first, holds)
            yield from self.of(second, holds)
