"""Fast functions of a loop nest: one function of LLVM IR for each, of a vector.

`fast_floats` writes the values. Where one is not known, NumPy's loop is asked, element by element:
so its warnings are there, and what is extreme, infinite or no number is as it says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from autograph.runtime.native.compiler import multiplies_and_adds
from autograph.runtime.native.contraction import MultiplyAdd
from autograph.runtime.native.fast_floats import (
    DOUBLES_ONLY,
    FORMULAS,
    SIMPLE,
    Found,
    power_of,
)
from autograph.runtime.native.inner_loops import inner_loop
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.llvm_ir import (
    DOUBLE,
    POINTER,
    Function,
    Literal,
    Value,
    integer,
    word,
)
from autograph.runtime.native.loop_nest import VECTOR, Instruction
from autograph.runtime.native.nearest_floats import is_product
from autograph.runtime.native.nest_writer import Context, Writer, room
from autograph.runtime.native.strict_floats import suffix
from autograph.runtime.native.vectors import Vector

DType = np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Fast:
    """Stands for a ufunc in an instruction on lanes that need not give NumPy's bits.

    exponent  of a power that has a formula of its own.
    """

    ufunc: Any
    exponent: float | None = None

    @property
    def __name__(self) -> str:
        name = f"fast {self.ufunc.__name__}"
        return name if self.exponent is None else f"{name} of {self.exponent}"

    @property
    def formula(self) -> Callable[..., Found]:
        found = None if self.exponent is None else power_of(self.exponent)
        return found or FORMULAS[self.ufunc.__name__]


def fast_form(ufunc: Any, dtypes: tuple[DType, ...], second: object = None) -> Fast | None:
    """Returns what stands for a ufunc on operands and results of these dtypes; None if NumPy's loop
    is the faster one, or the only one. `second`: the second operand, if it is a number."""
    if ufunc.__name__ not in FORMULAS or not multiplies_and_adds() or (
            len(set(dtypes)) > 1 or dtypes[0] not in (np.float64, np.float32)):
        return None
    if has_long_vectors() and not (ufunc in SCALAR_EVERYWHERE and dtypes[0] == np.float64):
        return None
    found = Fast(ufunc)
    if ufunc is np.power and isinstance(second, (int, float, np.number)):
        exponent = float(second)
        if is_product(exponent):
            found = Fast(ufunc, exponent)
    if dtypes[0] != np.float64 and ufunc.__name__ in DOUBLES_ONLY and (
            found.exponent is None or 2 * found.exponent not in SIMPLE):
        return None
    return found if inner_loop(ufunc, dtypes) is not None else None


SCALAR_EVERYWHERE: tuple[Any, ...] = (np.sin, np.cos)
"""What NumPy asks the C library for on all processors, if floats have 64 bits."""


@cache
def has_long_vectors() -> bool:
    """Returns True if NumPy has vectors of its own for nearly all functions, with AVX-512."""
    features: dict[str, bool] = np._core._multiarray_umath.__cpu_features__  # type: ignore[attr-defined]
    return features.get("AVX512_SKX", False)


def fast_function(context: Context, what: Fast, x: Value) -> Function:
    """Returns the function for vectors as x is one."""
    name = f"{what.__name__} {suffix(x.type)}"
    made = context.module.functions.get(name)
    if made is None:
        made = Function(context.module, x.type, [POINTER] * 3 + [x.type] * what.ufunc.nin, name,
                        internal=True)
        _FastWriter(context, made).write(what)
    return made


class VectorWriter(Writer):
    """Writes instructions, fast functions among them."""

    def value(self, i: Instruction, lanes: Lanes, operands: list[Any]) -> Any:
        if isinstance(i.what, MultiplyAdd):
            self.tell(i)
            return i.what.write(lanes, *operands)
        if not isinstance(i.what, Fast):
            return super().value(i, lanes, operands)
        self.tell(i)
        builder = self.builder
        if lanes.width == 1:
            width = VECTOR // i.out.dtype.itemsize
            operands = [builder.splat(x, width) for x in operands]
        function = fast_function(self.context, i.what, operands[0])
        made = builder.call(function, [self.data, self.words, self.scratch, *operands])
        return made if lanes.width > 1 else builder.write(
            lanes.type(i.out.dtype), f"extractelement {made}, i64 0")


class _FastWriter(Writer):
    """Writes a fast function."""

    def write(self, what: Fast) -> None:
        builder, given = self.builder, self.function.args[3:]
        found = what.formula(*[Vector(builder, x) for x in given])
        made = found.value.value
        if found.known is None:
            builder.ret(made)
            return
        t = integer(made.type.count)
        bits = builder.bitcast(found.known.value, t)
        slow, done = self.block("slow"), self.block("done")
        builder.cbranch(builder.icmp_unsigned("==", bits, Literal(t, -1)), done, slow, sure=True)
        before = builder.block
        builder.position_at_end(slow)
        asked = builder.select(found.known.value, made, self.asked(what, given))
        last = builder.block
        builder.branch(done)
        builder.position_at_end(done)
        result = builder.phi(made.type)
        result.add_incoming(made, before)
        result.add_incoming(asked, last)
        builder.ret(result)

    def asked(self, what: Fast, given: list[Value]) -> Value:
        """Returns what NumPy's loop makes of vectors."""
        builder, t = self.builder, given[0].type
        dtype = np.dtype(np.float64 if t.element is DOUBLE else np.float32)
        with builder.goto_block(self.entry):
            cells = [room(builder, 1, t, 64) for _ in range(len(given) + 1)]
        for x, cell in zip(given, cells, strict=False):
            builder.store(x, cell)
        loop = inner_loop(what.ufunc, (dtype,) * what.ufunc.nargs)
        assert loop is not None
        self.call_loop(loop, [(cell, dtype.itemsize) for cell in cells], word(t.count))
        return builder.load(cells[-1], typ=t)
