"""Inputs of a loop nest that are broadcast: the elements of one tile, in memory of its own."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from autograph.runtime.native.instructions import I64
from autograph.runtime.native.loop_nest import Register
from autograph.runtime.native.nest_writer import Writer, at, word


def merged_axes(shape: tuple[int, ...], of: tuple[int, ...]) -> list[tuple[int, bool]]:
    """Returns the axes of a shape as (length, True if the input has one element along it), with
    neighbours of a kind as one.

    >>> merged_axes((4, 1), (2, 3, 4, 5))
    [(6, True), (4, False), (5, True)]
    """
    full = (1,) * (len(of) - len(shape)) + shape
    found: list[tuple[int, bool]] = []
    for own, n in zip(full, of, strict=True):
        repeats = own != n
        if n == 1:
            continue
        if found and found[-1][1] == repeats:
            found[-1] = (found[-1][0] * n, repeats)
        else:
            found.append((n, repeats))
    return found


def spread(tile: Writer, r: Register, row: Any, start: Any, size_of_tile: Any) -> None:
    """Copies the elements of a tile of a broadcast input, run by run."""
    builder = tile.builder
    shape = tile.context.shapes[r]
    assert shape is not None
    axes = merged_axes(shape, tile.nest.shape)
    inner, repeats = axes[-1]
    first = builder.add(builder.mul(row, word(tile.nest.length)), start)
    source = tile.pointer(tile.homes.data[r])
    target = at(builder, tile.scratch, word(tile.homes.scratch[r]))
    before, loop, after = builder.block, tile.block("run"), tile.block("spread")
    builder.branch(loop)
    builder.position_at_end(loop)
    done = builder.phi(I64)
    done.add_incoming(word(0), before)
    position = builder.add(first, done)
    offset = builder.urem(position, word(inner))
    outer = builder.udiv(position, word(inner))
    index = _index(builder, axes[:-1], outer, word(1 if repeats else inner))
    left, room = builder.sub(size_of_tile, done), builder.sub(word(inner), offset)
    length = builder.select(builder.icmp_unsigned("<", left, room), left, room)
    if not repeats:
        index = builder.add(index, offset)
    size = word(r.dtype.itemsize)
    _copy(tile, r, at(builder, target, builder.mul(done, size)),
          at(builder, source, builder.mul(index, size)), length, repeats)
    following = builder.add(done, length)
    done.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_unsigned("<", following, size_of_tile), loop, after)
    builder.position_at_end(after)


def _index(builder: ir.IRBuilder, axes: list[tuple[int, bool]], position: Any, stride: Any) -> Any:
    """Returns the offset, in elements, of a position along the outer axes."""
    found = word(0)
    for length, repeats in reversed(axes):
        if not repeats:
            along = builder.urem(position, word(length))
            found = builder.add(found, builder.mul(along, stride))
            stride = builder.mul(stride, word(length))
        position = builder.udiv(position, word(length))
    return found


def _copy(tile: Writer, r: Register, target: Any, source: Any, length: Any, repeats: bool) -> None:
    """Copies elements, or one element to all of them."""
    builder = tile.builder
    t = ir.IntType(8 * r.dtype.itemsize)
    before, loop, after = builder.block, tile.block("copy"), tile.block("copied")
    builder.branch(loop)
    builder.position_at_end(loop)
    k = builder.phi(I64)
    k.add_incoming(word(0), before)
    offset = builder.mul(k, word(r.dtype.itemsize))
    x = builder.load(source if repeats else at(builder, source, offset), typ=t)
    x.align = r.dtype.itemsize
    builder.store(x, at(builder, target, offset)).align = r.dtype.itemsize
    following = builder.add(k, word(1))
    k.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, length), loop, after)
    builder.position_at_end(after)
