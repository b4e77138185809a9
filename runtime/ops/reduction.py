"""Reductions and scans along an axis, several, or all."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autograph.runtime.ir.types import ArrayType, Shape, Type, type_of
from autograph.runtime.ops import samples
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.numpy_op import numpy_op
from autograph.runtime.ops.op import OPS, Reduction, Sample, Traits, method
from autograph.runtime.ops.samples import CUBE, MASK, MATRIX, SCALAR, TABLE, VECTOR, call
from autograph.runtime.ops.type_rules import NotKnown, named

BOOL = np.dtype(bool)


def reduced(x: ArrayType, axis: Any, keepdims: Any) -> Shape | None:
    """Returns the shape without the reduced axes; None where the axes or the rank are not known."""
    if x.shape is None or isinstance(keepdims, rules.TYPES):
        return () if axis is None and keepdims is False else None
    rank = len(x.shape)
    if not rank and isinstance(axis, int) and axis in (0, -1):
        axis = None  # NumPy's reductions let a scalar have an axis
    try:
        gone = range(rank) if axis is None else rules.axes_of(axis, rank)
    except NotKnown:
        return None
    kept = enumerate(x.shape)
    if keepdims:
        return tuple(1 if i in gone else d for i, d in kept)
    return tuple(d for i, d in kept if i not in gone)


def reduction(fn: Callable[..., Any], dtype: np.dtype[Any] | None = None) -> Callable[..., Any]:
    """Returns the rule of `fn(a, axis, …, keepdims=)`; `dtype` is that of all results."""
    def infer(*args: Any, **kwargs: Any) -> Type:
        given = named(fn, args, kwargs)
        x = rules.array_of(given["a"])
        shape = reduced(x, given.get("axis"), given.get("keepdims", False))
        of_number = shape == () and bool(given.get("keepdims"))  # not all functions box it
        if shape == () and x.dtype is not None and given.get("dtype") is None:
            return _type_by_example(fn, x.dtype, of_number)
        if of_number:
            return rules.array(None, None)
        return rules.unboxed(_dtype(fn, x, given.get("dtype"), dtype), shape)

    return rules.rule(infer)


@lru_cache(maxsize=1024, typed=True)
def _type_by_example(fn: Callable[..., Any], dtype: np.dtype[Any], of_number: bool) -> Type:
    """Returns the type of a NumPy function's result for an array of this dtype; `of_number`: for
    one without dimensions, which are kept."""
    return type_of(fn(rules.example(dtype, ()), keepdims=True) if of_number else (
        fn(rules.example(dtype))))


def _dtype(fn: Callable[..., Any], x: ArrayType, asked: Any,
           fixed: np.dtype[Any] | None) -> np.dtype[Any] | None:
    if asked is not None or fixed is not None or x.dtype is None:
        return rules.dtype_of(asked, fixed)
    return rules.dtype_by_example(fn, x.dtype)


def scan(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the rule of `fn(a, axis=None, dtype=None)`, which keeps the shape or flattens."""
    def infer(a: Any, axis: Any = None, dtype: Any = None) -> Type:
        x = rules.array_of(a)
        shape = x.shape
        if axis is None or not shape:
            shape = None if shape is None else (rules.size_of(shape),)
        elif not isinstance(axis, rules.TYPES):
            rules.axis_of(axis, len(shape))
        return rules.array(_dtype(fn, x, dtype, None), _or_flat(shape, axis))

    return rules.rule(infer)


def _or_flat(shape: Shape | None, axis: Any) -> Shape | None:
    """Returns None for a scan whose axis is not known: None would flatten."""
    known = axis is None or not isinstance(axis, rules.TYPES) or rules.is_integer(axis)
    return shape if known else None


AXES = (call(MATRIX), call(VECTOR), call(SCALAR), call(CUBE, axis=1), call(MATRIX, 0),
        call(CUBE, (0, -1)), call(MATRIX, axis=1, keepdims=True), call(MATRIX, keepdims=True),
        call([1.5, 2.5]), call(TABLE))
SUMS = (*AXES, call(MATRIX, axis=0, dtype=np.float32), call(MATRIX, axis=1, initial=2.0),
        call(VECTOR, where=MASK))
MEANS = (*AXES, call(MATRIX, axis=0, dtype=np.float32))
ONE_AXIS = (call(MATRIX), call(MATRIX, 0), call(CUBE, axis=-1), call(VECTOR),
            call(MATRIX, axis=1, keepdims=True))
SCANS = (call(MATRIX), call(MATRIX, 0), call(CUBE, axis=-1), call(VECTOR), call(SCALAR),
         call(MATRIX, axis=1, dtype=np.float32))

FOLDED: Traits = {"fresh": True, "foldable": True, "expensive": True}
COSTLY: Traits = {"expensive": True}
METHOD: Traits = {"method": method(1, "axis", "keepdims")}
"""Not for `mean`, `std` and `var`: they warn of what is empty at the line of their caller, which is
in NumPy if the caller is NumPy's function."""

SHORT: Traits = METHOD | FOLDED


def _by(ufunc: np.ufunc, **how: bool) -> Traits:
    return {"reduction": Reduction(ufunc, **how)}


# NumPy's function, ONNX, the result's dtype if it is always the same, samples, traits
REDUCTIONS: tuple[tuple[Callable[..., Any], str | None, np.dtype[Any] | None,
                        tuple[Sample, ...], Traits], ...] = (
    (np.sum, "ReduceSum", None, SUMS, SHORT | _by(np.add, by_rows=True, in_parts=True)),
    (np.prod, "ReduceProd", None, SUMS, SHORT | _by(np.multiply, by_rows=True)),
    (np.max, "ReduceMax", None, AXES,
     SHORT | _by(np.maximum, by_rows=True, in_parts=True, selects=True)),
    (np.min, "ReduceMin", None, AXES,
     SHORT | _by(np.minimum, by_rows=True, in_parts=True, selects=True)),
    (np.mean, "ReduceMean", None, MEANS,
     FOLDED | _by(np.add, mean=True, by_rows=True, in_parts=True)),
    (np.std, None, None, (*MEANS, call(MATRIX, ddof=1)), COSTLY),
    (np.var, None, None, (*MEANS, call(MATRIX, ddof=1)), COSTLY),
    (np.all, None, BOOL, (*AXES, call(samples.BITS, axis=0)),
     METHOD | _by(np.logical_and, boolean=True)),
    (np.any, None, BOOL, (*AXES, call(samples.BITS, axis=0)),
     METHOD | _by(np.logical_or, boolean=True)),
    (np.argmax, "ArgMax", rules.INTP, ONE_AXIS, METHOD),
    (np.argmin, "ArgMin", rules.INTP, ONE_AXIS, METHOD),
    (np.count_nonzero, None, rules.INTP, AXES, {}), (np.median, None, None, AXES, {}),
    (np.ptp, None, None, AXES, {}), (np.nansum, None, None, AXES, {}),
    (np.nanprod, None, None, AXES, {}), (np.nanmax, None, None, AXES, {}),
    (np.nanmin, None, None, AXES, {}), (np.nanmean, None, None, AXES, {}),
    (np.nanstd, None, None, AXES, {}), (np.nanvar, None, None, AXES, {}),
    (np.nanmedian, None, None, AXES, {}), (np.nanargmax, None, rules.INTP, ONE_AXIS, {}),
    (np.nanargmin, None, rules.INTP, ONE_AXIS, {}),
)

for _fn, _onnx, _known, _given, _traits in REDUCTIONS:
    numpy_op(_fn, reduction(_fn, _known), *_given, onnx=_onnx, **_traits)
SUM, AMAX = OPS["sum"], OPS["max"]

for _fn, _onnx, _method in (
        (np.cumsum, "CumSum", method(2, "axis", "dtype")),
        (np.cumprod, None, method(2, "axis", "dtype")),
        (np.nancumsum, None, None), (np.nancumprod, None, None)):
    numpy_op(_fn, scan(_fn), *SCANS, onnx=_onnx, keeps_c_order=True, method=_method)


@rules.rule
def _diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Type:
    x = rules.array_of(a)
    rank = rules.rank_of(x)
    at, shape = rules.axis_of(axis, rank), list(rules.shape_of(x))
    length = shape[at]
    plain = prepend is None and append is None and isinstance(n, int) and isinstance(length, int)
    shape[at] = max(0, length - n) if plain else None
    same = prepend is None and append is None and x.dtype is not None
    return rules.array(x.dtype if same else None, shape)


numpy_op(np.diff, _diff, call(VECTOR), call(MATRIX), call(CUBE, axis=0), call(VECTOR, 2),
         call(VECTOR, prepend=0.0), call(samples.MASK), call(TABLE, n=5))


@rules.rule
def _quantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False,
              method: Any = "linear", keepdims: Any = False, **more: Any) -> Type:
    x, levels = rules.array_of(a), rules.array_of(q)
    inner = reduced(x, axis, keepdims)
    if inner is None or levels.shape is None or (keepdims and not inner):
        return rules.array(None, None)
    double = x.dtype == np.float64 and levels.dtype in (np.float64, np.int64)
    return rules.unboxed(x.dtype if double else None, (*levels.shape, *inner))


@rules.rule
def _nanquantile(a: Any, q: Any, *rest: Any, **more: Any) -> Any:
    """NumPy drops the levels of arrays without elements."""
    dims, levels = rules.array_of(a).shape, rules.array_of(q).shape
    full = dims is not None and all(isinstance(d, int) and d for d in dims)
    return _quantile(a, q, *rest, **more) if full or levels == () else rules.array(None, None)


for _fn in (np.quantile, np.percentile, np.nanquantile, np.nanpercentile):
    numpy_op(_fn, _nanquantile if "nan" in _fn.__name__ else _quantile, call(MATRIX, 0.5),
             call(MATRIX, np.array([0.25, 0.75]), axis=0), call(VECTOR, [0.25, 0.5]),
             call(MATRIX, 0.5, axis=1, keepdims=True))


@rules.rule
def _average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *,
             keepdims: Any = False) -> Type | tuple[Type, ...]:
    x = rules.array_of(a)
    dtypes = [x.dtype] if weights is None else [x.dtype, rules.array_of(weights).dtype]
    if x.dtype is not None and x.dtype.kind in "biu":
        dtypes.append(np.dtype(float))
    dtype = None if any(t is None for t in dtypes) else np.result_type(*dtypes)
    mean = rules.unboxed(dtype, reduced(x, axis, keepdims))
    return (mean, mean) if rules.constant(returned) else mean


numpy_op(np.average, _average, call(MATRIX), call(MATRIX, axis=1), call(VECTOR, weights=VECTOR),
         call(MATRIX, 0, np.array([1.0, 3.0])), call(MATRIX, keepdims=True))
