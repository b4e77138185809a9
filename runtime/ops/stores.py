"""Ops that write to an array, a list or an object.

By value, such an op gives the array as it is after the write, and leaves its operand alone: the
trace makes each write a new value. By reference, it changes the operand itself, in program order.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Type
from autograph.runtime.ops.elementwise import PYTHON_OPERATORS
from autograph.runtime.ops.indexing import setitem_type, stored_type
from autograph.runtime.ops.op import Op, define
from autograph.runtime.ops.products import MATMUL
from autograph.runtime.ops.samples import INTS, MASK, MATRIX, OTHER, VECTOR, call
from autograph.runtime.ops.type_rules import as_type, fixed, rule

NONE = PyType(type(None))
CALLS = ((1, "function"),)

# -- by value; `x[i] = v` is the op `setitem` ------------------------------------------------------


def store_into(x: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Does `fn(*args, out=x, **kwargs)`; returns `x`."""
    fn(*args, out=x, **kwargs)
    return x


def stored_into(x: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Returns a copy of `x` after `fn(*args, out=x, **kwargs)`."""
    return store_into(copy.copy(x), fn, *args, **kwargs)


def store_by(x: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Does `fn(x, *args, **kwargs)`; returns `x`."""
    fn(x, *args, **kwargs)
    return x


def stored_by(x: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Returns a copy of `x` after `fn(x, *args, **kwargs)`, which changes `x`."""
    return store_by(copy.copy(x), fn, *args, **kwargs)


def stored_into_several(xs: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Returns copies of the arrays `xs` after `fn(*args, out=xs, **kwargs)`; for None, new ones."""
    return store_results([copy.copy(x) for x in xs], fn, *args, **kwargs)


def _types_of_several(xs: Any, /, *args: Any, **kwargs: Any) -> tuple[Type, ...]:
    return tuple(DYNAMIC if x is None else as_type(x) for x in xs)


STORED_INTO = define(Op(
    "stored_into", stored_into, stored_type, "",
    (call(MATRIX, np.add, VECTOR, 1), call(VECTOR, np.divide, VECTOR, OTHER, where=MASK),
     call(VECTOR, np.sum, MATRIX, axis=0), call(MATRIX, np.cumsum, MATRIX, 1)),
    onnx=None, inplace=store_into, roles=CALLS, doc="the array after `fn(…, out=x)`"))
STORED_BY = define(Op(
    "stored_by", stored_by, stored_type, "",
          (call(VECTOR, np.put, INTS[:2], 7), call(MATRIX, np.copyto, VECTOR),
           call(VECTOR, np.add.at, INTS, 1.0), call(VECTOR, np.negative.at, slice(0, 2)),
           call(MATRIX, np.ndarray.sort, axis=0)),
          onnx=None, inplace=store_by, roles=CALLS,
          doc="the array after `fn(x, …)` changed it"))
define(Op("stored_into_several", stored_into_several, _types_of_several, "",
          (call((VECTOR, OTHER), np.modf, VECTOR), call((VECTOR, None), np.divmod, OTHER, VECTOR)),
          onnx=None, roles=CALLS, doc="the arrays after `fn(…, out=(x, y))`"))

# -- by reference ---------------------------------------------------------------------------------


def store_item(x: Any, index: Any, value: Any) -> None:
    """`x[index] = value`"""
    x[index] = value


def store_result(x: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
    """`fn(*args, out=x, **kwargs)`"""
    fn(*args, out=x, **kwargs)


def store_results(xs: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`fn(*args, out=xs, **kwargs)`; None makes a new array."""
    return list(fn(*args, out=tuple(xs), **kwargs))


def change(x: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
    """`fn(x, *args, **kwargs)`, for a function that changes its first argument."""
    fn(x, *args, **kwargs)


def _store_item_type(x: Any, index: Any, value: Any) -> Type:
    setitem_type(x, index, value)  # raises what NumPy would
    return NONE


@rule
def _augmented(x: Any, y: Any) -> Type:
    t = as_type(x)
    known = isinstance(t, ArrayType) and t.shape is not None and not t.scalar
    return t if known else DYNAMIC  # an array stays what it is


def _store(name: str, kernel: Callable[..., Any], infer: Any, doc: str, view: bool = False,
           roles: tuple[tuple[int, str], ...] = ()) -> Op:
    return define(Op(name, kernel, infer, "", (), onnx=None, effect="store", view=view,
                     roles=roles, doc=doc))


STORE_ITEM = _store("store_item", store_item, _store_item_type, "`x[i] = v`, in x itself")
STORE_RESULT = _store("store_result", store_result, fixed(NONE), "`fn(…, out=x)`, in x itself",
                      roles=CALLS)
_store("store_results", store_results, _types_of_several, "`fn(…, out=(x, y))`, in x and y",
       roles=CALLS)
CHANGE = _store("change", change, fixed(NONE), "`fn(x, …)` for a function that changes x",
                roles=CALLS)

AUGMENTED = {op.dunder: op for op in (*PYTHON_OPERATORS, MATMUL)
             if len(op.emit.split()) == 3 and not op.comparison}
"""The operators that Python has an in-place form of, by their special method."""

for _name, _op in AUGMENTED.items():
    _store(f"i{_name}", getattr(operator, f"i{_name}"), _augmented,
           f"Python's `x {_op.emit.split()[1]}= y`", view=True)
