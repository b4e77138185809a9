"""Masks in native loops: `x[mask]`, and stores of a number or of as many elements into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.native.array_reductions import Reductions
from autograph.runtime.native.builder import is_constant
from autograph.runtime.native.chains import as_chain, one_number
from autograph.runtime.native.kinds import BOOL, Array
from autograph.runtime.native.llvm_ir import I64, word
from autograph.runtime.native.llvm_values import Memory

EIGHT = 8
"""Bools that are read at once."""


class Masks(Reductions):
    """Writes what masks choose; a base of what writes operations on arrays."""

    def is_mask(self, index: Any) -> bool:
        """Returns True for an index that is an array of bools."""
        kind = self.kind_of(index) if isinstance(index, Value) else None
        return isinstance(kind, Array) and kind.dtype == BOOL

    def chosen_by(self, e: Equation, x: Memory, mask: Memory) -> Memory:
        """Returns the elements where a mask is set, in C order.

        Each is stored where the next one that is chosen belongs, chosen or not.
        """
        builder, count, lanes = self.i.builder, word(1), self.lanes(1)
        self.alike(x, mask)
        for n in x.dims:
            count = builder.mul(count, n)
        made = self.fresh(e.outputs[0], x.dtype, (count,))
        found = self.i.stack(I64)
        builder.store(word(0), found)
        self.spend(x.dims)

        def choose(k: Any) -> None:
            at, bit = builder.load(found, typ=I64), self.element(bits, mask, k)
            lanes.store(self.element(row, x, k), self.at(
                made.data, builder.mul(at, made.strides[0])), x.dtype)
            builder.store(builder.add(at, builder.zext(bit, I64)), found)

        with self.rows(x.dims, [x, mask]) as (row, bits):
            self.for_bits(bits, mask, choose)
        return Memory(made.data, (builder.load(found, typ=I64),), made.strides, x.dtype)

    def for_bits(self, bits: Any, mask: Memory, choose: Callable[[Any], None]) -> None:
        """Writes what is done for each number of a row; eight that are not set are passed over."""
        builder, n, first = self.i.builder, mask.dims[-1], word(0)
        if is_constant(mask.strides[-1], 1):
            first = builder.and_(n, word(-EIGHT))
            with self.times(word(0), first, EIGHT) as k, builder.if_then(builder.icmp_unsigned(
                    "!=", builder.load(self.at(bits, k), I64, 1), word(0))):
                for number in range(EIGHT):
                    choose(builder.add(k, word(number)))
        with self.times(first, n) as k:
            choose(k)

    def store_chosen(self, e: Equation, x: Memory, value: Atom) -> None:
        """Writes `x[mask] = value`."""
        mask, given = self.of(e.args[1]), self.kind_of(value)
        if self.memory_of(e.args[1]) is self.memory_of(e.args[0]):
            mask = self.copied((e.outputs[0], "mask"), mask)
        self.alike(x, mask)
        if isinstance(given, Array):
            source = self.of(value)
            if given.memory is self.memory_of(e.args[0]):
                source = self.copied((e.outputs[0], "value"), source)
            self.store_in_turn(x, mask, source)
        else:
            number = one_number(self.as_type(value, x.dtype), x.dtype)
            parts = [as_chain(mask), number, as_chain(x)]
            self.write(self.joined("where", x.dtype, parts, x.dtype), x, in_place=True)

    def store_in_turn(self, x: Memory, mask: Memory, source: Memory) -> None:
        """Stores elements one after the other; leaves the kernel if they are too many or too few.
        """
        builder, lanes, (size,) = self.i.builder, self.lanes(1), source.dims
        taken = self.i.stack(I64)
        builder.store(word(0), taken)
        self.spend(x.dims)
        with self.rows(x.dims, [x, mask]) as (row, bits), self.times(word(0), x.dims[-1]) as k, \
                builder.if_then(self.element(bits, mask, k)):
            at = builder.load(taken, typ=I64)
            self.i.require(builder.icmp_signed("<", at, size))
            found = lanes.load(self.at(source.data, builder.mul(at, source.strides[0])),
                               source.dtype)
            lanes.store(self.i.lanes.cast(found, source.dtype, x.dtype),
                        self.at(row, builder.mul(k, x.strides[-1])), x.dtype)
            builder.store(builder.add(at, word(1)), taken)
        self.i.require(builder.icmp_signed("==", builder.load(taken, typ=I64), size))

    def element(self, row: Any, x: Memory, k: Any) -> Any:
        return self.lanes(1).load(self.at(row, self.i.builder.mul(k, x.strides[-1])), x.dtype)

    def alike(self, x: Memory, mask: Memory) -> None:
        """Leaves the kernel unless two arrays have one shape."""
        for n, size in zip(x.dims, mask.dims, strict=True):
            self.i.require(self.i.builder.icmp_signed("==", n, size))

    def memory_of(self, atom: Atom) -> Any:
        kind = self.kind_of(atom)
        return kind.memory if isinstance(kind, Array) else None
