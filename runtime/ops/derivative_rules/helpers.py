"""Functions that several rules share: shapes and axes of operands, NumPy on symbolic sizes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from autograph.runtime.ir.types import EITHER, FLOATS, PyType, type_of
from autograph.runtime.ops.derivatives import KnownAtRunTime, select_

NUMBERS = {*FLOATS, EITHER}
"""The types of numbers of which one is chosen without NumPy."""

KINDS: dict[Any, str] = {
    PyType(int): "i", PyType(float): "f", PyType(complex): "c", EITHER: "f"}
"""The kinds of numbers that have no dtype."""


def kind(x: Any) -> str:
    """Returns the kind of a dtype, as `np.dtype.kind` has it; "" where only the run knows it."""
    known = KINDS.get(getattr(x, "type", None))
    if known is not None:
        return known
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return np.asarray(x).dtype.kind if isinstance(x, (int, float, complex, list, tuple)) else ""
    return dtype.kind if isinstance(dtype, np.dtype) else ""


def as_array(x: Any) -> Any:
    """Returns a list of numbers as an array, so that it can be indexed by one, or be an index."""
    return on_symbols(np.array, x) if isinstance(x, (list, tuple)) else x


def is_complex(x: Any) -> bool:
    """Returns True if the operand may hold complex numbers."""
    return kind(x) in ("c", "")


def dot_conjugate(x: Any) -> Any:
    """Returns conj(x), which is x itself for a real operand."""
    return np.conjugate(x) if is_complex(x) else x


def squares(x: Any) -> Any:
    """Returns |x|**2, real."""
    return np.real(x) ** 2 + np.imag(x) ** 2 if is_complex(x) else x * x


def known(x: Any, what: str) -> Any:
    """Returns an argument that the rule needs while tracing; refuses a symbolic one."""
    if isinstance(x, (tuple, list)):
        return type(x)(known(i, what) for i in x)
    if is_symbol(x):
        raise KnownAtRunTime(f"its argument {what} is known only when the graph runs")
    return x


def shape_of(x: Any) -> tuple[Any, ...]:
    """Returns the shape of an array, or of a list of numbers."""
    if isinstance(x, (list, tuple)):
        return (len(x), *(shape_of(x[0]) if x else ()))
    return tuple(np.shape(x))


def rank(x: Any) -> int:
    """Returns the number of dimensions, which the rule needs while tracing."""
    n = np.ndim(x)
    if is_symbol(n):
        raise KnownAtRunTime("the number of dimensions of an operand is known only when the graph "
                             "runs")
    return int(n)


def on_symbols(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a NumPy function that does not dispatch on the sizes that it is given.

    >>> on_symbols(np.zeros, (2, 1))
    array([[0.],
           [0.]])
    """
    found = next(filter(is_symbol, _flat(args)), None)
    if found is None:
        return fn(*args, **kwargs)
    return found.__array_function__(fn, (type(found),), args, kwargs)


def is_symbol(x: Any) -> bool:
    """Returns True for a symbolic value."""
    return hasattr(type(x), "__array_function__") and not isinstance(x, (np.ndarray, np.generic))


def _flat(nest: Any) -> list[Any]:
    if isinstance(nest, (tuple, list)):
        return [leaf for item in nest for leaf in _flat(item)]
    return [nest]


def zeros(shape: Any, like: Any) -> Any:
    """Returns zeros of a shape, with the dtype of another array."""
    if not any(map(is_symbol, _flat((shape,)))):
        return np.zeros(shape, like.dtype) if isinstance(
            getattr(like, "dtype", None), np.dtype) else np.zeros_like(like, shape=shape)
    return np.zeros_like(like, shape=shape)


def size_of(shape: Sequence[Any]) -> Any:
    """Returns the number of elements of an array of this shape.

    >>> size_of((2, 3)), size_of(())
    (6, 1)
    """
    if is_symbol(shape):
        return np.prod(shape, dtype=int)
    return reduce(operator.mul, shape, 1)


def positions(x: Any) -> Any:
    """Returns an array of x's shape that numbers its elements in C order."""
    shape = np.shape(x)
    return np.reshape(on_symbols(np.arange, size_of(shape)), shape)


def axis_of(axis: Any, n: int) -> int:
    """Returns a known axis, counted from the front."""
    return int(operator.index(known(axis, "axis"))) % n if n else 0


def axes_of(axis: Any, n: int) -> tuple[int, ...]:
    """Returns known axes, counted from the front; all for None."""
    axis = known(axis, "axis")
    if axis is None:
        return tuple(range(n))
    return tuple(axis_of(a, n) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))


def spread(g: Any, x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Returns what a reduction of x gave with the reduced axes of length 1, to stand beside x.

    >>> spread(np.array([1.0, 2.0]), np.zeros((2, 3)), axis=1).shape
    (2, 1)
    """
    n = np.ndim(x)
    if not is_symbol(n) and n == 0:
        return g
    if axis is None and not given(keepdims):
        return g
    if given(keepdims):
        return g
    return np.expand_dims(g, axes_of(axis, rank(x)))


def given(flag: Any) -> bool:
    """Returns True for an option that is set; NumPy's `np._NoValue` is none."""
    return flag is not np._NoValue and bool(known(flag, "keepdims"))


def broadcast_like(g: Any, x: Any) -> Any:
    """Returns g, broadcast to x's shape; as it is if x is a number."""
    n = np.ndim(x)
    return g if not is_symbol(n) and n == 0 else np.broadcast_to(g, np.shape(x))


def widened(g: Any, x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Returns what a reduction of x gave, broadcast to x's shape."""
    n = np.ndim(x)
    if not is_symbol(n) and n == 0:
        return g
    return np.broadcast_to(spread(g, x, axis, keepdims), np.shape(x))


def masked(x: Any, where: Any, otherwise: Any) -> Any:
    """Returns x, and another value where a reduction's `where=` leaves elements out."""
    return x if where is True or where is np._NoValue else np.where(
        where, x, otherwise)


def count(x: Any, axis: Any = None, where: Any = True) -> Any:
    """Returns how many elements a reduction over the axes takes together, with axes of length 1
    where a mask makes it differ from place to place."""
    if where is not True and where is not np._NoValue:
        return np.sum(np.broadcast_to(where, np.shape(x)), axis=axis, keepdims=True, dtype=float)
    shape = np.shape(x)
    if axis is None:
        return size_of(shape) if isinstance(shape, tuple) else np.size(x)
    return size_of([shape[i] for i in axes_of(axis, rank(x))])


def last(x: Any, axis: Any = None) -> tuple[Any, tuple[int, ...]]:
    """Returns the array with the reduced axes made one, the last; and the axes that are left."""
    n = rank(x)
    over = axes_of(axis, n)
    rest = tuple(i for i in range(n) if i not in over)
    shape = np.shape(x)
    moved = np.transpose(x, (*rest, *over)) if n else x
    return np.reshape(moved, (*(shape[i] for i in rest), size_of([shape[i] for i in over]))), rest


def swap_last(x: Any) -> Any:
    """Returns the transposed matrices."""
    return np.transpose(x) if rank(x) == 2 else np.swapaxes(x, -1, -2)


def adjoint(x: Any) -> Any:
    """Returns the conjugate transposed matrices."""
    return dot_conjugate(swap_last(x))


def quotient(x: Any, y: Any) -> Any:
    """Returns x / y for the derivative of a ufunc: where both are Python's numbers, as NumPy
    divides them, as the function itself raises nothing at 0, either."""
    return x / y if hasattr(x, "dtype") or hasattr(y, "dtype") else x / (np.float64(1.0) * y)


def divided(x: Any, y: Any) -> Any:
    """Returns x / y, and 0 where y is 0."""
    zero = y == 0
    return instead(zero, 0, x / instead(zero, 1, y))


def instead(test: Any, number: int, x: Any) -> Any:
    """Returns x, and a number where the test holds; x has its dtype."""
    return chosen(test, float(number) if kind(x) == "f" else number, x)


def chosen(test: Any, x: Any, y: Any) -> Any:
    """Returns `np.where(test, x, y)`; of float64 numbers it is one of them, and costs no call."""
    kinds = {getattr(a, "type", None) or type_of(a) for a in (x, y)}
    return select_(test, x, y) if kinds <= NUMBERS else np.where(test, x, y)
