"""The entry of a kernel: reads Python's objects, calls the loop, asks for exceptions of floats."""

from __future__ import annotations

from typing import Any

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.instructions import GAPS
from autograph.runtime.native.kinds import Array, Kind, Number
from autograph.runtime.native.llvm_ir import (
    I32,
    I64,
    POINTER,
    VOID,
    Function,
    Literal,
    Module,
    array_of,
)
from autograph.runtime.native.machine import (
    ARRAY_DATA,
    ARRAY_DIMENSIONS,
    ARRAY_STRIDES,
    FLAGS,
    INVALID,
    RAISED,
    UNDERFLOW,
)
from autograph.runtime.native.strict_floats import call_address, llvm_type
from autograph.runtime.native.symbols import float_exceptions, library

RESULT, BOX = 3, 2
"""How many words the kernel writes for each result; and which one tells the box of a number."""


def parameters(native: NativeLoop, as_parts: bool) -> list[Any]:
    """Returns the types of what the kernel takes, or the loop, for which arrays are given in parts:
    the inputs, the words of the results, the arrays of the results, for the loop the rooms."""
    found: list[Any] = []
    for v in native.inputs:
        kind = native.kinds[v]
        if isinstance(kind, Array):
            found += [POINTER, *[I64] * (2 * kind.rank * as_parts)]
        else:
            found += _held(kind, as_parts) if isinstance(kind, Number) else [I64] * 3
            found += [I64] * has_flag(kind)
    found.append(POINTER)
    found += [POINTER] * len(native.new_results())
    return [*found, POINTER] if as_parts else found


def has_flag(kind: Kind) -> bool:
    """Returns True for a number whose box only the run knows: a word behind it tells if it is
    NumPy's."""
    return isinstance(kind, Number) and len(kind.box) == 2


def _held(kind: Number, as_pair: bool) -> list[Any]:
    t = llvm_type(kind.dtype)
    return [t] if as_pair or not t.parts else list(t.parts)


def add_entry(native: NativeLoop, module: Module, inner: Function, rooms: int, signals: bool
              ) -> None:
    """Reads the objects, and asks for the floating-point exceptions of the loop. `signals`: it may
    raise one where it compares a NaN; the values are those of another function then."""
    types = parameters(native, as_parts=False)
    function = Function(module, I32, types, "kernel", "noinline optnone")
    builder = Builder(function.append_basic_block("entry"))
    given, arguments = list(function.args), []
    for v in native.inputs:
        kind = native.kinds[v]
        if isinstance(kind, Array):
            arguments += _fields(builder, given.pop(0), kind.rank)
        else:
            parts = [given.pop(0) for _ in (
                _held(kind, False) if isinstance(kind, Number) else range(3))]
            in_pair = isinstance(kind, Number) and len(parts) == 2
            arguments += [builder.pair(*parts)] if in_pair else parts
            arguments += [given.pop(0) for _ in range(has_flag(kind))]
    arguments += [_field(builder, x, ARRAY_DATA, POINTER) for x in given]
    heap = builder.alloca(array_of(I64, 2 * max(1, rooms)))
    cells = [builder.at(heap, Literal(I64, 8 * k))
             for k in range(2 * rooms)]
    for cell in cells:
        builder.store(Literal(I64, 0), cell)
    _call(builder, "feclearexcept", 0x3d)
    status = builder.call(inner, [*arguments, heap])
    raised = _call(builder, "fetestexcept", FLAGS | UNDERFLOW)
    for cell in cells[::2]:
        call_address(builder, library("free"), VOID, [
            builder.load(cell, typ=POINTER)])
    found = builder.or_(status, builder.shl(raised, Literal(I32, RAISED)))
    if signals:
        invalid = builder.icmp_signed(
            "!=", builder.and_(raised, Literal(I32, INVALID)), Literal(I32, 0))
        found = builder.select(invalid, Literal(I32, GAPS), found)
    builder.ret(found)


def _call(builder: Builder, name: str, flags: int) -> Any:
    return call_address(builder, float_exceptions(name), I32, [Literal(I32, flags)])


def _field(builder: Builder, base: Any, offset: int, t: Any) -> Any:
    where = builder.at(base, Literal(I64, offset))
    return builder.load(where, typ=t)


def _fields(builder: Builder, array: Any, rank: int) -> list[Any]:
    found = [_field(builder, array, ARRAY_DATA, POINTER)]
    for offset in (ARRAY_DIMENSIONS, ARRAY_STRIDES):
        table = _field(builder, array, offset, POINTER)
        found += [_field(builder, table, 8 * k, I64) for k in range(rank)]
    return found
