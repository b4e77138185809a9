"""Functions by other ops that compute the same, where no derivative rule says it: exports lower
these parts in place of the function.

They are called with symbolic arrays, and give what NumPy's function gives. `RULES` of the
derivatives has the others.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import is_symbol, on_symbols, rank
from autograph.runtime.ops.derivative_rules.methods import reduced_pieces
from autograph.runtime.ops.derivative_rules.reduction import STEPS
from autograph.runtime.ops.derivative_rules.sorting import interp_by
from autograph.runtime.ops.op import OPS, Op


def _convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """As products of the longer vector's windows with the shorter one."""
    a, v = np.reshape(a, -1), np.reshape(v, -1)
    if np.shape(v)[0] > np.shape(a)[0]:
        a, v = v, a
    n, m = np.shape(a)[0], np.shape(v)[0]
    windows = np.arange(n + m - 1)[:, None] + np.arange(m)
    full = np.matmul(np.pad(a, (m - 1, m - 1))[windows], v[::-1])
    if mode in ("full", 2):
        return full
    start, length = (m - 1, n - m + 1) if mode in ("valid", 0) else ((m - 1) // 2, n)
    return full[start:start + length]


def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    side: Any = "left" if right else "right"
    if np.shape(bins)[0] < 2:
        return np.searchsorted(bins, x, side)
    one, other = bins[:-1], bins[1:]
    rises = np.any(np.less(one, other)) | np.all(np.equal(one, other))
    falling = np.shape(bins)[0] - np.searchsorted(bins[::-1], x, side)
    return np.where(rises, np.searchsorted(bins, x, side), falling)


def _linspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, retstep: bool = False,
              dtype: Any = None, axis: int = 0) -> Any:
    """As NumPy steps: steps of 0 are differences of the weights, and the end is `stop` itself."""
    count = np.maximum(num - 1 if endpoint else num, 1)
    difference = np.subtract(stop * 1.0, start * 1.0)
    step = np.divide(difference, count)
    number = np.reshape(np.astype(np.arange(num), difference.dtype), (-1, *(1,) * np.ndim(step)))
    moved = np.where(np.any(np.equal(step, 0)), number / count * difference, number * step)
    values = moved + start
    if endpoint:
        values = np.where(np.logical_and(number == num - 1, number > 0), stop, values)
    if dtype is not None and np.dtype(dtype).kind in "iu":
        values = np.floor(values)
    values = values if axis == 0 else np.moveaxis(values, 0, axis)
    empty = num < (2 if endpoint else 1)
    return (values, step * np.nan if empty else step) if retstep else values


def _between(share: Any, value: Any, after: Any) -> Any:
    """From one side; where that is no number, as between infinities, from the other."""
    found = value + (after - value) * share
    other = after + (after - value) * (share - 1.0)
    other = np.where(np.isnan(other) & (value == after), value, other)
    return np.where(share == 0, value, np.where(np.isnan(found), other, found))


def _isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False,
          *, kind: Any = None) -> Any:
    tests = np.reshape(test_elements, -1)
    found = np.any(np.equal(np.expand_dims(element, -1), tests), axis=-1)
    return np.logical_not(found) if invert else found


def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    x = np.astype(x, np.int64)
    below = 2 * np.minimum(np.min(x, initial=0), 0)  # NumPy raises: no array of one element has it
    length = np.maximum(np.max(x, initial=-1) + 1, minlength) + on_symbols(
        np.take, np.zeros(1, int), below)
    hit = np.equal(np.expand_dims(on_symbols(np.arange, length), 1), x)
    return np.sum(hit, axis=1) if weights is None else np.sum(np.where(hit, weights, 0.0), axis=1)


def _bits(x: Any) -> Any:
    bits = x.dtype.itemsize * 8
    x = np.abs(x) if x.dtype.kind == "i" else x
    return sum((np.right_shift(x, x.dtype.type(k)) & x.dtype.type(1) for k in range(bits - (
        x.dtype.kind == "i"))), start=np.zeros_like(x)).astype(np.uint8)


def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    conditions = list(condlist) if isinstance(condlist, (list, tuple)) else [condlist]
    if len(funclist) == len(conditions) + 1:
        other = np.logical_not(np.any(np.stack(conditions), axis=0))
        conditions.append(other)
    made = np.zeros_like(x)
    for condition, value in zip(conditions, funclist, strict=True):
        given = value(x, *args, **kw) if callable(value) else value
        made = np.where(condition, np.astype(given, x.dtype) if np.ndim(given) else given, made)
    return np.astype(made, x.dtype)


def _array_equiv(a1: Any, a2: Any) -> Any:
    try:
        shape = np.broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    return np.array_equal(np.broadcast_to(a1, shape), np.broadcast_to(a2, shape))


def _tolist(x: Any) -> Any:
    return x.item() if np.ndim(x) == 0 else [_tolist(x[k]) for k in range(np.shape(x)[0])]


def _column(items: Any) -> Any:
    """Returns numbers of one dtype as an array."""
    if not isinstance(items, (list, tuple)):
        return items
    if len({np.result_type(x) for x in items}) != 1 or any(map(np.ndim, items)):
        raise NotImplementedError("numbers of unlike dtypes, or what is no number")
    return np.stack(items)


def _sorted(items: Any, *, reverse: bool = False) -> Any:
    made = np.sort(_column(items))
    return [made[k] for k in range(np.shape(made)[0])][::-1 if reverse else 1]


def _order_of_keys(keys: Any, reverse: bool = False) -> Any:
    """Sorts by the last part of the keys first: then those with equal first parts are in order."""
    pairs = isinstance(keys, (list, tuple)) and isinstance(keys[0], tuple)
    if pairs and len(set(map(len, keys))) != 1:
        raise NotImplementedError("keys of unlike lengths")
    columns = [_column(list(x)) for x in (zip(*keys, strict=True) if pairs else [keys])]
    order: Any = None
    for x in reversed(columns):
        x = x[::-1] if reverse else x
        new = np.argsort(x if order is None else x[order], kind="stable")
        order = new if order is None else order[new]
    length = np.shape(order)[0]
    made = [order[k] for k in range(length)]
    return [length - 1 - x for x in reversed(made)] if reverse else made


def _order_after(items: Any, name: str, *, key: Any = None, reverse: bool = False) -> Any:
    if name != "sort" or key is not None:
        raise NotImplementedError("a list of a length that only the run knows")
    return _order_of_keys(items, reverse)


def _first_best(items: Any, least: bool) -> Any:
    pairs = [x if isinstance(x, tuple) else (x,) for x in items]
    if len(set(map(len, pairs))) != 1:
        raise NotImplementedError("tuples of unlike lengths")
    number: Any = 0
    found = pairs[0]
    for k, x in enumerate(pairs[1:], 1):
        better = _is_before(x, found) if least else _is_before(found, x)
        found = tuple(np.where(better, new, old) for new, old in zip(x, found, strict=True))
        number = np.where(better, k, number)
    return number


def _is_before(x: tuple[Any, ...], y: tuple[Any, ...]) -> Any:
    (a, *_), (b, *_) = x, y
    if len(x) == 1:
        return np.less(a, b)
    return np.logical_or(np.less(a, b), np.logical_and(np.equal(a, b), _is_before(x[1:], y[1:])))


def _truths(items: Any) -> Any:
    if isinstance(items, (list, tuple)):
        return np.stack([np.astype(x, bool) for x in items])
    if np.ndim(items) != 1:
        raise NotImplementedError("the truth of the rows of an array")
    return np.astype(items, bool)


def _of_type(dtype: Any, x: Any) -> Any:
    return np.astype(x, dtype)


def _product(iterable: Any, *, start: Any = 1) -> Any:
    return reduce(operator.mul, iterable, start)


def _exact_sum(seq: Any) -> Any:
    return reduce(operator.add, seq, 0.0)


def _cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """By doubling the number of factors."""
    x = a if dtype is None else np.astype(a, dtype)
    flat = axis is None or not rank(x)
    x = np.moveaxis(np.reshape(x, -1) if flat else x, 0 if flat else axis, -1)
    length, step = np.shape(x)[-1], 1
    for _ in range(STEPS if is_symbol(length) else max(0, int(length) - 1).bit_length()):
        x = np.concatenate([x[..., :step], x[..., step:] * x[..., :-step]], -1)
        step *= 2
    return x if flat else np.moveaxis(x, -1, axis)


PARTS: dict[str, Callable[..., Any]] = {
    "cumprod": _cumprod,
    "math.prod": _product, "math.fsum": _exact_sum,
    "numpy.convolve": _convolve,
    "digitize": _digitize, "linspace": _linspace, "interp": interp_by(_between),
    "isin": _isin, "bincount": _bincount, "numpy.bitwise_count": _bits,
    "builtins.sorted": _sorted, "numpy.piecewise": _piecewise,
    "autograph.runtime.heap.sorting.order_of_keys": _order_of_keys,
    "autograph.runtime.ops.container_values.order_after": _order_after,
    "autograph.runtime.heap.sorting.first_best": _first_best,
    "builtins.all": lambda x: np.all(_truths(x)), "builtins.any": lambda x: np.any(_truths(x)),
    "numpy.array_equiv": _array_equiv,
    "numpy.isposinf": lambda x: np.equal(x, np.inf),
    "numpy.isneginf": lambda x: np.equal(x, -np.inf),
    "numpy.isreal": lambda x: np.equal(np.imag(x), 0),
    "numpy.iscomplex": lambda x: np.not_equal(np.imag(x), 0),
    "autograph.runtime.tensor_methods.ndarray.ndarray.tolist": _tolist,
    "autograph.runtime.tensor_methods.ndarray.ndarray.is_integer":
        lambda x: np.logical_and(np.equal(np.floor(x), x), np.isfinite(x)),
    **{f"numpy.{t.__name__}": partial(_of_type, np.dtype(t)) for t in (
        np.float64, np.float32, np.float16, np.int64, np.int32, np.int16, np.int8, np.uint64,
        np.uint32, np.uint16, np.uint8, np.bool_)},
}
"""The parts by the name of the op."""


def _of_operator(op: Op) -> Callable[..., Any] | None:
    """Returns the op of the same kernel under another name: `operator.lt` is `less`."""
    found = next((x for x in OPS.values() if x.kernel is op.kernel and x.dunder), None)
    return None if found is None else found.kernel


def _of_math(op: Op) -> Callable[..., Any] | None:
    """Returns NumPy's function for one of `math`'s on floats."""
    if op.kernel in (math.floor, math.ceil, math.trunc):
        rounded = getattr(np, op.kernel.__name__)
        return lambda x: np.astype(rounded(x), np.int64)
    found = getattr(np, op.kernel.__name__, None) if getattr(
        op.kernel, "__module__", "") == "math" else None
    return found if isinstance(found, np.ufunc) else None


def _of_reduceat(op: Op) -> Callable[..., Any] | None:
    ufunc = getattr(op.kernel, "__self__", None)
    if not isinstance(ufunc, np.ufunc) or op.kernel.__name__ != "reduceat":
        return None
    return reduced_pieces(ufunc.reduce)


def parts_of(op: Op) -> Callable[..., Any] | None:
    """Returns what computes the same as an op; None: nothing is known.

    >>> parts_of(OPS["isin"])(np.array([1, 2]), [2, 3]).tolist()
    [False, True]
    """
    if op.ufunc is not None:
        return None
    return PARTS.get(op.name) or _of_operator(op) or _of_math(op) or _of_reduceat(op)
