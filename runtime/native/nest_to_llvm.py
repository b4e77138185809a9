"""The printer of loop nests: writes a nest as functions of LLVM IR.

`run(data, words, scratch)` does the work: `data` has pointers to the arrays, `words` the numbers.
For each phase there is a function for one tile, and, for float sums, one for halves of halves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.locks import cached_property
from autograph.runtime.native.builder import Builder
from autograph.runtime.native.fast_functions import VectorWriter
from autograph.runtime.native.forms import on_lanes
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.llvm_ir import I64, POINTER, STRICT, VOID, Function, Module, word
from autograph.runtime.native.loop_nest import (
    TILE,
    Instruction,
    Nest,
    Phase,
    Span,
    is_pairwise,
)
from autograph.runtime.native.nest_writer import Context, at, room
from autograph.runtime.native.tile_to_llvm import CELL, IDENTITIES, Tile

UNROLLED = {"f": 8, "c": 4}
"""NumPy's halves are multiples of so many numbers: of eight floats."""


def nothing(found: Any) -> None:
    """Sums refuse no lanes."""


class NestPrinter:
    """Writes the functions of a nest into a module.

    run  the function that does the work.
    """

    def __init__(self, nest: Nest, module: Module) -> None:
        self.context = Context(nest, module)
        self.nest = nest
        self.module = module

    def function(self, name: str, count: int, noinline: bool = False) -> Function:
        """Returns a new function of pointers to data, words and scratch, and of numbers."""
        types = [POINTER] * 3 + [I64] * count + [POINTER] * (count > 0)
        return Function(self.module, VOID, types, name, *[STRICT] * noinline, internal=True)

    @cached_property
    def run(self) -> Function:
        """The function that runs the nest."""
        tiles = [self.tiles(k, phase) for k, phase in enumerate(self.nest.phases)]
        run = self.function("run", 0, noinline=True)
        body = _Body(self.context, run)
        for i in self.nest.before:
            body.number(i)
        head, loop, done = (run.append_basic_block(n) for n in ("head", "row", "done"))
        body.builder.branch(loop)
        body.builder.position_at_end(loop)
        row = body.builder.phi(I64)
        row.add_incoming(word(0), head.function.blocks[0])
        for phase, function in zip(self.nest.phases, tiles, strict=True):
            body.phase(phase, function, row)
        body.rows_done(row)
        following = body.builder.add(row, word(1))
        row.add_incoming(following, body.builder.block)
        more = body.builder.icmp_unsigned("<", following, body.rows)
        body.builder.cbranch(more, loop, done)
        body.builder.position_at_end(head)
        body.builder.branch(done)
        body.builder.position_at_end(done)
        body.builder.ret_void()
        return run

    def tiles(self, number: int, phase: Phase) -> Function:
        """Returns the function that works on a piece of a row: a tile, or halves of it."""
        tile = self.function(f"tile{number}", 3)
        Tile(self.context, tile, self.context.spread[number]).write(phase)
        if not phase.halves:
            return tile
        return self.halves(f"halves{number}", tile, phase.sums())

    def halves(self, name: str, tile: Function, sums: list[Instruction]) -> Function:
        """Returns the function that adds up halves of halves, as NumPy does."""
        function = self.function(name, 3)
        data, words, scratch, row, start, length, cells = function.args
        builder = Builder(function.append_basic_block("entry"))
        small, large = (function.append_basic_block(n) for n in ("small", "large"))
        cells_of = [room(builder, 2 * len(sums)) for _ in range(2)]
        unit = UNROLLED[sums[0].out.dtype.kind]
        builder.cbranch(builder.icmp_unsigned("<=", length, word(TILE)), small, large)
        builder.position_at_end(small)
        builder.call(tile, list(function.args))
        builder.ret_void()
        builder.position_at_end(large)
        half = builder.and_(builder.lshr(length, word(1)), word(-unit))
        builder.call(function, [data, words, scratch, row, start, half, cells_of[0]])
        builder.call(function, [data, words, scratch, row, builder.add(start, half),
                                builder.sub(length, half), cells_of[1]])
        for k, i in enumerate(sums):
            lanes, dtype = Lanes(self.module, builder, 1, refuse=nothing), i.out.dtype
            a, b = (lanes.load(at(builder, r, word(CELL * k)), dtype) for r in cells_of)
            lanes.store(on_lanes(lanes, np.add, dtype, a, b),
                        at(builder, cells, word(CELL * k)), dtype)
        builder.ret_void()
        return function


class _Body(VectorWriter):
    """Writes the function that runs the nest."""

    def phase(self, phase: Phase, function: Function, row: Any) -> None:
        builder = self.builder
        sums = phase.sums()
        for i in [*phase.reductions(), *phase.lane_sums()]:
            if not is_pairwise(i) and i.what in IDENTITIES:
                lanes = self.lanes(1)
                lanes.store(lanes.constant(IDENTITIES[i.what], i.out.dtype),
                            self.word(self.homes.words[i.out]), i.out.dtype)
        if phase.stages:
            with builder.goto_block(self.entry):
                cells = room(builder, max(1, 2 * len(sums)))
            self.over_tiles(phase, function, row, cells)
            for k, i in enumerate(sums):
                lanes = self.lanes(1)
                found = lanes.load(at(builder, cells, word(CELL * k)), i.out.dtype)
                lanes.store(on_lanes(lanes, np.add, i.out.dtype, lanes.constant(0, i.out.dtype),
                                     found), self.word(self.homes.words[i.out]), i.out.dtype)
        self.extremes(phase)
        for i in phase.after:
            self.number(i, row)

    def over_tiles(self, phase: Phase, function: Function, row: Any, cells: Any) -> None:
        builder, length, piece = self.builder, self.row_length, self.nest.run(phase)
        run = length if piece == self.nest.length else word(piece.each)
        given = [self.data, self.words, self.scratch, row]
        if phase.halves or not (self.nest.has_tiles or piece != self.nest.length):
            builder.call(function, [*given, word(0), length, cells])
            return
        before, loop, after = builder.block, self.block("tile"), self.block("after")
        builder.branch(loop)
        builder.position_at_end(loop)
        start = builder.phi(I64)
        left = builder.sub(run, builder.urem(start, run))
        size = builder.select(builder.icmp_unsigned("<", left, word(TILE)), left, word(TILE))
        following = builder.add(start, size)
        builder.call(function, [*given, start, size, cells])
        start.add_incoming(word(0), before)
        start.add_incoming(following, loop)
        builder.cbranch(builder.icmp_unsigned("<", following, length), loop, after)
        builder.position_at_end(after)

    def extremes(self, phase: Phase) -> None:
        """Refuses a zero that is the extreme of several tiles: its sign depends on their order."""
        for i in phase.reductions():
            if self.nest.has_tiles and i.what not in IDENTITIES and i.out.dtype.kind == "f":
                lanes = self.lanes(1)
                found = lanes.load(self.word(self.homes.words[i.out]), i.out.dtype)
                zero = lanes.compare("==", i.out.dtype, found, lanes.constant(0, i.out.dtype))
                several = self.builder.icmp_unsigned(">", self.row_length, word(TILE))
                self.refuse(self.builder.and_(zero, several))

    def rows_done(self, row: Any) -> None:
        """Stores the results that are one number for each row."""
        for r, shape in self.nest.outputs:
            if shape is not None and r.span is Span.ROW:
                lanes = self.lanes(1)
                x = lanes.load(self.word(self.homes.words[r]), r.dtype)
                where = at(self.builder, self.pointer(self.homes.data[r]),
                           self.builder.mul(row, word(r.dtype.itemsize)))
                lanes.store(x, where, r.dtype)
