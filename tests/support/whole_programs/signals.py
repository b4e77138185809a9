"""Signals: Fourier transforms, filters, wavelets, complex phases."""

from collections import deque

import numpy as np

from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(21)


def normal(*shape):
    return RNG.normal(size=shape)


def uniform(low, high, *shape):
    return RNG.uniform(low, high, shape)


@program(normal(32), normal(5))
def fftconv(x, h):
    N = 40
    y = np.fft.irfft(np.fft.rfft(x, N) * np.fft.rfft(h, N), N)[:36]
    return y**2


@program(normal(8, 8))
def spectral(x):
    X = np.fft.fftshift(np.fft.fft2(x))
    p = np.abs(X) ** 2
    kx = np.fft.fftshift(np.fft.fftfreq(8))
    return (p * (kx[:, None] ** 2 + kx**2)).sum() / p.sum()


@program(normal(16))
def phase_(x):
    z = np.fft.rfft(x * np.hanning(16))
    return (np.unwrap(np.angle(z)), np.log(np.abs(z) + 0.1))


@program(uniform(0.5, 1, 4), uniform(-1, 1, 4))
def complex_phase(r, phi):
    z = r * np.exp(1j * phi)
    w = np.prod(z)
    return (w.real, np.imag(np.sum(z[:, None] * np.conj(z)[None], axis=0)), abs(w))


@program(normal(12), np.array([0.3, -0.2]), np.array([0.5, 0.2]))
def iir(x, a, b):
    y = np.zeros(12)
    z = deque([0.0, 0.0], maxlen=2)
    for i, v in enumerate(x):
        y[i] = b[0] * v + b[1] * (x[i - 1] if i else 0.0) - a[0] * z[0] - a[1] * z[1]
        z.appendleft(y[i])
    return y


@program(normal(16))
def haar(x):
    out = []
    while len(x) > 1:
        out.append((x[0::2] - x[1::2]) / np.sqrt(2))
        x = (x[0::2] + x[1::2]) / np.sqrt(2)
    out.append(x)
    return np.concatenate(out[::-1]) ** 2


def fft_rec(x):
    N = len(x)
    if N <= 1:
        return x
    e, o = (fft_rec(x[::2]), fft_rec(x[1::2]))
    t = np.exp(-2j * np.pi * np.arange(N // 2) / N) * o
    return np.concatenate([e + t, e - t])


@program(normal(8))
def fft_recursive(x):
    return np.abs(fft_rec(x + 0j)) ** 2
