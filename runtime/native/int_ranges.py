"""Ranges of ints around loops: what the first iteration has and the others make of it.

`ranges` knows what follows from how an int is computed at its place. What a loop carries depends
on the iterations before: `s = (5 * s + 1) % 8` is never above 7, and what only grows is never
below its start. The equations are gone through until no range grows any more, and then some more
times: what was given up too early comes back. Where a test holds, ints are what it says of them;
after they were an index, they are in its bounds.

The range of an array is that of its elements (see `element_ranges`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import Branch, Loop, as_branch, as_loop
from autograph.runtime.native.element_ranges import (
    bounds_of_indices,
    is_ints,
    sources,
    waiting_stores,
)
from autograph.runtime.native.facts import Fact, Facts
from autograph.runtime.native.halving_loops import halves
from autograph.runtime.native.kinds import BOOL, Array, Kind, Nothing, Number, is_int
from autograph.runtime.native.ranges import ALL, MODERATE, NATURAL, UNKNOWN, Range, compared
from autograph.runtime.ops.python import MAX, MIN, SELECT, TO_INT

PATIENCE = 2
"""After so many sweeps, a bound that still moves is given up."""

AGAIN = 3
"""So many sweeps follow that only narrow ranges."""

COUNTED = Range(2 * MODERATE.low, 2 * MODERATE.high)
"""What counts by ones from a moderate number never leaves this: it would take years."""

KindOf = Callable[[Atom], Kind]


class IntRanges(NamedTuple):
    """The ranges of the ints of a graph and its regions; each holds where the int does.

    assumed  what loops carry and is taken not to be negative at their start.
    """

    found: dict[Value, Range]
    assumed: set[Value]


def int_ranges(graph: Graph, kind_of: KindOf, facts: Facts, assume: bool = False) -> IntRanges:
    """Finds ranges; `assume`: ints of whose sign nothing is known are assumed not to be negative
    where a loop starts, if they remain so and more results are sure to fit, or more loops halve."""
    given = counters(graph, kind_of), facts, waiting_stores(graph, kind_of)
    swept = _swept(graph, _Sweep(kind_of, *given, {}))
    assumed = _undecided(graph, kind_of, swept) if assume else {}
    while assumed:
        trial = _swept(graph, _Sweep(kind_of, *given, assumed, swept.steps))
        fine = {v: state for v, state in assumed.items() if trial.of(state).low >= 0}
        if len(fine) == len(assumed):
            if _gain(graph, trial) > _gain(graph, swept):
                return IntRanges(_of_ints(trial), set(assumed))
            break
        assumed = fine
    return IntRanges(_of_ints(swept), set())


def _swept(graph: Graph, sweep: _Sweep) -> _Sweep:
    while sweep.changed:
        sweep.changed = False
        sweep.region(graph)
        sweep.number += 1
    sweep.narrows = True
    for _ in range(AGAIN if sweep.number > PATIENCE else 0):
        sweep.changed = False
        sweep.region(graph)
        if not sweep.changed:
            break
    return sweep


def _gain(graph: Graph, sweep: _Sweep) -> int:
    return len(sweep.fitting) + sum(
        loop is not None and halves(loop, sweep.found) for loop in map(as_loop, graph.walk()))


def _of_ints(sweep: _Sweep) -> dict[Value, Range]:
    return {v: found for v, found in sweep.found.items() if is_int(sweep.kind_of(v))}


def _undecided(graph: Graph, kind_of: KindOf, sweep: _Sweep) -> dict[Value, Value]:
    """Returns the ints that loops carry of whose sign nothing is known, with what they are at the
    test."""
    loops = [loop for e in graph.walk() if (loop := as_loop(e)) is not None]
    return {
        v: state for loop in loops for v, state, start in zip(
            loop.carried, loop.carried if loop.test is None else loop.test.inputs, loop.initial,
            strict=True)
        if isinstance(start, Value) and is_int(kind_of(v)) and is_int(kind_of(start))
        and max(sweep.of(start).low, sweep.of(state).low) < UNKNOWN}


class _Step(NamedTuple):
    """An equation, and the answers about it that are the same in all sweeps.

    sides    of a branch: the side, what is known there, and which of its outputs are ints.
    makes    the equation makes an int.
    sources  where that comes from.
    facts    what is known once the equation was done.
    """

    equation: Equation
    loop: Loop | None
    branch: Branch | None
    sides: list[tuple[Graph, list[Fact], list[int]]]
    makes: bool
    sources: tuple[Atom, ...] | None
    facts: list[Fact]


_Before = dict[Value, Range | None]
"""What was known of values before facts told more."""


class _Sweep:
    """Goes through the equations in their order.

    number    of the sweep.
    changed   what a loop carries has a larger range than at its start.
    narrows   all ranges hold: one that is computed anew may be smaller.
    counters  carried values that count by ones.
    waiting   stores of ints that may be wrong.
    assumed   carried values that are taken not to be negative at the start.
    fitting   equations on ints whose results are sure to fit.
    """

    def __init__(self, kind_of: KindOf, counters: set[Value], facts: Facts,
                 waiting: Container[Equation], assumed: Container[Value],
                 steps: dict[Graph, list[_Step]] | None = None) -> None:
        self.kind_of = kind_of
        self.counters = counters
        self.facts = facts
        self.waiting = waiting
        self.assumed = assumed
        self.fitting: set[Equation] = set()
        self.narrows = False
        self.found: dict[Value, Range] = {}
        self.steps = {} if steps is None else steps
        self.number = 0
        self.changed = True

    def of(self, atom: Atom) -> Range:
        """Returns the range of an int or a bool, or of the elements of an array."""
        if isinstance(atom, Value):
            if atom in self.found:
                return self.found[atom]
        elif type(atom) is int or not isinstance(self.kind_of(atom), Nothing):
            return Range(int(atom), int(atom))
        else:
            return Range(0, 0)
        return Range(0, 1) if _dtype(self.kind_of(atom)) == BOOL else ALL

    def ints(self, atoms: Iterable[Any]) -> list[int]:
        """Returns the positions of those that are ints of 64 bits, or arrays of them."""
        return [k for k, a in enumerate(atoms) if is_ints(self.kind_of(a))]

    def region(self, graph: Graph) -> None:
        if graph not in self.steps:
            self.steps[graph] = list(map(self.step, graph.equations))
        before: list[_Before] = []
        for step in self.steps[graph]:
            if step.loop is not None:
                self.loop(step.loop)
            elif step.branch is not None:
                self.branch(step.branch, step.sides)
            elif step.makes:
                found = self.result(step)
                (self.fitting.add if found.within(ALL) else self.fitting.discard)(step.equation)
                self.found[step.equation.outputs[0]] = found.common(ALL)
            if step.facts:
                before.append(self.enter(step.facts))
        for old in reversed(before):
            self.leave(old)

    def step(self, e: Equation) -> _Step:
        loop, branch = as_loop(e), as_branch(e)
        sides = [] if branch is None else [
            (side, list(self.facts.of(branch.predicate, holds)), self.ints(branch.results))
            for holds, side in branch.sides()]
        makes = not e.regions and len(e.outputs) == 1 and bool(self.ints(e.outputs))
        return _Step(e, loop, branch, sides, makes, sources(e, self.kind_of) if makes else None,
                     list(bounds_of_indices(e, self.kind_of)))

    def branch(self, branch: Branch, sides: list[tuple[Graph, list[Fact], list[int]]]) -> None:
        given = []
        for side, facts, ints in sides:
            before = self.enter(facts)
            self.region(side)
            given.append({k: self.of(side.outputs[k]) for k in ints})
            self.leave(before)
        for k in given[0]:
            self.found[branch.results[k]] = given[0][k].joined(given[1][k])

    def result(self, step: _Step) -> Range:
        """Returns the range of what an equation gives."""
        e = step.equation
        if step.sources is None:
            return ALL if isinstance(self.kind_of(e.outputs[0]), Array) else _result(e, self.of)
        return ALL if e in self.waiting else reduce(Range.joined, map(self.of, step.sources))

    def enter(self, facts: Iterable[Fact]) -> _Before:
        """Enters what facts tell; returns what was known before."""
        before: _Before = {}
        for sign, *pair in facts:
            for x, found in zip(pair, compared(sign, *map(self.of, pair)), strict=True):
                if isinstance(x, Value):
                    before.setdefault(x, self.found.get(x))
                    self.found[x] = found
        return before

    def leave(self, before: _Before) -> None:
        """Takes back what facts told."""
        for x, old in before.items():
            if old is None:
                del self.found[x]
            else:
                self.found[x] = old

    def loop(self, loop: Loop) -> None:
        if loop.item is not None:
            self.found[loop.item] = self.items(loop)
        test, ints = loop.test, self.ints(loop.carried)
        states = loop.carried if test is None else test.inputs
        for k in ints:
            self.grow(states[k], self.start(loop, k))
        if test is not None:
            self.region(test)
        before = self.enter(self.tested(test, True))
        self.found |= {loop.carried[k]: self.of(states[k]) for k in ints}
        self.region(loop.body)
        ends = {k: self.of(loop.body.outputs[k]) for k in ints}
        self.leave(before)
        for k, end in ends.items():
            self.grow(states[k], end, self.start(loop, k))
        before = self.enter(() if loop.is_for else self.tested(test, False))
        self.found |= {loop.results[k]: self.of(states[k]) for k in ints}
        self.leave(before)

    def start(self, loop: Loop, k: int) -> Range:
        """Returns the range of what a loop carries first."""
        found = self.of(loop.initial[k])
        return found.common(NATURAL) if loop.carried[k] in self.assumed else found

    def tested(self, test: Graph | None, holds: bool) -> Iterator[Fact]:
        """Yields what follows where the test of a loop was done."""
        if test is not None:
            yield from self.facts.of(test.outputs[0], holds)
            for e in test.equations:
                yield from bounds_of_indices(e, self.kind_of)

    def items(self, loop: Loop) -> Range:
        """Returns the range of the items of a constant range."""
        steps = loop.iterable
        if type(steps) is range and steps:
            return Range(min(steps[0], steps[-1]), max(steps[0], steps[-1]))
        return MODERATE

    def grow(self, state: Value, given: Range, start: Range | None = None) -> None:
        """Enters what a carried value may be; at the end of an iteration, where it starts, too."""
        bounds, old = COUNTED if state in self.counters else ALL, self.found.get(state)
        if self.narrows:
            if start is not None and (new := given.joined(start).common(bounds)) != old:
                self.found[state], self.changed = new, True
            return
        new = given if old is None else old.joined(given)
        if old is not None and self.number >= PATIENCE:
            new = Range(old.low if new.low == old.low else bounds.low,
                        old.high if new.high == old.high else bounds.high)
        new = new.common(bounds)
        if new != old:
            self.found[state], self.changed = new, True


def _dtype(kind: Kind) -> Any:
    return kind.dtype if isinstance(kind, Number) else None


def _result(e: Equation, of: Callable[[Atom], Range]) -> Range:
    """Returns the range of an int that an equation makes of numbers; where a result does not fit,
    there is none."""
    op = e.op
    if op is SELECT:
        return of(e.args[1]).joined(of(e.args[2]))
    if op is TO_INT and len(e.args) == 1:
        return of(e.args[0])
    if op in (MIN, MAX):
        found = [of(a) for a in e.args]
        choose = min if op is MIN else max
        return Range(choose(r.low for r in found), choose(r.high for r in found))
    form = FORMS.get(op.ufunc) if op.dunder else None
    return ALL if form is None else form(*map(of, e.args))


def _remainder(a: Range, b: Range) -> Range:
    if b.low <= 0:
        return ALL
    return Range(0, min(a.high, b.high - 1) if a.low >= 0 else b.high - 1)


def _floor_divided(a: Range, b: Range) -> Range:
    if b.low <= 0:
        return ALL
    found = [x // y for x in a for y in b]
    return Range(min(found), max(found))


def _both_bits(a: Range, b: Range) -> Range:
    highs = [r.high for r in (a, b) if r.low >= 0]
    return Range(0, min(highs)) if highs else ALL


def _any_bits(a: Range, b: Range) -> Range:
    if a.low < 0 or b.low < 0:
        return ALL
    return Range(0, (1 << max(a.high, b.high).bit_length()) - 1)


def _by(name: str) -> Callable[[Range, Range], Range]:
    return lambda a, b: a.by(name, b)


FORMS: dict[Any, Callable[..., Range]] = {
    np.add: _by("add"), np.subtract: _by("sub"), np.multiply: _by("mul"),
    np.remainder: _remainder, np.floor_divide: _floor_divided,
    np.bitwise_and: _both_bits, np.bitwise_or: _any_bits, np.bitwise_xor: _any_bits,
    np.right_shift: lambda a, b: Range(min(a.low, 0), max(a.high, 0)),
    np.negative: lambda a: Range(-a.high, -a.low), np.positive: lambda a: a,
    np.absolute: lambda a: Range(0, max(abs(a.low), abs(a.high))),
}


def counters(graph: Graph, kind_of: KindOf) -> set[Value]:
    """Returns the values that are a moderate number, plus or minus one now and then, and the arrays
    of such numbers.

    It takes years to add up 2^60 ones: each needs an instruction, and loops ask now and then if the
    user interrupts, so they are not computed at once.
    """
    items = {loop.item for e in graph.walk() if (loop := as_loop(e)) is not None}
    passed = dict(_passed_on(graph, kind_of))
    ones = _closed(passed, (), 1)
    return set(_closed(passed | dict(_steps(graph, kind_of, ones)), items, 2 ** 53 - 1))


def _closed(made: dict[Value, tuple[Atom, ...]], known: Container[Any], most: int
            ) -> dict[Value, tuple[Atom, ...]]:
    """Returns the values that are made of each other, of known ones, and of constants of at most
    this magnitude, alone."""
    while True:
        wrong = {v for v, of in made.items() if not all(
            a in made or a in known if isinstance(a, Value) else abs(int(a)) <= most for a in of)}
        if not wrong:
            return made
        made = {v: of for v, of in made.items() if v not in wrong}


def _passed_on(graph: Graph, kind_of: KindOf) -> Iterable[tuple[Value, tuple[Atom, ...]]]:
    """Yields the ints, and arrays of ints, that are one of other values, with these."""
    for e in graph.walk():
        if (loop := as_loop(e)) is not None:
            tested = [] if loop.test is None else [loop.test.inputs]
            pairs = [*zip(loop.carried, zip(loop.initial, loop.body.outputs, strict=True),
                          strict=True),
                     *((v, (c,)) for vs in (loop.results, *tested)
                       for v, c in zip(vs, loop.carried, strict=True))]
        elif (branch := as_branch(e)) is not None:
            pairs = list(zip(branch.results, branch.given(), strict=True))
        elif e.op is SELECT:
            pairs = [(e.outputs[0], e.args[1:])]
        elif e.op in (MIN, MAX):
            pairs = [(e.outputs[0], e.args)]
        elif len(e.outputs) == 1 and (given := sources(e, kind_of)) is not None:
            pairs = [(e.outputs[0], given)]
        else:
            continue
        for v, of in pairs:
            if all(is_ints(kind_of(x)) or type(x) is bool for x in (v, *of)):
                yield v, tuple(of)


def _steps(graph: Graph, kind_of: KindOf, ones: Container[Value]
           ) -> Iterable[tuple[Value, tuple[Atom, ...]]]:
    """Yields the ints that are other ints, plus or minus one at most, with these."""
    for e in graph.walk():
        if e.op.dunder and e.op.ufunc in (np.add, np.subtract):
            out = e.outputs[0]
            for a, b in _orders(e):
                if is_int(kind_of(out)) and is_int(kind_of(a)) and (
                        b in ones if isinstance(b, Value) and is_int(kind_of(b))
                        else _is_one(b, kind_of)):
                    yield out, (a,)


def _orders(e: Equation) -> list[tuple[Atom, Atom]]:
    a, b = e.args
    return [(a, b)] if e.op.ufunc is np.subtract else [(b, a), (a, b)]


def _is_one(atom: Atom, kind_of: KindOf) -> bool:
    """Returns True for 1, 0, -1 and bools."""
    if isinstance(atom, Value):
        return bool(_dtype(kind_of(atom)) == BOOL)
    return type(atom) in (int, bool) and abs(atom) <= 1
