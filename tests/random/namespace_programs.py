"""Random programs of arrays that exist for NumPy and for jax.numpy: one source, two namespaces."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np

PRELUDES = {"numpy": """
def stored(x, i, v):
    y = np.array(x)
    y[i] = v
    return y

def added(x, i, v):
    y = np.array(x)
    np.add.at(y, i, v)
    return y

""", "jax.numpy": """
def stored(x, i, v):
    return np.asarray(x).at[i].set(v)

def added(x, i, v):
    return np.asarray(x).at[i].add(v)

"""}


def _templates(text: str) -> list[str]:
    return [line.strip() for line in text.replace("\n", " ").split(" | ")]


UNARY = _templates('''
np.sin({a}) | np.cos({a}) | np.tanh({a}) | np.exp(0.3 * {a}) | np.square({a}) | {a} ** 2 |
{a} ** 3 | {a} * {a} | -{a} | np.sinh(0.4 * {a}) | np.cosh(0.4 * {a}) | np.arctan(0.5 * {a}) |
np.arcsinh(0.5 * {a}) | 1.0 / (2.0 + {a} * {a}) | np.conj({a}) | np.real({a}) | np.imag({a}) |
np.abs({a}) | {a}.real * 0.5 | {a}.imag | np.angle(1.5 + 0.3 * {a}) | np.expm1(0.2 * {a}) |
np.log1p(0.1 * {a} * {a} + 0.1) | np.sqrt(2.0 + {a} * {a}) | np.log(2.0 + {a} * {a}) |
np.reciprocal(2.0 + {a} * {a}) | np.power(2.0, {a}) | {a} ** 0 | {a} ** 1 | np.positive({a}) |
(2.0 + {a} * {a}) ** 1.5 | (2.0 + {a} * {a}) ** -0.5
''')
REAL_UNARY = _templates('''
np.maximum({a}, 0.0) | np.minimum({a}, 0.5) | np.clip({a}, -0.51, 0.73) |
np.where({a} > 0, {a}, 0.1 * {a}) | np.fmax({a}, -0.2) | np.fmin({a}, 0.3) |
np.where({a} > 0.1, np.log({a}), 0.0) | np.where({a} > 0, np.sqrt({a}), {a}) |
np.where({a} == 0, 1.0, np.sin({a}) / {a}) | np.cbrt(1.5 + {a} * {a}) | np.exp2(0.3 * {a}) |
np.log2(2.0 + {a} * {a}) | np.log10(2.0 + {a} * {a}) | np.arcsin(0.9 * np.tanh({a})) |
np.arccos(0.9 * np.tanh({a})) | np.arctanh(0.8 * np.tanh({a})) | np.arccosh(2.0 + {a} * {a}) |
np.sinc({a}) | np.deg2rad({a}) | np.rad2deg(0.01 * {a}) | np.sign({a}) * {a} |
np.floor({a}) * {a} | np.fabs({a}) | np.logaddexp({a}, 0.3) | np.logaddexp2({a}, 0.3) |
np.hypot({a}, 1.0) | np.heaviside({a}, 0.5) * {a} | np.nan_to_num({a}) | np.mod({a}, 0.7) |
np.fmod({a}, 0.7) | np.remainder({a}, -0.7) | np.trunc({a}) + {a} | np.rint({a}) + {a} |
np.modf({a})[0] | np.divmod({a}, 0.7)[1] | np.copysign({a}, -1.0) | np.arctan2({a}, 1.5) |
np.frexp({a})[0] | np.unwrap({a}) | np.exp({a} - np.max({a})) |
np.float_power(np.abs({a}) + 1.0, 1.3)
''')
BINARY = _templates('''
{a} + {b} | {a} - {b} | {a} * {b} | {a} / (2.0 + {b} * {b}) | np.add({a}, {b}) |
np.subtract({b}, {a}) | np.multiply({a}, {b}) | np.divide({a}, 3.0 + {b} * {b}) |
np.true_divide({a}, 2.0) | np.where({a} == {b}, {a}, {b}) |
np.where(np.real({a}) > np.real({b}), {a}, {b})
''')
REAL_BINARY = _templates('''
np.maximum({a}, {b}) | np.minimum({a}, {b}) | np.fmax({a}, {b}) |
np.hypot({a}, 1.0 + {b} * {b}) | np.arctan2({a}, 1.5 + {b} * {b}) | np.logaddexp({a}, {b}) |
(1.2 + {a} * {a}) ** {b} | np.power(1.1 + {a} * {a}, {b}) | np.mod({a}, 1.3 + {b} * {b}) |
np.fmod({a}, 1.3 + {b} * {b}) | np.copysign({a}, {b}) | np.logaddexp2({a}, {b}) |
np.where({a} > {b}, np.log(np.where({a} > {b}, {a} - {b}, 1.0)), {b}) |
np.float_power(1.1 + {a} * {a}, {b}) | np.clip({a}, {b}, {b} + 0.5) |
np.select([{a} > 0.5, {b} > 0.2], [{a}, {b} * 2], 0.3 * {a})
''')
AXIS = _templates('''
np.sum({a}, {ax}) | np.mean({a}, {ax}) | np.sum({a}, axis={ax}, keepdims=True) |
np.prod({a}, {ax}) | np.prod({a}, axis={ax}, keepdims=True) | np.cumsum({a}, {ax1}) |
np.cumprod({a}, {ax1}) | np.flip({a}, {ax}) | np.roll({a}, 1, {ax1}) |
np.roll({a}, (1, 2), (0, {ax1})) | np.diff({a}, axis={ax1}) | np.diff({a}, n=2, axis={ax1}) |
np.expand_dims({a}, {ax1}) | np.moveaxis({a}, 0, {ax1}) | np.swapaxes({a}, 0, {ax1}) |
np.rollaxis({a}, {ax1}) | np.concatenate([{a}, {a} * 2], {ax1}) |
np.stack([{a}, np.sin({a})], {ax1}) | np.repeat({a}, 2, {ax1}) |
np.take({a}, np.array([0, 0]), axis={ax1}) | np.take({a}, 0, axis={ax1}) |
np.take({a}, np.array([[-1, 0], [0, 0]]), axis={ax1}, mode='wrap') |
np.delete({a}, 0, axis={ax1}) | np.split({a}, 1, {ax1})[0] | np.array_split({a}, 2, {ax1})[1] |
np.std({a}, {ax}) | np.var({a}, {ax}) | np.var({a}, axis={ax}, ddof=1, keepdims=True) |
np.std({a}, axis={ax}, keepdims=True, ddof=1) |
np.var({a}, {ax}, mean=np.mean({a}, {ax}, keepdims=True)) | np.linalg.norm({a}, axis={ax1}) |
np.linalg.norm({a}, axis={ax1}, keepdims=True) | np.linalg.norm({a}, 1, {ax1}) |
np.linalg.norm({a}, np.inf, {ax1}) | np.linalg.norm({a}, -np.inf, {ax1}) |
np.linalg.norm({a}, 3, {ax1}) | np.linalg.norm({a}, 0.5, {ax1}) |
np.average({a}, {ax1}, weights=np.arange(1., {a}.shape[{ax1}] + 1)) |
np.average({a}, {ax1}, weights=np.abs({a}) + 1.0) | np.insert({a}, 0, 0.5, axis={ax1}) |
np.append({a}, {a}[:1], axis=0) | np.apply_along_axis(lambda v: v * v, {ax1}, {a}) |
np.gradient({a}, axis={ax1}) | np.trapezoid({a}, axis={ax1}) |
np.trapezoid({a}, dx=0.5, axis={ax1}) | np.nansum({a}, {ax}) | np.nanprod({a}, {ax1}) |
np.nanmean({a}, {ax}) | np.sum({a}, axis={ax}, where=np.abs({a}) > 0.3) |
np.mean({a}, axis={ax}, where=np.abs({a}) > 0.01) |
np.prod({a}, axis={ax}, where=np.abs({a}) > 0.3) | np.sum({a}, {ax}, initial=2.0) |
np.prod({a}, {ax}, initial=2.0) | np.linalg.vector_norm({a}, axis={ax}) |
np.linalg.vector_norm({a}, axis={ax1}, ord=3, keepdims=True) |
np.cumulative_sum({a}, axis={ax1}) | np.cumulative_prod({a}, axis={ax1}) |
np.cumulative_sum({a}, axis={ax1}, include_initial=True) | np.unstack({a}, axis={ax1})[0]
''')
REAL_AXIS = _templates('''
np.max({a}, {ax}) | np.min({a}, {ax}) | np.max({a}, axis={ax}, keepdims=True) |
np.amin({a}, {ax}) | np.max({a}, {ax}, initial=0.1) |
np.min({a}, {ax}, initial=0.1, where={a} > -0.5) | np.sort({a}, {ax1}) |
np.sort({a}, axis={ax1}) | np.take_along_axis({a}, np.argsort({a}, {ax1}), {ax1}) |
np.partition({a}, 1, {ax1}) | np.median({a}, {ax}) | np.quantile({a}, 0.3, {ax}) |
np.quantile({a}, np.array([0.2, 0.9]), {ax}) | np.percentile({a}, 40., {ax}) |
np.ptp({a}, {ax}) | np.nanmax({a}, {ax}) | np.nanmin({a}, {ax}) | np.nanmedian({a}, {ax}) |
np.quantile({a}, 0.4, axis={ax}, method='lower') |
np.quantile({a}, 0.4, axis={ax}, method='nearest') |
np.quantile({a}, 0.4, axis={ax}, method='midpoint', keepdims=True) |
np.quantile({a}, 0.4, axis={ax}, method='higher') | np.nanquantile({a}, 0.4, axis={ax}) |
np.nanvar({a}, {ax}) | np.nanstd({a}, {ax}) | np.nancumsum({a}, {ax1}) |
np.nancumprod({a}, {ax1}) |
np.take_along_axis({a}, np.expand_dims(np.argmax({a}, {ax1}), {ax1}), {ax1}) |
np.logaddexp.reduce({a}, {ax1}) | np.maximum.reduce({a}, {ax1}) |
np.minimum.accumulate({a}, {ax1}) | np.add.accumulate({a}, {ax1}) |
np.multiply.reduce({a}, {ax1}) | np.multiply.accumulate({a}, {ax1}) | np.add.reduce({a}, {ax1}) |
np.unwrap({a}, axis={ax1}) | np.argmax({a}, {ax1}) * {a}.sum()
''')
SHAPED = _templates('''
{a}.ravel() | {a}.T | np.reshape({a}, -1) | {a}.reshape(-1, 1) | np.atleast_1d({a}) |
np.atleast_2d({a}) | np.atleast_3d({a}) | np.squeeze({a}) | {a}[...] | {a}[None] |
{a}[..., None] | {a}[::-1] | {a}[1:] | {a}[:-1] | {a}[::2] | {a}[0] | {a}[-1] | {a}[[0, 0, -1]] |
{a}[np.array([1, 0, 1, 1])] | {a}[..., 0] | {a}[..., ::-2] | {a}[:, 0] | {a}[:, [0, 0]] |
{a}[[0, -1], [0, 0]] | {a}[np.array([[0], [-1]]), np.array([0, 0, -1])] |
{a}[None, ..., [0, 0]] | np.tile({a}, 2) | np.tile({a}, (2, 1)) | np.tile({a}, (1, 2, 1)) |
np.broadcast_to({a}, (2,) + {a}.shape) | np.repeat({a}, 3) | np.repeat({a}, 0) |
np.outer({a}, {b}) | np.kron({a}, {b}) | np.pad({a}, 1) | np.pad({a}, 1, mode='edge') |
np.pad({a}, 2, mode='reflect') | np.pad({a}, 1, mode='wrap') | np.pad({a}, 2, mode='symmetric') |
np.pad({a}, 1, mode='linear_ramp', end_values=0.5) | np.pad({a}, 1, mode='mean') |
np.pad({a}, 1, constant_values=2.) | np.diag({a}) | np.diag({a}, 1) | np.diag({a}, -1) |
np.diagonal({a}) | np.diagonal({a}, 1) | np.trace({a}) | np.trace({a}, 1) | np.triu({a}) |
np.tril({a}, -1) | np.rot90({a}) | np.rot90({a}, 3) | np.fliplr({a}) | np.flipud({a}) |
np.ravel({a}) | np.vander({a}, 3) | np.meshgrid({a}, {b})[0] |
np.meshgrid({a}, {b}, indexing='ij')[1] | np.hstack([{a}, {b}]) | np.vstack([{a}, {b}]) |
np.dstack([{a}, {b}]) | np.column_stack([{a}, {b}]) | np.broadcast_arrays({a}, {b})[0] |
np.append({a}, {b}) | np.block([[{a}, {a}], [{a}, {a}]]) | np.resize({a}, (3, 2)) |
np.compress(np.array([True, False]), {a}, axis=0) | np.extract(np.abs({a}) > 0.4, {a}) |
{a}[np.abs({a}) > 0.3] | np.choose(np.array([0, 1, 0]), [{a}, {b}]) | np.flip({a}) |
np.trim_zeros({a}) | stored({a}, 0, {b}) | stored({a}, (Ellipsis, 0), 0.5) |
stored({a}, slice(1, None), {b}) | added({a}, np.array([0, 0, -1]), 0.5) |
added({a}, np.array([0, 0]), {b}) | stored({a}, np.array([0, -1]), {b}) |
stored({a}, np.abs({a}) > 0.4, 0.3) | np.matrix_transpose({a}) |
np.permute_dims({a}, tuple(range({a}.ndim))[::-1]) | np.concat([{a}, {a}]) |
np.unstack({a})[-1] | np.array([{a}, {a}]) | np.asarray([{a}.sum(), 2.0 * {a}.mean()]) |
np.linspace({a}, 1.0, 4) | np.linspace({a}, {b}, 3, axis=-1) |
np.linspace(0.0, {a}, 3, endpoint=False) | np.full((2,) + {a}.shape, {a}) |
np.full_like({b}, {a}) | np.geomspace(1.0 + {a} * {a}, 5.0, 3) | np.logspace({a}, 1.0, 3) |
np.polyval({a}, {b}) | np.polyadd({a}, {b}) | np.polymul({a}, {b}) | np.polyder({a}) |
np.polyint({a})
''')
PRODUCT = _templates('''
{a} @ {b} | np.dot({a}, {b}) | np.matmul({a}, {b}) | {a} @ {b}.T | np.inner({a}, {b}) |
np.tensordot({a}, {b}, 1) | np.tensordot({a}, {b}, 0) | np.tensordot({a}, {b}, ([0], [0])) |
np.tensordot({a}, {b}, ([-1], [-1])) | np.vdot({a}, {b}) | np.einsum('i,i', {a}, {b}) |
np.einsum('i,j->ij', {a}, {b}) | np.einsum('ij,j->i', {a}, {b}) | np.einsum('ij,jk', {a}, {b}) |
np.einsum('ij,kj->ik', {a}, {b}) | np.einsum('ij,ij->j', {a}, {b}) | np.einsum('ii->i', {a}) |
np.einsum('ii', {a}) | np.einsum('ij->ji', {a}) | np.einsum('ij->', {a}) |
np.einsum('...i,...i->...', {a}, {b}) | np.einsum('...i->...', {a}) |
np.einsum('i...,i...->...', {a}, {b}) | np.einsum('ij,j,i->', {a}, {b}, {b}) |
np.einsum('ij,jk,kl->il', {a}, {b}, {a}) | np.einsum({a}, [0, 1], {b}, [1], [0]) |
np.einsum('ii,i->i', {a}, {b}) | np.einsum('bij,bjk->bik', {a}, {b}) |
np.einsum('i,i,i->i', {a}, {b}, {a}) | np.cross({a}, {b}) | np.convolve({a}, {b}) |
np.convolve({a}, {b}, 'same') | np.convolve({a}, {b}, 'valid') | np.correlate({a}, {b}) |
np.correlate({a}, {b}, 'full') | np.vecdot({a}, {b}) | np.matvec({a}, {b}) |
np.vecmat({b}, {a}) | np.linalg.multi_dot([{a}, {b}, {a}]) | np.linalg.outer({a}, {b}) |
np.linalg.cross({a}, {b}) | np.linalg.tensordot({a}, {b}, axes=1)
''')
REAL_PAIR = _templates('''
np.interp({a}, np.array([-1.0, 0.0, 0.4, 1.2]), np.array([0.3, 1.0, -0.4, 2.0])) |
np.interp({a}, np.array([-1.0, 0.0, 1.2]), {b}[:3]) |
np.interp(0.3, np.cumsum(np.abs({a}) + 0.1), {b}) |
np.interp({a}, np.array([0.0, 0.2, 0.7]), np.array([0.3, 1.0, -0.4]), period=1.0) |
np.interp({a}, np.array([-1.0, 0.0, 1.2]), np.array([0.3, 1.0, -0.4]), left=0.7, right=-1.) |
{b}[np.searchsorted(np.sort({b}), {a}) % 2] * {a} | np.cov({a}) | np.cov({a}, {b}) |
np.corrcoef({a}, {b}) | np.cov({a}, ddof=0) | np.cov({a}, rowvar=False) |
np.cov({a}, aweights=np.arange(1., {a}.shape[-1] + 1)) |
np.cov({a}, fweights=np.arange(1, {a}.shape[-1] + 1)) |
np.piecewise({a}, [{a} > 0.3, {a} < -0.2], [lambda t: t * t, lambda t: -t, 0.25]) |
np.histogram({a}, 3, (-2., 2.), weights={a})[0] |
np.bincount(np.array([0, 1, 1]), weights={a}, minlength=3) | np.unique({a}) |
np.digitize({a}, np.array([0.0, 0.5])) * {a} | np.lexsort(({a}, {a})) * 1.0 @ {a} |
np.trapezoid({a}, np.cumsum({b} * {b} + 0.1)) | np.vectorize(lambda t: t * t + 1.0)({a}) |
np.apply_over_axes(np.sum, {a}, [0])
''')
SQUARE = _templates('''
np.linalg.inv({A}) | np.linalg.det({A}) | np.linalg.slogdet({A})[1] | np.linalg.slogdet({A})[0] |
np.linalg.solve({A}, {b}) | np.linalg.solve({A}, {A}.T) | np.linalg.matrix_power({A}, 3) |
np.linalg.matrix_power({A}, -2) | np.linalg.matrix_power({A}, 0) | np.linalg.cholesky({S}) |
np.linalg.eigvalsh({H}) | np.linalg.eigh({H})[0] | np.abs(np.linalg.eigh({H})[1]) |
np.linalg.qr({A})[1] | np.linalg.qr({A})[0] | np.linalg.qr({A}, mode='r') |
np.linalg.svd({A}, compute_uv=False) | np.linalg.svdvals({A}) | np.abs(np.linalg.svd({A})[0]) |
np.linalg.norm({A}) | np.linalg.norm({A}, 'fro') | np.linalg.norm({A}, 'nuc') |
np.linalg.norm({A}, 2) | np.linalg.norm({A}, -2) | np.linalg.norm({A}, 1) |
np.linalg.norm({A}, np.inf) | np.linalg.norm({A}, -1) | np.linalg.pinv({A}) |
np.linalg.pinv({A}[:, :1]) | np.linalg.pinv({A}[:1]) | np.linalg.lstsq({A}, {b})[0] |
np.linalg.cond({A}) | np.linalg.matrix_norm({A}) | np.linalg.trace({A}) |
np.linalg.diagonal({A}) | np.sort(np.abs(np.linalg.eigvals({A}))) |
np.abs(np.linalg.eig({A})[1]).sum(0) | np.linalg.tensorsolve({A}, {b}) |
np.linalg.tensorinv({A}, ind=1) | np.linalg.qr({A}[:, :1])[0] |
np.linalg.svd({A}[:1], full_matrices=False)[1] | np.linalg.matrix_transpose({A})
''')
FFT = _templates('''
np.fft.fft({a}) | np.fft.ifft({a}) | np.fft.fft({a}, 5) | np.fft.fft({a}, 2) |
np.fft.fft({a}, axis=0) | np.fft.ifft({a}, norm='ortho') | np.fft.fft({a}, norm='forward') |
np.fft.fft2({a}) | np.fft.ifft2({a}) | np.fft.fftn({a}) | np.fft.ifftn({a}, norm='ortho') |
np.fft.fftshift({a}) | np.fft.ifftshift({a}) | np.fft.irfft({a}) | np.fft.irfft({a}, 5) |
np.fft.irfft({a}, 4) | np.fft.irfft2({a}) | np.fft.irfftn({a}) | np.fft.hfft({a}) |
np.fft.hfft({a}, 5) | np.fft.fftn({a}, (3, 2)) | np.fft.fftn({a}, axes=(0,))
''')
REAL_FFT = _templates('''
np.fft.rfft({a}) | np.fft.rfft({a}, 5) | np.fft.rfft({a}, 2) | np.fft.rfft2({a}) |
np.fft.rfftn({a}) | np.fft.ihfft({a}) | np.fft.rfft({a}, norm='ortho') |
np.fft.rfftn({a}, axes=(0,)) | np.fft.ihfft({a}, 4) |
np.fft.irfft(np.fft.rfft({a}), {a}.shape[-1])
''')

SHAPES = [(), (1,), (2,), (3,), (4,), (2, 2), (3, 3), (2, 3), (1, 3), (3, 1), (0,), (0, 3),
          (2, 3, 2), (2, 2, 2), (1, 1), (3, 0), (5,)]
ANY = (UNARY, BINARY, AXIS, AXIS, SHAPED, SHAPED, PRODUCT, FFT, SQUARE)
OF_REALS = (REAL_UNARY, REAL_BINARY, REAL_AXIS, REAL_AXIS, REAL_PAIR, REAL_FFT)


class ArrayProgram:
    """One random program `f(x0, x1)` of two arrays, which returns a tuple of arrays.

    `names` and `values` are those of its variables; nothing in it is infinite, or large.
    """

    def __init__(self, seed: int) -> None:
        r = self.random = Random(seed)
        self.rng = np.random.default_rng(seed)
        self.dtype = np.dtype(r.choice(["f8", "f8", "f8", "f4", "c16", "c16", "c8"]))
        self.tied = r.random() < 0.25
        base = r.choice(SHAPES)
        other = r.choice([base, base, base[1:], r.choice(SHAPES), r.choice([(3, 3), (2, 2), (3,)])])
        self.arguments = self.array(base), self.array(other)
        self.names, self.values = ["x0", "x1"], list(self.arguments)
        self.scope: dict[str, Any] = {"np": np}
        exec(PRELUDES["numpy"], self.scope)
        self.lines: list[str] = []
        steps = r.randrange(1, 5)
        for _ in range(200):
            if len(self.lines) < steps:
                self.step()

    def source(self) -> str:
        """The program without a prelude."""
        made = self.names[2:] or ["x0 * 1.0"]
        given = [made[-1], *(m for m in made[:-1] if self.random.random() < 0.5)]
        lines = [f"    {line}\n" for line in self.lines]
        return f"def f(x0, x1):\n{''.join(lines)}    return ({', '.join(given)},)\n"

    def array(self, shape: tuple[int, ...]) -> Any:
        """Numbers of a shape, with ties in some programs."""
        x = self.rng.normal(size=shape)
        x = np.round(x) + 0.25 if self.tied else x
        if self.dtype.kind == "c":
            x = x + 1j * self.rng.normal(size=shape)
        return np.asarray(x).astype(self.dtype)

    def step(self) -> None:
        """Adds a line, if the call that was picked has a value."""
        r = self.random
        (a, x), (b, y) = self.operand(), self.operand()
        groups = ANY if "c" in (x.dtype.kind, y.dtype.kind) else ANY + OF_REALS
        template = r.choice(r.choice(groups))
        if "wrap" in template and not x.size:
            return  # np.take comes to no end
        square = f"({a} + 2.0 * np.eye({a}.shape[-1]))"
        product = f"({a} @ np.conj(np.swapaxes({a}, -1, -2)) + np.eye({a}.shape[-1]))"
        hermitian = (f"({a} + np.conj(np.swapaxes({a}, -1, -2)) + "
                     f"np.diag(np.arange({a}.shape[-1]) * 3.0))")
        text = template.format(
            a=a, b=b, ax1=r.choice([0, -1, 1]), A=square, S=product, H=hermitian,
            ax=r.choice([None, None, 0, -1, 1, (0, 1), (0, -1), ()]))
        made = self.value(text)
        if made is not None and made.size and np.abs(made).max() > 50:
            text, made = f"0.01 * {text}", made * 0.01
        if made is not None and not (made.size and np.abs(made).max() > 50):
            name = f"v{len(self.names)}"
            self.lines.append(f"{name} = {text}")
            self.names.append(name)
            self.values.append(made)

    def operand(self) -> tuple[str, Any]:
        k = self.random.randrange(len(self.names)) if self.random.random() < 0.5 else -1
        return self.names[k], self.values[k]

    def value(self, text: str) -> Any:
        """Evaluates a call; None if it has no small finite array of floats as its value."""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                made = np.asarray(eval(text, {**self.scope, **dict(
                    zip(self.names, self.values, strict=True))}))
        except Exception:
            return None
        small = made.dtype.kind in "fc" and made.size <= 60 and made.dtype.itemsize <= 16
        return made if small and np.isfinite(made).all() else None
