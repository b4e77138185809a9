"""The printer of tiles: writes the function of one tile of a phase."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.locks import cached_property
from autograph.runtime.native.fast_functions import VectorWriter
from autograph.runtime.native.forms import on_lanes
from autograph.runtime.native.lane_sums import LaneSums
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.llvm_ir import I64, POINTER, Function, word
from autograph.runtime.native.loop_nest import (
    TILE,
    VECTOR,
    Constant,
    Instruction,
    Operand,
    Phase,
    Register,
    Span,
    Stage,
    is_pairwise,
)
from autograph.runtime.native.nest_memory import PLANE
from autograph.runtime.native.nest_writer import Context, aligned, at, loop_of
from autograph.runtime.native.spreading import spread
from autograph.runtime.native.strict_floats import memory_type

CELL = 16
"""Bytes of a number: it may be a complex one."""

IDENTITIES: dict[Any, int] = {np.add: 0, np.multiply: 1, np.logical_or: 0, np.logical_and: 1}
"""The ufuncs of which a row without elements has a reduction, and what that is."""


class Tile(VectorWriter):
    """Writes the function of one tile of a phase.

    spread   the inputs whose elements are copied to memory of the tile.
    lengths  the least and the greatest number of elements of a tile.
    """

    def __init__(self, context: Context, function: Function, spread: list[Register]) -> None:
        super().__init__(context, function)
        self.spread = spread
        self.lengths = (1, TILE)
        self.row, self.start, self.length, self.cells = function.args[3:]
        self.bases: dict[Register, Any] = {}
        self.sums = 0

    def write(self, phase: Phase) -> None:
        self.lengths = self.nest.lengths(phase)
        main = self.block("main")
        self.builder.position_at_end(main)
        for r in self.spread:
            spread(self, r, self.first, self.length)
        for r in phase.registers():
            if r.span is Span.LANES and (r in self.homes.data or r in self.homes.scratch):
                self.bases[r] = self.base(r)
        for stage in phase.stages:
            self.stage(stage)
        self.builder.ret_void()
        with self.builder.goto_block(self.entry):
            self.builder.position_at_end(self.entry)
            self.builder.branch(main)

    def base(self, r: Register) -> Any:
        """Returns the address of the tile's first element of a register."""
        builder, size = self.builder, word(r.dtype.itemsize)
        if r in self.homes.strides:
            offset = builder.add(self.offset_of_row(r), builder.mul(self.start, size))
            return at(builder, self.pointer(self.homes.data[r]), offset)
        first = self.first
        if r.window is not None and r not in self.spread:
            return self.of_input(r, first)
        if r in self.homes.scratch:
            if r not in self.homes.by_row:
                return at(builder, self.scratch, word(self.homes.scratch[r]))
            return at(builder, self.of_row(r), builder.mul(self.start, size))
        return at(builder, self.pointer(self.homes.data[r]), builder.mul(first, size))

    def offset_of_row(self, r: Register) -> Any:
        """Returns the bytes from the start of an array to the row."""
        builder, where = self.builder, self.homes.strides[r]
        row, stride = self.row, builder.load(self.word(where), typ=I64)
        if not self.nest.has_planes:
            return builder.mul(row, stride)
        plane, row = self.row_in_plane
        between = builder.load(self.word(where + 1), typ=I64)
        return builder.add(builder.mul(plane, between), builder.mul(row, stride))

    @cached_property
    def row_in_plane(self) -> tuple[Any, Any]:
        """The number of the plane, and of the row in it."""
        count = self.builder.load(self.word(PLANE), typ=I64)
        plane = self.builder.udiv(self.row, count)
        return plane, self.builder.sub(self.row, self.builder.mul(plane, count))

    @property
    def first(self) -> Any:
        """The position of the tile's first element in the nest."""
        return self.builder.add(self.builder.mul(self.row, self.row_length), self.start)

    def of_row(self, r: Register) -> Any:
        """Returns the address of the memory of a row that a register has."""
        builder, offset = self.builder, word(self.homes.scratch[r])
        if self.nest.length.open:
            before = builder.mul(offset, aligned(builder, self.row_length))
            offset = builder.add(word(self.homes.bytes), before)
        return at(builder, self.scratch, offset)

    def stage(self, stage: Stage) -> None:
        if stage.lanes:
            self.over_lanes(stage.lanes)
        for i in stage.calls:
            self.tell(i)
            if i.how == "reduce":
                self.reduction(i)
            else:
                cells = [self.operand_cell(a) for a in i.args]
                self.call_loop(loop_of(i), [*cells, self.operand_cell(i.out)], self.length)

    def operand_cell(self, x: Operand) -> tuple[Any, int]:
        if isinstance(x, Register) and x.span is Span.LANES:
            return self.bases[x], x.dtype.itemsize
        return self.cell(x, self.row), 0

    def reduction(self, i: Instruction) -> None:
        (x,) = i.registers()
        builder, size = self.builder, x.dtype.itemsize
        base, length = self.bases[x], self.length
        if is_pairwise(i):
            cell = at(builder, self.cells, word(CELL * self.sums))
            self.sums += 1
            lanes = self.lanes(1)
            lanes.store(lanes.constant(-0.0, i.out.dtype), cell, i.out.dtype)
        else:
            cell = self.word(self.homes.words[i.out])
            if i.what not in IDENTITIES:
                base, length = self.from_first(x, cell)
        self.call_loop(loop_of(i), [(cell, 0), (base, size), (cell, 0)], length)

    def from_first(self, x: Register, cell: Any) -> tuple[Any, Any]:
        """Begins an extreme with the first element of a row; returns what is left of the tile."""
        builder = self.builder
        first, on = self.block("first"), self.block("on")
        before = builder.block
        is_first = builder.icmp_unsigned("==", self.start, word(0))
        builder.cbranch(is_first, first, on)
        builder.position_at_end(first)
        lanes = self.lanes(1)
        lanes.store(lanes.load(self.bases[x], x.dtype), cell, x.dtype)
        rest = at(builder, self.bases[x], word(x.dtype.itemsize))
        fewer = builder.sub(self.length, word(1))
        builder.branch(on)
        builder.position_at_end(on)
        base, length = builder.phi(POINTER), builder.phi(I64)
        for phi, old, new in ((base, self.bases[x], rest), (length, self.length, fewer)):
            phi.add_incoming(old, before)
            phi.add_incoming(new, first)
        return base, length

    # -- lanes -------------------------------------------------------------------------------------

    def over_lanes(self, instructions: list[Instruction]) -> None:
        """Writes the loop over vectors, whose last one overlaps the one before; fewer elements
        than a vector has lanes are worked on one by one. What no tile needs is not written."""
        builder = self.builder
        widest = max(r.dtype.itemsize for i in instructions for r in (*i.args, i.out))
        width = VECTOR // widest
        shared, done = self.shared_numbers(instructions), self.block("done")
        least, most = self.lengths
        widths = [width] * (most >= width) + [1] * (least < width)
        blocks = [self.block("lanes") for _ in widths]
        if len(blocks) == 1:
            builder.branch(blocks[0])
        else:
            enough = builder.icmp_unsigned(">=", self.length, word(width))
            builder.cbranch(enough, *blocks)
        for block, lanes in zip(blocks, widths, strict=True):
            self.lane_loop(block, done, instructions, lanes, shared)
        builder.position_at_end(done)

    def shared_numbers(self, instructions: list[Instruction]) -> dict[Register, Any]:
        """Loads the numbers that all lanes share."""
        lanes = self.lanes(1)
        used = dict.fromkeys(r for i in instructions for r in i.registers())
        return {r: lanes.load(self.cell(r, self.row), r.dtype)
                for r in used if r.span is not Span.LANES}

    def lane_loop(self, block: Any, done: Any, instructions: list[Instruction], width: int,
                  shared: dict[Register, Any]) -> None:
        builder, lanes = self.builder, self.lanes(width)
        builder.position_at_end(block)
        end = builder.sub(self.length, word(width))
        splats = {r: lanes.splat(x) for r, x in shared.items()}
        sums = LaneSums(builder, lanes, [i for i in instructions if i.how == "total"])
        before, loop = builder.block, self.block("loop")
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(I64)
        sums.begin(before)
        values = self.lane_body(instructions, lanes, k, splats)
        following = builder.add(k, word(width))
        sums.add(values, k, following)
        clipped = builder.select(builder.icmp_unsigned("<", following, end), following, end)
        k.add_incoming(word(0), before)
        k.add_incoming(clipped, builder.block)
        more = builder.icmp_unsigned("<", k, end)
        if not sums.instructions:
            builder.cbranch(more, loop, done)
            return
        last = self.block("sums")
        builder.cbranch(more, loop, last)
        builder.position_at_end(last)
        for i, x in sums.sums():
            where = self.word(self.homes.words[i.out])
            one = self.lanes(1)
            old = one.load(where, i.out.dtype)
            one.store(on_lanes(one, np.add, i.out.dtype, old, x), where, i.out.dtype)
        builder.branch(done)

    def lane_body(self, instructions: list[Instruction], lanes: Lanes, k: Any,
                  values: dict[Register, Any]) -> dict[Register, Any]:
        """Writes the instructions of a vector; returns what is in the registers."""
        values = dict(values)
        for i in instructions:
            operands = [self.lane_operand(a, lanes, k, values) for a in i.args]
            if i.how == "total":
                continue
            values[i.out] = made = self.value(i, lanes, operands)
            if i.out in self.bases:
                lanes.store(made, self.element(i.out, k), i.out.dtype)
        return values

    def lane_operand(self, x: Operand, lanes: Lanes, k: Any, values: dict[Register, Any]) -> Any:
        if isinstance(x, Constant):
            return lanes.constant(x.number, x.dtype)
        if x not in values:
            values[x] = lanes.load(self.element(x, k), x.dtype)
        return values[x]

    def element(self, r: Register, k: Any) -> Any:
        return self.builder.element(self.bases[r], memory_type(r.dtype), k)
