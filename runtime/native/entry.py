"""The entry of a kernel: reads Python's objects, calls the loop, asks for exceptions of floats."""

from __future__ import annotations

import ctypes
from typing import Any

from llvmlite import ir

from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.instructions import BYTE, I32, I64, POINTER, call_address, llvm_type
from autograph.runtime.native.kinds import Array, Number
from autograph.runtime.native.machine import (
    ARRAY_DATA,
    ARRAY_DIMENSIONS,
    ARRAY_STRIDES,
    FLAGS,
    RAISED,
    UNDERFLOW,
    address_of,
    c_function,
)


def parameters(native: NativeLoop, as_parts: bool) -> list[Any]:
    """Returns the types of what the kernel takes, or the loop, for which arrays are given in parts:
    the inputs, the words of the results, the arrays of the results, for the loop the rooms."""
    found: list[Any] = []
    for v in native.inputs:
        kind = native.kinds[v]
        if isinstance(kind, Array):
            found += [POINTER, *[I64] * (2 * kind.rank * as_parts)]
        else:
            found += [llvm_type(kind.dtype)] if isinstance(kind, Number) else [I64] * 3
    found.append(POINTER)
    found += [POINTER] * len(native.new_results())
    return [*found, POINTER] if as_parts else found


def add_entry(native: NativeLoop, module: ir.Module, inner: ir.Function, rooms: int) -> None:
    """Reads the objects, and asks for the floating-point exceptions of the loop."""
    types = parameters(native, as_parts=False)
    function = ir.Function(module, ir.FunctionType(I32, types), "kernel")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    given, arguments = list(function.args), []
    for v in native.inputs:
        kind = native.kinds[v]
        if isinstance(kind, Array):
            arguments += _fields(builder, given.pop(0), kind.rank)
        else:
            arguments += [given.pop(0) for _ in range(1 if isinstance(kind, Number) else 3)]
    arguments += [_field(builder, x, ARRAY_DATA, POINTER) for x in given]
    heap = builder.alloca(ir.ArrayType(I64, 2 * max(1, rooms)))
    heap.type = POINTER
    cells = [builder.gep(heap, [ir.Constant(I64, 8 * k)], source_etype=BYTE)
             for k in range(2 * rooms)]
    for cell in cells:
        builder.store(ir.Constant(I64, 0), cell)
    _call(builder, "feclearexcept", 0x3d)
    status = builder.call(inner, [*arguments, heap])
    raised = _call(builder, "fetestexcept", FLAGS | UNDERFLOW)
    for cell in cells[::2]:
        call_address(builder, address_of(ctypes.CDLL(None).free), ir.VoidType(), [
            builder.load(cell, typ=POINTER)])
    builder.ret(builder.or_(status, builder.shl(raised, ir.Constant(I32, RAISED))))


def _call(builder: ir.IRBuilder, name: str, flags: int) -> Any:
    address = address_of(c_function(name, 1))
    return call_address(builder, address, I32, [ir.Constant(I32, flags)])


def _field(builder: ir.IRBuilder, base: Any, offset: int, t: Any) -> Any:
    where = builder.gep(base, [ir.Constant(I64, offset)], source_etype=BYTE)
    return builder.load(where, typ=t)


def _fields(builder: ir.IRBuilder, array: Any, rank: int) -> list[Any]:
    found = [_field(builder, array, ARRAY_DATA, POINTER)]
    for offset in (ARRAY_DIMENSIONS, ARRAY_STRIDES):
        table = _field(builder, array, offset, POINTER)
        found += [_field(builder, table, 8 * k, I64) for k in range(rank)]
    return found
