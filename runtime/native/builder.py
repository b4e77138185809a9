"""A builder of LLVM IR. It computes with ints that are known, so that little is left to LLVM."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from autograph.runtime.native.llvm_ir import (
    BIT,
    BYTE,
    I64,
    POINTER,
    ROLLED,
    SURE,
    TOGETHER,
    UNPEELED,
    VOID,
    Block,
    Function,
    Literal,
    Phi,
    Type,
    Value,
    pair_of,
    signed,
    vector_of,
    word,
)

SIGNED = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
UNSIGNED = {"==": "eq", "!=": "ne", "<": "ult", "<=": "ule", ">": "ugt", ">=": "uge"}
COMPARED = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def known(x: Any) -> int | None:
    """Returns the int that a constant is, with its sign; None for all else."""
    return x.number if type(x) is Literal else None


def constant_of(t: Type, number: int) -> Value:
    """Returns an int that wraps around, as a constant."""
    return word(signed(number, 64)) if t is I64 else Literal(t, signed(number, t.width))


def is_constant(x: Any, number: int) -> bool:
    return known(x) == number


class Builder:
    """Writes instructions at the end of a block.

    >>> from autograph.runtime.native.llvm_ir import word
    >>> str(Builder().add(word(2), word(3)))
    'i64 5'
    """

    def __init__(self, block: Block | None = None) -> None:
        self._block = block
        self.is_plain = False
        """Operations on floats may be plain ones of LLVM's, which it may do in another order."""
        self.leave = ""

    @property
    def block(self) -> Block:
        """The block at whose end it writes."""
        assert self._block is not None
        return self._block

    def position_at_end(self, block: Block) -> None:
        self._block = block

    @contextmanager
    def goto_block(self, block: Block) -> Iterator[None]:
        """Writes into another block meanwhile, before the instruction that ends it."""
        outer, self._block = self._block, block
        yield
        self._block = outer

    @contextmanager
    def if_then(self, test: Value) -> Iterator[None]:
        """Writes what is done only if a bit is set."""
        yes, on = (self.block.function.append_basic_block(n) for n in ("then", "on"))
        self.cbranch(test, yes, on)
        self._block = yes
        yield
        self.branch(on)
        self._block = on

    def comment(self, text: str) -> None:
        self.block.lines.append(f"; {text}")

    def write(self, t: Type, text: str) -> Value:
        """Writes an instruction that has a result."""
        block = self.block
        made = Value(t, block.function.fresh())
        block.lines.append(f"{made.text} = {text}")
        return made

    # -- ints --------------------------------------------------------------------------------------

    def _two(self, name: str, a: Value, b: Value) -> Value:
        return self.write(a.type, f"{name} {a.type.text} {a.text}, {b.text}")

    def add(self, a: Value, b: Value) -> Value:
        x, y = known(a), known(b)
        if x is not None and y is not None:
            return constant_of(a.type, x + y)
        return a if y == 0 else b if x == 0 else self._two("add", a, b)

    def sub(self, a: Value, b: Value) -> Value:
        x, y = known(a), known(b)
        if x is not None and y is not None:
            return constant_of(a.type, x - y)
        return a if y == 0 else self._two("sub", a, b)

    def mul(self, a: Value, b: Value) -> Value:
        x, y = known(a), known(b)
        if x is not None and y is not None:
            return constant_of(a.type, x * y)
        if x == 0 or y == 0:
            return constant_of(a.type, 0)
        return a if y == 1 else b if x == 1 else self._two("mul", a, b)

    def udiv(self, a: Value, b: Value) -> Value:
        return a if known(b) == 1 else self._two("udiv", a, b)

    def urem(self, a: Value, b: Value) -> Value:
        return self._two("urem", a, b)

    def sdiv(self, a: Value, b: Value) -> Value:
        return self._two("sdiv", a, b)

    def srem(self, a: Value, b: Value) -> Value:
        return self._two("srem", a, b)

    def shl(self, a: Value, b: Value) -> Value:
        return self._two("shl", a, b)

    def lshr(self, a: Value, b: Value) -> Value:
        return self._two("lshr", a, b)

    def ashr(self, a: Value, b: Value) -> Value:
        return self._two("ashr", a, b)

    def and_(self, a: Value, b: Value) -> Value:
        return self._of_bits("and", 1, a, b)

    def or_(self, a: Value, b: Value) -> Value:
        return self._of_bits("or", 0, a, b)

    def _of_bits(self, name: str, neutral: int, a: Value, b: Value) -> Value:
        """Writes an operation that gives the other operand for one known bit, else that bit."""
        if a.type is BIT:
            for x, y in ((a, b), (b, a)):
                if (bit := known(x)) is not None:
                    return y if bit == neutral else x
        return self._two(name, a, b)

    def xor(self, a: Value, b: Value) -> Value:
        return self._two("xor", a, b)

    def not_(self, a: Value) -> Value:
        if a.type is BIT and (bit := known(a)) is not None:
            return Literal(BIT, 1 - bit)
        return self._two("xor", a, Literal(a.type, -1))

    def select(self, test: Value, yes: Value, no: Value) -> Value:
        bit = known(test) if test.type is BIT else None
        if yes is no or bit is not None:
            return yes if bit or yes is no else no
        if yes.type.parts:
            ways = zip(self.parts(yes), self.parts(no), strict=True)
            return self.pair(*[self.select(test, *way) for way in ways])
        return self.write(yes.type, f"select {test}, {yes}, {no}")

    def icmp_signed(self, sign: str, a: Value, b: Value) -> Value:
        return self._compared(SIGNED, sign, a, b, known(a), known(b))

    def icmp_unsigned(self, sign: str, a: Value, b: Value) -> Value:
        x, y = (None if (n := known(v)) is None else n % (1 << v.type.width) for v in (a, b))
        return self._compared(UNSIGNED, sign, a, b, x, y)

    def _compared(self, names: dict[str, str], sign: str, a: Value, b: Value, x: int | None,
                  y: int | None) -> Value:
        """Writes a comparison, of which it knows the result if both ints are known."""
        if x is not None and y is not None:
            return Literal(BIT, int(COMPARED[sign](x, y)))
        return self.write(bits(a.type), f"icmp {names[sign]} {a.type.text} {a.text}, {b.text}")

    # -- casts -------------------------------------------------------------------------------------

    def _cast(self, name: str, x: Value, t: Type) -> Value:
        return x if x.type is t else self.write(t, f"{name} {x} to {t.text}")

    def zext(self, x: Value, t: Type) -> Value:
        return self._cast("zext", x, t)

    def sext(self, x: Value, t: Type) -> Value:
        return self._cast("sext", x, t)

    def trunc(self, x: Value, t: Type) -> Value:
        return self._cast("trunc", x, t)

    def to_float(self, x: Value, signed: bool, t: Type) -> Value:
        """Converts an int: at most it is rounded, which nobody is told."""
        return self._cast("sitofp" if signed else "uitofp", x, t)

    def fptrunc(self, x: Value, t: Type) -> Value:
        return self._cast("fptrunc", x, t)

    def bitcast(self, x: Value, t: Type) -> Value:
        return self._cast("bitcast", x, t)

    def ptrtoint(self, x: Value, t: Type) -> Value:
        return self._cast("ptrtoint", x, t)

    # -- floats and vectors ------------------------------------------------------------------------

    def fneg(self, x: Value) -> Value:
        return self.write(x.type, f"fneg {x}")

    def fadd(self, a: Value, b: Value) -> Value:
        return self._two("fadd", a, b)

    def plain(self, name: str, given: list[Value], t: Type) -> Value:
        """Does an operation on floats, or converts one."""
        if len(given) == 2:
            return self._two(name + self.leave, *given)
        return self._cast(name, given[0], t)

    @contextmanager
    def plainly(self, is_plain: bool, leave: str = "") -> Iterator[None]:
        """Operations on floats that are written inside may be plain ones, or must not be. `leave`:
        words of LLVM that say what it may change in them."""
        outer, self.is_plain, self.leave = (self.is_plain, self.leave), is_plain, leave
        yield
        self.is_plain, self.leave = outer

    def compared(self, name: str, a: Value, b: Value) -> Value:
        """Compares floats; where NaNs are compared, the processor may raise."""
        return self.write(bits(a.type), f"fcmp {name} {a}, {b.text}")

    def is_nan(self, x: Value) -> Value:
        return self.compared("uno", x, x)

    def splat(self, x: Value, count: int) -> Value:
        """Returns a vector of the same number."""
        if isinstance(x, Literal) and x.number is not None:
            return Literal(vector_of(x.type, count), x.number)
        t = vector_of(x.type, count)
        first = self.write(t, f"insertelement {t.text} undef, {x}, i32 0")
        return self.write(t, f"shufflevector {first}, {t.text} undef, "
                             f"<{count} x i32> zeroinitializer")

    def extract_value(self, x: Value, position: int) -> Value:
        return self.write(x.type.parts[position], f"extractvalue {x}, {position}")

    def parts(self, x: Value) -> list[Value]:
        """Returns what a pair is of."""
        return [self.extract_value(x, k) for k in range(2)]

    def pair(self, first: Value, second: Value) -> Value:
        t = pair_of(first.type, second.type)
        one = self.write(t, f"insertvalue {t.text} undef, {first}, 0")
        return self.write(t, f"insertvalue {one}, {second}, 1")

    def shuffled(self, a: Value, b: Value, positions: list[int]) -> Value:
        """Returns the lanes of two vectors at some positions, counted through both."""
        chosen = ", ".join(f"i32 {k}" for k in positions)
        assert a.type.element is not None
        return self.write(vector_of(a.type.element, len(positions)),
                          f"shufflevector {a}, {b}, <{len(positions)} x i32> <{chosen}>")

    # -- memory ------------------------------------------------------------------------------------

    def alloca(self, t: Type, align: int = 0) -> Value:
        """Returns the address of memory of the function's own, made when it is entered."""
        function = self.block.function
        made = Value(POINTER, function.fresh())
        function.blocks[0].lines.insert(0, f"{made.text} = alloca {t.text}{_aligned(align)}")
        return made

    def at(self, base: Value, offset: Value) -> Value:
        """Returns the address so many bytes after another."""
        return self.element(base, BYTE, offset)

    def element(self, base: Value, t: Type, index: Value) -> Value:
        """Returns the address of an element of a type."""
        if known(index) == 0:
            return base
        return self.write(POINTER, f"getelementptr {t.text}, ptr {base.text}, {index}")

    def load(self, where: Value, typ: Type, align: int = 0) -> Value:
        return self.write(typ, f"load {typ.text}, ptr {where.text}{_aligned(align)}")

    def store(self, x: Value, where: Value, align: int = 0) -> None:
        self.block.lines.append(f"store {x}, ptr {where.text}{_aligned(align)}")

    # -- control -----------------------------------------------------------------------------------

    def call(self, function: Function, given: list[Any]) -> Value:
        return self.call_pointer(function.text, function.result, given, function.convention)

    def call_pointer(self, function: str, result: Type, given: list[Any], convention: str = ""
                     ) -> Value:
        """Calls what a text names."""
        text = f"call {convention}{result.text} {function}({', '.join(map(str, given))})"
        if result is not VOID:
            return self.write(result, text)
        self.block.lines.append(text)
        return Value(VOID, "")

    def phi(self, t: Type) -> Phi:
        made = Phi(t, self.block.function.fresh())
        self.block.lines.append(made)
        return made

    def _end(self, text: str) -> None:
        assert self.block.end is None
        self.block.end = text

    def branch(self, block: Block) -> None:
        self._end(f"br label {block.text}")

    def cbranch(self, test: Value, yes: Block, no: Block, sure: bool = False,
                unpeeled: bool = False, together: bool = False,
                rolled: bool = False) -> None:
        """`sure`: it hardly ever goes to the second block. `unpeeled`: it goes back to the first,
        and LLVM takes no first iterations out of this loop. `together`: the parts of the test are
        asked for at once. `rolled`: LLVM makes no copies of the loop."""
        self._end(f"br {test}, label {yes.text}, label {no.text}" + f", {SURE}" * sure
                  + f", {UNPEELED}" * unpeeled + f", {TOGETHER}" * together
                  + f", {ROLLED}" * rolled)

    def ret(self, x: Value) -> None:
        self._end(f"ret {x}")

    def ret_void(self) -> None:
        self._end("ret void")


def bits(t: Type) -> Type:
    """Returns the type of the result of comparing a type."""
    return vector_of(BIT, t.count) if t.count else BIT


def _aligned(align: int) -> str:
    return f", align {align}" if align else ""
