"""Ranges: between what numbers the ints of a kernel are, so that checks that always hold are not
written."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from operator import add, mul, sub
from typing import NamedTuple

from autograph.runtime.native.builder import known
from autograph.runtime.native.llvm_ir import Value

LEAST, GREATEST = -2 ** 63, 2 ** 63 - 1

OPERATIONS: dict[str, Callable[[int, int], int]] = {"add": add, "sub": sub, "mul": mul}


class Range(NamedTuple):
    """The least and the greatest number that an int may be.

    >>> Range(0, 9).by("sub", Range(1, 2)), Range(0, 9).within(Range(0, 10))
    (Range(low=-2, high=8), True)
    """

    low: int
    high: int

    def by(self, name: str, other: Range) -> Range:
        """Returns the range of a sum, difference or product."""
        found = [OPERATIONS[name](x, y) for x, y in product(self, other)]
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
SIZES = Range(0, GREATEST)
"""The sizes of arrays."""

MODERATE = Range(-2 ** 62, 2 ** 62)
"""The items of loops; a loop over greater ones is left to Python."""


class Ranges:
    """Knows the ranges of the ints of a function; each holds wherever the int is used."""

    def __init__(self) -> None:
        self.found: dict[Value, Range] = {}

    def of(self, x: Value) -> Range:
        number = known(x)
        return self.found.get(x, ALL) if number is None else Range(number, number)

    def enter(self, x: Value, found: Range) -> Value:
        """Notes that a number is in a range."""
        if known(x) is None:
            self.found[x] = self.of(x).common(found)
        return x
