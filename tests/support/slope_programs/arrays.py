"""Functions of NumPy on arrays: shapes, indices, sorting, sums, statistics."""

import numpy as np

from tests.support.slope_programs.registry import X, program


@program(X)
def add_at(x):
    z = np.zeros(3)
    np.add.at(z, [0, 1, 1, 2], x)
    return np.sum(z**3)


@program(X)
def sub_at(x):
    z = np.ones(3)
    np.subtract.at(z, np.array([0, 1, 1, 2]), x * x)
    return np.sum(z**3)


@program(X)
def dup_index(x):
    return np.sum(x[[0, 0, 1, 3, 3, 3]] ** 2 * np.arange(6))


@program(X)
def fancy_set(x):
    z = np.zeros(6)
    z[[0, 2, 2, 5]] = x
    return np.sum(z**2 * np.arange(1, 7))


@program(X)
def mask(x):
    return np.sum(x[x > 0.8] ** 3)


@program(X)
def mask_set(x):
    y = x * 1.0
    y[y < 0.9] = 0.5 * x[0]
    return np.sum(y**2)


@program(X)
def sorting(x):
    return np.sum(np.sort(x * np.array([1, -1, 1, -1])) * np.arange(4)) + np.sum(
        x[np.argsort(x)] * np.arange(4) ** 2
    )


@program(X)
def inplace_sort(x):
    y = x * 1.0
    y.sort()
    return np.sum(y * np.arange(4))


@program(X)
def minmax(x):
    return (
        x.max() * x.min()
        + np.max(x) ** 2
        + np.ptp(x)
        + np.median(x) ** 2
        + np.percentile(x, 30)
        + x[np.argmax(x)]
    )


@program(X)
def where_(x):
    return np.sum(np.where(x > 1, np.log(x - 1 + 1e-12 * 0 + (x <= 1)), x**2))


@program(X)
def where_nan(x):
    return np.sum(np.where(x > 5, np.log(x - 5), x**2)) + np.sum(
        np.where(x > 0, np.sqrt(np.abs(x)), 0)
    )


@program(X)
def cum(x):
    return (
        np.sum(np.cumsum(x) ** 2)
        + np.sum(np.cumprod(x))
        + np.sum(np.maximum.accumulate(x) * np.arange(4))
        + np.sum(np.add.accumulate(x) ** 2)
    )


@program(X)
def windowed(x):
    return np.sum(np.lib.stride_tricks.sliding_window_view(x, 2) ** 2 * np.arange(6).reshape(3, 2))


@program(X)
def grad_(x):
    return (
        np.sum(np.gradient(x) ** 2)
        + np.sum(np.diff(x, 2) ** 2)
        + np.trapezoid(x**2)
        + np.sum(np.ediff1d(x) ** 2)
    )


@program(X)
def polys(x):
    return np.polyval(x, 1.3) + np.sum(np.vander(x, 3) ** 2) + np.sum(np.cross(x[:3], x[1:]) ** 2)


@program(X)
def shapes(x):
    y = np.tile(x, (2, 2)).reshape(4, 4).T
    y = np.concatenate([y, y[:1] * 2])
    y = np.roll(y, 1, 0)
    y = np.pad(y, 1)
    return (
        np.sum(y**2 * np.arange(y.size).reshape(y.shape))
        + np.sum(np.repeat(x, [1, 2, 0, 3]) ** 2)
        + np.sum(np.flip(x) * x)
        + np.sum(np.triu(np.outer(x, x)) ** 2)
        + np.trace(np.outer(x, x))
    )


@program(X)
def blocks(x):
    return (
        np.sum(np.block([[np.outer(x, x), np.ones((4, 1))], [x, 1.0]]) ** 2)
        + np.sum(np.hstack([x, x]) ** 2)
        + np.sum(np.vstack([x, x * 2]) ** 2)
        + np.sum(np.dstack([x, x]) ** 3)
        + np.sum(np.column_stack([x, x]) ** 2)
    )


@program(X)
def split(x):
    a, b = np.split(x, 2)
    return np.sum(a * b**2) + np.sum(np.array_split(x, 3)[0] ** 2)


@program(X)
def r_c_(x):
    return np.sum(np.r_[x, x * 2, 1.0] ** 2) + np.sum(np.c_[x, x] ** 3)


@program(X)
def special(x):
    return np.sum(
        np.logaddexp(x, 1)
        + np.hypot(x, 2)
        + np.arctan2(x, x[::-1])
        + np.sinc(x)
        + np.expm1(x)
        + np.log1p(x)
        + np.tanh(x)
        + np.cbrt(x)
        + np.power(x, x)
        + np.float_power(x, 2.5)
        + np.exp2(x)
        + np.log2(x)
    )


@program(X)
def clipmod(x):
    return np.sum(
        np.clip(x, 0.5, 1.2) ** 2
        + np.mod(x, 0.31)
        + np.abs(x - 1)
        + np.sign(x) * x
        + np.maximum(x, 1.0) * np.minimum(x, 0.9)
        + np.round(x) * x
        + np.nan_to_num(x)
        + np.heaviside(x, 0.5) * x
    )


@program(X)
def stats(x):
    return (
        np.std(x)
        + np.var(x, ddof=1)
        + np.mean(x)
        + np.average(x, weights=x)
        + np.sum(np.cov(np.stack([x, x**2])))
        + np.sum(np.corrcoef(x, x**2 + x[::-1]))
    )


@program(X)
def interp(x):
    return np.sum(np.interp(np.linspace(0.1, 2.9, 7), np.arange(4.0), x) ** 2) + np.sum(
        np.interp(x, np.arange(4.0), np.arange(4.0) ** 2)
    )


@program(X)
def logaddexp_reduce(x):
    return np.logaddexp.reduce(x)


@program(X)
def ufunc_methods(x):
    return (
        np.multiply.reduce(x)
        + np.add.reduce(x)
        + np.sum(np.multiply.outer(x, x) ** 2)
        + np.sum(np.add.reduceat(x, [0, 2]) ** 2)
        + np.maximum.reduce(x)
    )


@program(X)
def astype32(x):
    return np.sum((x.astype(np.float64) * 2).reshape(2, 2) @ np.ones(2))


@program(X)
def out_param(x):
    z = np.empty(4)
    np.multiply(x, x, out=z)
    np.add(z, x, out=z)
    return z.sum() ** 2


@program(X)
def where_param(x):
    z = np.zeros(4)
    np.multiply(x, x, out=z, where=x > 0.8)
    return z.sum()


@program(X)
def take_put(x):
    y = x.copy()
    np.put(y, [0, 2], x[1:3] * 2)
    y2 = np.take(y, [1, 1, 2])
    np.copyto(y[:2], y2[:2])
    np.fill_diagonal((z := np.outer(y, y)), x)
    return np.sum(y**2) + np.sum(y2) + np.sum(z)


@program(X)
def select_choose(x):
    return np.sum(np.select([x > 1.2, x > 0.7], [x**2, x**3], x)) + np.sum(
        np.choose(np.array([0, 1, 0, 1]), [x, x**2])
    )


@program(X)
def rnd(x):
    r = np.random.default_rng(3)
    return np.sum(r.normal(x, 1.0) ** 2) + np.sum(r.uniform(size=4) * x)


@program(X)
def newaxis(x):
    return (
        np.sum((x[:, None] - x[None, :]) ** 4)
        + np.sum(x[..., np.newaxis] * x)
        + np.sum(x[::-1][::2] ** 3)
    )


@program(X)
def histo(x):
    return np.sum(np.bincount([0, 1, 1, 2], weights=x) ** 2) + np.sum(
        np.histogram([0.1, 0.2, 0.5, 0.9], bins=3, weights=x)[0] ** 2
    )


@program(X)
def nanfs(x):
    return np.nansum(x) ** 2 + np.nanmean(x) + np.nanmax(x) * np.nanstd(x)


@program(X)
def uniq(x):
    return np.sum(np.unique(x) ** 2 * np.arange(4)) + np.sum(np.union1d(x, x * 2) ** 2)


@program(X)
def lex(x):
    return (
        np.sum(x[np.lexsort((x,))] * np.arange(4))
        + np.sum(np.partition(x, 2)[:1])
        + np.sum(np.searchsorted(np.sort(x), 0.9) * x)
    )
