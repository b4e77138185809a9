"""Ufunc selection: faster calls of NumPy, with fewer layers of Python, where types are known."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from autograph.runtime.ir.expressions import (
    Attribute,
    Call,
    Expression,
    Global,
    Literal,
    Operator,
)
from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.kernels.buffer_pool import LARGE
from autograph.runtime.kernels.means import MEANS
from autograph.runtime.kernels.short_axis_sums import MOST
from autograph.runtime.ops import OPS
from autograph.runtime.ops.creation import COPY
from autograph.runtime.ops.elementwise import POWER
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.shape import TRANSPOSE

MANY = 4096
"""Sums along a short axis that are worth taking together."""

PARTS = OPS["real"], OPS["imag"]
"""NumPy's functions that do nothing but ask for the attribute."""

NUMBERS = frozenset({bool, int, float, complex})


def array(x: Atom) -> ArrayType | None:
    """The type of a value that is certainly an array of numbers, its shape and dtype known."""
    t = x.type if isinstance(x, Value) else None
    if isinstance(t, ArrayType) and t.is_static and not t.scalar and t.dtype is not None and (
            t.dtype.kind in "fiucb"):
        return t
    return None


def is_array(x: Atom) -> bool:
    """Returns True for a value that is certainly an array of numbers, of any lengths."""
    t = x.type if isinstance(x, Value) else None
    return isinstance(t, ArrayType) and bool(t.shape) and not t.scalar and (
        t.dtype is not None and t.dtype.kind in "fiucb")


def is_numeric(x: Atom) -> bool:
    """Returns True for a value that is certainly a number or an array of numbers."""
    t = x.type if isinstance(x, Value) else None
    return is_array(x) or (isinstance(t, PyType) and t.cls in NUMBERS) or (
        isinstance(t, ArrayType) and t.scalar and t.dtype is not None)


def reduction_of(e: Equation) -> tuple[int | None, bool, int] | None:
    """Returns (axis, keepdims, elements of each reduction) if a ufunc reduces the same."""
    t = array(e.args[0])
    if t is None or (found := reduced_along(e, t)) is None:
        return None
    shape: Any = t.shape
    axis, keepdims = found
    count = math.prod(shape) if axis is None else shape[axis]
    mean = e.op.reduction is not None and e.op.reduction.mean
    if mean and not 0 < count <= MEANS.get(t.dtype or np.dtype(bool), 0):
        return None
    return axis, keepdims, count


def reduced_along(e: Equation, t: ArrayType) -> tuple[int | None, bool] | None:
    """Returns (axis, keepdims) of a reduction of an array, if a ufunc has them."""
    reduction = e.op.reduction
    if reduction is None or len(e.args) > 2 or set(e.kwargs) - {"axis", "keepdims"}:
        return None
    axis = e.args[1] if len(e.args) == 2 else e.kwargs.get("axis")
    keepdims = e.kwargs.get("keepdims", False)
    if not (axis is None or type(axis) is int) or type(keepdims) is not bool or not t.shape:
        return None
    if reduction.boolean and t.dtype != bool:
        return None
    rank = len(t.shape)
    return (axis, keepdims) if axis is None or -rank <= axis < rank else None


def short_sum(e: Equation) -> int:
    """Returns the number of terms of many sums along a short last axis; 0 for other equations."""
    sums = e.op.reduction is not None and e.op.reduction.ufunc is np.add
    t = array(e.args[0]) if sums and e.args else None
    if t is None or t.dtype not in MEANS or (found := reduction_of(e)) is None:
        return 0
    shape: Any = t.shape
    axis, keepdims, count = found
    short = axis in (-1, len(shape) - 1) and not keepdims and 2 <= count <= MOST
    return count if short and len(shape) > 1 and math.prod(shape[:-1]) >= MANY else 0


def direct(e: Equation, args: tuple[Expression, ...], named: tuple[tuple[str, Expression], ...]
           ) -> Expression | None:
    """The equation's call, text_of shorter; None if it has to be NumPy's public function.

    args, named: its arguments.
    """
    op: Op = e.op
    if op.reduction is not None and (found := reduction_of(e)):
        axis, keepdims, count = found
        call = _reduction(e, args, axis, keepdims)
        return Operator("{0} / {1}", (call, Literal(count))) if op.reduction.mean else call
    if op.joins_along is not None and joins(e, op.joins_along):
        axes = (("axis", Literal(op.joins_along)),) if op.joins_along else ()
        return Call(Global("np.concatenate", np.concatenate), args, (*axes, *named))
    if op in PARTS and is_numeric(e.args[0]):
        return Attribute(args[0], op.name)
    if not is_array(e.args[0]):
        return None
    if op.reduction is not None and not op.reduction.mean and (
            along := reduced_along(e, e.args[0].type)):
        return _reduction(e, args, *along)
    if op is TRANSPOSE and len(e.args) == 1 and not e.kwargs:
        return Attribute(args[0], "T")
    if op.method is not None and op.method.takes(len(e.args) - 1, e.kwargs):
        # np.copy's default is not the method's
        rest = args[1:] or ((Literal("K"),) if op is COPY else ())
        return Call(Attribute(args[0], op.name), rest, named)
    return None


def joins(e: Equation, axis: int) -> bool:
    """Returns True if all operands are arrays that are concatenated as they are."""
    return len(e.args) == 1 and type(e.args[0]) in (list, tuple) and all(
        is_array(x) and len(x.type.shape) > max(axis, 1) for x in e.args[0])


def _reduction(e: Equation, args: tuple[Expression, ...], axis: int | None, keepdims: bool
               ) -> Expression:
    """Returns the call of a ufunc that reduces."""
    ufunc: Any = e.op.reduction and e.op.reduction.ufunc
    return Call(Attribute(Global(f"np.{ufunc.__name__}", ufunc), "reduce"), args[:1],
                _along(axis, keepdims))


def _along(axis: int | None, keepdims: bool) -> tuple[tuple[str, Expression], ...]:
    return ("axis", Literal(axis)), *((("keepdims", Literal(True)),) if keepdims else ())


def open_mean(e: Equation) -> tuple[tuple[str, Expression], ...] | None:
    """Returns how a mean is taken of an array whose lengths only the run knows."""
    mean = e.op.reduction is not None and e.op.reduction.mean
    if not mean or not is_array(e.args[0]) or array(e.args[0]) is not None or (
            e.args[0].type.dtype not in MEANS):
        return None
    along = reduced_along(e, e.args[0].type)
    return None if along is None else _along(*along)


def called_by_operator(e: Equation) -> np.ufunc | None:
    """Returns the ufunc that an operator does nothing but call, as an operand is certainly an array
    with an axis, and the other an array or a number."""
    op, args = e.op, e.args
    if op.ufunc is None or op.comparison or op is POWER or len(args) != 2:
        return None  # `**` takes short cuts
    known = (is_array(args[0]) and is_number_or_array(args[1])) or (
        is_array(args[1]) and is_number_or_array(args[0]))
    return op.ufunc if known else None


REUSED = 1 << 15
"""Words from which on NumPy's operators write into an operand that nothing else refers to; a call
of the ufunc does not."""


def may_be_large(t: Any) -> bool:
    """Returns True for an array that may have so many."""
    return isinstance(t, ArrayType) and not (t.is_static and t.words < REUSED)


def is_large(e: Equation) -> bool:
    """Returns True for a new array that the pool has, if it had one of the shape before."""
    t = e.outputs[0].type
    return isinstance(t, ArrayType) and t.is_static and 8 * t.words >= LARGE and (
        type(e.args[0]) is tuple and not e.kwargs)


def is_number_or_array(x: Atom) -> bool:
    if not isinstance(x, Value):
        return type(x) in NUMBERS
    return isinstance(x.type, ArrayType) or (isinstance(x.type, PyType) and x.type.cls in NUMBERS)


def roll_of(e: Equation) -> tuple[int, int] | None:
    """(steps forward, axis) of a `np.roll` along one axis by a number that is known."""
    t = array(e.args[0])
    if t is None or not 2 <= len(e.args) <= 3 or set(e.kwargs) - {"axis"}:
        return None
    shift, axis = e.args[1], e.args[2] if len(e.args) == 3 else e.kwargs.get("axis")
    shape: Any = t.shape
    if axis is None and len(shape) == 1:
        axis = 0
    if type(shift) is not int or type(axis) is not int or not -len(shape) <= axis < len(shape):
        return None
    return (shift % shape[axis], axis % len(shape)) if shape[axis] else None


def public_ufunc(e: Equation) -> Global | None:
    """The ufunc that gives an elementwise equation's result into an array that is there already."""
    if e.op is POWER and not isinstance(e.args[1], Value):  # `**` takes short cuts for some
        return Global("np.square", np.square) if is_square(e) else None
    assert e.op.ufunc is not None
    return Global(f"np.{e.op.ufunc.__name__}", e.op.ufunc)


def is_square(e: Equation) -> bool:
    return type(e.args[1]) in (int, float) and e.args[1] == 2 and array(e.args[0]) is not None and (
        e.args[0].type.dtype.kind in "fc")


def number(e: Equation, x: Atom) -> np.ndarray[Any, Any] | None:
    """A Python number beside an array as the 0-d array that NumPy would make of it each time.

    None where it would not be the same: the number does not fit, or is not weak there.
    """
    if type(x) not in (int, float) or e.op.ufunc is None or e.kwargs or len(e.args) != 2:
        return None
    index = 0 if e.args[0] is x else 1
    t = array(e.args[1 - index])
    if t is None or not t.shape or e.op is POWER:
        return None
    cls: Any = type(x)
    dtype = _dtype_of_number(e.op.ufunc, t.dtype, cls, index)
    return None if dtype is None else _array_of_number(x, repr(x), dtype)


@lru_cache(maxsize=1024, typed=True)
def _array_of_number(x: int | float, text: str, dtype: np.dtype[Any]
                     ) -> np.ndarray[Any, Any] | None:
    """A number as a 0-d array that nobody writes, if it fits; `text` tells 0.0 from -0.0."""
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= x <= np.iinfo(dtype).max:
        return None
    with np.errstate(all="ignore"):
        made = np.array(x).astype(dtype) if dtype.kind in "fc" else np.array(x, dtype)
    if not np.isfinite(made):
        return None
    made.flags.writeable = False
    return made


@lru_cache(maxsize=1024, typed=True)
def _dtype_of_number(ufunc: np.ufunc, other: Any, cls: Any, index: int) -> np.dtype[Any] | None:
    """The dtype in which the ufunc sees a Python number beside an array."""
    given: list[Any] = [other, other, None]
    given[index] = cls
    try:
        seen = ufunc.resolve_dtypes(tuple(given))
        given[index] = seen[index]
        same = ufunc.resolve_dtypes(tuple(given)) == seen
    except TypeError:
        return None
    return seen[index] if same and seen[index].kind in "iufc" else None
