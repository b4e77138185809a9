"""Elementwise ops: Python's operators, and NumPy's ufuncs under their own names (`np.add`).

`a + b` on two Python numbers is Python's and gives a Python number; `np.add(a, b)` gives a NumPy
scalar. So an operator and its ufunc are two ops, which agree as soon as one operand is NumPy's.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Type
from autograph.runtime.ops import operator_rules, samples
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.op import OPS, Op, Sample, Traits, define
from autograph.runtime.ops.samples import call

NUMBERS = (call(7, 2), call(2.5, 2), call(True, 3), call(7, True))
SHIFTS = (call(7, 2), call(True, 3), *samples.INT_BINARY)
BITWISE = (call(6, 3), call(True, False), *samples.INT_BINARY, *samples.BOOL_BINARY)
MIXED = (call(1j, samples.SCALAR), call(samples.SCALAR, 1j))
ARITHMETIC = (*samples.BINARY, *NUMBERS)
NUMBER = (*samples.UNARY, call(2), call(1.5))
LISTS = (call(samples.VECTOR, [1, 2, 3]), call([4.0, 5.0, 6.0], samples.MATRIX))
REPEATED = (call("a", 3), call([1, 2], np.int64(2)), call(np.int64(2), [1, 2]))
WORDS, NONE = call("a", "b"), call(None, 1)

COMMUTES: Traits = {"commutative": True}
NUMBERS_TOO: Traits = {"on_python_numbers": True}
SUM: Traits = {**NUMBERS_TOO, "arithmetic": True, "modular": True, "overflows": True,
               "ignores_layout": True, "on_elements": True}
QUOTIENT: Traits = {**NUMBERS_TOO, "arithmetic": True, "raises_on_python_numbers": True}
SHIFT: Traits = {"raises_on_python_numbers": True}
LOGICAL: Traits = {"logical": True}
BITS: Traits = {**NUMBERS_TOO, **LOGICAL, **COMMUTES}
COMPARED: Traits = {**NUMBERS_TOO, "comparison": True, "ignores_layout": True,
                    "hides_infinity": True}
SIGN: Traits = {**NUMBERS_TOO, "arithmetic": True, "silent_on_floats": True}

# name, Python's function, source, NumPy's ufunc, ONNX, samples, samples that only Python takes,
# traits
OPERATORS: tuple[tuple[str, Callable[..., Any], str, np.ufunc, str | None, tuple[Sample, ...],
                       tuple[Sample, ...], Traits], ...] = (
    ("add", operator.add, "{0} + {1}", np.add, "Add", (*ARITHMETIC, *LISTS, *MIXED), (WORDS,),
     {**SUM, **COMMUTES, "augmented": "+"}),
    ("subtract", operator.sub, "{0} - {1}", np.subtract, "Sub", ARITHMETIC, (),
     {**SUM, "augmented": "-"}),
    ("multiply", operator.mul, "{0} * {1}", np.multiply, "Mul", ARITHMETIC, REPEATED,
     {**SUM, **COMMUTES, "augmented": "*"}),
    ("divide", operator.truediv, "{0} / {1}", np.divide, "Div", ARITHMETIC, (),
     {**QUOTIENT, "augmented": "/", "ignores_layout": True, "on_elements": True}),
    ("floor_divide", operator.floordiv, "{0} // {1}", np.floor_divide, None, ARITHMETIC, (),
     {**QUOTIENT, "overflows": True}),
    ("mod", operator.mod, "{0} % {1}", np.remainder, None, ARITHMETIC, (call("%d", 2),), QUOTIENT),
    ("power", operator.pow, "{0} ** {1}", np.power, "Pow", ARITHMETIC, (call(2, -1),),
     {"raises_on_python_numbers": True, "raises_on_integers": True, "overflows": True,
      "unbounded": True, "hides_infinity": True, "in_math": math.pow}),
    ("left_shift", operator.lshift, "{0} << {1}", np.left_shift, None, SHIFTS, (),
     {**SHIFT, "overflows": True, "unbounded": True}),
    ("right_shift", operator.rshift, "{0} >> {1}", np.right_shift, None, SHIFTS, (), SHIFT),
    ("bitwise_and", operator.and_, "{0} & {1}", np.bitwise_and, "BitwiseAnd", BITWISE, (),
     {**BITS, "augmented": "&"}),
    ("bitwise_or", operator.or_, "{0} | {1}", np.bitwise_or, "BitwiseOr", BITWISE, (),
     {**BITS, "augmented": "|"}),
    ("bitwise_xor", operator.xor, "{0} ^ {1}", np.bitwise_xor, "BitwiseXor", BITWISE, (),
     {**BITS, "augmented": "^"}),
    ("equal", operator.eq, "{0} == {1}", np.equal, "Equal", ARITHMETIC, (WORDS, NONE), COMPARED),
    ("not_equal", operator.ne, "{0} != {1}", np.not_equal, None, ARITHMETIC, (WORDS, NONE),
     COMPARED),
    ("less", operator.lt, "{0} < {1}", np.less, "Less", ARITHMETIC, (WORDS,), COMPARED),
    ("less_equal", operator.le, "{0} <= {1}", np.less_equal, "LessOrEqual", ARITHMETIC, (),
     COMPARED),
    ("greater", operator.gt, "{0} > {1}", np.greater, "Greater", ARITHMETIC, (), COMPARED),
    ("greater_equal", operator.ge, "{0} >= {1}", np.greater_equal, "GreaterOrEqual", ARITHMETIC, (),
     COMPARED),
    ("negative", operator.neg, "-{0}", np.negative, "Neg", NUMBER, (call(True),),
     {**SIGN, "modular": True, "overflows": True, "on_elements": True, "keeps_zeros": True}),
    ("positive", operator.pos, "+{0}", np.positive, "Identity", NUMBER, (call(True),),
     {**SIGN, "modular": True}),
    ("absolute", operator.abs, "abs({0})", np.absolute, "Abs",
     (*NUMBER, call(2 + 1j), call(True)), (), {**SIGN, "overflows": True, "on_elements": True}),
    ("invert", operator.invert, "~{0}", np.invert, "BitwiseNot", (*samples.INT_UNARY, call(2)), (),
     LOGICAL),
)

OF_PYTHON = ("on_python_numbers", "hides_infinity", "augmented", "in_math")
"""Traits of operators that their ufuncs do not have: NumPy's numbers come out of a ufunc."""

BINARY, UNARY = samples.BINARY, samples.UNARY
INTEGERS, MASKS = samples.INT_BINARY, samples.BOOL_BINARY
UNIT = (call(np.array([0.25, -0.5, 1.0])), call(samples.SCALAR), call(0.5))
ABOVE_ONE = (call(np.array([1.0, 2.5])), call(np.float64(1.5)), call(2))

SILENT: Traits = {"silent_on_floats": True}
UFUNC_TRAITS: dict[np.ufunc, Traits] = {
    np.sqrt: {"on_elements": True, "in_math": math.sqrt}, np.conjugate: {"keeps_zeros": True},
    np.logical_and: LOGICAL, np.logical_or: LOGICAL, np.logical_xor: LOGICAL,
    np.logical_not: LOGICAL,
    np.isnan: SILENT, np.isinf: SILENT, np.isfinite: SILENT, np.signbit: SILENT, np.floor: SILENT,
    np.ceil: SILENT, np.trunc: SILENT, np.rint: SILENT, np.copysign: SILENT,
    np.minimum: {**SILENT, "out_by_keyword": True}, np.maximum: {**SILENT, "out_by_keyword": True},
    **{of: {trait: traits[trait] for trait in traits.keys() - set(OF_PYTHON)}
       for _, _, _, of, *_, traits in OPERATORS},
}
"""The traits of ufuncs, those of the operators' among them."""

# ufunc, ONNX, samples; the operators' ufuncs follow from the table above
UFUNCS: tuple[tuple[np.ufunc, str | None, tuple[Sample, ...]], ...] = (
    (np.sqrt, "Sqrt", (*UNARY, call(2))), (np.cbrt, None, UNARY), (np.square, None, UNARY),
    (np.reciprocal, "Reciprocal", UNARY[:4]), (np.exp, "Exp", (*UNARY, call(1.5))),
    (np.exp2, None, UNARY), (np.expm1, None, UNARY), (np.log, "Log", UNARY),
    (np.log2, None, UNARY), (np.log10, None, UNARY), (np.log1p, None, UNARY),
    (np.sin, "Sin", UNARY), (np.cos, "Cos", UNARY), (np.tan, "Tan", UNARY),
    (np.arcsin, "Asin", UNIT), (np.arccos, "Acos", UNIT), (np.arctan, "Atan", UNARY),
    (np.sinh, "Sinh", UNARY), (np.cosh, "Cosh", UNARY), (np.tanh, "Tanh", UNARY),
    (np.arcsinh, "Asinh", UNARY), (np.arccosh, "Acosh", ABOVE_ONE), (np.arctanh, "Atanh", UNIT[1:]),
    (np.deg2rad, None, UNARY), (np.rad2deg, None, UNARY), (np.degrees, None, UNARY),
    (np.radians, None, UNARY), (np.floor, "Floor", UNARY), (np.ceil, "Ceil", UNARY),
    (np.trunc, None, UNARY), (np.rint, "Round", UNARY), (np.sign, "Sign", UNARY),
    (np.fabs, None, UNARY), (np.conjugate, None, (*UNARY, call(1 + 2j))),
    (np.signbit, None, UNARY), (np.spacing, None, UNARY), (np.isnan, "IsNaN", UNARY),
    (np.isinf, "IsInf", UNARY), (np.isfinite, None, UNARY), (np.modf, None, UNARY),
    (np.frexp, None, UNARY), (np.logical_not, "Not", (*UNARY, call(samples.MASK))),
    (np.logical_and, "And", (*BINARY, *MASKS)), (np.logical_or, "Or", (*BINARY, *MASKS)),
    (np.logical_xor, "Xor", (*BINARY, *MASKS)), (np.maximum, "Max", BINARY),
    (np.minimum, "Min", BINARY), (np.fmax, None, BINARY), (np.fmin, None, BINARY),
    (np.arctan2, None, BINARY), (np.hypot, None, BINARY), (np.copysign, None, BINARY),
    (np.nextafter, None, BINARY), (np.heaviside, None, BINARY), (np.logaddexp, None, BINARY),
    (np.logaddexp2, None, BINARY), (np.float_power, None, BINARY), (np.fmod, None, BINARY),
    (np.divmod, None, BINARY), (np.gcd, None, INTEGERS), (np.lcm, None, INTEGERS),
    (np.ldexp, None, (call(samples.MATRIX, samples.INTS), call(samples.SCALAR, 2))),
)

ELEMENTWISE: Traits = {"elementwise": True, "reads_only": True, "fresh": True, "foldable": True}


def _operator(name: str, fn: Callable[..., Any], emit: str, ufunc: np.ufunc, onnx: str | None,
              given: tuple[Sample, ...], python_only: tuple[Sample, ...], traits: Traits) -> Op:
    type_of_result = power_type if fn is operator.pow else operator_rules.operator_type

    def infer(*args: Any) -> Type:
        if type(args[0]) in _NESTS or type(args[-1]) in _NESTS:
            return type_of_result(fn, ufunc, *operator_rules.operands(args))
        if fn is operator.pow and _is_real_power(*args):
            return PyType(float)
        return type_of_result(fn, ufunc, *[
            x if x.__class__ is ArrayType else rules.as_type(x) for x in args])

    return define(Op(name, fn, rules.rule(infer), emit, (*given, *python_only), onnx=onnx,
                     ufunc=ufunc, doc=f"Python's `{emit.format('x', 'y')}`",
                     dunder=fn.__name__.strip("_"), **ELEMENTWISE, **traits))


@lru_cache(maxsize=1024)
def power_type(fn: Callable[..., Any], ufunc: np.ufunc, base: Type, exponent: Type) -> Type:
    """The type of `x ** y`; of bool arrays NumPy squares some as int8, by the exponent's value."""
    t = operator_rules.operator_type(fn, ufunc, base, exponent)
    if isinstance(base, ArrayType) and base.dtype == bool and isinstance(t, ArrayType):
        return ArrayType(None, t.shape, t.scalar)
    return t


def _is_real_power(base: Any, exponent: Any) -> bool:
    """Returns True if a constant tells that Python's `x ** y` of floats is no complex number."""
    if type(base) in (int, float) and base >= 0:
        return rules.as_type(exponent) == PyType(float)
    return rules.as_type(base) == PyType(float) and (
        type(exponent) is float and exponent.is_integer())


_NESTS = (list, tuple)


def _ufunc(ufunc: np.ufunc, onnx: str | None, given: tuple[Sample, ...]) -> Op:
    unknown: Any = DYNAMIC if ufunc.nout == 1 else (DYNAMIC,) * ufunc.nout

    def infer(*args: Any, **keywords: Any) -> Type | tuple[Type, ...]:
        if keywords:
            return ufunc_with_keywords(ufunc, args, keywords)
        return operator_rules.ufunc_type(ufunc, *map(_ufunc_operand, args))

    name = f"np.{ufunc.__name__}"
    return define(Op(name, ufunc, rules.rule(infer, unknown), name, given, onnx=onnx,
                     ufunc=ufunc, doc=f"NumPy's `{ufunc.__name__}`", **ELEMENTWISE,
                     **UFUNC_TRAITS.get(ufunc, {})))


def _ufunc_operand(x: Any) -> Type:
    return rules.array_of(x) if isinstance(x, _NESTS) else rules.as_type(x)


def ufunc_with_keywords(ufunc: np.ufunc, args: tuple[Any, ...],
                        keywords: dict[str, Any]) -> Type | tuple[Type, ...]:
    """The type of a ufunc call with `where=`, `dtype=`, `casting=` … (never `out=`)."""
    types = [_ufunc_operand(x) for x in args]
    plain = operator_rules.ufunc_type(ufunc, *types)
    where = keywords.get("where", True)
    mask = () if isinstance(where, bool) else rules.array_of(where).shape
    exact = keywords.get("dtype") is None and keywords.get("signature") is None
    return _each(plain, lambda t: _reshaped(t, mask, None if exact else _forced(ufunc, keywords)))


def _forced(ufunc: np.ufunc, keywords: dict[str, Any]) -> Any:
    """(dtype,) of the output when `dtype=` asks for a loop; predicates still give bool."""
    if keywords.get("signature") is not None:
        return (None,)
    dtype = rules.dtype_of(keywords["dtype"], None)
    return (np.dtype(bool),) if operator_rules.is_predicate(ufunc) else (dtype,)


def _reshaped(t: Type, mask: Any, forced: Any) -> Type:
    if not isinstance(t, ArrayType):
        return t
    return rules.unboxed(forced[0] if forced else t.dtype, rules.broadcast(t.shape, mask))


def _each(t: Type | tuple[Type, ...], fn: Callable[[Type], Type]) -> Type | tuple[Type, ...]:
    return tuple(map(fn, t)) if isinstance(t, tuple) else fn(t)


PYTHON_OPERATORS = [_operator(*row) for row in OPERATORS]
ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE, POWER, ABSOLUTE = (OPS[name] for name in (
    "add", "subtract", "multiply", "divide", "floor_divide", "power", "absolute"))
for _row in OPERATORS:
    _ufunc(*_row[3:6])
for _plain in UFUNCS:
    _ufunc(*_plain)
SQRT = OPS["np.sqrt"]
