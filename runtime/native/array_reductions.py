"""Reductions of arrays in native loops: calls of NumPy's inner loops, and positions of extremes."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Equation
from autograph.runtime.native.array_rules import LARGEST, is_on_lanes, total_dtype
from autograph.runtime.native.builder import known
from autograph.runtime.native.chains import Chains, as_chain, one_number
from autograph.runtime.native.common_code import calls, common
from autograph.runtime.native.forms import on_lanes
from autograph.runtime.native.inner_loops import InnerLoop, inner_loop
from autograph.runtime.native.kinds import BOOL, INT
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.llvm_ir import I64, VOID, word
from autograph.runtime.native.llvm_values import Memory, Register
from autograph.runtime.native.merged_axes import merged
from autograph.runtime.native.reduced_axes import axes_in_row, given_axes, keeps_axes
from autograph.runtime.native.short_rows import SHORT
from autograph.runtime.native.strict_floats import NEAREST, llvm_type, memory_type

START = {np.add: 0, np.multiply: 1, np.logical_or: 0, np.logical_and: 1}
"""What a reduction of no elements gives; the other ufuncs have none."""


def is_in_turn(ufunc: Any, dtype: np.dtype[Any]) -> bool:
    """Returns True for a sum or product of numbers, where a few are taken one after the other."""
    return ufunc in (np.add, np.multiply) and dtype.kind in "fiu" and is_on_lanes(
        ufunc, (dtype,) * 3)


class Reductions(Chains):
    """Writes reductions; a base of what writes operations on arrays."""

    def call_loop(self, loop: InnerLoop, cells: list[tuple[Any, Any]], length: Any) -> None:
        """Calls an inner loop of NumPy's on (address, step) of operands and result."""
        self.i.call_address(common(calls(len(cells))), VOID, [
            loop.pointer(self.i.builder), loop.argument, length, *chain.from_iterable(cells)])

    def call_tables(self, loop: InnerLoop, cells: list[Any], sizes: list[Any], steps: list[Any]
                    ) -> None:
        builder = self.i.builder
        tables = []
        for numbers in (cells, sizes, steps):
            table = self.i.memory(len(numbers))
            for k, number in enumerate(numbers):
                builder.store(number, self.at(table, word(8 * k)))
            tables.append(table)
        self.i.call_address(loop.pointer(builder), VOID, [
            *tables, loop.argument])

    def axes(self, e: Equation, rank: int) -> range:
        """Returns the axes that are reduced; none: all."""
        return axes_in_row(given_axes(e) or (), rank) or range(0)

    def with_one_for(self, x: Memory, axes: range) -> Memory:
        """Returns an array with one axis in place of some that lie in one piece; leaves the kernel
        if they do not."""
        first, end = axes.start, axes.stop
        part = self.in_one_piece(Memory(x.data, x.dims[first:end], x.strides[first:end], x.dtype))
        return Memory(x.data, x.dims[:first] + part.dims + x.dims[end:],
                      x.strides[:first] + part.strides + x.strides[end:], x.dtype)

    def in_one_piece(self, x: Memory) -> Memory:
        """Returns an array as one of one axis; leaves the kernel if it is in parts."""
        builder, size = self.i.builder, x.dims[-1]
        for n, stride, inner, step in zip(x.dims[-2::-1], x.strides[-2::-1], x.dims[:0:-1],
                                          x.strides[:0:-1], strict=True):
            self.i.require(builder.icmp_signed("==", stride, builder.mul(inner, step)))
            size = builder.mul(size, n)
        return Memory(x.data, (size,), x.strides[-1:], x.dtype)

    def reduced(self, e: Equation) -> Any:
        reduction: Any = e.op.reduction
        x, out = self.of(e.args[0]), e.outputs[0]
        dtype, axes = total_dtype(e, x.dtype), self.axes(e, len(x.dims))
        ufunc = reduction.ufunc
        if x.dtype != dtype:
            x = self.copied((out, "cast"), x, dtype)
        loop = inner_loop(ufunc, (dtype,) * 3)
        assert loop is not None
        if loop.clears:
            self.i.remember_exceptions()
        self.spend(x.dims)
        if not axes:
            x = self.in_one_piece(x)
            cell = self.i.memory()
            self.row(loop, ufunc, x, x.data, cell)
            found = self.lanes(1).load(cell, dtype)
            if reduction.mean:
                self.at_least_one(x.dims[0])
                found = self.divided(found, x.dims[0], dtype)
            return Register(found)
        axis, ones = axes.start, (word(1),) * (len(axes) if keeps_axes(e) else 0)
        x = self.with_one_for(x, axes)
        made = self.fresh(out, dtype, (*x.dims[:axis], *ones, *x.dims[axis + 1:]))
        self.falling(x)
        self.along(loop, ufunc, x, axis, self.without(made, axis, len(ones)))
        if reduction.mean:
            size = x.dims[axis]
            self.at_least_one(size)
            count = one_number(self.as_float(size, dtype), dtype)
            quotient = self.joined(np.divide, dtype, [as_chain(made), count], dtype)
            self.write(quotient, made, in_place=True)
        return made

    def without(self, x: Memory, axis: int, count: int) -> Memory:
        """Returns an array without so many axes of one element."""
        return Memory(x.data, x.dims[:axis] + x.dims[axis + count:],
                      x.strides[:axis] + x.strides[axis + count:], x.dtype)

    def along(self, loop: InnerLoop, ufunc: Any, x: Memory, axis: int, made: Memory) -> None:
        """Reduces along an axis, for each number of those before it."""
        if axis:
            with self.times(word(0), x.dims[0]) as k:
                self.along(loop, ufunc, self.part(x, k), axis - 1, self.part(made, k))
        elif len(x.dims) == 1:
            self.row(loop, ufunc, x, x.data, made.data)
        else:
            self.columns(loop, ufunc, x, made)

    def part(self, x: Memory, k: Any) -> Memory:
        """Returns the k-th part of an array along its first axis."""
        return Memory(self.at(x.data, self.i.builder.mul(k, x.strides[0])), x.dims[1:],
                      x.strides[1:], x.dtype)

    def falling(self, x: Memory) -> None:
        """Leaves the kernel unless the axes are in this order for NumPy, too."""
        builder = self.i.builder
        for n in x.dims:
            self.i.require(builder.icmp_signed(">", n, word(1)))
        for outer, inner in pairwise(x.strides):
            self.i.require(builder.icmp_signed(">=", outer, inner))
        self.i.require(builder.icmp_signed(">", x.strides[-1], word(0)))

    def row(self, loop: InnerLoop, ufunc: Any, x: Memory, data: Any, cell: Any) -> None:
        """Writes the reduction of an array of one axis to a cell."""
        lanes, builder, n, stride = self.lanes(1), self.i.builder, x.dims[0], x.strides[0]
        if is_in_turn(ufunc, x.dtype) and (known(n) or SHORT) < SHORT:
            lanes.store(self.short_total(ufunc, x, data), cell, x.dtype)
            return
        if ufunc in START:
            lanes.store(lanes.constant(START[ufunc], x.dtype), cell, x.dtype)
        else:
            self.at_least_one(n)
            lanes.store(lanes.load(data, x.dtype), cell, x.dtype)
            data, n = self.at(data, stride), builder.sub(n, word(1))
        self.call_loop(loop, [(cell, word(0)), (data, stride), (cell, word(0))], n)

    def short_total(self, ufunc: Any, x: Memory, data: Any) -> Any:
        """Returns the sum or product of a few elements, which NumPy adds up in turn."""
        lanes = self.lanes(1)
        total = lanes.constant(START[ufunc], x.dtype)
        for k in range(known(x.dims[0]) or 0):
            where = self.at(data, self.i.builder.mul(word(k), x.strides[0]))
            total = on_lanes(lanes, ufunc, x.dtype, total, lanes.load(where, x.dtype))
        return total

    def columns(self, loop: InnerLoop, ufunc: Any, x: Memory, made: Memory) -> None:
        """Reduces along the first of several axes: row after row, as NumPy does where rows are the
        inner axis."""
        if is_in_turn(ufunc, x.dtype) and self.few_columns(ufunc, x, made):
            return
        if ufunc in START:
            self.fill_with(made, self.lanes(1).constant(START[ufunc], x.dtype))
        else:
            self.assign(made, Memory(x.data, x.dims[1:], x.strides[1:], x.dtype))
        with self.times(word(int(ufunc not in START)), x.dims[0]) as k:
            part = self.part(x, k)
            with self.rows(part.dims, [part, made]) as (row, total):
                step = made.strides[-1]
                self.call_loop(loop, [(total, step), (row, x.strides[-1]), (total, step)],
                               made.dims[-1])

    def few_columns(self, ufunc: Any, x: Memory, made: Memory) -> bool:
        """Adds up a few columns side by side, in registers; returns False if they are many."""
        first = Memory(x.data, x.dims[1:], x.strides[1:], x.dtype)
        row, out = merged([first, made])
        if len(out.dims) > 1 or not 0 < (known(out.dims[0]) or 0) <= SHORT:
            return False
        lanes, columns = self.lanes(1), range(known(out.dims[0]) or 0)
        cells = [self.i.stack(memory_type(x.dtype)) for _ in columns]
        for cell in cells:
            lanes.store(lanes.constant(START[ufunc], x.dtype), cell, x.dtype)
        builder = self.i.builder
        with self.times(word(0), x.dims[0]) as k:
            data = self.at(x.data, builder.mul(k, x.strides[0]))
            for j, cell in enumerate(cells):
                element = lanes.load(self.at(data, builder.mul(word(j), row.strides[0])), x.dtype)
                lanes.store(on_lanes(lanes, ufunc, x.dtype, lanes.load(cell, x.dtype), element),
                            cell, x.dtype)
        for j, cell in enumerate(cells):
            lanes.store(lanes.load(cell, x.dtype),
                        self.at(out.data, builder.mul(word(j), out.strides[0])), x.dtype)
        return True

    def at_least_one(self, n: Any) -> None:
        self.i.require(self.i.builder.icmp_signed(">", n, word(0)))

    def as_float(self, n: Any, dtype: np.dtype[Any]) -> Any:
        return self.i.strict("sitofp", [n], llvm_type(dtype), NEAREST)

    def divided(self, total: Any, n: Any, dtype: np.dtype[Any]) -> Any:
        return self.i.strict("fdiv", [total, self.as_float(n, dtype)], total.type, NEAREST)

    def position_of_extreme(self, e: Equation) -> Any:
        """Returns the first position of the largest or smallest element; a NaN is both."""
        x = self.of(e.args[0])
        axes = self.axes(e, len(x.dims))
        self.spend(x.dims)
        if not axes:
            x = self.in_one_piece(x)
            cell = self.i.memory()
            self.first_extreme(LARGEST[e.op], x.data, x.dims[0], x.strides[0], x.dtype, cell)
            return Register(self.i.builder.load(cell, typ=I64))
        axis = axes.start
        made = self.fresh(e.outputs[0], INT, x.dims[:axis] + x.dims[axis + 1:])
        with self.times(word(0), made.dims[0]) as k:
            data = self.at(x.data, self.i.builder.mul(k, x.strides[1 - axis]))
            cell = self.at(made.data, self.i.builder.mul(k, made.strides[0]))
            self.first_extreme(LARGEST[e.op], data, x.dims[axis], x.strides[axis], x.dtype, cell)
        return made

    def first_extreme(self, sign: str, data: Any, n: Any, stride: Any, dtype: Any, cell: Any
                      ) -> None:
        builder, lanes = self.i.builder, self.lanes(1)
        self.at_least_one(n)
        best = self.i.memory()
        builder.store(word(0), cell)
        lanes.store(lanes.load(data, dtype), best, dtype)
        with self.times(word(1), n) as k:
            x = lanes.load(self.at(data, builder.mul(k, stride)), dtype)
            old = lanes.load(best, dtype)
            better = self.better(lanes, sign, dtype, x, old)
            lanes.store(builder.select(better, x, old), best, dtype)
            builder.store(builder.select(better, k, builder.load(cell, typ=I64)), cell)

    def better(self, lanes: Lanes, sign: str, dtype: Any, x: Any, old: Any) -> Any:
        if dtype == BOOL:
            return self.i.builder.icmp_unsigned(sign, x, old)
        found = lanes.compare(sign, dtype, x, old)
        if dtype.kind != "f":
            return found
        builder = self.i.builder
        nan = builder.and_(lanes.is_nan(x), builder.not_(lanes.is_nan(old)))
        return builder.or_(nan, builder.and_(found, builder.not_(lanes.is_nan(old))))
