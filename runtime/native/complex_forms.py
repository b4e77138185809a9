"""The native forms of operators on complex numbers: what Python and NumPy compute, part by part.

A complex number is a pair of floats in registers. What arrays compute otherwise, such as products
in NumPy's vector loops, has no form here: these loops are called by their address.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.native.inner_loops import loop_for_numbers, same_bits, samples
from autograph.runtime.native.kinds import FLOAT, PARTS
from autograph.runtime.native.strict_floats import NEAREST, llvm_type
from autograph.runtime.native.symbols import library

if TYPE_CHECKING:
    from autograph.runtime.native.instructions import Instructions
    from autograph.runtime.native.lanes import Lanes

DType = np.dtype[Any]


def on_parts(lanes: Lanes, of: Callable[..., Any], *operands: Any) -> Any:
    """Does an operation on real parts and on imaginary ones."""
    parts = zip(*map(lanes.builder.parts, operands), strict=True)
    return lanes.builder.pair(*[of(*xs) for xs in parts])


def _float(i: Instructions, name: str, a: Any, b: Any) -> Any:
    return i.strict(name, [a, b], a.type, NEAREST)


def _each(name: str) -> Callable[..., Any]:
    return lambda i, dtype, a, b, of_numpy: on_parts(
        i.lanes, lambda x, y: _float(i, name, x, y), a, b)


def _product(i: Instructions, dtype: DType, a: Any, b: Any, of_numpy: bool) -> Any:
    (ar, ai), (br, bi) = i.builder.parts(a), i.builder.parts(b)
    real = _float(i, "fsub", _float(i, "fmul", ar, br), _float(i, "fmul", ai, bi))
    imag = _float(i, "fadd", _float(i, "fmul", ar, bi), _float(i, "fmul", ai, br))
    return i.builder.pair(real, imag)


def _quotient(i: Instructions, dtype: DType, a: Any, b: Any, of_numpy: bool) -> Any:
    """Smith's algorithm: the larger part of the divisor divides the other one.

    NumPy multiplies by a reciprocal where Python divides. Leaves the kernel for divisors of which
    no part is the larger one, and for zero.
    """
    part, lanes, select = PARTS[dtype], i.lanes, i.builder.select
    (ar, ai), (br, bi) = i.builder.parts(a), i.builder.parts(b)
    sizes = [lanes.intrinsic("fabs", x.type, [x]) for x in (br, bi)]
    i.require(i.builder.or_(*[lanes.compare(">", part, x, lanes.constant(0, part))
                              for x in sizes]))
    upright = lanes.compare(">=", part, *sizes)
    i.require(i.builder.or_(upright, lanes.compare("<", part, *sizes)))
    large, small = select(upright, br, bi), select(upright, bi, br)
    first, second = select(upright, ar, ai), select(upright, ai, ar)
    ratio = _float(i, "fdiv", small, large)
    scale = _float(i, "fadd", large, _float(i, "fmul", small, ratio))
    scaled = _float(i, "fmul", first, ratio)
    real = _float(i, "fadd", first, _float(i, "fmul", second, ratio))
    imag = _float(i, "fsub", select(upright, second, scaled), select(upright, scaled, second))
    if of_numpy:
        scale = _float(i, "fdiv", lanes.constant(1, part), scale)
    name = "fmul" if of_numpy else "fdiv"
    return i.builder.pair(*[_float(i, name, x, scale) for x in (real, imag)])


def _magnitude(i: Instructions, dtype: DType, x: Any, of_numpy: bool) -> Any:
    """The C library's `hypot`; Python raises where the result is too large."""
    part = PARTS[dtype]
    found = i.call_address(library(HYPOT[part]), llvm_type(part), i.builder.parts(x))
    if not of_numpy:
        i.require(i.lanes.compare("<", part, found, i.lanes.constant(np.inf, part)))
    return found


def _power(i: Instructions, dtype: DType, a: Any, b: Any, of_numpy: bool) -> Any:
    return i.by_inner_loop(np.power, [a, b], (dtype,) * 3)


def _same(sign: str) -> Callable[..., Any]:
    return lambda i, dtype, a, b, of_numpy: i.compare(sign, dtype, a, b)


def _negated(i: Instructions, dtype: DType, x: Any, of_numpy: bool) -> Any:
    return on_parts(i.lanes, i.builder.fneg, x)


HYPOT = {FLOAT: "hypot", np.dtype(np.float32): "hypotf"}

COMPLEX_FORMS: dict[Any, Callable[..., Any]] = {
    np.add: _each("fadd"), np.subtract: _each("fsub"), np.multiply: _product,
    np.divide: _quotient, np.negative: _negated, np.positive: lambda i, dtype, x, of_numpy: x,
    np.absolute: _magnitude, np.power: _power, np.equal: _same("=="), np.not_equal: _same("!=")}
"""Take instructions, the dtype, the operands, and True if the result is surely NumPy's."""


@cache
def is_power(dtype: DType) -> bool:
    """Returns True if `z ** w` of NumPy's numbers gives what the inner loop of `np.power` does."""
    if loop_for_numbers(np.power, (dtype,) * 3) is None:
        return False
    x = samples(dtype)
    with np.errstate(all="ignore"):
        for n in (0, 1, 2, 3, 4, 7, -1, -2, 0.5, 1.5 - 2j, 120):
            found = np.array([z ** dtype.type(n) for z in x])
            if not same_bits(found, np.array([np.power(z, dtype.type(n)) for z in x])):
                return False
    return True
