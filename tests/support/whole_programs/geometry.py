"""Geometry and physics: events, rays, splines, flows, orbits."""

import numpy as np

from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(21)


def normal(*shape):
    return RNG.normal(size=shape)


def uniform(low, high, *shape):
    return RNG.uniform(low, high, shape)


@program(np.array([0.0, 1.0]), np.array([2.0, 3.0]), 0.8)
def bounce(y0, v0, e):
    x, y = y0
    vx, vy = v0
    t = 0
    hits = 0
    while t < 1.5:
        vy -= 9.8 * 0.01
        x += vx * 0.01
        y += vy * 0.01
        if y < 0:
            y = -y
            vy = -e * vy
            hits += 1
            if hits > 3:
                break
        t += 0.01
    return (x, y)


def sdf(p, c, r):
    return np.minimum(np.linalg.norm(p - c) - r, p[1] + 1.0)


@program(np.array([0.1, 0.2, 3.0]), 0.9)
def march(c, r):
    img = []
    for i in range(3):
        row = []
        for j in range(3):
            d = np.array([(j - 1) * 0.3, (1 - i) * 0.3, 1.0])
            d = d / np.sqrt(d @ d)
            t = 0.0
            k = 0
            while k < 40:
                h = sdf(t * d, c, r)
                if h < 1e-05:
                    break
                t += h
                k += 1
            if t < 8.0:
                p = t * d
                e = 0.001
                nrm = (
                    np.array(
                        [
                            sdf(p + np.array([e, 0, 0]), c, r) - sdf(p, c, r),
                            sdf(p + np.array([0, e, 0]), c, r) - sdf(p, c, r),
                            sdf(p + np.array([0, 0, e]), c, r) - sdf(p, c, r),
                        ]
                    )
                    / e
                )
                row.append(max(0.0, float(nrm @ np.array([0.0, 0.6, -0.8]))))
            else:
                row.append(0.0)
        img.append(row)
    return np.array(img).sum()


@program(normal(5), np.linspace(0, 1, 5), np.array([0.13, 0.37, 0.81]))
def spline(y, x, q):
    h = np.diff(x)
    N = 5
    A = np.eye(N)
    rhs = np.zeros(N)
    for i in range(1, N - 1):
        A[i, i - 1] = h[i - 1]
        A[i, i] = 2 * (h[i - 1] + h[i])
        A[i, i + 1] = h[i]
        rhs[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    M = np.linalg.solve(A, rhs)
    k = np.clip(np.searchsorted(x, q) - 1, 0, N - 2)
    t = q - x[k]
    return (
        y[k]
        + t * ((y[k + 1] - y[k]) / h[k] - h[k] * (2 * M[k] + M[k + 1]) / 6)
        + t**2 * M[k] / 2
        + t**3 * (M[k + 1] - M[k]) / (6 * h[k])
    )


@program(normal(4, 2))
def de_casteljau(pts, t=0.3):
    pts = [p for p in pts]
    while len(pts) > 1:
        pts = [(1 - t) * a + t * b for a, b in zip(pts, pts[1:])]
    return pts[0]


@program(normal(6, 6))
def total_variation(u_):
    for _ in range(3):
        gx = np.roll(u_, -1, 0) - u_
        gy = np.roll(u_, -1, 1) - u_
        nrm = np.sqrt(gx**2 + gy**2 + 0.001)
        px, py = (gx / nrm, gy / nrm)
        u_ = u_ + 0.1 * (px - np.roll(px, 1, 0) + py - np.roll(py, 1, 1))
    return u_


@program(normal(3), normal(4, 3))
def rigid(w, pts):
    th = np.sqrt(w @ w)
    K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) / th
    Rm = np.eye(3) + np.sin(th) * K + (1 - np.cos(th)) * K @ K
    q = pts @ Rm.T
    return q[:, :2] / (q[:, 2:] + 5)


@program(np.array([1.0, 0.0, 0.0, 1.0]))
def leapfrog_event(s):
    q, p = (s[:2], s[2:])
    n_ = 0
    while q[1] >= 0 or n_ < 3:
        p = p - 0.05 * q / np.sum(q * q) ** 1.5
        q = q + 0.1 * p
        p = p - 0.05 * q / np.sum(q * q) ** 1.5
        n_ += 1
        if n_ > 60:
            break
    return (q, p, 0.5 * p @ p - 1 / np.linalg.norm(q))


@program(uniform(0.5, 1.5, 3))
def lotka(p):
    a, b, c = p
    def_ = lambda z: np.stack([a * z[0] - b * z[0] * z[1], -c * z[1] + b * z[0] * z[1]])
    z = np.array([1.0, 0.5])
    out = [z]
    for _ in range(20):
        k1 = def_(z)
        k2 = def_(z + 0.05 * k1)
        z = z + 0.1 * k2
        out.append(z)
    return np.vstack(out)[::5]
