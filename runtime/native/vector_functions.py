"""NumPy's functions of eight floats, called for one.

With AVX-512, NumPy has functions of vectors in its library (Intel's Short Vector Math Library) for
most of what it asks the C library for elsewhere. An inner loop that is called for a single float
spends three quarters of its time on the way there, through memory. Here the float goes in a
register: the other lanes have a number that no function takes long for, or minds.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from autograph.runtime.native import compiler
from autograph.runtime.native.builder import Builder
from autograph.runtime.native.llvm_ir import DOUBLE, Function, Literal, Module, Value, vector_of
from autograph.runtime.native.machine import address_of
from autograph.runtime.native.symbols import symbol

EIGHT = vector_of(DOUBLE, 8)

NEEDED = {f"+avx512{part}" for part in ("f", "cd", "bw", "dq", "vl")}
"""What the processor must have: the functions are for no other."""

ACCURACIES = "_ha", ""
"""How the names of the functions end, of which NumPy calls one: that of high accuracy first."""

HARMLESS, ABOVE_ONE = 0.5, {"acosh": 2.0}
"""What the other lanes have: nearly every function has a common value there."""


def functions_of_one(name: str, inputs: int) -> Iterator[tuple[Value, Any]]:
    """Yields what calls a function of NumPy's for one float, by its name in the C library: for
    machine code, and for Python."""
    if not NEEDED.issubset(compiler.processor()[1].split(",")):
        return
    for end in ACCURACIES:
        address = _compiled(f"{name}8{end}", inputs, ABOVE_ONE.get(name, HARMLESS))
        if address:
            yield symbol(f"one {name}8{end}", address), ctypes.CFUNCTYPE(
                ctypes.c_double, *[ctypes.c_double] * inputs)(address)


_engines: list[Any] = []
"""Machine code that kernels call lasts as long as the process."""


@cache
def _compiled(name: str, inputs: int, other: float) -> int:
    """Returns the address of a function of one float; 0 where NumPy has none of vectors."""
    library = ctypes.CDLL(importlib.import_module("numpy._core._multiarray_umath").__file__)
    try:
        of_vectors = address_of(getattr(library, f"__svml_{name}"))
    except AttributeError:
        return 0
    module = Module("function of one float")
    function = Function(module, DOUBLE, [DOUBLE] * inputs, "kernel")
    b = Builder(function.append_basic_block("entry"))
    others = Literal(EIGHT, other)
    given = [b.write(EIGHT, f"insertelement {others}, {x}, i32 0") for x in function.args]
    made = b.call_pointer(symbol(f"vectors {name}", of_vectors).text, EIGHT, given)
    b.ret(b.write(DOUBLE, f"extractelement {made}, i32 0"))
    engine, address = compiler.compile_module(str(module), passes="none")
    _engines.append(engine)
    return address
