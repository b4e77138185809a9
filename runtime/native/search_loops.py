"""Searches: loops that change what they carry only where a test holds, as for the nearest point.

`if d < best: best, k = d, i` makes each iteration wait for the one before, though hardly any of
them changes `best`. So the test is asked of a block of iterations first, as if none changed
anything. If it holds nowhere, none did. If it holds, or where the quick form of a power is not sure
and the test is close, the block is done one by one. LLVM makes vectors of asking, as it stores
nothing and nothing leaves it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import Branch, Loop, as_branch
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.kinds import FLOAT, Array, Kind, Number
from autograph.runtime.native.llvm_ir import BIT, DOUBLE, I64, Block, Literal, word
from autograph.runtime.native.llvm_values import Register
from autograph.runtime.native.operators import COMPARISONS
from autograph.runtime.native.plain_floats import NEEDED, SHORT
from autograph.runtime.native.small_branches import is_small
from autograph.runtime.native.strict_floats import NEAREST
from autograph.runtime.native.sums import Sums
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.python import NOT

if TYPE_CHECKING:
    from autograph.runtime.native.loops import Items

KindOf = Callable[[Atom], Kind]

TOGETHER = 8
"""Iterations that are asked at once."""

ARITHMETIC = {*NEEDED, np.power}
"""Operations on floats of which the test needs the results: no exception of theirs is lost."""


@dataclass
class Search:
    """A body that ends in a branch of which one side changes nothing.

    branch     that branch.
    idle       the truth value of its test on that side.
    equations  what comes before it.
    """

    branch: Branch
    idle: bool
    equations: list[Equation]


@dataclass
class Asking:
    """Collects facts while the test of a block is written.

    extreme  bits that send the block to be done one by one.
    inexact   bits that tell of a power that may be the neighbour of what was found.
    refused  it needs what may leave the kernel.
    """

    extreme: list[Any] = field(default_factory=list)
    inexact: list[Any] = field(default_factory=list)
    refused: bool = False


def search_of(loop: Loop, kind_of: KindOf) -> Search | None:
    """Returns what a loop over a range searches; None for another loop."""
    before, branch = loop.body.equations[:-1], None
    if loop.body.equations:
        branch = as_branch(loop.body.equations[-1])
    if branch is None or not loop.is_for or loop.test is not None:
        return None
    idle = [holds for holds, side in branch.sides()
            if not side.equations and _changes_nothing(loop, branch, side, kind_of)]
    if len(idle) != 1 or not all(_is_asked(e, kind_of) for e in before):
        return None
    return Search(branch, idle[0], before) if _all_needed(loop, branch, kind_of) else None


def _changes_nothing(loop: Loop, branch: Branch, side: Graph, kind_of: KindOf) -> bool:
    given = dict(zip(branch.results, side.outputs, strict=True))
    return all(isinstance(kind_of(v), Number) and (
        x is v or (isinstance(x, Value) and given.get(x) is v))
        for v, x in zip(loop.carried, loop.body.outputs, strict=True))


def _is_asked(e: Equation, kind_of: KindOf) -> bool:
    """Returns True for what may be done for iterations that are not: loads, arithmetic, tests."""
    if (branch := as_branch(e)) is not None:
        return is_small(branch, kind_of) or is_of_loads(branch, kind_of)
    if len(e.outputs) != 1 or not isinstance(kind_of(e.outputs[0]), Number):
        return False
    if e.op.ufunc is np.sqrt:
        return all(kind_of(x) == kind_of(e.outputs[0]) for x in e.args)
    return e.op is NOT or _is_load(e, kind_of) or (e.op.dunder != "" and (
        e.op.ufunc in ARITHMETIC or e.op.ufunc in COMPARISONS))


def is_of_loads(branch: Branch, kind_of: KindOf) -> bool:
    """Returns True for a branch, as of `a and b`, that loads and compares elements."""
    return all(isinstance(kind_of(v), Number) for v in branch.results) and all(
        e.op is NOT or e.op.ufunc in COMPARISONS or _is_load(e, kind_of)
        for _, side in branch.sides() for e in side.equations)


def _is_load(e: Equation, kind_of: KindOf) -> bool:
    return e.op is GETITEM and isinstance(kind_of(e.args[0]), Array)


def _all_needed(loop: Loop, branch: Branch, kind_of: KindOf) -> bool:
    """Returns True if the test needs all floats, of which some are loaded: none is computed for the
    other side alone, and none is compared with a constant, which might tell without it. It needs
    what the loop carries, too: other loops do not wait, as those that count what a test holds for.
    """
    equations = loop.body.equations[:-1]
    needed, computed, loads = {branch.predicate}, set[Atom](), False
    for e in reversed(equations):
        if needed.isdisjoint(e.outputs):
            return False
        needed.update(e.inputs, *(region.free_values() for region in e.regions))
    for e in equations:
        loads = loads or _is_load(e, kind_of)
        kind = kind_of(e.outputs[0])
        if isinstance(kind, Number) and kind.dtype.kind == "f" and e.op.ufunc in ARITHMETIC:
            computed.update(e.outputs)
        elif e.op.ufunc in COMPARISONS and not computed.isdisjoint(e.args) and not all(
                isinstance(a, Value) for a in e.args):
            return False
    return loads and not needed.isdisjoint(loop.carried)


SHARE = 2.0 ** -46
"""By less than this share, what is made of a few powers changes if they are their neighbours."""

EITHER, POSITIVE = 1, 2
"""The signs of a float of which the error is a small share."""


class Margins:
    """Tells what becomes of the errors of powers in the test of a search."""

    def __init__(self, search: Search) -> None:
        self.made = {v: e for e in search.equations for v in e.outputs}
        self.predicate = search.branch.predicate
        self.idle = search.idle

    def sides(self) -> tuple[Atom, Atom] | None:
        """Returns what a test compares: a float that is off by a small share, and an exact one."""
        e = self.maker(self.predicate)
        if e is None or self.idle or e.op.ufunc not in ORDERED:
            return None
        for a, b in (e.args, e.args[::-1]):
            if self.sign(a) and self.is_exact(b):
                return a, b
        return None

    def maker(self, atom: Atom) -> Equation | None:
        return self.made.get(atom) if isinstance(atom, Value) else None

    def is_exact(self, atom: Atom) -> bool:
        e = self.maker(atom)
        return e is None or (not (e.regions or e.op.ufunc is np.power) and all(
            map(self.is_exact, e.inputs)))

    def sign(self, atom: Atom) -> int:
        """Returns the signs that a float may have; 0 if it may be off by more than a share."""
        e = self.maker(atom)
        if e is None or self.is_exact(atom):
            return EITHER
        if e.op.ufunc is np.power and self.is_exact(e.args[0]):
            return POSITIVE if e.args[1] in (2, 4, 6, 8) else EITHER
        found = {self.sign(a) for a in e.args}
        if e.op.ufunc in (np.add, np.sqrt):
            return POSITIVE if found == {POSITIVE} else 0
        return min(found) if e.op.ufunc is np.multiply else 0


ORDERED = (np.less, np.less_equal, np.greater, np.greater_equal)


class SearchLoops(Sums):
    """Writes what asks the tests of blocks of iterations; a base of the printer of loops."""

    native: NativeLoop

    def truth(self, atom: Any) -> Any:
        raise NotImplementedError

    def equation(self, e: Equation) -> None:
        raise NotImplementedError

    def enter_number(self, items: Items, number: Any) -> None:
        raise NotImplementedError

    def search(self, loop: Loop, items: Items) -> Search | None:
        """Returns what a loop searches, if blocks of it are worth asking."""
        if not (self.packed and items.runs) or self.native.fast or (
                self.i.ranges.of(items.count).high <= SHORT):
            return None
        return search_of(loop, self.kind_of)

    def ask_block(self, loop: Loop, search: Search, items: Items, cells: Any, left: Any,
                  head: Block) -> None:
        """Writes the way from the beginning of a run to its first iteration: where a test holds for
        none of a block, that goes back to the head behind them."""
        builder, begin = self.i.builder, self.i.builder.block
        start, lanes, asked, skip, rest = map(
            self.i.block, ("block", "lanes", "asked", "skip", "rest"))
        builder.position_at_end(start)
        self.read(cells, loop.carried, loop.initial)
        first, lane, found = builder.load(items.item, typ=I64), self.i.stack(I64), self.i.stack(BIT)
        builder.store(word(0), lane)
        builder.store(Literal(BIT, 0), found)
        builder.branch(lanes)
        builder.position_at_end(lanes)
        at = builder.load(lane, typ=I64)
        changes = self.changes(loop, search, items, builder.add(first, builder.mul(
            at, items.steps.step)))
        refused = changes is None or builder.block is not lanes
        if changes is not None:
            builder.store(builder.or_(builder.load(found, typ=BIT), changes), found)
        following = builder.add(at, word(1))
        builder.store(following, lane)
        builder.cbranch(builder.icmp_signed("!=", following, word(TOGETHER)), lanes, asked,
                        rolled=True)
        builder.position_at_end(asked)
        builder.cbranch(builder.load(found, typ=BIT), rest, skip)
        builder.position_at_end(skip)
        for cell, step in ((items.item, builder.mul(items.steps.step, word(TOGETHER))),
                           (items.left, word(-TOGETHER)), (self.ticks, word(-TOGETHER))):
            builder.store(builder.add(builder.load(cell, typ=I64), step), cell)
        builder.branch(head)
        builder.position_at_end(begin)
        if refused:
            builder.branch(rest)
        else:
            enough = builder.icmp_signed(">=", left, word(TOGETHER))
            builder.cbranch(enough, start, rest)
            items.all, items.until = False, builder.select(
                enough, builder.sub(left, word(TOGETHER)), word(0))
        builder.position_at_end(rest)

    def changes(self, loop: Loop, search: Search, items: Items, number: Any) -> Any:
        """Writes the test of an iteration. Returns a bit that is set if it may change what is
        carried; None where that cannot be asked."""
        asking = self.i.asking = Asking()
        with self.i.hoisting.inside(items.opened):
            outer, self.i.lanes.repeated = self.i.lanes.repeated, True
            self.enter_number(items, number)
            assert loop.item is not None
            self.values[loop.item] = Register(number)
            with self.i.builder.plainly(True):
                for e in search.equations:
                    self.equation(e)
                found = self.truth(search.branch.predicate)
                inexact = self.any_of(asking.inexact)
                sides = Margins(search).sides() if asking.inexact else None
                if sides is not None and all(self.kind(a).dtype == FLOAT for a in sides):
                    inexact = self.i.builder.and_(inexact, self.is_close(*sides))
            self.i.lanes.repeated = outer
        self.i.asking = None
        if search.idle:
            found = self.i.builder.not_(found)
        return None if asking.refused else self.any_of([found, inexact, *asking.extreme])

    def any_of(self, bits: list[Any]) -> Any:
        return reduce(self.i.builder.or_, bits, Literal(BIT, 0))  # type: ignore[arg-type]

    def is_close(self, near: Atom, exact: Atom) -> Any:
        """Returns True where a float that is off by a share may be on the other side of one."""
        x, y = (self.as_type(a, FLOAT) for a in (near, exact))
        bounds = [self.i.strict("fmul", [x, Literal(DOUBLE, 1 + share)], DOUBLE, NEAREST)
                  for share in (-SHARE, SHARE)]
        above, below = (self.i.compare("<", FLOAT, y, bound) for bound in bounds)
        return self.i.builder.xor(above, below)
