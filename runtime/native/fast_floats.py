"""Fast functions of floats: the same on all lanes of a vector, off by at most two units in the last
place.

For `fast_math=True`. Each takes its argument apart so that a short polynomial is left
(`fast_series`), and tells of which lanes it knows the value: NumPy's loop is asked for the others,
where NumPy warns or the argument is extreme. W. J. Cody, W. Waite, Software Manual for the
Elementary Functions, 1980; the logarithm by way of (x - 1) / (x + 1) is that of K. C. Ng's in
FreeBSD's msun.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from functools import cache
from typing import NamedTuple

from autograph.runtime.native import fast_series, nearest_floats
from autograph.runtime.native.nearest_floats import PI, PRECISION, is_product
from autograph.runtime.native.vectors import DOUBLES, Format, Vector, fast_sum, product


class Found(NamedTuple):
    """The values, and where they are known; None: everywhere."""

    value: Vector
    known: Vector | None = None


@cache
def series(name: str, digits: int) -> tuple[float, ...]:
    """Returns a polynomial for floats of so many digits."""
    both: tuple[Sequence[str], Sequence[str]] = getattr(fast_series, name)
    return tuple(float.fromhex(x) for x in both[0 if digits == DOUBLES.digits else 1])


def left(name: str, z: Vector) -> Vector:
    """Returns what is left of a function after its first terms."""
    return z.by_halves(series(name, z.format.digits))


def by(doubles: float, singles: float, f: Format) -> float:
    """Returns one number for floats of 64 bits, another for those of 32."""
    return doubles if f is DOUBLES else singles


@cache
def _parts(x: Decimal, f: Format, first: int | None = None) -> list[float]:
    """Returns three floats whose sum is x, each the nearest to what is left; the first one has so
    few bits that small multiples are exact, if it is told how many."""
    found = []
    with localcontext(prec=PRECISION):
        if first is not None:
            found.append(float(round(x * 2 ** first)) / 2.0 ** first)
        while len(found) < 3:
            found.append(f.rounded(float(x - sum(map(Decimal, found)))))
    return found


@cache
def _constants() -> dict[str, Decimal]:
    """Returns numbers that the formulas take."""
    with localcontext(prec=PRECISION):
        two, ten = Decimal(2).ln(), Decimal(10).ln()
        return {"log 2": two, "1 / log 2": 1 / two, "1 / log 10": 1 / ten, "log10 2": two / ten,
                "pi": PI, "pi / 2": PI / 2, "pi / 4": PI / 4, "2 / pi": 2 / PI}


def parts(name: str, f: Format, first: int | None = None) -> list[float]:
    return _parts(_constants()[name], f, first)


def with_sign(x: Vector, size: Vector) -> Vector:
    """Returns a size with the sign of x."""
    sign = x.words() & -x.format.sign
    return (size.words() | sign).floats()


# -- exponentials ----------------------------------------------------------------------------------


def _near_zero(x: Vector) -> tuple[Vector, Vector]:
    """Returns the multiple of log(2) that is next to x, as the words of a float whose last bits
    count it, and what it leaves of x."""
    count, r, _ = _nearer(x)
    return count, r


def _nearer(x: Vector) -> tuple[Vector, Vector, Vector]:
    """Returns, too, what was rounded off that."""
    f = x.format
    step, more, _ = parts("log 2", f)
    counted = x.times_plus(parts("1 / log 2", f)[0], f.rounder)
    count = counted - f.rounder
    first = count.times_plus(-step, x)
    r = count.times_plus(-more, first)
    return counted.words(), r, count.times_plus(-more, first - r)


def _power(count: Vector) -> Vector:
    """Returns two to the power of the last bits of words."""
    f = count.format
    return (count << f.digits).plus(f.one).floats()


def _scaled(x: Vector, count: Vector) -> Vector:
    """Returns x times a power of two, which may be no normal float: by its two halves."""
    half = count.drawn(1)
    return x * _power(half) * _power(count.minus(half))


def _rise(r: Vector) -> Vector:
    """Returns `exp(r) - 1 - r`."""
    return r * r * left("EXP", r)


def exp(x: Vector) -> Found:
    """e to the power of x."""
    f = x.format
    x, known = _up_to(x, by(709.78, 88.72, f))
    count, r = _near_zero(_from(x, by(-746.0, -104.0, f)))
    return Found(_scaled(r + _rise(r) + 1.0, count), known)


def _up_to(x: Vector, largest: float) -> tuple[Vector, Vector]:
    """Returns x, with 0 where it is larger, and where it is not; a NaN is never."""
    known = x.more(largest).no()
    return known.choose(x, 0.0), known


def _from(x: Vector, lowest: float) -> Vector:
    return x.less(lowest).choose(lowest, x)


def exp2(x: Vector) -> Found:
    """Two to the power of x."""
    f = x.format
    x, known = _up_to(x, by(1023.99, 127.99, f))
    x = _from(x, by(-1080.0, -160.0, f))
    counted = x + f.rounder
    left_of_x = x - (counted - f.rounder)
    step, more, _ = parts("log 2", f)
    r = left_of_x * step
    rest = left_of_x.times_plus(step, -r) + left_of_x * more
    return Found(_scaled(r + (_rise(r) + rest) + 1.0, counted.words()), known)


def expm1(x: Vector) -> Found:
    """`exp(x) - 1`, also where that is tiny."""
    f = x.format
    given, known = _up_to(x, by(700.0, 87.0, f))
    return Found(_without_one(given, given), known)


def _without_one(x: Vector, given: Vector) -> Vector:
    f = x.format
    count, r, rest = _nearer(_from(x, by(-50.0, -30.0, f)))
    scale = _power(count)
    less = scale - 1.0
    high = scale.times_plus(r, less)
    low = scale.times_plus(_rise(r) + rest, scale.times_plus(r, less - high))
    made = high + low
    return given.is_below_size(by(2.0 ** -54, 2.0 ** -25, f)).choose(given, made)


def cosh(x: Vector) -> Found:
    """The hyperbolic cosine of x."""
    size, known = _up_to(x.size(), by(700.0, 87.0, x.format))
    count, r = _near_zero(size)
    half = (r + _rise(r) + 1.0) * _power(count) * 0.5
    return Found(half + half.filled(0.25) / half, known)


def tanh(x: Vector) -> Found:
    """The hyperbolic tangent of x."""
    f, size = x.format, x.size()
    most = by(22.0, 10.0, f)
    size = size.more(most).choose(most, size)
    count, r = _near_zero(size + size)
    large = size.filled(1.0) - size.filled(2.0) / ((r + _rise(r) + 1.0) * _power(count) + 1.0)
    z = size * size
    small = (size * z).times_plus(left("TANH", z), size)
    return Found(with_sign(x, size.less(0.625).choose(small, large)))


# -- logarithms ------------------------------------------------------------------------------------


def _normal(x: Vector) -> tuple[Vector, Vector]:
    """Returns x, with 1 where it is no normal float above 0, and where it is."""
    f = x.format
    first, end = 1 << f.digits, f.bits(float("inf"))
    known = x.words().minus(first).below(end - first)
    return known.choose(x, 1.0), known


def _reduced(x: Vector) -> tuple[Vector, Vector]:
    """Returns n and r: x is 2 ** n * (1 + r), and r is small."""
    f = x.format
    biased = x.words().plus(f.one - f.bits(0.5 ** 0.5)).drawn(f.digits)
    fraction = x.words().minus(biased << f.digits).plus(f.one).floats()
    far = 2.0 ** f.digits
    count = (biased | x.filled(far).words()).floats() - (far + f.bias)
    return count, fraction - 1.0


def _of_rest(r: Vector) -> tuple[Vector, Vector, Vector]:
    """Returns parts of the logarithm of 1 + r: it is r - (half - more)."""
    s = r / (r + 2.0)
    z = s * s
    half = r * r * 0.5
    return half, s, half + z * left("LOG", z)


def log(x: Vector) -> Found:
    """The natural logarithm of x."""
    x, known = _normal(x)
    return Found(_with_count(*_reduced(x), None), known)


def _with_count(count: Vector, r: Vector, rest: Vector | None) -> Vector:
    """Returns n * log(2) + log(1 + r) + rest."""
    f = r.format
    unit, more, _ = parts("log 2", f, by(42, 15, f))  # type: ignore[arg-type]
    half, s, sum_ = _of_rest(r)
    small = count * more if rest is None else count.times_plus(more, rest)
    return count.times_plus(unit, r - (half - s.times_plus(sum_, small)))


def log1p(x: Vector) -> Found:
    """`log(1 + x)`, also where that is tiny."""
    f = x.format
    known = x.more(-1.0) & x.less(by(2.0 ** 1000, 2.0 ** 120, f))
    x = known.choose(x, 0.0)
    total = x + 1.0
    count, r = _reduced(total)
    missing = x.more(1.0).choose(x.filled(1.0) - (total - x), x - (total - 1.0))
    near = count.equals(0.0)
    made = _with_count(count, near.choose(x, r), near.choose(0.0, missing / total))
    return Found(x.is_below_size(by(2.0 ** -54, 2.0 ** -25, f)).choose(x, made), known)


def log2(x: Vector) -> Found:
    """The logarithm of x to the base 2."""
    return _of_base(x, "1 / log 2", None)


def log10(x: Vector) -> Found:
    """The logarithm of x to the base 10."""
    return _of_base(x, "1 / log 10", "log10 2")


def _of_base(x: Vector, inverse: str, of_two: str | None) -> Found:
    f = x.format
    x, known = _normal(x)
    count, r = _reduced(x)
    half, s, sum_ = _of_rest(r)
    high, low = fast_sum(r, s * sum_ - half)
    factor, more, _ = parts(inverse, f)
    rest = low.times_plus(factor, high * more)
    if of_two is None:
        return Found(count + high.times_plus(factor, rest), known)
    unit, beyond, _ = parts(of_two, f, by(42, 15, f))  # type: ignore[arg-type]
    return Found(count.times_plus(unit, high.times_plus(
        factor, count.times_plus(beyond, rest))), known)


# -- angles ----------------------------------------------------------------------------------------


class _Angle(NamedTuple):
    """An angle without the quarters of the circle in it, in two parts; and these, as words."""

    near: Vector
    rest: Vector
    quarters: Vector
    known: Vector


def _angle(x: Vector) -> _Angle:
    f = x.format
    known = x.is_below_size(by(2.0 ** 30, 2.0 ** 13, f))
    x = known.choose(x, 0.0)
    step, more, most = parts("pi / 2", f)
    counted = x.times_plus(parts("2 / pi", f)[0], f.rounder)
    count = counted - f.rounder
    first = count.times_plus(-step, x)  # exact
    turned, missing = product(count, count.filled(more))
    second = first - turned
    left_out = count.times_plus(-most, first - second - turned - missing)
    return _Angle(*fast_sum(second, left_out), counted.words(), known)


def sin(x: Vector) -> Found:
    """The sine of x."""
    found = _on_circle(x, 0)
    tiny = x.is_below_size(by(2.0 ** -27, 2.0 ** -12, x.format))
    return found._replace(value=tiny.choose(x, found.value))


def cos(x: Vector) -> Found:
    """The cosine of x."""
    return _on_circle(x, 1)


def _on_circle(x: Vector, quarters: int) -> Found:
    r, rest, count, known = _angle(x)
    z = r * r
    sine = r + (r * z).times_plus(left("SIN", z), rest)
    cosine = z.times_plus(-0.5, 1.0) + (z * z).times_plus(left("COS", z), r * rest * -1.0)
    count = count.plus(quarters)
    sign = (count & 2) << (x.format.width - 2)
    return Found(count.odd().choose(cosine, sine).words().turned(sign).floats(), known)


def tan(x: Vector) -> Found:
    """The tangent of x."""
    f = x.format
    r, rest, count, known = _angle(x)
    z = r * r
    more = r * z * left("TAN", z)
    made = r + more
    high, low = fast_sum(r, rest.times_plus(made.times_plus(made, 1.0), more))
    odd = count.odd()
    inverse = high.filled(-1.0) / odd.choose(high, 1.0)
    made = odd.choose((inverse * inverse).times_plus(low, inverse), high + low)
    return Found(x.is_below_size(by(2.0 ** -27, 2.0 ** -12, f)).choose(x, made), known)


def arctan(x: Vector) -> Found:
    """The angle whose tangent is x."""
    f, size = x.format, x.size()
    far, beyond = size.more(1.4966), size.more(0.6681)
    t = far.choose(-1.0, beyond.choose(size - 1.0, size)) / far.choose(
        size, beyond.choose(size + 1.0, 1.0))
    half, quarter = parts("pi / 2", f), parts("pi / 4", f)
    base, more = (far.choose(half[k], beyond.choose(size.filled(quarter[k]), 0.0))
                  for k in range(2))
    z = t * t
    return Found(with_sign(x, base + (t + (t * z).times_plus(left("ATAN", z), more))))


def arcsin(x: Vector) -> Found:
    """The angle whose sine is x."""
    size, known = _up_to(x.size(), 1.0)
    s, more, is_large = _by_root(size)
    high, low, _ = parts("pi / 2", x.format)
    large = s.filled(high) - (s + s - (s.filled(low) - (more + more)))
    return Found(with_sign(x, is_large.choose(large, s + more)), known)


def arccos(x: Vector) -> Found:
    """The angle whose cosine is x."""
    size, known = _up_to(x.size(), 1.0)
    s, more, is_large = _by_root(size)
    negative = x.less(0.0)
    high, low, _ = parts("pi / 2", x.format)
    turn, rest, _ = parts("pi", x.format)
    twice = s + s + (more + more)
    large = negative.choose(s.filled(turn) - (twice - rest), twice)
    near, beyond = with_sign(x, s), with_sign(x, more)
    small = s.filled(high) - (near - (s.filled(low) - beyond))
    return Found(is_large.choose(large, small), known)


def _by_root(size: Vector) -> tuple[Vector, Vector, Vector]:
    """Returns s and more, whose sum is the angle with the sine s; where a size is large, s is the
    sine of half the angle that is missing to a right one."""
    is_large = size.more(0.5)
    z = is_large.choose((size - 1.0) * -0.5, size * size)
    s = is_large.choose(z.root(), size)
    return s, s * z * left("ASIN", z), is_large


# -- powers ----------------------------------------------------------------------------------------


SIMPLE = (-6, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 8)
"""Exponents, doubled, whose powers are off by at most two units if each product is rounded."""


def power_of(exponent: float) -> Callable[..., Found] | None:
    """Returns the formula of the power for an exponent that is known; None if there is none."""
    if not is_product(exponent):
        return None
    return _simple(round(2 * exponent)) if 2 * exponent in SIMPLE else (
        lambda x, y: _of_nearest(nearest_floats.power_of(exponent)(x, y)))


def _simple(halves: int) -> Callable[..., Found]:
    def power(x: Vector, y: Vector) -> Found:
        f = x.format
        limit = by(nearest_floats.MODERATE, 2.0 ** 15, f)
        known = x.is_between(1 / limit, limit)
        if halves % 2:
            known = known & x.words().is_negative().no()
        x = known.choose(x, 1.0)
        square = x * x
        made = {0: None, 1: x, 2: square, 3: square * x, 4: square * square}[abs(halves) // 2]
        if halves % 2:
            root = x.root()
            made = root if made is None else made * root
        assert made is not None
        if halves == -3:
            missing = x.times_plus(root, -made) + (-root).times_plus(root, x) * root * 0.5
            return Found(_inverse(made, missing), known)
        if halves == -6:
            missing = square.times_plus(x, -made) + x.times_plus(x, -square) * x
            return Found(_inverse(made, missing), known)
        return Found(x.filled(1.0) / made if halves < 0 else made, known)
    return power


def _inverse(x: Vector, rest: Vector) -> Vector:
    """Returns `1 / (x + rest)`."""
    made = x.filled(1.0) / x
    return made.times_plus((-made).times_plus(x, 1.0) - made * rest, made)


def power(x: Vector, y: Vector) -> Found:
    """x to the power of y."""
    return _of_nearest(nearest_floats.power(x, y))


def _of_nearest(found: nearest_floats.Nearest) -> Found:
    return Found(found.value(), found.known)


FORMULAS: dict[str, Callable[..., Found]] = {
    f.__name__: f for f in (exp, exp2, expm1, cosh, tanh, log, log1p, log2, log10, sin, cos, tan,
                            arctan, arcsin, arccos, power)}
"""The formulas by the names of NumPy's functions."""

DOUBLES_ONLY = ("power",)
"""Those that are for floats of 64 bits only."""
