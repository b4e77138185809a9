"""Derivative rules of NumPy functions that have no record of their own, by their full name.

Each is decomposed: the function here gives the same from ops that have rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import (
    as_array,
    axes_of,
    axis_of,
    dot_conjugate,
    given,
    kind,
    rank,
    size_of,
    zeros,
)
from autograph.runtime.ops.derivative_rules.linalg import matrix_norm, thin_svd, vector_norm
from autograph.runtime.ops.derivative_rules.sorting import edges_of
from autograph.runtime.ops.derivatives import (
    ZERO,
    Derivative,
    Linear,
    Multilinear,
    NotDifferentiableHere,
    Parts,
    strided_positions,
)

# -- windows --------------------------------------------------------------------------------------


def _all_overlaps(g: Any, n: Any, m: Any, mode: Any) -> Any:
    """Returns the cotangent of all overlaps, given that of those of a mode."""
    if mode in ("full", 2):
        return g
    before = min(n, m) - 1 if mode in ("valid", 0) else (min(n, m) - 1) // 2
    after = n + m - 1 - before - np.shape(g)[0]
    return np.concatenate([zeros((before,), g), g, zeros((after,), g)])


def _convolution_by(operand: int) -> Any:
    """Returns the transpose of `np.convolve` in one operand: a correlation with the other one."""
    def transpose(g: Any, z: Any, a: Any, v: Any, mode: Any = "full") -> Any:
        given = _vector(a), _vector(v)
        g = _all_overlaps(g, np.shape(given[0])[0], np.shape(given[1])[0], mode)
        made = np.convolve(g, given[1 - operand][::-1], "valid")
        asked = (a, v)[operand]
        return made if rank(asked) == 1 else np.reshape(made, np.shape(asked))

    return transpose


def _vector(x: Any) -> Any:
    return x if rank(x) == 1 else np.reshape(x, -1)


def convolved(a: Any, v: Any) -> Any:
    return np.convolve(_vector(a), _vector(v))


def _correlated(a: Any, v: Any, mode: Any = "valid") -> Any:
    n, m = np.shape(a)[0], np.shape(v)[0]
    full = convolved(a, dot_conjugate(v)[::-1])
    if mode in ("full", 2):
        return full
    least, most = min(n, m), max(n, m)
    if mode in ("valid", 0):
        return full[least - 1:most]
    start = (least - 1) // 2 if n >= m else least // 2
    return full[start:start + most]


def _sliding_window_view(x: Any, window_shape: Any, axis: Any = None, **more: Any) -> Any:
    shape = window_shape if isinstance(window_shape, (tuple, list)) else (window_shape,)
    for i, width in zip(axes_of(axis, rank(x)), shape, strict=True):
        count = np.shape(x)[i] - width + 1
        index = np.arange(count)[:, None] + np.arange(width)
        x = np.moveaxis(np.take(x, index, i), i + 1, -1)
    return x


def _as_strided(x: Any, shape: Any = None, strides: Any = None, *options: Any, **more: Any) -> Any:
    return np.reshape(x, -1)[strided_positions(x, shape, strides)]


# -- integrals and differences --------------------------------------------------------------------


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    at = axis_of(axis, rank(y))
    first: tuple[Any, ...] = (slice(None),) * at
    if x is not None:
        if rank(x) == 1:
            dx = np.reshape(np.diff(x), (-1, *(1,) * (rank(y) - at - 1)))
        else:
            dx = np.diff(x, 1, axis)
    pairs = y[(*first, slice(1, None))] + y[(*first, slice(None, -1))]
    return np.sum(dx * pairs / 2.0, axis=at)


def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    x = np.reshape(ary, -1)
    parts = [np.stack(p) if isinstance(p, (list, tuple)) else p
             for p in (to_begin, x[1:] - x[:-1], to_end)]
    return np.concatenate([np.reshape(p, -1) for p in parts if p is not None])


def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    axes = axes_of(axis, rank(f))
    steps = varargs if len(varargs) == len(axes) else (varargs or (1.0,)) * len(axes)
    made = [_slope(_in_floats(f), i, _in_floats(h) if rank(h) else h, edge_order)
            for i, h in zip(axes, steps, strict=True)]
    return made[0] if len(axes) == 1 else tuple(made)


def _in_floats(x: Any) -> Any:
    x = as_array(x)
    return x + 0.0 if x.dtype.kind in "biu" else x


def _slope(f: Any, axis: int, h: Any, edge_order: int) -> Any:
    """Returns second-order differences along an axis, as np.gradient defines them."""
    y = np.moveaxis(f, axis, 0)
    wide = (-1, *(1,) * (rank(y) - 1))
    d = np.reshape(np.diff(h), wide) if rank(h) else np.reshape(
        h * np.ones(np.shape(y)[0] - 1), wide)
    left, right = d[:-1], d[1:]
    inner = (-right / (left * (left + right)) * y[:-2] + (right - left) / (left * right) * y[1:-1]
             + left / (right * (left + right)) * y[2:])
    if edge_order == 1:
        ends = (y[1:2] - y[0:1]) / d[0:1], (y[-1:] - y[-2:-1]) / d[-1:]
    else:
        a, b, p, q = d[0:1], d[1:2], d[-1:], d[-2:-1]
        ends = (-(2 * a + b) / (a * (a + b)) * y[0:1] + (a + b) / (a * b) * y[1:2]
                - a / (b * (a + b)) * y[2:3],
                p / (q * (p + q)) * y[-3:-2] - (q + p) / (q * p) * y[-2:-1]
                + (2 * p + q) / (p * (p + q)) * y[-1:])
    return np.moveaxis(np.concatenate([ends[0], inner, ends[1]]), 0, axis)


def _unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2 * np.pi) -> Any:
    """The parts: the angle and a whole number of periods."""
    x = np.moveaxis(p, axis, -1)
    step, half = np.diff(x), period / 2
    folded = np.mod(step + half, period) - half
    folded = np.where((folded == -half) & (step > 0), half, folded)
    moved = np.where(np.abs(step) < (half if discont is None else discont), 0.0, folded - step)
    turns = np.rint(np.concatenate([0.0 * x[..., :1], np.cumsum(moved, -1)], -1) / period)
    return p + period * np.moveaxis(turns, -1, axis)


# -- statistics -----------------------------------------------------------------------------------


def _cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None,
         fweights: Any = None, aweights: Any = None, *, dtype: Any = None) -> Any:
    x = np.reshape(m, (1, -1)) if rank(m) < 2 else m if rowvar or np.shape(m)[0] == 1 else (
        np.transpose(m))
    if y is not None:
        other = np.reshape(y, (1, -1)) if rank(y) < 2 else y if rowvar else np.transpose(y)
        x = np.concatenate([x, other], 0)
    x = as_array(x) + np.float64(0)
    ddof = (0 if bias else 1) if ddof is None else ddof
    w: Any = None
    for weights in (fweights, aweights):
        if weights is not None:
            weights = as_array(weights)
            w = weights if w is None else w * weights
    total = np.multiply(np.shape(x)[1] if w is None else np.sum(w), 1.0)  # NumPy divides by 0
    mean = np.sum(x if w is None else x * w, axis=1, keepdims=True) / total
    factor = total - ddof if aweights is None or ddof == 0 else (
        total - ddof * np.sum(w * as_array(aweights)) / total)
    d = x - mean
    return np.squeeze(np.matmul(d if w is None else d * w, dot_conjugate(np.transpose(d))) / factor)


def _corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    c = _cov(x, y, rowvar)
    if rank(c) == 0:
        return c / c
    size = np.sqrt(np.real(np.diagonal(c)))
    return c / size[:, None] / size[None, :]


# -- shapes and names of the array API -------------------------------------------------------------


def _split_along(rows: int) -> Any:
    def parts(ary: Any, indices_or_sections: Any) -> Any:
        axis = 0 if rows == 1 and rank(ary) == 1 else rows
        return np.split(ary, indices_or_sections, axis)

    return parts


def _rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    n = rank(a)
    axis, start = axis_of(axis, n), start + n if start < 0 else start
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


def _resize(a: Any, new_shape: Any) -> Any:
    shape = new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)
    size = int(np.prod(shape))
    return np.reshape(np.reshape(a, -1)[np.arange(size) % np.size(a)], shape)


def _geomspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None,
               axis: Any = 0) -> Any:
    return start * np.exp(np.linspace(0.0 * start, np.log(stop / start), num, endpoint, axis=axis))


def _logspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0,
              dtype: Any = None, axis: Any = 0) -> Any:
    return np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))


def _apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    n = rank(a)
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        made = func(a, axis)
        a = made if rank(made) == n else np.expand_dims(made, axis)
    return a


def _trim_zeros(filt: Any, trim: Any = "fb", axis: Any = None) -> Any:
    if rank(filt) != 1:
        raise NotDifferentiableHere("of an array of several dimensions it has no rule")
    there = np.flatnonzero(filt)
    first = there[0] if "f" in trim.lower() else 0
    return filt[first:there[-1] + 1] if "b" in trim.lower() else filt[first:]


def _real_if_close(g: Any, z: Any, a: Any, tol: Any = 100) -> Any:
    if kind(a) != "f":
        raise NotDifferentiableHere("only the run knows if its result is real; write np.real")
    return g


def _choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    made = choices[-1]
    for k in range(len(choices) - 1):
        made = np.where(np.equal(a, k), choices[k], made)
    return made


def _block(arrays: Any) -> Any:
    def joined(nest: Any, depth: int) -> Any:
        if not isinstance(nest, list):
            return np.reshape(nest, (*(1,) * (most - rank(nest)), *np.shape(nest)))
        return np.concatenate([joined(x, depth + 1) for x in nest], depth - levels)

    levels = _levels(arrays)
    most = max(levels, *(rank(x) for x in _leaves(arrays)))
    return joined(arrays, 0)


def _levels(nest: Any) -> int:
    return 1 + _levels(nest[0]) if isinstance(nest, list) else 0


def _leaves(nest: Any) -> list[Any]:
    return [x for item in nest for x in _leaves(item)] if isinstance(nest, list) else [nest]


# -- linear algebra -------------------------------------------------------------------------------


def _vector_norm_of(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    over = axes_of(axis, rank(x))
    last = tuple(range(-len(over), 0))
    rows = np.moveaxis(x, over, last)
    rest, several = rank(x) - len(over), np.shape(rows)
    flat = rows if len(over) == 1 else np.reshape(
        rows, (*several[:rest], size_of(several[rest:])))  # of no axis it is that of each element
    made = vector_norm(flat, ord, -1, False)
    return np.expand_dims(made, over) if given(keepdims) else made


def _cond(x: Any, p: Any = None) -> Any:
    if p in (None, 2, -2):
        s = thin_svd(x)[1]
        return s[..., 0] / s[..., -1] if p != -2 else s[..., -1] / s[..., 0]
    return np.linalg.norm(x, p, (-2, -1)) * np.linalg.norm(np.linalg.inv(x), p, (-2, -1))


def _multi_dot(arrays: Any, *, out: Any = None) -> Any:
    made = arrays[0]
    for x in arrays[1:]:
        made = np.dot(made, x)
    return made


def _tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    n = rank(a)
    if axes is not None:
        rest = [k for k in range(n) if k not in axes]
        a = np.transpose(a, (*rest, *axes))
    shape = np.shape(a)[rank(b):]
    side = int(np.prod(shape))
    return np.reshape(np.linalg.solve(np.reshape(a, (-1, side)), np.reshape(b, -1)), shape)


def _tensorinv(a: Any, ind: Any = 2) -> Any:
    shape = np.shape(a)
    side = int(np.prod(shape[ind:]))
    return np.reshape(np.linalg.inv(np.reshape(a, (side, -1))), (*shape[ind:], *shape[:ind]))


def _vecdot(a: Any, b: Any, *, axis: Any = -1, **more: Any) -> Any:
    return np.sum(dot_conjugate(a) * b, axis=axis)


def _diagflat(v: Any, k: Any = 0) -> Any:
    return np.diag(np.reshape(v, -1), k)


def _cumulative(cumulate: Any, first: Any) -> Any:
    """Returns the parts of `np.cumulative_sum` or `np.cumulative_prod`."""
    def parts(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False
              ) -> Any:
        made = cumulate(x, axis, dtype)
        if not include_initial:
            return made
        at = 0 if axis is None else axis
        return np.concatenate([first(np.take(made, np.array([0]), at)), made], at)

    return parts


def _unique_values(x: Any) -> Any:
    if kind(x) not in "bf":
        raise NotDifferentiableHere("only of real floats does it sort; np.unique sorts all")
    return np.unique(x)


def _bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    if isinstance(bins, str):
        raise NotDifferentiableHere(f"bins={bins!r} has no rule; give their number, or the edges")
    if np.ndim(bins):
        return bins * 1.0
    return edges_of(np.reshape(a, -1), bins, range)


RULES: dict[str, Derivative] = {f"numpy.{name}": rule for name, rule in {
    "convolve": Multilinear(_convolution_by(0), _convolution_by(1), None),
    "correlate": Parts(_correlated),
    "trapezoid": Parts(_trapezoid), "ediff1d": Parts(_ediff1d), "gradient": Parts(_gradient),
    "unwrap": Parts(_unwrap), "cov": Parts(_cov), "corrcoef": Parts(_corrcoef),
    "apply_over_axes": Parts(_apply_over_axes), "trim_zeros": Parts(_trim_zeros),
    "sort_complex": Parts(lambda a: np.sort(a) + 0j),
    "astype": Parts(lambda x, dtype, /, *, copy=True, device=None: x.astype(dtype)),
    "real_if_close": Linear(_real_if_close),
    "sinc": Parts(lambda x: np.where(x == 0, 1.0, np.sin(np.pi * np.where(x == 0, 1.0, x)) / (
        np.pi * np.where(x == 0, 1.0, x)))),
    "lib.stride_tricks.sliding_window_view": Parts(_sliding_window_view),
    "lib.stride_tricks.as_strided": Parts(_as_strided),
    **dict.fromkeys(("ndarray.strides", "ndarray.itemsize", "ndarray.nbytes", "ndarray.flags"),
                    ZERO),
    "hsplit": Parts(_split_along(1)), "vsplit": Parts(_split_along(0)),
    "dsplit": Parts(_split_along(2)), "rollaxis": Parts(_rollaxis), "resize": Parts(_resize),
    "unstack": Parts(lambda x, /, *, axis=0: tuple(
        np.moveaxis(x, axis, 0)[k] for k in range(np.shape(x)[axis]))),
    "matrix_transpose": Parts(lambda x, /: np.swapaxes(x, -1, -2)),
    "linalg.matrix_transpose": Parts(lambda x, /: np.swapaxes(x, -1, -2)),
    "asfortranarray": Parts(lambda a, dtype=None: np.copy(a)), "diagflat": Parts(_diagflat),
    "asarray_chkfinite": Parts(lambda a, *args: np.copy(a)),
    "geomspace": Parts(_geomspace), "logspace": Parts(_logspace),
    "choose": Parts(_choose, nests=True), "block": Parts(_block, nests=True),
    "row_stack": Parts(lambda tup: np.vstack(tup), nests=True),
    "cumulative_sum": Parts(_cumulative(np.cumsum, np.zeros_like)),
    "cumulative_prod": Parts(_cumulative(np.cumprod, np.ones_like)),
    "unique_values": Parts(_unique_values),
    "vecdot": Parts(_vecdot), "linalg.vecdot": Parts(lambda a, b, /, *, axis=-1: _vecdot(
        a, b, axis=axis)),
    "matvec": Parts(lambda a, b, **more: np.matmul(a, np.expand_dims(b, -1))[..., 0]),
    "vecmat": Parts(lambda a, b, **more: np.matmul(
        np.expand_dims(dot_conjugate(a), -2), b)[..., 0, :]),
    "linalg.vector_norm": Parts(_vector_norm_of),
    "linalg.matrix_norm": Parts(lambda x, /, *, keepdims=False, ord="fro": matrix_norm(
        x, ord, (rank(x) - 2, rank(x) - 1), given(keepdims))),
    "linalg.cond": Parts(_cond), "linalg.multi_dot": Parts(_multi_dot, nests=True),
    "linalg.svdvals": Parts(lambda x, /: thin_svd(x)[1]),
    "linalg.tensorsolve": Parts(_tensorsolve), "linalg.tensorinv": Parts(_tensorinv),
    "linalg.trace": Parts(lambda x, /, *, offset=0, dtype=None: np.sum(
        np.diagonal(x, offset, -2, -1), axis=-1, dtype=dtype)),
    "linalg.diagonal": Parts(lambda x, /, *, offset=0: np.diagonal(x, offset, -2, -1)),
    "linalg.outer": Parts(lambda a, b, /: np.outer(a, b)),
    "linalg.cross": Parts(lambda a, b, /, *, axis=-1: np.moveaxis(np.cross(
        np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)), -1, axis)),
    "linalg.tensordot": Parts(lambda a, b, /, *, axes=2: np.tensordot(a, b, axes)),
    **dict.fromkeys(("fix", "isneginf", "isposinf", "isreal", "iscomplex", "array_equiv"),
                    ZERO),
    "histogram_bin_edges": Parts(_bin_edges),
}.items()}
