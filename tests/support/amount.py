"""How much the tests try of what is large or has no end: a sample, or so many times as much.

    AUTOGRAPH_TESTS=10 python -m pytest tests/random          # ten times as many programs
    AUTOGRAPH_TESTS=1000 python -m pytest tests/corpus        # every row of each table
    AUTOGRAPH_TESTS_FROM=5000 python -m pytest tests/random   # programs made from other seeds
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")

TIMES = float(os.environ.get("AUTOGRAPH_TESTS", "1"))
FIRST = int(os.environ.get("AUTOGRAPH_TESTS_FROM", "0"))
ALL = TIMES >= 1000
"""True if every row of each table is asked for."""


def one_of(number: int) -> int:
    """Returns the step through a table of which one row of so many is a sample."""
    return max(1, round(number / TIMES))


def sample(table: Iterable[T], number: int, subject: str = "") -> list[T]:
    """Returns one row of so many of a table; of another subject, other rows."""
    step = one_of(number)
    return list(table)[crc32(subject.encode()) % step::step]


def count(number: int) -> int:
    """Returns how many random programs to try, where so many are a sample."""
    return max(1, round(number * TIMES))


def seeds(number: int) -> range:
    """Returns the seeds of the random programs to try, where so many are a sample."""
    return range(FIRST, FIRST + count(number))
