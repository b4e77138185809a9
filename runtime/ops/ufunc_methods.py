"""`np.add.reduce`, `accumulate`, `reduceat`, `outer`: an op each, made when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from autograph.runtime.ir.types import ArrayType, Shape, Type
from autograph.runtime.ops import operator_rules
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.derivative_rules.methods import rule_of
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.opaque import opaque
from autograph.runtime.ops.type_rules import NotKnown, array_of, as_type, rule


@cache
def ufunc_method(ufunc: np.ufunc, method: str) -> Op:
    """The op of a ufunc's method.

    >>> ufunc_method(np.add, "reduce")
    <Op np.add.reduce>
    """
    function = getattr(ufunc, method)
    if ufunc.signature is not None or getattr(np, ufunc.__name__, None) is not ufunc:
        return opaque(function)
    name = f"np.{ufunc.__name__}.{method}"
    return Op(name, function, rule(RULES[method](ufunc)), name, (), onnx=None,
              derivative=rule_of(ufunc, method), doc=f"`{name}`")


def _dtype(ufunc: np.ufunc, method: str, x: ArrayType, dtype: Any) -> np.dtype[Any] | None:
    wanted = rules.dtype_of(dtype, None)
    if x.dtype is None or (dtype is not None and wanted is None):
        return None
    return _found(ufunc, method, x.dtype, wanted)


@lru_cache(maxsize=None, typed=True)
def _found(ufunc: np.ufunc, method: str, dtype: np.dtype[Any],
           wanted: np.dtype[Any] | None) -> np.dtype[Any]:
    return np.asarray(getattr(ufunc, method)(np.ones(2, dtype), dtype=wanted)).dtype


def _reduced(shape: Shape | None, axis: Any, keepdims: Any) -> Shape | None:
    """The shape after a reduction over `axis` (None: over all)."""
    if shape is None:
        raise NotKnown
    over = range(len(shape)) if axis is None else rules.axes_of(axis, len(shape))
    if rules.constant(keepdims):
        return tuple(1 if i in over else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in over)


def _reduce(ufunc: np.ufunc) -> Callable[..., Type]:
    def infer(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
              keepdims: Any = False, initial: Any = None, where: Any = True) -> Type:
        x = array_of(array)
        return rules.unboxed(_dtype(ufunc, "reduce", x, dtype), _reduced(x.shape, axis, keepdims))

    return infer


def _accumulate(ufunc: np.ufunc) -> Callable[..., Type]:
    def infer(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Type:
        x = array_of(array)
        return rules.array(_dtype(ufunc, "accumulate", x, dtype), x.shape)

    return infer


def _reduceat(ufunc: np.ufunc) -> Callable[..., Type]:
    def infer(array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Type:
        x = array_of(array)
        shape = list(rules.shape_of(x))
        (shape[rules.axis_of(axis, len(shape))],) = rules.shape_of(array_of(indices))
        return rules.array(_dtype(ufunc, "accumulate", x, dtype), shape)

    return infer


def _outer(ufunc: np.ufunc) -> Callable[..., Any]:
    def infer(a: Any, b: Any) -> Type | tuple[Type, ...]:
        x, y = (array_of(v) if isinstance(v, (list, tuple)) else as_type(v) for v in (a, b))
        rank = len(rules.shape_of(array_of(y)))
        wide = ArrayType(array_of(x).dtype, (*rules.shape_of(array_of(x)), *(1,) * rank))
        return operator_rules.ufunc_type(ufunc, wide if rank else x, y)

    return infer


RULES: dict[str, Callable[[np.ufunc], Callable[..., Any]]] = {
    "reduce": _reduce, "accumulate": _accumulate, "reduceat": _reduceat, "outer": _outer,
}
