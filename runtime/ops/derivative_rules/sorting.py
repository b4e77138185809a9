"""Derivative rules of sorting, counting, set and interpolating ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import as_array, axis_of, kind, rank
from autograph.runtime.ops.derivatives import (
    ZERO,
    Derivative,
    Formula,
    Multilinear,
    NotDifferentiableHere,
    Parts,
    getitem,
)

# -- sorting --------------------------------------------------------------------------------------


def _order(z: Any, a: Any, axis: int) -> Any:
    """Returns where in `a` each element of z stands, z being a's elements in another order."""
    target = np.argsort(np.argsort(z, axis, kind="stable"), axis)
    return np.take_along_axis(np.argsort(a, axis, kind="stable"), target, axis)


def _reordered_vjp(axis_at: int) -> Callable[..., Any]:
    """Returns the rule of `sort(a, axis=-1)`, or of `partition(a, kth, axis=-1)`."""
    def vjp(g: Any, z: Any, a: Any, *args: Any, axis: Any = -1, **more: Any) -> Any:
        axis = args[axis_at] if len(args) > axis_at else axis
        flat, at = _flat(a, axis)
        back = np.argsort(_order(z, flat, at), at)
        return (np.reshape(np.take_along_axis(g, back, at), np.shape(a)),)

    return vjp


def _reordered_jvp(axis_at: int) -> Callable[..., Any]:
    def jvp(t: Any, z: Any, a: Any, *args: Any, axis: Any = -1, **more: Any) -> Any:
        axis = args[axis_at] if len(args) > axis_at else axis
        flat, at = _flat(a, axis)
        return np.take_along_axis(_flat(t[0], axis)[0], _order(z, flat, at), at)

    return jvp


def _flat(a: Any, axis: Any) -> tuple[Any, int]:
    return (np.reshape(a, -1), 0) if axis is None else (a, axis_of(axis, rank(a)))


# -- sets -----------------------------------------------------------------------------------------


def _unique(ar: Any, return_index: Any = False, return_inverse: Any = False,
            return_counts: Any = False, axis: Any = None, **more: Any) -> Any:
    _, first, *rest = np.unique(ar, True, return_inverse, return_counts, axis, **more)
    values = np.reshape(ar, -1)[first] if axis is None else np.take(ar, first, axis)
    found = [values, *([first] if return_index else []), *rest]
    return tuple(found) if len(found) > 1 else values


def _union1d(ar1: Any, ar2: Any) -> Any:
    return _unique(np.concatenate([np.reshape(ar1, -1), np.reshape(ar2, -1)]))


def _intersect1d(ar1: Any, ar2: Any, assume_unique: Any = False,
                 return_indices: Any = False) -> Any:
    x = np.reshape(ar1, -1) if assume_unique else _unique(ar1)
    x = x[np.argsort(x)]
    found = x[np.isin(x, ar2)]
    if return_indices:
        return found, *np.intersect1d(ar1, ar2, assume_unique, True)[1:]
    return found


def _setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    x, y = (np.reshape(a, -1) if assume_unique else _unique(a) for a in (ar1, ar2))
    both = np.concatenate([x[~np.isin(x, y)], y[~np.isin(y, x)]])
    return both[np.argsort(both)]


def _setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    x = np.reshape(ar1, -1) if assume_unique else _unique(ar1)
    return x[~np.isin(x, ar2)]


# -- counting -------------------------------------------------------------------------------------


def _bincount(g: Any, z: Any, x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    return g[x]


def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None,
               weights: Any = None) -> Any:
    if isinstance(bins, str):
        raise NotDifferentiableHere(f"bins={bins!r} chooses the number of bins by the data")
    x = np.reshape(a, -1)
    edges = as_array(bins) if rank(bins) else edges_of(x, bins, range)
    count = np.shape(edges)[0] - 1
    inside = (x >= edges[0]) & (x <= edges[-1])
    bin_of = np.clip(np.searchsorted(edges, x, "right") - 1, 0, count - 1)
    each = np.where(inside, 1.0 if weights is None else np.reshape(weights, -1), 0.0)
    counts = np.bincount(bin_of, each, count) if kind(each) != "c" else (
        np.bincount(bin_of, each.real, count) + 1j * np.bincount(bin_of, each.imag, count))
    if density:
        counts = counts / (edges[1:] - edges[:-1]) / np.sum(counts)
    return counts, edges


def edges_of(x: Any, bins: Any, range: Any) -> Any:
    """Returns the edges of bins of equal width, as `np.histogram` has them."""
    low, high = (np.min(x), np.max(x)) if range is None else range
    flat = np.equal(low, high)
    return np.linspace(low - np.where(flat, 0.5, 0.0), high + np.where(flat, 0.5, 0.0), bins + 1)


# -- interpolation --------------------------------------------------------------------------------


def between(share: Any, value: Any, after: Any) -> Any:
    """Returns what lies at a share of the way from a value to the next."""
    return value + (after - value) * share


def interp_by(between: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
    """Returns `np.interp`, given what it does between two points."""
    def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None,
               period: Any = None) -> Any:
        xp, fp = as_array(xp) * np.float64(1.0), as_array(fp) * np.float64(1.0)
        if period is not None:
            x, xp, fp = _periodic(x, xp, fp, np.abs(period))
        n = np.shape(xp)[0]
        if isinstance(n, int) and n == 1:
            inner = fp[0] + 0.0 * x
        else:
            i = np.clip(np.searchsorted(xp, x, "right") - 1, 0, n - 2)
            start = getitem(xp, i)
            width = getitem(xp, i + 1) - start
            share = (x - start) / np.where(width == 0, 1, width)
            inner = between(share, getitem(fp, i), getitem(fp, i + 1))
        below = fp[0] if left is None or period is not None else left
        above = fp[-1] if right is None or period is not None else right
        return np.where(x < xp[0], below, np.where(x > xp[-1], above, inner))

    return interp


def _periodic(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    x, xp = np.mod(x, period), np.mod(xp, period)
    order = np.argsort(xp)
    xp, fp = xp[order], fp[order]
    return (x, np.concatenate([xp[-1:] - period, xp, xp[:1] + period]),
            np.concatenate([fp[-1:], fp, fp[:1]]))


SORT = Formula(_reordered_vjp(0), _reordered_jvp(0))
PARTITION = Formula(_reordered_vjp(1), _reordered_jvp(1))

RULES: dict[str, Derivative] = {
    "sort": SORT, "partition": PARTITION, "unique": Parts(_unique), "union1d": Parts(_union1d),
    "intersect1d": Parts(_intersect1d), "setxor1d": Parts(_setxor1d),
    "setdiff1d": Parts(_setdiff1d), "bincount": Multilinear(None, _bincount),
    "histogram": Parts(_histogram), "interp": Parts(interp_by(between)),
    **dict.fromkeys(("argsort", "argpartition", "lexsort", "searchsorted", "digitize", "isin",
                     "isclose", "allclose", "array_equal"), ZERO),
}
