"""NumPy's own hyperbolic tangent, eight floats at a time, by the table in NumPy's library.

NumPy takes the size of a float in one of sixteen intervals, and there a polynomial of the distance
from a point in the middle; each term is multiplied and added with one rounding. With AVX2 it loads
the eighteen numbers of an interval one after the other, for each lane; here the rows are loaded at
once and transposed. The numbers are read from the library that is loaded, so that they are those of
its version; where none are found, or the bits differ on a trial, NumPy's loop stays.

The algorithm is Intel's (Short Vector Math Library), as NumPy's `loops_hyperbolic` describes it.
"""

from __future__ import annotations

import importlib
import mmap
from functools import cache

import numpy as np

from autograph.runtime.native.nearest_floats import Nearest
from autograph.runtime.native.vectors import DOUBLES, Vector

INTERVALS = 16
COEFFICIENTS = 17
WIDTH = DOUBLES.digits - 1
"""Bits of a float that do not tell its interval."""

FIRST = DOUBLES.bits(0.125) >> WIDTH
"""The bits of a float of the first interval, which begins at 0, without those."""

Table = list[tuple[float, ...]]


@cache
def table() -> Table | None:
    """Returns for each interval its middle and the coefficients; None where there is no table."""
    library = importlib.import_module("numpy._core._multiarray_umath").__file__
    if library is None:
        return None
    with open(library, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        looked_for, size = middles().tobytes(), 8 * INTERVALS * (1 + COEFFICIENTS)
        at = data.find(looked_for)
        while at >= 0:
            found = data[at:at + size].ljust(size, b"\0")
            rows = np.frombuffer(found, "<f8").reshape(-1, INTERVALS)
            if is_of_tanh(rows):
                return [tuple(column) for column in rows.T.tolist()]
            at = data.find(looked_for, at + 1)
    return None


def middles() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Returns the middles of the intervals: of the first, which has 0, and the last, where the
    tangent is 1, they are 0.

    >>> middles()[:4].tolist()
    [0.0, 0.21875, 0.3125, 0.4375]
    """
    ends = (np.arange(FIRST, FIRST + INTERVALS + 1) << WIDTH).view(np.float64)
    made = (ends[:-1] + ends[1:]) / 2
    made[[0, -1]] = 0
    return made


def is_of_tanh(rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    """Returns True if a table has the values of the function and its derivatives in the middles."""
    middle, value, slope = rows[:3, :-1]
    return bool(np.isfinite(rows).all() and np.allclose(value, np.tanh(middle), atol=1e-6)
                and np.allclose(slope, 1 - np.tanh(middle) ** 2, atol=1e-6))


def tanh(x: Vector) -> Nearest:
    """The hyperbolic tangent of x, with the last bit that NumPy gives it.

    Where x is smaller than 2 ** -200 but for 0, a product would be too small a float; infinity and
    what is close to it are left to NumPy's loop.
    """
    rows = table()
    assert rows is not None
    known = x.equals(0.0) | x.is_between(2.0 ** -200, 2.0 ** 1000)
    x = known.choose(x, 1.0)
    middle, *coefficients = columns(interval(x.size()), rows)
    distance = x.size() - middle
    *rest, made = coefficients
    for c in reversed(rest):
        made = made.times_plus(distance, c)
    sign = x.words() & -DOUBLES.sign
    return Nearest((made.words() | sign).floats(), x.filled(0.0), known)


def interval(size: Vector) -> Vector:
    """Returns the number of the interval of a float without a sign."""
    number = size.words().drawn(WIDTH).minus(FIRST)
    number = number.is_negative().choose(0, number)
    return number.below(INTERVALS).choose(number, INTERVALS - 1)


def columns(number: Vector, rows: Table) -> list[Vector]:
    """Returns the columns of the rows, four of which are looked up together."""
    return [x for k in range(0, 1 + COEFFICIENTS, 4) for x in number.look_up(
        [(*row, 0.0, 0.0)[k:k + 4] for row in rows])][:1 + COEFFICIENTS]
