"""The printer of operations on arrays inside native loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.native.array_rules import (
    ASTYPE,
    COPY,
    DOT,
    LARGEST,
    MATMUL,
    ROLL,
    WHERE,
    applied,
    cast_to,
    chosen_dtype,
    is_of_floats,
    is_on_lanes,
    resolved_kinds,
    shift_of,
    total_dtype,
)
from autograph.runtime.native.array_types import ufunc_of
from autograph.runtime.native.chains import Chains, as_chain, one_number
from autograph.runtime.native.inner_loops import InnerLoop, inner_loop, product_loop
from autograph.runtime.native.instructions import EXACT
from autograph.runtime.native.kinds import BOOL, INT, Array, Number
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.llvm_ir import I64, POINTER, VOID, word
from autograph.runtime.native.llvm_values import Chain, Memory, Register
from autograph.runtime.native.strict_floats import NEAREST, llvm_type
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.stores import STORED_INTO

START = {np.add: 0, np.multiply: 1, np.logical_or: 0, np.logical_and: 1}
"""What a reduction of no elements gives; the other ufuncs have none."""


class ArrayCode(Chains):
    """Writes operations on arrays."""

    def on_arrays(self, e: Equation) -> None:
        out = e.outputs[0]
        if e.op is GETITEM:
            self.values[out] = self.item(e)
        elif e.op.reduction is not None:
            self.values[out] = self.reduced(e)
        elif e.op in LARGEST:
            self.values[out] = self.position_of_extreme(e)
        elif e.op is WHERE:
            self.values[out] = self.where(e)
        elif e.op is ASTYPE:
            self.values[out] = self.kept(out, self.chain_of(e.args[0], cast_to(e)))
        elif e.op is COPY:
            self.values[out] = self.copied(out, self.of(e.args[0]))
        elif e.op in (MATMUL, DOT):
            self.values[out] = self.product(e)
        elif e.op is STORED_INTO:
            self.values[out] = self.by_ufunc(e, *applied(e))
            made = self.of(out)
            for n, size in zip(made.dims, self.of(e.args[0]).dims, strict=True):
                self.i.require(self.i.builder.icmp_signed("==", n, size))
        elif e.op is ROLL:
            self.values[out] = self.rolled(e)
        else:
            self.values[out] = self.elementwise(e)

    def product(self, e: Equation) -> Any:
        """Calls the inner loop of `np.matmul`, which asks the BLAS."""
        x, y = map(self.of, e.args)
        loop, builder = product_loop(x.dtype), self.i.builder
        assert loop is not None
        self.i.require(builder.icmp_signed("==", x.dims[-1], y.dims[0]))
        dims = x.dims[:-1] + y.dims[1:]
        out = self.fresh(e.outputs[0], x.dtype, dims) if dims else Memory(
            self.i.memory(), (), (), x.dtype)
        self.i.remember_exceptions()
        rows, columns = ((dims[k],) if len(a.dims) == 2 else () for k, a in ((0, x), (-1, y)))
        sizes = [word(1), *(rows or (word(1),)), x.dims[-1], *(columns or (word(1),))]
        self.spend(tuple(sizes))
        axes = [*self.two(x, 0), *self.two(y, 1),
                (dims[0], out.strides[0]) if rows else None,
                (dims[-1], out.strides[-1]) if columns else None]
        steps = [word(0)] * 3 + [word(0) if a is None else builder.select(
            builder.icmp_signed("==", a[0], word(1)), word(0), a[1]) for a in axes]
        self.call_tables(loop, [x.data, y.data, out.data], sizes, steps)
        return out if dims else self.register(out.data, out.dtype)

    def two(self, x: Memory, missing: int) -> list[Any]:
        """Returns the sizes and strides of two axes; a vector has none at `missing`."""
        found: list[Any] = list(zip(x.dims, x.strides, strict=True))
        if len(found) == 1:
            found.insert(missing, None)
        return found

    def rolled(self, e: Equation) -> Memory:
        """Returns the elements moved along an axis, in two pieces."""
        x, builder = self.of(e.args[0]), self.i.builder
        shift, axis = shift_of(e, len(x.dims))
        out, n = self.fresh(e.outputs[0], x.dtype, x.dims), x.dims[axis]
        some = builder.select(builder.icmp_signed(">", n, word(0)), n, word(1))
        moved = builder.srem(word(shift), some)
        moved = builder.select(builder.icmp_signed("<", moved, word(0)),
                               builder.add(moved, some), moved)
        left = builder.sub(n, moved)
        for to, start, length in ((moved, word(0), left), (word(0), left, moved)):
            self.assign(self.piece(out, axis, to, length), self.piece(x, axis, start, length))
        return out

    def piece(self, x: Memory, axis: int, start: Any, length: Any) -> Memory:
        data = self.at(x.data, self.i.builder.mul(start, x.strides[axis]))
        return Memory(data, (*x.dims[:axis], length, *x.dims[axis + 1:]), x.strides, x.dtype)

    # -- items and stores --------------------------------------------------------------------------

    def item(self, e: Equation) -> Any:
        x, index = self.of(e.args[0]), e.args[1]
        if isinstance(index, Value) and isinstance(self.kind_of(index), Array):
            return self.taken(e, x, self.of(index))
        view = self.view(x, index)
        return view if view.dims else self.register(view.data, view.dtype)

    def taken(self, e: Equation, x: Memory, index: Memory) -> Memory:
        """Returns the elements at the positions that an array holds."""
        out = self.fresh(e.outputs[0], x.dtype, index.dims)
        self.spend(index.dims)
        lanes, builder = self.lanes(1), self.i.builder
        with self.rows(index.dims, [index, out]) as (indices, row), \
                self.times(word(0), index.dims[-1]) as k:
            found = lanes.load(self.at(indices, builder.mul(k, index.strides[-1])), index.dtype)
            number = self.position(self.i.convert(found, index.dtype, INT), x.dims[0])
            value = lanes.load(self.at(x.data, builder.mul(number, x.strides[0])), x.dtype)
            lanes.store(value, self.at(row, builder.mul(k, out.strides[-1])), x.dtype)
        return out

    def store(self, e: Equation) -> None:
        array, index, value, *path = e.args
        x = self.of(array)
        kind, out = self.kind_of(array), e.outputs[0]
        if self.kind_of(out) != kind:
            x = self.copied(out, x)
        target = x
        for step in path[0] if path else ():
            target = self.view(target, step.index)
        target = self.view(target, index)
        given = self.kind_of(value)
        if isinstance(given, Array):
            assert isinstance(kind, Array)
            if given.memory is kind.memory:
                source = self.of(value)
                self.disjoint_or_alike(target, source)
                self.assign(target, self.copied((out, "value"), source))
            else:
                chain = self.chain_of(value, given.dtype)
                if kind.memory in chain.memories:
                    chain = as_chain(self.of(value))
                self.write(chain, target)
        else:
            self.fill_with(target, self.as_type(value, x.dtype))
        self.values[out] = x

    def disjoint_or_alike(self, target: Memory, source: Memory) -> None:
        """Leaves the kernel where a row is stored into one that it crosses: NumPy copies larger
        arrays first, but of rows it may read elements that it has written."""
        if len(target.dims) != 1:
            return
        builder = self.i.builder
        alike = builder.icmp_signed("==", target.strides[0], source.strides[0])
        (a, b), (c, d) = (self.ends(x) for x in (target, source))
        disjoint = builder.or_(builder.icmp_unsigned("<", b, c), builder.icmp_unsigned("<", d, a))
        self.i.require(builder.or_(alike, disjoint))

    def ends(self, x: Memory) -> tuple[Any, Any]:
        """Returns the addresses of the first and the last element of a row."""
        builder = self.i.builder
        first = builder.ptrtoint(x.data, I64)
        last = builder.mul(builder.sub(x.dims[0], word(1)), x.strides[0])
        return first, builder.add(first, last)

    # -- elementwise -------------------------------------------------------------------------------

    def elementwise(self, e: Equation) -> Memory | Chain:
        ranks = [k.rank if isinstance(k, Array) else 0 for k in map(self.kind_of, e.args)]
        floats = is_of_floats(self.kind_of(e.args[0]))
        return self.by_ufunc(e, *ufunc_of(e, ranks, floats))

    def by_ufunc(self, e: Equation, ufunc: Any, args: tuple[Atom, ...]) -> Memory | Chain:
        dtypes = resolved_kinds(ufunc, [self.kind_of(a) for a in args])
        if is_on_lanes(ufunc, dtypes):
            given = [self.chained(a, d) for a, d in zip(args, dtypes, strict=False)]
            return self.kept(e.outputs[0], self.joined(ufunc, dtypes[0], given, dtypes[-1]))
        operands = [self.operand(a, d, (e.outputs[0], k))
                    for k, (a, d) in enumerate(zip(args, dtypes, strict=False))]
        out = self.result(e, dtypes[-1], operands)
        loop = inner_loop(ufunc, dtypes)
        assert loop is not None
        self.call_loops(loop, operands, dtypes, out)
        return out

    def where(self, e: Equation) -> Memory | Chain:
        dtype = chosen_dtype([self.kind_of(a) for a in e.args[1:]])
        given = [self.chained(a, d) for a, d in zip(e.args, (BOOL, dtype, dtype), strict=True)]
        return self.kept(e.outputs[0], self.joined("where", dtype, given, dtype))

    def chained(self, atom: Atom, dtype: Any) -> Chain:
        """Returns an operand of an operation on lanes."""
        if isinstance(self.kind_of(atom), Array):
            return self.chain_of(atom, dtype)
        return one_number(self.operand(atom, dtype, None), dtype)

    def operand(self, atom: Atom, dtype: Any, key: Any) -> Any:
        """Returns an array, cast into a room of this key, or a number that is converted."""
        kind = self.kind_of(atom)
        if isinstance(kind, Array):
            x = self.of(atom)
            return x if x.dtype == dtype else self.copied(key, x, dtype)
        assert isinstance(kind, Number)
        if kind.dtype == INT and dtype.kind == "f" and isinstance(atom, Value):
            limit = EXACT if dtype.itemsize == 8 else 2 ** 24
            x, builder = self.of(atom).value, self.i.builder
            self.i.require(builder.and_(builder.icmp_signed(">=", x, word(-limit)),
                                        builder.icmp_signed("<=", x, word(limit))))
        return self.as_type(atom, dtype)

    def result(self, e: Equation, dtype: Any, given: list[Any]) -> Memory:
        dims = self.broadcast([x.dims for x in given if isinstance(x, Memory)])
        return self.fresh(e.outputs[0], dtype, dims)

    def call_loops(self, loop: InnerLoop, given: list[Any], dtypes: tuple[Any, ...], out: Memory
                   ) -> None:
        """Calls NumPy's inner loop on each row."""
        self.spend(out.dims)
        arrays = [self.spread(x, out.dims) if isinstance(x, Memory) else self.cell_of(x, d)
                  for x, d in zip(given, dtypes, strict=False)]
        if loop.clears:
            self.i.remember_exceptions()
        several = [x for x in (*arrays, out) if isinstance(x, Memory)]
        with self.rows(out.dims, several) as rows:
            rest = iter(zip(rows, several, strict=True))
            cells = []
            for x in (*arrays, out):
                row, m = next(rest) if isinstance(x, Memory) else (x, None)
                cells.append((row, m.strides[-1] if m is not None else word(0)))
            self.call_loop(loop, cells, out.dims[-1])

    def cell_of(self, x: Any, dtype: np.dtype[Any]) -> Any:
        """Returns memory that holds a number."""
        cell = self.i.memory()
        self.lanes(1).store(x, cell, dtype)
        return cell

    def call_loop(self, loop: InnerLoop, cells: list[tuple[Any, Any]], length: Any) -> None:
        """Calls an inner loop of NumPy's on (address, step) of operands and result."""
        self.call_tables(loop, [cell for cell, _ in cells], [length], [step for _, step in cells])

    def call_tables(self, loop: InnerLoop, cells: list[Any], sizes: list[Any], steps: list[Any]
                    ) -> None:
        builder = self.i.builder
        tables = []
        for numbers in ([builder.ptrtoint(c, I64) for c in cells], sizes, steps):
            table = self.i.memory(len(numbers))
            for k, number in enumerate(numbers):
                builder.store(number, self.at(table, word(8 * k)))
            tables.append(table)
        self.i.call_address(loop.address, VOID, [
            *tables, builder.inttoptr(word(loop.data), POINTER)])

    # -- reductions --------------------------------------------------------------------------------

    def axis(self, e: Equation, rank: int) -> int | None:
        axis = e.args[1] if len(e.args) == 2 else e.kwargs.get("axis")
        return None if axis is None or rank == 1 else axis % rank

    def in_one_piece(self, x: Memory) -> Memory:
        """Returns an array of two axes as one of one; leaves the kernel if it is in parts."""
        if len(x.dims) == 1:
            return x
        builder = self.i.builder
        self.i.require(builder.icmp_signed(
            "==", x.strides[0], builder.mul(x.dims[1], x.strides[1])))
        return Memory(x.data, (builder.mul(*x.dims),), (x.strides[1],), x.dtype)

    def reduced(self, e: Equation) -> Any:
        reduction: Any = e.op.reduction
        x, out = self.of(e.args[0]), e.outputs[0]
        dtype, axis = total_dtype(e, x.dtype), self.axis(e, len(x.dims))
        ufunc = reduction.ufunc
        if x.dtype != dtype:
            x = self.copied((out, "cast"), x, dtype)
        loop = inner_loop(ufunc, (dtype,) * 3)
        assert loop is not None
        if loop.clears:
            self.i.remember_exceptions()
        self.spend(x.dims)
        if axis is None:
            x = self.in_one_piece(x)
            cell = self.i.memory()
            self.row(loop, ufunc, x, x.data, cell)
            found = self.lanes(1).load(cell, dtype)
            if reduction.mean:
                self.at_least_one(x.dims[0])
                found = self.divided(found, x.dims[0], dtype)
            return Register(found)
        made = self.fresh(out, dtype, x.dims[:axis] + x.dims[axis + 1:])
        if axis == 1:
            self.falling(x)
            with self.times(word(0), x.dims[0]) as k:
                row = Memory(self.at(x.data, self.i.builder.mul(k, x.strides[0])), x.dims[1:],
                             x.strides[1:], x.dtype)
                self.row(loop, ufunc, row, row.data,
                         self.at(made.data, self.i.builder.mul(k, made.strides[0])))
        else:
            self.columns(loop, ufunc, x, made)
        if reduction.mean:
            size = x.dims[axis]
            self.at_least_one(size)
            count = one_number(self.as_float(size, dtype), dtype)
            self.write(self.joined(np.divide, dtype, [as_chain(made), count], dtype), made)
        return made

    def falling(self, x: Memory) -> None:
        """Leaves the kernel unless the last axis is the inner one for NumPy, too."""
        builder = self.i.builder
        inner = builder.and_(builder.icmp_signed(">=", x.strides[0], x.strides[1]),
                             builder.icmp_signed(">", x.strides[1], word(0)))
        for n in x.dims:
            self.i.require(builder.icmp_signed(">", n, word(1)))
        self.i.require(inner)

    def row(self, loop: InnerLoop, ufunc: Any, x: Memory, data: Any, cell: Any) -> None:
        """Writes the reduction of an array of one axis to a cell."""
        lanes, builder, n, stride = self.lanes(1), self.i.builder, x.dims[0], x.strides[0]
        if ufunc in START:
            lanes.store(lanes.constant(START[ufunc], x.dtype), cell, x.dtype)
        else:
            self.at_least_one(n)
            lanes.store(lanes.load(data, x.dtype), cell, x.dtype)
            data, n = self.at(data, stride), builder.sub(n, word(1))
        self.call_loop(loop, [(cell, word(0)), (data, stride), (cell, word(0))], n)

    def columns(self, loop: InnerLoop, ufunc: Any, x: Memory, made: Memory) -> None:
        """Reduces along the first of two axes: row after row, as NumPy does where rows are the
        inner axis."""
        self.falling(x)
        first = Memory(x.data, x.dims[1:], x.strides[1:], x.dtype)
        if ufunc in START:
            self.fill_with(made, self.lanes(1).constant(START[ufunc], x.dtype))
        else:
            self.assign(made, first)
        with self.times(word(int(ufunc not in START)), x.dims[0]) as k:
            row = self.at(x.data, self.i.builder.mul(k, x.strides[0]))
            size = made.strides[0]
            self.call_loop(loop, [(made.data, size), (row, x.strides[1]), (made.data, size)],
                           made.dims[0])

    def at_least_one(self, n: Any) -> None:
        self.i.require(self.i.builder.icmp_signed(">", n, word(0)))

    def as_float(self, n: Any, dtype: np.dtype[Any]) -> Any:
        return self.i.strict("sitofp", [n], llvm_type(dtype), NEAREST)

    def divided(self, total: Any, n: Any, dtype: np.dtype[Any]) -> Any:
        return self.i.strict("fdiv", [total, self.as_float(n, dtype)], total.type, NEAREST)

    def position_of_extreme(self, e: Equation) -> Any:
        """Returns the first position of the largest or smallest element; a NaN is both."""
        x = self.of(e.args[0])
        axis = self.axis(e, len(x.dims))
        self.spend(x.dims)
        if axis is None:
            if len(x.dims) == 2:
                x = self.in_one_piece(x)
            cell = self.i.memory()
            self.first_extreme(LARGEST[e.op], x.data, x.dims[0], x.strides[0], x.dtype, cell)
            return Register(self.i.builder.load(cell, typ=I64))
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
