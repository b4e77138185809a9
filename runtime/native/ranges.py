"""Ranges: between what numbers the ints of a kernel are, so that checks that always hold are not
written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from autograph.runtime.native.builder import known
from autograph.runtime.native.llvm_ir import Value

LEAST, GREATEST = -2 ** 63, 2 ** 63 - 1

class Range(NamedTuple):
    """The least and the greatest number that an int may be.

    >>> Range(0, 9).by("sub", Range(1, 2)), Range(0, 9).within(Range(0, 10))
    (Range(low=-2, high=8), True)
    """

    low: int
    high: int

    def by(self, name: str, other: Range) -> Range:
        """Returns the range of a sum, difference or product."""
        if name == "add":
            return Range(self.low + other.low, self.high + other.high)
        if name == "sub":
            return Range(self.low - other.high, self.high - other.low)
        found = [x * y for x in self for y in other]
        return Range(min(found), max(found))

    def within(self, other: Range) -> bool:
        return other.low <= self.low and self.high <= other.high

    def common(self, other: Range) -> Range:
        """Returns the numbers in both; at least one is."""
        return Range(max(self.low, other.low), min(self.high, other.high))

    def joined(self, other: Range) -> Range:
        """Returns the range of what is in one or the other."""
        return Range(min(self.low, other.low), max(self.high, other.high))


ALL = Range(LEAST, GREATEST)
NATURAL = Range(0, GREATEST)
UNKNOWN = -2 ** 59
"""Nothing is known of the sign of an int that may be less than this."""

SIZES = Range(0, 2 ** 48)
"""The sizes of arrays; views of greater ones repeat elements, and are left to Python."""

MODERATE = Range(-2 ** 60, 2 ** 60)
"""The items of loops; a loop over greater ones is left to Python."""


def _without(a: Range, b: Range) -> Range:
    return Range(a.low + (b == (a.low, a.low)), a.high - (b == (a.high, a.high)))


BOUNDS: dict[str, Callable[[Range, Range], tuple[Range, Range]]] = {
    "<": lambda a, b: (Range(LEAST, b.high - 1), Range(a.low + 1, GREATEST)),
    "<=": lambda a, b: (Range(LEAST, b.high), Range(a.low, GREATEST)),
    "==": lambda a, b: (b, a), "!=": lambda a, b: (_without(a, b), _without(b, a)),
}
"""What follows for two numbers where a comparison of them holds."""

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def compared(sign: str, a: Range, b: Range) -> tuple[Range, Range]:
    """Returns what follows for two numbers where a comparison of them holds.

    >>> compared(">", Range(0, 9), Range(3, 5))
    (Range(low=4, high=9), Range(low=3, high=5))
    """
    if sign in (">", ">="):
        second, first = compared(sign.replace(">", "<"), b, a)
        return first, second
    first, second = (x.common(y) for x, y in zip((a, b), BOUNDS[sign](a, b), strict=True))
    return (first, second) if max(first.low - first.high, second.low - second.high) <= 0 else (a, b)


class Ranges:
    """Knows the ranges of the ints of a function.

    found  what holds wherever the int is used, and what was learned on the way to here.
    old    for each part of the program that is being written, the ranges before it.
    """

    def __init__(self) -> None:
        self.found: dict[Value, Range] = {}
        self.old: list[dict[Value, Range]] = [{}]

    def of(self, x: Value) -> Range:
        number = known(x)
        return self.found.get(x, ALL) if number is None else Range(number, number)

    def enter(self, x: Value, found: Range) -> Value:
        """Notes that a number is in a range."""
        if known(x) is None:
            self.found[x] = self.of(x).common(found)
        return x

    # -- what is known on the way ------------------------------------------------------------------

    @contextmanager
    def part(self) -> Iterator[None]:
        """Forgets at the end what is learned inside."""
        self.old.append({})
        yield
        self.found |= self.old.pop()

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Leaves out what was learned in the part that is being written, for what comes before it.
        """
        old = self.old.pop()
        learned = {x: self.found[x] for x in old}
        self.found |= old
        yield
        self.found |= learned
        self.old.append(old)

    def learn(self, x: Value, found: Range) -> None:
        """Notes that a number is in a range from here on, as the kernel was left otherwise."""
        if known(x) is None:
            before = self.of(x)
            self.old[-1].setdefault(x, before)
            both = before.common(found)
            self.found[x] = both if both.low <= both.high else before

    def learn_comparison(self, sign: str, a: Value, b: Value) -> None:
        """Notes what follows for two ints that were compared."""
        for x, found in zip((a, b), compared(sign, self.of(a), self.of(b)), strict=True):
            self.learn(x, found)
