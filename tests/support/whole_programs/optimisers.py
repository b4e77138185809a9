"""Optimisers with state, filters, solvers with accepted and rejected steps, lists that grow."""

import numpy as np

import autograph as ag
from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(5)


def normal(*shape):
    return RNG.normal(size=shape)


@program([normal(3, 4), normal(4), normal(4, 1)], normal(5, 3), normal(5, 1))
def momentum_clipped(ws, x, y):
    def loss(ws):
        return np.mean((np.tanh(x @ ws[0] + ws[1]) @ ws[2] - y) ** 2)

    speeds = [np.zeros_like(w) for w in ws]
    for _ in range(3):
        gs = ag.grad(loss)(ws)
        n = np.sqrt(sum([np.sum(g ** 2) for g in gs]))
        if n > 0.3:
            gs = [g * (0.3 / n) for g in gs]
        speeds = [0.9 * v - 0.1 * g for v, g in zip(speeds, gs, strict=True)]
        ws = [w + v for w, v in zip(ws, speeds, strict=True)]
    return ws[0].sum(), ws[2]


@program([normal(2, 3), normal(3)], normal(4, 2), normal(4))
def stops_early(ws, x, y):
    def loss(ws):
        return np.mean((np.tanh(x @ ws[0]) @ ws[1] - y) ** 2)

    before, k = np.inf, 0
    while k < 10:
        now, g = ag.value_and_grad(loss)(ws)
        if before - now < 1e-3:
            break
        before = now
        ws = [w - 0.3 * d for w, d in zip(ws, g, strict=True)]
        k += 1
    return ws[0], ws[1], now


@program(normal(3), 0.3)
def waits_on_a_plateau(w, rate):
    best, bad = np.inf, 0
    scale = np.array([1.0, 5.0, 2.0])
    for _ in range(12):
        f = np.sum((w - 1) ** 2 * scale)
        if f < best * 0.95:
            best, bad = f, 0
        else:
            bad += 1
            if bad >= 2:
                rate *= 0.5
                bad = 0
        w = w - rate * 2 * (w - 1) * scale
    return w, rate, best


@program(np.array([1.0, 0.3]), 1.5)
def accepts_and_rejects(y, mu):
    def f(t, y):
        return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0] + 0.1 * t])

    t, h, n = 0.0, 0.2, 0
    while t < 1.0 and n < 60:
        h = min(h, 1.0 - t)
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + 3 * h / 4, y + 3 * h / 4 * k2)
        new = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
        error = np.linalg.norm(
            h * (-5 / 72 * k1 + 1 / 12 * k2 + 1 / 9 * k3 - 1 / 8 * f(t + h, new)))
        n += 1
        factor = 0.9 * (1e-4 / error) ** (1 / 3)
        if error < 1e-4:
            t += h
            y = new
        h *= min(2.0, max(0.3, factor))
    return y


@program(normal(2), np.eye(2) + 0.1, normal(3))
def unscented_kalman(m, p, zs):
    p = (p + p.T) / 2 + np.eye(2)
    weights = np.r_[1.0 / 3.0, np.full(4, 1.0 / 6.0)]
    for z in zs:
        low = np.linalg.cholesky(3.0 * p)
        x = np.vstack([m, m + low.T, m - low.T])
        x = np.stack([x[:, 0] + 0.1 * x[:, 1], x[:, 1] - 0.1 * np.sin(x[:, 0])], axis=1)
        m = weights @ x
        d = x - m
        p = (d * weights[:, None]).T @ d + 0.05 * np.eye(2)
        seen = np.sqrt(1 + x[:, 0] ** 2)
        mean = weights @ seen
        s = weights @ (seen - mean) ** 2 + 0.1
        gain = ((weights[:, None] * d) * (seen - mean)[:, None]).sum(0) / s
        m = m + gain * (z - mean)
        p = p - np.outer(gain, gain) * s
    return m, p


@program(normal(7))
def pools_violators(y):
    blocks = []
    for v in y:
        blocks.append([v, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            b, a = blocks.pop(), blocks.pop()
            n = a[1] + b[1]
            blocks.append([(a[0] * a[1] + b[0] * b[1]) / n, n])
    out = []
    for mean, n in blocks:
        out.extend([mean] * n)
    return np.array(out)


@program(normal(5))
def sums_of_what_was_kept(x):
    kept = [v * v for v in x if v > -0.3]
    s, t = 0.0, 1.0
    for i, v in enumerate(kept):
        s += (i + 1) * np.sin(v)
    for v in reversed(kept):
        t *= 1 + 0.1 * v
    return s, t


@program(normal(16), normal(5))
def analytic_signal(x, h):
    f = np.fft.rfft(x * np.hanning(16))
    y = np.convolve(x, h, mode="same")
    doubled = np.fft.fft(y) * np.r_[1, 2 * np.ones(7), 1, np.zeros(7)]
    return np.fft.irfft(np.log((f * f.conj()).real + 0.1)), np.abs(np.fft.ifft(doubled))
