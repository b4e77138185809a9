"""Deferred checks: whether ints fit is asked once, after a loop that LLVM may vectorise.

A check leaves the loop, and LLVM does several iterations at once only of loops that nothing leaves.
So where each iteration computes and stores elements of its own, the ints wrap around, the bits that
tell of it are collected, and the kernel is left after the loop if one is set. Until then numbers
may be wrong: they only go into arithmetic and into elements, which get back what they held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.llvm_ir import BIT, Literal, integer, pair_of
from autograph.runtime.native.strict_floats import llvm_type

if TYPE_CHECKING:
    from autograph.runtime.native.instructions import Instructions

class DeferredChecks:
    """Collects what tells of ints that did not fit; a part of the instructions of a kernel.

    waits  the checks of what is written wait.
    cells  memory for the collected bits of each type, of which the highest one tells.
    """

    def __init__(self, i: Instructions) -> None:
        self.i = i
        self.waits = False
        self.cells: dict[Any, Any] = {}

    def arithmetic(self, name: str, dtype: np.dtype[Any], a: Any, b: Any) -> Any:
        """Adds, subtracts or multiplies ints, which may wrap around."""
        builder, signed = self.i.builder, dtype.kind == "i"
        if name != "mul":
            made = getattr(builder, name)(a, b)
            self.collect(_carry(builder, name, signed, a, b, made))
            return made
        t = llvm_type(dtype)
        if t.width == 64:
            both = self.i.call(f"llvm.{'s' if signed else 'u'}mul.with.overflow.i64",
                               pair_of(t, BIT), [a, b])
            self.collect(builder.sext(builder.extract_value(both, 1), t))
            return builder.extract_value(both, 0)
        wide = integer(2 * t.width)
        extend = builder.sext if signed else builder.zext
        product = builder.mul(extend(a, wide), extend(b, wide))
        made = builder.trunc(product, t)
        too_large = builder.icmp_signed("!=", extend(made, wide), product)
        self.collect(builder.sext(too_large, t))
        return made

    def collect(self, bits: Any) -> None:
        """Adds bits of which the highest one tells that a number did not fit."""
        cell = self.cells.get(bits.type)
        if cell is None:
            cell = self.cells[bits.type] = self.i.stack(bits.type)
        self.i.builder.store(
            self.i.builder.or_(self.i.builder.load(cell, typ=bits.type), bits), cell)

    def end(self, before: Any) -> None:
        """Leaves the kernel, after a loop, unless all ints have fitted."""
        builder = self.i.builder
        for t, cell in self.cells.items():
            with builder.goto_block(before):
                builder.store(Literal(t, 0), cell)
            self.i.require(builder.icmp_signed(">=", builder.load(cell, typ=t), Literal(t, 0)))
        self.cells = {}


def _carry(builder: Builder, name: str, signed: bool, a: Any, b: Any, made: Any) -> Any:
    """Returns bits of which the highest one is set if a sum or a difference does not fit."""
    if signed:
        other = b if name == "add" else builder.not_(b)
        return builder.and_(builder.xor(a, made), builder.xor(other, made))
    if name == "sub":
        a = builder.not_(a)
    else:
        made = builder.not_(made)
    return builder.or_(builder.and_(a, b), builder.and_(builder.or_(a, b), made))
