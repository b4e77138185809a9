"""Inner loops over vectors, for functions that NumPy asks the C library for element by element.

A formula finds the nearest float of eight results at once, and tells of which it is sure: the C
library gives that float, too, as it is off by little more than half a unit in the last place. Where
it is not sure, of some elements in a hundred, NumPy's loop is asked. So the bits are NumPy's.

Kernels find the loop through a cell. NumPy's is in it, until this one was compiled, in a thread,
and gave the same bits in less time on a few thousand floats. Where NumPy has vectors of its own,
as for `exp` with AVX-512, those stay.
"""

from __future__ import annotations

import ctypes
import platform
import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.native import compiler
from autograph.runtime.native.builder import Builder
from autograph.runtime.native.inner_loops import LOOP, InnerLoop, call_loop, inner_loop, same_bits
from autograph.runtime.native.kinds import COMPLEX, FLOAT
from autograph.runtime.native.llvm_ir import (
    BIT,
    BYTE,
    DOUBLE,
    I64,
    POINTER,
    VOID,
    Block,
    Function,
    Literal,
    Module,
    Phi,
    Value,
    array_of,
    vector_of,
    word,
)
from autograph.runtime.native.nearest_floats import (
    InParts,
    Nearest,
    complex_exp,
    cos,
    exp,
    is_product,
    log,
    power,
    power_of,
    sin,
)
from autograph.runtime.native.numpys_tanh import table, tanh
from autograph.runtime.native.vectors import FLOATS, LANES, Vector

ALIGNED = 8
"""Floats, and the parts of complex numbers, begin at multiples of so many bytes."""


class Formula(NamedTuple):
    """A formula, and by how much it and the C library together are off at most, in units in the
    last place: the GNU C library since 2.28, by what its sources say. It may need a table."""

    write: Callable[..., Nearest | InParts]
    off: float
    table: Callable[[], object] = tuple


FORMULAS: dict[Any, Formula] = {
    np.exp: Formula(exp, 0.511 + 0.01),
    np.log: Formula(log, 0.519 + 0.005),
    np.sin: Formula(sin, 0.55),
    np.cos: Formula(cos, 0.55),
    np.power: Formula(power, 0.523 + 0.02),
    np.tanh: Formula(tanh, 0, table)}
"""That of `tanh`, for which NumPy has vectors, is NumPy's own."""

COMPLEX_FORMULAS: dict[Any, Formula] = {np.exp: Formula(complex_exp, 0.55)}
"""The C library multiplies its exponential by its cosine and its sine."""


def quick_loop(ufunc: Any, dtypes: tuple[np.dtype[Any], ...], second: object = None
               ) -> InnerLoop | None:
    """Returns the inner loop for these dtypes, which is one over vectors as soon as that stands.

    `second`: the second operand, if it is a number that is known.
    """
    is_special = ufunc is np.power and isinstance(second, (int, float)) and is_product(second)
    return _quick_loop(ufunc, dtypes, second if is_special else None)


@cache
def _quick_loop(ufunc: Any, dtypes: tuple[np.dtype[Any], ...], exponent: float | None
                ) -> InnerLoop | None:
    found = inner_loop(ufunc, dtypes)
    formula = formula_of(ufunc, exponent, dtypes[0])
    if found is None or formula is None or not all(has_formula(ufunc, d) for d in dtypes):
        return found
    cell = ctypes.c_uint64(found.address)
    _cells.append(cell)
    compiler.later(lambda: _fill(cell, formula, ufunc, found, exponent))
    told = "" if exponent is None else f" {exponent}"
    return found._replace(cell=ctypes.addressof(cell), name=found.name + told)


def has_formula(ufunc: Any, dtype: np.dtype[Any]) -> bool:
    """Returns True if a ufunc may have a loop over vectors here."""
    return formula_of(ufunc, None, dtype) is not None and _is_possible()


def formula_of(ufunc: Any, exponent: float | None, dtype: np.dtype[Any] = FLOAT) -> Formula | None:
    """Returns the formula of a ufunc; of a power, for one exponent or for all."""
    if exponent is not None:
        return Formula(power_of(exponent), 0.524)
    return {FLOAT: FORMULAS, COMPLEX: COMPLEX_FORMULAS}.get(dtype, {}).get(ufunc)


_cells: list[ctypes.c_uint64] = []
"""Cells last as long as the process: machine code has their addresses."""

_engines: list[Any] = []


@cache
def _is_possible() -> bool:
    """Returns True if the processor multiplies and adds with one rounding, and the C library is
    the one that is known."""
    library, version = platform.libc_ver()
    return library == "glibc" and tuple(map(int, version.split(".")[:2])) >= (2, 28) and (
        compiler.multiplies_and_adds())


def _fill(cell: ctypes.c_uint64, formula: Formula, ufunc: Any, loop: InnerLoop,
          exponent: float | None) -> None:
    if formula.table() is None:
        return
    dtype = COMPLEX if formula in COMPLEX_FORMULAS.values() else FLOAT
    engine, address = compiler.compile_module(text(formula, ufunc, loop, dtype), passes="few")
    if is_better(address, ufunc, loop, exponent, dtype):
        _engines.append(engine)
        cell.value = address


# -- trial -----------------------------------------------------------------------------------------


@cache
def trials(count: int) -> list[np.ndarray[Any, Any]]:
    """Returns operands of a trial: floats of common sizes, of all sizes, and unusual ones."""
    random = np.random.default_rng(0)
    near, wide = random.normal(size=count), random.uniform(-30, 30, count)
    signs = random.choice([-1.0, 1.0], count)
    angles = np.rint(wide * 2000) * (np.pi / 2) + signs * 2.0 ** (wide / 6 - 15)
    unusual = np.resize([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 5e-324, 1e-310, 1e300, 0.5,
                         2.0, 710.0, -746.0, 1e22], count)
    return [near, near * 10, near + 1, wide, signs * 2.0 ** wide, signs * 10.0 ** (10 * wide),
            angles, unusual, np.round(wide)]


def operands(ufunc: Any, exponent: float | None, count: int, dtype: np.dtype[Any] = FLOAT
             ) -> list[list[np.ndarray[Any, Any]]]:
    given = trials(count)
    if dtype == COMPLEX:
        return [[_joined(x, y)] for x in (given[0] * 0, *given[2::2]) for y in given]
    if ufunc.nin == 1:
        return [[x] for x in given]
    if exponent is not None:
        return [[x, np.broadcast_to(float(exponent), count)] for x in given]
    exponents = [np.full(count, 3.0), given[0], np.full(count, -1.5), given[-1][::-1].copy()]
    return [[x, y] for x in given for y in exponents]


def _joined(real: np.ndarray[Any, Any], imag: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns complex numbers of these parts: `real + 1j * imag` has others."""
    made = np.empty(real.shape, COMPLEX)
    made.real, made.imag = real, imag
    return made


def is_better(address: int, ufunc: Any, loop: InnerLoop, exponent: float | None = None,
              dtype: np.dtype[Any] = FLOAT, count: int = 1000) -> bool:
    """Returns True if a loop gives the bits of NumPy's, and takes less time."""
    ours, numpys = called(address, loop.data), called(loop.address, loop.data)
    tried = operands(ufunc, exponent, count, dtype)
    if not all(same_bits(ours(*given), numpys(*given)) for given in tried):
        return False
    usual = np.resize(tried[0][0] if dtype == COMPLEX else np.abs(tried[0][0]), 8 * count)
    given = [usual, np.resize(tried[0][-1], 8 * count)][:ufunc.nin]
    return min(_seconds(ours, given) for _ in range(5)) < min(
        _seconds(numpys, given) for _ in range(5))


def _seconds(run: Callable[..., Any], given: list[Any]) -> float:
    start = time.perf_counter()
    run(*given)
    return time.perf_counter() - start


def called(address: int, data: int) -> Callable[..., np.ndarray[Any, Any]]:
    """Returns a function that calls an inner loop on arrays of floats."""
    call = LOOP(address)

    def run(*given: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        arrays = [*given, np.empty_like(given[0])]
        call_loop(call, arrays, len(given[0]), [x.strides[0] for x in arrays], data)
        return arrays[-1]
    return run


# -- the loop --------------------------------------------------------------------------------------


def text(formula: Formula, ufunc: Any, loop: InnerLoop, dtype: np.dtype[Any] = FLOAT) -> str:
    """Returns the LLVM IR of an inner loop: of the arguments of NumPy's loops."""
    printer = ComplexPrinter if dtype == COMPLEX else LoopPrinter
    return str(printer(formula, ufunc.nin, loop).module)


class LoopPrinter:
    """Writes the loop: eight elements at a time, and what is left by NumPy's loop.

    width  bytes of an element.
    held   eight elements in a register.
    """

    width = 8
    held = FLOATS

    def __init__(self, formula: Formula, inputs: int, loop: InnerLoop) -> None:
        self.module = Module("inner loop")
        self.function = Function(self.module, VOID, [POINTER] * 4, "kernel")
        self.builder = Builder(self.block("entry"))
        self.formula, self.inputs, self.loop = formula, inputs, loop
        self.pointers, self.size, self.steps, _ = self.function.args
        self.tables()
        vectors, otherwise = self.block("vectors"), self.block("otherwise")
        self.builder.cbranch(self.is_taken(), vectors, otherwise)
        self.at(otherwise)
        self.ask(self.pointers, self.size)
        self.end()
        self.at(vectors)
        self.all_vectors()

    def block(self, name: str) -> Block:
        return self.function.append_basic_block(name)

    def at(self, block: Block) -> None:
        self.builder.position_at_end(block)

    def end(self) -> None:
        self.builder.ret_void()

    def word(self, table: Value, k: int, t: Any = I64) -> Value:
        return self.builder.load(self.builder.at(table, word(8 * k)), typ=t)

    def tables(self) -> None:
        """Memory on the stack: pointers and length of a call, and eight elements of each input."""
        b = self.builder
        self.given = b.alloca(array_of(POINTER, self.inputs + 1))
        self.one = b.alloca(I64)
        self.kept = [b.alloca(self.held) for _ in range(self.inputs)]
        self.strides = [self.word(self.steps, k) for k in range(self.inputs + 1)]
        self.data = [self.word(self.pointers, k, POINTER) for k in range(self.inputs + 1)]

    def is_taken(self) -> Value:
        """Returns True if elements lie next to each other; one operand of two may be repeated."""
        b, taken = self.builder, Literal(BIT, 1)
        for k, step in enumerate(self.strides):
            fits = b.icmp_signed("==", step, word(self.width))
            if self.inputs == 2 and k < 2:
                fits = b.or_(fits, b.icmp_signed("==", step, word(0)))
            taken = b.and_(taken, fits)  # type: ignore[assignment]
        return taken

    def ask(self, pointers: Value, size: Value) -> None:
        """Calls NumPy's loop."""
        self.builder.call_pointer(self.loop.code.text, VOID, [
            pointers, size, self.steps, self.loop.argument])

    def all_vectors(self) -> None:
        b = self.builder
        self.repeat_numbers()
        length, before = b.load(self.size, typ=I64), b.block
        head, body, rest, tail, done = map(self.block, ("head", "body", "rest", "tail", "done"))
        b.branch(head)
        self.at(head)
        k = self.phi(I64, word(0), before)
        after = b.add(k, word(LANES))
        b.cbranch(b.icmp_signed("<=", after, length), body, rest)
        self.at(body)
        self.one_vector(k, after, head)
        self.at(rest)
        left = b.sub(length, k)
        b.cbranch(b.icmp_signed("==", left, word(0)), done, tail)
        self.at(tail)
        self.point([self.element(j, k) for j in range(self.inputs + 1)])
        b.store(left, self.one)
        self.ask(self.given, self.one)
        b.branch(done)
        self.at(done)
        self.end()

    def phi(self, t: Any, first: Value, block: Block) -> Phi:
        made = Phi(t, self.function.fresh())
        self.builder.block.lines.append(made)
        made.add_incoming(first, block)
        return made

    def repeat_numbers(self) -> None:
        """Fills vectors with the operand that is repeated, and has it loaded from there."""
        b = self.builder
        if self.inputs == 1:
            return
        for j in range(self.inputs):
            where = b.alloca(FLOATS)
            number = b.load(self.data[j], typ=DOUBLE)
            for lane in range(LANES):
                b.store(number, b.at(where, word(self.width * lane)))
            self.data[j] = b.select(
                b.icmp_signed("==", self.strides[j], word(0)), where, self.data[j])

    def element(self, j: int, k: Value) -> Value:
        return self.builder.at(self.data[j], self.builder.mul(k, self.strides[j]))

    def point(self, cells: list[Value]) -> None:
        for j, cell in enumerate(cells):
            self.builder.store(cell, self.builder.at(self.given, word(8 * j)))

    def one_vector(self, k: Phi, after: Value, head: Block) -> None:
        """Writes eight results; NumPy's loop is asked for those that are not sure."""
        b = self.builder
        given = [b.load(self.element(j, k), typ=self.held, align=ALIGNED)
                 for j in range(self.inputs)]
        found = self.formula.write(*self.operands(given))
        sure = found.is_sure(self.formula.off).value
        out = self.element(self.inputs, k)
        b.store(self.result(found), out, align=ALIGNED)
        bits = b.write(BYTE, f"bitcast {sure} to {BYTE}")
        slow, asked, call = map(self.block, ("slow", "asked", "call"))
        k.add_incoming(after, b.block)
        b.cbranch(b.icmp_signed("==", bits, Literal(BYTE, -1)), head, slow)
        self.at(slow)
        for x, cell in zip(given, self.kept, strict=True):
            b.store(x, cell)
        b.store(word(1), self.one)
        asked_for = b.xor(bits, Literal(BYTE, -1))
        b.branch(asked)
        self.at(asked)
        left = self.phi(BYTE, asked_for, slow)
        k.add_incoming(after, asked)
        b.cbranch(b.icmp_signed("==", left, Literal(BYTE, 0)), head, call)
        self.at(call)
        left.add_incoming(self.ask_for_one(left, out), call)
        b.branch(asked)

    def operands(self, given: list[Value]) -> list[Vector]:
        return [Vector(self.builder, x) for x in given]

    def result(self, found: Any) -> Value:
        made: Value = found.value().value
        return made

    def ask_for_one(self, left: Value, out: Value) -> Value:
        """Asks for the element of the last bit; returns the bits without it."""
        b = self.builder
        count = self.module.declared("llvm.cttz.i8", BYTE, [BYTE, BIT])
        lane = b.zext(b.write(BYTE, f"call i8 {count.text}({left}, i1 true)"), I64)
        offset = b.mul(lane, word(self.width))
        self.point([b.at(x, offset) for x in (*self.kept, out)])
        self.ask(self.given, self.one)
        return b.and_(left, b.add(left, Literal(BYTE, -1)))


class ComplexPrinter(LoopPrinter):
    """Writes a loop over complex numbers: their real parts are one vector, the others another."""

    width = 16
    held = vector_of(DOUBLE, 2 * LANES)

    def operands(self, given: list[Value]) -> list[Vector]:
        b = self.builder
        return [Vector(b, b.shuffled(x, x, list(range(k, 2 * LANES, 2))))
                for x in given for k in range(2)]

    def result(self, found: Any) -> Value:
        real, imag = (x.value for x in found.parts())
        return self.builder.shuffled(
            real, imag, [k for lane in range(LANES) for k in (lane, LANES + lane)])
