"""Lowers a program and prints it as one function over NumPy."""

from __future__ import annotations

from autograph.runtime.codegen.emitted import Emitted
from autograph.runtime.codegen.python_printer import PythonPrinter
from autograph.runtime.ir.program import Program
from autograph.runtime.native.lowered_arrays import lowered


def emit(program: Program, name: str = "run", reserved: frozenset[str] = frozenset(),
         native: bool = False) -> Emitted:
    """Writes the program as one Python function, which uses none of the `reserved` names.

    `native`: loops that have a native form are compiled.
    """
    made = lowered(program, name, reserved, native)
    printer = PythonPrinter()
    source = printer.program(made)
    return Emitted(source, made, printer.locations, printer.frames, program)
