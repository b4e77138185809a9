"""Instructions: the LLVM IR of one operation on numbers, with the checks that keep it exact.

Whatever machine code would do differently leaves the kernel by its `fail` block: an int that does
not fit, a division by zero, an index out of bounds. Floating-point exceptions are seen at the end.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.locks import cached_property
from autograph.runtime.native.builder import Builder, known
from autograph.runtime.native.deferred_checks import DeferredChecks
from autograph.runtime.native.forms import has_lanes, on_lanes
from autograph.runtime.native.hoisting import Hoisting
from autograph.runtime.native.inner_loops import loop_for_numbers
from autograph.runtime.native.kinds import BOOL, FLOAT, INT, PARTS, NotNative
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.library_functions import library_function
from autograph.runtime.native.llvm_ir import (
    BIT,
    DOUBLE,
    I32,
    I64,
    VOID,
    Function,
    Literal,
    Module,
    array_of,
    pair_of,
    word,
)
from autograph.runtime.native.machine import FLAGS, UNDERFLOW
from autograph.runtime.native.ranges import Range
from autograph.runtime.native.strict_floats import (
    NEAREST,
    PREDICATES,
    call_address,
    llvm_type,
    memory_type,
    plain,
    strict,
)
from autograph.runtime.native.symbols import float_exceptions

if TYPE_CHECKING:
    from autograph.runtime.native.search_loops import Asking

DType = np.dtype[Any]

INTERRUPTED, GAPS = 2, 3
"""What a kernel returns where the user interrupts; and one for arrays without gaps, for others."""

EXACT = 2 ** 53
"""Ints up to this one are exact as floats."""


def constant(number: Any, dtype: DType) -> Any:
    return Literal(llvm_type(dtype), plain(number, dtype))


def limits_of(dtype: DType) -> Range:
    """Returns the range of the ints of a dtype."""
    limits = np.iinfo(dtype)
    return Range(int(limits.min), int(limits.max))


class Instructions:
    """Builds instructions at the end of the current block; `may_signal` is said of its lanes.

    under   a bit: what is written is of use only where it is set.
    asking  the test of a block of iterations is written, from which nothing may leave.
    """

    def __init__(self, module: Module, function: Function, may_signal: bool = False) -> None:
        self.may_signal = may_signal
        self.under: Any = None
        self.asking: Asking | None = None
        self.module = module
        self.function = function
        self.entry = function.append_basic_block("entry")
        self.fail = function.append_basic_block("fail")
        Builder(self.fail).ret(Literal(I32, 1))
        start = function.append_basic_block("start")
        self.builder = Builder(start)
        self.entry_builder = Builder(self.entry)
        self.hoisting = Hoisting(self.builder, self.call)
        self.ranges = self.hoisting.ranges
        self.deferred = DeferredChecks(self)

    def stack(self, t: Any, count: int = 1) -> Any:
        """Returns memory of the function's own."""
        return self.entry_builder.alloca(array_of(t, count) if count > 1 else t)

    def memory(self, words: int = 2) -> Any:
        """Returns the address of words of the function's own, by default of any number."""
        return self.entry_builder.alloca(array_of(I64, words))

    def block(self, name: str) -> Any:
        return self.function.append_basic_block(name)

    def require(self, holds: Any, other: Any = None) -> None:
        """Leaves the kernel unless a condition holds, or goes to another block; if `under` is set.
        """
        if known(holds):
            return
        if self.asking is not None:
            self.asking.refused = True
            return
        on, failed = self.block("on"), other or self.fail
        asked = failed if self.under is None else self.block("asked")
        self.builder.cbranch(holds, on, asked, sure=True)
        if asked is not failed:
            with self.builder.goto_block(asked):
                self.builder.cbranch(self.under, failed, on)
        self.builder.position_at_end(on)

    def call(self, name: str, result: Any, arguments: list[Any]) -> Any:
        """Calls an intrinsic."""
        known = self.module.declared(name, result, [a.type for a in arguments])
        return self.builder.call(known, arguments)

    def call_address(self, function: Any, result: Any, arguments: list[Any]) -> Any:
        return call_address(self.builder, function, result, arguments)

    def strict(self, name: str, arguments: list[Any], result: Any, *how: str) -> Any:
        return strict(self.module, self.builder, name, arguments, result, *how)

    def compare_floats(self, sign: str, a: Any, b: Any) -> Any:
        """Compares floats; a NaN is unequal to all, and raises nothing."""
        return self.strict("fcmp", [a, b], BIT, PREDICATES[sign])

    @cached_property
    def forget(self) -> Any:
        """Where exceptions are that were pending before a loop that clears them."""
        made = self.stack(I32)
        self.entry_builder.store(Literal(I32, 0), made)
        return made

    @cached_property
    def gaps(self) -> Any:
        """The block that tells that an array has gaps."""
        made = self.block("gaps")
        Builder(made).ret(Literal(I32, GAPS))
        return made

    @cached_property
    def lanes(self) -> Lanes:
        """Writes instructions of ufuncs, on one number; leaves the kernel where they are refused.
        """
        return Lanes(self.module, self.builder, 1, lambda found: self.require(
            self.builder.not_(found)), self.may_signal)

    # -- conversions -------------------------------------------------------------------------------

    def convert(self, x: Any, old: DType, new: DType) -> Any:
        """Converts a number; leaves the kernel where an int does not fit."""
        if old == new:
            return x
        if old == BOOL:
            x, old = self.ranges.enter(self.builder.zext(x, I64), Range(0, 1)), INT
        if new == BOOL:
            return self.truth(x, old)
        if new.kind == "c":
            return self._to_complex(x, old, PARTS[new])
        if new.kind == "f":
            return self._to_float(x, old, new)
        if old.kind == "f":
            return self._to_int(x, old, new)
        return self._resized(x, old, new)

    def truth(self, x: Any, dtype: DType) -> Any:
        if dtype == BOOL:
            return x
        return self.compare("!=", dtype, x, constant(0, dtype))

    def _to_complex(self, x: Any, old: DType, part: DType) -> Any:
        if old.kind == "c":
            return self.builder.pair(*[
                self.convert(p, PARTS[old], part) for p in self.builder.parts(x)])
        return self.builder.pair(self.convert(x, old, part), constant(0, part))

    def _to_float(self, x: Any, old: DType, new: DType) -> Any:
        t = llvm_type(new)
        if old.kind == "f":
            return self.strict("fpext", [x], t) if new == FLOAT else (
                self.strict("fptrunc", [x], t, NEAREST))
        return self.builder.to_float(x, old.kind == "i", t)

    def _to_int(self, x: Any, old: DType, new: DType) -> Any:
        size = self.lanes.intrinsic("fabs", x.type, [x])
        self.require(self.compare_floats("<", size, constant(2.0 ** 63, old)))
        return self._resized(self.strict("fptosi", [x], I64), INT, new)

    def _resized(self, x: Any, old: DType, new: DType) -> Any:
        t = llvm_type(new)
        widen = self.builder.sext if old.kind == "i" else self.builder.zext
        if new.itemsize > old.itemsize:
            if new.kind == "u" and old.kind == "i":
                self.require(self.builder.icmp_signed(">=", x, constant(0, old)))
            made = widen(x, t)
            return self.ranges.enter(made, limits_of(old)) if new == INT else made
        if old.itemsize == 8 and "u" in (old.kind, new.kind):
            self.require(self.builder.icmp_signed(">=", x, constant(0, old)))
            if new.itemsize == 8:
                return x
        wide = self.ranges.enter(widen(x, I64), limits_of(old)) if old.itemsize < 8 else x
        self.in_range(wide, *limits_of(new))
        return self.builder.trunc(wide, t) if new.itemsize < 8 else wide

    # -- ufuncs ------------------------------------------------------------------------------------

    def call_ufunc(self, ufunc: Any, operands: list[Any], dtypes: tuple[DType, ...]) -> Any:
        """Returns what a call of a ufunc gives; the operands were converted to the dtypes."""
        if has_lanes(ufunc, dtypes[0]) and len(set(dtypes[:-1])) == 1:
            return on_lanes(self.lanes, ufunc, dtypes[0], *operands)
        return self.by_inner_loop(ufunc, operands, dtypes)

    def by_inner_loop(self, ufunc: Any, operands: list[Any], dtypes: tuple[DType, ...]) -> Any:
        """Calls NumPy's own inner loop on one element, or the function that it calls."""
        if function := library_function(ufunc, dtypes):
            return self.call_address(function, DOUBLE, operands)
        loop = loop_for_numbers(ufunc, dtypes)
        if loop is None:
            raise NotNative(f"{ufunc.__name__}: its inner loop is not known")
        if loop.clears:
            self.remember_exceptions()
        cells = [self.stack(memory_type(d)) for d in dtypes]
        for cell, x, dtype in zip(cells, operands, dtypes, strict=False):
            self.lanes.store(x, cell, dtype)
        count = len(cells)
        pointers, size, steps = self.stack(I64, count), self.stack(I64), self.stack(I64, count)
        self.builder.store(Literal(I64, 1), size)
        for k, cell in enumerate(cells):
            self.builder.store(cell, self.builder.at(pointers, word(8 * k)))
            self.builder.store(Literal(I64, 0), self.builder.at(steps, word(8 * k)))
        self.call_address(loop.code, VOID, [
            pointers, size, steps, loop.argument])
        return self.lanes.load(cells[-1], dtypes[-1])

    def remember_exceptions(self) -> None:
        """Keeps the exceptions that are pending."""
        pending = self.call_address(float_exceptions("fetestexcept"), I32, [
            Literal(I32, FLAGS | UNDERFLOW)])
        old = self.builder.load(self.forget, typ=I32)
        self.builder.store(self.builder.or_(old, pending), self.forget)

    def checked(self, name: str, dtype: DType, a: Any, b: Any) -> Any:
        """Adds, subtracts or multiplies ints; leaves the kernel on overflow."""
        later = partial(self.deferred.arithmetic, name, dtype, a, b) if (
            self.deferred.waits) else None
        if dtype == INT:
            return self.hoisting.arithmetic(name, a, b, self.require, later)
        if later is not None:
            return later()
        t, sign = llvm_type(dtype), "s" if dtype.kind == "i" else "u"
        both = self.call(f"llvm.{sign}{name}.with.overflow.i{t.width}", pair_of(t, BIT), [a, b])
        self.require(self.builder.not_(self.builder.extract_value(both, 1)))
        return self.builder.extract_value(both, 0)

    def in_range(self, x: Any, low: int, high: int) -> None:
        """Leaves the kernel unless an int of 64 bits is in a range, both ends included."""
        if not self.hoisting.holds(x, Range(low, high)):
            inside = self.builder.and_(self.builder.icmp_signed(">=", x, word(low)),
                                       self.builder.icmp_signed("<=", x, word(high)))
            if self.deferred.waits:
                self.deferred.collect(self.builder.sext(self.builder.not_(inside), I64))
                return
            self.require(inside)
        self.ranges.learn(x, Range(low, high))

    def divisible(self, dtype: DType, a: Any, b: Any) -> None:
        """Leaves the kernel if a quotient of ints has no value."""
        self.require(self.builder.icmp_signed("!=", b, constant(0, dtype)))
        if dtype.kind == "i":
            least = self.builder.icmp_signed("==", a, constant(np.iinfo(dtype).min, dtype))
            by_minus_one = self.builder.icmp_signed("==", b, constant(-1, dtype))
            self.require(self.builder.not_(self.builder.and_(least, by_minus_one)))

    def require_shift(self, dtype: DType, count: Any) -> None:
        """Leaves the kernel unless bits are shifted by less than there are."""
        self.require(self.builder.icmp_unsigned(
            "<", count, constant(8 * dtype.itemsize, dtype)))

    def compare(self, sign: str, dtype: DType, a: Any, b: Any) -> Any:
        return self.lanes.compare(sign, dtype, a, b)
