"""Functions that kernels call and that are the same for all: compiled once in a process, and found
by name. A function takes LLVM a millisecond at least, however short it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.locks import new_lock
from autograph.runtime.native.builder import Builder
from autograph.runtime.native.llvm_ir import (
    I32,
    I64,
    POINTER,
    STRICT,
    VOID,
    Function,
    Module,
    Value,
    array_of,
    word,
)
from autograph.runtime.native.strict_floats import call_address
from autograph.runtime.native.symbols import library, python, symbol

SPARE = 64
"""Bytes that a room has beyond what it was asked for: a vector."""


def ask(module: Module) -> Function:
    """Writes the function that lets other threads run; it gives 0 unless the user interrupts. It
    is hardly ever called."""
    function = Function(module, I32, [], "ask", "noinline cold", rare=True)
    builder = Builder(function.append_basic_block("entry"))
    state = call_address(builder, python("PyEval_SaveThread"), I64, [])
    call_address(builder, python("PyEval_RestoreThread"), VOID, [state])
    builder.ret(call_address(builder, python("PyErr_CheckSignals"), I32, []))
    return function


def grown(module: Module) -> Function:
    """Writes the function that makes a room large enough and gives its address; 0 if there is no
    memory."""
    function = Function(module, POINTER, [POINTER, I64], "grown")
    cell, size = function.args
    builder = Builder(function.append_basic_block("entry"))
    more, done = (function.append_basic_block(n) for n in ("more", "done"))
    end = builder.at(cell, word(8))
    enough = builder.icmp_unsigned("<", size, builder.load(end, typ=I64))
    builder.cbranch(enough, done, more)
    builder.position_at_end(more)
    call_address(builder, library("free"), VOID, [builder.load(cell, typ=POINTER)])
    room = builder.add(size, word(SPARE))
    found = call_address(builder, library("malloc"), POINTER, [room])
    builder.store(found, cell)
    builder.store(room, end)
    builder.branch(done)
    builder.position_at_end(done)
    builder.ret(builder.load(cell, typ=POINTER))
    return function


def calls(count: int) -> Callable[[Module], Function]:
    """Returns what writes the function that calls an inner loop of NumPy's: it is given the loop,
    its data and the length, and address and step of so many arrays."""
    return _CALLS[count]


def _call_of(count: int) -> Callable[[Module], Function]:
    def write(module: Module) -> Function:
        function = Function(module, VOID, [POINTER, POINTER, I64, *[POINTER, I64] * count],
                            f"call {count}", STRICT)
        builder = Builder(function.append_basic_block("entry"))
        loop, data, length, *cells = function.args
        addresses, steps = (builder.alloca(array_of(I64, count)) for _ in range(2))
        size = builder.alloca(I64)
        builder.store(length, size)
        for k in range(count):
            for table, x in ((addresses, cells[2 * k]), (steps, cells[2 * k + 1])):
                builder.store(x, builder.at(table, word(8 * k)))
        call_address(builder, loop, VOID, [addresses, size, steps, data])
        builder.ret_void()
        return function
    return write


_CALLS = {count: _call_of(count) for count in range(2, 5)}

_lock = new_lock()

_known: dict[Callable[[Module], Function], tuple[Value, Any]] = {}
"""What stands for each function, and the engine that has its code."""


def common(write: Callable[[Module], Function]) -> Value:
    """Returns the pointer to a function that all kernels share."""
    with _lock:
        if write not in _known:
            _known[write] = _compiled(write)
        return _known[write][0]


def _compiled(write: Callable[[Module], Function]) -> tuple[Value, Any]:
    from autograph.runtime.native.compiler import compile_module
    module = Module(write.__name__)
    function = write(module)
    function.internal = False
    name, = (x for x, f in module.functions.items() if f is function)
    engine, address = compile_module(str(module), "none", name)
    return symbol(name, address), engine
