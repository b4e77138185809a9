"""Powers of numbers: what the C library's `pow` gives, found without it where that is sure.

`pow` gives the nearest float of nearly all results, and its neighbour where the exact result lies
about halfway between two. So `x * x` is `pow(x, 2)` unless the exact square is close to halfway:
the rest that the product leaves tells, and there `pow` is asked. Longer products, inverses and
roots are pairs: a float and what it leaves of the exact number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.kinds import FLOAT
from autograph.runtime.native.llvm_ir import DOUBLE, I64, Function, Literal, Module, word
from autograph.runtime.native.strict_floats import NEAREST, strict

if TYPE_CHECKING:
    from autograph.runtime.native.instructions import Instructions
    from autograph.runtime.native.search_loops import Asking

CLOSE = 0.486
"""So many units in the last place away, a float is the result of `pow`, which is off by less than
0.514: for moderate results, the GNU C library by 0.511 and its versions before 2.28 by 0.5."""

MODERATE = 32
"""Operands between `2 ** -32` and `2 ** 32` are moderate, for larger exponents fewer: `pow` may be
off by more, the larger the logarithm of the result is."""

LONGEST = 12
"""Up to here, an exponent that is a multiple of one half is a product."""

BIAS, DIGITS = 1023, 52
"""The exponent's bits of 1.0, and the number of bits after them."""

EXPONENT = 0x7FF << DIGITS


def power(i: Instructions, a: Any, b: Any) -> Any:
    """Writes `a ** b` of two floats."""
    found = next((p for p in EXPONENTS if b.text == Literal(DOUBLE, p).text), None)
    if found is None or not (found in QUICK or _has_pairs()) or not is_close(found):
        if i.asking is not None:
            i.asking.refused = True
        return _asked(i, a, b)
    if i.asking is not None:
        return _for_asking(i, a, found, i.asking)
    builder, cell = i.builder, i.stack(DOUBLE)
    quick, slow, after = (i.block(n) for n in ("quick", "pow", "after"))
    builder.cbranch(_is_moderate(i, a, found), quick, slow, sure=True)
    builder.position_at_end(quick)
    made, sure = _quick(i, a, found)
    builder.store(made, cell)
    builder.cbranch(sure, after, slow, sure=True)
    builder.position_at_end(slow)
    builder.store(builder.call(_rarely_asked(i.module), [a, b]), cell)
    builder.branch(after)
    builder.position_at_end(after)
    return builder.load(cell, DOUBLE)


def _for_asking(i: Instructions, x: Any, exponent: float, asking: Asking) -> Any:
    """Writes a power where `pow` is not asked: it is told where that should be."""
    made, sure = _quick(i, x, exponent)
    asking.extreme.append(i.builder.not_(_is_moderate(i, x, exponent)))
    asking.inexact.append(i.builder.not_(sure))
    return made


def _quick(i: Instructions, x: Any, exponent: float) -> tuple[Any, Any]:
    of = QUICK.get(exponent)
    return _of_pair(i, x, exponent) if of is None else of(i, x)


def _has_pairs() -> bool:
    """Returns True if the processor tells what a product leaves: the C library takes as long for
    that as for a power."""
    from autograph.runtime.native.compiler import multiplies_and_adds
    return multiplies_and_adds()


def _asked(i: Instructions, a: Any, b: Any) -> Any:
    return i.lanes.strict("pow", a.type, [a, b], NEAREST)


def _rarely_asked(module: Module) -> Function:
    """Returns a function that asks `pow`."""
    if "asks" not in module.functions:
        made = Function(module, DOUBLE, [DOUBLE, DOUBLE], "asks", "noinline cold strictfp",
                        rare=True)
        builder = Builder(made.append_basic_block("entry"))
        builder.ret(strict(module, builder, "pow", made.args, DOUBLE, NEAREST))
    return module.functions["asks"]


def _is_moderate(i: Instructions, x: Any, exponent: float) -> Any:
    """Returns True for a moderate float; for roots, one above zero."""
    bits, most = i.builder.bitcast(x, I64), min(MODERATE, int(2 * MODERATE / abs(exponent)))
    if float(exponent).is_integer():
        bits = i.builder.and_(bits, word(2 ** 63 - 1))
    first = (BIAS - most) << DIGITS
    return i.builder.icmp_unsigned(
        "<", i.builder.sub(bits, word(first)), word(2 * most << DIGITS))


def _float(i: Instructions, name: str, *operands: Any) -> Any:
    return i.strict(name, list(operands), DOUBLE, NEAREST)


def _unit(i: Instructions, x: Any, share: float) -> Any:
    """Returns a share of the unit in the last place of a float."""
    bits = i.builder.and_(i.builder.bitcast(x, I64), word(EXPONENT))
    return _float(i, "fmul", i.builder.bitcast(bits, DOUBLE), Literal(DOUBLE, share * 2 ** -DIGITS))


def _square(i: Instructions, x: Any) -> tuple[Any, Any]:
    """Half a unit more than the square is another float: what the product leaves, made larger so
    that the limit becomes half a unit, is added to it."""
    made = _float(i, "fmul", x, x)
    rest = _float(i, "fma", x, x, i.builder.fneg(made))
    moved = _float(i, "fma", rest, Literal(DOUBLE, 0.5 / CLOSE), made)
    return made, i.compare("==", FLOAT, moved, made)


def _root(i: Instructions, x: Any) -> tuple[Any, Any]:
    """The square of the root is off by twice the root times what the root is off by."""
    made = _float(i, "sqrt", x)
    rest = _float(i, "fma", i.builder.fneg(made), made, x)
    limit = _float(i, "fmul", made, _unit(i, made, 2 * CLOSE))
    return made, i.compare("<", FLOAT, i.lanes.intrinsic("fabs", DOUBLE, [rest]), limit)


Pair = tuple[Any, Any]
"""A float and what it leaves of a number; None if that is nothing."""


def _of_pair(i: Instructions, x: Any, exponent: float) -> tuple[Any, Any]:
    """Half a unit more, in the same way, of a product that leaves two floats."""
    high, low = _power_as_pair(i, x, exponent)
    made = _float(i, "fadd", high, low)
    rest = _float(i, "fsub", low, _float(i, "fsub", made, high))
    moved = _float(i, "fma", rest, Literal(DOUBLE, 0.5 / CLOSE), made)
    return made, i.compare("==", FLOAT, moved, made)


def _power_as_pair(i: Instructions, x: Any, exponent: float) -> Pair:
    halves = round(2 * abs(exponent))
    found: Pair | None = _root_as_pair(i, x) if halves % 2 else None
    factor: Pair = x, None
    left = halves // 2
    while left:
        if left % 2:
            found = factor if found is None else _times(i, found, factor)
        left //= 2
        if left:
            factor = _times(i, factor, factor)
    assert found is not None
    return _inverse(i, found) if exponent < 0 else found


def _times(i: Instructions, a: Pair, b: Pair) -> Pair:
    high = _float(i, "fmul", a[0], b[0])
    rest = _float(i, "fma", a[0], b[0], i.builder.fneg(high))
    for x, y in ((a[0], b[1]), (b[0], a[1])):
        rest = rest if y is None else _float(i, "fma", x, y, rest)
    return high, rest


def _root_as_pair(i: Instructions, x: Any) -> Pair:
    made = _float(i, "sqrt", x)
    rest = _float(i, "fma", i.builder.fneg(made), made, x)
    return made, _float(i, "fdiv", _float(i, "fmul", rest, Literal(DOUBLE, 0.5)), made)


def _inverse(i: Instructions, a: Pair) -> Pair:
    one = Literal(DOUBLE, 1.0)
    made = _float(i, "fdiv", one, a[0])
    minus = i.builder.fneg(made)
    rest = _float(i, "fma", minus, a[0], one)
    if a[1] is not None:
        rest = _float(i, "fma", minus, a[1], rest)
    return made, _float(i, "fmul", made, rest)


QUICK: dict[float, Callable[[Instructions, Any], tuple[Any, Any]]] = {2.0: _square, 0.5: _root}
"""By exponent: take instructions and a moderate float. They return the nearest float of the power,
and whether the exact one is so close to it that `pow` gives it. All others are pairs."""

EXPONENTS = [k / 2 for k in range(-2 * LONGEST, 2 * LONGEST + 1) if k not in (0, 2)]


@cache
def is_close(exponent: float) -> bool:
    """Returns True if `pow` gives the nearest float wherever the limit asks it to: tried on results
    that are just within."""
    random, tried = Random(0), 0
    for _ in range(400):
        x = random.randrange(2 ** DIGITS, 2 ** (DIGITS + 1))
        exact = _exact(x, exponent)
        one = 1 << (exact.bit_length() - DIGITS - 1)
        off = (exact % one) / one
        if CLOSE - 0.1 < min(off, 1 - off) < CLOSE:
            nearest, small = math.ldexp(float(exact), -SCALE), math.ldexp(x, -DIGITS)
            tried += 1
            if math.pow(small, exponent) != nearest or np.float64(small) ** exponent != nearest:
                return False
    return tried > 40


SCALE = 160
"""Powers are found as ints of so many binary digits."""


def _exact(x: int, exponent: float) -> int:
    """Returns a power of `x / 2 ** DIGITS` times `2 ** SCALE`, rounded down."""
    if not (2 * exponent) % 2:
        power: int = x ** abs(int(exponent))
        unit = DIGITS * abs(int(exponent))
        return (power << SCALE) >> unit if exponent > 0 else (1 << SCALE + unit) // power
    halves, scale = round(2 * abs(exponent)), 2 * SCALE
    power, unit = x ** halves, DIGITS * halves
    return math.isqrt((power << scale) >> unit if exponent > 0 else (
        1 << scale + unit) // power)
