"""The entry of an array kernel: a C function that Python calls with the objects themselves.

It checks every object; where one is not what the nest was made for, or where NumPy would warn, it
hands the objects to the kernel's Python function instead.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.kinds import BOOL
from autograph.runtime.native.llvm_ir import (
    BYTE,
    I32,
    I64,
    NULL,
    POINTER,
    VOID,
    Function,
    Literal,
    Module,
    word,
)
from autograph.runtime.native.loop_nest import Nest, Register, Span
from autograph.runtime.native.machine import (
    ARRAY_DATA,
    ARRAY_DIMENSIONS,
    ARRAY_DTYPE,
    ARRAY_FLAGS,
    ARRAY_RANK,
    FLAGS,
    UNDERFLOW,
    address_of,
    c_function,
)
from autograph.runtime.native.nest_memory import ALIGNED, BAD, PENDING, RESERVED
from autograph.runtime.native.nest_to_llvm import NestPrinter
from autograph.runtime.native.nest_writer import at, room
from autograph.runtime.native.numpy_api import (
    ARRAY_NEW,
    ARRAY_SCALAR,
    SCALAR_VALUE,
    numpy_function,
)
from autograph.runtime.native.strict_floats import call_address, llvm_type

TYPE = 8
"""Offset of an object's class."""

CONTIGUOUS_AND_ALIGNED = 0x101

SMALL = 1 << 17
"""Bytes of scratch memory on the stack; more are asked of the C library."""

LONG_WORK = 1 << 16
"""Elements times instructions from which on other threads run meanwhile."""

Shape = tuple[int, ...] | None


def python(name: str) -> int:
    return address_of(getattr(ctypes.pythonapi, name))


class EntryPrinter:
    """Writes `entry(self, objects, count)`; `self` is the function for all other cases.

    given   the shape of each input; None for a number.
    classes the class of each input that is a number.
    lent    True if the arrays for the results are given, after the inputs.
    """

    def __init__(self, nest: Nest, given: list[Shape], classes: list[type | None], lent: bool,
                 excused: Any) -> None:
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
        self.other = self.function.append_basic_block("entry")
        self.builder = Builder(self.other)
        self.leave = self.function.append_basic_block("otherwise")
        self.write(printer.run)

    def text(self) -> str:
        """Returns the module."""
        return str(self.module)

    def write(self, run: Function) -> None:
        builder = self.builder
        me, objects, count = self.function.args
        arrays = [shape for _, shape in self.nest.outputs if shape is not None]
        data = room(builder, len(self.given) + len(arrays) + 1)
        expected = len(self.given) + self.lent * len(arrays)
        self.require(builder.icmp_signed("==", count, word(expected)))
        size = RESERVED + len(self.homes.words)
        words = room(builder, size)
        scratch = self.scratch()
        for k in (BAD, PENDING):
            builder.store(word(0), at(builder, words, word(8 * k)))
        for k, registers in enumerate(self.nest.inputs):
            self.input(k, registers, objects, data, words)
        made = self.results(objects, data)
        self.clear_exceptions()
        self.call_run(run, data, words, scratch)
        self.settle(words, made)
        builder.ret(self.boxed(words, made))
        builder.position_at_end(self.leave)
        builder.ret(call_address(builder, python("PyObject_Vectorcall"), POINTER, [
            me, objects, count, NULL]))

    def scratch(self) -> Any:
        size = max(self.homes.bytes, 8)
        if size > SMALL:
            return None
        return room(self.builder, size, BYTE, ALIGNED)

    def require(self, holds: Any) -> None:
        on = self.function.append_basic_block("on")
        self.builder.cbranch(holds, on, self.leave)
        self.builder.position_at_end(on)

    def field(self, base: Any, offset: int, t: Any) -> Any:
        return self.builder.load(at(self.builder, base, word(offset)), typ=t)

    def is_object(self, x: Any, thing: Any) -> Any:
        return self.builder.icmp_unsigned("==", self.builder.ptrtoint(x, I64), word(id(thing)))

    # -- inputs ------------------------------------------------------------------------------------

    def input(self, k: int, registers: list[Register], objects: Any, data: Any, words: Any) -> None:
        """Checks an object, and enters its address or its number in the tables."""
        x = self.field(objects, 8 * k, POINTER)
        cls, shape = self.classes[k], self.given[k]
        if cls is None:
            dtype = registers[0].dtype
            elements = self.array(x, dtype, shape or ())
            self.builder.store(elements, at(self.builder, data, word(8 * k)))
            numbers = [r for r in registers if r.span is Span.NUMBER]
            for r in numbers:
                offset = r.window.offset * dtype.itemsize if r.window else 0
                self.enter(self.builder.load(at(self.builder, elements, word(offset)),
                                             typ=self.held(dtype)), r, words)
            return
        self.require(self.is_object(self.field(x, TYPE, POINTER), cls))
        for r in registers:
            self.enter(self.number(x, cls, r), r, words)

    def array(self, x: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
        """Returns the address of the elements of an array in C order."""
        builder = self.builder
        self.require(self.is_object(self.field(x, TYPE, POINTER), np.ndarray))
        self.require(self.is_object(self.field(x, ARRAY_DTYPE, POINTER), dtype))
        rank = self.field(x, ARRAY_RANK, I32)
        self.require(builder.icmp_signed("==", rank, Literal(I32, len(shape))))
        flags = builder.and_(self.field(x, ARRAY_FLAGS, I32), Literal(
            I32, CONTIGUOUS_AND_ALIGNED))
        self.require(builder.icmp_signed("==", flags, Literal(I32, CONTIGUOUS_AND_ALIGNED)))
        dims = self.field(x, ARRAY_DIMENSIONS, POINTER)
        for k, n in enumerate(shape):
            self.require(builder.icmp_signed("==", self.field(dims, 8 * k, I64), word(n)))
        return self.field(x, ARRAY_DATA, POINTER)

    def held(self, dtype: np.dtype[Any]) -> Any:
        return BYTE if dtype == BOOL else llvm_type(dtype)

    def number(self, x: Any, cls: type, r: Register) -> Any:
        """Returns the number in an object, as it is held in memory."""
        if cls is int:
            overflow = room(self.builder, 1)
            found = call_address(self.builder, python("PyLong_AsLongLongAndOverflow"), I64, [
                x, overflow])
            self.require(self.builder.icmp_signed(
                "==", self.builder.load(overflow, typ=I32), Literal(I32, 0)))
            return found
        if cls is bool:
            return self.builder.zext(self.is_object(x, True), BYTE)
        return self.field(x, SCALAR_VALUE, self.held(r.dtype))

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
                x = self.new_array(r.dtype, shape)
            elements = self.field(x, ARRAY_DATA, POINTER)
            self.builder.store(elements, at(self.builder, data, word(8 * position)))
            made.append(x)
            position += 1
        return made

    def new_array(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
        builder, null = self.builder, NULL
        dims = room(builder, max(1, len(shape)))
        for k, n in enumerate(shape):
            builder.store(word(n), at(builder, dims, word(8 * k)))
        i32 = [Literal(I32, n) for n in (len(shape), dtype.num, 0, 0)]
        cls = builder.inttoptr(word(id(np.ndarray)), POINTER)
        return call_address(builder, numpy_function(ARRAY_NEW), POINTER, [
            cls, i32[0], dims, i32[1], null, null, i32[2], i32[3], null])

    def boxed(self, words: Any, made: list[Any]) -> Any:
        """Returns the result, or the tuple of the results."""
        found = [self.scalar(words, r) if x is None else x
                 for x, (r, _) in zip(made, self.nest.outputs, strict=True)]
        if len(found) == 1:
            return found[0]
        builder = self.builder
        result = call_address(builder, python("PyTuple_New"), POINTER, [word(len(found))])
        for k, x in enumerate(found):
            call_address(builder, python("PyTuple_SetItem"), I32, [result, word(k), x])
        return result

    def scalar(self, words: Any, r: Register) -> Any:
        where = at(self.builder, words, word(8 * self.homes.words[r]))
        dtype = self.builder.inttoptr(word(id(r.dtype)), POINTER)
        return call_address(self.builder, numpy_function(ARRAY_SCALAR), POINTER, [
            where, dtype, NULL])

    # -- the run -----------------------------------------------------------------------------------

    def exceptions(self, name: str, flags: int) -> Any:
        return call_address(self.builder, address_of(c_function(name, 1)), I32, [
            Literal(I32, flags)])

    def clear_exceptions(self) -> None:
        """Clears the floating-point exceptions if there are any: that takes long."""
        found = self.exceptions("fetestexcept", FLAGS | UNDERFLOW)
        any_ = self.builder.icmp_signed("!=", found, Literal(I32, 0))
        with self.builder.if_then(any_):
            self.exceptions("feclearexcept", 0x3d)

    def call_run(self, run: Function, data: Any, words: Any, scratch: Any) -> None:
        builder = self.builder
        work = math.prod(self.nest.shape) * len(list(self.nest.instructions()))
        large = scratch is None
        if large:
            library = ctypes.CDLL(None)
            scratch = call_address(builder, address_of(library.malloc), POINTER, [
                word(self.homes.bytes)])
        if work >= LONG_WORK:
            state = call_address(builder, python("PyEval_SaveThread"), POINTER, [])
        builder.call(run, [data, words, scratch])
        if work >= LONG_WORK:
            call_address(builder, python("PyEval_RestoreThread"), VOID, [state])
        if large:
            call_address(builder, address_of(library.free), VOID, [scratch])

    def settle(self, words: Any, made: list[Any]) -> None:
        """Gives up where lanes were refused, or where NumPy would warn."""
        builder = self.builder
        raised = builder.zext(self.exceptions("fetestexcept", FLAGS | UNDERFLOW), I64)
        raised = builder.or_(raised, self.field(words, 8 * PENDING, I64))
        bad = self.field(words, 8 * BAD, I64)
        clean = builder.icmp_signed("==", builder.or_(raised, bad), word(0))
        ask, done, drop = (self.function.append_basic_block(n) for n in ("ask", "done", "drop"))
        builder.cbranch(clean, done, ask)
        builder.position_at_end(ask)
        address = ctypes.cast(self.excused, ctypes.c_void_p).value or 0
        answer = call_address(builder, address, I64, [raised, bad])
        builder.cbranch(builder.icmp_signed("!=", answer, word(0)), done, drop)
        builder.position_at_end(drop)
        for x in made:
            if x is not None:
                call_address(builder, python("Py_DecRef"), VOID, [x])
        none = builder.inttoptr(word(id(None)), POINTER)
        call_address(builder, python("Py_IncRef"), VOID, [none])
        builder.ret(none)
        builder.position_at_end(done)
