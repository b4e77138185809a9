"""Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autograph.runtime.ir.types import ArrayType, Dim, Type
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.numpy_op import numpy_op
from autograph.runtime.ops.samples import CUBE, MATRIX, VECTOR, call
from autograph.runtime.ops.type_rules import NotKnown, array_of, rule

Length = Callable[[Dim, Any], Dim]
"""(dim of the operand, the argument `n`) -> dim of the result."""


def _same(length: Dim, n: Any) -> Dim:
    return length if n is None else n if isinstance(n, int) else None


def _half(length: Dim, n: Any) -> Dim:
    full = _same(length, n)
    return full // 2 + 1 if isinstance(full, int) else None


def _from_half(length: Dim, n: Any) -> Dim:
    if n is None and isinstance(length, int):
        return 2 * (length - 1)
    return n if isinstance(n, int) else None


def along(fn: Callable[..., Any], length: Length) -> Callable[..., Any]:
    """Returns the type rule of a transform along one axis."""
    def infer(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Type:
        x = array_of(a)
        shape = list(rules.shape_of(x))
        at = rules.axis_of(axis, len(shape))
        shape[at] = length(shape[at], n)
        return rules.array(_dtype(fn, x), shape)

    return rule(infer)


def over(fn: Callable[..., Any], length: Length) -> Callable[..., Any]:
    """Returns the type rule of a transform over several axes; `length` is for the last of them."""
    def infer(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Type:
        x = array_of(a)
        shape = list(rules.shape_of(x))
        if not shape:
            raise NotKnown  # some of them leave a number as it is
        if s is not None:
            return rules.array(_dtype(fn, x), [None] * len(shape))
        last = rules.axes_of(axes, len(shape))[-1] if axes is not None else -1
        shape[last] = length(shape[last], None)
        return rules.array(_dtype(fn, x), shape)

    return rule(infer)


def _dtype(fn: Callable[..., Any], x: ArrayType) -> np.dtype[Any] | None:
    return None if x.dtype is None else _found(fn, x.dtype)


@lru_cache(maxsize=None, typed=True)
def _found(fn: Callable[..., Any], dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.asarray(fn(np.ones((2, 2), dtype))).dtype


@rule
def _frequencies(n: Any, d: Any = 1.0, device: Any = None) -> Type:
    return rules.array(np.dtype(float), rules.dims_of(n))


@rule
def _half_frequencies(n: Any, d: Any = 1.0, device: Any = None) -> Type:
    (length,) = rules.dims_of(n)
    return rules.array(np.dtype(float), (_half(length, None),))


@rule
def _shifted(x: Any, axes: Any = None) -> Type:
    t = array_of(x)
    return rules.array(t.dtype, t.shape)


ONE_AXIS: tuple[tuple[Callable[..., Any], Length], ...] = (
    (np.fft.fft, _same), (np.fft.ifft, _same), (np.fft.rfft, _half), (np.fft.irfft, _from_half),
    (np.fft.hfft, _from_half), (np.fft.ihfft, _half))
SEVERAL: tuple[tuple[Callable[..., Any], Length], ...] = (
    (np.fft.fftn, _same), (np.fft.ifftn, _same), (np.fft.rfftn, _half), (np.fft.irfftn, _from_half),
    (np.fft.fft2, _same), (np.fft.ifft2, _same), (np.fft.rfft2, _half), (np.fft.irfft2, _from_half))

for _fn, _length in ONE_AXIS:
    numpy_op(_fn, along(_fn, _length), call(VECTOR), call(MATRIX, axis=0), call(VECTOR, 5),
             call(CUBE, 3, 1, "ortho"))
for _fn, _length in SEVERAL:
    numpy_op(_fn, over(_fn, _length), call(MATRIX), call(CUBE, axes=(0, 1)),
             call(CUBE, (2, 2), (0, 1)))
for _fn in (np.fft.fftshift, np.fft.ifftshift):
    numpy_op(_fn, _shifted, call(VECTOR), call(MATRIX, 1))
numpy_op(np.fft.fftfreq, _frequencies, call(5), call(4, 0.5))
numpy_op(np.fft.rfftfreq, _half_frequencies, call(5), call(4, d=0.5))
