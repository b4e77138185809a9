"""The entry of a loop's kernel: a C function that Python calls with the objects themselves.

It takes arrays in C order without gaps; for all other objects it calls the function that Python
gave, and so it does for kernels that need another layout, and after comparisons that may have met
a NaN. It returns a tuple of the results, or
None where the loop has to run in another way.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from autograph.runtime.ir.graph import Value
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


class LoopEntry(Objects):
    """Writes the entry.

    given  for each input, what the loop takes of it.
    owned  the copies of arrays that the loop writes, what the others held that it writes where they
           are, and the new arrays.
    """

    def __init__(self, native: NativeLoop, module: Module, excused: Any) -> None:
        super().__init__(Function(
            module, POINTER, [POINTER, POINTER, I64], "kernel", "noinline optnone"))
        self.native = native
        self.excused = excused
        self.given: dict[Value, Any] = {}
        self.owned: dict[Any, Any] = {}

    def write(self, inner: Function, rooms: int, signals: bool) -> None:
        """`signals`: the loop may raise where it compares a NaN; the other function does not."""
        _, objects, count = self.function.args
        native, builder = self.native, self.builder
        self.require(builder.icmp_signed("==", count, word(len(native.inputs))))
        for k, v in enumerate(native.inputs):
            self.given[v] = self.read(v, self.field(objects, 8 * k, POINTER))
        for v in native.inputs:
            if v in native.in_place:
                self.owned[v] = self.alive(self.kept(v))
            elif v in native.written:
                self.given[v] = self.owned[v] = self.alive(self.copied(self.given[v]))
        for k in native.new_results():
            kind = native.results[k]
            assert isinstance(kind, Array)
            shape = native.shape_of(native.outputs[k])
            self.owned[k] = self.alive(self.new_array(kind.dtype, shape))
        words = room(builder, max(1, RESULT * len(native.outputs)))
        self.run(inner, words, rooms, signals)
        found = [self.boxed(k, words) for k in range(len(native.results))]
        self.drop([x for key, x in self.owned.items() if isinstance(key, Value)])
        builder.ret(self.new_tuple(found))
        self.otherwise()

    # -- inputs ------------------------------------------------------------------------------------

    def read(self, v: Value, x: Any) -> Any:
        """Checks an object; returns an array itself, a number, or the numbers of a range."""
        kind = self.native.kinds[v]
        if isinstance(kind, Array):
            self.check_array(x, kind.dtype, kind.rank, v in self.native.written)
            return x
        if isinstance(kind, Number):
            return self.number(kind, x)
        self.check_class(x, range)
        numbers = self.native.numbers.get(v, (None,) * 3)
        return [self.integer(self.field(x, offset, POINTER)) if n is None else word(n)
                for n, offset in zip(numbers, RANGE_PARTS, strict=True)]

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
        self.drop(list(self.owned.values()))
        builder.ret(x)
        builder.position_at_end(on)
        return x

    # -- arrays that are written where they are ----------------------------------------------------

    def memory(self, v: Value) -> tuple[Any, Any]:
        """Returns where the elements of an array are, and how many bytes they take."""
        kind = self.native.kinds[v]
        assert isinstance(kind, Array)
        data, *sizes = self.parts(v)
        return data, reduce(self.builder.mul, sizes[:kind.rank], word(kind.dtype.itemsize))

    def kept(self, v: Value) -> Any:
        """Returns a `bytes` of what an array holds, for a run that leaves the loop."""
        data, size = self.memory(v)
        return call_address(self.builder, python("PyBytes_FromStringAndSize"), POINTER, [
            data, size])

    def undo(self) -> None:
        """Ends a run that left the loop: gives the arrays what they held before."""
        for v in (v for v in self.owned if v in self.native.in_place):
            data, size = self.memory(v)
            kept = call_address(self.builder, python("PyBytes_AsString"), POINTER, [self.owned[v]])
            call_address(self.builder, library("memcpy"), POINTER, [data, kept, size])

    # -- the run -----------------------------------------------------------------------------------

    def parts(self, v: Value) -> list[Any]:
        """Returns what the loop takes of an input."""
        kind, x = self.native.kinds[v], self.given[v]
        if not isinstance(kind, Array):
            return x if isinstance(x, list) else [x]
        found = [self.field(x, ARRAY_DATA, POINTER)]
        for offset in (ARRAY_DIMENSIONS, ARRAY_STRIDES):
            table = self.field(x, offset, POINTER)
            found += [self.field(table, 8 * k, I64) for k in range(kind.rank)]
        return found

    def run(self, inner: Function, words: Any, rooms: int, signals: bool) -> None:
        """Calls the loop; leaves where it left, or where NumPy would warn."""
        builder, native = self.builder, self.native
        heap = builder.alloca(array_of(I64, 2 * max(1, rooms)))
        cells = [builder.at(heap, word(8 * k)) for k in range(2 * rooms)]
        for cell in cells:
            builder.store(word(0), cell)
        self.clear_exceptions()
        given = [part for v in native.inputs for part in self.parts(v)]
        new = [self.field(self.owned[k], ARRAY_DATA, POINTER) for k in native.new_results()]
        status = builder.call(inner, [*given, words, *new, heap])
        raised = self.raised()
        for cell in cells[::2]:
            call_address(builder, library("free"), VOID, [
                builder.load(cell, typ=POINTER)])
        left = builder.and_(status, Literal(I32, (1 << RAISED) - 1))
        made = list(self.owned.values())
        other_form = builder.icmp_signed("==", left, Literal(I32, GAPS))
        if signals:
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
        self.go_on_if_excused(builder.or_(raised, pending), builder.zext(left, I64), self.excused,
                              made)

    # -- results -----------------------------------------------------------------------------------

    def boxed(self, k: int, words: Any) -> Any:
        """Returns the k-th result, one reference more."""
        kind = self.native.results[k]
        if isinstance(kind, Array):
            if k in self.owned:
                return self.owned[k]
            return self.share(self.given[kind.memory])
        assert isinstance(kind, Number)
        where = self.builder.at(words, word(8 * RESULT * k))
        if kind.box == IN_NUMPY:
            return self.in_numpy(kind, where)
        if kind.box == IN_PYTHON:
            return self.in_python(kind, where)
        return self.either(kind, where)

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
