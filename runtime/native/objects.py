"""Objects: what an entry in machine code does with Python's objects.

An entry is a C function that Python calls with the objects themselves; those that it does not take
go to another function of Python's, and so does its call.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    word,
)
from autograph.runtime.native.machine import (
    ARRAY_DTYPE,
    ARRAY_FLAGS,
    ARRAY_RANK,
    FLAGS,
    UNDERFLOW,
    address_of,
)
from autograph.runtime.native.nest_writer import at, room
from autograph.runtime.native.numpy_api import (
    ARRAY_NEW,
    ARRAY_SCALAR,
    SCALAR_VALUE,
)
from autograph.runtime.native.strict_floats import call_address, llvm_type
from autograph.runtime.native.symbols import (
    as_number,
    float_exceptions,
    numpy,
    python,
    symbol,
    thing,
)

TYPE = 8
"""Offset of an object's class."""

CONTIGUOUS_AND_ALIGNED, ALIGNED, WRITEABLE = 0x101, 0x100, 0x400


class Objects:
    """Writes `entry(self, objects, count)`."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.builder = Builder(function.append_basic_block("entry"))
        self.leave = function.append_basic_block("otherwise")

    def otherwise(self) -> None:
        """Hands the objects over."""
        self.builder.position_at_end(self.leave)
        _, objects, count = self.function.args
        self.builder.ret(call_address(self.builder, python("PyObject_Vectorcall"), POINTER, [
            self.other(), objects, count, NULL]))

    def other(self) -> Any:
        """Returns the function of Python's for all other cases."""
        return self.function.args[0]

    def require(self, holds: Any) -> None:
        on = self.function.append_basic_block("on")
        self.builder.cbranch(holds, on, self.leave)
        self.builder.position_at_end(on)

    def field(self, base: Any, offset: int, t: Any) -> Any:
        return self.builder.load(at(self.builder, base, word(offset)), typ=t)

    def is_object(self, x: Any, known: Any) -> Any:
        return self.builder.icmp_unsigned(
            "==", self.builder.ptrtoint(x, I64), as_number(thing(known)))

    def check_class(self, x: Any, cls: type) -> None:
        self.require(self.is_object(self.field(x, TYPE, POINTER), cls))

    def check_array(self, x: Any, dtype: np.dtype[Any], rank: int, written: bool = False,
                    gaps: bool = False) -> None:
        """Checks that an object is an array in C order without gaps, or an array with `gaps`; and
        that it can be written: Python raises at the first store if not, and not if there is none.
        """
        builder = self.builder
        self.check_class(x, np.ndarray)
        self.require(self.is_object(self.field(x, ARRAY_DTYPE, POINTER), dtype))
        found = self.field(x, ARRAY_RANK, I32)
        self.require(builder.icmp_signed("==", found, Literal(I32, rank)))
        wanted = Literal(I32, (ALIGNED if gaps else CONTIGUOUS_AND_ALIGNED) | (
            WRITEABLE if written else 0))
        flags = builder.and_(self.field(x, ARRAY_FLAGS, I32), wanted)
        self.require(builder.icmp_signed("==", flags, wanted))

    def held(self, dtype: np.dtype[Any]) -> Any:
        return BYTE if dtype == BOOL else llvm_type(dtype)

    def in_memory(self, x: Any, cls: type, dtype: np.dtype[Any]) -> Any:
        """Returns the number in an object, as it is held in memory."""
        if cls is int:
            return self.integer(x)
        if cls is bool:
            return self.builder.zext(self.is_object(x, True), BYTE)
        return self.field(x, SCALAR_VALUE, self.held(dtype))

    def integer(self, x: Any) -> Any:
        """Returns an int of Python's that fits."""
        overflow = room(self.builder, 1)
        found = call_address(self.builder, python("PyLong_AsLongLongAndOverflow"), I64, [
            x, overflow])
        self.require(self.builder.icmp_signed(
            "==", self.builder.load(overflow, typ=I32), Literal(I32, 0)))
        return found

    def new_array(self, dtype: np.dtype[Any], shape: Sequence[Any]) -> Any:
        builder, null = self.builder, NULL
        dims = room(builder, max(1, len(shape)))
        for k, n in enumerate(shape):
            builder.store(n, at(builder, dims, word(8 * k)))
        i32 = [Literal(I32, n) for n in (len(shape), dtype.num, 0, 0)]
        return call_address(builder, numpy(ARRAY_NEW), POINTER, [
            thing(np.ndarray), i32[0], dims, i32[1], null, null, i32[2], i32[3], null])

    def new_scalar(self, where: Any, dtype: np.dtype[Any]) -> Any:
        """Returns a NumPy scalar of what is in memory."""
        return call_address(self.builder, numpy(ARRAY_SCALAR), POINTER, [
            where, thing(dtype), NULL])

    def new_tuple(self, found: list[Any]) -> Any:
        builder = self.builder
        result = call_address(builder, python("PyTuple_New"), POINTER, [word(len(found))])
        for k, x in enumerate(found):
            call_address(builder, python("PyTuple_SetItem"), I32, [result, word(k), x])
        return result

    def share(self, x: Any) -> Any:
        call_address(self.builder, python("Py_IncRef"), VOID, [x])
        return x

    def exceptions(self, name: str, flags: int) -> Any:
        return call_address(self.builder, float_exceptions(name), I32, [Literal(I32, flags)])

    def clear_exceptions(self) -> None:
        """Clears the floating-point exceptions if there are any: that takes long."""
        found = self.exceptions("fetestexcept", FLAGS | UNDERFLOW)
        any_ = self.builder.icmp_signed("!=", found, Literal(I32, 0))
        with self.builder.if_then(any_):
            self.exceptions("feclearexcept", 0x3d)

    def raised(self) -> Any:
        """Returns the exceptions that were raised since."""
        return self.builder.zext(self.exceptions("fetestexcept", FLAGS | UNDERFLOW), I64)

    def go_on_if_excused(self, raised: Any, bad: Any, excused: Any, made: list[Any]) -> None:
        """Returns Python's None unless nothing is raised or bad, or a function excuses it."""
        builder = self.builder
        clean = builder.icmp_signed("==", builder.or_(raised, bad), word(0))
        ask, done, drop = (self.function.append_basic_block(n) for n in ("ask", "done", "drop"))
        builder.cbranch(clean, done, ask)
        builder.position_at_end(ask)
        answer = call_address(builder, symbol("excused", address_of(excused)), I64, [raised, bad])
        builder.cbranch(builder.icmp_signed("!=", answer, word(0)), done, drop)
        builder.position_at_end(drop)
        self.undo()
        self.drop(made)
        builder.ret(self.share(thing(None)))
        builder.position_at_end(done)

    def undo(self) -> None:
        """Takes back what a run changed that gives no results."""

    def drop(self, made: list[Any]) -> None:
        for x in made:
            if x is not None:
                call_address(self.builder, python("Py_DecRef"), VOID, [x])
