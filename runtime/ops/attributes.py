"""Attributes of arrays: the shape, the real and the imaginary part, any attribute by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC, PY_NUMBERS, ArrayType, PyType, Type
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.indexing import getitem_type
from autograph.runtime.ops.numpy_op import numpy_op
from autograph.runtime.ops.op import ANY_RANK, Op, Traits, define, method
from autograph.runtime.ops.samples import CUBE, MATRIX, POINT, SCALAR, TABLE, UNARY, VECTOR, call
from autograph.runtime.ops.type_rules import INT, NotKnown, array_of, rule

COMPLEX = np.array([1 + 2j, 3 - 1j])


@rule
def _shape(a: Any) -> tuple[Type, ...]:
    rank = rules.rank_of(array_of(a))
    if rank < 2:
        raise NotKnown  # a tuple of at most one int, as it comes; `dim` gives the int
    return (INT,) * rank


def dim(x: Any, axis: int) -> Any:
    """`x.shape[axis]`"""
    return np.shape(x)[axis]


@rule
def _part(val: Any) -> Type:
    t = rules.as_type(val)
    if isinstance(t, PyType) and t.cls in PY_NUMBERS:
        return INT if t.cls in (bool, int) else PyType(float)
    x = array_of(val)
    dtype = None if x.dtype is None else np.empty(0, x.dtype).real.dtype
    return ArrayType(dtype, x.shape, isinstance(t, ArrayType) and t.scalar)


@rule
def _round(a: Any, decimals: Any = 0, out: Any = None) -> Type:
    x = array_of(a)
    dtype = None if x.dtype is None else rules.dtype_by_example(np.round, x.dtype)
    return rules.unboxed(dtype, x.shape) if isinstance(rules.as_type(a), ArrayType) else (
        rules.array(dtype, x.shape if x.shape else None))


@rule
def _angle(z: Any, deg: Any = False) -> Type:
    x = array_of(z)
    dtype = None if x.dtype is None else rules.dtype_by_example(np.angle, x.dtype)
    return rules.unboxed(dtype, x.shape)


def dtype(x: Any) -> Any:
    """`x.dtype`, of an array or NumPy number."""
    return x.dtype


def view(x: Any, *args: Any, **kwargs: Any) -> Any:
    """`x.view(dtype)`"""
    return x.view(*args, **kwargs)


@rule
def _view(x: Any, dtype: Any = None) -> Type:
    t = rules.as_type(x)
    new = rules.dtype_of(dtype, t.dtype) if isinstance(t, ArrayType) else None
    if not isinstance(t, ArrayType) or t.shape is None or new is None or t.dtype is None:
        raise NotKnown
    if new.kind in "OV" or new.itemsize == 0:
        raise NotKnown
    if new.itemsize == t.dtype.itemsize:
        return ArrayType(new, t.shape, t.scalar)
    if not t.shape:
        raise NotKnown
    length = t.shape[-1]
    count = length * t.dtype.itemsize // new.itemsize if isinstance(length, int) else None
    return ArrayType(new, (*t.shape[:-1], count))


def flat_item(x: Any, index: Any) -> Any:
    """`x.flat[index]`"""
    return x.flat[index]


@rule
def _flat_item(x: Any, index: Any) -> Any:
    t = array_of(x)
    size = None if t.shape is None else rules.size_of(t.shape)
    return getitem_type(ArrayType(t.dtype, (size,)), index)


KNOWN: Traits = {"foldable": True, "total": ANY_RANK}
"""Of an attribute that every array has."""

numpy_op(np.shape, _shape, call(MATRIX), call(VECTOR), call(POINT), call(CUBE), onnx="Shape",
         **KNOWN)
numpy_op(np.ndim, rules.fixed(INT), call(MATRIX), call(SCALAR), call(2), **KNOWN)
numpy_op(np.size, rules.fixed(INT), call(MATRIX), call(CUBE, 1), call(2), onnx="Size", **KNOWN)
define(Op("dim", dim, rules.fixed(INT), "np.shape({0})[{1}]", (call(MATRIX, 1), call(VECTOR, -1)),
          onnx=None, reads_only=True, doc="`x.shape[axis]`: a Python int", **KNOWN))
define(Op("dtype", dtype, rules.fixed(DYNAMIC), "{0}.dtype", (call(MATRIX), call(SCALAR)),
          onnx=None, doc="`x.dtype`, where only the run knows it"))
numpy_op(np.real, _part, *UNARY, call(COMPLEX), call(1 + 2j), call(True), call(2.5), view=True)
numpy_op(np.imag, _part, *UNARY, call(COMPLEX), call(1 + 2j), call(True), call(2.5), view=True)
numpy_op(np.angle, _angle, call(COMPLEX), call(VECTOR), call(1j, deg=True))
numpy_op(np.round, _round, *UNARY, call(MATRIX, 1), call(TABLE, -1), call(2.567, 1), call(3),
         onnx="Round", method=method(1, "decimals"))
define(Op("view", view, _view, "",
          (call(MATRIX), call(MATRIX, np.int64), call(MATRIX, np.float32), call(SCALAR, "i8")),
          onnx=None, view=True, doc="`x.view(dtype)`: the same memory, read differently"))
define(Op("flat_item", flat_item, _flat_item, "",
          (call(MATRIX, 2), call(MATRIX, slice(1, 3)), call(CUBE, [0, 5])),
          onnx=None, reads_only=True, doc="`x.flat[i]`: a copy, whatever the index"))
GETATTR = define(Op("getattr_", getattr, rules.fixed(DYNAMIC), "getattr({0}, {1})",
                    (call(MATRIX, "flags"), call(range(3), "stop")), onnx=None,
                    effect="call", roles=((1, "attribute"),), holds_operands=True,
                    doc="`x.name` of an object that is not known"))
