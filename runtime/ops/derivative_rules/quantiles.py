"""Derivative rules of medians, quantiles and percentiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import given, kind, last, rank
from autograph.runtime.ops.derivatives import Derivative, NotDifferentiableHere, Parts

NONE: Any = np._NoValue

PLOTTING_POSITIONS = {
    "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0), "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
}
"""The constants alpha and beta of the continuous methods (R. Hyndman and Y. Fan, 1996)."""

DISCRETE: dict[str, Callable[[Any], Any]] = {
    "linear": lambda at: at, "lower": np.floor, "higher": np.ceil, "nearest": np.rint,
    "midpoint": lambda at: (np.floor(at) + np.ceil(at)) / 2,
}
"""By method: the position that it takes in the place of the linear one."""

ONE_ELEMENT = ("lower", "higher", "nearest", "closest_observation", "inverted_cdf")
"""The methods that take one element as it is."""


def _position(q: Any, n: Any, method: Any) -> tuple[Any, Any]:
    """Returns the element below a quantile of n sorted ones, and the share of the next one."""
    if method in PLOTTING_POSITIONS:
        alpha, beta = PLOTTING_POSITIONS[method]
        at = np.clip(n * q + alpha + q * (1.0 - alpha - beta) - 1.0, 0.0, n - 1)
        below = np.floor(at)
        return below, at - below
    at = q * (n - 1)
    if method in DISCRETE:
        at = DISCRETE[method](at)
        return np.floor(at), at - np.floor(at)
    at = n * q
    if method == "closest_observation":
        return np.clip(np.rint(at) - 1, 0, n - 1), 0.0 * np.floor(at)
    between = 0.5 * np.equal(at, np.ceil(at)) if method == "averaged_inverted_cdf" else 0.0
    first = np.ceil(at) - 1
    inside = (first >= 0) & (first + 1 <= n - 1)
    return np.clip(first, 0, n - 1), np.where(inside, between, 0.0)


def _among(x: Any, q: Any, n: Any, method: Any) -> Any:
    """Returns the quantiles along the last axis of sorted x; q's axes come first."""
    q = np.expand_dims(q, tuple(range(rank(q), rank(q) + rank(x) - 1))) if rank(x) > 1 else q
    below, share = _position(q, n, method)
    below = np.broadcast_to(below, np.broadcast_shapes(np.shape(below), np.shape(x)[:-1]))
    lead = rank(q) - (rank(x) - 1)
    wide = np.reshape(x, (*(1,) * lead, *np.shape(x)))
    first = np.expand_dims(below.astype(int), -1)
    limit = np.maximum(np.expand_dims(n, -1) - 1 if rank(n) else n - 1, 0)
    low = np.take_along_axis(wide, np.minimum(np.maximum(first, 0), limit), -1)[..., 0]
    if method in ONE_ELEMENT:
        return low
    high = np.take_along_axis(wide, np.minimum(np.maximum(first + 1, 0), limit), -1)[..., 0]
    gap = high - low
    return np.where(np.greater_equal(share, 0.5), high - gap * (1 - share), low + gap * share)


def _quantile_of(scale: float, nan: bool) -> Callable[..., Any]:
    """Returns the parts of `quantile(a, q)`, whose levels are q times `scale`."""
    def parts(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False,
              method: Any = "linear", keepdims: Any = False, *, weights: Any = None,
              interpolation: Any = None) -> Any:
        if weights is not None:
            raise NotDifferentiableHere("`weights=` of a quantile has no rule")
        q = np.asarray(q) * scale if isinstance(q, (int, float, list, tuple)) else q * scale
        x, kept = last(a, axis)
        n: Any = np.sum(~np.isnan(x), axis=-1) if nan else np.shape(x)[-1]
        made = _among(np.sort(x, -1), q, n, method)
        if not nan and kind(x) not in "biu":
            made = np.where(np.any(np.isnan(x), axis=-1), np.nan, made)
        return _kept(made, a, kept, rank(q)) if given(keepdims) else made

    return parts


def _kept(made: Any, a: Any, kept: tuple[int, ...], lead: int) -> Any:
    """Returns the result with the reduced axes of length 1."""
    gone = tuple(lead + i for i in range(rank(a)) if i not in kept)
    return np.expand_dims(made, gone)


def _median_of(nan: bool) -> Callable[..., Any]:
    def parts(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False,
              keepdims: Any = False) -> Any:
        return _quantile_of(1.0, nan)(a, 0.5, axis, method="midpoint", keepdims=keepdims)

    return parts


RULES: dict[str, Derivative] = {
    "median": Parts(_median_of(nan=False)), "nanmedian": Parts(_median_of(nan=True)),
    "quantile": Parts(_quantile_of(1.0, nan=False)),
    "percentile": Parts(_quantile_of(0.01, nan=False)),
    "nanquantile": Parts(_quantile_of(1.0, nan=True)),
    "nanpercentile": Parts(_quantile_of(0.01, nan=True)),
}
