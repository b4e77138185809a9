"""The entry of a loop's kernel: a C function that Python calls with the objects themselves.

It takes arrays in C order without gaps; for all other objects it calls the function that Python
gave, and so it does for kernels that need another layout, and after comparisons that may have met
a NaN. It returns a tuple of the results, or
None where the loop has to run in another way.

All loops that take and give objects of one form have one entry: where the loop is, it is told by
the object that Python calls it with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from autograph.runtime.native.array_kernel import excused
from autograph.runtime.native.entry import BOX, RESULT, has_flag
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.instructions import GAPS, INTERRUPTED
from autograph.runtime.native.kinds import (
    BOOL,
    CLASSES,
    COMPLEX,
    FLOAT,
    IN_NUMPY,
    IN_PYTHON,
    INT,
    Array,
    Number,
)
from autograph.runtime.native.llvm_ir import (
    BIT,
    I32,
    I64,
    NULL,
    POINTER,
    VOID,
    Function,
    Literal,
    Module,
    array_of,
    word,
)
from autograph.runtime.native.machine import (
    ARRAY_DATA,
    ARRAY_DIMENSIONS,
    ARRAY_STRIDES,
    INVALID,
    RAISED,
    RANGE_PARTS,
)
from autograph.runtime.native.nest_writer import room
from autograph.runtime.native.numpy_api import ARRAY_COPY
from autograph.runtime.native.objects import TYPE, Objects
from autograph.runtime.native.strict_floats import call_address, llvm_type
from autograph.runtime.native.symbols import library, numpy, python

KEEP_ORDER = 2

ITEMS, CONTENTS = tuple.__basicsize__, bytes.__basicsize__ - 1
"""Offsets of the items of a tuple, and of what a `bytes` holds."""

DType = np.dtype[Any]


@dataclass(frozen=True, slots=True)
class GivenArray:
    """An array that is given; `written`: by the loop, and `in_place`: where it is."""

    dtype: DType
    rank: int
    written: bool
    in_place: bool


@dataclass(frozen=True, slots=True)
class GivenRange:
    """A range that is given: its start, stop and step as far as they are known."""

    numbers: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class NewArray:
    """A result that is a new array."""

    dtype: DType
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """All that an entry depends on.

    results  an int stands for the array that is given with this number.
    rooms    of the loop's own memory.
    signals  the loop may raise where it compares a NaN; the function for other objects does not.
    """

    inputs: tuple[Number | GivenArray | GivenRange, ...]
    results: tuple[Number | NewArray | int, ...]
    rooms: int
    signals: bool


def form_of(native: NativeLoop, rooms: int, signals: bool) -> Form:
    """Returns the form of the objects that a loop takes and gives."""
    inputs: list[Number | GivenArray | GivenRange] = []
    for v in native.inputs:
        kind = native.kinds[v]
        if isinstance(kind, Array):
            inputs.append(GivenArray(
                kind.dtype, kind.rank, v in native.written, v in native.in_place))
        else:
            inputs.append(kind if isinstance(kind, Number) else GivenRange(
                native.numbers.get(v, (None,) * 3)))
    results: list[Number | NewArray | int] = []
    new = native.new_results()
    for k, kind in enumerate(native.results):
        if isinstance(kind, Array):
            results.append(NewArray(kind.dtype, native.shape_of(native.outputs[k])) if k in new
                           else native.inputs.index(kind.memory))
        else:
            assert isinstance(kind, Number)
            results.append(kind)
    return Form(tuple(inputs), tuple(results), rooms, signals)


@lru_cache(maxsize=512)
def entry_text(form: Form) -> str:
    """Returns the text of a module with the entry, `kernel`."""
    module = Module("entry")
    LoopEntry(form, module).write()
    return str(module)


class LoopEntry(Objects):
    """Writes the entry.

    given  for each input, what the loop takes of it.
    saved  for arrays that are given: a copy if the loop writes that, or what the array held before
           if the loop writes it where it is.
    new    the results that are new arrays.
    """

    def __init__(self, form: Form, module: Module) -> None:
        super().__init__(Function(
            module, POINTER, [POINTER, POINTER, I64], "kernel", "noinline optnone"))
        self.form = form
        self.given: list[Any] = []
        self.saved: dict[int, Any] = {}
        self.new: dict[int, Any] = {}

    def write(self) -> None:
        _, objects, count = self.function.args
        form, builder = self.form, self.builder
        self.require(builder.icmp_signed("==", count, word(len(form.inputs))))
        for k, x in enumerate(form.inputs):
            self.given.append(self.read(x, self.field(objects, 8 * k, POINTER)))
        for k, x in enumerate(form.inputs):
            if isinstance(x, GivenArray) and x.in_place:
                self.saved[k] = self.alive(self.kept(k, x))
            elif isinstance(x, GivenArray) and x.written:
                self.given[k] = self.saved[k] = self.alive(self.copied(self.given[k]))
        for k, result in enumerate(form.results):
            if isinstance(result, NewArray):
                lengths = list(map(word, result.shape))
                self.new[k] = self.alive(self.new_array(result.dtype, lengths))
        words = room(builder, max(1, RESULT * len(form.results)))
        self.run(words)
        found = [self.boxed(k, result, words) for k, result in enumerate(form.results)]
        self.drop(list(self.saved.values()))
        builder.ret(self.new_tuple(found))
        self.otherwise()

    def other(self) -> Any:
        return self.field(self.function.args[0], ITEMS, POINTER)

    def loop(self) -> Any:
        """Returns the address of the loop."""
        return self.field(self.field(self.function.args[0], ITEMS + 8, POINTER), CONTENTS, POINTER)

    def owned(self) -> list[Any]:
        return [*self.saved.values(), *self.new.values()]

    # -- inputs ------------------------------------------------------------------------------------

    def read(self, form: Number | GivenArray | GivenRange, x: Any) -> Any:
        """Checks an object; returns an array itself, a number, or the numbers of a range."""
        if isinstance(form, GivenArray):
            self.check_array(x, form.dtype, form.rank, form.written)
            return x
        if isinstance(form, Number):
            return self.number(form, x)
        self.check_class(x, range)
        return [self.integer(self.field(x, offset, POINTER)) if n is None else word(n)
                for n, offset in zip(form.numbers, RANGE_PARTS, strict=True)]

    def number(self, kind: Number, x: Any) -> Any:
        """Returns a number; with the word that tells its box, if only the run knows it."""
        if has_flag(kind):  # a float64 of NumPy's begins as one of Python's does
            found = self.field(x, TYPE, POINTER)
            in_numpy = self.is_object(found, kind.dtype.type)
            self.require(self.builder.or_(in_numpy, self.is_object(found, float)))
            return [self.in_memory(x, float, kind.dtype), self.builder.zext(in_numpy, I64)]
        cls: Any = kind.dtype.type if kind.box == IN_NUMPY else next(
            c for c, dtype in CLASSES.items() if dtype == kind.dtype)
        self.check_class(x, cls)
        found = self.in_memory(x, cls, kind.dtype)
        return self.builder.trunc(found, BIT) if kind.dtype == BOOL else found

    def copied(self, x: Any) -> Any:
        return call_address(self.builder, numpy(ARRAY_COPY), POINTER, [
            x, Literal(I32, KEEP_ORDER)])

    def alive(self, x: Any) -> Any:
        """Returns a new object; without memory, the call ends with Python's error."""
        builder = self.builder
        failed, on = (self.function.append_basic_block(n) for n in ("failed", "on"))
        builder.cbranch(builder.icmp_unsigned("==", builder.ptrtoint(x, I64), word(0)), failed, on)
        builder.position_at_end(failed)
        self.drop(self.owned())
        builder.ret(x)
        builder.position_at_end(on)
        return x

    # -- arrays that are written where they are ----------------------------------------------------

    def memory(self, k: int, form: GivenArray) -> tuple[Any, Any]:
        """Returns where the elements of an array are, and how many bytes they take."""
        data, *sizes = self.parts(k, form)
        return data, reduce(self.builder.mul, sizes[:form.rank], word(form.dtype.itemsize))

    def kept(self, k: int, form: GivenArray) -> Any:
        """Returns a `bytes` of what an array holds, for a run that leaves the loop."""
        data, size = self.memory(k, form)
        return call_address(self.builder, python("PyBytes_FromStringAndSize"), POINTER, [
            data, size])

    def undo(self) -> None:
        """Ends a run that left the loop: gives the arrays what they held before."""
        for k, form in enumerate(self.form.inputs):
            if isinstance(form, GivenArray) and form.in_place:
                data, size = self.memory(k, form)
                kept = call_address(self.builder, python("PyBytes_AsString"), POINTER, [
                    self.saved[k]])
                call_address(self.builder, library("memcpy"), POINTER, [data, kept, size])

    # -- the run -----------------------------------------------------------------------------------

    def parts(self, k: int, form: Number | GivenArray | GivenRange) -> list[Any]:
        """Returns what the loop takes of an input."""
        x = self.given[k]
        if not isinstance(form, GivenArray):
            return x if isinstance(x, list) else [x]
        found = [self.field(x, ARRAY_DATA, POINTER)]
        for offset in (ARRAY_DIMENSIONS, ARRAY_STRIDES):
            table = self.field(x, offset, POINTER)
            found += [self.field(table, 8 * k, I64) for k in range(form.rank)]
        return found

    def run(self, words: Any) -> None:
        """Calls the loop; leaves where it left, or where NumPy would warn."""
        builder, form = self.builder, self.form
        heap = builder.alloca(array_of(I64, 2 * max(1, form.rooms)))
        cells = [builder.at(heap, word(8 * k)) for k in range(2 * form.rooms)]
        for cell in cells:
            builder.store(word(0), cell)
        self.clear_exceptions()
        given = [part for k, x in enumerate(form.inputs) for part in self.parts(k, x)]
        new = [self.field(x, ARRAY_DATA, POINTER) for x in self.new.values()]
        status = builder.call_pointer(self.loop().text, I32, [*given, words, *new, heap])
        raised = self.raised()
        for cell in cells[::2]:
            call_address(builder, library("free"), VOID, [
                builder.load(cell, typ=POINTER)])
        left = builder.and_(status, Literal(I32, (1 << RAISED) - 1))
        made = self.owned()
        other_form = builder.icmp_signed("==", left, Literal(I32, GAPS))
        if form.signals:
            invalid = builder.icmp_signed("!=", builder.and_(raised, word(INVALID)), word(0))
            other_form = builder.or_(other_form, invalid)
        with builder.if_then(other_form):
            self.undo()
            self.drop(made)
            self.builder.branch(self.leave)
            builder.position_at_end(self.function.append_basic_block("unreached"))
        with builder.if_then(builder.icmp_signed("==", left, Literal(I32, INTERRUPTED))):
            self.drop(made)
            builder.ret(NULL)
            builder.position_at_end(self.function.append_basic_block("unreached"))
        pending = builder.zext(builder.lshr(status, Literal(I32, RAISED)), I64)
        self.go_on_if_excused(builder.or_(raised, pending), builder.zext(left, I64), excused,
                              made)

    # -- results -----------------------------------------------------------------------------------

    def boxed(self, k: int, result: Number | NewArray | int, words: Any) -> Any:
        """Returns the k-th result, one reference more."""
        if isinstance(result, NewArray):
            return self.new[k]
        if isinstance(result, int):
            return self.share(self.given[result])
        where = self.builder.at(words, word(8 * RESULT * k))
        if result.box == IN_NUMPY:
            return self.in_numpy(result, where)
        if result.box == IN_PYTHON:
            return self.in_python(result, where)
        return self.either(result, where)

    def either(self, kind: Number, where: Any) -> Any:
        """Returns a number in the box that the loop noted."""
        builder, function = self.builder, self.function
        blocks = [function.append_basic_block(n) for n in ("numpy", "python", "boxed")]
        flag = builder.load(builder.at(where, word(8 * BOX)), typ=I64)
        builder.cbranch(builder.icmp_signed("!=", flag, word(0)), blocks[0], blocks[1])
        ways = []
        for block, box in zip(blocks, (self.in_numpy, self.in_python), strict=False):
            builder.position_at_end(block)
            ways.append((box(kind, where), builder.block))
            builder.branch(blocks[2])
        builder.position_at_end(blocks[2])
        found = builder.phi(POINTER)
        for x, block in ways:
            found.add_incoming(x, block)
        return found

    def in_numpy(self, kind: Number, where: Any) -> Any:
        if kind.dtype.kind == "f" and kind.dtype != FLOAT:
            x = self.builder.load(where, typ=llvm_type(FLOAT))
            where = room(self.builder, 1)
            self.builder.store(self.builder.fptrunc(x, llvm_type(kind.dtype)), where)
        return self.new_scalar(where, kind.dtype)

    def in_python(self, kind: Number, where: Any) -> Any:
        builder = self.builder
        if kind.dtype == FLOAT:
            x = builder.load(where, typ=llvm_type(FLOAT))
            return call_address(builder, python("PyFloat_FromDouble"), POINTER, [x])
        if kind.dtype == COMPLEX:
            parts = builder.parts(builder.load(where, typ=llvm_type(COMPLEX)))
            return call_address(builder, python("PyComplex_FromDoubles"), POINTER, parts)
        x = builder.load(where, typ=I64)
        name = "PyLong_FromLongLong" if kind.dtype == INT else "PyBool_FromLong"
        return call_address(builder, python(name), POINTER, [x])
