"""Hoisting: checks of what a loop's item decides are done once, before the loop.

A loop `for i in range(…)` runs from its first item to its last one. What is linear in `i` has its
extremes there; so an index or an int that is in bounds for both is in bounds for all. Only what
every iteration does is checked so: no branch, no loop that may end early. Where a check does not
hold, the kernel is left before the loop, as it would be in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce

from autograph.runtime.native.builder import Builder, constant_of, known
from autograph.runtime.native.llvm_ir import BIT, I64, Block, Literal, Type, Value, pair_of, word
from autograph.runtime.native.ranges import ALL, GREATEST, LEAST, MODERATE, Range, Ranges


@dataclass(eq=False)
class Opened:
    """A loop that is being written.

    before  the block before it, which stays open.
    ends    the first and the last item; they are no items if the loop does not run.
    count   the number of iterations.
    mark    the number of the last value before it.
    item    what changes from iteration to iteration.
    checks  bits that all have to be set before it begins, if it runs.
    tested  of what they tell.
    at      what expressions are for an end.
    first   the block of what is done before the first iteration, if there is one.
    """

    before: Block
    ends: tuple[Value, ...]
    count: Value
    mark: int
    item: Value | None = None
    checks: list[Value] = field(default_factory=list)
    tested: set[tuple[Value, Range, Value | None]] = field(default_factory=set)
    at: dict[tuple[Value, Value], Value | None] = field(default_factory=dict)
    first: Block | None = None

    def knows(self, x: Value) -> bool:
        """Returns True if a value is there before the loop."""
        return not x.text.startswith("%v") or int(x.text[2:]) <= self.mark


class Hoisting:
    """Moves checks out of the loops that are open.

    builder  writes the instructions.
    call     writes a call of an intrinsic.
    opened   the loops; None for what is not done each time.
    made     how ints were computed: the operation and its operands.
    """

    def __init__(self, builder: Builder, call: Callable[[str, Type, list[Value]], Value]) -> None:
        self.builder = builder
        self.call = call
        self.ranges = Ranges()
        self.opened: list[Opened | None] = []
        self.made: dict[Value, tuple[str, Value, Value]] = {}

    @contextmanager
    def inside(self, loop: Opened | None) -> Iterator[None]:
        """Enters a loop, which does each time what is written inside; None: not each time."""
        self.opened.append(loop)
        with self.ranges.part():
            yield
        self.opened.pop()

    def end_before(self, loop: Opened, head: Block, fail: Block) -> None:
        """Ends the block before a loop."""
        builder = self.builder
        with builder.goto_block(loop.before):
            holds = reduce(builder.and_, dict.fromkeys(loop.checks), constant_of(BIT, 1))
            none = builder.icmp_signed("==", loop.count, word(0))
            if loop.first is not None:
                self._end_first(loop.first, none, holds, head, fail)
            elif known(holds):
                builder.branch(head)
            else:
                builder.cbranch(builder.or_(none, holds), head, fail)

    def first_of(self, loop: Opened) -> Block:
        """Returns the block of what is done before the first iteration, if the loop runs."""
        if loop.first is None:
            loop.first = loop.before.function.append_basic_block("first")
        return loop.first

    def _end_first(self, first: Block, none: Value, holds: Value, head: Block, fail: Block) -> None:
        """Ends the block before a loop whose first iteration needs a block of its own."""
        runs = first if known(holds) else first.function.append_basic_block("runs")
        if known(none) == 0:
            self.builder.branch(runs)
        else:
            self.builder.cbranch(none, head, runs)
        if runs is not first:
            with self.builder.goto_block(runs):
                self.builder.cbranch(holds, first, fail)
        with self.builder.goto_block(first):
            self.builder.branch(head)

    def renamed(self, x: Value) -> Value:
        """Returns an end of a loop, a value of its own: what is known of it holds if the loop runs,
        and is asked for only then."""
        if known(x) is not None:
            return x
        end = self.builder.write(I64, f"add {x}, 0")
        self.made[end] = "add", x, word(0)
        return self.ranges.enter(end, self.ranges.of(x))

    def enter_item(self, loop: Opened, found: Range) -> None:
        """Notes the range of the item; greater items are left to Python."""
        for end in loop.ends:
            self.ranges.enter(end, found)
            if not self.ranges.of(end).within(MODERATE):
                with self.builder.goto_block(loop.before):
                    self._require(loop, end, MODERATE, None)
                self.ranges.enter(end, MODERATE)
        if loop.item is not None:
            self.ranges.enter(loop.item, found.common(MODERATE))

    def enter_counter(self, loop: Opened, x: Value, start: Value, step: int) -> None:
        """Notes what a carried int is, which grows by the same step in each iteration, at the
        ends."""
        with self.builder.goto_block(loop.before):
            steps = self._noted("sub", loop.count, word(1), self.builder.sub(loop.count, word(1)))
            way = self._checked("mul", steps, word(step), loop.checks.append)
            last = self._checked("add", start, way, loop.checks.append)
        loop.at |= zip(((x, end) for end in loop.ends), (start, last), strict=True)

    # -- checks ------------------------------------------------------------------------------------

    def holds(self, x: Value, bounds: Range, size: Value | None = None) -> bool:
        """Returns True if an int is sure to be in bounds, from here on: by what is known of it, or
        as it is checked before a loop. With a size, the bounds are multiples of it."""
        return self._known(x, bounds, size) or self.holds_before(x, bounds, size)

    def holds_before(self, x: Value, bounds: Range, size: Value | None) -> bool:
        """Returns True if it is checked before the loop; what is known in it tells nothing then."""
        loop = self.opened[-1] if self.opened else None
        if loop is None or not (size is None or loop.knows(size)):
            return False
        with self.ranges.outside():
            ends = self.at_ends(x, loop)
            if ends is not None:
                self._before(loop, [(end, bounds, size) for end in ends])
        return ends is not None

    def _known(self, x: Value, bounds: Range, size: Value | None) -> bool:
        if size is None:
            return self.ranges.of(x).within(bounds)
        least = self.ranges.of(size).low
        return self.ranges.of(x).within(Range(bounds.low * least, bounds.high * least - 1))

    def _before(self, loop: Opened, wanted: list[tuple[Value, Range, Value | None]]) -> None:
        """Checks before a loop; before the loop around it, if this one is sure to run."""
        sure = self.ranges.of(loop.count).low > 0
        inner = self.opened.pop()
        builder = self.builder
        with builder.goto_block(loop.before):
            for check in wanted:
                if not (self.holds(*check) if sure else self._known(*check)):
                    self._require(loop, *check)
        self.opened.append(inner)

    def _require(self, loop: Opened, x: Value, bounds: Range, size: Value | None) -> None:
        if (x, bounds, size) not in loop.tested:
            loop.tested.add((x, bounds, size))
            loop.checks.append(self._test(x, bounds, size))

    def _test(self, x: Value, bounds: Range, size: Value | None) -> Value:
        builder = self.builder
        if size is None:
            return builder.and_(builder.icmp_signed(">=", x, word(bounds.low)),
                                builder.icmp_signed("<=", x, word(bounds.high)))
        if bounds.low == 0:
            return builder.icmp_unsigned("<", x, size)
        return builder.and_(builder.icmp_signed(">=", x, builder.sub(word(0), size)),
                            builder.icmp_signed("<", x, size))

    # -- expressions -------------------------------------------------------------------------------

    def at_ends(self, x: Value, loop: Opened) -> list[Value] | None:
        """Returns an int for the first and the last item; None if it is not linear in the item."""
        if loop.knows(x):
            return [x]
        found = [self.at(x, loop, end) for end in loop.ends]
        return None if None in found else found  # type: ignore[return-value]

    def at(self, x: Value, loop: Opened, end: Value) -> Value | None:
        """Returns what an expression is for an item, computed before the loop."""
        if x is loop.item:
            return end
        if loop.knows(x):
            return x
        if (x, end) not in loop.at:
            loop.at[x, end] = self._computed(x, loop, end)
        return loop.at[x, end]

    def _computed(self, x: Value, loop: Opened, end: Value) -> Value | None:
        return self._result(*self.made[x], loop, end) if x in self.made else None

    def _result(self, name: str, a: Value, b: Value, loop: Opened, end: Value) -> Value | None:
        if name == "mul" and not (loop.knows(a) or loop.knows(b)):
            return None
        x, y = self.at(a, loop, end), self.at(b, loop, end)
        if x is None or y is None:
            return None
        with self.builder.goto_block(loop.before):
            return self._checked(name, x, y, loop.checks.append)

    # -- arithmetic --------------------------------------------------------------------------------

    def arithmetic(self, name: str, a: Value, b: Value, require: Callable[[Value], None],
                   later: Callable[[], Value] | None = None) -> Value:
        """Adds, subtracts or multiplies ints; requires that the result fits, here or before the
        loop. `later` does it without asking."""
        loop = self.opened[-1] if self.opened else None
        if not self.fits(name, a, b) and loop is not None:
            with self.ranges.outside():
                ends = [self._result(name, a, b, loop, end) for end in loop.ends]
            if None not in ends:
                return self._noted(name, a, b, getattr(self.builder, name)(a, b))
        if later is not None and not self.fits(name, a, b):
            return later()
        if name == "mul" and not self.fits(name, a, b) and (
                found := self._by_constant(a, b)) is not None:
            require(self._test(*found, None))
            self.ranges.learn(*found)
        return self._checked(name, a, b, require)

    def fits(self, name: str, a: Value, b: Value) -> bool:
        """Returns True if a result is known to fit."""
        return self.ranges.of(a).by(name, self.ranges.of(b)).within(ALL)

    def _checked(self, name: str, a: Value, b: Value, require: Callable[[Value], None]) -> Value:
        if self.fits(name, a, b):
            return self._noted(name, a, b, getattr(self.builder, name)(a, b))
        if name == "mul" and (found := self._by_constant(a, b)) is not None:
            require(self._test(*found, None))
            return self._noted(name, a, b, self.builder.mul(a, b))
        both = self.call(f"llvm.s{name}.with.overflow.i64", pair_of(I64, BIT), [a, b])
        require(self.builder.not_(self.builder.extract_value(both, 1)))
        return self._noted(name, a, b, self.builder.extract_value(both, 0))

    def _by_constant(self, a: Value, b: Value) -> tuple[Value, Range] | None:
        """Returns the factor that is no constant, and its range for a product that fits: what waits
        for the product has not to wait for its test, too."""
        for x, factor in ((a, known(b)), (b, known(a))):
            if factor is not None and factor > 1:
                return x, Range(-(-LEAST // factor), GREATEST // factor)
        return None

    def _noted(self, name: str, a: Value, b: Value, x: Value) -> Value:
        if x is not a and x is not b and not isinstance(x, Literal):
            self.made[x] = name, a, b
            self.ranges.enter(x, self.ranges.of(a).by(name, self.ranges.of(b)).common(ALL))
        return x
