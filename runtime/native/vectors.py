"""Vectors of floats in machine code: their operations, written as Python's own.

A formula reads as over numbers, and is done on all lanes at once. Nothing here keeps the order of
floating-point exceptions: a formula is given operands for which none is raised.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.llvm_ir import (
    BIT,
    DOUBLE,
    FLOAT32,
    I64,
    Literal,
    Type,
    Value,
    integer,
    metadata,
    vector_of,
)
from autograph.runtime.native.strict_floats import suffix

LANES = 8
FLOATS = vector_of(DOUBLE, LANES)


class Format(NamedTuple):
    """A format of floats: the bits of their fractions, the exponent of 1.0, and codes of them and
    of words of their size in `struct`."""

    digits: int
    bias: int
    float_code: str
    word_code: str

    @property
    def width(self) -> int:
        return 64 if self.digits == 52 else 32

    @property
    def sign(self) -> int:
        """The bit of the sign."""
        return 1 << (self.width - 1)

    @property
    def one(self) -> int:
        """The bits of 1.0."""
        return self.bias << self.digits

    @property
    def rounder(self) -> float:
        """A float far above this one's fraction: their sum is the nearest int, in its last bits."""
        return 1.5 * 2.0 ** self.digits

    def bits(self, x: float) -> int:
        """Returns the bits of a float."""
        found: int = struct.unpack(self.word_code, struct.pack(self.float_code, x))[0]
        return found

    def rounded(self, x: float) -> float:
        """Returns the nearest float."""
        found: float = struct.unpack(self.float_code, struct.pack(self.float_code, x))[0]
        return found


DOUBLES, SINGLES = Format(52, 1023, "<d", "<q"), Format(23, 127, "<f", "<i")

ROUNDER = 1.5 * 2.0 ** 52
"""A float far above this one's fraction: their sum is the nearest int, in its last bits."""


class Vector:
    """A float, or a word, in each lane; operators take numbers on their right side, too.

    >>> from autograph.runtime.native.llvm_ir import Function, Module, VOID
    >>> f = Function(Module("m"), VOID, [FLOATS], "f")
    >>> x = Vector(Builder(f.append_basic_block("entry")), f.args[0])
    >>> str((x * x + 1).value)
    '<8 x double> %v2'
    """

    __slots__ = ("builder", "value")

    def __init__(self, builder: Builder, value: Value) -> None:
        self.builder, self.value = builder, value

    def _other(self, y: Vector | float) -> str:
        return y.value.text if isinstance(y, Vector) else Literal(self.value.type, y).text

    def _made(self, name: str, *others: Vector | float) -> Vector:
        return self._of(self.value.type, name, *others)

    def _compared(self, name: str, y: Vector | float) -> Vector:
        return self._of(self._lanes(BIT), name, y)

    def _lanes(self, t: Type) -> Type:
        return vector_of(t, self.value.type.count)

    @property
    def format(self) -> Format:
        """The format of the floats, or of floats of the words' size."""
        element = self.value.type.element
        return SINGLES if element is FLOAT32 or element is integer(32) else DOUBLES

    def _of(self, t: Type, name: str, *others: Vector | float) -> Vector:
        given = ", ".join([str(self.value), *map(self._other, others)])
        return Vector(self.builder, self.builder.write(t, f"{name} {given}"))

    def filled(self, number: float) -> Vector:
        """Returns a vector that has this number in all lanes."""
        return Vector(self.builder, Literal(self.value.type, number))

    # -- floats ------------------------------------------------------------------------------------

    def __add__(self, y: Vector | float) -> Vector:
        return self._made("fadd", y)

    def __sub__(self, y: Vector | float) -> Vector:
        return self._made("fsub", y)

    def __mul__(self, y: Vector | float) -> Vector:
        return self._made("fmul", y)

    def __truediv__(self, y: Vector | float) -> Vector:
        return self._made("fdiv", y)

    def __neg__(self) -> Vector:
        return self._made("fneg")

    def is_below(self, y: Vector) -> Vector:
        """Compares floats; none is a NaN, of which this would tell by an exception."""
        return self._compared("fcmp olt", y)

    def is_between(self, low: float, high: float) -> Vector:
        """Returns where the size of a float is at least the one and below the other, both positive;
        for a NaN nowhere, and without an exception."""
        first, end = map(self.format.bits, (low, high))
        size = self.words() & (self.format.sign - 1)
        return size.minus(first).below(end - first)

    def is_below_size(self, end: float) -> Vector:
        """Returns where the size of a float is below a positive one; for a NaN nowhere, and without
        an exception."""
        size = self.words() & (self.format.sign - 1)
        return size._compared("icmp slt", self.format.bits(end))

    def less(self, y: Vector | float) -> Vector:
        """Compares floats; of a NaN it is false, without an exception."""
        return self._silent("olt", y)

    def more(self, y: Vector | float) -> Vector:
        return self._silent("ogt", y)

    def _silent(self, how: str, y: Vector | float) -> Vector:
        return self._called("experimental.constrained.fcmp", y, result=self._lanes(BIT),
                            words=(how, "fpexcept.strict"))

    def equals(self, y: Vector | float) -> Vector:
        return self._compared("fcmp oeq", y)

    def size(self) -> Vector:
        """Returns the floats without their signs."""
        return self._called("fabs")

    def root(self) -> Vector:
        return self._called("sqrt")

    def times_plus(self, y: Vector | float, z: Vector | float) -> Vector:
        """Returns `self * y + z`, rounded once."""
        return self._called("fma", y, z)

    def _called(self, name: str, *others: Vector | float, result: Type | None = None,
                words: tuple[str, ...] = ()) -> Vector:
        t = self.value.type
        given = [self.value, *(y.value if isinstance(y, Vector) else Literal(t, y) for y in others),
                 *map(metadata, words)]
        function = self.builder.block.function.module.declared(
            f"llvm.{name}.{suffix(t)}", result or t, [x.type for x in given])
        return Vector(self.builder, self.builder.call(function, given))

    def polynomial(self, coefficients: Sequence[float]) -> Vector:
        """Returns `c0 + c1 * self + c2 * self ** 2 + …`, by Horner's rule."""
        *rest, made = map(self.filled, coefficients)
        for c in reversed(rest):
            made = made.times_plus(self, c)
        return made

    def by_halves(self, coefficients: Sequence[float]) -> Vector:
        """Returns a polynomial, the even powers and the odd ones side by side: the processor waits
        half as long for one result after the other."""
        square = self * self
        even, odd = (square.polynomial(coefficients[k::2]) for k in range(2))
        return odd.times_plus(self, even)

    # -- words and bits ----------------------------------------------------------------------------

    def words(self) -> Vector:
        """Returns the bits of the floats as words."""
        words = self._lanes(integer(self.format.width))
        return Vector(self.builder, self.builder.bitcast(self.value, words))

    def floats(self) -> Vector:
        """Returns the floats that have these bits."""
        return Vector(self.builder, self.builder.bitcast(self.value, self._floats))

    @property
    def _floats(self) -> Type:
        return self._lanes(DOUBLE if self.format is DOUBLES else FLOAT32)

    def to_floats(self) -> Vector:
        """Returns the words as floats of the same number."""
        return Vector(self.builder, self.builder.to_float(self.value, True, self._floats))

    def odd(self) -> Vector:
        """Returns the last bits of words."""
        return Vector(self.builder, self.builder.trunc(self.value, self._lanes(BIT)))

    def plus(self, y: Vector | int) -> Vector:
        return self._made("add", y)

    def minus(self, y: Vector | int) -> Vector:
        return self._made("sub", y)

    def __and__(self, y: Vector | int) -> Vector:
        return self._made("and", y)

    def __or__(self, y: Vector) -> Vector:
        return self._made("or", y)

    def __lshift__(self, count: int) -> Vector:
        return self._made("shl", count)

    def __rshift__(self, count: int) -> Vector:
        """Returns words, shifted; their signs come in from the left."""
        return self._made("ashr", count)

    def drawn(self, count: int) -> Vector:
        """Returns words, shifted to the right; zeros come in from the left."""
        return self._made("lshr", count)

    def turned(self, y: Vector) -> Vector:
        """Returns the bits that differ."""
        return self._made("xor", y)

    def no(self) -> Vector:
        """Returns the other bits."""
        return self._made("xor", -1)

    def is_negative(self) -> Vector:
        """Returns where words are below 0."""
        return self._compared("icmp slt", 0)

    def below(self, y: int) -> Vector:
        """Compares words without signs."""
        return self._compared("icmp ult", y)

    def choose(self, yes: Vector | float, no: Vector | float) -> Vector:
        """Returns one or the other where a bit is set or not."""
        t = next(x.value.type for x in (yes, no) if isinstance(x, Vector))
        given = [x.value if isinstance(x, Vector) else Literal(t, x) for x in (yes, no)]
        return Vector(self.builder, self.builder.select(self.value, *given))

    # -- tables ------------------------------------------------------------------------------------

    def look_up(self, table: Sequence[Sequence[float]]) -> list[Vector]:
        """Returns the columns of the rows that the words name; 2 or 4 columns.

        Each row is loaded at once, and the rows are transposed: faster than to gather.
        """
        b, width = self.builder, len(table[0])
        row, rows = vector_of(DOUBLE, width), []
        start = b.block.function.module.table([x for row in table for x in row])
        count = self.value.type.count
        for lane in range(count):
            index = b.write(I64, f"extractelement {self.value}, i64 {lane}")
            rows.append(b.load(b.element(start, row, index), row, align=8 * width))
        while len(rows) > 1:
            rows = [self._shuffled(x, y, range(2 * x.type.count))
                    for x, y in zip(rows[::2], rows[1::2], strict=True)]
        return [Vector(b, self._shuffled(rows[0], rows[0], range(k, width * count, width)))
                for k in range(width)]

    def _shuffled(self, x: Value, y: Value, lanes: range) -> Value:
        mask = ", ".join(f"i32 {k}" for k in lanes)
        return self.builder.write(
            vector_of(DOUBLE, len(lanes)), f"shufflevector {x}, {y}, <{len(lanes)} x i32> <{mask}>")


# -- pairs: a float and what is left of the exact value --------------------------------------------
# T. J. Dekker, A floating-point technique for extending the available precision, 1971.

Pair = tuple[Vector, Vector]


def fast_sum(a: Vector, b: Vector) -> Pair:
    """Returns `a + b` exactly, where `a` is 0 or not smaller than `b`."""
    made = a + b
    return made, b - (made - a)


def product(a: Vector, b: Vector) -> Pair:
    """Returns `a * b` exactly."""
    made = a * b
    return made, a.times_plus(b, -made)
