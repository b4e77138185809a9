"""Derivative rules of functions that change an array: the array after `np.put`, `out=x`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import (
    as_array,
    is_symbol,
    kind,
    on_symbols,
    positions,
    size_of,
)
from autograph.runtime.ops.derivatives import NotDifferentiableHere, add_at, getitem, setitem


def stored_into(x: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    """The parts of `fn(…, out=x)`: the result in the dtype of x, where a mask does not keep x."""
    where = kwargs.pop("where", True) if isinstance(fn, np.ufunc) else True
    made = fn(*args, **kwargs)
    return np.where(where, made, x)


def _fill_diagonal(x: Any, value: Any, wrap: Any = False) -> Any:
    shape = np.shape(x)
    if wrap or not all(isinstance(d, int) for d in shape):
        raise NotDifferentiableHere("np.fill_diagonal of an array whose shape only the run knows, "
                                    "or with wrap=True, has no rule; x[i, i] = v has")
    n = min(shape)
    values = np.reshape(value, -1)[np.arange(n) % np.size(value)] if np.ndim(value) else value
    return setitem(x, (np.arange(n),) * len(shape), values)


def _put_along_axis(x: Any, indices: Any, values: Any, axis: Any) -> Any:
    if axis is None:
        return np.reshape(setitem(np.reshape(x, -1), indices, values), np.shape(x))
    rank, at = np.ndim(x), axis % np.ndim(x)
    where = [np.reshape(np.arange(d), (-1, *(1,) * (rank - 1 - k)))
             for k, d in enumerate(np.shape(x))]
    return setitem(x, (*where[:at], indices, *where[at + 1:]), values)


def _putmask(x: Any, mask: Any, values: Any) -> Any:
    flat = np.reshape(values, -1)
    return np.where(mask, getitem(flat, positions(x) % np.size(flat)), x)


def _fill_mask(x: Any, mask: Any, values: Any) -> Any:
    """The n-th element of the mask gets value n, from the first again after the last."""
    flat, where = np.reshape(values, -1), np.reshape(mask, np.shape(x))
    number = np.reshape(np.cumsum(where), np.shape(x)) - 1
    return np.where(where, getitem(flat, number % np.size(flat)), x)


def _numbered(x: Any, index: Any) -> Any:
    """Returns the numbers, in C order, of the elements that an index names."""
    at = getitem(positions(x), index)
    dtype = getattr(index, "dtype", None)
    is_direct = np.ndim(x) == 1 and is_symbol(index) and dtype is not None and dtype.kind in "iu"
    return np.reshape(at, np.shape(index)) if is_direct else at


def _flat_store(x: Any, index: Any, value: Any) -> Any:
    """Elements in C order; values start again after the last one."""
    if np.ndim(value):
        index = _numbered(np.reshape(x, -1), index)
        flat, number = np.reshape(value, -1), on_symbols(np.arange, np.size(index))
        value = np.reshape(getitem(flat, number % np.size(flat)), np.shape(index))
    return np.reshape(setitem(np.reshape(x, -1), index, value), np.shape(x))


def _set_flat(x: Any, index: Any, value: Any) -> Any:
    if kind(index) == "b" and not np.ndim(index):
        raise NotDifferentiableHere("NumPy takes no bool as an index of x.flat")
    return _flat_store(x, index, value)


def _grouped(reduce: Callable[..., Any], neutral: float) -> Callable[..., Any]:
    """Returns the parts of `ufunc.at` of an operation whose order does not count.

    What falls on one element stands in a column of a table, below the element itself; the rest of
    the column is neutral.
    """
    def parts(x: Any, index: Any, v: Any) -> Any:
        flat = np.reshape(x, -1)
        at = _numbered(x, index)
        values = np.reshape(np.broadcast_to(v, np.shape(at)), -1)
        at = np.reshape(at, -1)
        order = np.argsort(at, kind="stable")
        at, values = at[order], values[order]
        number = on_symbols(np.arange, np.size(at))
        new = np.equal(number, np.searchsorted(at, at))
        column, row = np.cumsum(new) - 1, number - np.searchsorted(at, at)
        shape = np.max(row, initial=0) + 2, np.sum(new)
        table = on_symbols(np.full, shape, complex(neutral) if "c" in (
            kind(x), kind(v)) else neutral)
        table = setitem(table, (0, column), getitem(flat, at))
        made = reduce(setitem(table, (row + 1, column), values), axis=0)
        return np.reshape(setitem(flat, at, made[column]), np.shape(x))

    return parts


LONGEST = 100
"""Of how many elements an operation without a table of its own is taken one by one."""


def _one_by_one(ufunc: np.ufunc, x: Any, index: Any, *values: Any) -> Any:
    """Returns what `ufunc.at` makes: an element that the index names twice changes twice."""
    flat, at = np.reshape(x, -1), _numbered(x, index)
    given = [np.reshape(np.broadcast_to(v, np.shape(at)), -1) for v in values]
    at = np.reshape(at, -1)
    count = size_of(np.shape(at))
    if not (isinstance(count, int) and count <= LONGEST):
        raise NotDifferentiableHere(
            f"np.{ufunc.__name__}.at has a rule for up to {LONGEST} elements, of which the trace "
            "knows how many; write a loop")
    for k in range(count):
        flat = setitem(flat, at[k], ufunc(flat[at[k]], *(v[k] for v in given)))
    return np.reshape(flat, np.shape(x))


PRODUCTS = _grouped(np.prod, 1.0)

STORES: dict[Any, Any] = {
    "fill_diagonal": _fill_diagonal, "put_along_axis": _put_along_axis,
    "add.at": lambda x, index, v: add_at(x, index, v),
    "subtract.at": lambda x, index, v: add_at(x, index, -v),
    "multiply.at": PRODUCTS, "divide.at": lambda x, index, v: PRODUCTS(x, index, 1.0 / v),
    "maximum.at": _grouped(np.max, -np.inf), "minimum.at": _grouped(np.min, np.inf),
    "putmask": _putmask, "place": _fill_mask, "_store_flat": _set_flat,
    "partition": lambda x, kth, axis=-1, **more: np.partition(x, kth, axis),
    "copyto": lambda x, src, casting=None, where=True: np.where(where, src, x),
    "sort": lambda x, axis=-1, **more: np.sort(x, axis),
    "fill": lambda x, value: np.where(True, value, x),
    "put": lambda x, index, v, mode="raise": _flat_store(x, np.astype(
        index, int) if kind(index) == "b" else as_array(index), v),
}
"""Functions that change their first argument: what it is afterwards."""


def stored_by(x: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    owner = getattr(fn, "__self__", None)
    name = f"{owner.__name__}.{fn.__name__}" if isinstance(owner, np.ufunc) else fn.__name__
    if isinstance(owner, np.ufunc) and owner.nout == 1 and name not in STORES:
        return _one_by_one(owner, x, *args)
    if name not in STORES:
        raise NotDifferentiableHere(f"{name} changes its argument, and has no rule; those of "
                                    f"{', '.join(STORES)} have, and x[i] = v has")
    return STORES[name](x, *args, **kwargs)
