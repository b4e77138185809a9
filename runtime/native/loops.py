"""The printer of loops inside native loops: what they carry, their items, and when Python is asked.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from autograph.locks import cached_property
from autograph.runtime.ir.graph import Equation, Graph, Value, binders
from autograph.runtime.ir.regions import Branch, Loop, as_branch, as_loop, is_loop
from autograph.runtime.native.array_rules import parts_of
from autograph.runtime.native.bisections import bisects
from autograph.runtime.native.breaks import break_of
from autograph.runtime.native.builder import known
from autograph.runtime.native.carried_elements import CarriedElements
from autograph.runtime.native.common_code import ask, common
from autograph.runtime.native.halving_loops import constant_step, halves, most_steps
from autograph.runtime.native.hoisting import Opened
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.instructions import INTERRUPTED
from autograph.runtime.native.kinds import INT, Array
from autograph.runtime.native.llvm_ir import (
    BIT,
    I32,
    I64,
    RARE,
    Block,
    Literal,
    word,
)
from autograph.runtime.native.llvm_values import NumberCell, Progression, Register
from autograph.runtime.native.parallel_loops import deferred_checks
from autograph.runtime.native.plain_floats import SHORT, plain_floats
from autograph.runtime.native.ranges import NATURAL, Range
from autograph.runtime.native.search_loops import SearchLoops
from autograph.runtime.native.tested_values import known_from_test, second_part
from autograph.runtime.ops.indexing import SETITEM
from autograph.runtime.ops.views import UPDATE_VIEW

POLL = 2 ** 20
"""After so many iterations, Python is asked if the user interrupts."""

RUN = 2 ** 16
"""So many iterations of an innermost loop run without counting. A loop that is known to have no
more is one run, after which nobody is asked: a loop around it does so in time."""


ENDS = 2
"""So many iterations at each end may be told from the others by a test of theirs."""


FEW = 64
"""A loop that is known to have no more iterations is a part of a run."""


@dataclass
class Items:
    """Where the items of a loop over a range are counted.

    item, left  memory for the item, and for how many are left.
    count       the number of items.
    again       where an iteration of a run begins, if it is tested first.
    until       how many are left when the run ends; None: each iteration is counted.
    passed      the iterations of the run.
    all         the run is known to be all of the loop.
    unpeeled    LLVM takes no first iterations out of the loop.
    """

    item: Any
    left: Any
    count: Any
    steps: Progression
    opened: Opened
    runs: bool
    again: Block | None = None
    until: Any = None
    passed: Any = None
    all: bool = False
    unpeeled: bool = False


class Loops(SearchLoops, CarriedElements):
    """Writes loops; a base of the printer.

    plain  the equations whose operations on floats may be plain.
    later  those whose checks wait for the end of the loop.
    tested  numbers that a body makes as the test has made them, and these.
    """

    native: NativeLoop
    ran: dict[Equation, Any]

    def __init__(self) -> None:
        super().__init__()
        self.plain: set[Equation] = set()
        self.unordered: set[Equation] = set()
        self.later: set[Equation] = set()
        self.tested: dict[Value, Value] = {}

    def region(self, graph: Graph) -> None:
        raise NotImplementedError

    def equations(self, equations: list[Equation]) -> None:
        raise NotImplementedError

    def truth(self, atom: Any) -> Any:
        raise NotImplementedError

    def progression(self, numbers: list[Any]) -> Progression:
        if len(numbers) == 1:
            return Progression(word(0), numbers[0], word(1))
        step = numbers[2] if len(numbers) == 3 else word(1)
        if not known(step):
            self.i.require(self.i.builder.icmp_signed("!=", step, word(0)))
        return Progression(numbers[0], numbers[1], step)

    def loop(self, loop: Loop) -> None:
        cells = self.cells(loop.carried)
        self.take_as_assumed(loop)
        self.fill(cells, loop.initial)
        items = self.first_item(loop)
        before = self.i.builder.block
        head, body, after = self.i.block("head"), self.i.block("body"), self.i.block("after")
        self.i.builder.position_at_end(head)
        with self.i.hoisting.inside(None):
            out = self.test(loop, items, cells, body, after, head)
        self.i.builder.position_at_end(body)
        moves = items is not None and loop.test is None
        summed = self.begin_sums(loop) if moves else {}
        if items is not None and moves:
            if (step := known(items.steps.step)) is not None:
                self.carry(loop, step)
            self.enter_plain(loop, items, summed)
        with self.i.hoisting.inside(items.opened if items is not None and moves else None):
            outer, self.i.lanes.repeated = self.i.lanes.repeated, (
                items is not None and moves and items.runs)
            self.body(loop, items, cells, out)
            self.i.lanes.repeated = outer
            passed = self.passed_at_end(loop)
            if passed is None:
                self.following(items, head, body)
            else:
                self.i.builder.branch(head)
        if items is not None:
            self.i.hoisting.end_before(
                items.opened, head, self.i.gaps if self.packed else self.i.fail)
        else:
            with self.i.builder.goto_block(before):
                self.i.builder.branch(head)
        self.i.builder.position_at_end(after)
        if passed:
            self.pass_by(word(passed))
        if items is not None:
            self.end_sums(loop, summed, items.count, before)
            self.i.deferred.end(before)
        self.read(cells, loop.results, loop.initial)

    def passed_at_end(self, loop: Loop) -> int | None:
        """Returns what a loop that ends soon counts as when it has ended; None for all others."""
        if self.ends_soon(loop):
            return 0
        most = None if loop.is_for else most_steps(loop, self.int_ranges)
        return most if most is not None and most <= RUN else None

    def ends_soon(self, loop: Loop) -> bool:
        """Returns True for a loop of as many iterations as an int has bits, or hardly more."""
        return halves(loop, self.int_ranges) or bisects(loop, self.int_ranges, self.facts)

    def take_as_assumed(self, loop: Loop) -> None:
        """Asks for the other form of the kernel where an int is negative that is assumed not to be.
        """
        for v, start in zip(loop.carried, loop.initial, strict=True):
            if v in self.assumed and self.i.ranges.of(x := self.of(start).value).low < 0:
                self.i.require(self.i.builder.icmp_signed(">=", x, word(0)), self.i.gaps)
                self.i.ranges.learn(x, NATURAL)

    def test(self, loop: Loop, items: Items | None, cells: Any, body: Block, after: Block,
             head: Block) -> Block:
        """Writes what decides if another iteration begins, or another run of them. Returns the
        block that a loop which has ended goes to."""
        builder = self.i.builder
        if items is not None:
            left, run = builder.load(items.left, typ=I64), self.i.block("run")
            builder.cbranch(builder.icmp_signed("!=", left, word(0)), run, after)
            builder.position_at_end(run)
            if items.all:
                items.until, items.passed = word(0), items.count
            elif items.runs:
                until = builder.sub(left, word(RUN))
                more = builder.icmp_signed(">", until, word(0))
                items.until = builder.select(more, until, word(0))
                items.passed = builder.sub(left, items.until)
            if (search := self.search(loop, items)) is not None:
                self.ask_block(loop, search, items, cells, left, head)
                items.passed = builder.sub(left, items.until)
        if loop.test is None:
            builder.branch(body)
            return after
        out = after
        if items is not None and items.runs:
            out = self.broken_off(items, left, after)
            items.again = self.i.block("test")
            builder.branch(items.again)
            builder.position_at_end(items.again)
        self.read(cells, loop.test.inputs, loop.initial)
        self.go_on_if(loop.test, body, out)
        return out

    def go_on_if(self, test: Graph, body: Block, out: Block) -> None:
        """Goes to the body where a test holds: of `a and b`, the second part comes after the first.
        """
        branch = second_part(test, self.kind_of)
        if branch is None:
            self.region(test)
            self.i.builder.cbranch(self.truth(test.outputs[0]), body, out)
            return
        self.equations(test.equations[:-1])
        second = self.i.block("second")
        self.i.builder.cbranch(self.truth(branch.predicate), second, out)
        self.i.builder.position_at_end(second)
        self.learn(branch.predicate, True)
        self.go_on_if(branch.on_true, body, out)

    def enter_plain(self, loop: Loop, items: Items, summed: Container[Value]) -> None:
        """Notes which operations on floats may be plain in a loop, and which checks may wait."""
        if items.runs and self.i.ranges.of(items.count).high > SHORT:
            steps = self.float_steps(loop) if self.native.fast else {}
            self.unordered |= steps.keys()
            found = plain_floats(loop, self.kind_of, steps)
            items.unpeeled = len(found) > 0 and not self.tells_ends(loop)
            self.plain |= found
            self.later |= deferred_checks(loop, self.kind_of, summed)

    def tells_ends(self, loop: Loop) -> bool:
        """Returns True if a test tells the first iterations or the last from the others: in these,
        once LLVM has taken those out, there is no branch."""
        steps = loop.iterable
        if type(steps) is not range or len(steps) <= 2 * ENDS:
            return False
        ends = {*steps[:ENDS + 1], *steps[-ENDS - 1:], steps.stop}
        branches = filter(None, map(as_branch, loop.body.walk()))
        return any(
            loop.item in (a, b) and not ends.isdisjoint(x for x in (a, b) if type(x) is int)
            for branch in branches for holds in (True, False)
            for _, a, b in self.facts.of(branch.predicate, holds))

    def broken_off(self, items: Items, begun: Any, after: Block) -> Block:
        """Returns the block that counts the iterations of a run that ends early."""
        builder = self.i.builder
        out: Block = self.i.block("out")
        with builder.goto_block(out):
            passed = builder.sub(begun, builder.load(items.left, typ=I64))
            builder.store(builder.sub(builder.load(self.ticks, typ=I64), passed), self.ticks)
            builder.branch(after)
        return out

    def body(self, loop: Loop, items: Items | None, cells: Any, out: Block) -> None:
        if loop.test is None:
            self.read(cells, loop.carried, loop.initial)
        else:
            for v, tested in zip(loop.carried, loop.test.inputs, strict=True):
                self.values[v] = self.values[tested]
                if v in self.int_ranges:
                    self.enter_range(v, self.values[v].value)
            self.learn(loop.test.outputs[0], True)
            self.tested |= known_from_test(loop, self.kind_of)
        if items is not None and loop.item is not None:
            self.values[loop.item] = Register(self.next_number(items))
        if items is not None and loop.test is None:
            self.enter_counters(loop, items.opened)
        if (ran := self.ran.get(loop.equation)) is not None:
            self.i.builder.store(Literal(BIT, 1), ran)
        found = break_of(loop)
        if found is None or any(c is not None and type(c) is not NumberCell for c in cells):
            self.region(loop.body)
            self.fill(cells, loop.body.outputs, set(binders(loop.body)))
        else:
            self.equations(loop.body.equations[:-1])
            self.broken(loop, *found, cells, out)

    def broken(self, loop: Loop, branch: Branch, breaks: bool, cells: Any, out: Block) -> None:
        """Writes the branch at the end of a body of which one side ends the loop. The processor
        guesses that it is not taken, and goes on before it knows."""
        builder = self.i.builder
        on, ends = self.i.block("on"), self.i.block("break")
        test = self.truth(branch.predicate)
        builder.cbranch(builder.not_(test) if breaks else test, on, ends, sure=True,
                        together=self.facts.has_parts(branch.predicate))
        for holds, side in sorted(branch.sides(), key=lambda s: s[0] is not breaks):
            builder.position_at_end(ends if holds is breaks else on)
            with self.i.hoisting.inside(None):
                self.learn(branch.predicate, holds)
                self.region(side)
            given = dict(zip(branch.results, side.outputs, strict=True))
            self.fill(cells, tuple(given.get(x, x) if isinstance(x, Value) else x
                                   for x in loop.body.outputs))
            if holds is breaks:
                builder.branch(out)

    def enter_counters(self, loop: Loop, opened: Opened) -> None:
        """Notes the ints that each iteration adds the same constant to."""
        made = {out: e for e in loop.body.equations for out in e.outputs}
        for v, start, after in zip(loop.carried, loop.initial, loop.body.outputs, strict=True):
            step = constant_step(v, made.get(after))
            if step and self.is_int(v) and self.kind_of(v) == self.kind_of(start):
                self.i.hoisting.enter_counter(
                    opened, self.values[v].value, self.of(start).value, step)

    def following(self, items: Items | None, head: Block, body: Block) -> None:
        """Goes on with the next iteration."""
        builder, passed = self.i.builder, word(1)
        if items is not None:
            builder.store(builder.add(builder.load(items.item, typ=I64), items.steps.step),
                          items.item)
            left = builder.sub(builder.load(items.left, typ=I64), word(1))
            builder.store(left, items.left)
            if items.until is not None:
                end = self.i.block("end")
                builder.cbranch(builder.icmp_signed("!=", left, items.until),
                                items.again or body, end, unpeeled=items.unpeeled)
                builder.position_at_end(end)
                passed = items.passed
        left = builder.sub(builder.load(self.ticks, typ=I64), passed)
        builder.store(left, self.ticks)
        if items is None or not items.all:
            self.poll(left)
        builder.branch(head)

    # -- items -------------------------------------------------------------------------------------

    def first_item(self, loop: Loop) -> Items | None:
        """Begins to count the items of a range; None for another loop."""
        if not loop.is_for:
            return None
        builder, steps = self.i.builder, self.of(loop.iterable)
        count = self.length(steps)
        last = builder.add(steps.start, builder.mul(builder.sub(count, word(1)), steps.step))
        item, left = self.i.stack(I64), self.i.stack(I64)
        builder.store(steps.start, item)
        builder.store(count, left)
        ends = tuple(map(self.i.hoisting.renamed, (steps.start, last)))
        opened = Opened(builder.block, ends, count, self.i.function.count)
        runs = all(self.is_short(e) for region in loop.in_order() for e in region.walk())
        return Items(item, left, count, steps, opened, runs,
                     all=runs and self.i.ranges.of(count).high <= RUN)

    def is_short(self, e: Equation) -> bool:
        """Returns True for an equation on numbers or on an element of an array, and for a loop of a
        few iterations of these."""
        if (loop := as_loop(e)) is not None:
            few = type(loop.iterable) is range and len(loop.iterable) <= FEW
            return (few or self.ends_soon(loop)) and not any(
                is_loop(inner) for region in loop.in_order() for inner in region.walk())
        if e.op not in (SETITEM, UPDATE_VIEW):
            kinds = [(out, self.kind_of(out)) for out in e.outputs]
            return not any(isinstance(kind, Array) and (
                not e.regions or kind.memory is out) for out, kind in kinds)
        kind = self.kind_of(e.args[0])
        assert isinstance(kind, Array)
        parts = parts_of(e.args[1], kind.rank)
        return len(e.args) == 3 and not any(
            p.is_slice or p.is_new or (isinstance(p.what, Value) and isinstance(
                self.kind_of(p.what), Array)) for p in parts)

    def next_number(self, items: Items) -> Any:
        """Returns the item of an iteration."""
        found = self.i.builder.load(items.item, typ=I64)
        self.enter_number(items, found)
        return found

    def enter_number(self, items: Items, number: Any) -> None:
        """Notes what the item of an iteration is."""
        items.opened.item = number
        start, stop, step = (self.i.ranges.of(x) for x in (
            items.steps.start, items.steps.stop, items.steps.step))
        up, down = Range(start.low, stop.high - 1), Range(stop.low + 1, start.high)
        self.i.hoisting.enter_item(
            items.opened, up if step.low > 0 else down if step.high < 0 else up.joined(down))

    def length(self, steps: Progression) -> Any:
        """Returns the number of items."""
        builder, zero, one = self.i.builder, word(0), word(1)
        step = self.i.ranges.of(steps.step)
        up = builder.icmp_signed(">", steps.step, zero)
        ways = [step.high > 0, step.low < 0]
        pairs = [(steps.stop, steps.start), (steps.start, steps.stop)]
        distances = [self.i.checked("sub", INT, *pair) if way else zero
                     for way, pair in zip(ways, pairs, strict=True)]
        distance = builder.select(up, *distances)
        size = steps.step if not ways[1] else builder.select(
            up, steps.step, self.i.checked("sub", INT, zero, steps.step))
        count = distance if known(size) == 1 else builder.add(
            builder.udiv(builder.sub(distance, one), size), one)
        count = builder.select(builder.icmp_signed(">", distance, zero), count, zero)
        found = self.i.ranges.of(distance)
        return self.i.ranges.enter(count, Range(int(found.low > 0), max(found.high, 0)))

    # -- interruptions -----------------------------------------------------------------------------

    def poll(self, left: Any) -> None:
        """Lets other threads run now and then, and asks Python if the user interrupts: then the
        loop ends with 2."""
        builder = self.i.builder
        asks, on = (self.i.block(n) for n in ("ask", "on"))
        builder.cbranch(builder.icmp_signed(">", left, word(0)), on, asks, sure=True)
        builder.position_at_end(asks)
        found = builder.call_pointer(common(ask).text, I32, [], RARE)
        builder.store(word(POLL), self.ticks)
        builder.cbranch(builder.icmp_signed("!=", found, Literal(I32, 0)), self.interrupted, on)
        builder.position_at_end(on)

    @cached_property
    def interrupted(self) -> Block:
        """The block that leaves where the user interrupts."""
        block: Block = self.i.block("interrupted")
        with self.i.builder.goto_block(block):
            self.i.builder.ret(Literal(I32, INTERRUPTED))
        return block
