"""Inputs of a loop nest that are broadcast: the elements of one tile, in memory of its own."""

from __future__ import annotations

from typing import Any

from autograph.runtime.native.llvm_ir import I64, integer, word
from autograph.runtime.native.loop_nest import Register
from autograph.runtime.native.nest_writer import Writer, at


def spread(tile: Writer, r: Register, row: Any, start: Any, size_of_tile: Any) -> None:
    """Copies the elements of a tile of a broadcast input, run by run."""
    builder, window = tile.builder, r.window
    assert window is not None
    axes = window.axes()
    inner, step = axes[-1]
    first = builder.add(builder.mul(row, word(tile.nest.length)), start)
    target = at(builder, tile.scratch, word(tile.homes.scratch[r]))
    before, loop, after = builder.block, tile.block("run"), tile.block("spread")
    builder.branch(loop)
    builder.position_at_end(loop)
    done = builder.phi(I64)
    done.add_incoming(word(0), before)
    position = builder.add(first, done)
    offset = builder.urem(position, word(inner))
    source = tile.of_input(r, position)
    left, room = builder.sub(size_of_tile, done), builder.sub(word(inner), offset)
    length = builder.select(builder.icmp_unsigned("<", left, room), left, room)
    size = word(r.dtype.itemsize)
    _copy(tile, r, at(builder, target, builder.mul(done, size)), source, length, step)
    following = builder.add(done, length)
    done.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_unsigned("<", following, size_of_tile), loop, after)
    builder.position_at_end(after)


def _copy(tile: Writer, r: Register, target: Any, source: Any, length: Any, step: int) -> None:
    """Copies elements that lie so many from each other, or one to all."""
    builder = tile.builder
    t = integer(8 * r.dtype.itemsize)
    before, loop, after = builder.block, tile.block("copy"), tile.block("copied")
    builder.branch(loop)
    builder.position_at_end(loop)
    k = builder.phi(I64)
    k.add_incoming(word(0), before)
    offset = builder.mul(k, word(r.dtype.itemsize))
    x = builder.load(at(builder, source, builder.mul(offset, word(step))), t, r.dtype.itemsize)
    builder.store(x, at(builder, target, offset), r.dtype.itemsize)
    following = builder.add(k, word(1))
    k.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, length), loop, after)
    builder.position_at_end(after)
