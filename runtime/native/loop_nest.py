"""Loop nests: a fusion group as loops over rows and tiles, before it is LLVM IR.

A nest runs over `rows` rows of `length` elements each. A row is worked on in phases, a phase in
tiles of at most `TILE` elements, a tile in stages: instructions on the lanes of vectors, then
NumPy's own inner loops on memory of a tile. A reduction makes one number of a row; what depends
on it is in a later phase. A group without rows is one row.

Lengths may be open: each call gives them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from linecache import getline
from typing import Any

import numpy as np

from autograph.runtime.ir.location import Location
from autograph.runtime.ir.types import Shape, dtype_name
from autograph.runtime.native.extents import Extent, Lengths, extent_of
from autograph.runtime.native.windows import Window

TILE = 1024
"""Elements of a tile: the arrays of a stage stay in the first cache."""

VECTOR = 64
"""Bytes of a vector."""

SHORT = 64
"""Elements of a run from which on tiles of it are worth more than copies of several runs."""

ON_LANES, REDUCING = ("lanes", "total"), ("reduce", "total")
"""How instructions are done whose operands are not needed in memory; and those that reduce rows."""

DType = np.dtype[Any]


class Span(Enum):
    """Tells for what a register holds one number."""

    LANES = "element"
    ROW = "row"
    NUMBER = "call"


class Rows(Enum):
    """Tells how a nest goes through matrices of open lengths: there may be gaps between rows.

    EACH    row by row.
    ALL     as through one row: it reduces all elements. The matrices have no gaps.
    EITHER  as through one row if no matrix has gaps, else row by row.
    """

    EACH = "in rows with a stride"
    ALL = "in one row"
    EITHER = "in rows with a stride, or in one"


WAYS: dict[bool | None, Rows] = {True: Rows.EACH, False: Rows.ALL, None: Rows.EITHER}
"""How a strided nest goes through its rows: it makes numbers of rows, one of all, or none."""


@dataclass(eq=False, slots=True)
class Register:
    """A value of a nest: a number for each element, for each row, or one for all.

    window  what an input is of its array, over the shape of the nest, or of its rows.
    """

    name: str
    dtype: DType
    span: Span
    window: Window | None = None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that is known, as it is converted to a dtype."""

    number: Any
    dtype: DType

    def __str__(self) -> str:
        return f"{self.number.item()!r}"


Operand = Register | Constant


@dataclass(frozen=True, eq=False, slots=True)
class Instruction:
    """Makes a register of others.

    how     "lanes": machine instructions; "call": NumPy's inner loop; "reduce": NumPy's inner
            loop makes a number of a row; "total": machine instructions do, in any order.
    what    the ufunc, or "cast", "where", "number" (a Python int as another dtype).
    """

    how: str
    what: Any
    out: Register
    args: tuple[Operand, ...]
    location: Location | None = None

    @property
    def name(self) -> str:
        return self.what if type(self.what) is str else self.what.__name__

    def registers(self) -> list[Register]:
        return [a for a in self.args if isinstance(a, Register)]

    def __str__(self) -> str:
        how = {"lanes": "", "call": "call ", "reduce": "reduce ", "total": "total "}[self.how]
        args = ", ".join(map(str, self.args))
        return f"{self.out}: {dtype_name(self.out.dtype)} = {how}{self.name}({args})"


@dataclass(eq=False, slots=True)
class Stage:
    """Instructions on lanes, then calls and folds, which find their operands in memory."""

    lanes: list[Instruction] = field(default_factory=list)
    calls: list[Instruction] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Phase:
    """One run over the tiles of a row, then instructions on the row's numbers."""

    stages: list[Stage] = field(default_factory=list)
    after: list[Instruction] = field(default_factory=list)

    def registers(self) -> dict[Register, None]:
        """Returns what the tiles of the phase read and write."""
        return dict.fromkeys(r for s in self.stages for i in [*s.lanes, *s.calls]
                             for r in (*i.registers(), i.out))

    def reductions(self) -> list[Instruction]:
        return [i for stage in self.stages for i in stage.calls if i.how == "reduce"]

    def lane_sums(self) -> list[Instruction]:
        return [i for stage in self.stages for i in stage.lanes if i.how == "total"]

    def sums(self) -> list[Instruction]:
        """Returns the reductions that ask for NumPy's order: the sums of halves of halves."""
        return [i for i in self.reductions() if is_pairwise(i)]

    @property
    def halves(self) -> bool:
        return bool(self.sums())


@dataclass(eq=False, slots=True)
class Nest:
    """A loop nest.

    shape    of the arrays that it runs over. Only its first length may be open; if it is strided,
             it has two, of which both may be.
    inputs   for each input, the registers that it is read as.
    before   instructions on numbers, done once.
    outputs  the registers that are given back, with the shape of their array; None: a number.
    strided  how it goes through matrices of open lengths; None: arrays have no gaps.
    rank     the axes of the arrays.
    """

    shape: Lengths
    rows: Extent
    length: Extent
    inputs: list[list[Register]]
    before: list[Instruction]
    phases: list[Phase]
    outputs: list[tuple[Register, Shape | None]]
    strided: Rows | None = None
    rank: int = 2

    @property
    def has_planes(self) -> bool:
        """True if the rows are those of several matrices."""
        return self.strided is not None and self.rank == 3

    @property
    def has_tiles(self) -> bool:
        """True if a row may be of several tiles."""
        return self.length.open or self.length.each > TILE

    def run(self, phase: Phase) -> Extent:
        """Returns the elements of a row, or of the pieces into which a phase cuts it so that
        windows are read where they lie."""
        if phase.halves or not self.shape or self.strided or (
                self.length == extent_of(self.shape[-1:])):
            return self.length
        windows = [r.window for r in phase.registers() if r.window and r.span is Span.LANES
                   and r.window.is_direct(extent_of(self.shape[-1:]))]
        for k in range(len(self.shape)):
            run = extent_of(self.shape[k:])
            if (run.open or run.each >= SHORT) and all(w.is_direct(run) for w in windows):
                return run
        return self.length

    def lengths(self, phase: Phase) -> tuple[int, int]:
        """Returns the least and the greatest number of elements of a phase's tiles."""
        run = self.run(phase)
        if run.open:
            return 1, TILE
        if run.each <= TILE:
            return run.each, run.each
        return (TILE // 2 if phase.halves else run.each % TILE or TILE), TILE

    def is_summed(self, registers: list[Register]) -> bool:
        """Returns True for an input whose elements it adds up as they are, all of them."""
        return (self.rows == Extent(1) or self.strided is Rows.ALL) and any(
            is_pairwise(i) and i.args[0] in registers for i in self.instructions())

    def instructions(self) -> Iterator[Instruction]:
        yield from self.before
        for phase in self.phases:
            for stage in phase.stages:
                yield from stage.lanes
                yield from stage.calls
            yield from phase.after


def is_pairwise(i: Instruction) -> bool:
    """Returns True for a reduction whose bits depend on the order of the elements."""
    return i.how == "reduce" and i.what is np.add and i.out.dtype.kind in "fc"


BUFFER = 8192
"""NumPy adds up an array whose elements are not in one run piece by piece: it copies so many."""


def is_added_in_pieces(ufunc: Any, dtype: DType, window: Window | None) -> bool:
    """Returns True for a sum of all elements of an input that NumPy adds up in another order than
    elements in one run."""
    return ufunc is np.add and dtype.kind in "fc" and window is not None and (
        len(window.axes()) > 1 and extent_of(window.shape).each > BUFFER)


# -- printing --------------------------------------------------------------------------------------

def print_nest(nest: Nest) -> str:
    """Returns the text of a nest, with the user's lines as comments."""
    given = ", ".join(f"{r}: {dtype_name(r.dtype)} each {r.span.value}{r.window or ''}"
                      for rs in nest.inputs for r in rs)
    lines = [f"nest({given}):", *_block(1, nest.before)]
    depth = 1
    if nest.rows != Extent(1):
        how = f", {nest.strided.value}" if nest.strided else ""
        lines.append(f"  for each of {nest.rows} rows{how}:")
        depth = 2
    for phase in nest.phases:
        if phase.stages:
            lines.append(f"{'  ' * depth}for each tile of {nest.length} elements"
                         f"{_told(nest, phase)}:")
        for stage in phase.stages:
            lines += _block(depth + 1, [*stage.lanes, *stage.calls])
        lines += _block(depth, phase.after)
    results = ", ".join(f"{r}: {dtype_name(r.dtype)}{_lengths(shape)}" for r, shape in nest.outputs)
    return "\n".join([*lines, f"  return {results}", ""])


def _lengths(shape: Shape | None) -> str:
    return "" if shape is None else f"[{', '.join('n' if n is None else str(n) for n in shape)}]"


def _told(nest: Nest, phase: Phase) -> str:
    run = nest.run(phase)
    return " by halves" if phase.halves else f" in runs of {run}" if run != nest.length else ""


def _block(depth: int, instructions: list[Instruction]) -> list[str]:
    return [f"{'  ' * depth}{i}{_comment(i)}" for i in instructions]


def _comment(i: Instruction) -> str:
    return f"  # {users_line(i.location)}" if i.location is not None else ""


def users_line(location: Location) -> str:
    """Returns the number and the text of the user's line, for a comment."""
    text = getline(location.filename, location.line).strip()
    return f"line {location.line}: {text}".rstrip(": ")


# -- verifying -------------------------------------------------------------------------------------

class NestError(Exception):
    """A loop nest breaks a rule: a mistake of the lowering."""


def verify(nest: Nest) -> None:
    """Checks that a nest reads only what is there, in the phase where it is there.

    Raises:
      NestError: it does not.
    """
    known = {r for registers in nest.inputs for r in registers}
    for i in nest.before:
        _check(i, known, (Span.NUMBER,))
    for phase in nest.phases:
        reduced: set[Register] = set()
        for stage in phase.stages:
            for i in [*stage.lanes, *stage.calls]:
                if i.how in REDUCING:
                    _reduction(i, known)
                    reduced.add(i.out)
                else:
                    _check(i, known, (Span.LANES,))
        known |= reduced
        for i in phase.after:
            _check(i, known, (Span.ROW,))
    if Extent(nest.rows.each * nest.length.each, nest.rows.open or nest.length.open) != (
            extent_of(nest.shape)):
        raise NestError("the rows do not cover the shape")
    if missing := [str(r) for r, _ in nest.outputs if r not in known]:
        raise NestError(f"{', '.join(missing)}: not computed")


def _check(i: Instruction, known: set[Register], spans: tuple[Span, ...]) -> None:
    if unknown := [str(r) for r in i.registers() if r not in known]:
        raise NestError(f"{i}: {', '.join(unknown)} is not there yet")
    if i.out in known or i.out.span not in spans:
        raise NestError(f"{i}: its result does not belong here")
    known.add(i.out)


def _reduction(i: Instruction, known: set[Register]) -> None:
    (x,) = i.registers()
    if x not in known or x.span is not Span.LANES or i.out.span is not Span.ROW:
        raise NestError(f"{i}: a reduction makes one number of a row of elements")
