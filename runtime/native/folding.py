"""A builder of LLVM IR that computes with ints that are known, so that little is left to LLVM."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from typing import Any

from llvmlite import ir

BIT, I64 = ir.IntType(1), ir.IntType(64)

COMPARED = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


@cache
def word(number: int) -> Any:
    """Returns a constant of 64 bits, the same object each time."""
    return ir.Constant(I64, number)


def known(x: Any) -> int | None:
    """Returns the int that a constant is, with its sign; None for all else."""
    if not (isinstance(x, ir.Constant) and isinstance(x.type, ir.IntType)
            and isinstance(x.constant, int)):
        return None
    return signed(int(x.constant), x.type.width)


def signed(number: int, bits: int) -> int:
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) and bits > 1 else number


def constant_of(t: Any, number: int) -> Any:
    return word(signed(number, 64)) if t == I64 else ir.Constant(t, signed(number, t.width))


def is_constant(x: Any, number: int) -> bool:
    return known(x) == number


class Builder(ir.IRBuilder):  # type: ignore[misc]
    """An `IRBuilder` whose results on known ints are constants.

    >>> str(Builder().add(word(2), word(3)))
    'i64 5'
    """

    def add(self, a: Any, b: Any, *rest: Any, **named: Any) -> Any:
        if is_constant(b, 0):
            return a
        return b if is_constant(a, 0) else self._folded(add, super().add, a, b, rest, named)

    def sub(self, a: Any, b: Any, *rest: Any, **named: Any) -> Any:
        return a if is_constant(b, 0) else self._folded(sub, super().sub, a, b, rest, named)

    def mul(self, a: Any, b: Any, *rest: Any, **named: Any) -> Any:
        if is_constant(b, 1):
            return a
        return b if is_constant(a, 1) else self._folded(mul, super().mul, a, b, rest, named)

    def _folded(self, compute: Callable[[int, int], int], write: Any, a: Any, b: Any, rest: Any,
                named: Any) -> Any:
        x, y = known(a), known(b)
        if x is None or y is None:
            return write(a, b, *rest, **named)
        return constant_of(a.type, compute(x, y))

    def and_(self, a: Any, b: Any, *rest: Any, **named: Any) -> Any:
        if a.type == BIT:
            for x, y in ((a, b), (b, a)):
                if (bit := known(x)) is not None:
                    return y if bit else x
        return super().and_(a, b, *rest, **named)

    def or_(self, a: Any, b: Any, *rest: Any, **named: Any) -> Any:
        if a.type == BIT:
            for x, y in ((a, b), (b, a)):
                if (bit := known(x)) is not None:
                    return x if bit else y
        return super().or_(a, b, *rest, **named)

    def not_(self, a: Any, *rest: Any, **named: Any) -> Any:
        if a.type == BIT and (bit := known(a)) is not None:
            return ir.Constant(BIT, 1 - bit)
        return super().not_(a, *rest, **named)

    def select(self, test: Any, yes: Any, no: Any, *rest: Any, **named: Any) -> Any:
        bit = known(test) if test.type == BIT else None
        if yes is no or bit is not None:
            return yes if bit or yes is no else no
        return super().select(test, yes, no, *rest, **named)

    def icmp_signed(self, sign: str, a: Any, b: Any, *rest: Any, **named: Any) -> Any:
        x, y = known(a), known(b)
        if x is None or y is None:
            return super().icmp_signed(sign, a, b, *rest, **named)
        return ir.Constant(BIT, int(COMPARED[sign](x, y)))

    def icmp_unsigned(self, sign: str, a: Any, b: Any, *rest: Any, **named: Any) -> Any:
        x, y = known(a), known(b)
        if x is None or y is None:
            return super().icmp_unsigned(sign, a, b, *rest, **named)
        size = 1 << a.type.width
        return ir.Constant(BIT, int(COMPARED[sign](x % size, y % size)))
