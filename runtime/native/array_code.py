"""The printer of operations on arrays inside native loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.native.array_orders import DOT, FLIP, MATMUL, TRANSPOSE, is_reversed
from autograph.runtime.native.array_rules import (
    ARANGE,
    ARRAY,
    ASTYPE,
    COPY,
    FILLED,
    IMAG,
    LARGEST,
    NORM,
    OUTER,
    REAL,
    ROLL,
    UNFILLED,
    WHERE,
    applied,
    cast_to,
    chosen_dtype,
    counted,
    is_of_floats,
    is_on_lanes,
    resolved_kinds,
    shift_of,
)
from autograph.runtime.native.array_types import ufunc_of
from autograph.runtime.native.carried_elements import CarriedElements
from autograph.runtime.native.chains import as_chain, cast, one_number
from autograph.runtime.native.forms import on_lanes
from autograph.runtime.native.inner_loops import InnerLoop, dot_function, product_loop
from autograph.runtime.native.instructions import EXACT
from autograph.runtime.native.kinds import BOOL, INT, PARTS, Array, Number, static_shape
from autograph.runtime.native.llvm_ir import I64, NULL, VOID, word
from autograph.runtime.native.llvm_values import Chain, Memory, Register
from autograph.runtime.native.masks import Masks
from autograph.runtime.native.merged_axes import merged
from autograph.runtime.native.nearest_loops import quick_loop
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.stores import STORED_INTO


class ArrayCode(Masks, CarriedElements):
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
        elif e.op in (*MATMUL, DOT):
            self.values[out] = self.product(e)
        elif e.op is STORED_INTO:
            self.values[out] = self.by_ufunc(e, *applied(e))
            made = self.of(out)
            for n, size in zip(made.dims, self.of(e.args[0]).dims, strict=True):
                self.i.require(self.i.builder.icmp_signed("==", n, size))
        elif e.op in FILLED:
            self.values[out] = self.filled(e)
        elif e.op is ARANGE:
            self.values[out] = self.in_steps(out, counted(e))
        elif e.op is ARRAY:
            self.values[out] = self.of_numbers(e)
        elif e.op is NORM:
            self.values[out] = self.norm(e)
        elif e.op is ROLL:
            self.values[out] = self.rolled(e)
        elif e.op is FLIP:
            self.values[out] = self.reversed(self.of(e.args[0]))
        elif e.op is TRANSPOSE:
            x = self.of(e.args[0])
            self.values[out] = Memory(x.data, x.dims[::-1], x.strides[::-1], x.dtype)
        elif e.op is OUTER:
            self.values[out] = self.outer(e)
        elif e.op in (REAL, IMAG):
            x = self.of(e.args[0])
            part = PARTS[x.dtype]
            offset = word(part.itemsize * (e.op is IMAG))
            self.values[out] = Memory(self.at(x.data, offset), x.dims, x.strides, part)
        else:
            self.values[out] = self.elementwise(e)

    def product(self, e: Equation) -> Any:
        """Calls the inner loop of `np.matmul`, which asks the BLAS; `np.dot` copies what runs
        backwards first."""
        given = [self.copied((e.outputs[0], k), self.of(a)) if is_reversed(self.kind_of(a))
                 else self.of(a) for k, a in enumerate(e.args)]
        return self.multiplied(e.outputs[0], *given)

    def outer(self, e: Equation) -> Memory | Chain:
        """Returns the products of all pairs."""
        kinds, one = [self.kind_of(a) for a in e.args], word(1)
        dtypes = resolved_kinds(np.multiply, kinds)
        chains = []
        for k, a in enumerate(e.args):
            x, zero = self.of(a), word(0)
            dims, strides = ((x.dims[0], one), (x.strides[0], zero)) if k == 0 else (
                (one, x.dims[0]), (zero, x.strides[0]))
            found = as_chain(Memory(x.data, dims, strides, x.dtype), self.memory(kinds[k]))
            chains.append(cast(found, dtypes[k]))
        return self.kept(e.outputs[0], self.joined(np.multiply, dtypes[0], chains, dtypes[-1]))

    def memory(self, kind: Any) -> Any:
        return kind.memory if isinstance(kind, Array) else None

    def reversed(self, x: Memory) -> Memory:
        """Returns a row from its end to its start."""
        (n,), (stride,), builder = x.dims, x.strides, self.i.builder
        last = self.at(x.data, builder.mul(builder.sub(n, word(1)), stride))
        return Memory(last, x.dims, (builder.sub(word(0), stride),), x.dtype)

    def multiplied(self, key: Any, x: Memory, y: Memory) -> Any:
        loop, builder = product_loop(x.dtype), self.i.builder
        assert loop is not None
        self.i.require(builder.icmp_signed("==", x.dims[-1], y.dims[0]))
        dims = x.dims[:-1] + y.dims[1:]
        if not dims and (function := dot_function(x.dtype)) is not None:
            return self.of_vectors(function, x, y)
        out = self.fresh(key, x.dtype, dims) if dims else Memory(
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

    def of_vectors(self, function: Any, x: Memory, y: Memory) -> Register:
        """Calls the function that multiplies vectors: it clears no exceptions."""
        builder, (n,), out = self.i.builder, x.dims, self.i.memory()
        self.spend((n,))
        steps = [builder.select(builder.icmp_signed("==", n, word(1)), word(0), a.strides[0])
                 for a in (x, y)]
        self.i.call_address(function, VOID, [x.data, steps[0], y.data, steps[1], out, n, NULL])
        return self.register(out, x.dtype)

    def filled(self, e: Equation) -> Memory:
        out = e.outputs[0]
        dims = tuple(map(word, static_shape(out) or ()))
        kind = self.kind_of(out)
        assert isinstance(kind, Array)
        made = self.fresh(out, kind.dtype, dims)
        if e.op in UNFILLED and kind.dtype != BOOL:
            return made
        number = FILLED[e.op]
        self.fill_with(made, self.stored(e.args[1], kind.dtype) if number is None else (
            self.lanes(1).constant(number, kind.dtype)))
        return made

    def in_steps(self, out: Value, ints: range) -> Memory:
        """Returns an array of the ints of a range."""
        made = self.fresh(out, INT, (word(len(ints)),))
        self.spend(made.dims)
        builder = self.i.builder
        with self.times(word(0), made.dims[0]) as k:
            number = builder.add(word(ints.start), builder.mul(k, word(ints.step)))
            self.lanes(1).store(number, self.moved(made.data, k, made.strides[0]), INT)
        return made

    def of_numbers(self, e: Equation) -> Memory:
        """Stores numbers one after the other."""
        out, kind = e.outputs[0], self.kind_of(e.outputs[0])
        assert isinstance(kind, Array)
        numbers = [self.as_type(x, kind.dtype) for x in e.args[0]]
        made = self.fresh(out, kind.dtype, (word(len(numbers)),))
        for k, number in enumerate(numbers):
            self.lanes(1).store(number, self.at(made.data, word(k * kind.dtype.itemsize)),
                                kind.dtype)
        return made

    def norm(self, e: Equation) -> Register:
        """As NumPy computes it: the root of the product of a vector in one piece with itself."""
        out = e.outputs[0]
        x = self.copied(out, self.of(e.args[0]))
        squared = self.multiplied(out, x, x)
        return Register(on_lanes(self.lanes(1), np.sqrt, x.dtype, squared.value))

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
        if self.is_mask(index):
            return self.chosen_by(e, x, self.of(index))
        if isinstance(index, Value) and isinstance(self.kind_of(index), Array):
            return self.taken(e, x, self.of(index))
        if (carried := self.carried_element(e, x)) is not None:
            return carried
        if is_reversed(self.kind_of(e.outputs[0])):
            return self.reversed(x)
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
        if self.is_mask(index):
            self.store_chosen(e, target, value)
            self.values[out] = x
            return
        target = self.view(target, index)
        given = self.kind_of(value)
        if isinstance(given, Array):
            assert isinstance(kind, Array)
            if given.memory is kind.memory:
                source = self.of(value)
                if not is_reversed(given):  # NumPy copies it first
                    self.disjoint_or_alike(target, source)
                self.assign(target, self.copied((out, "value"), source))
            else:
                chain = self.chain_of(value, given.dtype)
                if kind.memory in chain.memories:
                    chain = as_chain(self.of(value))
                self.write(chain, target)
        else:
            number = self.stored(value, x.dtype)
            self.fill_with(target, number)
            self.carry_on(e, number, x.dtype)
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
        loop = quick_loop(ufunc, dtypes, args[-1])
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
        if kind.dtype == INT and dtype.kind in "fc" and isinstance(atom, Value):
            limit = EXACT if PARTS.get(dtype, dtype).itemsize == 8 else 2 ** 24
            self.i.in_range(self.of(atom).value, -limit, limit)
        return self.as_type(atom, dtype)

    def result(self, e: Equation, dtype: Any, given: list[Any]) -> Memory:
        dims = self.broadcast([x.dims for x in given if isinstance(x, Memory)])
        return self.fresh(e.outputs[0], dtype, dims)

    def call_loops(self, loop: InnerLoop, given: list[Any], dtypes: tuple[Any, ...], out: Memory
                   ) -> None:
        """Calls NumPy's inner loop on each row."""
        self.spend(out.dims)
        *arrays, out = merged([
            *[self.spread(x, out.dims) if isinstance(x, Memory) else self.cell_of(x, d)
              for x, d in zip(given, dtypes, strict=False)], out])
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
