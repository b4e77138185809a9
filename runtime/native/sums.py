"""Sums of ints: whether they fit is asked once, after the loop.

A loop that adds ints to a carried one would test each step for overflow, and LLVM could not do
several steps at once. Where nothing else looks at the sum in the meantime, the steps wrap around,
and the bits that any of the added numbers has are collected. After the loop, these and the number
of steps bound the sum in whatever order it is made; where it may not have fitted, the kernel is
left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, graphs_in
from autograph.runtime.ir.regions import Loop, as_branch
from autograph.runtime.native.cells import Cells
from autograph.runtime.native.kinds import Number, is_int
from autograph.runtime.native.llvm_ir import BIT, I64, Literal, word
from autograph.runtime.ops.python import SELECT

BELOW = 2 ** 62
"""The start and what is added are both less, so that the sum fits."""

ZEROS = 66
"""If the collected bits and the number of additions have together so many leading zeros, their
product is at most 2 ** 62."""


@dataclass
class Sum:
    """A sum that a loop makes.

    steps      the additions, each with the operand that is added.
    collected  memory for the bits; None before the first addition that may not fit is written.
    """

    steps: dict[Equation, int]
    collected: Any = None


def sums(loop: Loop, is_summed: Callable[[Value], bool]) -> dict[Value, Sum]:
    """Returns the sums that a loop makes, of values of which this is true, and which nothing else
    looks at, by the carried values."""
    found = {}
    made = {out: e for e in loop.body.walk() for out in e.outputs}
    for k, v in enumerate(loop.carried):
        if is_summed(v):
            way = _Way(v, loop.body, made)
            if way.leads_to(loop.body.outputs[k]) and way.steps and way.is_alone(k):
                found[v] = Sum(way.steps)
    return found


class _Way:
    """The way of a sum through the body of a loop.

    parts  the sum as it was given and after each step, and if that is so of other values.
    ends   the outputs of regions that hand the sum on: the region and the position.
    """

    def __init__(self, start: Value, body: Graph, made: dict[Value, Equation]) -> None:
        self.body = body
        self.made = made
        self.parts: dict[Atom, bool] = {start: True}
        self.steps: dict[Equation, int] = {}
        self.joints: set[Equation] = set()
        self.ends: set[tuple[int, int]] = set()

    def leads_to(self, x: Atom) -> bool:
        """Returns True if an atom is the sum after some of its steps."""
        if not isinstance(x, Value):
            return False
        if x not in self.parts:
            self.parts[x] = x in self.made and self._through(self.made[x], x)
        return self.parts[x]

    def _through(self, e: Equation, x: Value) -> bool:
        if (branch := as_branch(e)) is not None:
            at = e.outputs.index(x)
            self.joints.add(e)
            self.ends |= {(id(side), at) for _, side in branch.sides()}
            return all(self.leads_to(side.outputs[at]) for _, side in branch.sides())
        if e.op is SELECT:
            self.joints.add(e)
            return all(map(self.leads_to, e.args[1:]))
        if not e.op.dunder or e.op.ufunc not in (np.add, np.subtract):
            return False
        for sum_at in (0, 1)[:1 if e.op.ufunc is np.subtract else 2]:
            if self.leads_to(e.args[sum_at]):
                self.steps[e] = 1 - sum_at
                return True
        return False

    def is_alone(self, k: int) -> bool:
        """Returns True if nothing but the steps looks at the sum, which is the k-th output."""
        parts = {x for x, is_part in self.parts.items() if is_part}
        ends = {*self.ends, (id(self.body), k)}
        return all(self._may_use(e, parts) for e in self.body.walk()) and all(
            x not in parts or (id(graph), at) in ends
            for graph in graphs_in(self.body) for at, x in enumerate(graph.outputs))

    def _may_use(self, e: Equation, parts: set[Atom]) -> bool:
        if e in self.steps:
            return e.args[self.steps[e]] not in parts
        if e in self.joints:
            return e.args[0] not in parts
        return parts.isdisjoint(e.inputs)


class Sums(Cells):
    """Writes sums; a base of the printer of loops.

    summed  for each addition, its sum.
    """

    def __init__(self) -> None:
        super().__init__()
        self.summed: dict[Equation, Sum] = {}

    def begin_sums(self, loop: Loop) -> dict[Value, Sum]:
        """Notes the sums of a loop over a range."""
        found = sums(loop, self.is_int)
        for each in found.values():
            self.summed |= dict.fromkeys(each.steps, each)
        return found

    def float_steps(self, loop: Loop) -> dict[Equation, int]:
        """Returns the additions to sums of floats that nothing else looks at in a loop, each with
        the operand that is added: with `fast_math`, they may be done in any order."""
        return {e: at for found in sums(loop, self.is_float).values()
                for e, at in found.steps.items()}

    def is_float(self, atom: Atom) -> bool:
        kind = self.kind_of(atom)
        return isinstance(kind, Number) and kind.dtype.kind == "f"

    def is_int(self, atom: Atom) -> bool:
        return is_int(self.kind_of(atom))

    def added(self, e: Equation, a: Any, b: Any) -> Any:
        """Writes an addition to a sum; None if it is known to fit."""
        name, found = "add" if e.op.ufunc is np.add else "sub", self.summed[e]
        if self.i.hoisting.fits(name, a, b):
            return None
        builder, number = self.i.builder, (a, b)[found.steps[e]]
        if found.collected is None:
            found.collected = self.i.stack(I64)
        bits = builder.xor(number, builder.ashr(number, word(63)))
        builder.store(builder.or_(builder.load(found.collected, typ=I64), bits), found.collected)
        return getattr(builder, name)(a, b)

    def end_sums(self, loop: Loop, found: dict[Value, Sum], count: Any, before: Any) -> None:
        """Leaves the kernel unless the sums are sure to have fitted."""
        builder = self.i.builder
        for v, start in zip(loop.carried, loop.initial, strict=True):
            if v in found and found[v].collected is not None:
                each = found[v]
                with builder.goto_block(before):
                    builder.store(word(0), each.collected)
                additions = builder.mul(count, word(len(each.steps)))
                zeros = [self.i.call("llvm.ctlz.i64", I64, [x, Literal(BIT, 0)]) for x in (
                    builder.load(each.collected, typ=I64), additions)]
                self.i.require(builder.icmp_signed(">=", builder.add(*zeros), word(ZEROS)))
                self.i.in_range(self.of(start).value, 1 - BELOW, BELOW - 1)
