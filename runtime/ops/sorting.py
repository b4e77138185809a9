"""Sorting, searching, set and counting ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.types import ArrayType, DynamicType, PyType, Shape, Type
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.numpy_op import numpy_op
from autograph.runtime.ops.op import method
from autograph.runtime.ops.samples import CUBE, INTS, MATRIX, POINT, SCALAR, TABLE, VECTOR, call
from autograph.runtime.ops.type_rules import NotKnown, array_of, rule

BOOL = np.dtype(bool)


def _along(x: ArrayType, axis: Any) -> Shape | None:
    """The shape of an array sorted along an axis; flat if the axis is None."""
    if isinstance(axis, rules.TYPES) and not rules.is_integer(axis):
        raise NotKnown
    if axis is None:
        return (None if x.shape is None else rules.size_of(x.shape),)
    if x.shape and not isinstance(axis, rules.TYPES):  # NumPy lets a scalar have an axis
        rules.axis_of(axis, len(x.shape))
    return x.shape or None


@rule
def _sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **more: Any) -> Type:
    x = array_of(a)
    return rules.array(x.dtype, _along(x, axis))


@rule
def _argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **more: Any) -> Type:
    return rules.array(rules.INTP, _along(array_of(a), axis))


@rule
def _partition(a: Any, kth: Any, axis: Any = -1, *rest: Any, **more: Any) -> Any:
    return _sort(a, axis)


@rule
def _argpartition(a: Any, kth: Any, axis: Any = -1, *rest: Any, **more: Any) -> Any:
    return _argsort(a, axis)


@rule
def _lexsort(keys: Any, axis: Any = -1) -> Type:
    shape = array_of(keys).shape
    return rules.unboxed(rules.INTP, shape[1:] if shape else None)


@rule
def _searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Type:
    return rules.unboxed(rules.INTP, array_of(v).shape)


@rule
def _unique(ar: Any, return_index: Any = False, return_inverse: Any = False,
            return_counts: Any = False, axis: Any = None, **more: Any) -> Type | tuple[Type, ...]:
    x = array_of(ar)
    flags = [rules.constant(f) for f in (return_index, return_inverse, return_counts)]
    shape = (None,) if axis is None else (None,) * rules.rank_of(x)
    values = rules.array(x.dtype, shape)
    same = x.shape if axis is None and x.shape is not None and len(x.shape) == 1 else None
    extra = [rules.array(rules.INTP, s) for s, wanted in  # releases differ in the shape of two axes
             zip(((None,), same, (None,)), flags, strict=True) if wanted]
    return (values, *extra) if extra else values


@rule
def _bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Type:
    dtype = rules.INTP if weights is None else np.dtype(float)
    return rules.array(None if isinstance(weights, DynamicType) else dtype, (None,))


@rule
def _digitize(x: Any, bins: Any, right: Any = False) -> Type:
    return rules.unboxed(rules.INTP, array_of(x).shape)


@rule
def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None,
               weights: Any = None) -> tuple[Type, Type]:
    counts = rules.INTP if density is None and weights is None else None
    size = bins if isinstance(bins, int) else None
    return rules.array(counts, (size,)), rules.array(None, (None if size is None else size + 1,))


@rule
def _set_of(ar1: Any, ar2: Any, assume_unique: Any = False, **more: Any) -> Type:
    if rules.constant(more.get("return_indices", False)):
        raise NotKnown
    x, y = array_of(ar1), array_of(ar2)  # a number of Python's is converted by some, not by all
    known = isinstance(ar1, ArrayType) and isinstance(ar2, ArrayType)
    return rules.array(rules.promote(x.dtype, y.dtype) if known else None, (None,))


@rule
def _difference(ar1: Any, ar2: Any, assume_unique: Any = False) -> Type:
    return rules.array(array_of(ar1).dtype, (None,))


@rule
def _isin(element: Any, test_elements: Any, *rest: Any, **more: Any) -> Type:
    return rules.array(BOOL, array_of(element).shape)


@rule
def _isclose(a: Any, b: Any, *rest: Any, **more: Any) -> Type:
    return rules.unboxed(BOOL, rules.broadcast(array_of(a).shape, array_of(b).shape))


@rule
def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None,
            period: Any = None) -> Type:
    y = array_of(fp)
    dtype = None if y.dtype is None else np.dtype(complex if y.dtype.kind == "c" else float)
    return rules.unboxed(dtype, array_of(x).shape)


numpy_op(np.sort, _sort, call(VECTOR), call(MATRIX, 0), call(CUBE, axis=None), call(TABLE),
         keeps_c_order=True)
numpy_op(np.argsort, _argsort, call(VECTOR), call(MATRIX, axis=0), call(CUBE, axis=None),
         c_order=True, method=method(2, "axis", "kind", "stable"))
numpy_op(np.partition, _partition, call(VECTOR, 1), call(MATRIX, 1, axis=0), call(MATRIX, 2, None),
         keeps_c_order=True)
numpy_op(np.argpartition, _argpartition, call(VECTOR, 1), call(MATRIX, 1, axis=0), c_order=True,
         method=method(3, "axis", "kind"))
numpy_op(np.lexsort, _lexsort, call((VECTOR, INTS)), call(MATRIX))
numpy_op(np.searchsorted, _searchsorted, call(np.sort(VECTOR), MATRIX), call(np.sort(VECTOR), 1.0),
         call(np.sort(VECTOR), POINT), call([1, 2], VECTOR, side="right"),
         method=method(3, "side", "sorter"))
numpy_op(np.unique, _unique, call(VECTOR), call(TABLE, return_counts=True),
         call(INTS, True, True, True), call(MATRIX, axis=0), call(TABLE, return_inverse=True))
numpy_op(np.bincount, _bincount, call(INTS), call(INTS, VECTOR), call(INTS, minlength=5))
numpy_op(np.digitize, _digitize, call(VECTOR, np.sort(VECTOR)), call(SCALAR, [0.0, 1.0]),
         call(VECTOR, np.sort(VECTOR)[::-1], True))
numpy_op(np.histogram, _histogram, call(VECTOR), call(MATRIX, 4), call(VECTOR, [0.0, 1.0, 2.0]),
         call(VECTOR, 3, density=True), holds_operands=True)  # the edges may be those given
for _fn in (np.intersect1d, np.union1d, np.setxor1d):
    numpy_op(_fn, _set_of, call(VECTOR, INTS), call(MATRIX, [0.5, 2.0]))
numpy_op(np.setdiff1d, _difference, call(VECTOR, INTS), call(MATRIX, [0.5, 2.0]))
numpy_op(np.isin, _isin, call(VECTOR, INTS), call(MATRIX, [0.5, 2.0], invert=True),
         call(2.0, VECTOR))
numpy_op(np.isclose, _isclose, call(VECTOR, 2.0), call(MATRIX, VECTOR), call(SCALAR, 0.5, 0.1))
numpy_op(np.allclose, rules.fixed(PyType(bool)), call(VECTOR, 2.0), call(MATRIX, VECTOR))
numpy_op(np.array_equal, rules.fixed(PyType(bool)), call(VECTOR, VECTOR), call(MATRIX, 1))
numpy_op(np.interp, _interp, call(VECTOR, np.sort(INTS), VECTOR), call(1.5, VECTOR, VECTOR),
         call(MATRIX, [0, 1], [2, 3]))
