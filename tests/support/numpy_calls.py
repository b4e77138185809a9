"""Calls of NumPy's functions, and of Python's, that ordinary code differentiates, one a line.

The arguments: a number s and another h between 0 and 1; vectors v, w of 5 and b of 3; matrices x,
y of 3 by 4, p of positive numbers of the same shape; square matrices m, n of 3 by 3; a of 2 by 3
by 4; k of 3 numbers in order; q of complex numbers.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

NAMES = ["s", "h", "v", "w", "b", "x", "y", "p", "m", "n", "a", "k", "q"]


def arguments(seed: int = 0) -> dict[str, Any]:
    """The arguments by name."""
    rng = np.random.default_rng(seed)
    u = rng.uniform
    return {
        "s": 0.37, "h": 0.61, "v": u(-1.0, 1.0, 5), "w": u(-1.0, 1.0, 5), "b": u(-1.0, 1.0, 3),
        "x": u(-1.0, 1.0, (3, 4)), "y": u(-1.0, 1.0, (3, 4)), "p": u(0.2, 0.9, (3, 4)),
        "m": u(-1.0, 1.0, (3, 3)) + 2.0 * np.eye(3), "n": u(-1.0, 1.0, (3, 3)),
        "a": u(-1.0, 1.0, (2, 3, 4)), "k": np.sort(u(-1.0, 1.0, 3)),
        "q": u(-1.0, 1.0, 4) + 1j * u(-1.0, 1.0, 4)}


CALLS = """
np.piecewise(v, [v < 0, v >= 0], [lambda t: t * t, lambda t: np.sin(t)])
np.fromfunction(lambda i, j: i * s + j * h, (2, 3))
np.apply_along_axis(lambda r: r * r.sum(), 1, x)
np.vectorize(lambda t: t * t + s)(v)
np.lib.stride_tricks.as_strided(v, (3, 3), (8, 8))
np.sinh(x)
np.cosh(x)
np.tanh(x)
np.sin(x) * np.cos(y) + np.tan(x)
np.arcsin(x) + np.arccos(y) + np.arctan(x)
np.arcsinh(x)
np.arccosh(1.5 + p)
np.arctanh(0.5 * x)
np.arctan2(x, y)
np.hypot(x, y)
np.exp(x) + np.exp2(y) + np.expm1(x)
np.log(p) + np.log2(p) + np.log10(p) + np.log1p(p)
np.logaddexp(x, y)
np.logaddexp2(x, y)
np.sqrt(p) + np.cbrt(p)
np.power(p, x)
np.float_power(p, x)
np.pow(p, 3)
np.reciprocal(p)
np.square(x) + np.positive(y) - np.negative(x)
np.abs(x) + np.fabs(y) + np.absolute(x)
np.sign(x) * y
np.copysign(p, x)
np.heaviside(x, 0.5) * y
np.maximum(x, y)
np.minimum(x, y)
np.fmax(x, y)
np.fmin(x, y)
np.clip(x, -0.3, 0.4)
np.clip(x, y - 0.5, y + 0.5)
np.remainder(p, 0.3)
np.fmod(x, p)
np.mod(x, p)
np.divmod(x, p)[1]
np.modf(3.0 * x)[0]
np.ldexp(x, 2)
np.frexp(p)[0]
np.rint(x) * y
np.floor(x) * y + np.ceil(x) * y + np.trunc(y) * x
np.deg2rad(x) + np.rad2deg(y) + np.degrees(x) + np.radians(y)
np.sinc(x)
np.nan_to_num(x)
np.real_if_close(x)
np.divide(x, p) + np.true_divide(y, p)
np.floor_divide(x, p) * y
np.spacing(x) + x
np.sum(x, axis=0)
np.sum(x, axis=(0, 1), keepdims=True)
np.sum(x, where=x > 0)
np.sum(x, initial=s)
np.prod(x, axis=1)
np.prod(p, axis=0, where=p > 0.4)
np.mean(x, axis=-1)
np.mean(x, axis=0, where=x > -0.5)
np.average(x, axis=0)
np.average(x, axis=1, weights=p[0])
np.average(v, weights=np.abs(w))
np.std(x)
np.std(x, axis=0, ddof=1)
np.var(x, axis=1, keepdims=True)
np.var(x, axis=0, mean=x.mean(0, keepdims=True))
np.max(x, axis=0)
np.min(x, axis=1, initial=0.1)
np.amax(x) + np.amin(y)
np.ptp(x, axis=1)
np.median(x, axis=1)
np.median(x)
np.percentile(x, 30)
np.percentile(x, [10, 50, 80], axis=0)
np.quantile(x, h)
np.quantile(x, 0.3, axis=1, method="lower")
np.quantile(x, 0.3, axis=1, method="midpoint")
np.quantile(x, [0.0, 0.2, 0.25, 1.0], axis=1, method="averaged_inverted_cdf")
np.nansum(x, axis=0)
np.nanprod(x, axis=0)
np.nanmean(np.where(x > 0.5, np.nan, x), axis=0)
np.nanstd(x, axis=1)
np.nanvar(x, axis=1)
np.nanmax(np.where(x > 0.5, np.nan, x))
np.nanmin(x, axis=0)
np.nanmedian(x, axis=0)
np.nanpercentile(x, 30, axis=1)
np.nanquantile(np.where(x > 0.5, np.nan, x), 0.4)
np.nancumsum(x, axis=0)
np.nancumprod(x, axis=1)
np.cumsum(x, axis=1)
np.cumsum(x)
np.cumprod(x, axis=0)
np.cumulative_sum(x, axis=1)
np.cumulative_sum(x, axis=1, include_initial=True)
np.cumulative_prod(x, axis=1)
np.diff(x)
np.diff(x, n=2, axis=1)
np.diff(v, prepend=s, append=h)
np.ediff1d(v)
np.ediff1d(x, to_begin=s, to_end=[h, 1.0])
np.gradient(v)
np.gradient(v, 0.5)
np.gradient(v, s)
np.gradient(b, k)
np.gradient(x, axis=0)
np.gradient(x)[1]
np.gradient(x, 0.1, 0.2)[0]
np.gradient(v, edge_order=2)
np.trapezoid(v)
np.trapezoid(v, dx=h)
np.trapezoid(b, k)
np.trapezoid(x, axis=0)
np.trapezoid(v, w)
np.interp(s, k, b)
np.interp(x, k, b)
np.interp(x, k, b, left=s, right=h)
np.interp(v, np.linspace(-1, 1, 5), w)
np.interp(v, np.linspace(0, 1, 5), w, period=1.0)
np.convolve(v, b)
np.convolve(v, b, mode="same")
np.convolve(v, b, "valid")
np.correlate(v, b)
np.correlate(v, b, "full")
np.correlate(v, w, mode="same")
np.cross(b, k)
np.cross(m, n)
np.outer(v, w)
np.inner(v, w)
np.inner(x, y)
np.dot(m, n)
np.dot(x, y.T)
np.vdot(v, w)
np.vdot(q, q)
np.vecdot(x, y)
np.matvec(m, b)
np.vecmat(b, m)
np.matmul(a, x.T)
np.tensordot(a, x, axes=([1, 2], [0, 1]))
np.tensordot(x, y, axes=2)
np.einsum("ij,jk->ik", m, n)
np.einsum("ij,ij", x, y)
np.einsum("bij,ij->b", a, x)
np.einsum("...ij,...kj->...ik", a, x)
np.einsum("ii->i", m)
np.kron(m, n)
np.trace(m)
np.diag(m)
np.diag(v, 1)
np.diagflat(x)
np.diagonal(m, offset=1)
np.tril(m) + np.triu(n, 1)
np.vander(v, 3)
np.polyval(b, x)
np.polyadd(v, b)
np.polysub(v, b)
np.polymul(v, b)
np.polyder(v)
np.polyint(v)
np.polyfit(np.arange(5.0), v, 2)
np.polydiv(v, b)[0]
np.poly(b)
np.roots(np.array([1.0, s, -h]))
np.sort(v)
np.sort(x, axis=0)
np.sort_complex(q)
np.partition(v, 2)
np.sort(v)[::-1][:2]
v[np.argsort(w)]
np.take(x, [0, 2, 2], axis=1)
np.take_along_axis(x, np.argsort(x, axis=1), axis=1)
np.choose([0, 1, 0], [b, k, 2.0 * b])
np.select([x > 0.3, x > -0.2], [x * y, x + y], 0.5 * y)
np.where(x > y, x, y * y)
np.where(x > y, s, h)
np.compress([True, False, True], x, axis=0)
np.extract(x > 0.1, x)
np.unique(v)
np.concatenate([x, y], axis=1)
np.concat((v, w))
np.stack([x, y], axis=-1)
np.vstack([x, y])
np.hstack((v, [s, h]))
np.dstack([x, y])
np.column_stack([v, w])
np.block([[m, n], [n, m]])
np.append(v, s)
np.append(x, y, axis=0)
np.insert(v, 2, s)
np.insert(x, 1, b, axis=1)
np.delete(v, 2)
np.delete(x, [0, 1], axis=1)
np.resize(v, (2, 4))
np.repeat(x, 2, axis=0)
np.repeat(v, [1, 2, 0, 1, 3])
np.tile(v, (2, 2))
np.reshape(x, (4, 3))
np.ravel(x) + x.flatten()
np.transpose(a, (2, 0, 1))
np.permute_dims(a, (1, 0, 2))
np.matrix_transpose(a)
np.swapaxes(a, 0, 2)
np.moveaxis(a, 0, -1)
np.rollaxis(a, 2)
np.flip(x, axis=0) + np.fliplr(x) + np.flipud(y)
np.rot90(m)
np.roll(x, 1, axis=1)
np.roll(x, (1, 2), axis=(0, 1))
np.squeeze(x[None]) + np.expand_dims(x, 0)
np.atleast_1d(s)
np.atleast_2d(v)
np.atleast_3d(x)
np.broadcast_to(v, (2, 5))
np.broadcast_arrays(x, s)[1]
np.meshgrid(v, w)[0] * np.meshgrid(v, w)[1]
np.meshgrid(v, b, indexing="ij")[0]
np.pad(x, 1)
np.pad(v, (1, 2), mode="edge")
np.pad(v, 2, mode="reflect")
np.pad(v, 2, mode="symmetric")
np.pad(v, 2, mode="wrap")
np.pad(v, 1, constant_values=s)
np.pad(v, (4, 1), mode="linear_ramp", end_values=s)
np.pad(x, ((1, 2), (0, 1)), mode="linear_ramp", end_values=((s, h), (0.5, 2.0)))
np.pad(x, 1, mode="mean")
np.pad(x, ((1, 2), (2, 0)), mode="mean", stat_length=((2, 1), (3, 3)))
np.pad(x, (2, 6), mode="reflect", reflect_type="odd")
np.pad(v, (3, 7), mode="symmetric", reflect_type="odd")
np.pad(x, 1, mode="empty")[1:-1, 1:-1]
np.split(x, 2, axis=1)[1]
np.array_split(v, 3)[0]
np.hsplit(x, 2)[0] + np.hsplit(y, [2])[1]
np.vsplit(x, 3)[1]
np.dsplit(a, 2)[1]
np.unstack(x)[1]
np.trim_zeros(v)
np.full((2, 3), s)
np.full_like(x, h)
np.linspace(s, h, 4)
np.linspace(b, k, 3)
np.linspace(s, 2.0, 5, endpoint=False)
np.linspace(s, h, 4, retstep=True)[1]
np.logspace(s, h, 4)
np.geomspace(s, h, 4)
np.arange(4) * s
np.array([s, h, 1.0])
np.array([[s, h], [h, s]])
np.array([t * t for t in v])
np.asarray([v, w])
np.ones_like(x) * s
np.eye(3) * s + np.identity(3) * h
np.copy(x)
np.astype(x, np.float64)
np.ascontiguousarray(x.T)
np.real(q) + np.imag(q)
np.conj(q) * q
np.angle(q)
np.abs(q)
np.exp(1j * v).real
np.unwrap(4.0 * v)
np.cov(x)
np.cov(v, w)
np.cov(x, aweights=p[0])
np.corrcoef(x)
np.corrcoef(v, w)[0, 1]
np.apply_over_axes(np.sum, a, (0, 2))
np.histogram(v, bins=3, weights=w)[0]
np.histogram(v, bins=3, weights=w * q[0])[0]
np.bincount([0, 1, 1, 2, 0], weights=v)
np.digitize(v, [-0.5, 0.5]) * w
np.searchsorted(k, v) * w
np.ix_(v, w)[0]
np.add.reduce(x, axis=0)
np.multiply.reduce(x, axis=1)
np.maximum.reduce(x)
np.minimum.reduce(x, axis=1)
np.logaddexp.reduce(v)
np.logaddexp.reduce(x, axis=1)
np.logaddexp2.reduce(x)
np.subtract.reduce(x)
np.divide.reduce(p)
np.hypot.reduce(x, axis=0)
np.add.accumulate(x, axis=1)
np.multiply.accumulate(v)
np.maximum.accumulate(x, axis=1)
np.minimum.accumulate(v)
np.logaddexp.accumulate(v)
np.subtract.accumulate(v)
np.add.outer(v, w)
np.multiply.outer(v, b)
np.maximum.outer(v, w)
np.subtract.outer(v, w) ** 2
np.add.reduceat(v, [0, 2, 4])
np.maximum.reduceat(v, [0, 2])
np.multiply.reduceat(v, [0, 3])
np.lib.stride_tricks.sliding_window_view(v, 3)
np.lib.stride_tricks.sliding_window_view(x, (2, 2)).sum((2, 3))
np.lib.stride_tricks.sliding_window_view(x, 2, axis=1) @ np.array([s, h])
np.linalg.solve(m, b)
np.linalg.solve(m, n)
np.linalg.inv(m)
np.linalg.det(m)
np.linalg.slogdet(m)[1]
np.linalg.cholesky(m @ m.T)
np.linalg.qr(m)[1]
np.linalg.eigh(m + m.T)[0]
np.linalg.eigvalsh(m + m.T)
np.abs(np.linalg.eig(m)[0])
np.linalg.eigvals(m + m.T)
np.linalg.eigvalsh(m)
np.linalg.eigvalsh(np.array([m, n]), UPLO="U")
np.linalg.eigvalsh(np.array([[s, 0.0], [h, 1.0]]))
np.linalg.eigh(np.tril(m))[0] * np.abs(np.linalg.eigh(m, "U")[1][0])
np.linalg.eigvalsh(m + 1j * n)
np.linalg.cholesky(np.tril(m) + 2.0 * np.eye(3))
np.linalg.cholesky(m + 2.0 * np.eye(3), upper=True)
np.abs(np.linalg.cholesky(m + 0.3j * n + 4.0 * np.eye(3)))
np.linalg.pinv(m, hermitian=True)
np.linalg.svd(m, hermitian=True, compute_uv=False)
np.linalg.svd(x, compute_uv=False)
np.linalg.svdvals(x)
np.abs(np.linalg.svd(x, full_matrices=False)[0])
np.linalg.norm(v)
np.linalg.norm(x)
np.linalg.norm(x, axis=1)
np.linalg.norm(x, ord=1, axis=0)
np.linalg.norm(x, np.inf, axis=1)
np.linalg.norm(m, 2)
np.linalg.norm(m, "nuc")
np.linalg.vector_norm(x, axis=1, ord=3)
np.linalg.matrix_norm(m)
np.linalg.pinv(x)
np.linalg.lstsq(x.T, np.append(b, s))[0]
np.linalg.matrix_power(m, 3)
np.linalg.matrix_power(m, -2)
np.linalg.multi_dot([m, n, m])
np.linalg.tensorsolve(m, b)
np.linalg.tensorinv(m, ind=1)
np.linalg.cond(m)
np.linalg.trace(m) + np.linalg.diagonal(n)
np.linalg.cross(b, k) + np.linalg.outer(b, k) @ b
np.linalg.vecdot(b, k)
np.linalg.matmul(m, n) + np.linalg.matrix_transpose(n)
np.linalg.tensordot(m, n)
np.abs(np.fft.fft(v))
np.fft.ifft(v).real
np.abs(np.fft.rfft(v)) ** 2
np.fft.irfft(q)
np.fft.irfft(np.fft.rfft(v) * np.fft.rfft(w), 5)
np.fft.hfft(q)
np.fft.ihfft(v).real
np.fft.fft2(x).real
np.fft.ifft2(np.fft.fft2(x)).real
np.fft.fftn(a).real
np.fft.rfftn(x).imag
np.fft.irfftn(np.fft.rfftn(x))
np.fft.rfft2(x).real
np.fft.irfft2(np.fft.rfft2(x))
np.fft.fftshift(v) + np.fft.ifftshift(w)
x @ y.T
x.T @ x
x[1:, ::2]
x[[0, 1, 1], [1, 2, 2]]
x[x > 0.0]
x[..., None] * v
a[:, 1, [0, 2]]
x.sum(0) + x.mean(0) + x.prod(0) + x.std(0) + x.var(0)
x.max(1) - x.min(1)
x.cumsum(1) + x.cumprod(1)
x.clip(-0.5, 0.5)
x.dot(y.T)
v.dot(w)
x.repeat(2, axis=1).reshape(2, -1)
m.trace() + m.diagonal()
x.take([0, 3, 3])
v.compress(v > 0)
x.swapaxes(0, 1).ravel()
x.astype(np.float64).copy().T
x.item(2) * s
x.tolist()[1][2] * h
max(v) + min(w)
sum(v) + sum([s, h])
abs(s - h) ** 1.5
sorted(v)
sorted(v, key=lambda t: -t)
sorted([s, h, 0.5], key=abs)
sorted(zip(v, w), key=lambda t: t[1])[0]
sorted(list(v), reverse=True)
max(v, key=lambda t: (t - 0.2) ** 2)
min([s, h], key=lambda t: np.cos(t))
[t * s for t in sorted(v)]
""".strip().splitlines()

STATEMENTS = """
l = list(v); l.sort(reverse=True); v[:] = l
l = list(v); l.sort(key=lambda t: t * t); v[:] = l
np.add.at(x, ([0, 1, 1], [2, 2, 2]), b)
np.subtract.at(v, [0, 0, 3], b)
np.multiply.at(v, [0, 0, 3], b)
np.divide.at(v, [0, 1, 1], 1.0 + np.abs(b))
np.maximum.at(v, [0, 0, 3], b)
np.minimum.at(v, [0, 2, 2], b)
np.multiply.at(q, [0, 3, 0], b * q[:3])
np.divide.at(q, [0, 3, 0], 1.5 + b * q[:3])
np.maximum.at(q, [0, 2, 2], b * q[:3])
np.minimum.at(q, [0, 2, 2], b * q[:3])
np.exp.at(v, [0, 2])
np.negative.at(v, [0, 2])
np.power.at(p, ([0, 0], [0, 0]), 1.5)
np.put(x, [0, 5], [s, h])
np.put_along_axis(x, np.argmax(x, axis=1)[:, None], s, axis=1)
np.putmask(x, x > 0, y)
np.place(x, x > 0, [s, h])
np.copyto(x, y)
np.copyto(x, y, where=x > 0)
np.fill_diagonal(m, b)
x.fill(s)
x.sort(axis=0)
v.partition(2)
v.sort()
x[:, 1] = b
x[1:] *= s
x[x > 0] = h
v[[0, 2, 2]] += b
x.flat[3] = s
np.sin(x, out=x)
np.add(x, y, out=x)
np.matmul(m, n.copy(), out=n)
np.cumsum(v, out=v)
np.clip(x, -0.2, 0.2, out=x)
np.maximum(x, 0.0, out=x)
x += y; x *= y; x -= s; x /= p; x **= 2
l = [s, h, 0.5]; l.sort(); v[:3] += l
l = list(v); l.reverse(); v[:] = l
l = list(v); l.insert(1, s); v[:] = l[:5]
l = list(v); del l[1]; v[1:] = l
""".strip().splitlines()


REFUSED = {
    'np.i0(x)':
        'cannot look inside',
    'np.quantile(v, 0.3, weights=np.abs(w), method="inverted_cdf")':
        '`weights=`',
    'np.pad(x, 1, mode="maximum")':
        'computes the border',
    'l = [s]; l.extend(v); v[:] = l[:5]':
        'share memory',
    'l = list(zip(v, w)); l.sort(key=lambda t: t[1]); v[:] = [t[0] for t in l]':
        'no array is changed',
}
"""Calls without a derivative, and what the error says."""


def is_statement(call: str) -> bool:
    """Returns True for a call that changes an argument."""
    return call in STATEMENTS or ".at(" in call or "; " in call


def source_of(call: str) -> tuple[str, list[str]]:
    """A function f that makes a call, and gives what it gives or changes; its arguments' names."""
    names = [x for x in NAMES if re.search(rf"\b{x}\b", call)]
    names = [x for x in names if f"lambda {x}" not in call]
    body = f"{call}; return {', '.join(names)}" if is_statement(call) else f"return {call}"
    return f"import numpy as np\n\ndef f({', '.join(names)}):\n    {body}\n", names
