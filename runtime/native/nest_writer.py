"""The writer of instructions of a loop nest: numbers, memory, calls of inner loops."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from autograph.locks import cached_property
from autograph.runtime.native.array_types import EXACT_INTS
from autograph.runtime.native.builder import Builder
from autograph.runtime.native.extents import Extent
from autograph.runtime.native.forms import on_lanes
from autograph.runtime.native.inner_loops import InnerLoop, inner_loop
from autograph.runtime.native.kinds import BOOL, PARTS
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.llvm_ir import (
    BYTE,
    I32,
    I64,
    POINTER,
    VOID,
    Function,
    Literal,
    Module,
    array_of,
    integer,
    word,
)
from autograph.runtime.native.loop_nest import (
    Constant,
    Instruction,
    Nest,
    Operand,
    Register,
    Span,
    users_line,
)
from autograph.runtime.native.machine import FLAGS, UNDERFLOW
from autograph.runtime.native.nearest_loops import quick_loop
from autograph.runtime.native.nest_memory import (
    ALIGNED,
    BAD,
    LENGTH,
    PENDING,
    ROWS,
    Homes,
    homes,
    spread_buffers,
)
from autograph.runtime.native.strict_floats import call_address, llvm_type, plain
from autograph.runtime.native.symbols import float_exceptions
from autograph.runtime.native.windows import Axes


def room(builder: Builder, count: int, of: Any = I64, align: int = 0) -> Any:
    """Returns the address of memory of the function's own."""
    return builder.alloca(array_of(of, count), align)


def offset_of(builder: Builder, axes: Axes, position: Any) -> Any:
    """Returns where an element is, by its position along the axes (length, step)."""
    found = word(0)
    for n, step in reversed(axes[1:]):
        assert n is not None
        found = builder.add(found, builder.mul(builder.urem(position, word(n)), word(step)))
        position = builder.udiv(position, word(n))
    return builder.add(found, builder.mul(position, word(axes[0][1])))


def at(builder: Builder, base: Any, offset: Any) -> Any:
    """Returns the address so many bytes after another."""
    return builder.at(base, offset)


def aligned(builder: Builder, count: Any) -> Any:
    """Returns a number of elements, rounded up: arrays of so many begin at aligned addresses."""
    return builder.and_(builder.add(count, word(ALIGNED - 1)), word(-ALIGNED))


class Context:
    """Holds what the functions of a nest share.

    homes   where the registers are.
    spread  the inputs whose elements are copied to memory of a tile, by the number of the phase.
    """

    def __init__(self, nest: Nest, module: Module) -> None:
        self.nest = nest
        self.module = module
        self.homes: Homes = homes(nest)
        self.spread = [[r for r in phase.registers() if r.span is Span.LANES and r.window
                        and not r.window.is_direct(nest.run(phase))] for phase in nest.phases]
        spread_buffers(self.homes, list(dict.fromkeys(chain(*self.spread))))
        self.constants: dict[tuple[bytes, str], Any] = {}

    def constant_in_memory(self, x: Constant) -> Any:
        """Returns a pointer to a constant."""
        key = (x.number.tobytes(), x.dtype.str)
        if key not in self.constants:
            t = BYTE if x.dtype == BOOL else llvm_type(x.dtype)
            self.constants[key] = self.module.constant(Literal(t, plain(x.number, x.dtype)))
        return self.constants[key]


class Writer:
    """Writes instructions into a function of a nest."""

    def __init__(self, context: Context, function: Function) -> None:
        self.context = context
        self.homes = context.homes
        self.nest = context.nest
        self.function = function
        self.data, self.words, self.scratch = function.args[:3]
        self.entry = function.append_basic_block("entry")
        self.builder = Builder(self.entry)

    def block(self, name: str) -> Any:
        return self.function.append_basic_block(name)

    def lanes(self, width: int) -> Lanes:
        return Lanes(self.context.module, self.builder, width, self.refuse)

    def refuse(self, found: Any) -> None:
        """Notes that NumPy would warn where a bit is set."""
        builder = self.builder
        if found.type.count:
            found = builder.bitcast(found, integer(found.type.count))
            found = builder.icmp_unsigned("!=", found, Literal(found.type, 0))
        where = self.word(BAD)
        builder.store(builder.or_(builder.load(where, typ=I64), builder.zext(found, I64)), where)

    @cached_property
    def rows(self) -> Any:
        """The number of rows."""
        return self._extent(self.nest.rows, ROWS)

    @cached_property
    def row_length(self) -> Any:
        """The number of elements of a row."""
        return self._extent(self.nest.length, LENGTH)

    def _extent(self, extent: Extent, number: int) -> Any:
        if not extent.open:
            return word(extent.each)
        with self.builder.goto_block(self.entry):
            return self.builder.load(self.word(number), typ=I64)

    def word(self, number: int) -> Any:
        return at(self.builder, self.words, word(8 * number))

    def pointer(self, number: int) -> Any:
        return self.builder.load(at(self.builder, self.data, word(8 * number)), typ=POINTER)

    def value(self, i: Instruction, lanes: Lanes, operands: list[Any]) -> Any:
        """Returns what an instruction makes of its operands."""
        self.tell(i)
        dtypes = [a.dtype for a in i.args]
        if i.what == "where":
            return self.builder.select(*operands)
        if i.what == "cast":
            return lanes.cast(operands[0], dtypes[0], i.out.dtype)
        if i.what == "count":
            return lanes.cast(self.row_length, np.dtype(np.int64), i.out.dtype)
        if i.what == "number":
            return self._python_int(lanes, operands[0], i.out.dtype)
        return on_lanes(lanes, i.what, dtypes[0], *operands)

    def _python_int(self, lanes: Lanes, x: Any, dtype: np.dtype[Any]) -> Any:
        """Converts an int of Python's; refuses one that does not fit, or is not exact."""
        if (part := PARTS.get(dtype, dtype)).kind == "f":
            low, high = -EXACT_INTS[part], EXACT_INTS[part]
        else:
            low, high = int(np.iinfo(dtype).min), min(int(np.iinfo(dtype).max), 2 ** 63 - 1)
        signed = self.builder.icmp_signed
        self.refuse(self.builder.or_(signed("<", x, word(low)), signed(">", x, word(high))))
        return lanes.cast(x, np.dtype(np.int64), dtype)

    def tell(self, i: Instruction) -> None:
        """Writes the user's line as a comment."""
        if i.location is not None:
            self.builder.comment(users_line(i.location))

    def number(self, i: Instruction, row: Any = None) -> None:
        """Does an instruction on numbers."""
        out = self.word(self.homes.words[i.out])
        if i.how == "call":
            self.tell(i)
            steps = [(self.cell(a, row), 0) for a in i.args]
            self.call_loop(loop_of(i), [*steps, (out, 0)], word(1))
            return
        lanes = self.lanes(1)
        operands = [self.load_number(lanes, a, row) for a in i.args]
        lanes.store(self.value(i, lanes, operands), out, i.out.dtype)

    def load_number(self, lanes: Lanes, x: Operand, row: Any) -> Any:
        if isinstance(x, Constant):
            return lanes.constant(x.number, x.dtype)
        return lanes.load(self.cell(x, row), x.dtype)

    def cell(self, x: Operand, row: Any) -> Any:
        """Returns the address of a number: one for the call, or one for the row."""
        if isinstance(x, Constant):
            return self.context.constant_in_memory(x)
        if x in self.homes.words:
            return self.word(self.homes.words[x])
        return self.of_input(x, row)

    def of_input(self, r: Register, position: Any) -> Any:
        """Returns the address of an element of an input, by its position in the window."""
        builder, window = self.builder, r.window
        assert window is not None
        index = builder.add(offset_of(builder, window.axes(), position), word(window.offset))
        return at(builder, self.pointer(self.homes.data[r]), builder.mul(
            index, word(r.dtype.itemsize)))

    def call_loop(self, loop: InnerLoop, cells: list[tuple[Any, int]], length: Any) -> None:
        """Calls an inner loop of NumPy's on (address, step) of operands and result."""
        builder = self.builder
        if loop.clears:
            self.remember_exceptions()
        pointers, steps, size = self.tables
        builder.store(length, size)
        for k, (cell, step) in enumerate(cells):
            builder.store(cell, at(builder, pointers, word(8 * k)))
            builder.store(word(step), at(builder, steps, word(8 * k)))
        call_address(builder, loop.pointer(builder), VOID, [
            pointers, size, steps, loop.argument])

    @cached_property
    def tables(self) -> tuple[Any, Any, Any]:
        """Memory of the function's own for pointers, steps and length of a call."""
        with self.builder.goto_block(self.entry):
            return room(self.builder, 8), room(self.builder, 8), room(self.builder, 1)

    def remember_exceptions(self) -> None:
        pending = call_address(self.builder, float_exceptions("fetestexcept"), I32, [
            Literal(I32, FLAGS | UNDERFLOW)])
        where = self.word(PENDING)
        old = self.builder.load(where, typ=I64)
        self.builder.store(self.builder.or_(old, self.builder.zext(pending, I64)), where)


def loop_of(i: Instruction) -> InnerLoop:
    dtypes = [a.dtype for a in i.args]
    known = i.args[-1].number.item() if isinstance(i.args[-1], Constant) else None
    found = quick_loop(i.what, (*dtypes, i.out.dtype), known) if i.how == "call" else (
        inner_loop(i.what, (i.out.dtype,) * 3))
    assert found is not None
    return found
