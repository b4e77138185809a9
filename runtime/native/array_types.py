"""The types of the operands of array groups, and the dtypes in which NumPy computes on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.ir.types import ArrayType, PyType, Shape
from autograph.runtime.kernels.tiled_reductions import agrees
from autograph.runtime.native.inner_loops import CLIP_UFUNC
from autograph.runtime.native.kinds import (
    BOOL,
    CLASSES,
    DTYPES,
    FLOAT,
    PARTS,
    NotNative,
    fits,
)
from autograph.runtime.native.loop_nest import Constant, DType
from autograph.runtime.ops.elementwise import POWER
from autograph.runtime.ops.op import OPS, Reduction
from autograph.runtime.optimize.algebraic_rules import is_uniform

CLIP = OPS["clip"]

EXACT_INTS = {FLOAT: 2 ** 53, np.dtype(np.float32): 2 ** 24}
"""Up to this one, Python's ints are exact as floats."""


def dtype_of(t: ArrayType) -> DType:
    """Returns the dtype of an array type that has one."""
    assert t.dtype is not None
    return t.dtype


def array_type(atom: Atom) -> ArrayType:
    """Returns the type of an array or a NumPy scalar of known dtype and rank.

    Raises:
      NotNative: it is something else, or of a dtype that has no machine code.
    """
    t = atom.type if isinstance(atom, Value) else None
    if not isinstance(t, ArrayType) or t.shape is None or t.dtype not in DTYPES:
        raise NotNative(f"a value of type {t}")
    return t


def shape_of(t: ArrayType) -> Shape:
    """Returns the shape of an array type that has one."""
    assert t.shape is not None
    return t.shape


def rank_of(atom: Atom) -> int:
    """Returns the number of axes of an array of known rank; 0 for all else."""
    t = atom.type if isinstance(atom, Value) else None
    return len(t.shape) if isinstance(t, ArrayType) and t.shape is not None else 0


def is_of_floats(atom: Atom) -> bool:
    return bool(rank_of(atom)) and array_type(atom).dtype in (FLOAT, np.dtype(np.float32))


def is_plain_power(e: Equation) -> bool:
    """Returns True if `x ** 3` is `np.power`: no exponent for which arrays take a short cut."""
    return type(e.args[1]) in (int, float) and e.args[1] not in (-1, 0, 0.5, 1, 2)


def ufunc_of(e: Equation, ranks: list[int], floats: bool) -> tuple[Any, tuple[Atom, ...]]:
    """Returns the ufunc that an elementwise equation on arrays of these ranks is, and its operands;
    `floats`: the first is an array of floats.

    Raises:
      NotNative: it is none. `x ** n` is `np.power` only for some numbers n.
    """
    if e.op is CLIP and len(e.args) == 3:
        return CLIP_UFUNC, e.args
    if e.op is POWER and not ranks[1]:
        if isinstance(e.args[1], Value):
            raise NotNative("a power whose exponent only the run knows")
        if type(e.args[1]) in (int, float) and e.args[1] == 2 and floats:
            return np.square, e.args[:1]
        if not is_plain_power(e):
            raise NotNative(f"the op {e.op.name}")
    if e.op.ufunc is None:
        raise NotNative(f"the op {e.op.name}")
    return e.op.ufunc, e.args


def resolved(ufunc: Any, args: tuple[Atom, ...]) -> tuple[DType, ...]:
    """Returns the dtypes of the inner loop that NumPy chooses.

    Raises:
      NotNative: there is none, or it computes on other dtypes.
    """
    given = [dtype_or_class(a) for a in args]
    try:
        found: tuple[DType, ...] = ufunc.resolve_dtypes((*given, None))
    except TypeError:
        raise NotNative(f"{ufunc.__name__} of these dtypes") from None
    if not set(found) <= DTYPES:
        raise NotNative(f"{ufunc.__name__} of {found[0]}")
    return found


def dtype_or_class(atom: Atom) -> Any:
    """Returns a dtype, or Python's class of a number that takes that of the others."""
    cls = atom.type.cls if isinstance(atom, Value) and isinstance(atom.type, PyType) else type(atom)
    if cls in (int, float, complex):
        return cls
    if cls is bool:
        return BOOL
    if isinstance(atom, (np.generic, np.ndarray)):
        return atom.dtype
    return array_type(atom).dtype


def number_in(constant: Any) -> Any:
    """Returns the number that all elements of a constant array are; another constant as it is."""
    if isinstance(constant, np.ndarray) and is_uniform(constant):
        return constant.flat[0]
    return constant


def constant_of(number: Any, dtype: DType | None) -> Constant:
    """Returns a number as NumPy converts it.

    Raises:
      NotNative: it is no number, or does not fit.
    """
    if type(number) not in CLASSES and not (
            isinstance(number, np.generic) and number.dtype in DTYPES):
        raise NotNative(f"a constant of class {type(number).__name__}")
    if dtype is None:
        dtype = CLASSES.get(type(number)) or number.dtype
    try:
        with np.errstate(all="raise"):
            exact = type(number) is int and dtype.kind in "iu"
            made = np.array(number, dtype)[()] if exact else np.asarray(number).astype(dtype)[()]
    except (ArithmeticError, ValueError):
        raise NotNative("a number that does not fit") from None
    if type(number) is int and not _is_exact(number, dtype):
        raise NotNative("an int that is not exact as a float")
    return Constant(made, dtype)


def _is_exact(number: int, dtype: DType) -> bool:
    part = PARTS.get(dtype, dtype)
    if part in EXACT_INTS:
        return abs(number) <= EXACT_INTS[part]
    return fits(number) or dtype == np.dtype(np.uint64)


def summed_as(reduction: Reduction, dtype: DType | None, out: DType | None) -> DType:
    """Returns the dtype that a reduction computes in.

    Raises:
      NotNative: the order in which NumPy adds up is another one then.
    """
    if dtype is None or out is None or out not in DTYPES:
        raise NotNative("a reduction of this dtype")
    if out.kind in "fc" and reduction.ufunc in (np.add, np.multiply) and dtype != out:
        raise NotNative("a sum of numbers that are cast")
    if out.kind in "fc" and reduction.ufunc is np.add and not agrees():
        raise NotNative("this NumPy adds up in another order")
    return out
