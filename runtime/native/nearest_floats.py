"""Functions of floats as the nearest float and what is left: the same on all lanes of a vector.

The C library's `exp` gives the float that is nearest to the exact value, or, where that lies about
halfway between two, its neighbour. A formula here finds the value as a pair of floats, to a
thousandth of a unit in the last place or so: the first is the nearest, and the second tells how far
away the exact value is. So it tells, too, where the C library has no choice.

Each formula takes the argument apart by a table of exact values in pairs, and has a short series
for what is left. M. Payne, R. Hanek, Radian reduction for trigonometric functions, 1983; P. T. P.
Tang, Table-driven implementation of the exponential function, 1989, and of the logarithm, 1990.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import cache
from math import factorial
from typing import NamedTuple

from autograph.runtime.native.vectors import ROUNDER, Pair, Vector, fast_sum, product

PRECISION = 45
"""Digits that the constants are computed with."""

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")

DIGITS, BIAS = 52, 1023
ONE = BIAS << DIGITS
"""The bits of 1.0."""


class Nearest(NamedTuple):
    """The nearest float, what is left of the exact value, and where both are known.

    scale     a power of two that both are to be multiplied with; None: 1.
    negative  where the sign is to be turned; None: nowhere.
    """

    high: Vector
    low: Vector
    known: Vector
    scale: Vector | None = None
    negative: Vector | None = None

    def is_sure(self, off: float) -> Vector:
        """Returns where a function that is off by less than so many units in the last place gives
        the nearest float. Next to a power of two, the smaller unit counts."""
        unit = (self.high.words().plus(-1) & (0x7FF << DIGITS)).floats()
        return self.known & self.low.size().is_below(unit * ((1 - off) * 2.0 ** -DIGITS))

    def value(self) -> Vector:
        made = self.high if self.scale is None else self.high * self.scale
        return made if self.negative is None else self.negative.choose(-made, made)


# -- constants -------------------------------------------------------------------------------------


def _pair(x: Decimal) -> tuple[float, float]:
    high = float(x)
    return high, float(x - Decimal(high))


def _parts(x: Decimal, *bits: int) -> list[float]:
    """Returns floats whose sum is `x`: each but the last has so many bits after the point."""
    found = []
    for b in bits:
        found.append(float(round(x * 2 ** b)) / 2.0 ** b)
        x -= Decimal(found[-1])
    return [*found, float(x)]


def _float(bits: int) -> float:
    number: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return number


# -- exp -------------------------------------------------------------------------------------------

POWERS = 128
"""Entries of the table of powers of two between 1 and 2."""

LARGEST = 700.0
"""Up to here an exponential is a normal float, and so is its inverse."""


@cache
def _steps() -> tuple[list[tuple[float, float]], float, list[float]]:
    """Returns the powers `2 ** (k / 128)`; 128 / log(2), and its inverse in parts."""
    with localcontext(prec=PRECISION):
        step = Decimal(2).ln() / POWERS
        return [_pair((step * k).exp()) for k in range(POWERS)], float(1 / step), _parts(step, 43)


def exp(x: Vector) -> Nearest:
    """e to the power of x.

    Where x is smaller than 2 ** -50 but for 0, its square would be too small a float.
    """
    known = x.equals(0.0) | x.is_between(2.0 ** -50, LARGEST)
    return _exponential(known.choose(x, 1.0), None, known)


def _exponential(x: Vector, rest: Vector | None, known: Vector) -> Nearest:
    powers, steps, (step, more) = _steps()
    rounded = x.times_plus(steps, ROUNDER)
    count, number = rounded - ROUNDER, rounded.words()
    r = count.times_plus(-more, count.times_plus(-step, x))
    if rest is not None:
        r = r + rest
    high, low = (number & (POWERS - 1)).look_up(powers)
    series = r * r * r.polynomial([1 / factorial(k) for k in range(2, 6)])
    high, low = fast_sum(high, high.times_plus(r, high.times_plus(series, low)))
    scale = ((number & -POWERS) << (DIGITS - 7)).plus(ONE).floats()
    return Nearest(high, low, known, scale)


# -- log -------------------------------------------------------------------------------------------

INVERSES = 128
"""Entries of the table of inverses of floats between 0.75 and 1.5."""

WIDTH = DIGITS - 7
"""Bits of a float that do not tell its entry."""

FIRST = (ONE - (1 << (WIDTH - 1))) - (64 << WIDTH)
"""The bits of the float where the first entry begins; 1.0 is in the middle of one."""


@cache
def _logarithms() -> tuple[list[tuple[float, ...]], list[float]]:
    """Returns rows of an inverse and minus its logarithm in parts; log(2) in parts. The first parts
    have so few bits that sums of multiples are exact."""
    rows = []
    with localcontext(prec=PRECISION):
        for k in range(INVERSES):
            ends = [_float(FIRST + (n << WIDTH)) for n in (k, k + 1)]
            inverse = 1.0 if ends[0] < 1 < ends[1] else 2 / sum(ends)
            rows.append((inverse, *_parts(-Decimal(inverse).ln(), 42), 0.0))
        return rows, _parts(Decimal(2).ln(), 42)


def log(x: Vector) -> Nearest:
    """The natural logarithm of x, above 0 and no subnormal float."""
    known = x.words().minus(1 << DIGITS).below(0x7FE << DIGITS)
    r, rest, high, low = _taken_from(known.choose(x, 1.0))
    high, first = fast_sum(high, r)
    series = r * r * r.polynomial([(-1) ** (k + 1) / k for k in range(2, 9)])
    small = low + series + rest.times_plus(-r, rest)
    return Nearest(*fast_sum(high, first + small), known)


def _taken_from(x: Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """Returns small numbers r and more for a normal float above 0, and a large one and more: its
    logarithm is log(1 + r + more) and these two."""
    table, (unit, more) = _logarithms()
    offset = x.words().minus(FIRST)
    exponent = offset >> DIGITS
    row = (offset >> WIDTH) & (INVERSES - 1)
    fraction = x.words().minus(exponent << DIGITS).floats()
    inverse, high, low, _ = row.look_up(table)
    count = exponent.to_floats()
    near, rest = product(fraction, inverse)
    return near - 1.0, rest, count.times_plus(unit, high), count.times_plus(more, low)


def _logarithm(x: Vector) -> Pair:
    """Returns the logarithm of a normal float above 0, off by 2 ** -68 of it: a power is the
    exponential of up to 700 times as much."""
    r, rest, high, low = _taken_from(x)
    square, left = product(r, r)
    high, first = fast_sum(high, r)
    high, second = fast_sum(high, square * -0.5)
    series = r * square * r.polynomial([(-1) ** (k + 1) / k for k in range(3, 10)])
    small = low + series + rest.times_plus(square - r, rest) + left * -0.5
    return fast_sum(high, first + second + small)


# -- power -----------------------------------------------------------------------------------------


def power(x: Vector, y: Vector) -> Nearest:
    """x to the power of y; of a negative x, to that of an int."""
    moderate = y.is_between(2.0 ** -200, 2.0 ** 51)
    y = moderate.choose(y, 1.0)
    rounded = y + ROUNDER
    is_int = (rounded - ROUNDER).equals(y)
    negative = x.words().is_negative()
    known = moderate & x.is_between(2.0 ** -1022, float("inf")) & (is_int | negative.no())
    high, low = _logarithm(known.choose(x.size(), 1.0))
    high, rest = product(y, high)
    high, rest = fast_sum(high, y.times_plus(low, rest))
    known = known & high.is_between(2.0 ** -50, LARGEST)
    found = _exponential(known.choose(high, 1.0), rest, known)
    return found._replace(negative=negative & rounded.words().odd())


LONGEST = 16
"""Exponents up to here are products."""

MODERATE = 2.0 ** 32
"""Up to here, and down to its inverse, they are no extreme floats."""


def is_product(exponent: float) -> bool:
    """Returns True for an exponent whose powers are products, with a root or an inverse."""
    return 0 < abs(exponent) <= LONGEST and float(2 * exponent).is_integer()


def power_of(exponent: float) -> Callable[[Vector, Vector], Nearest]:
    """Returns the formula of the power for an exponent that is a constant."""
    halves = round(2 * abs(exponent))

    def power(x: Vector, y: Vector) -> Nearest:
        known = x.is_between(1 / MODERATE, MODERATE)
        if halves % 2:
            known = known & x.words().is_negative().no()
        x = known.choose(x, 1.0)
        found = _root(x) if halves % 2 else None
        factor = (x, x.filled(0.0))
        for bit in reversed(f"{halves // 2:b}"):
            if bit == "1":
                found = factor if found is None else _times(found, factor)
            factor = _times(factor, factor)
        assert found is not None
        return Nearest(*(_inverse(found) if exponent < 0 else found), known)
    return power


def _times(a: Pair, b: Pair) -> Pair:
    high, rest = product(a[0], b[0])
    return fast_sum(high, a[0].times_plus(b[1], a[1].times_plus(b[0], rest)))


def _root(x: Vector) -> Pair:
    made = x.root()
    return fast_sum(made, (-made).times_plus(made, x) * 0.5 / made)


def _inverse(a: Pair) -> Pair:
    made = a[0].filled(1.0) / a[0]
    rest = (-made).times_plus(a[0], 1.0) - made * a[1]
    return fast_sum(made, made * rest)


# -- sin and cos -----------------------------------------------------------------------------------

POINTS = 64
"""Entries of the table of points on the circle."""

FARTHEST = 1e5
"""Up to here, the parts of an angle are exact."""

NEAREST_TO_ZERO = 2.0 ** -20
"""Results that are smaller would lose too many bits."""


@cache
def _circle() -> tuple[list[tuple[Decimal, Decimal]], float, list[float]]:
    """Returns the sines and cosines of multiples of a 64th of the circle; its inverse, and it in
    parts: as often as it is in an angle, each of the first two is a float, and so is what they
    leave of the angle, or what was rounded off it. A result may be all that is left."""
    with localcontext(prec=PRECISION):
        step = 2 * PI / POINTS
        quarter = [_sine(step * k) for k in range(POINTS // 4 + 1)]
        half = quarter + quarter[-2::-1]
        sines = half[:-1] + [-s for s in half[:-1]]
        points = [(sines[k], sines[(k + POINTS // 4) % POINTS]) for k in range(POINTS)]
        return points, float(1 / step), _parts(step, 34, 66, 119)


def _sine(angle: Decimal) -> Decimal:
    term = made = angle
    for k in range(2, 60, 2):
        term *= -angle * angle / (k * (k + 1))
        made += term
    return made


def sin(x: Vector) -> Nearest:
    """The sine of x."""
    return turned(x)[1]


def cos(x: Vector) -> Nearest:
    """The cosine of x."""
    return turned(x)[0]


def turned(x: Vector) -> tuple[Nearest, Nearest]:
    """Returns the cosine and the sine of x, by those of the point next to it, r away from it."""
    points, steps, (step, more, most, _) = _circle()
    known = x.is_between(NEAREST_TO_ZERO, FARTHEST)
    x = known.choose(x, 1.0)
    rounded = x.times_plus(steps, ROUNDER)
    count = rounded - ROUNDER
    first = count.times_plus(-step, x)
    r = count.times_plus(-more, first)
    r, rest = fast_sum(r, count.times_plus(-most, count.times_plus(-more, first - r)))
    with localcontext(prec=PRECISION):
        table = [(*_pair(s), *_pair(c)) for s, c in points]
    sine, sine_rest, cosine, cosine_rest = (rounded.words() & (POINTS - 1)).look_up(table)
    square = r * r
    bend = square * square.polynomial([-1 / 2, 1 / 24, -1 / 720, 1 / 40320])
    turn = r * square * square.polynomial([-1 / 6, 1 / 120, -1 / 5040, 1 / 362880])

    def near(value: Vector, value_rest: Vector, slope: Vector, slope_rest: Vector) -> Nearest:
        """Returns `value * cos(r) + slope * sin(r)`."""
        way, left = product(slope, r)
        small = value.times_plus(bend, slope_rest.times_plus(r, value_rest))
        small = small + slope.times_plus(rest + turn, left)
        high, low = fast_sum(value, way)
        high, low = fast_sum(high, low + small)
        return Nearest(high, low, known & high.is_between(NEAREST_TO_ZERO, 2.0))
    return near(cosine, cosine_rest, -sine, -sine_rest), near(sine, sine_rest, cosine, cosine_rest)


# -- the exponential of a complex number -----------------------------------------------------------


class InParts(NamedTuple):
    """A complex number as the C library makes it: the products of a factor and two others, each of
    them the nearest float."""

    factor: Nearest
    others: tuple[Nearest, Nearest]

    def is_sure(self, off: float) -> Vector:
        real, imag = (x.is_sure(off) for x in self.others)
        return self.factor.is_sure(off) & real & imag

    def parts(self) -> list[Vector]:
        return [self.factor.value() * x.value() for x in self.others]


def complex_exp(real: Vector, imag: Vector) -> InParts:
    """e to the power of a complex number."""
    return InParts(exp(real), turned(imag))
