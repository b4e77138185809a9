"""The entry of an array kernel: a C function that Python calls with the objects themselves.

It checks every object; where one is not what the nest was made for, or where NumPy would warn, it
hands the objects to the kernel's Python function instead.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from autograph.runtime.ir.types import Shape
from autograph.runtime.kernels.buffer_pool import BUFFERS, LARGE
from autograph.runtime.native.extents import extent_of, open_axes
from autograph.runtime.native.llvm_ir import (
    BIT,
    BYTE,
    I64,
    NULL,
    POINTER,
    VOID,
    Function,
    Literal,
    Module,
    Value,
    word,
)
from autograph.runtime.native.loop_nest import Nest, Register, Rows, Span
from autograph.runtime.native.machine import (
    ARRAY_DATA,
    ARRAY_DIMENSIONS,
    ARRAY_STRIDES,
)
from autograph.runtime.native.nest_memory import (
    ALIGNED,
    BAD,
    LENGTH,
    PENDING,
    PLANE,
    ROWS,
)
from autograph.runtime.native.nest_to_llvm import NestPrinter
from autograph.runtime.native.nest_writer import aligned, at, room
from autograph.runtime.native.objects import Objects
from autograph.runtime.native.strict_floats import call_address
from autograph.runtime.native.symbols import library, python, symbol, thing

SMALL, LITTLE = 1 << 17, 1 << 14
"""Bytes of scratch memory on the stack; more are asked of the C library. The second, where a call
tells how many are needed."""

TAKE = BUFFERS.take
"""Gives an array of the pool; machine code holds its address."""

LONG_WORK = 1 << 16
"""Elements times instructions from which on other threads run meanwhile."""


def step_between(r: Register) -> int:
    """Returns from how many elements of an array of any length a register has one."""
    return r.window.steps[0] if r.window and r.window.shape == (None,) else 1


class EntryPrinter(Objects):
    """Writes `entry(self, objects, count)`; `self` is the function for all other cases.

    given   the shape of each input; None for a number.
    classes the class of each input that is a number.
    lent    True if the arrays for the results are given, after the inputs.
    """

    def __init__(self, nest: Nest, given: list[Shape | None], classes: list[type | None],
                 lent: bool, excused: Any) -> None:
        self.nest = nest
        self.given = given
        self.classes = classes
        self.lent = lent
        self.excused = excused
        self.module = Module("arrays")
        printer = NestPrinter(nest, self.module)
        self.homes = printer.context.homes
        self.function = Function(  # what is done once for each call is compiled quickly
            self.module, POINTER, [POINTER, POINTER, I64], "kernel", "noinline optnone")
        super().__init__(self.function)
        self.opened: dict[int, Any] = {}
        """The open lengths by their axes, as the first array has them that has open ones."""
        self.packed: list[Any] = []
        """Of each matrix that may have gaps, the bit that it has none."""
        self.plane: Any = word(1)
        """The number of rows of a plane."""
        self.scratch: Any = None
        """The address of scratch memory."""
        self.is_much: Any = None
        """The bit that the C library was asked for it; None: it never is."""
        self.memory: Any = None
        """What it gave."""
        self.write(printer.run)

    def text(self) -> str:
        """Returns the module."""
        return str(self.module)

    def write(self, run: Function) -> None:
        builder = self.builder
        _, objects, count = self.function.args
        arrays = [shape for _, shape in self.nest.outputs if shape is not None]
        data = room(builder, len(self.given) + len(arrays) + 1)
        expected = len(self.given) + self.lent * len(arrays)
        self.require(builder.icmp_signed("==", count, word(expected)))
        words = room(builder, self.homes.size)
        for k in (BAD, PENDING):
            builder.store(word(0), at(builder, words, word(8 * k)))
        for k, registers in enumerate(self.nest.inputs):
            self.input(k, registers, objects, data, words)
        rows, length = self.extents()
        elements = builder.mul(rows, length)
        if self.opened:
            self.require(builder.icmp_signed(">", elements, word(0)))
            for k, extent in ((ROWS, rows), (LENGTH, length), (PLANE, self.plane)):
                builder.store(extent, at(builder, words, word(8 * k)))
        self.scratch = self.new_scratch(length)
        made = self.results(objects, data)
        self.clear_exceptions()
        self.call_run(run, [data, words, self.scratch], elements)
        self.settle(words, made)
        builder.ret(self.boxed(words, made))
        self.otherwise()

    def extents(self) -> tuple[Any, Any]:
        """Returns the number of rows, and of elements of a row."""
        builder, nest = self.builder, self.nest
        if nest.strided is None:
            shape = next((shape for shape in self.given if shape and open_axes(shape)), ())
            count = self.size_of(shape[:open_axes(shape)])
            rows, length = (builder.mul(count, word(x.each)) if x.open else word(x.each)
                            for x in (nest.rows, nest.length))
            return rows, length
        rows, length = self.rows_and_length()
        if nest.strided is not Rows.EACH:
            yes: Value = Literal(BIT, 1)
            joined = reduce(builder.and_, self.packed, yes)
            if nest.strided is Rows.ALL:
                self.require(joined)
            length = builder.select(joined, builder.mul(rows, length), length)
            rows = builder.select(joined, word(1), rows)
        return rows, length

    def rows_and_length(self) -> list[Any]:
        if not self.nest.has_planes:
            return self.lengths(self.nest.shape)
        planes, rows, length = self.lengths(next(s for s in self.given if s and len(s) == 3))
        self.plane = rows
        return [self.builder.mul(planes, rows), length]

    def lengths(self, shape: Shape) -> list[Any]:
        return [word(n) if isinstance(n, int) else self.opened[k] for k, n in enumerate(shape)]

    def size_of(self, shape: Shape) -> Any:
        """Returns the number of elements of an array."""
        return reduce(self.builder.mul, self.lengths(shape), word(1))

    def new_scratch(self, length: Any) -> Any:
        """Returns the address of scratch memory for rows of a length, on the stack if it is little.
        """
        size, builder = max(self.homes.bytes, 8), self.builder
        if self.homes.bytes <= SMALL and not self.homes.each:
            return room(builder, size, BYTE, ALIGNED)
        more = word(0)
        if self.homes.each:
            more = builder.mul(aligned(builder, length), word(self.homes.each))
        needed, own = builder.add(word(size), more), room(builder, LITTLE, BYTE, ALIGNED)
        self.is_much = builder.icmp_unsigned(">", needed, word(LITTLE))
        before = builder.block
        with builder.if_then(self.is_much):
            self.memory = call_address(
                builder, library("malloc"), POINTER, [builder.add(needed, word(ALIGNED))])
            address = builder.ptrtoint(self.memory, I64)
            self.require(builder.icmp_unsigned("!=", address, word(0)))
            beyond = builder.and_(builder.sub(word(0), address), word(ALIGNED - 1))
            found, asked = builder.at(self.memory, beyond), builder.block
        scratch, memory = builder.phi(POINTER), builder.phi(POINTER)
        for phi, there in ((scratch, found), (memory, self.memory)):
            phi.add_incoming(own, before)
            phi.add_incoming(there, asked)
        self.memory = memory
        return scratch

    # -- inputs ------------------------------------------------------------------------------------

    def input(self, k: int, registers: list[Register], objects: Any, data: Any, words: Any) -> None:
        """Checks an object, and enters its address or its number in the tables."""
        x = self.field(objects, 8 * k, POINTER)
        cls, shape = self.classes[k], self.given[k]
        if cls is None:
            dtype = registers[0].dtype
            elements = self.array(x, registers, shape or (), words)
            self.builder.store(elements, at(self.builder, data, word(8 * k)))
            numbers = [r for r in registers if r.span is Span.NUMBER]
            for r in numbers:
                offset = r.window.offset * dtype.itemsize if r.window else 0
                self.enter(self.builder.load(at(self.builder, elements, word(offset)),
                                             typ=self.held(dtype)), r, words)
            return
        self.check_class(x, cls)
        for r in registers:
            self.enter(self.in_memory(x, cls, r.dtype), r, words)

    def array(self, x: Any, registers: list[Register], shape: Shape, words: Any) -> Any:
        """Returns the address of the elements of an array in C order. Where lengths are open, all
        arrays have the same."""
        strided = [r for r in registers if r in self.homes.strides]
        in_rows = bool(strided) and len(shape) == self.nest.rank and (
            shape[0] != 1 or self.nest.has_planes)
        step = max(map(step_between, registers))
        self.check_array(x, registers[0].dtype, len(shape), gaps=in_rows or step > 1)
        dims = self.field(x, ARRAY_DIMENSIONS, POINTER)
        lengths = [self.field(dims, 8 * k, I64) for k in range(len(shape))]
        for first in {self.nest.rank - len(shape) if r in strided else 0 for r in registers}:
            for k, n in enumerate(shape):
                known = word(n) if isinstance(n, int) else (
                    self.opened.setdefault(first + k, lengths[k]))
                if known is not lengths[k]:
                    self.require(self.builder.icmp_signed("==", lengths[k], known))
        if step > 1:
            (stride,) = self.strides(x, 1)
            self.require(self.builder.or_(
                self.builder.icmp_signed("==", lengths[0], word(1)), self.builder.icmp_signed(
                    "==", stride, word(step * registers[0].dtype.itemsize))))
        size = registers[0].dtype.itemsize
        between = self.between(x, lengths, size) if in_rows else [word(0)]
        for r in strided:
            for k, stride in enumerate(between):
                where = at(self.builder, words, word(8 * (self.homes.strides[r] + k)))
                self.builder.store(stride, where)
        return self.field(x, ARRAY_DATA, POINTER)

    def strides(self, x: Any, rank: int) -> list[Any]:
        strides = self.field(x, ARRAY_STRIDES, POINTER)
        return [self.field(strides, 8 * k, I64) for k in range(rank)]

    def between(self, x: Any, lengths: list[Any], size: int) -> list[Any]:
        """Returns the bytes from row to row of an array, and from plane to plane, if it has some:
        rows are in C order and have no gaps in them."""
        builder = self.builder
        *outer, step = self.strides(x, len(lengths))
        narrow = builder.icmp_signed("==", lengths[-1], word(1))
        self.require(builder.or_(narrow, builder.icmp_signed("==", step, word(size))))
        inside, packed = builder.mul(lengths[-1], word(size)), list[Any]()
        for n, stride in zip(lengths[-2::-1], outer[::-1], strict=True):
            single = builder.icmp_signed("==", n, word(1))
            self.require(builder.or_(single, builder.icmp_signed(">=", stride, inside)))
            packed.append(builder.or_(single, builder.icmp_signed("==", stride, inside)))
            inside = builder.mul(n, builder.select(single, inside, stride))
        self.packed.append(reduce(builder.and_, packed))
        return outer[::-1]

    def enter(self, value: Any, r: Register, words: Any) -> None:
        where = at(self.builder, words, word(8 * self.homes.words[r]))
        self.builder.store(value, where)

    # -- results -----------------------------------------------------------------------------------

    def results(self, objects: Any, data: Any) -> list[Any]:
        """Makes the arrays of the results; None for a number."""
        made: list[Any] = []
        position = len(self.given)
        for r, shape in self.nest.outputs:
            if shape is None:
                made.append(None)
                continue
            if self.lent:
                x = self.field(objects, 8 * position, POINTER)
                call_address(self.builder, python("Py_IncRef"), VOID, [x])
            else:
                x = self.open_array(r.dtype, shape, made) if open_axes(shape) else (
                    self.new_array(r.dtype, self.lengths(shape)))
            elements = self.field(x, ARRAY_DATA, POINTER)
            self.builder.store(elements, at(self.builder, data, word(8 * position)))
            made.append(x)
            position += 1
        return made

    def open_array(self, dtype: np.dtype[Any], shape: Shape, made: list[Any]) -> Any:
        """Returns a new array, or a large one of the pool; `made`: the results before it."""
        builder = self.builder
        lengths = self.lengths(shape)
        size = builder.mul(self.size_of(shape), word(dtype.itemsize))
        large, small, on = (self.function.append_basic_block(n) for n in ("large", "small", "on"))
        builder.cbranch(builder.icmp_unsigned(">=", size, word(LARGE)), large, small)
        builder.position_at_end(small)
        new = self.new_array(dtype, lengths)
        builder.branch(on)
        builder.position_at_end(large)
        taken = self.taken(dtype, lengths, made)
        large = builder.block
        builder.branch(on)
        builder.position_at_end(on)
        found = builder.phi(POINTER)
        found.add_incoming(new, small)
        found.add_incoming(taken, large)
        return found

    def taken(self, dtype: np.dtype[Any], lengths: list[Any], made: list[Any]) -> Any:
        """Returns an array of the pool; Python's exception, if there is no memory for it."""
        builder = self.builder
        shape = self.new_tuple([call_address(builder, python("PyLong_FromLongLong"), POINTER, [n])
                                for n in lengths])
        given = room(builder, 2, POINTER)
        builder.store(shape, given)
        builder.store(thing(dtype), at(builder, given, word(8)))
        found = call_address(builder, python("PyObject_Vectorcall"), POINTER, [
            symbol("pool", id(TAKE)), given, word(2), NULL])
        call_address(builder, python("Py_DecRef"), VOID, [shape])
        raises, on = (self.function.append_basic_block(n) for n in ("raises", "on"))
        is_made = builder.icmp_unsigned("!=", builder.ptrtoint(found, I64), word(0))
        builder.cbranch(is_made, on, raises)
        builder.position_at_end(raises)
        self.free()
        self.drop(made)
        builder.ret(NULL)
        builder.position_at_end(on)
        return found

    def boxed(self, words: Any, made: list[Any]) -> Any:
        """Returns the result, or the tuple of the results."""
        found = [self.scalar(words, r) if x is None else x
                 for x, (r, _) in zip(made, self.nest.outputs, strict=True)]
        if len(found) == 1:
            return found[0]
        return self.new_tuple(found)

    def scalar(self, words: Any, r: Register) -> Any:
        where = at(self.builder, words, word(8 * self.homes.words[r]))
        return self.new_scalar(where, r.dtype)

    # -- the run -----------------------------------------------------------------------------------

    def call_run(self, run: Function, given: list[Any], elements: Any) -> None:
        """Calls the function that does the work; other threads run meanwhile, if it takes long."""
        builder, known = self.builder, extent_of(self.nest.shape)
        least = LONG_WORK // max(1, len(list(self.nest.instructions())))
        if known.open or known.each >= least:
            is_long = builder.icmp_unsigned(">=", elements, word(least))
            state = room(builder, 1, POINTER)
            with builder.if_then(is_long):
                builder.store(call_address(
                    builder, python("PyEval_SaveThread"), POINTER, []), state)
            builder.call(run, given)
            with builder.if_then(is_long):
                call_address(builder, python("PyEval_RestoreThread"), VOID, [
                    builder.load(state, typ=POINTER)])
        else:
            builder.call(run, given)
        self.free()

    def free(self) -> None:
        """Gives scratch memory back that is the C library's."""
        if self.is_much is not None:
            with self.builder.if_then(self.is_much):
                call_address(self.builder, library("free"), VOID, [self.memory])

    def settle(self, words: Any, made: list[Any]) -> None:
        """Gives up where lanes were refused, or where NumPy would warn."""
        builder = self.builder
        raised = builder.or_(self.raised(), self.field(words, 8 * PENDING, I64))
        self.go_on_if_excused(raised, self.field(words, 8 * BAD, I64), self.excused, made)
