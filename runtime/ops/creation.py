"""Creation ops: arrays made of numbers, shapes and nests, and copies of other arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC, ArrayType, Dim, PyType, Shape, Type
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.numpy_op import numpy_op
from autograph.runtime.ops.op import ANY_RANK, OPS, Op, Traits, define, method
from autograph.runtime.ops.samples import (
    CUBE,
    INTS,
    MASK,
    MATRIX,
    OTHER,
    POINT,
    SCALAR,
    TABLE,
    VECTOR,
    call,
)
from autograph.runtime.ops.type_rules import NotKnown, array_of, rule

FLOAT = np.dtype(float)


def shape_or_none(shape: Any) -> Shape | None:
    try:
        return rules.dims_of(shape)
    except NotKnown:
        return None


@rule
def _filled(shape: Any, dtype: Any = None, order: Any = "C", **more: Any) -> Type:
    return rules.array(rules.dtype_of(dtype, FLOAT), shape_or_none(shape))


@rule
def _full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", **more: Any) -> Type:
    return rules.array(rules.dtype_of(dtype, array_of(fill_value).dtype), shape_or_none(shape))


@rule
def _like(a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None,
          **more: Any) -> Type:
    x = array_of(a)
    dims = x.shape if shape is None else shape_or_none(shape)
    return rules.array(rules.dtype_of(dtype, x.dtype), dims)


@rule
def _full_like(a: Any, fill_value: Any, dtype: Any = None, *args: Any, **more: Any) -> Any:
    return _like(a, dtype, *args, **more)


@rule
def _eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, **more: Any) -> Type:
    shape = (*rules.dims_of(N), *rules.dims_of(N if M is None else M))
    return rules.array(rules.dtype_of(dtype, FLOAT), shape)


@rule
def _identity(n: Any, dtype: Any = None, **more: Any) -> Any:
    return _eye(n, dtype=dtype)


@rule
def _array(a: Any, dtype: Any = None, copy: Any = None, order: Any = None, subok: Any = False,
           ndmin: Any = 0, **more: Any) -> Type:
    x = array_of(a)
    shape = x.shape
    if shape is not None and ndmin != 0:
        if rules.constant(ndmin) > 64:
            raise ValueError("ndmin bigger than allowable number of dimensions NPY_MAXDIMS (=64)")
        ones = (1,) * max(0, rules.constant(ndmin) - len(shape))
        shape = ones + shape
    return rules.array(rules.dtype_of(dtype, x.dtype), shape)


@rule
def _asarray(a: Any, dtype: Any = None, order: Any = None, **more: Any) -> Any:
    return _array(a, dtype)


@rule
def _copy(a: Any, order: Any = "K", subok: Any = False) -> Any:
    return _array(a)


# -- ranges ---------------------------------------------------------------------------------------


@rule
def _arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None, **more: Any) -> Type:
    ends = [x for x in (start, stop, step) if x is not None]
    kinds = [k for k in map(rules.operand_kind, ends) if k is not None]
    known = rules.dtype_by_example(_arange_of, *kinds) if len(kinds) == len(ends) else None
    return rules.array(rules.dtype_of(dtype, known), (_arange_length(ends),))


def _arange_of(*ends: Any) -> Any:
    return np.arange(*(e.ravel()[0] if isinstance(e, np.ndarray) else e for e in ends))


def _arange_length(ends: list[Any]) -> Dim:
    if not all(isinstance(e, (int, float)) for e in ends):
        return None
    start, stop, step = (0, *ends, 1) if len(ends) == 1 else (*ends, 1)[:3]
    return max(0, math.ceil((stop - start) / step)) if step else None


@rule
def _linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False,
              dtype: Any = None, axis: Any = 0, **more: Any) -> Type | tuple[Type, ...]:
    a, b = array_of(start), array_of(stop)
    kinds = [rules.operand_kind(x) for x in (start, stop)]
    inner = rules.broadcast(a.shape, b.shape)
    count = rules.dims_of(num)[0] if inner is not None else None
    shape = None
    if inner is not None:
        at = rules.axis_of(axis, len(inner) + 1)
        shape = (*inner[:at], count, *inner[at:])
    values = rules.array(rules.dtype_of(dtype, _linspace_dtype(kinds)), shape)
    step = DYNAMIC if inner is None else rules.unboxed(None, inner)
    return (values, step) if rules.constant(retstep) else values


def _linspace_dtype(kinds: list[rules.Kind | None]) -> np.dtype[Any] | None:
    known = [k for k in kinds if k is not None]
    return rules.dtype_by_example(np.linspace, *known) if len(known) == 2 else None


@rule
def _meshgrid(*xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> Any:
    arrays = [array_of(x) for x in xi]
    if len(arrays) < 2:
        raise NotKnown
    dims = [None if x.shape is None else rules.size_of(x.shape) for x in arrays]
    order = [1, 0, *range(2, len(dims))] if rules.constant(indexing) == "xy" else range(len(dims))
    axes = [order[i] for i in range(len(dims))]
    shape = tuple(dims[i] for i in order)
    if rules.constant(sparse):
        return tuple(rules.array(x.dtype, tuple(d if i == at else 1 for i, d in enumerate(shape)))
                     for x, at in zip(arrays, axes, strict=True))
    return tuple(rules.array(x.dtype, shape) for x in arrays)


@rule
def _indices_like(n: Any, k: Any = 0, m: Any = None) -> tuple[Type, ...]:
    return (rules.array(rules.INTP, (None,)),) * 2


# -- conversions ----------------------------------------------------------------------------------


def astype(x: Any, dtype: Any, **keywords: Any) -> Any:
    """`x.astype(dtype)`: a method, so that a Python number has none."""
    return x.astype(dtype, **keywords)


@rule
def _astype(x: Any, dtype: Any, **keywords: Any) -> Type:
    t = rules.as_type(x)
    if isinstance(t, PyType):
        raise AttributeError(f"'{t.cls.__name__}' object has no attribute 'astype'")
    if not isinstance(t, ArrayType):
        return DYNAMIC
    if t.dtype is None and not t.shape:  # a scalar or an array
        return ArrayType(rules.dtype_of(dtype, FLOAT), None)
    return ArrayType(rules.dtype_of(dtype, FLOAT), t.shape, t.scalar)


NEW: Traits = {"fresh": True, "cheap": True}
FILLED: Traits = {**NEW, "c_order": True, "foldable": True}
ORDERED: Traits = {"fresh": True, "c_order": True, "foldable": True}
VIEW: Traits = {"view": True}
CONVERTED: Traits = {"view": True, "may_copy": True}

# NumPy's function, type rule, ONNX, samples, traits
MAKERS: tuple[tuple[Callable[..., Any], Any, str | None, tuple[Any, ...], Traits], ...] = (
    (np.zeros, _filled, None, (call((2, 3)), call(4, int), call((2, 1), dtype=bool), call(())),
     {**FILLED, "zeros": True}),
    (np.ones, _filled, None, (call((2, 3)), call(4, np.float32)), FILLED),
    (np.empty, _filled, None, (call((2, 3)), call([2, 0], dtype="i4")), {**NEW, "c_order": True}),
    (np.full, _full, None, (call((2, 3), 1.5), call(3, 7), call((2, 3), VECTOR),
                            call(2, POINT, dtype=np.float32), call(2, True)), FILLED),
    (np.zeros_like, _like, None, (call(MATRIX), call(VECTOR, int), call(POINT), call(2),
                                  call(MATRIX, shape=(4, 2))), {**NEW, "zeros": True}),
    (np.ones_like, _like, None, (call(MATRIX), call(VECTOR, dtype=bool), call(SCALAR)), NEW),
    (np.empty_like, _like, None, (call(MATRIX), call(VECTOR, np.int8)), NEW),
    (np.full_like, _full_like, None, (call(MATRIX, 2.5), call(VECTOR, 1, dtype=int)), NEW),
    (np.eye, _eye, "EyeLike", (call(3), call(2, 3), call(3, k=1, dtype=int), call(2, 4, 1)),
     ORDERED),
    (np.identity, _identity, None, (call(3), call(2, np.float32)), ORDERED),
    (np.tri, _eye, None, (call(3), call(2, 3, dtype=int)), {"fresh": True, "c_order": True}),
    (np.array, _array, None, (call([VECTOR, VECTOR]), call([[1, SCALAR], [2.5, POINT]]), call(2.5),
                              call([1, 2, 3]), call(MATRIX, dtype=np.float32),
                              call(VECTOR, ndmin=2), call([True, 2]), call(MATRIX),
                              call([]), call((SCALAR, INTS[0]))), {**NEW, "keeps_c_order": True}),
    (np.asarray, _asarray, None, (call(MATRIX), call([1, 2.5]), call(VECTOR, np.float32), call(3)),
     CONVERTED),
    (np.asanyarray, _asarray, None, (call(MATRIX), call([1, 2.5])), CONVERTED),
    (np.ascontiguousarray, rule(lambda a, dtype=None: _array(a, dtype, ndmin=1)), None,
     (call(MATRIX.T), call([1, 2]), call(POINT)), CONVERTED),
    (np.copy, _copy, "Identity", (call(MATRIX), call(POINT), call([1.5]), call(SCALAR)),
     {**NEW, "total": ANY_RANK, "method": method(1), "keeps_zeros": True}),
    (np.arange, _arange, "Range", (call(5), call(1, 7), call(0, 1, 0.25), call(5.0), call(6, 1, -2),
                                   call(3, dtype=np.float32), call(np.int8(4))), ORDERED),
    (np.linspace, _linspace, None, (call(0, 1), call(0.0, SCALAR, 5), call(VECTOR, 2, num=4),
                                    call(0, 1, 5, dtype=np.float32), call(0, 1, 4, retstep=True),
                                    call(VECTOR, OTHER, 4, axis=-1)), {"foldable": True}),
    (np.meshgrid, _meshgrid, None, (call(VECTOR, INTS[:2]), call(VECTOR, OTHER[:2], indexing="ij"),
                                    call(VECTOR, INTS[:2], sparse=True),
                                    call(VECTOR, INTS[:2], MASK[:1]),
                                    call(VECTOR, OTHER[:2], copy=False)),
     {"view": True, "views_each": True, "fresh": True, "unwritable": True}),
    (np.triu_indices, _indices_like, None, (call(3), call(3, 1)), {}),
    (np.tril_indices, _indices_like, None, (call(3), call(2, 0, 4)), {}),
)

for _fn, _infer, _onnx, _given, _traits in MAKERS:
    numpy_op(_fn, _infer, *_given, onnx=_onnx, **_traits)
ARRAY, COPY, EMPTY = OPS["array"], OPS["copy"], OPS["empty"]
ASCONTIGUOUSARRAY = OPS["ascontiguousarray"]

define(Op("astype", astype, _astype, "{0}.astype({1})",
          (call(MATRIX, np.float32), call(TABLE, float), call(SCALAR, int), call(POINT, np.int8),
           call(CUBE, bool)),
          onnx="Cast", elementwise=True, elementwise_arity=2, reads_only=True, fresh=True,
          keeps_zeros=True, doc="`x.astype(dtype)`: a copy in another dtype"))
