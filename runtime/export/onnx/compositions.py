"""Functions of NumPy that ONNX has no operation for, written in others of NumPy's.

Each function takes `np`, whose functions add the nodes of their own rules, and then the arguments
of NumPy's function.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy

from autograph.runtime.export.onnx.builder import INT64, T
from autograph.runtime.export.onnx.indexing import item, item_positions, scattered
from autograph.runtime.export.onnx.lowering import OnnxLowering
from autograph.runtime.export.onnx.reductions import reduced_axes
from autograph.runtime.export.sites import Site
from autograph.runtime.ops import OPS, by_function

Rule = Callable[[OnnxLowering, Site], Any]


class Functions:
    """NumPy's functions by name, over tensors: each is lowered by its own rule."""

    def __init__(self, lw: OnnxLowering) -> None:
        self.lw = lw

    def __getattr__(self, name: str) -> Callable[..., Any]:
        op = by_function[getattr(numpy, name)]
        return lambda *args, **kwargs: self.lw.apply(op, args, kwargs)

    def part(self, x: Any, index: Any) -> Any:
        """Returns `x[index]`."""
        return self.lw.apply(OPS["getitem"], (x, index), {})

    def tensor(self, x: Any) -> T:
        return self.lw.tensor(x)

    def cast(self, x: Any, dtype: Any) -> Any:
        """Returns a value in a dtype: a constant stays one."""
        symbolic = self.lw.is_symbolic(x)
        return self.lw.tensor(x, dtype) if symbolic else numpy.asarray(x, dtype)

    def is_float(self, x: Any) -> bool:
        return self.tensor(x).dtype.kind == "f"

    def refuse(self, reason: str, hint: str = "") -> None:
        self.lw.refuse(reason, hint=hint)


def composed(fn: Callable[..., Any], **more: Any) -> Rule:
    """Returns the rule of a function that is written below."""
    def rule(lw: OnnxLowering, site: Site) -> Any:
        kwargs = {k: v for k, v in site.kwargs.items() if v is not None and v is not numpy._NoValue}
        unknown = kwargs.keys() - set(fn.__code__.co_varnames[:fn.__code__.co_argcount])
        if unknown or len(site.args) >= fn.__code__.co_argcount - len(more):
            lw.refuse(f"the argument {', '.join(sorted(unknown)) or len(site.args)}")
        return partial(fn, **more)(Functions(lw), *site.args, **kwargs)

    return rule


# -- without NaNs ---------------------------------------------------------------------------------


def filled(np: Functions, a: Any, value: Any) -> Any:
    """Returns an array with another value in location of its NaNs."""
    return np.where(np.isnan(a), value, a) if np.is_float(a) else a


def there(np: Functions, a: Any) -> Any:
    """Returns 1 for each number of an array, and 0 for each NaN."""
    return np.where(np.isnan(a), 0, 1) if np.is_float(a) else np.ones_like(a, dtype=INT64)


def nan_sum(np: Functions, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False
            ) -> Any:
    return np.sum(filled(np, a, 0), axis=axis, dtype=dtype, keepdims=keepdims)


def nan_prod(np: Functions, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False
             ) -> Any:
    return np.prod(filled(np, a, 1), axis=axis, dtype=dtype, keepdims=keepdims)


def nan_cumsum(np: Functions, a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumsum(filled(np, a, 0), axis=axis, dtype=dtype)


def nan_cumprod(np: Functions, a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumprod(filled(np, a, 1), axis=axis, dtype=dtype)


def nan_extreme(np: Functions, a: Any, axis: Any = None, keepdims: Any = False,
                largest: bool = True) -> Any:
    """`nanmax` or `nanmin`: NaN where all are."""
    reduced = np.max if largest else np.min
    if not np.is_float(a):
        return reduced(a, axis=axis, keepdims=keepdims)
    found = reduced(filled(np, a, -numpy.inf if largest else numpy.inf), axis=axis,
                    keepdims=keepdims)
    count = np.sum(there(np, a), axis=axis, keepdims=keepdims)
    return np.where(np.equal(count, 0), numpy.nan, found)


def nan_position(np: Functions, a: Any, axis: Any = None, keepdims: Any = False,
                 largest: bool = True) -> Any:
    """`nanargmax` or `nanargmin`, which raise where all are NaN."""
    located = np.argmax if largest else np.argmin
    kwargs = {"keepdims": keepdims} if keepdims else {}
    if not np.is_float(a):
        return located(a, axis=axis, **kwargs)
    np.lw.check()
    return located(filled(np, a, -numpy.inf if largest else numpy.inf), axis=axis, **kwargs)


def nan_mean(np: Functions, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False
             ) -> Any:
    if not np.is_float(a):
        return np.mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    total = np.sum(filled(np, a, 0), axis=axis, dtype=dtype, keepdims=keepdims)
    count = np.sum(there(np, a), axis=axis, keepdims=keepdims)
    return np.divide(total, np.lw.tensor(count, np.tensor(total).dtype))


def nan_variance(np: Functions, a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0,
                 keepdims: Any = False, root: bool = False) -> Any:
    """`nanvar` or `nanstd`: NaN where no more than ddof numbers are left."""
    if not np.is_float(a):
        plain = np.std if root else np.var
        return plain(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)
    middle = nan_mean(np, a, axis, dtype, True)
    gap = np.where(np.isnan(a), 0, np.subtract(a, middle))  # infinity less infinity stays NaN
    total = np.sum(np.multiply(gap, gap), axis=axis, keepdims=keepdims)
    count = np.subtract(np.sum(there(np, a), axis=axis, keepdims=keepdims), int(ddof))
    spread = np.divide(total, np.lw.tensor(count, np.tensor(total).dtype))
    spread = np.where(np.greater(count, 0), spread, numpy.nan)
    return np.sqrt(spread) if root else spread


# -- order statistics -----------------------------------------------------------------------------


def in_rows(np: Functions, a: Any, axis: Any) -> tuple[Any, tuple[int, ...]]:
    """Returns an array whose last axis holds what a reduction joins, and the axes that it joins."""
    x = np.tensor(a)
    axes = reduced_axes(np.lw, x, axis)
    if len(axes) == x.ndim:
        return np.reshape(x, (-1,)), axes
    rest = [i for i in range(x.ndim) if i not in axes]
    turned = np.transpose(x, (*rest, *axes))
    if len(axes) == 1:
        return turned, axes
    if not x.is_static:
        np.refuse("several axes of an array with dimensions that only the run knows")
    joined = prod(x.shape[i] or 0 for i in axes)
    return np.reshape(turned, (*(x.shape[i] for i in rest), joined)), axes


def at(np: Functions, rows: Any, position: Any) -> Any:
    """Returns an element of each row: the same of each, or one for each row."""
    position = np.lw.tensor(position, INT64)
    if position.ndim < 2:
        return np.part(np.take(rows, np.reshape(position, (1,)), axis=-1), (..., 0))
    return np.part(np.take_along_axis(rows, position, axis=-1), (..., 0))


def quantile_of(np: Functions, rows: Any, count: Any, q: Any, method: str, kind: Any) -> Any:
    """Returns a quantile of sorted rows, by the formulas of `np.quantile`; it weighs in a dtype."""
    q = np.lw.tensor(q, numpy.float64) if np.lw.is_symbolic(q) else float(q)
    location = np.maximum(np.multiply(np.subtract(count, 1), q), 0.0)
    low, high = np.floor(location), np.ceil(location)
    if method in ("lower", "higher"):
        return at(np, rows, low if method == "lower" else high)
    if method == "median":
        first, last = at(np, rows, low), at(np, rows, high)
        odd = at(np, np.equal(low, high), 0) if np.tensor(low).ndim else np.equal(low, high)
        return np.where(odd, first, np.divide(np.add(first, last), 2))
    weight = np.subtract(location, low)  # a weight of 0 times infinity is NaN, in NumPy as well
    first, last = at(np, rows, low), at(np, rows, np.minimum(np.add(low, 1), np.subtract(count, 1)))
    weight = np.part(weight, (..., 0)) if np.tensor(weight).ndim else weight
    if method == "midpoint":
        weight = np.where(np.equal(weight, 0), 0.0, 0.5)
    weight = np.cast(weight, kind)
    gap = np.subtract(last, first)
    upward = np.add(first, np.multiply(gap, weight))
    downward = np.subtract(last, np.multiply(gap, np.subtract(1, weight)))
    return np.where(np.greater_equal(weight, 0.5), downward, upward)


def quantiles(np: Functions, a: Any, q: Any, axis: Any = None, method: str = "linear",
              keepdims: Any = False, hundred: bool = False, ignore: bool = False) -> Any:
    """`quantile`, `percentile`, and those that ignore NaNs."""
    if method not in ("linear", "lower", "higher", "midpoint", "median"):
        np.refuse(f"the method {method!r}")
    shape = np.tensor(q).shape if np.lw.is_symbolic(q) else numpy.shape(q)
    wanted = np.lw.rows(np.ravel(q)) if shape else [q]
    kind = np.tensor(q).dtype
    if kind.kind != "f" and shape and not hundred:
        np.refuse("quantiles that are integers")
    rows, axes = in_rows(np, a, axis)
    if method == "median" and not np.is_float(rows):
        rows = np.cast(rows, numpy.float64)
    is_float = np.is_float(rows)
    kind = kind if shape else rows.dtype
    kind = kind if kind.kind == "f" else numpy.dtype(numpy.float64)
    rows = np.sort(rows, axis=-1)
    length = np.lw.b.dim(rows, -1)
    count = np.sum(there(np, rows), axis=-1, keepdims=True) if ignore else length
    found = [quantile_of(np, rows, count, np.divide(v, 100) if hundred else v, method,
                         kind) for v in wanted]
    if is_float:
        bad = np.isnan(at(np, rows, 0 if ignore else np.subtract(length, 1)))
        found = [np.where(bad, numpy.nan, x) for x in found]
    if keepdims:
        found = [np.expand_dims(x, axes) if axes else x for x in found]
    if not shape:
        return found[0]
    made = np.stack(found, axis=0)
    rest = [np.lw.b.dim(np.tensor(made), i) for i in range(1, np.tensor(made).ndim)]
    return made if len(shape) == 1 else np.reshape(made, (*shape, *rest))


def median(np: Functions, a: Any, axis: Any = None, keepdims: Any = False,
           ignore: bool = False) -> Any:
    return quantiles(np, a, 0.5, axis, "median", keepdims, ignore=ignore)


def average(np: Functions, a: Any, axis: Any = None, weights: Any = None, keepdims: Any = False
            ) -> Any:
    if weights is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    x, w = np.tensor(a), np.tensor(weights)
    if w.ndim != x.ndim:
        if w.ndim != 1 or not isinstance(axis, int):
            np.refuse("weights of another number of dimensions")
        w = np.lw.unsqueeze(w, *(i for i in range(x.ndim) if i != axis % x.ndim))
    kind = numpy.result_type(x.dtype, w.dtype, *([] if x.dtype.kind == "f" else [numpy.float64]))
    x, w = np.lw.tensor(x, kind), np.lw.tensor(w, kind)
    total = np.sum(np.multiply(x, w), axis=axis, keepdims=keepdims)
    weight = np.sum(np.broadcast_to(w, np.shape(x)), axis=axis, keepdims=keepdims)
    np.lw.check()  # weights that sum to zero are a ZeroDivisionError
    return np.divide(total, weight)


# -- products, grids, positions -------------------------------------------------------------------


def kron(np: Functions, a: Any, b: Any) -> Any:
    x, y = np.tensor(a), np.tensor(b)
    if not x.is_static or not y.is_static:
        np.refuse("an array with dimensions that only the run knows")
    rank = max(x.ndim, y.ndim)
    left = (1,) * (rank - x.ndim) + tuple(d or 0 for d in x.shape)
    right = (1,) * (rank - y.ndim) + tuple(d or 0 for d in y.shape)
    x = np.reshape(x, tuple(d for n in left for d in (n, 1)))
    y = np.reshape(y, tuple(d for n in right for d in (1, n)))
    return np.reshape(np.multiply(x, y), tuple(m * n for m, n in zip(left, right, strict=True)))


def cross(np: Functions, a: Any, b: Any) -> Any:
    x, y = np.tensor(a), np.tensor(b)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        np.refuse("vectors of another length than 3")
    (a0, a1, a2), (b0, b1, b2) = ([np.part(v, (..., i)) for i in range(3)] for v in (x, y))
    return np.stack([np.subtract(np.multiply(p, s), np.multiply(q, r)) for p, s, q, r in (
        (a1, b2, a2, b1), (a2, b0, a0, b2), (a0, b1, a1, b0))], axis=-1)


def diagonal_ones(np: Functions, N: Any, M: Any = None, k: Any = 0, dtype: Any = float,
                  below: bool = False) -> Any:
    """`eye`, `identity`, or `tri` with ones below the diagonal too."""
    rows = np.expand_dims(np.arange(N), 1)
    columns = np.expand_dims(np.arange(N if M is None else M), 0)
    compare = np.less_equal if below else np.equal
    return np.cast(compare(columns, np.add(rows, k)), dtype)


def identity(np: Functions, n: Any, dtype: Any = float) -> Any:
    return diagonal_ones(np, n, dtype=dtype)


def ix_(np: Functions, *arrays: Any) -> Any:
    made = []
    for i, x in enumerate(arrays):
        given = np.tensor(x)
        flat = np.flatnonzero(given) if given.dtype.kind == "b" else given
        made.append(np.reshape(flat, (*(1,) * i, -1, *(1,) * (len(arrays) - i - 1))))
    return made


def unravel_index(np: Functions, indices: Any, shape: Any) -> Any:
    """The positions along each axis; those out of range raise an error."""
    np.lw.check()
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    found, rest = [], np.lw.tensor(indices, INT64)
    for size in reversed(sizes):
        found.append(np.remainder(rest, size))
        rest = np.floor_divide(rest, size)
    return found[::-1]


# -- what gradients are made of -------------------------------------------------------------------


def masked_product(np: Functions, g: Any, p: Any) -> Any:
    product = np.multiply(g, p)
    return np.where(np.equal(g, 0), np.zeros_like(product), product)


def sum_to(np: Functions, g: Any, x: Any) -> Any:
    target = np.tensor(x)
    return summed(np, np.lw.tensor(g, target.dtype), target.shape, np.lw.b.shape_of(target))


def sum_to_type(np: Functions, g: Any, shape: Any, dtype: Any, scalar: Any) -> Any:
    return summed(np, np.lw.tensor(g, dtype), tuple(shape), np.lw.b.ints(*shape))


def summed(np: Functions, g: T, known: tuple[int | None, ...], shape: T) -> T:
    """Returns an array summed over the axes along which one of a shape was broadcast to it."""
    b = np.lw.b
    if g.ndim > len(known):
        g = np.sum(g, axis=tuple(range(g.ndim - len(known))))
    if not g.ndim or (g.is_static and g.shape == known):
        return b.expand(g, shape, known)
    if not g.is_static or None in known:  # the axes are found when the model runs
        axes = np.part(np.nonzero(np.not_equal(b.shape_of(g), shape)), 0)
        inner = b.computed_in("ReduceSum", g.dtype)
        made = b.node("ReduceSum", [b.cast(g, inner), axes], inner, known, keepdims=1,
                      noop_with_empty_axes=1)
        return b.expand(b.cast(made, g.dtype), shape, (None,) * len(known))
    axes = tuple(i for i, (m, n) in enumerate(zip(g.shape, known, strict=False)) if m != n)
    if axes and g.ndim == len(known):
        g = np.sum(g, axis=axes, keepdims=True)
    return b.expand(g, shape, known)


def add_at(np: Functions, x: Any, index: Any, v: Any) -> Any:
    array, lw = np.tensor(x), np.lw
    where = item_positions(lw, array, lambda p: item(lw, p, index), index)
    return scattered(lw, array, where, lw.tensor(v, array.dtype), "add")


def zero_of(np: Functions, x: Any) -> Any:
    return np.zeros_like(x) if np.is_float(x) else np.zeros_like(x, dtype=float)


def sum_of(np: Functions, x: Any, y: Any) -> Any:
    return (y if x is None else x) if x is None or y is None else np.add(x, y)


def itself(np: Functions, x: Any, reason: Any = "") -> Any:
    return np.tensor(x)


def power_of_matrix(np: Functions, a: Any, n: Any) -> Any:
    """`np.linalg.matrix_power` by squaring, as NumPy does it."""
    if np.lw.is_symbolic(n) or n < 0:
        np.refuse("a power that only the run knows, or a negative one")
    size = np.tensor(a).shape[-1]
    if not n:
        one = np.lw.tensor(numpy.eye(size or 0), np.tensor(a).dtype)
        return np.broadcast_to(one, np.shape(a))
    found, square = None, a
    while n:
        if n % 2:
            found = square if found is None else np.matmul(found, square)
        n //= 2
        square = np.matmul(square, square) if n else square
    return found


def unique(np: Functions, ar: Any, return_index: Any = False, return_inverse: Any = False,
           return_counts: Any = False, axis: Any = None, equal_nan: Any = True) -> Any:
    """Of a stable sort each element that differs from the one before; ONNX's own takes NaN for
    equal to all."""
    if axis is not None or equal_nan is not True:
        np.refuse("distinct rows, or each NaN for itself")
    order = np.argsort(np.ravel(ar))
    x = np.part(np.ravel(ar), order)
    one, other = np.part(x, slice(1, None)), np.part(x, slice(None, -1))
    differs = np.not_equal(one, other)
    if np.is_float(x):
        differs = np.logical_and(differs, np.logical_not(np.logical_and(
            np.isnan(one), np.isnan(other))))
    is_first = np.concatenate((np.ones_like(np.part(x, slice(None, 1)), dtype=bool), differs))
    where, = np.nonzero(is_first)
    made = [np.part(x, where)]
    if return_index:
        made.append(np.part(order, where))
    if return_inverse:
        number = np.subtract(np.cumsum(is_first), 1)
        made.append(np.reshape(np.part(number, np.argsort(order)), np.shape(ar)))
    if return_counts:
        ends = np.concatenate((np.part(where, slice(1, None)), np.shape(x)))
        made.append(np.subtract(ends, where))
    return made if len(made) > 1 else made[0]


COMPOSITIONS: dict[str, Rule] = {
    "nansum": composed(nan_sum), "nanprod": composed(nan_prod),
    "nancumsum": composed(nan_cumsum), "nancumprod": composed(nan_cumprod),
    "nanmax": composed(nan_extreme, largest=True), "nanmin": composed(nan_extreme, largest=False),
    "nanargmax": composed(nan_position, largest=True),
    "nanargmin": composed(nan_position, largest=False),
    "nanmean": composed(nan_mean), "nanvar": composed(nan_variance, root=False),
    "nanstd": composed(nan_variance, root=True),
    "median": composed(median, ignore=False), "nanmedian": composed(median, ignore=True),
    "quantile": composed(quantiles, hundred=False, ignore=False),
    "percentile": composed(quantiles, hundred=True, ignore=False),
    "nanquantile": composed(quantiles, hundred=False, ignore=True),
    "nanpercentile": composed(quantiles, hundred=True, ignore=True),
    "unique": composed(unique), "average": composed(average), "kron": composed(kron),
    "cross": composed(cross),
    "eye": composed(diagonal_ones, below=False), "tri": composed(diagonal_ones, below=True),
    "identity": composed(identity), "unravel_index": composed(unravel_index),
    "ix_": lambda lw, site: ix_(Functions(lw), *site.args),
    "masked_product": composed(masked_product), "sum_to": composed(sum_to),
    "sum_to_type": composed(sum_to_type), "add_at": composed(add_at), "zero_of": composed(zero_of),
    "sum_of": composed(sum_of), "unwrapped": composed(itself),
    "without_derivative": composed(itself), "counted_power": composed(power_of_matrix),
    "linalg.matrix_power": composed(power_of_matrix),
}
"""The rules of this module by the op's name."""
