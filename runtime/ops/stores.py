"""Store ops: an array as it is after a function wrote to it (`out=`, `np.put`, `x.sort()` …)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC, Type
from autograph.runtime.ops.op import Op, define
from autograph.runtime.ops.samples import INTS, MASK, MATRIX, OTHER, VECTOR, call
from autograph.runtime.ops.type_rules import as_type


def store_into(x: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`fn(*args, out=x, **kwargs)`, in x itself."""
    fn(*args, out=x, **kwargs)
    return x


def stored_into(x: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """A copy of `x` after `fn(*args, out=x, **kwargs)`."""
    return store_into(copy.copy(x), fn, *args, **kwargs)


def store_by(x: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`fn(x, *args, **kwargs)`, in x itself."""
    fn(x, *args, **kwargs)
    return x


def stored_by(x: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """A copy of `x` after `fn(x, *args, **kwargs)`, for a function that changes its argument."""
    return store_by(copy.copy(x), fn, *args, **kwargs)


def stored_into_several(xs: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Copies of the arrays `xs` after `fn(*args, out=xs, **kwargs)`; None makes a new array."""
    return list(fn(*args, out=tuple(copy.copy(x) for x in xs), **kwargs))


def _stored(x: Any, /, *args: Any, **kwargs: Any) -> Type:
    """A store keeps the array's dtype and shape."""
    return as_type(x)


def stored_several(xs: Any, /, *args: Any, **kwargs: Any) -> tuple[Type, ...]:
    return tuple(DYNAMIC if x is None else as_type(x) for x in xs)


define(Op("stored_into", stored_into, _stored, "",
          (call(MATRIX, np.add, VECTOR, 1), call(VECTOR, np.divide, VECTOR, OTHER, where=MASK),
           call(VECTOR, np.sum, MATRIX, axis=0), call(MATRIX, np.cumsum, MATRIX, 1)),
          vjp=None, onnx=None, inplace=store_into, doc="the array after `fn(…, out=x)`"))
define(Op("stored_by", stored_by, _stored, "",
          (call(VECTOR, np.put, INTS[:2], 7), call(MATRIX, np.copyto, VECTOR),
           call(VECTOR, np.add.at, INTS, 1.0), call(VECTOR, np.negative.at, slice(0, 2)),
           call(MATRIX, np.ndarray.sort, axis=0)),
          vjp=None, onnx=None, inplace=store_by, doc="the array after `fn(x, …)` changed it"))
define(Op("stored_into_several", stored_into_several, stored_several, "",
          (call((VECTOR, OTHER), np.modf, VECTOR), call((VECTOR, None), np.divmod, OTHER, VECTOR)),
          vjp=None, onnx=None, doc="the arrays after `fn(…, out=(x, y))`"))
