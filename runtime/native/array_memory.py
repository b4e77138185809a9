"""Memory of arrays inside native loops: rooms that grow, copies, views, broadcasting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Value
from autograph.runtime.native.array_rules import Part, parts_of
from autograph.runtime.native.builder import is_constant, known
from autograph.runtime.native.common_code import common, grown
from autograph.runtime.native.ground import Ground
from autograph.runtime.native.instructions import Instructions
from autograph.runtime.native.kinds import INT, Kind
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.llvm_ir import (
    BYTE,
    I64,
    POINTER,
    array_of,
    word,
)
from autograph.runtime.native.llvm_values import Memory, Register
from autograph.runtime.native.ranges import SIZES, UNKNOWN, Range

VECTOR = 64
"""Bytes of a vector."""

ROOM = 16
"""Bytes of what is kept of a room: its address and its size."""


class ArrayMemory:
    """Writes what arrays need; a base of the printer of loops.

    heap   a pointer to the addresses and sizes of the rooms, which the entry frees.
    rooms  the number of each room: one for each value that is a new array.
    placed  where Python has the results, for new arrays that have their memory.
    packed  arrays from outside are in C order without gaps.
    ground  where rooms lie whose size is known.
    spent   elements of the operations of these equations that are not counted yet.
    """

    packed: bool

    i: Instructions
    values: dict[Value, Any]
    heap: Any
    ground: Ground
    ticks: Any
    products: bool

    def __init__(self) -> None:
        self.rooms: dict[Any, int] = {}
        self.placed: dict[Any, Any] = {}
        self.spent = 0

    def of(self, atom: Atom) -> Any:
        raise NotImplementedError

    def as_type(self, atom: Atom, dtype: np.dtype[Any]) -> Any:
        raise NotImplementedError

    def stored(self, atom: Atom, dtype: np.dtype[Any]) -> Any:
        raise NotImplementedError

    def kind_of(self, atom: Atom) -> Kind:
        raise NotImplementedError

    def lanes(self, width: int) -> Lanes:
        raise NotImplementedError

    # -- rooms -------------------------------------------------------------------------------------

    def room(self, key: Any) -> Any:
        """Returns where the address of a room is kept."""
        number = self.rooms.setdefault(key, len(self.rooms))
        return self.at(self.heap, word(ROOM * number))

    def at(self, base: Any, offset: Any) -> Any:
        return self.i.builder.at(base, offset)

    def moved(self, data: Any, number: Any, stride: Any) -> Any:
        """Returns the address so many strides after another, in a form that LLVM follows from one
        iteration to the next."""
        size = known(stride)
        if size is None or size <= 0:
            return self.at(data, self.i.builder.mul(number, stride))
        return self.i.builder.element(data, array_of(BYTE, size), number)

    def fresh(self, key: Any, dtype: np.dtype[Any], dims: tuple[Any, ...]) -> Memory:
        """Returns a new array in C order."""
        size, strides = self.sizes(dtype, dims)
        if key in self.placed:
            return Memory(self.placed[key], dims, strides, dtype)
        if (offset := self.ground.take(key, known(size))) is not None:
            return Memory(self.at(self.ground.address, word(offset)), dims, strides, dtype)
        made = self.i.call_address(common(grown), POINTER, [self.room(key), size])
        found = self.i.builder.ptrtoint(made, I64)
        self.i.require(self.i.builder.icmp_unsigned("!=", found, word(0)))
        return Memory(made, dims, strides, dtype)

    def sizes(self, dtype: np.dtype[Any], dims: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        """Returns the bytes and the strides of an array in C order."""
        size, strides = word(dtype.itemsize), []
        for n in reversed(dims):
            strides.append(size)
            size = self.i.builder.mul(size, n)
        return size, tuple(reversed(strides))

    # -- loops over elements -----------------------------------------------------------------------

    @contextmanager
    def times(self, start: Any, stop: Any, step: int = 1) -> Iterator[Any]:
        """Writes a loop; what is written inside it runs for each number. It is as LLVM's passes
        would leave it, so functions of such loops need none."""
        builder = self.i.builder
        body, after = self.i.block("element"), self.i.block("all")
        before, runs = builder.block, builder.icmp_signed("<", start, stop)
        if known(runs):
            builder.branch(body)
        else:
            builder.cbranch(runs, body, after)
        builder.position_at_end(body)
        k = builder.phi(I64)
        k.add_incoming(start, before)
        yield k
        following = builder.add(k, word(step))
        k.add_incoming(following, builder.block)
        builder.cbranch(builder.icmp_signed("<", following, stop), body, after)
        builder.position_at_end(after)

    @contextmanager
    def rows(self, dims: tuple[Any, ...], arrays: list[Memory]) -> Iterator[list[Any]]:
        """Writes loops over all axes but the last; gives the addresses of the arrays' rows."""
        if len(dims) <= 1:
            yield [x.data for x in arrays]
            return
        with self.times(word(0), dims[0]) as k:
            inner = [Memory(self.at(x.data, self.i.builder.mul(k, x.strides[0])), x.dims[1:],
                            x.strides[1:], x.dtype) for x in arrays]
            with self.rows(dims[1:], inner) as found:
                yield found

    def spend(self, dims: tuple[Any, ...]) -> None:
        """Counts the elements of an operation, so that Python is asked in time if the user
        interrupts; how many are known is counted at the end of the equations."""
        builder, size = self.i.builder, word(1)
        for n in dims:
            size = builder.mul(size, n)
        if (count := known(size)) is not None:
            self.spent += count
        else:
            self.pass_by(size)

    def pass_by(self, count: Any) -> None:
        builder = self.i.builder
        builder.store(builder.sub(builder.load(self.ticks, typ=I64), count), self.ticks)

    def spread(self, x: Memory, dims: tuple[Any, ...]) -> Memory:
        """Returns an array as it is broadcast to dimensions; leaves the kernel if it cannot be."""
        builder, strides, shown = self.i.builder, [], []
        for n, wanted, stride in zip(x.dims[::-1], dims[::-1], x.strides[::-1], strict=False):
            if n is wanted:
                strides.append(stride)
                shown.append(n)
                continue
            same = builder.icmp_signed("==", n, wanted)
            one = builder.icmp_signed("==", n, word(1))
            self.i.require(builder.or_(same, one))
            strides.append(builder.select(same, stride, word(0)))
            shown.append(n if is_constant(n, 1) else wanted)
        missing = len(dims) - len(x.dims)
        return Memory(x.data, (*[word(1)] * missing, *shown[::-1]),
                      (*[word(0)] * missing, *strides[::-1]), x.dtype)

    def broadcast(self, shapes: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        """Returns the dimensions to which arrays are broadcast."""
        builder, found = self.i.builder, []
        for axis in range(1, max(map(len, shapes)) + 1):
            sizes = [s[-axis] for s in shapes if len(s) >= axis]
            n = next((s for s in sizes if not is_constant(s, 1)), sizes[0])
            for other in sizes:
                if other is not n and not is_constant(other, 1):
                    n = builder.select(builder.icmp_signed("==", n, word(1)), other, n)
            found.append(n)
        return tuple(found[::-1])

    # -- views -------------------------------------------------------------------------------------

    def view(self, x: Memory, index: Any) -> Memory:
        """Returns `x[index]`; without axes, it is the address of an element."""
        builder, data, axis = self.i.builder, x.data, 0
        dims: list[Any] = []
        strides: list[Any] = []
        for part in parts_of(index, len(x.dims)):
            if part.is_new:
                dims.append(word(1))
                strides.append(word(0))
                continue
            size, stride = x.dims[axis], x.strides[axis]
            axis += 1
            if part.is_slice:
                start, length, step = self.slice(part, size)
                data = self.at(data, builder.mul(start, stride))
                dims.append(length)
                strides.append(stride if step == 1 else builder.mul(stride, word(step)))
            else:
                number = self.position(self.as_type(part.what, INT), size)
                data = self.moved(data, number, stride)
        return Memory(data, tuple(dims), tuple(strides), x.dtype)

    def position(self, number: Any, size: Any) -> Any:
        """Returns a position from the start; leaves the kernel if it is out of bounds."""
        assumed = self.is_assumed(number)
        holds = self.is_inside(number, size)
        position = number if assumed else self.from_start(number, size)
        if not holds:
            self.i.require(self.i.builder.icmp_unsigned("<", position, size),
                           self.i.gaps if assumed else None)
        most = self.i.ranges.of(size).high
        self.i.ranges.learn(number, Range(0 if assumed else -most, most - 1))
        self.i.ranges.learn(position, Range(0, most - 1))
        return position

    def is_inside(self, number: Any, size: Any, before: bool = False) -> bool:
        """Returns True if an index is sure to be in bounds, or is checked before a loop; `before`:
        only if it is so before the loop."""
        self.i.ranges.enter(size, SIZES)
        least = 0 if self.i.ranges.of(number).low >= 0 or self.is_assumed(number) else -1
        holds = self.i.hoisting.holds_before if before else self.i.hoisting.holds
        return holds(number, Range(least, 1), size)

    def is_assumed(self, number: Any) -> bool:
        """Returns True for an index of whose sign nothing is known, in the form for arrays without
        gaps: it is taken to count from the start. Where it does not, the other form runs."""
        return self.packed and self.i.ranges.of(number).low < UNKNOWN

    def from_start(self, number: Any, size: Any) -> Any:
        """Returns an index counted from the start."""
        if self.i.ranges.of(number).low >= 0:
            return number
        builder = self.i.builder
        negative = builder.icmp_signed("<", number, word(0))
        return builder.select(negative, builder.add(number, size), number)

    def slice(self, part: Part, size: Any) -> tuple[Any, Any, int]:
        """Returns the start, the length and the step of a slice of an axis."""
        builder, step = self.i.builder, part.what.step or 1
        if part.what.start is None and part.what.stop is None and step == 1:
            return word(0), size, 1
        start = self.bound(part.what.start, size, word(0))
        stop = self.bound(part.what.stop, size, size)
        length = builder.sub(stop, start)
        length = builder.select(builder.icmp_signed(">", length, word(0)), length, word(0))
        if step > 1:
            length = builder.udiv(builder.add(length, word(step - 1)), word(step))
        return start, length, step

    def bound(self, atom: Any, size: Any, default: Any) -> Any:
        if atom is None:
            return default
        builder, number = self.i.builder, self.as_type(atom, INT)
        found = self.i.ranges.of(number)
        if found.low < 0:
            negative = builder.icmp_signed("<", number, word(0))
            number = builder.select(negative, builder.add(number, size), number)
            number = builder.select(builder.icmp_signed("<", number, word(0)), word(0), number)
        if max(found.high, 0) <= self.i.ranges.of(size).low and found.low >= 0:
            return number
        return builder.select(builder.icmp_signed(">", number, size), size, number)

    def in_order(self, x: Memory) -> None:
        """Leaves the kernel unless the strides of an array fall from axis to axis, as in C order:
        so NumPy's results are in C order, too, and it adds up in that order."""
        builder = self.i.builder
        for stride in x.strides:
            self.i.require(builder.icmp_signed(">=", stride, word(0)))
        for a in range(len(x.dims)):
            for b in range(a + 1, len(x.dims)):
                falls = builder.icmp_signed(">=", x.strides[a], x.strides[b])
                for found in (x.strides[a],):
                    falls = builder.or_(falls, builder.icmp_signed("==", found, word(0)))
                for n in (x.dims[a], x.dims[b]):
                    falls = builder.or_(falls, builder.icmp_signed("<=", n, word(1)))
                self.i.require(falls)

    def in_c_order(self, x: Memory) -> None:
        """Leaves the kernel unless an array is in one piece, in C order."""
        builder = self.i.builder
        for n, stride, wanted in zip(x.dims, x.strides, self.sizes(x.dtype, x.dims)[1],
                                     strict=True):
            self.i.require(builder.or_(builder.icmp_signed("==", stride, wanted),
                                       builder.icmp_signed("<=", n, word(1))))

    def register(self, where: Any, dtype: np.dtype[Any]) -> Register:
        return Register(self.lanes(1).load(where, dtype))
