"""Memory of a loop nest: where each register is while the nest runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograph.runtime.native.loop_nest import ON_LANES, TILE, Instruction, Nest, Register, Span

ALIGNED = 64
"""Bytes: arrays in scratch memory begin at multiples of it."""


@dataclass
class Homes:
    """Where the registers of a nest are in memory.

    data     the position, in the table of pointers, of each array: inputs, then results.
    words    the position of each number in the table of words; a complex one takes two.
    scratch  the offset of each array of a tile, or of a row, in scratch memory.
    by_row   the registers whose scratch memory holds a row. If its length is open, their offsets
             are for each of its elements, and they come after all others.
    strides  the position in the table of words of the bytes from row to row of an input, in a nest
             that is strided; the next word has those from plane to plane.
    bytes    of scratch memory.
    each     more of them, for each element of a row of open length.
    """

    data: dict[Register, int] = field(default_factory=dict)
    words: dict[Register, int] = field(default_factory=dict)
    scratch: dict[Register, int] = field(default_factory=dict)
    by_row: set[Register] = field(default_factory=set)
    strides: dict[Register, int] = field(default_factory=dict)
    bytes: int = 0
    each: int = 0

    def word(self, register: Register) -> int:
        return self.words.setdefault(register, self.size)

    @property
    def size(self) -> int:
        """The length of the table of words."""
        return RESERVED + 2 * (len(self.words) + len(self.strides))


BAD, PENDING, ROWS, LENGTH, PLANE = range(5)
"""Words: lanes were refused; exceptions that were pending before a loop that clears them; the
number of rows and of elements of a row, if it is open; and of rows of a plane."""

RESERVED = 5


def homes(nest: Nest) -> Homes:
    """Gives every register that is needed in memory its location."""
    found = Homes()
    for k, registers in enumerate(nest.inputs):
        for r in registers:
            if r.span is Span.NUMBER:
                found.word(r)
            else:
                found.data[r] = k
    count = len(nest.inputs)
    for r, shape in nest.outputs:
        if shape is not None:
            found.data.setdefault(r, count)
            count += 1
    for i in nest.instructions():
        if i.out.span is not Span.LANES:
            found.word(i.out)
    for r in (r for rs in nest.inputs for r in rs if nest.strided and r.span is Span.LANES):
        found.strides[r] = found.size
    _Scratch(nest, found).fill()
    return found


class _Scratch:
    """Gives out scratch memory: what is no longer used is used again."""

    def __init__(self, nest: Nest, found: Homes) -> None:
        self.nest = nest
        self.found = found
        self.free: list[tuple[int, int, int]] = []
        """(the last stage that uses it, offset, bytes)"""
        self.is_cut = nest.has_tiles or any(nest.run(p) != nest.length for p in nest.phases)
        """A row has several tiles: what a later phase reads needs the memory of a row."""

    def fill(self) -> None:
        last, crossing = self._last_uses()
        number = 0
        for phase in self.nest.phases:
            for stage in phase.stages:
                for i in [*stage.lanes, *stage.calls]:
                    if i.out in last:
                        self._give(i, number, last[i.out], i.out in crossing)
                number += 1

    def _last_uses(self) -> tuple[dict[Register, int], set[Register]]:
        """Returns the last stage in which each register is read from memory, and the registers
        that a later phase reads."""
        made: dict[Register, tuple[int, int, str]] = {}
        last: dict[Register, int] = {}
        crossing: set[Register] = set()
        number = 0
        for p, phase in enumerate(self.nest.phases):
            for stage in phase.stages:
                for i in [*stage.lanes, *stage.calls]:
                    for r in i.registers():
                        at = made.get(r)
                        if at is not None and (at[1] != number or at[2] != "lanes"
                                               or i.how not in ON_LANES):
                            last[r] = number
                            if at[0] != p:
                                crossing.add(r)
                    if i.out.span is Span.LANES:
                        made[i.out] = (p, number, i.how)
                        if i.how == "call":
                            last.setdefault(i.out, number)
                number += 1
        return last, crossing

    def _give(self, i: Instruction, now: int, until: int, crossing: bool) -> None:
        if i.out in self.found.data:
            return
        by_row, length = crossing and self.is_cut, self.nest.length
        size = i.out.dtype.itemsize * (length.each if by_row else TILE)
        if by_row:
            self.found.by_row.add(i.out)
            if length.open:
                self.found.scratch[i.out] = self.found.each
                self.found.each += i.out.dtype.itemsize
                return
        size = -(-size // ALIGNED) * ALIGNED
        for k, (used, offset, room) in enumerate(self.free):
            if used < now and room >= size and not by_row:
                self.free[k] = (until, offset, room)
                self.found.scratch[i.out] = offset
                return
        self.found.scratch[i.out] = self.found.bytes
        self.free.append((until, self.found.bytes, size))
        self.found.bytes += size


def spread_buffers(found: Homes, spread: list[Register]) -> None:
    """Gives inputs that are broadcast an array of a tile."""
    for r in spread:
        found.scratch[r] = found.bytes
        found.bytes += -(-r.dtype.itemsize * TILE // ALIGNED) * ALIGNED
