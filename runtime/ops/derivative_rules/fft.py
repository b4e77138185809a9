"""Derivative rules of Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import axes_of, axis_of, rank, zeros
from autograph.runtime.ops.derivatives import Derivative, Linear, Parts

OPPOSITE: dict[Any, Any] = {
    None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward",
}
"""By a norm: the one that scales the inverse transform."""


def _fitted(g: Any, a: Any, axis: int) -> Any:
    """Returns g, cut off or filled up with zeros to the length that a has along an axis."""
    length, wanted = np.shape(g)[axis], np.shape(a)[axis]
    before: tuple[Any, ...] = (slice(None),) * axis
    if isinstance(length, int) and isinstance(wanted, int) and length >= wanted:
        return g if length == wanted else g[(*before, slice(0, wanted))]
    rest = tuple(np.maximum(wanted - d, 0) if i == axis and not isinstance(d, int) else
                 max(wanted - d, 0) if i == axis else d for i, d in enumerate(np.shape(g)))
    return np.concatenate([g, zeros(rest, g)], axis)[(*before, slice(0, wanted))]


def _complex(transform: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the transpose of fft or ifft: the matrix is symmetric."""
    def transpose(g: Any, z: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None,
                  out: Any = None) -> Any:
        at = axis_of(axis, rank(a))
        return _fitted(transform(g, None, at, norm), a, at)

    return transpose


def _rfft(g: Any, z: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None,
          out: Any = None) -> Any:
    at = axis_of(axis, rank(a))
    length = np.shape(a)[at] if n is None else n
    return np.real(_fitted(np.fft.fft(g, length, at, norm), a, at))


def _irfft(g: Any, z: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None,
           out: Any = None) -> Any:
    at = axis_of(axis, rank(a))
    length = np.shape(g)[at]
    half = np.conjugate(np.fft.rfft(g, length, at, OPPOSITE[norm]))
    first: tuple[Any, ...] = (slice(None),) * at
    parts = [half[(*first, slice(0, 1))], 2.0 * half[(*first, slice(1, (length + 1) // 2))],
             half[(*first, slice((length + 1) // 2, None))]]
    if isinstance(length, int) and length == 1:
        parts = parts[:1]
    return _fitted(np.concatenate(parts, at), a, at)


def _hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return np.fft.irfft(np.conjugate(a), n, axis, OPPOSITE[norm])


def _ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return np.conjugate(np.fft.rfft(a, n, axis, OPPOSITE[norm]))


def _lengths(a: Any, s: Any, axes: Any, default: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Returns the axes of a transform over several, and the length asked for along each."""
    n = rank(a)
    axes = default if axes is None else axes
    if axes is None:
        axes = tuple(range(n)) if s is None else tuple(range(n - len(s), n))
    over = axes_of(tuple(axes), n)
    return over, [None] * len(over) if s is None else [
        np.shape(a)[i] if d == -1 else d for d, i in zip(s, over, strict=True)]


def _over(transform: Callable[..., Any], default: Any = None) -> Callable[..., Any]:
    """Returns the parts of a complex transform over several axes."""
    def parts(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
        over, lengths = _lengths(a, s, axes, default)
        for axis, n in reversed(list(zip(over, lengths, strict=True))):
            a = transform(a, n, axis, norm)
        return a

    return parts


def _rfft_over(default: Any = None) -> Callable[..., Any]:
    def parts(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
        over, lengths = _lengths(a, s, axes, default)
        a = np.fft.rfft(a, lengths[-1], over[-1], norm)
        for axis, n in zip(over[:-1], lengths[:-1], strict=True):
            a = np.fft.fft(a, n, axis, norm)
        return a

    return parts


def _irfft_over(default: Any = None) -> Callable[..., Any]:
    def parts(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
        over, lengths = _lengths(a, s, axes, default)
        for axis, n in zip(over[:-1], lengths[:-1], strict=True):
            a = np.fft.ifft(a, n, axis, norm)
        return np.fft.irfft(a, lengths[-1] if s is None or s[-1] != -1 else None, over[-1], norm)

    return parts


def _frequencies(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    return np.fft.fftfreq(n) / d


def _half_frequencies(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    return np.fft.rfftfreq(n) / d


LAST_TWO = (-2, -1)

RULES: dict[str, Derivative] = {
    "fft.fftfreq": Parts(_frequencies), "fft.rfftfreq": Parts(_half_frequencies),
    "fft.fft": Linear(_complex(np.fft.fft)), "fft.ifft": Linear(_complex(np.fft.ifft)),
    "fft.rfft": Linear(_rfft), "fft.irfft": Linear(_irfft),
    "fft.hfft": Parts(_hfft), "fft.ihfft": Parts(_ihfft),
    "fft.fftn": Parts(_over(np.fft.fft)), "fft.ifftn": Parts(_over(np.fft.ifft)),
    "fft.fft2": Parts(_over(np.fft.fft, LAST_TWO)),
    "fft.ifft2": Parts(_over(np.fft.ifft, LAST_TWO)),
    "fft.rfftn": Parts(_rfft_over()), "fft.irfftn": Parts(_irfft_over()),
    "fft.rfft2": Parts(_rfft_over(LAST_TWO)), "fft.irfft2": Parts(_irfft_over(LAST_TWO)),
    "fft.fftshift": Linear(lambda g, z, x, axes=None: np.fft.ifftshift(g, axes)),
    "fft.ifftshift": Linear(lambda g, z, x, axes=None: np.fft.fftshift(g, axes)),
}
