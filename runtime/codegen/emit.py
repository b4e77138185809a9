"""Lowers a program and prints it as one function over NumPy."""

from __future__ import annotations

from autograph.runtime.codegen.emitted import Emitted
from autograph.runtime.codegen.python_printer import PythonPrinter
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.statements import Lowered
from autograph.runtime.ir.verifier import check_if_on
from autograph.runtime.lower.lowering import Lowering, lower_program


def emit(program: Program, name: str = "run", reserved: frozenset[str] = frozenset(),
         native: bool = False) -> Emitted:
    """Writes the program as one Python function, which uses none of the `reserved` names.

    `native`: loops that have a native form are compiled.
    """
    made = _lowered(program, name, reserved, native and not program.by_reference)
    check_if_on(made)
    printer = PythonPrinter()
    source = printer.program(made)
    return Emitted(source, made, printer.locations, printer.frames, program)


def _lowered(program: Program, name: str, reserved: frozenset[str], native: bool) -> Lowered:
    if not native:  # most programs never are: what makes machine code is not loaded for them
        return lower_program(Lowering, program, name, reserved)
    from autograph.runtime.native.lowered_arrays import lowered
    return lowered(program, name, reserved)
