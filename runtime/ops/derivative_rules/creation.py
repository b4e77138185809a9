"""Derivative rules of ops that make arrays of numbers, shapes and nests, and copy other arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import is_symbol, known, on_symbols, rank
from autograph.runtime.ops.derivatives import ZERO, Derivative, Formula, Linear, Parts


def _by_leaf(g: Any, nest: Any) -> Any:
    """Returns the cotangents of the numbers and arrays that an array is made of."""
    if isinstance(nest, (list, tuple)):
        return [_by_leaf(g[i], item) for i, item in enumerate(nest)]
    return g


def _depth(nest: Any) -> int:
    if not isinstance(nest, (list, tuple)):
        return rank(nest)
    return 1 + (_depth(nest[0]) if nest else 0)


def _array(g: Any, z: Any, a: Any, *args: Any, **more: Any) -> Any:
    """The transpose of `np.array`: `ndmin` puts axes in front, ascontiguousarray puts one."""
    if is_symbol(a):
        return g
    extra = rank(g) - _depth(a)
    return _by_leaf(g[(0,) * extra] if extra > 0 else g, a)


def _linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False,
              dtype: Any = None, axis: Any = 0, **more: Any) -> Any:
    steps = num - 1 if endpoint else num
    difference = np.subtract(stop, start)
    weights = on_symbols(np.arange, num) / (steps if isinstance(steps, int) and steps > 0 else
                                            np.maximum(steps, 1))
    n = rank(difference)
    weights = np.reshape(weights, (-1, *(1,) * n))
    values = start * (1.0 - weights) + stop * weights
    values = values if axis == 0 else np.moveaxis(values, 0, axis)
    return (values, np.divide(difference, steps)) if retstep else values


def _arange_vjp(g: Any, z: Any, start: Any, stop: Any = None, step: Any = None, **more: Any) -> Any:
    if stop is None:
        return (None, None, None)
    return np.sum(g), None, np.sum(g * _numbered(g))


def _arange_jvp(t: Any, z: Any, start: Any, stop: Any = None, step: Any = None, **more: Any) -> Any:
    moved = np.zeros_like(z)
    if stop is not None and t[0] is not None:
        moved = moved + t[0]
    if len(t) > 2 and t[2] is not None:
        moved = moved + t[2] * _numbered(z)
    return moved


def _numbered(z: Any) -> Any:
    return on_symbols(np.arange, np.shape(z)[0])


def _meshgrid(*xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> Any:
    n = len(xi)
    axes = [1, 0, *range(2, n)] if known(indexing, "indexing") == "xy" and n > 1 else range(n)
    open_grid = [np.reshape(x, tuple(-1 if i == at else 1 for i in range(n)))
                 for x, at in zip(xi, axes, strict=True)]
    return tuple(open_grid) if sparse else tuple(
        np.broadcast_to(x, np.broadcast_shapes(*map(np.shape, open_grid))) for x in open_grid)


RULES: dict[str, Derivative] = {
    "array": Linear(_array, nests=True), "asarray": Linear(_array, nests=True),
    "asanyarray": Linear(_array, nests=True), "ascontiguousarray": Linear(_array, nests=True),
    "copy": Linear(lambda g, z, a, *args, **more: g),
    "astype": Linear(lambda g, z, x, *args, **more: g),
    "full": Formula(lambda g, z, shape, fill_value, *args, **more: (None, g),
                    lambda t, z, shape, fill_value, *args, **more: np.broadcast_to(
                        t[1], np.shape(z))),
    "full_like": Formula(lambda g, z, a, fill_value, *args, **more: (None, g),
                         lambda t, z, a, fill_value, *args, **more: None if t[1] is None else
                         np.broadcast_to(t[1], np.shape(z))),
    "linspace": Parts(_linspace), "arange": Formula(_arange_vjp, _arange_jvp),
    "meshgrid": Parts(_meshgrid),
    **dict.fromkeys(("zeros", "ones", "empty", "zeros_like", "ones_like", "empty_like", "eye",
                     "identity", "tri", "triu_indices", "tril_indices"), ZERO),
}
