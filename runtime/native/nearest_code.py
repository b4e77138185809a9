"""The printer of inner loops over vectors: formulas, eight elements at a time, and NumPy's loop for
what they are not sure of (see `nearest_loops`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.inner_loops import InnerLoop
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
from autograph.runtime.native.nearest_floats import MODERATE, InParts, Nearest
from autograph.runtime.native.vectors import FLOATS, LANES, Vector

ALIGNED = 8
"""Floats, and the parts of complex numbers, begin at multiples of so many bytes."""


class Formula(NamedTuple):
    """A formula, and by how much it and the C library together are off at most, in units in the
    last place: the GNU C library since 2.28, by what its sources say. It may need a table.
    `negative`: it is for negative operands alone, all others are NumPy's. Its vectors of powers
    leave these to a function for one float, which is off by 0.513."""

    write: Callable[..., Nearest | InParts]
    off: float
    table: Callable[[], object] = tuple
    negative: bool = False


def text(formula: Formula, ufunc: Any, loop: InnerLoop, dtype: np.dtype[Any] = FLOAT) -> str:
    """Returns the LLVM IR of an inner loop: of the arguments of NumPy's loops."""
    printer = ComplexPrinter if dtype == COMPLEX else (
        NegativePrinter if formula.negative else LoopPrinter)
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
        self.what_is_left(k, length, rest, tail, done)

    def what_is_left(self, start: Value, length: Value, rest: Block, tail: Block, done: Block
                     ) -> None:
        """Ends the loop: NumPy's does the elements from `start` on, if there are any."""
        b = self.builder
        self.at(rest)
        left = b.sub(length, start)
        b.cbranch(b.icmp_signed("==", left, word(0)), done, tail)
        self.at(tail)
        self.point([self.element(j, start) for j in range(self.inputs + 1)])
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
        out = self.element(self.inputs, k)
        made, sure = self.made(k, given)
        b.store(made, out, align=ALIGNED)
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

    def made(self, k: Value, given: list[Value]) -> tuple[Value, Value]:
        """Returns the results of eight elements, and of which of them the formula is sure."""
        found = self.formula.write(*self.operands(given))
        return self.result(found), found.is_sure(self.formula.off).value

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


BLOCK = 128
"""Elements that NumPy's loop is asked for at once."""


class NegativePrinter(LoopPrinter):
    """Writes a loop of powers for a NumPy whose vectors take positive floats alone, and which finds
    those of negative ones one by one, as the C library does.

    NumPy's loop is asked for a block in which there is a 1 in place of each negative float that the
    formula takes, and the formula for these.
    """

    def all_vectors(self) -> None:
        b = self.builder
        self.asked_for, self.found = (b.alloca(array_of(DOUBLE, BLOCK)) for _ in range(2))
        self.repeat_numbers()
        length, before = b.load(self.size, typ=I64), b.block
        full, (head, block, rest, tail, done) = b.and_(length, word(-LANES)), map(
            self.block, ("head", "block", "rest", "tail", "done"))
        b.branch(head)
        self.at(head)
        start = self.phi(I64, word(0), before)
        b.cbranch(b.icmp_signed("<", start, full), block, rest)
        self.at(block)
        left = b.sub(full, start)
        size = b.select(b.icmp_signed("<", left, word(BLOCK)), left, word(BLOCK))
        self.one_block(start, size, head)
        start.add_incoming(b.add(start, size), b.block)
        b.branch(head)
        self.what_is_left(full, length, rest, tail, done)

    def one_block(self, start: Value, size: Value, head: Block) -> None:
        """Asks NumPy's loop for a block, and the formula where an operand is negative."""
        b, before = self.builder, self.builder.block
        fill, filled, all_numpys, mixed, blend, vector, after = map(self.block, (
            "fill", "filled", "numpys", "mixed", "blend", "vector", "after"))
        b.branch(fill)
        self.at(fill)
        j, taken = self.phi(I64, word(0), before), self.phi(BYTE, Literal(BYTE, 0), before)
        x = Vector(b, b.load(self.element(0, b.add(start, j)), typ=FLOATS, align=ALIGNED))
        negative = self.is_taken_by_formula(x)
        b.store(negative.choose(1.0, x).value, self.of_block(self.asked_for, j), align=ALIGNED)
        found = b.or_(taken, b.write(BYTE, f"bitcast {negative.value} to {BYTE}"))
        following = b.add(j, word(LANES))
        j.add_incoming(following, fill)
        taken.add_incoming(found, fill)
        b.cbranch(b.icmp_signed("<", following, size), fill, filled)
        self.at(filled)
        outer = [self.element(n, start) for n in range(self.inputs + 1)]
        b.store(size, self.one)
        b.cbranch(b.icmp_signed("==", found, Literal(BYTE, 0)), all_numpys, mixed)
        self.at(all_numpys)
        self.point(outer)
        self.ask(self.given, self.one)
        b.branch(after)
        self.at(mixed)
        self.point([self.asked_for, *outer[1:-1], self.found])
        self.ask(self.given, self.one)
        b.branch(blend)
        self.at(blend)
        self.start, k = start, self.phi(I64, start, mixed)
        b.cbranch(b.icmp_signed("<", k, b.add(start, size)), vector, after)
        self.at(vector)
        self.one_vector(k, b.add(k, word(LANES)), blend)
        self.at(after)

    def made(self, k: Value, given: list[Value]) -> tuple[Value, Value]:
        b = self.builder
        at = self.of_block(self.found, b.sub(k, self.start))
        numpys = Vector(b, b.load(at, typ=FLOATS, align=ALIGNED))
        negative = self.is_taken_by_formula(Vector(b, given[0]))
        result, sure = super().made(k, given)
        return (negative.choose(Vector(b, result), numpys).value,
                (Vector(b, sure) | negative.no()).value)

    def is_taken_by_formula(self, x: Vector) -> Vector:
        return x.words().is_negative() & x.is_between(1 / MODERATE, MODERATE)

    def of_block(self, memory: Value, j: Value) -> Value:
        return self.builder.element(memory, DOUBLE, j)
