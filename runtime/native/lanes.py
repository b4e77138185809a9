"""Lanes: the LLVM IR of one instruction of a loop nest, on a vector or on one number.

Arrays compute otherwise than numbers: ints wrap around, and nothing raises. The floating-point
exceptions are those of the operations; comparisons of NaN are quiet. Nothing is reassociated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.kinds import BOOL, PARTS
from autograph.runtime.native.llvm_ir import (
    BIT,
    BYTE,
    Literal,
    Module,
    pair_of,
    undefined,
    vector_of,
    word,
)
from autograph.runtime.native.strict_floats import (
    NEAREST,
    PREDICATES,
    llvm_type,
    memory_type,
    plain,
    strict,
    suffix,
)

DType = np.dtype[Any]


class Lanes:
    """Builds instructions on vectors of `width` lanes; on numbers if the width is 1.

    refuse      called with lanes in which something holds that NumPy would warn of.
    may_signal  some comparisons of a NaN may raise: what is computed runs again then.
    signals     such comparisons were written.
    repeated    what is written is the body of an innermost loop, which LLVM may vectorise.
    """

    def __init__(self, module: Module, builder: Builder, width: int,
                 refuse: Callable[[Any], None], may_signal: bool = False) -> None:
        self.may_signal = may_signal
        self.signals = False
        self.repeated = False
        self.module = module
        self.builder = builder
        self.width = width
        self.refuse = refuse

    def vector(self, t: Any) -> Any:
        if self.width == 1:
            return t
        return pair_of(*map(self.vector, t.parts)) if t.parts else vector_of(t, self.width)

    def type(self, dtype: DType) -> Any:
        return self.vector(llvm_type(dtype))

    def constant(self, number: Any, dtype: DType) -> Any:
        return Literal(self.type(dtype), plain(number, dtype))

    def splat(self, x: Any) -> Any:
        """Returns a number in every lane."""
        if x.type.parts:
            return self.builder.pair(*map(self.splat, self.builder.parts(x)))
        return x if self.width == 1 else self.builder.splat(x, self.width)

    def load(self, where: Any, dtype: DType) -> Any:
        if dtype.kind == "c":
            return self._load_parts(where, PARTS[dtype])
        found = self.builder.load(where, self.vector(memory_type(dtype)), dtype.itemsize)
        if dtype == BOOL:
            return self.builder.icmp_unsigned("!=", found, self.bytes(0))
        return found

    def store(self, x: Any, where: Any, dtype: DType) -> None:
        if dtype == BOOL:
            x = self.builder.zext(x, self.vector(BYTE))
        if dtype.kind == "c":
            self._store_parts(x, where, PARTS[dtype])
        else:
            self.builder.store(x, where, dtype.itemsize)

    def _load_parts(self, where: Any, part: DType) -> Any:
        """Loads complex numbers, whose parts lie in turns in memory."""
        if self.width == 1:
            following = self.builder.at(where, word(part.itemsize))
            return self.builder.pair(self.load(where, part), self.load(following, part))
        t = vector_of(llvm_type(part), 2 * self.width)
        found = self.builder.load(where, t, part.itemsize)
        return self.builder.pair(*[self.builder.shuffled(
            found, undefined(t), list(range(k, 2 * self.width, 2))) for k in range(2)])

    def _store_parts(self, x: Any, where: Any, part: DType) -> None:
        real, imag = self.builder.parts(x)
        if self.width == 1:
            self.store(real, where, part)
            self.store(imag, self.builder.at(where, word(part.itemsize)), part)
            return
        turns = [lane for k in range(self.width) for lane in (k, k + self.width)]
        self.builder.store(self.builder.shuffled(real, imag, turns), where, part.itemsize)

    def bytes(self, number: int) -> Any:
        return Literal(self.vector(BYTE), number)

    def intrinsic(self, name: str, result: Any, arguments: list[Any]) -> Any:
        full = f"llvm.{name}.{suffix(arguments[0].type)}"
        known = self.module.declared(full, result, [a.type for a in arguments])
        return self.builder.call(known, arguments)

    def compare(self, sign: str, dtype: DType, a: Any, b: Any) -> Any:
        """Compares; a NaN is unequal to all, and raises nothing: not so LLVM's plain `fcmp`."""
        if dtype.kind == "f":
            return self._compare_floats(sign, a, b, self.repeated)
        if dtype.kind == "c":
            both = zip(self.builder.parts(a), self.builder.parts(b), strict=True)
            found = [self.compare(sign, PARTS[dtype], x, y) for x, y in both]
            return (self.builder.and_ if sign == "==" else self.builder.or_)(*found)
        if dtype.kind == "i":
            return self.builder.icmp_signed(sign, a, b)
        return self.builder.icmp_unsigned(sign, a, b)

    def is_chosen(self, sign: str, dtype: DType, a: Any, b: Any) -> Any:
        """Compares `a` and `b`, of which one is selected then: for floats both are one instruction
        of the processor's, which raises for a NaN."""
        if dtype.kind != "f":
            return self.compare(sign, dtype, a, b)
        return self._compare_floats(sign, a, b, True)

    def _compare_floats(self, sign: str, a: Any, b: Any, plainly: bool) -> Any:
        if not (plainly and self.may_signal):
            return self.strict("fcmp", self.vector(BIT), [a, b], PREDICATES[sign])
        self.signals = True
        return self.builder.compared(PREDICATES[sign], a, b)

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
        if new.kind == "c":
            return self._to_complex(x, old, PARTS[new])
        t = self.type(new)
        if new.kind == "f":
            return self._to_float(x, old, new, t)
        if old.kind == "f":
            return self._to_int(x, old, new, t)
        if new.itemsize > old.itemsize or old == BOOL:
            return self.builder.sext(x, t) if old.kind == "i" else self.builder.zext(x, t)
        return self.builder.trunc(x, t) if new.itemsize < old.itemsize else x

    def _to_complex(self, x: Any, old: DType, part: DType) -> Any:
        if old.kind == "c":
            return self.builder.pair(*[
                self.cast(p, PARTS[old], part) for p in self.builder.parts(x)])
        return self.builder.pair(self.cast(x, old, part), self.constant(0, part))

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
