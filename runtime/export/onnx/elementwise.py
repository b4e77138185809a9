"""Ufuncs in ONNX: an operation of the same name, or a formula over the operations there are.

The formulas give double precision where onnxruntime has no float64 kernel: `tan`, the inverse and
hyperbolic functions. They are the textbook ones (W. Kahan, "Branch cuts for complex elementary
functions", 1987, for log1p and its kin); `arctan` refines a float32 value by one step of the
addition theorem, tan(a - b) = (tan a - tan b) / (1 + tan a tan b).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.export.kinds import NoForm
from autograph.runtime.export.onnx.builder import BOOL, FLOAT64, INT64, Builder, T
from autograph.runtime.export.onnx.kernels import KERNELS

Formula = Callable[..., Any]
LN2, LN10 = float(np.log(2)), float(np.log(10))


def direct(op: str) -> Formula:
    """Returns the formula that is one operation."""
    return lambda b, *xs: b.op(op, *xs)


def on_kernel(op: str, otherwise: Formula) -> Formula:
    """Returns the formula that is one operation where it has a kernel."""
    def formula(b: Builder, x: T) -> Any:
        return b.op(op, x) if x.dtype.str[1:] in KERNELS[op] else otherwise(b, x)

    return formula


def is_bool(x: T) -> bool:
    return x.dtype == BOOL


def is_integer(x: T) -> bool:
    return x.dtype.kind in "iu"


def number(x: T, value: Any) -> T:
    """Returns a constant of a tensor's dtype."""
    return x.builder.constant(value, x.dtype)


# -- arithmetic -----------------------------------------------------------------------------------


def or_logical(op: str, logical: str) -> Formula:
    """Returns the formula of an operation that is another one on bools."""
    return lambda b, *xs: b.op(logical if is_bool(xs[0]) else op, *xs)


def divide(b: Builder, x: T, y: T) -> T:
    return x / y


def guarded(b: Builder, y: T) -> tuple[T, T, T]:
    """Returns a divisor without 0 and -1, and where it was 0 and -1: both end a process."""
    zero = y.equals(0)
    minus = y.equals(-1) if y.dtype.kind == "i" else b.constant(False)
    return b.where(zero | minus, number(y, 1), y), zero, minus


def integer_mod(b: Builder, x: T, y: T, fmod: int) -> T:
    safe, zero, minus = guarded(b, y)
    return b.where(zero | minus, number(x, 0), b.op("Mod", x, safe, fmod=fmod))


def floor_divide(b: Builder, x: T, y: T) -> T:
    if not is_integer(x):
        return float_divmod(b, x, y)[0]
    safe, zero, minus = guarded(b, y)
    quotient = x / safe
    if x.dtype.kind == "i":  # the division cuts off: it is rounded up below 0
        rest = x - quotient * safe
        above = ~rest.equals(0) & b.op("Xor", rest < 0, safe < 0)
        quotient = quotient - b.cast(above, x.dtype)
        quotient = b.where(minus, number(x, 0) - x, quotient)
    return b.where(zero, number(x, 0), quotient)


def float_divmod(b: Builder, x: T, y: T) -> tuple[T, T]:
    """NumPy's floor division and remainder of floats, step by step as NumPy does it."""
    rest = b.op("Mod", x, y, fmod=1)
    quotient = (x - rest) / y
    nonzero = ~rest.equals(0)
    other = nonzero & b.op("Xor", y < 0, rest < 0)
    quotient = b.where(other, quotient - 1, quotient)
    rest = b.where(nonzero, b.where(other, rest + y, rest), copysign(b, number(rest, 0), y))
    floored = b.op("Floor", quotient)
    floored = b.where((quotient - floored) > 0.5, floored + 1, floored)
    floored = b.where(quotient.equals(0), copysign(b, number(x, 0), x / y), floored)
    zero = y.equals(0)
    return b.where(zero, x / y, floored), b.where(zero, number(x, np.nan), rest)


def remainder(b: Builder, x: T, y: T) -> T:
    return integer_mod(b, x, y, 0) if is_integer(x) else float_divmod(b, x, y)[1]


def fmod(b: Builder, x: T, y: T) -> T:
    return integer_mod(b, x, y, 1) if is_integer(x) else b.op("Mod", x, y, fmod=1)


def divmod_(b: Builder, x: T, y: T) -> tuple[T, T]:
    return (floor_divide(b, x, y), integer_mod(b, x, y, 0)) if is_integer(x) else (
        float_divmod(b, x, y))


def negative(b: Builder, x: T) -> T:
    return number(x, 0) - x if x.dtype.kind == "u" else -x


def absolute(b: Builder, x: T) -> T:
    return x if x.dtype.kind in "ub" else b.op("Abs", x)


def sign(b: Builder, x: T) -> T:
    found = b.op("Sign", x)
    return b.where(b.op("IsNaN", x), x, found) if x.dtype.kind == "f" else found


def square(b: Builder, x: T) -> T:
    return x * x


def reciprocal(b: Builder, x: T) -> T:
    if is_integer(x):
        raise NoForm("the reciprocal of the integer 0 is what the processor makes of it")
    return number(x, 1) / x


def power(b: Builder, x: T, y: T) -> T:
    """Integers by squaring, which is exact modulo 2**64; floats by `Pow`."""
    constant = b.arrays.get(y.name)
    if constant is not None and constant.ndim == 0:
        exponent = constant[()]
        if exponent == 1:
            return x
        if exponent == 2:
            return x * x
        if exponent == 0.5:
            return b.op("Sqrt", x)
        if is_integer(x) and 0 <= exponent <= 64:
            return by_squaring(b, x, int(exponent))
    if not is_integer(x):
        return b.op("Pow", x, y)
    result, base, rest = number(x, 1), x, b.cast(y, INT64)
    for _ in range(63):
        half = b.op("Div", rest, number(rest, 2))
        odd = ~(half * 2).equals(rest)
        result = b.where(odd, result * base, result)
        base, rest = base * base, half
    return result


def by_squaring(b: Builder, x: T, exponent: int) -> T:
    if not exponent:
        return x * 0 + 1
    half = by_squaring(b, x, exponent // 2) if exponent > 1 else None
    if half is None:
        return x
    return half * half * x if exponent % 2 else half * half


# -- comparing and choosing -----------------------------------------------------------------------


def compare(op: str) -> Formula:
    """Returns the formula of a comparison of operands of one dtype."""
    def formula(b: Builder, x: T, y: T) -> T:
        if x.dtype == y.dtype:
            return b.op(op, x, y)
        swapped = x.dtype.kind == "u"  # a signed and an unsigned 64-bit integer
        below = (y if swapped else x) < 0
        unsigned = np.dtype(np.uint64)
        inside = b.op(op, b.cast(x, unsigned), b.cast(y, unsigned))
        holds = op.startswith("Greater" if swapped else "Less")
        return inside | below if holds else inside & ~below

    return formula


def not_equal(b: Builder, x: T, y: T) -> T:
    same: T = compare("Equal")(b, x, y)
    return ~same


def extreme(op: str, logical: str) -> Formula:
    """Returns the formula of the greater or lesser: NaN if one is NaN."""
    def formula(b: Builder, x: T, y: T) -> T:
        if is_bool(x):
            return b.op(logical, x, y)
        found = b.op(op, x, y)
        if x.dtype.kind != "f":
            return found
        return b.where(b.op("IsNaN", x), x, b.where(b.op("IsNaN", y), y, found))

    return formula


def extreme_number(op: str, logical: str) -> Formula:
    """Returns the formula of `fmax` and `fmin`: NaN only if both are NaN."""
    def formula(b: Builder, x: T, y: T) -> T:
        if x.dtype.kind != "f":
            return extreme(op, logical)(b, x, y)  # type: ignore[no-any-return]
        return b.where(b.op("IsNaN", x), y, b.where(b.op("IsNaN", y), x, b.op(op, x, y)))

    return formula


def on_truth(op: str) -> Formula:
    """Returns the formula of an operation on the truth of the operands."""
    return lambda b, *xs: b.op(op, *(b.cast(x, BOOL) for x in xs))


def isnan(b: Builder, x: T) -> T:
    return b.op("IsNaN", x) if x.dtype.kind == "f" else ~x.equals(x)


def isinf(b: Builder, x: T) -> T:
    return b.op("IsInf", x) if x.dtype.kind == "f" else ~x.equals(x)


def isfinite(b: Builder, x: T) -> T:
    return ~(isnan(b, x) | isinf(b, x))


def signbit(b: Builder, x: T) -> T:
    if x.dtype.kind != "f":
        return x < 0
    return (x < 0) | (x.equals(0) & ((number(x, 1) / x) < 0))


def copysign(b: Builder, x: T, y: T) -> T:
    """By a product: onnxruntime's `Where` gives 0.0 where it should give -0.0."""
    return b.op("Abs", x) * b.where(signbit(b, y), number(x, -1), number(x, 1))


def heaviside(b: Builder, x: T, y: T) -> T:
    step = b.where(x.equals(0), y, b.cast(x > 0, x.dtype))
    return b.where(b.op("IsNaN", x), x, step)


def rounded(op: str) -> Formula:
    """Returns the formula of `floor` and its kin: integers are round already."""
    return lambda b, x: x if x.dtype.kind in "iub" else b.op(op, x)


def trunc(b: Builder, x: T) -> T:
    if x.dtype.kind in "iub":
        return x
    return b.where(x < 0, b.op("Ceil", x), b.op("Floor", x))


def modf(b: Builder, x: T) -> tuple[T, T]:
    nearest = trunc(b, x)
    rest = b.where(b.op("IsInf", x), number(x, 0), x - nearest)
    return copysign(b, rest, x), nearest


# -- bits -----------------------------------------------------------------------------------------


def bits(op: str, logical: str) -> Formula:
    return lambda b, *xs: b.op(logical if is_bool(xs[0]) else op, *xs)


def shift(direction: str) -> Formula:
    """Returns the formula of a shift, which ONNX has for unsigned integers only."""
    def formula(b: Builder, x: T, y: T) -> T:
        size = x.dtype.itemsize * 8
        unsigned = np.dtype(f"u{x.dtype.itemsize}")
        inside = (y < size) if y.dtype.kind == "u" else ((y < size) & (y >= 0))
        count = b.cast(b.where(inside, y, number(y, 0)), unsigned)
        negative_ = None if x.dtype.kind == "u" or direction == "LEFT" else x < 0
        given = x if negative_ is None else b.where(negative_, b.op("BitwiseNot", x), x)
        moved = b.cast(b.op("BitShift", b.cast(given, unsigned), count, direction=direction),
                       x.dtype)
        moved = b.where(inside, moved, number(x, 0))
        return moved if negative_ is None else b.where(
            negative_, b.op("BitwiseNot", moved), moved)

    return formula


# -- functions ------------------------------------------------------------------------------------


def in_float32(formula: Formula) -> Formula:
    """Returns a formula that computes float16 in float32."""
    def wide(b: Builder, *xs: T) -> Any:
        if xs[0].dtype != np.float16:
            return formula(b, *xs)
        found = formula(b, *(b.cast(x, np.float32) if x.dtype == np.float16 else x for x in xs))
        return tuple(b.cast(f, np.float16) for f in found) if isinstance(found, tuple) else (
            b.cast(found, np.float16))

    return wide


def log1p(b: Builder, x: T) -> T:
    u = x + 1
    kahan = b.op("Log", u) * (x / (u - 1))
    return b.where(u.equals(1), x, b.where(b.op("IsInf", u) & (u > 0), u, kahan))


def expm1(b: Builder, x: T) -> T:
    """2 t / (1 - t) with t = tanh(x / 2), where exp(x) - 1 would cancel."""
    t = b.op("Tanh", x * 0.5)
    return b.where(b.op("Abs", x) < 1, (t * 2) / (1 - t), b.op("Exp", x) - 1)


def log_of_base(base: float, ln: float) -> Formula:
    """Returns the formula of a logarithm that is exact at the powers of its base."""
    def formula(b: Builder, x: T) -> T:
        found = b.op("Log", x) * number(x, 1 / ln)
        nearest = b.op("Round", found)
        return b.where(b.op("Pow", number(x, base), nearest).equals(x), nearest, found)

    return formula


def arctan(b: Builder, x: T) -> T:
    flat = b.op("Abs", x) <= 1
    z = b.where(flat, x, number(x, 1) / x)
    y = b.cast(b.op("Atan", b.cast(z, np.float32)), FLOAT64)
    sine, cosine = b.op("Sin", y), b.op("Cos", y)
    y = y + (z * cosine - sine) / (cosine + z * sine)
    y = b.where(z.equals(0), z, y)
    return b.where(flat, y, copysign(b, number(x, np.pi / 2), x) - y)


def arcsin(b: Builder, x: T) -> T:
    return arctan(b, x / b.op("Sqrt", (1 - x) * (x + 1)))


def arccos(b: Builder, x: T) -> T:
    return arctan(b, b.op("Sqrt", (1 - x) / (x + 1))) * 2


def sinh(b: Builder, x: T) -> T:
    t = b.op("Tanh", x * 0.5)
    half = b.op("Exp", b.op("Abs", x) * 0.5)
    large = copysign(b, half * 0.5 * half, x)
    return b.where(b.op("Abs", x) < 1, (t * 2) / (1 - t * t), large_sinh(b, x, large))


def large_sinh(b: Builder, x: T, large: T) -> T:
    small = b.op("Exp", -b.op("Abs", x)) * 0.5
    return b.where(x > 0, large - small, large + small)


def cosh(b: Builder, x: T) -> T:
    half = b.op("Exp", b.op("Abs", x) * 0.5)
    return half * 0.5 * half + b.op("Exp", -b.op("Abs", x)) * 0.5


def tan(b: Builder, x: T) -> T:
    return b.op("Sin", x) / b.op("Cos", x)


def arcsinh(b: Builder, x: T) -> T:
    size = b.op("Abs", x)
    near = log1p(b, size + size * size / (b.op("Sqrt", size * size + 1) + 1))
    far = b.op("Log", size) + LN2
    return copysign(b, b.where(size > 1e8, far, near), x)


def arccosh(b: Builder, x: T) -> T:
    above = x - 1
    near = log1p(b, above + b.op("Sqrt", above * (x + 1)))
    found = b.where(x > 1e8, b.op("Log", x) + LN2, near)
    return b.where(x < 1, number(x, np.nan), found)


def arctanh(b: Builder, x: T) -> T:
    found = b.where(x.equals(0), x, log1p(b, (x * 2) / (1 - x)) * 0.5)
    return b.where(b.op("Abs", x) > 1, number(x, np.nan), found)


def cbrt(b: Builder, x: T) -> T:
    """One step of Newton's method corrects the power 1/3."""
    size = b.op("Abs", x)
    root = b.op("Pow", size, number(x, 1 / 3))
    root = root - (root - size / (root * root)) * number(x, 1 / 3)
    plain = size.equals(0) | b.op("IsInf", size)
    return copysign(b, b.where(plain, size, root), x)


def hypot(b: Builder, x: T, y: T) -> T:
    x, y = b.op("Abs", x), b.op("Abs", y)
    large, small = b.op("Max", x, y), b.op("Min", x, y)
    ratio = small / b.where(large.equals(0), number(x, 1), large)
    found = large * b.op("Sqrt", ratio * ratio + 1)
    infinite = b.op("IsInf", x) | b.op("IsInf", y)
    return b.where(infinite, number(x, np.inf), found)


def arctan2(b: Builder, y: T, x: T) -> T:
    """The angle by the ratio of the lesser to the greater, then the octant."""
    ay, ax = b.op("Abs", y), b.op("Abs", x)
    both = b.op("IsInf", y) & b.op("IsInf", x)
    steep = ay > ax
    large, small = b.where(steep, ay, ax), b.where(steep, ax, ay)
    ratio = small / b.where(large.equals(0), number(x, 1), large)
    ratio = b.where(both, number(x, 1), ratio)
    angle = ATAN(b, ratio)
    angle = b.where(steep, np.pi / 2 - angle, angle)
    angle = b.where(signbit(b, x), np.pi - angle, angle)
    nan = b.op("IsNaN", x) | b.op("IsNaN", y)
    return b.where(nan, number(x, np.nan), copysign(b, angle, y))


def logaddexp(b: Builder, x: T, y: T) -> T:
    gap = b.op("Abs", x - y)
    found = b.op("Max", x, y) + log1p(b, b.op("Exp", -gap))
    return b.where(x.equals(y), x + LN2, found)


def logaddexp2(b: Builder, x: T, y: T) -> T:
    gap = b.op("Abs", x - y)
    found = b.op("Max", x, y) + log1p(b, b.op("Pow", number(x, 2), -gap)) * (1 / LN2)
    return b.where(x.equals(y), x + 1, found)


def scaled(factor: float) -> Formula:
    return lambda b, x: x * factor


def ldexp(b: Builder, x: T, exponent: T) -> T:
    """In two halves, so that neither power overflows."""
    half = b.op("Div", b.cast(exponent, INT64), number(b.cast(exponent, INT64), 2))
    rest = b.cast(exponent, INT64) - half
    two = number(x, 2)
    found = x * b.op("Pow", two, b.cast(half, x.dtype)) * b.op("Pow", two, b.cast(rest, x.dtype))
    return b.where(x.equals(0) | isinf(b, x), x, found)  # not 0 times infinity


ATAN = on_kernel("Atan", arctan)

FORMULAS: dict[np.ufunc, Formula] = {
    np.add: or_logical("Add", "Or"), np.subtract: direct("Sub"),
    np.multiply: or_logical("Mul", "And"), np.divide: divide, np.floor_divide: floor_divide,
    np.remainder: remainder, np.fmod: fmod, np.divmod: divmod_, np.power: power,
    np.float_power: power, np.left_shift: shift("LEFT"), np.right_shift: shift("RIGHT"),
    np.bitwise_and: bits("BitwiseAnd", "And"), np.bitwise_or: bits("BitwiseOr", "Or"),
    np.bitwise_xor: bits("BitwiseXor", "Xor"), np.invert: bits("BitwiseNot", "Not"),
    np.equal: compare("Equal"), np.not_equal: not_equal, np.less: compare("Less"),
    np.less_equal: compare("LessOrEqual"), np.greater: compare("Greater"),
    np.greater_equal: compare("GreaterOrEqual"), np.negative: negative,
    np.positive: lambda b, x: x, np.absolute: absolute, np.fabs: absolute, np.sign: sign,
    np.square: square, np.reciprocal: reciprocal, np.sqrt: direct("Sqrt"), np.exp: direct("Exp"),
    np.exp2: lambda b, x: b.op("Pow", number(x, 2), x), np.expm1: expm1, np.log: direct("Log"),
    np.log2: log_of_base(2, LN2), np.log10: log_of_base(10, LN10), np.log1p: log1p,
    np.sin: direct("Sin"), np.cos: direct("Cos"), np.tan: on_kernel("Tan", tan),
    np.arcsin: on_kernel("Asin", arcsin), np.arccos: on_kernel("Acos", arccos), np.arctan: ATAN,
    np.sinh: on_kernel("Sinh", sinh), np.cosh: on_kernel("Cosh", cosh), np.tanh: direct("Tanh"),
    np.arcsinh: on_kernel("Asinh", arcsinh), np.arccosh: on_kernel("Acosh", arccosh),
    np.arctanh: on_kernel("Atanh", arctanh), np.cbrt: cbrt, np.hypot: hypot, np.arctan2: arctan2,
    np.logaddexp: logaddexp, np.logaddexp2: logaddexp2, np.deg2rad: scaled(np.pi / 180),
    np.radians: scaled(np.pi / 180), np.rad2deg: scaled(180 / np.pi),
    np.degrees: scaled(180 / np.pi), np.floor: rounded("Floor"), np.ceil: rounded("Ceil"),
    np.trunc: trunc, np.rint: rounded("Round"), np.conjugate: lambda b, x: x, np.isnan: isnan,
    np.isinf: isinf, np.isfinite: isfinite, np.signbit: signbit, np.copysign: copysign,
    np.heaviside: heaviside, np.modf: modf, np.ldexp: ldexp, np.maximum: extreme("Max", "Or"),
    np.minimum: extreme("Min", "And"), np.fmax: extreme_number("Max", "Or"),
    np.fmin: extreme_number("Min", "And"), np.logical_not: on_truth("Not"),
    np.logical_and: on_truth("And"), np.logical_or: on_truth("Or"), np.logical_xor: on_truth("Xor"),
}
"""The formulas, called with the builder and operands in the dtypes of NumPy's loop."""

UNWRITTEN: dict[np.ufunc, str] = {
    np.spacing: "ONNX does not see the bits of floats",
    np.nextafter: "ONNX does not see the bits of floats",
    np.frexp: "ONNX does not see the bits of floats",
    np.gcd: "ONNX has no operation for it, and a loop for each element would be slow",
    np.lcm: "ONNX has no operation for it, and a loop for each element would be slow",
}
"""The ufuncs without a formula, and why."""
EXACT = frozenset((
    np.add, np.subtract, np.multiply, np.divide, np.sqrt, np.square, np.reciprocal, np.fmod,
    np.negative, np.positive, np.absolute, np.fabs, np.sign, np.copysign, np.heaviside, np.modf,
    np.conjugate, np.floor, np.ceil, np.trunc, np.rint, np.maximum, np.minimum, np.fmax, np.fmin))
"""The ufuncs of which every kernel gives the same float16; NumPy computes the others in float32."""
FORMULAS = {ufunc: f if ufunc in EXACT or not any(t[-1] == "e" for t in ufunc.types) else
            in_float32(f) for ufunc, f in FORMULAS.items()}
