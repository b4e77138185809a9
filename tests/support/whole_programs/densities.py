"""Likelihoods, filters, dynamic programs, and differentiable algorithms."""

import math

import numpy as np

import autograph as ag
from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(78)


def normal(*shape):
    return RNG.normal(size=shape)


@program(0.4, 0.8, 0.3, np.linspace(0, 1, 5), normal(5))
def gp_likelihood(amp, scale, noise, t, y):
    d = t[:, None] - t[None, :]
    k = amp ** 2 * np.exp(-0.5 * (d / scale) ** 2) + (noise ** 2 + 1e-6) * np.eye(5)
    chol = np.linalg.cholesky(k)
    a = np.linalg.solve(chol.T, np.linalg.solve(chol, y))
    return 0.5 * y @ a + np.log(np.diag(chol)).sum() + 2.5 * math.log(2 * math.pi)


@program(normal(3, 3) + 3 * np.eye(3), normal(4, 3), normal(3))
def gaussian_slogdet(a, x, mu):
    cov = a @ a.T
    sign, logdet = np.linalg.slogdet(cov)
    r = x - mu
    return -0.5 * (np.einsum("ni,ni->n", r, np.linalg.solve(cov, r.T).T) + sign * logdet).sum()


@program(0.9, 0.4, 0.6, normal(6))
def kalman_scalar(a, q, r, ys):
    m, p, ll = 0.0, 1.0, 0.0
    for y in ys:
        m, p = a * m, a * a * p + q ** 2
        s = p + r ** 2
        k = p / s
        ll += -0.5 * (np.log(2 * np.pi * s) + (y - m) ** 2 / s)
        m, p = m + k * (y - m), (1 - k) * p
    return ll


@program(normal(2, 2) * 0.4, normal(1, 2), normal(5, 1))
def kalman_joseph(f, h, ys):
    x, p = np.zeros(2), np.eye(2)
    xs = []
    for y in ys:
        x, p = f @ x, f @ p @ f.T + 0.1 * np.eye(2)
        s = h @ p @ h.T + 0.2 * np.eye(1)
        k = np.linalg.solve(s, h @ p).T
        x = x + k @ (y - h @ x)
        i = np.eye(2) - k @ h
        p = i @ p @ i.T + 0.2 * k @ k.T
        xs.append(x)
    return np.stack(xs), p


@program(normal(3, 3), normal(3, 4), np.array([0, 2, 1, 3, 3]))
def hmm_log(trans, emit, obs):
    trans = trans - np.logaddexp.reduce(trans, axis=1, keepdims=True)
    emit = emit - np.logaddexp.reduce(emit, axis=1, keepdims=True)
    alpha = emit[:, obs[0]] - np.log(3)
    for o in obs[1:]:
        alpha = np.logaddexp.reduce(alpha[:, None] + trans, axis=0) + emit[:, o]
    return np.logaddexp.reduce(alpha)


@program(normal(4, 3), normal(3, 3), np.array([0, 1, 2, 1]))
def crf_loss(unary, pair, tags):
    score, prev = 0.0, None
    for t, tag in enumerate(tags):
        score += unary[t, tag] + (pair[prev, tag] if prev is not None else 0.0)
        prev = tag
    alpha = unary[0]
    for t in range(1, len(unary)):
        m = alpha.max()
        alpha = unary[t] + m + np.log(np.exp(alpha - m) @ np.exp(pair))
    m = alpha.max()
    return m + np.log(np.exp(alpha - m).sum()) - score


@program(normal(4), normal(5), 0.5)
def soft_dtw_table(a, b, gamma):
    n, m = len(a), len(b)
    r = np.full((n + 1, m + 1), 1e3)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            c = (a[i - 1] - b[j - 1]) ** 2
            z = -np.array([r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]]) / gamma
            top = z.max()
            r[i, j] = c - gamma * (top + np.log(np.sum(np.exp(z - top))))
    return r[n, m]


@program(normal(5), 0.3)
def soft_sort(x, tau):
    d = np.abs(np.sort(x)[::-1][:, None] - x[None, :])
    p = np.exp(-d / tau)
    p /= p.sum(1, keepdims=True)
    return p @ x, np.argsort(x)


@program(normal(6))
def bubble_pairs(x):
    x = x.copy()
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x * np.arange(6)


@program(normal(4), normal(4))
def quicksort(x, w):
    def sort(items):
        if len(items) <= 1:
            return items
        pivot, rest = items[0], items[1:]
        return (sort([t for t in rest if t < pivot]) + [pivot]
                + sort([t for t in rest if not t < pivot]))

    return sum(k * t for k, t in zip(w, sort(list(x))))


@program(np.abs(normal(4, 4)) + 0.1)
def floyd_warshall(d):
    d = d.copy()
    for k in range(4):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return d


@program(np.abs(normal(5)) + 0.2, np.abs(normal(5)) + 0.2)
def soft_knapsack(v, w):
    best = np.zeros(6)
    for a, b in zip(v, w):
        keep = best.copy()
        for c in range(5, 0, -1):
            best[c] = np.logaddexp(keep[c], keep[c - 1] + a * b)
    return best


@program(normal(4))
def stick_breaking(z):
    rest, out = 1.0, []
    for t in z:
        p = 1 / (1 + math.exp(-t))
        out.append(p * rest)
        rest *= 1 - p
    out.append(rest)
    return np.array(out)


@program(normal(3), 0.4, 1)
def metropolis(x, step, seed):
    rng = np.random.default_rng(seed)
    accepted = 0
    for _ in range(6):
        new = x + step * rng.normal(size=3)
        if np.log(rng.uniform()) < 0.5 * (x @ x - new @ new):
            x = new
            accepted += 1
    return x, accepted


@program(normal(2), 0.2)
def hmc(q, eps):
    def energy(z):
        return 0.5 * z @ z + 0.1 * np.sum(z ** 4)

    rng = np.random.default_rng(5)
    for _ in range(2):
        p = rng.standard_normal(2)
        for _ in range(3):
            p = p - 0.5 * eps * ag.grad(energy)(q)
            q = q + eps * p
            p = p - 0.5 * eps * ag.grad(energy)(q)
    return q, p


@program(normal(6), normal(6))
def particle_filter(x0, y):
    rng = np.random.default_rng(9)
    x, ll = x0, 0.0
    for t in y[:3]:
        x = 0.9 * x + 0.3 * rng.standard_normal(6)
        logw = -0.5 * (t - x) ** 2
        top = logw.max()
        w = np.exp(logw - top)
        ll += top + np.log(w.mean())
        x = x[np.searchsorted(np.cumsum(w / w.sum()), (np.arange(6) + 0.5) / 6)]
    return ll


@program(normal(8), np.array([0.2, 0.3, 0.5]))
def mixture_em(x, pi):
    mu = np.array([-1.0, 0.0, 1.0])
    for _ in range(4):
        logp = np.log(pi) - 0.5 * (x[:, None] - mu) ** 2
        r = np.exp(logp - np.logaddexp.reduce(logp, axis=1, keepdims=True))
        n = r.sum(0)
        pi, mu = n / n.sum(), (r * x[:, None]).sum(0) / n
    return pi, mu


@program(normal(3, 3), normal(3, 3), 0.4)
def sinkhorn_log(cost, marg, eps):
    a = np.exp(marg[0]) / np.exp(marg[0]).sum()
    f, g = np.zeros(3), np.zeros(3)
    k = 0
    while k < 20:
        f = eps * (np.log(a) - np.logaddexp.reduce((g[None, :] - cost) / eps, axis=1))
        new = eps * (-np.log(3) - np.logaddexp.reduce((f[:, None] - cost) / eps, axis=0))
        if np.abs(new - g).max() < 1e-3:
            break
        g = new
        k += 1
    return np.sum(np.exp((f[:, None] + g[None, :] - cost) / eps) * cost)


@program(np.abs(normal(3)) + 0.5, 2.0)
def implicit_root(a, y):
    @ag.custom_vjp
    def root(a, y):
        x = 1.0
        for _ in range(40):
            x = x - (np.sum(a) * x ** 3 + x - y) / (3 * np.sum(a) * x ** 2 + 1)
        return x

    def forward(a, y):
        x = root(a, y)
        return x, (a, x)

    def backward(kept, g):
        a, x = kept
        d = 3 * np.sum(a) * x ** 2 + 1
        return -g * x ** 3 / d * np.ones_like(a), g / d

    root.defvjp(forward, backward)
    return root(a, y) ** 2 + y


@program(normal(4, 3), normal(4))
def ridge_vander(x, y):
    v = np.vander(x[:, 0], 3)
    beta, *_ = np.linalg.lstsq(v, y, rcond=None)
    return beta, np.linalg.norm(v @ beta - y)


@program(normal(4, 4))
def log_euclidean(a):
    w, v = np.linalg.eigh(a @ a.T + np.eye(4))
    return (v * np.log(w)) @ v.T


@program(normal(5), normal(3))
def toeplitz_solve(c, b):
    t = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            t[i, j] = c[i - j + 2]
    return np.linalg.solve(t + 4 * np.eye(3), b)


@program(normal(3, 4))
def nuclear_prox(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return (u * np.maximum(s - 0.3, 0.0)) @ vt


@program(normal(3) + 1j * normal(3), normal(3))
def quantum_steps(psi, h):
    psi = psi / np.linalg.norm(psi)
    for k in range(3):
        psi = np.exp(-0.1j * h) * psi
        psi = np.fft.ifft(np.exp(-0.05j * np.arange(3) ** 2) * np.fft.fft(psi))
    return np.abs(psi) ** 2


@program(0.3 + 0.2j, normal(4))
def polynomial_complex(z, c):
    out = 0j
    for t in c:
        out = out * z + t
    return out, abs(out) ** 2, np.angle(out)
