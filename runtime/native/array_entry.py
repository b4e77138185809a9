"""The entry of an array kernel: a C function that Python calls with the objects themselves.

It checks every object; where one is not what the nest was made for, or where NumPy would warn, it
hands the objects to the kernel's Python function instead.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph.runtime.native.llvm_ir import (
    BYTE,
    I64,
    POINTER,
    VOID,
    Function,
    Module,
    word,
)
from autograph.runtime.native.loop_nest import Nest, Register, Span
from autograph.runtime.native.machine import (
    ARRAY_DATA,
    ARRAY_DIMENSIONS,
)
from autograph.runtime.native.nest_memory import ALIGNED, BAD, PENDING
from autograph.runtime.native.nest_to_llvm import NestPrinter
from autograph.runtime.native.nest_writer import at, room
from autograph.runtime.native.objects import Objects
from autograph.runtime.native.strict_floats import call_address
from autograph.runtime.native.symbols import library, python

SMALL = 1 << 17
"""Bytes of scratch memory on the stack; more are asked of the C library."""

LONG_WORK = 1 << 16
"""Elements times instructions from which on other threads run meanwhile."""

Shape = tuple[int, ...] | None


class EntryPrinter(Objects):
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
        super().__init__(self.function)
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
        self.otherwise()

    def scratch(self) -> Any:
        size = max(self.homes.bytes, 8)
        if size > SMALL:
            return None
        return room(self.builder, size, BYTE, ALIGNED)

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
        self.check_class(x, cls)
        for r in registers:
            self.enter(self.in_memory(x, cls, r.dtype), r, words)

    def array(self, x: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
        """Returns the address of the elements of an array in C order."""
        self.check_array(x, dtype, len(shape))
        dims = self.field(x, ARRAY_DIMENSIONS, POINTER)
        for k, n in enumerate(shape):
            self.require(self.builder.icmp_signed("==", self.field(dims, 8 * k, I64), word(n)))
        return self.field(x, ARRAY_DATA, POINTER)

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

    def call_run(self, run: Function, data: Any, words: Any, scratch: Any) -> None:
        builder = self.builder
        work = math.prod(self.nest.shape) * len(list(self.nest.instructions()))
        large = scratch is None
        if large:
            scratch = call_address(builder, library("malloc"), POINTER, [
                word(self.homes.bytes)])
        if work >= LONG_WORK:
            state = call_address(builder, python("PyEval_SaveThread"), POINTER, [])
        builder.call(run, [data, words, scratch])
        if work >= LONG_WORK:
            call_address(builder, python("PyEval_RestoreThread"), VOID, [state])
        if large:
            call_address(builder, library("free"), VOID, [scratch])

    def settle(self, words: Any, made: list[Any]) -> None:
        """Gives up where lanes were refused, or where NumPy would warn."""
        builder = self.builder
        raised = builder.or_(self.raised(), self.field(words, 8 * PENDING, I64))
        self.go_on_if_excused(raised, self.field(words, 8 * BAD, I64), self.excused, made)
