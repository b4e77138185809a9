"""The native forms of ufuncs: the machine instructions of each, on lanes and on numbers.

A ufunc on arrays, and a call of one on numbers, computes on lanes: ints wrap around, and nothing
raises. An operator on numbers is another thing where ints are concerned: what does not fit leaves
the kernel. A ufunc without a form here is NumPy's own inner loop, called by its address.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autograph.runtime.native.builder import known
from autograph.runtime.native.complex_forms import COMPLEX_FORMS, on_parts
from autograph.runtime.native.inner_loops import same_bits
from autograph.runtime.native.kinds import PARTS
from autograph.runtime.native.llvm_ir import Literal
from autograph.runtime.native.powers import power
from autograph.runtime.native.strict_floats import NEAREST

if TYPE_CHECKING:
    from autograph.runtime.native.instructions import Instructions
    from autograph.runtime.native.lanes import Lanes

DType = np.dtype[Any]

Form = Callable[..., Any]
"""Takes lanes, the dtype of the operands, and the operands."""

NumberForm = Callable[..., Any]
"""Takes instructions, the dtype of the operands, and the operands."""


class Native(NamedTuple):
    """The forms of a ufunc.

    kinds   the kinds of the dtypes for which it has a form on lanes.
    lanes   that form.
    number  the form of Python's operator on numbers; None: that on lanes, if it is an operator.
    silent  NumPy's numbers do as arrays: nothing is told of bits that are lost.
    """

    kinds: str
    lanes: Form
    number: NumberForm | None = None
    silent: bool = False


def has_lanes(ufunc: Any, dtype: DType) -> bool:
    """Returns True if a ufunc on operands of a dtype is instructions on lanes.

    >>> has_lanes(np.add, np.dtype(float)), has_lanes(np.exp, np.dtype(float))
    (True, False)
    """
    known = ufunc in FORMS and dtype.kind in FORMS[ufunc].kinds
    return known and (ufunc not in (np.minimum, np.maximum) or extremes_agree())


@cache
def extremes_agree() -> bool:
    """Returns True if NumPy's minimum and maximum choose among zeros as the forms here do."""
    values = np.array([0.0, -0.0, np.nan, 1.0, -1.0, np.inf, -np.inf])
    a, b = (x.ravel() for x in np.meshgrid(values, values))
    for dtype in (np.float64, np.float32):
        for length in range(1, len(a) + 1):
            x, y = a[:length].astype(dtype), b[:length].astype(dtype)
            for ufunc, first in ((np.maximum, x > y), (np.minimum, x < y)):
                expected = np.where(first | np.isnan(x), x, y)
                if not same_bits(ufunc(x, y), expected):
                    return False
    return True


def on_lanes(lanes: Lanes, ufunc: Any, dtype: DType, *operands: Any) -> Any:
    """Writes a ufunc that has a form on lanes."""
    return FORMS[ufunc].lanes(lanes, dtype, *operands)


def on_numbers(i: Instructions, ufunc: Any, dtype: DType, *operands: Any, of_numpy: bool) -> Any:
    """Writes an operator on numbers that were converted to one dtype; `of_numpy`: the result is
    surely a number of NumPy's."""
    if dtype.kind == "c":
        return COMPLEX_FORMS[ufunc](i, dtype, *operands, of_numpy=of_numpy)
    form = FORMS[ufunc]
    if form.number is None or (dtype.kind == "f" and "f" in form.kinds) or (
            form.silent and of_numpy):
        return form.lanes(i.lanes, dtype, *operands)
    return form.number(i, dtype, *operands)


# -- on lanes --------------------------------------------------------------------------------------

def _by_kind(f: str = "", i: str = "", b: str = "") -> Form:
    """The instruction for floats, ints and bools."""
    def form(lanes: Lanes, dtype: DType, *operands: Any) -> Any:
        if dtype.kind == "f":
            return lanes.strict(f, operands[0].type, list(operands), NEAREST)
        if dtype.kind == "c":
            return on_parts(lanes, partial(form, lanes, PARTS[dtype]), *operands)
        return getattr(lanes.builder, b if dtype.kind == "b" else i)(*operands)

    return form


def _quotient(lanes: Lanes, dtype: DType, a: Any, b: Any) -> Any:
    """Divides; by a constant whose reciprocal is a float, too, it multiplies, with the same bits
    and exceptions."""
    if (factor := reciprocal(b, dtype)) is not None:
        return on_lanes(lanes, np.multiply, dtype, a, lanes.constant(factor, dtype))
    return lanes.strict("fdiv", a.type, [a, b], NEAREST)


def reciprocal(x: Any, dtype: DType) -> float | None:
    """Returns the reciprocal of a constant that is a power of two; None for all else, and where it
    is no normal number."""
    number = x.real if isinstance(x, Literal) else 0.0
    tiny = float(np.finfo(dtype).smallest_normal)
    if abs(math.frexp(number)[0]) != 0.5 or not tiny <= abs(number) <= 0.5 / tiny:
        return None
    return 1.0 / number


def _comparison(sign: str) -> Form:
    return lambda lanes, dtype, a, b: lanes.compare(sign, dtype, a, b)


def _rounding(name: str) -> Form:
    return lambda lanes, dtype, x: lanes.intrinsic(name, x.type, [x])


def _absolute(lanes: Lanes, dtype: DType, x: Any) -> Any:
    if dtype.kind == "f":
        return lanes.intrinsic("fabs", x.type, [x])
    if dtype.kind in "ub":
        return x
    zero = lanes.constant(0, dtype)
    return lanes.builder.select(lanes.compare("<", dtype, x, zero), lanes.builder.sub(zero, x), x)


def _negative(lanes: Lanes, dtype: DType, x: Any) -> Any:
    if dtype.kind == "f":
        return lanes.builder.fneg(x)
    if dtype.kind == "c":
        return on_parts(lanes, lanes.builder.fneg, x)
    return lanes.builder.sub(lanes.constant(0, dtype), x)


def _conjugate(lanes: Lanes, dtype: DType, x: Any) -> Any:
    if dtype.kind != "c":
        return x
    real, imag = lanes.builder.parts(x)
    return lanes.builder.pair(real, lanes.builder.fneg(imag))


def _extreme(sign: str) -> Form:
    """`a if a > b else b`, and the NaN if there is one: the rule of NumPy's inner loops."""
    def form(lanes: Lanes, dtype: DType, a: Any, b: Any) -> Any:
        chosen = lanes.builder.select(lanes.is_chosen(sign, dtype, a, b), a, b)
        return lanes.builder.select(lanes.is_nan(a), a, chosen) if dtype.kind == "f" else chosen

    return form


def _logical(name: str) -> Form:
    return lambda lanes, dtype, *xs: getattr(lanes.builder, name)(
        *[lanes.truth(x, dtype) for x in xs])


def _is_infinite(lanes: Lanes, dtype: DType, x: Any) -> Any:
    return lanes.compare("==", dtype, _absolute(lanes, dtype, x), lanes.constant(np.inf, dtype))


def _is_finite(lanes: Lanes, dtype: DType, x: Any) -> Any:
    return lanes.compare("<", dtype, _absolute(lanes, dtype, x), lanes.constant(np.inf, dtype))


def _none(lanes: Lanes, dtype: DType, *xs: Any) -> Any:
    raise AssertionError("this ufunc has no form on lanes")


def _shift(lanes: Lanes, dtype: DType, a: Any, b: Any, left: bool) -> Any:
    """Shifts; by more bits than there are, or by a negative number, nothing is left but the sign.
    """
    width, builder = 8 * dtype.itemsize, lanes.builder
    fits = builder.icmp_unsigned("<", b, lanes.constant(width, dtype))
    count = builder.select(fits, b, lanes.constant(0 if left else width - 1, dtype))
    if not left and dtype.kind == "i":
        return builder.ashr(a, count)
    moved = builder.shl(a, count) if left else builder.lshr(a, count)
    return builder.select(fits, moved, lanes.constant(0, dtype))


# -- operators on numbers --------------------------------------------------------------------------

def _checked(name: str) -> NumberForm:
    return lambda i, dtype, a, b: i.checked(name, dtype, a, b)


def _negated(i: Instructions, dtype: DType, x: Any) -> Any:
    return i.checked("sub", dtype, i.lanes.constant(0, dtype), x)


def _magnitude(i: Instructions, dtype: DType, x: Any) -> Any:
    if dtype.kind == "u":
        return x
    below = i.compare("<", dtype, x, i.lanes.constant(0, dtype))
    return i.builder.select(below, _negated(i, dtype, x), x)


def _is_unsigned(i: Instructions, dtype: DType, a: Any, b: Any) -> bool:
    """Returns True for ints that are divided as unsigned ones are."""
    return dtype.kind == "u" or (
        dtype == np.int64 and i.ranges.of(a).low >= 0 and i.ranges.of(b).low >= 0)


def _exponent(b: Any) -> int | None:
    """Returns the exponent of a constant that is a power of two: its quotients are shifts, which
    give the floor, and its remainders the lowest bits, of negative ints, too."""
    number = known(b)
    return number.bit_length() - 1 if number and number > 0 and not number & (number - 1) else None


def _is_above_floor(i: Instructions, dtype: DType, rest: Any, b: Any) -> Any:
    """Returns True where the quotient of ints that the processor gives is above the floor."""
    zero, signed = i.lanes.constant(0, dtype), i.builder.icmp_signed
    return i.builder.and_(signed("!=", rest, zero), signed("<", i.builder.xor(rest, b), zero))


def _remainder(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    """The remainder has the sign of the divisor, as in Python and NumPy."""
    builder, lanes = i.builder, i.lanes
    if dtype.kind == "f":
        zero = lanes.constant(0, dtype)
        rest = lanes.strict("frem", a.type, [a, b], NEAREST)
        other_sign = builder.xor(
            lanes.compare("<", dtype, b, zero), lanes.compare("<", dtype, rest, zero))
        moved = builder.select(other_sign, on_lanes(lanes, np.add, dtype, rest, b), rest)
        signed_zero = lanes.intrinsic("copysign", a.type, [zero, b])
        return builder.select(lanes.compare("!=", dtype, rest, zero), moved, signed_zero)
    if (exponent := _exponent(b)) is not None:
        return builder.and_(a, lanes.constant(2 ** exponent - 1, dtype))
    i.divisible(dtype, a, b)
    if _is_unsigned(i, dtype, a, b):
        return builder.urem(a, b)
    rest = builder.srem(a, b)
    return builder.select(_is_above_floor(i, dtype, rest, b), builder.add(rest, b), rest)


def _floor_divide(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    builder = i.builder
    if dtype.kind == "f":
        return _floor_divide_floats(i, dtype, a, b)
    if (exponent := _exponent(b)) is not None:
        count = i.lanes.constant(exponent, dtype)
        return (builder.lshr if dtype.kind == "u" else builder.ashr)(a, count)
    i.divisible(dtype, a, b)
    if _is_unsigned(i, dtype, a, b):
        return builder.udiv(a, b)
    quotient, rest = builder.sdiv(a, b), builder.srem(a, b)
    lower = builder.sub(quotient, i.lanes.constant(1, dtype))
    return builder.select(_is_above_floor(i, dtype, rest, b), lower, quotient)


def _floor_divide_floats(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    """As CPython and NumPy do it: the quotient of what is left when the remainder is taken."""
    builder, lanes = i.builder, i.lanes
    zero, one = lanes.constant(0, dtype), lanes.constant(1, dtype)

    def by(ufunc: Any, x: Any, y: Any) -> Any:
        return on_lanes(lanes, ufunc, dtype, x, y)

    i.require(by(np.not_equal, b, zero))
    rest = lanes.strict("frem", a.type, [a, b], NEAREST)
    quotient = by(np.divide, by(np.subtract, a, rest), b)
    other_sign = builder.and_(by(np.not_equal, rest, zero), builder.xor(
        by(np.less, b, zero), by(np.less, rest, zero)))
    quotient = builder.select(other_sign, by(np.subtract, quotient, one), quotient)
    down = on_lanes(lanes, np.floor, dtype, quotient)
    too_low = by(np.greater, by(np.subtract, quotient, down), lanes.constant(0.5, dtype))
    rounded = builder.select(too_low, by(np.add, down, one), down)
    signed_zero = lanes.intrinsic("copysign", a.type, [zero, by(np.divide, a, b)])
    return builder.select(by(np.not_equal, quotient, zero), rounded, signed_zero)


def _power(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    """The operator asks the C library, as in Python; so NumPy does for its numbers."""
    return power(i, a, b)


def _left_shift(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    i.require_shift(dtype, b)
    shifted = i.builder.shl(a, b)
    i.require(i.builder.icmp_signed("==", _shifted_back(i, dtype, shifted, b), a))
    return shifted


def _right_shift(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    i.require_shift(dtype, b)
    return _shifted_back(i, dtype, a, b)


def _shifted_back(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    return i.builder.ashr(a, b) if dtype.kind == "i" else i.builder.lshr(a, b)


FORMS: dict[Any, Native] = {
    np.add: Native("fiubc", _by_kind("fadd", "add", "or_"), _checked("add")),
    np.subtract: Native("fiuc", _by_kind("fsub", "sub"), _checked("sub")),
    np.multiply: Native("fiub", _by_kind("fmul", "mul", "and_"), _checked("mul")),
    np.divide: Native("f", _quotient),
    np.floor_divide: Native("", _none, _floor_divide),
    np.remainder: Native("", _none, _remainder),
    np.power: Native("", _none, _power),
    np.square: Native("fiu", lambda lanes, d, x: on_lanes(lanes, np.multiply, d, x, x)),
    np.reciprocal: Native("f", lambda lanes, d, x: on_lanes(
        lanes, np.divide, d, lanes.constant(1, d), x)),
    np.negative: Native("fiuc", _negative, _negated),
    np.positive: Native("fiuc", lambda lanes, d, x: x),
    np.conjugate: Native("fiuc", _conjugate),
    np.absolute: Native("fiub", _absolute, _magnitude),
    np.fabs: Native("f", _absolute),
    np.sqrt: Native("f", lambda lanes, d, x: lanes.strict("sqrt", x.type, [x], NEAREST)),
    np.floor: Native("f", _rounding("floor")),
    np.ceil: Native("f", _rounding("ceil")),
    np.trunc: Native("f", _rounding("trunc")),
    np.rint: Native("f", _rounding("nearbyint")),
    np.copysign: Native("f", lambda lanes, d, a, b: lanes.intrinsic("copysign", a.type, [a, b])),
    np.equal: Native("fiubc", _comparison("==")),
    np.not_equal: Native("fiubc", _comparison("!=")),
    np.less: Native("fiub", _comparison("<")),
    np.less_equal: Native("fiub", _comparison("<=")),
    np.greater: Native("fiub", _comparison(">")),
    np.greater_equal: Native("fiub", _comparison(">=")),
    np.minimum: Native("fiu", _extreme("<")),
    np.maximum: Native("fiu", _extreme(">")),
    np.bitwise_and: Native("iub", _by_kind(i="and_", b="and_")),
    np.bitwise_or: Native("iub", _by_kind(i="or_", b="or_")),
    np.bitwise_xor: Native("iub", _by_kind(i="xor", b="xor")),
    np.invert: Native("iub", _by_kind(i="not_", b="not_")),
    np.left_shift: Native(
        "iu", lambda lanes, d, a, b: _shift(lanes, d, a, b, True), _left_shift, silent=True),
    np.right_shift: Native(
        "iu", lambda lanes, d, a, b: _shift(lanes, d, a, b, False), _right_shift, silent=True),
    np.logical_and: Native("fiub", _logical("and_")),
    np.logical_or: Native("fiub", _logical("or_")),
    np.logical_xor: Native("fiub", _logical("xor")),
    np.logical_not: Native("fiub", _logical("not_")),
    np.isnan: Native("f", lambda lanes, d, x: lanes.is_nan(x)),
    np.isinf: Native("f", _is_infinite),
    np.isfinite: Native("f", _is_finite),
}
"""For the other ufuncs, and other dtypes, NumPy's inner loop is called."""
