"""Derivative rules of reductions and scans."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import (
    as_array,
    axes_of,
    axis_of,
    count,
    divided,
    dot_conjugate,
    given,
    is_symbol,
    kind,
    masked,
    rank,
    spread,
    widened,
)
from autograph.runtime.ops.derivatives import ZERO, Derivative, Formula, Linear, Parts

Rule = Callable[..., Any]
NONE: Any = np._NoValue


# -- sums -----------------------------------------------------------------------------------------


def _sum_vjp(g: Any, z: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
             keepdims: Any = False, initial: Any = NONE, where: Any = True) -> Any:
    x_bar = masked(widened(g, a, axis, keepdims), where, 0)
    return [x_bar, {"initial": g}]


def _sum_jvp(t: Any, z: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
             keepdims: Any = False, initial: Any = NONE, where: Any = True) -> Any:
    return np.sum(masked(t[0], where, 0), axis=axis, dtype=dtype, keepdims=given(keepdims))


def _mean_vjp(g: Any, z: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
              keepdims: Any = False, *, where: Any = True) -> Any:
    share = spread(g, a, axis, keepdims) / count(a, axis, where)
    return (masked(np.broadcast_to(share, np.shape(a)), where, 0),)


def _mean_jvp(t: Any, z: Any, a: Any, *args: Any, **more: Any) -> Any:
    return np.mean(t[0], *args, **more)


def _cumsum(g: Any, z: Any, a: Any, axis: Any = None, *args: Any, **more: Any) -> Any:
    at = 0 if axis is None else axis
    return np.reshape(np.flip(np.cumsum(np.flip(g, at), at), at), np.shape(a))


# -- products -------------------------------------------------------------------------------------

STEPS = 40
"""Doublings of a product along an axis whose length only the run knows."""


def _factors(a: Any, dtype: Any, where: Any) -> Any:
    x = masked(a, where, 1)
    return x if dtype is None else (
        x if is_symbol(x) else np.asarray(x)).astype(dtype)


def _others(x: Any, axis: Any, n: int) -> Any:
    """Returns for each element the product of the others along some axes: of those before it and
    of those behind it, as elements may be 0."""
    made: Any = 1.0
    for i in sorted(axes_of(axis, n), reverse=True):
        turned, length = np.flip(x, i), np.shape(x)[i]
        two = isinstance(length, int) and length == 2
        made = made * (turned if two else _before(x, i) * np.flip(_before(turned, i), i))
        x = np.prod(x, axis=i, keepdims=True)
    return made


def _before(x: Any, axis: int) -> Any:
    """Returns the product of the elements before each one."""
    made = np.cumprod(np.concatenate([_ones_along(x, axis), x], axis), axis)
    return made[(slice(None),) * axis + (slice(None, -1),)]


def _prod_vjp(g: Any, z: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
              keepdims: Any = False, initial: Any = NONE, where: Any = True) -> Any:
    x = _factors(a, dtype, where)
    made = spread(g if initial is NONE else g * initial, a, axis, keepdims) * _others(
        x, axis, rank(a))
    if initial is NONE:
        return (masked(made, where, 0),)
    product = np.prod(x, axis=axis, keepdims=given(keepdims))
    return [masked(made, where, 0), {"initial": g * product}]


def _prod_jvp(t: Any, z: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
              keepdims: Any = False, initial: Any = NONE, where: Any = True) -> Any:
    moved = masked(t[0], where, 0) * _others(_factors(a, dtype, where), axis, rank(a))
    made = np.sum(moved, axis=axis, keepdims=given(keepdims))
    return made if initial is NONE else made * initial


def _ones_along(x: Any, axis: int) -> Any:
    shape = tuple(1 if i == axis else d for i, d in enumerate(np.shape(x)))
    return np.ones_like(x, shape=shape)


SMALL = 1 << 14
"""The elements of a table of all products of neighbours, which is faster than doublings."""


def _neighbours(x: Any) -> Any:
    """Returns the product of the elements behind i up to k, at [..., i, k]; 0 where k < i."""
    n = np.shape(x)[-1]
    behind = np.tri(n, n, -1, dtype=bool).T
    made = np.cumprod(np.where(behind, np.expand_dims(x, -2), 1), -1)
    return np.where(behind | np.eye(n, dtype=bool), made, 0)


def _is_small(x: Any) -> bool:
    shape = np.shape(x)
    return isinstance(shape, tuple) and all(isinstance(d, int) for d in shape) and (
        math.prod(shape) * shape[-1] <= SMALL)


def _carried(v: Any, x: Any) -> Any:
    """Returns y where y_k = v_k + x_k * y_(k-1), along the last axis, by doubling the distance."""
    length, step = np.shape(x)[-1], 1
    for _ in range(STEPS if is_symbol(length) else max(0, int(length) - 1).bit_length()):
        v, x = (np.concatenate([y[..., :step], made], -1) for y, made in (
            (v, v[..., step:] + x[..., step:] * v[..., :-step]),
            (x, x[..., step:] * x[..., :-step])))
        step *= 2
    return v


def _along_last(x: Any, axis: Any, a: Any) -> Any:
    """Returns an array with the axis of a cumulative product as the last one."""
    return np.reshape(x, -1) if axis is None or not rank(a) else np.moveaxis(
        x, axis_of(axis, rank(a)), -1)


def _cumprod_vjp(g: Any, z: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None
                 ) -> Any:
    x = _along_last(_factors(a, dtype, True), axis, a)
    g = _along_last(g, axis, z)
    if _is_small(x):
        made = np.matmul(_neighbours(x), np.expand_dims(g, -1))[..., 0]
    else:
        shifted = np.concatenate([_ones_along(x, rank(x) - 1), np.flip(x, -1)], -1)[..., :-1]
        made = np.flip(_carried(np.flip(g, -1), shifted), -1)
    made = made * _before(x, rank(x) - 1)
    return (np.reshape(made, np.shape(a)) if axis is None or not rank(a) else np.moveaxis(
        made, -1, axis_of(axis, rank(a))),)


def _cumprod_jvp(t: Any, z: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None
                 ) -> Any:
    x = _along_last(_factors(a, dtype, True), axis, a)
    moved = _along_last(t[0], axis, a) * _before(x, rank(x) - 1)
    if _is_small(x):
        made = np.matmul(np.expand_dims(moved, -2), _neighbours(x))[..., 0, :]
    else:
        made = _carried(moved, x)
    return made if axis is None or not rank(a) else np.moveaxis(made, -1, axis_of(axis, rank(a)))


# -- extremes -------------------------------------------------------------------------------------


def _chosen(z: Any, a: Any, axis: Any, keepdims: Any, where: Any) -> Any:
    """Returns the share that each element has in a maximum or minimum: ties share equally."""
    best = spread(z, a, axis, keepdims)
    same = (a == best) | ((a != a) & (best != best))
    shares = masked(same, where, False)
    return shares / np.maximum(np.sum(shares, axis=axis, keepdims=True), 1)


def _extreme_vjp(g: Any, z: Any, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False,
                 initial: Any = NONE, where: Any = True) -> Any:
    shares = _chosen(z, a, axis, keepdims, where)
    by_element = spread(g, a, axis, keepdims) * shares
    if initial is NONE:
        return (by_element,)
    return [by_element, {"initial": g * (np.sum(shares, axis=axis, keepdims=given(keepdims)) == 0)}]


def _extreme_jvp(t: Any, z: Any, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False,
                 initial: Any = NONE, where: Any = True) -> Any:
    return np.sum(t[0] * _chosen(z, a, axis, keepdims, where), axis=axis, keepdims=given(keepdims))


def _ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    keep = given(keepdims)
    return np.max(a, axis=axis, keepdims=keep) - np.min(a, axis=axis, keepdims=keep)


# -- moments --------------------------------------------------------------------------------------


def _weight(a: Any, axis: Any, where: Any, ddof: Any, correction: Any) -> Any:
    return 2.0 / (count(a, axis, where) - (ddof if correction is NONE else correction))


def _deviation(a: Any, axis: Any, where: Any, mean: Any) -> Any:
    """Returns the elements less their mean, 0 where a mask leaves them out."""
    if mean is NONE:
        mean = np.mean(a, axis=axis, keepdims=True, **({} if where is True or where is NONE else {
            "where": where}))
    return masked(a - mean, where, 0)


def _var_vjp(g: Any, z: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
             ddof: Any = 0, keepdims: Any = False, *, where: Any = True, mean: Any = NONE,
             correction: Any = NONE) -> Any:
    g = spread(g, a, axis, keepdims) * _weight(a, axis, where, ddof, correction)
    a_bar = g * dot_conjugate(_deviation(a, axis, where, mean))
    return [a_bar] if mean is NONE else [a_bar, {"mean": -a_bar}]


def _var_jvp(t: Any, z: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
             ddof: Any = 0, keepdims: Any = False, *, where: Any = True, mean: Any = NONE,
             correction: Any = NONE) -> Any:
    moved = np.real(dot_conjugate(_deviation(a, axis, where, mean)) * t[0]) * _weight(
        a, axis, where, ddof, correction)
    return np.sum(moved, axis=axis, keepdims=given(keepdims))


def _std_vjp(g: Any, z: Any, a: Any, *args: Any, **more: Any) -> Any:
    return _var_vjp(divided(g, 2 * z), z, a, *args, **more)


def _std_jvp(t: Any, z: Any, a: Any, *args: Any, **more: Any) -> Any:
    return divided(_var_jvp(t, z, a, *args, **more), 2 * z)


def _average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *,
             keepdims: Any = False) -> Any:
    keep = given(keepdims)
    if weights is None:
        mean = np.mean(a, axis=axis, keepdims=keep)
        return (mean, np.ones_like(mean) * count(a, axis)) if returned else mean
    a, weights = as_array(a), as_array(weights)
    if kind(a):  # NumPy sums the weights with the precision of the result
        weights = weights + np.zeros((), float if kind(a) in "biu" else a.dtype)
    if rank(weights) != rank(a):
        at = axes_of(axis, rank(a))
        order = tuple(sorted(range(len(at)), key=lambda i: at[i]))
        weights = np.reshape(np.transpose(weights, order), tuple(
            d if i in at else 1 for i, d in enumerate(np.shape(a))))
    wide = np.broadcast_to(weights, np.shape(a))
    total = np.sum(wide, axis=axis, keepdims=keep)
    mean = np.sum(a * weights, axis=axis, keepdims=keep) / total
    return (mean, np.broadcast_to(total, np.shape(mean))) if returned else mean


# -- differences ----------------------------------------------------------------------------------


def _diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = NONE, append: Any = NONE) -> Any:
    at = axis_of(axis, rank(a))
    joined = [_edge(x, a, at) for x in (prepend, a, append) if x is not NONE and x is not None]
    x = np.concatenate(joined, at) if len(joined) > 1 else a
    for _ in range(n):
        x = x[(slice(None),) * at + (slice(1, None),)] - x[(slice(None),) * at + (slice(0, -1),)]
    return x


def _edge(x: Any, a: Any, axis: int) -> Any:
    if rank(x):
        return x
    return np.broadcast_to(x, tuple(1 if i == axis else d for i, d in enumerate(np.shape(a))))


# -- NaN left out ---------------------------------------------------------------------------------


def _without_nan(fn: Rule, otherwise: float) -> Rule:
    """Returns the parts of a NumPy function on what is no NaN."""
    def parts(a: Any, *args: Any, **more: Any) -> Any:
        return fn(np.where(np.isnan(a), otherwise, a), *args, **more)

    return parts


def _nan_extreme(fn: Rule, otherwise: float) -> Rule:
    def parts(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **more: Any) -> Any:
        nan = np.isnan(a)
        best = fn(np.where(nan, otherwise, a), axis=axis, keepdims=given(keepdims), **more)
        return np.where(np.all(nan, axis=axis, keepdims=given(keepdims)), np.nan, best)

    return parts


def _present(a: Any, where: Any) -> Any:
    """Returns a mask of the elements that are no NaN and not left out."""
    there = ~np.isnan(a)
    return there if where is True or where is NONE else there & where


def _nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
             *, where: Any = True) -> Any:
    there, keep = _present(a, where), given(keepdims)
    total = np.sum(np.where(there, a, 0), axis=axis, keepdims=keep, dtype=dtype)
    return total / np.sum(there, axis=axis, keepdims=keep)


def _nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
            keepdims: Any = False, *, where: Any = True, mean: Any = NONE,
            correction: Any = NONE) -> Any:
    there, keep = _present(a, where), given(keepdims)
    known_ones = np.where(there, a, 0)
    number = np.sum(there, axis=axis, keepdims=True)
    center = np.sum(known_ones, axis=axis, keepdims=True) / number if mean is NONE else mean
    deviation = np.where(there, known_ones - center, 0)
    total = np.sum(np.real(deviation * dot_conjugate(deviation)), axis=axis, keepdims=keep)
    return total / (np.sum(there, axis=axis, keepdims=keep) - (
        ddof if correction is NONE else correction))


def _nanstd(a: Any, *args: Any, **more: Any) -> Any:
    variance = _nanvar(a, *args, **more)
    return np.where(variance == 0, 0, np.sqrt(np.where(variance == 0, 1, variance)))


EXTREME = Formula(_extreme_vjp, _extreme_jvp)

RULES: dict[str, Derivative] = {
    "sum": Formula(_sum_vjp, _sum_jvp, pads=False),
    "mean": Formula(_mean_vjp, _mean_jvp, pads=False),
    "prod": Formula(_prod_vjp, _prod_jvp), "max": EXTREME, "min": EXTREME,
    "std": Formula(_std_vjp, _std_jvp, pads=False),
    "var": Formula(_var_vjp, _var_jvp, pads=False),
    "ptp": Parts(_ptp), "average": Parts(_average), "diff": Parts(_diff),
    "cumsum": Linear(_cumsum), "cumprod": Formula(_cumprod_vjp, _cumprod_jvp),
    "nansum": Parts(_without_nan(np.sum, 0.0)), "nanprod": Parts(_without_nan(np.prod, 1.0)),
    "nancumsum": Parts(_without_nan(np.cumsum, 0.0)),
    "nancumprod": Parts(_without_nan(np.cumprod, 1.0)),
    "nanmax": Parts(_nan_extreme(np.max, -np.inf)), "nanmin": Parts(_nan_extreme(np.min, np.inf)),
    "nanmean": Parts(_nanmean), "nanvar": Parts(_nanvar), "nanstd": Parts(_nanstd),
    **dict.fromkeys(("all", "any", "argmax", "argmin", "count_nonzero", "nanargmax",
                     "nanargmin"), ZERO),
}
