"""Inputs of a loop nest that are broadcast: the elements of one tile, in memory of its own."""

from __future__ import annotations

from typing import Any

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.llvm_ir import (
    BIT,
    I64,
    POINTER,
    VOID,
    Function,
    Literal,
    integer,
    word,
)
from autograph.runtime.native.loop_nest import Register
from autograph.runtime.native.nest_writer import Context, Writer, at, offset_of
from autograph.runtime.native.windows import Axes

LONG = 16
"""So many elements in one run of memory are copied by the C library."""

def spread(tile: Writer, r: Register, first: Any, size_of_tile: Any) -> None:
    """Copies the elements of a tile of a broadcast input, run by run, from a position on."""
    builder, window, size = tile.builder, r.window, r.dtype.itemsize
    assert window is not None
    copy = spreader(tile.context, window.axes(), size)
    source = at(builder, tile.pointer(tile.homes.data[r]), word(window.offset * size))
    target = at(builder, tile.scratch, word(tile.homes.scratch[r]))
    builder.call(copy, [target, source, first, size_of_tile])


def spreader(context: Context, axes: Axes, size: int) -> Function:
    """Returns the function that copies so many elements from a position on, of all windows that
    have these axes."""
    name = f"spread {size} {axes}"
    if name not in context.module.functions:
        function = Function(context.module, VOID, [POINTER, POINTER, I64, I64], name,
                            internal=True)
        _write(context, function, axes, size)
    return context.module.functions[name]


def _write(context: Context, function: Function, axes: Axes, size: int) -> None:
    """Writes the loop over the runs of memory."""
    target, source, first, count = function.args
    before, loop, after = (function.append_basic_block(n) for n in ("entry", "run", "after"))
    inner, step = axes[-1]
    Builder(before).branch(loop)
    builder = Builder(loop)
    done = builder.phi(I64)
    done.add_incoming(word(0), before)
    position = builder.add(first, done)
    length = builder.sub(count, done)
    if inner is not None:
        room = builder.sub(word(inner), builder.urem(position, word(inner)))
        length = builder.select(builder.icmp_unsigned("<", length, room), length, room)
    begin = at(builder, source, builder.mul(offset_of(builder, axes, position), word(size)))
    into = at(builder, target, builder.mul(done, word(size)))
    if step == 1 and (inner is None or inner >= LONG):
        copy = context.module.declared("llvm.memcpy.p0.p0.i64", VOID, [POINTER, POINTER, I64, BIT])
        builder.call(copy, [into, begin, builder.mul(length, word(size)), Literal(BIT, 0)])
    else:
        _copy(builder, into, begin, length, step, size)
    following = builder.add(done, length)
    done.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_unsigned("<", following, count), loop, after)
    Builder(after).ret_void()


def _copy(builder: Builder, target: Any, source: Any, length: Any, step: int, size: int) -> None:
    """Copies elements that lie so many from each other, or one to all."""
    before, function = builder.block, builder.block.function
    loop, after = (function.append_basic_block(n) for n in ("copy", "copied"))
    builder.branch(loop)
    builder.position_at_end(loop)
    k = builder.phi(I64)
    k.add_incoming(word(0), before)
    offset = builder.mul(k, word(size))
    align = min(size, 8)
    x = builder.load(
        at(builder, source, builder.mul(offset, word(step))), integer(8 * size), align)
    builder.store(x, at(builder, target, offset), align)
    following = builder.add(k, word(1))
    k.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, length), loop, after)
    builder.position_at_end(after)
