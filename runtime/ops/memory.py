"""Stores by reference: ops that change an array, a list or an object itself, in program order.

A trace by reference records these where others make new values (see `runtime/handle.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Type
from autograph.runtime.ops.indexing import setitem_type
from autograph.runtime.ops.op import Op, define
from autograph.runtime.ops.stores import stored_several
from autograph.runtime.ops.type_rules import as_type, fixed, rule

STORE = "store"
"""The effect of these ops. What reads memory keeps its place among them."""

NONE = PyType(type(None))


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


def _define(name: str, kernel: Callable[..., Any], infer: Any, doc: str, view: bool = False
            ) -> None:
    define(Op(name, kernel, infer, "", (), vjp=None, onnx=None, effect=STORE, view=view, doc=doc))


_define("store_item", store_item, _store_item_type, "`x[i] = v`, in x itself")
_define("store_result", store_result, fixed(NONE), "`fn(…, out=x)`, in x itself")
_define("store_results", store_results, stored_several, "`fn(…, out=(x, y))`, in x and y")
_define("change", change, fixed(NONE), "`fn(x, …)` for a function that changes x")

AUGMENTED = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}
for _name, _sign in AUGMENTED.items():
    _define(f"i{_name}", getattr(operator, f"i{_name}"), _augmented, f"Python's `x {_sign}= y`",
            view=True)
