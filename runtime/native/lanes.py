"""Lanes: the LLVM IR of one instruction of a loop nest, on a vector or on one number.

Arrays compute otherwise than numbers: ints wrap around, and nothing raises. The floating-point
exceptions are those of the operations; comparisons of NaN are quiet. Nothing is reassociated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.instructions import (
    NEAREST,
    PREDICATES,
    llvm_type,
    memory_type,
    strict,
    suffix,
)
from autograph.runtime.native.kinds import BOOL
from autograph.runtime.native.llvm_ir import BIT, BYTE, Literal, Module, vector_of

DType = np.dtype[Any]


class Lanes:
    """Builds instructions on vectors of `width` lanes; on numbers if the width is 1.

    refuse  called with lanes in which something holds that NumPy would warn of.
    """

    def __init__(self, module: Module, builder: Builder, width: int,
                 refuse: Callable[[Any], None]) -> None:
        self.module = module
        self.builder = builder
        self.width = width
        self.refuse = refuse

    def vector(self, t: Any) -> Any:
        return t if self.width == 1 else vector_of(t, self.width)

    def type(self, dtype: DType) -> Any:
        return self.vector(llvm_type(dtype))

    def constant(self, number: Any, dtype: DType) -> Any:
        plain = float(number) if dtype.kind == "f" else int(number)
        return Literal(self.type(dtype), plain)

    def splat(self, x: Any) -> Any:
        """Returns a number in every lane."""
        return x if self.width == 1 else self.builder.splat(x, self.width)

    def load(self, where: Any, dtype: DType) -> Any:
        found = self.builder.load(where, self.vector(memory_type(dtype)), dtype.itemsize)
        if dtype == BOOL:
            return self.builder.icmp_unsigned("!=", found, self.bytes(0))
        return found

    def store(self, x: Any, where: Any, dtype: DType) -> None:
        if dtype == BOOL:
            x = self.builder.zext(x, self.vector(BYTE))
        self.builder.store(x, where, dtype.itemsize)

    def bytes(self, number: int) -> Any:
        return Literal(self.vector(BYTE), number)

    def intrinsic(self, name: str, result: Any, arguments: list[Any]) -> Any:
        full = f"llvm.{name}.{suffix(arguments[0].type)}"
        known = self.module.declared(full, result, [a.type for a in arguments])
        return self.builder.call(known, arguments)

    def compare(self, sign: str, dtype: DType, a: Any, b: Any) -> Any:
        """Compares; a NaN is unequal to all, and raises nothing: not so LLVM's plain `fcmp`."""
        if dtype.kind == "f":
            return self.strict("fcmp", self.vector(BIT), [a, b], PREDICATES[sign])
        if dtype.kind == "i":
            return self.builder.icmp_signed(sign, a, b)
        return self.builder.icmp_unsigned(sign, a, b)

    def strict(self, name: str, result: Any, arguments: list[Any], *how: str) -> Any:
        return strict(self.module, self.builder, name, arguments, result, *how)

    def is_nan(self, x: Any) -> Any:
        return self.builder.is_nan(x)

    def truth(self, x: Any, dtype: DType) -> Any:
        return x if dtype == BOOL else self.compare("!=", dtype, x, self.constant(0, dtype))

    # -- casts -------------------------------------------------------------------------------------

    def cast(self, x: Any, old: DType, new: DType) -> Any:
        """Converts as `astype` does; refuses floats that no int of the new dtype holds."""
        if old == new:
            return x
        if new == BOOL:
            return self.truth(x, old)
        t = self.type(new)
        if new.kind == "f":
            return self._to_float(x, old, new, t)
        if old.kind == "f":
            return self._to_int(x, old, new, t)
        if new.itemsize > old.itemsize or old == BOOL:
            return self.builder.sext(x, t) if old.kind == "i" else self.builder.zext(x, t)
        return self.builder.trunc(x, t) if new.itemsize < old.itemsize else x

    def _to_float(self, x: Any, old: DType, new: DType, t: Any) -> Any:
        if old.kind == "f":
            bigger = new.itemsize > old.itemsize
            return self.strict("fpext", t, [x]) if bigger else (
                self.strict("fptrunc", t, [x], NEAREST))
        if old.itemsize < 4:  # the processor converts no shorter ones
            x = self.cast(x, old, np.dtype(np.int32))
        return self.strict("uitofp" if old.kind == "u" and old.itemsize >= 4 else "sitofp", t, [x],
                           NEAREST)

    def _to_int(self, x: Any, old: DType, new: DType, t: Any) -> Any:
        limits = np.iinfo(new)
        low, high = float(limits.min), float(limits.max)
        above = self.compare(">=", old, x, self.constant(low, old)) if new.itemsize == 8 else (
            self.compare(">", old, x, self.constant(low - 1, old)))
        inside = self.builder.and_(above, self.compare(
            "<", old, x, self.constant(high + 1, old)))
        self.refuse(self.builder.not_(inside))
        safe = self.builder.select(inside, x, self.constant(0, old))
        return self.strict("fptosi" if new.kind == "i" else "fptoui", t, [safe])


# -- forms -----------------------------------------------------------------------------------------

Form = Callable[..., Any]


def _by_kind(f: str = "", i: str = "", b: str = "") -> Form:
    """The instruction for floats, ints and bools."""
    def form(lanes: Lanes, dtype: DType, *operands: Any) -> Any:
        if dtype.kind == "f":
            return lanes.strict(f, operands[0].type, list(operands), NEAREST)
        return getattr(lanes.builder, b if dtype.kind == "b" else i)(*operands)

    return form


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
    return lanes.builder.sub(lanes.constant(0, dtype), x)


def _extreme(sign: str) -> Form:
    """`a if a > b else b`, and the NaN if there is one: the rule of NumPy's inner loops."""
    def form(lanes: Lanes, dtype: DType, a: Any, b: Any) -> Any:
        chosen = lanes.compare(sign, dtype, a, b)
        if dtype.kind == "f":
            chosen = lanes.builder.or_(chosen, lanes.is_nan(a))
        return lanes.builder.select(chosen, a, b)

    return form


def _logical(name: str) -> Form:
    return lambda lanes, dtype, *xs: getattr(lanes.builder, name)(
        *[lanes.truth(x, dtype) for x in xs])


def _is_infinite(lanes: Lanes, dtype: DType, x: Any) -> Any:
    return lanes.compare("==", dtype, _absolute(lanes, dtype, x), lanes.constant(np.inf, dtype))


def _is_finite(lanes: Lanes, dtype: DType, x: Any) -> Any:
    return lanes.compare("<", dtype, _absolute(lanes, dtype, x), lanes.constant(np.inf, dtype))


FORMS: dict[Any, Form] = {
    np.add: _by_kind("fadd", "add", "or_"),
    np.subtract: _by_kind("fsub", "sub"),
    np.multiply: _by_kind("fmul", "mul", "and_"),
    np.divide: _by_kind("fdiv"),
    np.square: lambda lanes, d, x: FORMS[np.multiply](lanes, d, x, x),
    np.reciprocal: lambda lanes, d, x: FORMS[np.divide](lanes, d, lanes.constant(1, d), x),
    np.negative: _negative,
    np.positive: lambda lanes, d, x: x,
    np.absolute: _absolute,
    np.fabs: _absolute,
    np.sqrt: lambda lanes, d, x: lanes.strict("sqrt", x.type, [x], NEAREST),
    np.floor: _rounding("floor"),
    np.ceil: _rounding("ceil"),
    np.trunc: _rounding("trunc"),
    np.rint: _rounding("nearbyint"),
    np.copysign: lambda lanes, d, a, b: lanes.intrinsic("copysign", a.type, [a, b]),
    np.equal: _comparison("=="),
    np.not_equal: _comparison("!="),
    np.less: _comparison("<"),
    np.less_equal: _comparison("<="),
    np.greater: _comparison(">"),
    np.greater_equal: _comparison(">="),
    np.minimum: _extreme("<"),
    np.maximum: _extreme(">"),
    np.bitwise_and: _by_kind(i="and_", b="and_"),
    np.bitwise_or: _by_kind(i="or_", b="or_"),
    np.bitwise_xor: _by_kind(i="xor", b="xor"),
    np.invert: _by_kind(i="not_", b="not_"),
    np.logical_and: _logical("and_"),
    np.logical_or: _logical("or_"),
    np.logical_xor: _logical("xor"),
    np.logical_not: _logical("not_"),
    np.isnan: lambda lanes, d, x: lanes.is_nan(x),
    np.isinf: _is_infinite,
    np.isfinite: _is_finite,
}
"""The machine instructions of ufuncs; `lane_kinds` has the dtypes that they are for."""
