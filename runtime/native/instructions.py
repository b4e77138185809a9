"""Instructions: the LLVM IR of one operation on numbers, with the checks that keep it exact.

Whatever machine code would do differently leaves the kernel by its `fail` block: an int that does
not fit, a division by zero, an index out of bounds. Floating-point exceptions are seen at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, mul, sub
from typing import Any

import numpy as np

from autograph.runtime.native.builder import Builder, constant_of, known
from autograph.runtime.native.inner_loops import inner_loop
from autograph.runtime.native.kinds import BOOL, FLOAT, INT, NotNative
from autograph.runtime.native.llvm_ir import (
    BIT,
    BYTE,
    DOUBLE,
    FLOAT32,
    I32,
    I64,
    POINTER,
    VOID,
    Function,
    Literal,
    Module,
    array_of,
    integer,
    metadata,
    pair_of,
    pointer_to,
    word,
)
from autograph.runtime.native.machine import FLAGS, UNDERFLOW, address_of, c_function

DType = np.dtype[Any]

EXACT = 2 ** 53
"""Ints up to this one are exact as floats."""


def llvm_type(dtype: DType) -> Any:
    """Returns how a number is held in a register."""
    if dtype == BOOL:
        return BIT
    if dtype.kind == "f":
        return DOUBLE if dtype == FLOAT else FLOAT32
    return integer(dtype.itemsize * 8)


def memory_type(dtype: DType) -> Any:
    """Returns how a number is held in an array."""
    return BYTE if dtype == BOOL else llvm_type(dtype)


def constant(number: Any, dtype: DType) -> Any:
    return Literal(llvm_type(dtype), float(number) if dtype.kind == "f" else int(number))


class Instructions:
    """Builds instructions at the end of the current block."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        self.function = function
        self.entry = function.append_basic_block("entry")
        self.fail = function.append_basic_block("fail")
        Builder(self.fail).ret(Literal(I32, 1))
        start = function.append_basic_block("start")
        self.builder = Builder(start)
        self.entry_builder = Builder(self.entry)
        self.forget = self.stack(I32)
        """Exceptions that were pending before a loop that clears them."""
        self.entry_builder.store(Literal(I32, 0), self.forget)

    def stack(self, t: Any, count: int = 1) -> Any:
        """Returns memory of the function's own."""
        return self.entry_builder.alloca(array_of(t, count) if count > 1 else t)

    def memory(self, words: int = 1) -> Any:
        """Returns the address of words of the function's own."""
        return self.entry_builder.alloca(array_of(I64, words))

    def block(self, name: str) -> Any:
        return self.function.append_basic_block(name)

    def require(self, holds: Any) -> None:
        """Leaves the kernel unless a condition holds."""
        if known(holds):
            return
        on = self.block("on")
        self.builder.cbranch(holds, on, self.fail)
        self.builder.position_at_end(on)

    def call(self, name: str, result: Any, arguments: list[Any]) -> Any:
        """Calls an intrinsic."""
        known = self.module.declared(name, result, [a.type for a in arguments])
        return self.builder.call(known, arguments)

    def call_address(self, address: int, result: Any, arguments: list[Any]) -> Any:
        return call_address(self.builder, address, result, arguments)

    def strict(self, name: str, arguments: list[Any], result: Any, *how: str) -> Any:
        return strict(self.module, self.builder, name, arguments, result, *how)

    def compare_floats(self, sign: str, a: Any, b: Any) -> Any:
        """Compares floats; a NaN is unequal to all, and raises nothing."""
        return self.strict("fcmp", [a, b], BIT, PREDICATES[sign])

    # -- conversions -------------------------------------------------------------------------------

    def convert(self, x: Any, old: DType, new: DType) -> Any:
        """Converts a number; leaves the kernel where an int does not fit."""
        if old == new:
            return x
        if old == BOOL:
            x, old = self.builder.zext(x, I64), INT
        if new == BOOL:
            return self.truth(x, old)
        if new.kind == "f":
            return self._to_float(x, old, new)
        if old.kind == "f":
            return self._to_int(x, old, new)
        return self._resized(x, old, new)

    def truth(self, x: Any, dtype: DType) -> Any:
        if dtype == BOOL:
            return x
        zero = constant(0, dtype)
        if dtype.kind == "f":
            return self.compare_floats("!=", x, zero)
        return self.builder.icmp_signed("!=", x, zero)

    def _to_float(self, x: Any, old: DType, new: DType) -> Any:
        t = llvm_type(new)
        if old.kind == "f":
            return self.strict("fpext", [x], t) if new == FLOAT else (
                self.strict("fptrunc", [x], t, NEAREST))
        return self.strict("sitofp" if old.kind == "i" else "uitofp", [x], t, NEAREST)

    def _to_int(self, x: Any, old: DType, new: DType) -> Any:
        bound = 2.0 ** 63
        inside = self.builder.and_(
            self.compare_floats(">=", x, constant(-bound, old)),
            self.compare_floats("<", x, constant(bound, old)))
        self.require(inside)
        return self._resized(self.strict("fptosi", [x], I64), INT, new)

    def _resized(self, x: Any, old: DType, new: DType) -> Any:
        t = llvm_type(new)
        widen = self.builder.sext if old.kind == "i" else self.builder.zext
        if new.itemsize > old.itemsize:
            if new.kind == "u" and old.kind == "i":
                self.require(self.builder.icmp_signed(">=", x, constant(0, old)))
            return widen(x, t)
        wide = widen(x, I64) if old.itemsize < 8 else x
        limits = np.iinfo(new)
        self.require(self.builder.and_(
            self.builder.icmp_signed(">=", wide, Literal(I64, limits.min)),
            self.builder.icmp_signed("<=", wide, Literal(I64, limits.max))))
        return self.builder.trunc(wide, t) if new.itemsize < 8 else wide

    # -- ufuncs ------------------------------------------------------------------------------------

    def apply(self, ufunc: Any, operands: list[Any], dtype: DType) -> Any:
        """Returns the result of a ufunc whose operands were converted to one dtype."""
        form = FORMS.get(ufunc)
        return form(self, dtype, *operands) if form else self.by_inner_loop(ufunc, operands)

    def by_inner_loop(self, ufunc: Any, operands: list[Any]) -> Any:
        """Calls NumPy's own inner loop on one element."""
        loop = inner_loop(ufunc, (FLOAT,) * ufunc.nargs)
        if loop is None:
            raise NotNative(f"{ufunc.__name__}: its inner loop is not known")
        address, data, clears = loop
        if clears:
            self.remember_exceptions()
        cells = [self.stack(DOUBLE) for _ in range(len(operands) + 1)]
        for cell, x in zip(cells, operands, strict=False):
            self.builder.store(x, cell)
        pointers, size, steps = self.stack(I64, 3), self.stack(I64), self.stack(I64, 3)
        self.builder.store(Literal(I64, 1), size)
        for k, cell in enumerate(cells):
            where_cell = self.builder.ptrtoint(cell, I64)
            for table, value in ((pointers, where_cell), (steps, Literal(I64, 8))):
                self.builder.store(value, self.builder.at(table, word(8 * k)))
        self.call_address(address, VOID, [
            pointers, size, steps, self.builder.inttoptr(Literal(I64, data), POINTER)])
        return self.builder.load(cells[-1], typ=DOUBLE)

    def remember_exceptions(self) -> None:
        """Keeps the exceptions that are pending."""
        pending = self.call_address(address_of(c_function("fetestexcept", 1)), I32, [
            Literal(I32, FLAGS | UNDERFLOW)])
        old = self.builder.load(self.forget, typ=I32)
        self.builder.store(self.builder.or_(old, pending), self.forget)

    def checked(self, name: str, dtype: DType, a: Any, b: Any) -> Any:
        """Adds, subtracts or multiplies ints; leaves the kernel on overflow."""
        t, sign = llvm_type(dtype), "s" if dtype.kind == "i" else "u"
        x, y = known(a), known(b)
        if x is not None and y is not None and sign == "s":
            result = FOLDED[name](x, y)
            if known(constant_of(t, result)) == result:
                return constant_of(t, result)
        pair = pair_of(t, BIT)
        both = self.call(f"llvm.{sign}{name}.with.overflow.i{t.width}", pair, [a, b])
        self.require(self.builder.not_(self.builder.extract_value(both, 1)))
        return self.builder.extract_value(both, 0)

    def divisible(self, dtype: DType, a: Any, b: Any) -> None:
        """Leaves the kernel if a quotient of ints has no value."""
        self.require(self.builder.icmp_signed("!=", b, constant(0, dtype)))
        if dtype.kind == "i":
            least = self.builder.icmp_signed("==", a, constant(np.iinfo(dtype).min, dtype))
            by_minus_one = self.builder.icmp_signed("==", b, constant(-1, dtype))
            self.require(self.builder.not_(self.builder.and_(least, by_minus_one)))

    def compare(self, sign: str, dtype: DType, a: Any, b: Any) -> Any:
        if dtype.kind == "f":
            return self.compare_floats(sign, a, b)
        if dtype.kind == "i":
            return self.builder.icmp_signed(sign, a, b)
        return self.builder.icmp_unsigned(sign, a, b)


def call_address(builder: Builder, address: int, result: Any, arguments: list[Any]) -> Any:
    """Calls the function at an address."""
    return builder.call_pointer(pointer_to(address).text, result, arguments)


def strict(module: Module, builder: Builder, name: str, arguments: list[Any], result: Any,
           *how: str) -> Any:
    """Does an operation on floats for its exceptions, too: LLVM neither drops nor moves it.

    See "Constrained Floating-Point Intrinsics" in the language reference of LLVM.
    """
    types = [a.type for a in arguments]
    words = [metadata(word) for word in (*how, "fpexcept.strict")]
    overloads = types[:1] if name == "fcmp" else (
        [result, types[0]] if name in CONVERSIONS else [result])
    full = ".".join(["llvm.experimental.constrained", name, *map(suffix, overloads)])
    known = module.declared(full, result, [*types, *[w.type for w in words]])
    return builder.call(known, [*arguments, *words])


CONVERSIONS = ("fptosi", "fptoui", "sitofp", "uitofp", "fptrunc", "fpext")


def suffix(t: Any) -> str:
    """Returns the name of a type in the name of an intrinsic."""
    if t.count:
        return f"v{t.count}{suffix(t.element)}"
    return {"double": "f64", "float": "f32"}.get(str(t), str(t))


FOLDED: dict[str, Callable[[int, int], int]] = {"add": add, "sub": sub, "mul": mul}

NEAREST = "round.tonearest"
PREDICATES = {"==": "oeq", "!=": "une", "<": "olt", "<=": "ole", ">": "ogt", ">=": "oge"}
"""The names of comparisons of floats in LLVM."""

Form = Callable[..., Any]


def _arithmetic(name: str) -> Form:
    def form(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
        if dtype.kind == "f":
            return i.strict(f"f{name}", [a, b], llvm_type(dtype), NEAREST)
        return i.checked(name, dtype, a, b)

    return form


def _divide(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    return i.strict("fdiv", [a, b], llvm_type(dtype), NEAREST)


def _comparison(sign: str) -> Form:
    return lambda i, dtype, a, b: i.compare(sign, dtype, a, b)


def _intrinsic(name: str) -> Form:
    def form(i: Instructions, dtype: DType, x: Any) -> Any:
        return i.call(f"llvm.{name}.f{dtype.itemsize * 8}", llvm_type(dtype), [x])

    return form


def _rounding(name: str) -> Form:
    return lambda i, dtype, x: i.strict(name, [x], llvm_type(dtype))


def _remainder(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    """The remainder has the sign of the divisor, as in Python and NumPy."""
    builder, zero = i.builder, constant(0, dtype)
    if dtype.kind == "f":
        rest = i.strict("frem", [a, b], llvm_type(dtype), NEAREST)
        other_sign = builder.xor(i.compare_floats("<", b, zero), i.compare_floats("<", rest, zero))
        moved = builder.select(other_sign, FORMS[np.add](i, dtype, rest, b), rest)
        signed_zero = i.call(f"llvm.copysign.f{dtype.itemsize * 8}", llvm_type(dtype), [zero, b])
        return builder.select(i.compare_floats("!=", rest, zero), moved, signed_zero)
    i.divisible(dtype, a, b)
    if dtype.kind == "u":
        return builder.urem(a, b)
    rest = builder.srem(a, b)
    moved = builder.and_(builder.icmp_signed("!=", rest, zero), builder.icmp_signed(
        "<", builder.xor(rest, b), zero))
    return builder.select(moved, builder.add(rest, b), rest)


def _floor_divide(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    builder, zero = i.builder, constant(0, dtype)
    if dtype.kind == "f":
        return _floor_divide_floats(i, dtype, a, b)
    i.divisible(dtype, a, b)
    if dtype.kind == "u":
        return builder.udiv(a, b)
    quotient, rest = builder.sdiv(a, b), builder.srem(a, b)
    below = builder.and_(builder.icmp_signed("!=", rest, zero), builder.icmp_signed(
        "<", builder.xor(rest, b), zero))
    return builder.select(below, builder.sub(quotient, constant(1, dtype)), quotient)


def _floor_divide_floats(i: Instructions, dtype: DType, a: Any, b: Any) -> Any:
    """As CPython and NumPy do it: the quotient of what is left when the remainder is taken."""
    builder, zero, one = i.builder, constant(0, dtype), constant(1, dtype)
    add, subtract = FORMS[np.add], FORMS[np.subtract]
    i.require(i.compare_floats("!=", b, zero))
    rest = i.strict("frem", [a, b], llvm_type(dtype), NEAREST)
    quotient = _divide(i, dtype, subtract(i, dtype, a, rest), b)
    other_sign = builder.and_(i.compare_floats("!=", rest, zero), builder.xor(
        i.compare_floats("<", b, zero), i.compare_floats("<", rest, zero)))
    quotient = builder.select(other_sign, subtract(i, dtype, quotient, one), quotient)
    down = _rounding("floor")(i, dtype, quotient)
    too_low = i.compare_floats(">", subtract(i, dtype, quotient, down), constant(0.5, dtype))
    rounded = builder.select(too_low, add(i, dtype, down, one), down)
    signed_zero = i.call(f"llvm.copysign.f{dtype.itemsize * 8}", llvm_type(dtype), [
        zero, _divide(i, dtype, a, b)])
    return builder.select(i.compare_floats("!=", quotient, zero), rounded, signed_zero)


def _negative(i: Instructions, dtype: DType, x: Any) -> Any:
    if dtype.kind == "f":
        return i.builder.fneg(x)
    return i.checked("sub", dtype, constant(0, dtype), x)


def _absolute(i: Instructions, dtype: DType, x: Any) -> Any:
    if dtype.kind == "f":
        return _intrinsic("fabs")(i, dtype, x)
    if dtype.kind == "u":
        return x
    negated = _negative(i, dtype, x)
    return i.builder.select(i.builder.icmp_signed("<", x, constant(0, dtype)), negated, x)


def _bitwise(instruction: str) -> Form:
    return lambda i, dtype, a, b: getattr(i.builder, instruction)(a, b)


FORMS: dict[Any, Form] = {
    np.add: _arithmetic("add"),
    np.subtract: _arithmetic("sub"),
    np.multiply: _arithmetic("mul"),
    np.square: lambda i, dtype, x: FORMS[np.multiply](i, dtype, x, x),
    np.divide: _divide,
    np.power: lambda i, dtype, a, b: i.strict("pow", [a, b], llvm_type(dtype), NEAREST),
    np.floor_divide: _floor_divide,
    np.remainder: _remainder,
    np.negative: _negative,
    np.positive: lambda i, dtype, x: x,
    np.absolute: _absolute,
    np.fabs: _intrinsic("fabs"),
    np.sqrt: lambda i, dtype, x: i.strict("sqrt", [x], llvm_type(dtype), NEAREST),
    np.floor: _rounding("floor"),
    np.ceil: _rounding("ceil"),
    np.trunc: _rounding("trunc"),
    np.bitwise_and: _bitwise("and_"),
    np.bitwise_or: _bitwise("or_"),
    np.bitwise_xor: _bitwise("xor"),
    np.equal: _comparison("=="),
    np.not_equal: _comparison("!="),
    np.less: _comparison("<"),
    np.less_equal: _comparison("<="),
    np.greater: _comparison(">"),
    np.greater_equal: _comparison(">="),
}
"""The forms of ufuncs that are machine instructions; the others are called."""
