"""Instructions of LLVM as exact code needs them: types of numbers, operations on floats that keep
their exceptions, calls of addresses."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.kinds import BOOL, FLOAT, PARTS
from autograph.runtime.native.llvm_ir import (
    BIT,
    BYTE,
    DOUBLE,
    FLOAT32,
    Literal,
    Module,
    Value,
    integer,
    metadata,
    pair_of,
)

DType = np.dtype[Any]

NEAREST = "round.tonearest"
"""How results are rounded."""

PREDICATES = {"==": "oeq", "!=": "une", "<": "olt", "<=": "ole", ">": "ogt", ">=": "oge"}
"""The names of comparisons of floats in LLVM."""


def llvm_type(dtype: DType) -> Any:
    """Returns how a number is held in a register; a complex one as a pair of its parts."""
    if dtype == BOOL:
        return BIT
    if dtype.kind == "f":
        return DOUBLE if dtype == FLOAT else FLOAT32
    if dtype.kind == "c":
        return pair_of(*[llvm_type(PARTS[dtype])] * 2)
    return integer(dtype.itemsize * 8)


def plain(number: Any, dtype: DType) -> Any:
    """Returns a number as Python's class for a dtype."""
    return {"f": float, "c": complex}.get(dtype.kind, int)(number)


def memory_type(dtype: DType) -> Any:
    """Returns how a number is held in an array."""
    return BYTE if dtype == BOOL else llvm_type(dtype)


def call_address(builder: Builder, function: Value, result: Any, arguments: list[Any]) -> Any:
    """Calls the function that a symbol stands for."""
    return builder.call_pointer(function.text, result, arguments)


def strict(module: Module, builder: Builder, name: str, arguments: list[Any], result: Any,
           *how: str) -> Any:
    """Does an operation on floats for its exceptions, too: LLVM neither drops nor moves it, unless
    the builder writes plain ones.

    See "Constrained Floating-Point Intrinsics" in the language reference of LLVM.
    """
    types = [a.type for a in arguments]
    if builder.is_plain and name in PLAIN and not all(isinstance(x, Literal) for x in arguments):
        if name in ("sqrt", "fma"):
            return builder.call(module.declared(f"llvm.{name}.{suffix(result)}", result, types),
                                arguments)
        return builder.plain(name, arguments, result)
    words = [metadata(word) for word in (*how, "fpexcept.strict")]
    overloads = types[:1] if name == "fcmp" else (
        [result, types[0]] if name in CONVERSIONS else [result])
    full = ".".join(["llvm.experimental.constrained", name, *map(suffix, overloads)])
    known = module.declared(full, result, [*types, *[w.type for w in words]])
    return builder.call(known, [*arguments, *words])


PLAIN = {"fadd", "fsub", "fmul", "fdiv", "fma", "sqrt", "fpext", "fptrunc"}
"""What LLVM may do in its plain form, where no exception can be lost."""

CONVERSIONS = ("fptosi", "fptoui", "sitofp", "uitofp", "fptrunc", "fpext")


def suffix(t: Any) -> str:
    """Returns the name of a type in the name of an intrinsic."""
    if t.count:
        return f"v{t.count}{suffix(t.element)}"
    return {"double": "f64", "float": "f32"}.get(str(t), str(t))
