"""Short rows: a nest over rows of a few elements becomes one over the rows.

NumPy adds fewer than eight numbers one after the other, and multiplies any numbers so. So an
instruction on the elements of rows of three is three instructions, on the first elements of all
rows, on the second and on the third ones; and a sum is two additions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autograph.runtime.native.extents import Lengths, extent_of
from autograph.runtime.native.loop_nest import (
    REDUCING,
    Constant,
    Instruction,
    Operand,
    Register,
    Span,
)
from autograph.runtime.native.windows import Window

SHORT = 8
"""NumPy adds so many numbers in another order."""

FEW = 16
"""Fewer rows are not worth it."""

def are_short(shape: Lengths, instructions: Sequence[Instruction], results: Sequence[Register]
              ) -> bool:
    """Returns True if rows can be unrolled: nothing but numbers of rows is given back."""
    rows, length = extent_of(shape[:-1]), extent_of(shape[-1:])
    return (rows.open or rows.each >= FEW) and not length.open and length.each < SHORT and all(
        r.span is not Span.LANES for r in results) and all(
        i.what in (np.add, np.multiply) and i.out.dtype.kind in "fiu"
        for i in instructions if i.how in REDUCING)


class Unrolling:
    """Writes the instructions of a nest over the rows.

    elements  of each register of elements, one for each element of a row.
    rows      of each register of numbers of rows, the one of elements in the new nest.
    """

    def __init__(self, length: int) -> None:
        self.length = length
        self.elements: dict[Register, list[Register]] = {}
        self.rows: dict[Register, Register] = {}
        self.instructions: list[Instruction] = []

    def inputs(self, registers: list[Register]) -> list[Register]:
        """Returns the registers that an input is read as."""
        found: list[Register] = []
        for r in registers:
            if r.span is Span.LANES:
                assert r.window is not None
                found += self._copies(r, r.window)
            elif r.span is Span.ROW:
                self.rows[r] = self._of_row(r)
                found.append(self.rows[r])
            else:
                found.append(r)
        return found

    def _copies(self, r: Register, window: Window | None = None) -> list[Register]:
        windows = [window and window.at(k) for k in range(self.length)]
        self.elements[r] = [Register(f"{r.name}.{k}", r.dtype, Span.LANES, w)
                            for k, w in enumerate(windows)]
        return self.elements[r]

    def _of_row(self, r: Register) -> Register:
        return Register(r.name, r.dtype, Span.LANES, r.window)

    def write(self, i: Instruction) -> None:
        """Writes what becomes of an instruction."""
        if i.how in REDUCING:
            self._reduction(i)
        elif i.out.span is Span.LANES:
            for k, out in enumerate(self._copies(i.out)):
                self._emit(i, out, k)
        else:
            self.rows[i.out] = self._of_row(i.out)
            self._emit(i, self.rows[i.out], 0)

    def _emit(self, i: Instruction, out: Register, k: int) -> None:
        self.instructions.append(replace(
            i, out=out, args=tuple(self._operand(a, k) for a in i.args)))

    def _operand(self, x: Operand, k: int) -> Operand:
        if not isinstance(x, Register):
            return x
        return self.elements[x][k] if x in self.elements else self.rows.get(x, x)

    def _reduction(self, i: Instruction) -> None:
        """A sum of zeros is 0, not -0: NumPy adds it to 0."""
        total, *rest = self.elements[i.registers()[0]]
        terms: list[Operand] = [*rest]
        if i.what is np.add and i.out.dtype.kind == "f":
            terms.append(Constant(i.out.dtype.type(0), i.out.dtype))
        for k, x in enumerate(terms):
            made = Register(f"{i.out.name}.{k}", i.out.dtype, Span.LANES)
            self.instructions.append(Instruction("lanes", i.what, made, (total, x), i.location))
            total = made
        self.rows[i.out] = total
