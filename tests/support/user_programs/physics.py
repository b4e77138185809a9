"""Rays, rigid bodies, pendulums, springs, cloth, robots."""

import math
from dataclasses import dataclass, replace

import numpy as np

import autograph as ag

R = np.random.default_rng(5)


def sdf(p, c, r):
    return min(np.linalg.norm(p - c) - r, p[1] + 1.0)


def sphere_trace(c, r, light):
    img = []
    for px in (-0.3, 0.1, 0.25):
        o, d = np.array([px, 0.05, -3.0]), np.array([0.0, 0.0, 1.0])
        t = 0.0
        for _ in range(40):
            dist = sdf(o + t * d, c, r)
            if dist < 1e-8:
                break
            t += dist
        p = o + t * d
        n = (p - c) / np.linalg.norm(p - c)
        img.append(max(0.0, float(n @ light)))
    return sum(img)


def volume_render(density, color, deltas):
    alpha = 1.0 - np.exp(-np.maximum(density, 0) * deltas)
    trans = np.concatenate([[1.0], np.cumprod(1.0 - alpha)[:-1]])
    w = alpha * trans
    return np.sum((w[:, None] * color).sum(0) ** 2)


def volume_render_loop(density, color):
    T, out = 1.0, np.zeros(3)
    for s, c in zip(density, color):
        a = 1 - math.exp(-s * 0.1)
        out += T * a * c
        T *= 1 - a
        if T < 0.05:
            break
    return out.sum() + T


def bilinear_texture(tex, uv):
    h, w = tex.shape
    x, y = uv[:, 0] * (w - 1), uv[:, 1] * (h - 1)
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    x1, y1 = np.clip(x0 + 1, 0, w - 1), np.clip(y0 + 1, 0, h - 1)
    fx, fy = x - x0, y - y0
    v = (
        tex[y0, x0] * (1 - fx) * (1 - fy)
        + tex[y0, x1] * fx * (1 - fy)
        + tex[y1, x0] * (1 - fx) * fy
        + tex[y1, x1] * fx * fy
    )
    return np.sum(v**2)


def soft_rasterize(tri, sigma):
    ys, xs = np.mgrid[0:1:6j, 0:1:6j]
    img = np.ones_like(xs)
    for k in range(3):
        a, b = tri[k], tri[(k + 1) % 3]
        edge = (b[0] - a[0]) * (ys - a[1]) - (b[1] - a[1]) * (xs - a[0])
        img = img * (1 / (1 + np.exp(-edge / sigma)))
    return ((img - 0.3) ** 2).mean()


def double_pendulum(theta, masses, lengths, n):
    (m1, m2), (l1, l2) = masses, lengths
    t1, t2, w1, w2 = theta
    g, dt = 9.81, 0.01
    for _ in range(n):
        d = t1 - t2
        den = 2 * m1 + m2 - m2 * np.cos(2 * d)
        a1 = (
            -g * (2 * m1 + m2) * np.sin(t1)
            - m2 * g * np.sin(t1 - 2 * t2)
            - 2 * np.sin(d) * m2 * (w2**2 * l2 + w1**2 * l1 * np.cos(d))
        ) / (l1 * den)
        a2 = (
            2
            * np.sin(d)
            * (w1**2 * l1 * (m1 + m2) + g * (m1 + m2) * np.cos(t1) + w2**2 * l2 * m2 * np.cos(d))
            / (l2 * den)
        )
        w1 += dt * a1
        w2 += dt * a2
        t1, t2 = t1 + dt * w1, t2 + dt * w2
    return np.cos(t1) * l1 + np.cos(t2) * l2


def quat_mul(q, r):
    w1, x1, y1, z1 = q
    w2, x2, y2, z2 = r
    return np.array(
        [
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        ]
    )


@dataclass(frozen=True)
class Body:
    q: np.ndarray
    omega: np.ndarray
    inertia: np.ndarray


def rigid_step(b, torque, dt):
    wdot = (torque - np.cross(b.omega, b.inertia * b.omega)) / b.inertia
    omega = b.omega + dt * wdot
    q = b.q + 0.5 * dt * quat_mul(b.q, np.concatenate(([0.0], omega)))
    return replace(b, q=q / np.linalg.norm(q), omega=omega)


def rigid_body(b, torques):
    for t in torques:
        b = rigid_step(b, t, 0.05)
    return b.q[0] + b.omega @ b.omega


def rodrigues(rvec, pts):
    th = np.sqrt(rvec @ rvec)
    k = rvec / th
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    Rm = np.eye(3) + np.sin(th) * K + (1 - np.cos(th)) * K @ K
    p = pts @ Rm.T + np.array([0, 0, 4.0])
    uv = p[:, :2] / p[:, 2:]
    return np.sum(uv**2)


def bundle_residual(cams, pts, obs):
    total = 0.0
    for ci, pi, xy in obs:
        r, t, f = cams[ci]["r"], cams[ci]["t"], cams[ci]["f"]
        p = pts[pi] + np.cross(r, pts[pi]) + t
        e = np.asarray(xy) - f * p[:2] / p[2]
        s = e @ e
        total += np.where(s < 1.0, s, 2 * np.sqrt(s) - 1)
    return total


def spring_chain(pos, rest, k):
    pos = pos.copy()
    vel = np.zeros_like(pos)
    for _ in range(8):
        f = np.zeros_like(pos)
        for i in range(len(pos) - 1):
            d = pos[i + 1] - pos[i]
            l = np.linalg.norm(d)
            fi = k * (l - rest[i]) * d / l
            f[i] += fi
            f[i + 1] -= fi
        f[:, 1] -= 0.1
        vel = 0.99 * (vel + 0.05 * f)
        pos += 0.05 * vel
        pos[0] = 0.0
    return np.sum(pos[-1] ** 2)


def bouncing_ball(h, e):
    y, v, t, bounces = h, 0.0, 0.0, 0
    while bounces < 3:
        disc = math.sqrt(v * v + 2 * 9.8 * y)
        dt = (v + disc) / 9.8
        t += dt
        v = e * (9.8 * dt - v)
        y = 0.0
        bounces += 1
    return t + v


def billiard(x0, v0):
    x, v = np.array(x0), np.array(v0)
    length = 0.0
    for _ in range(5):
        times = np.where(v > 0, (1 - x) / v, -x / v)
        k = np.argmin(times)
        t = times[k]
        x = x + t * v
        length = length + t * np.linalg.norm(v)
        v = v.copy()
        v[k] *= -0.9
    return length + x.sum()


def forward_kinematics(angles, lengths):
    T = np.eye(3)
    pts = []
    for a, l in zip(angles, lengths):
        c, s = np.cos(a), np.sin(a)
        T = T @ np.array([[c, -s, l * c], [s, c, l * s], [0, 0, 1]])
        pts.append(T[:2, 2])
    return np.sum((pts[-1] - np.array([1.0, 0.5])) ** 2) + 0.01 * sum(p @ p for p in pts)


def inverse_kinematics(angles, lengths, target):
    """Damped least squares, with a Jacobian inside."""

    def tip(a):
        s = np.cumsum(a)
        return np.array([np.sum(lengths * np.cos(s)), np.sum(lengths * np.sin(s))])

    for _ in range(4):
        J = ag.jacobian(tip)(angles)
        e = target - tip(angles)
        angles = angles + J.T @ np.linalg.solve(J @ J.T + 0.1 * np.eye(2), e)
    return np.sum((tip(angles) - target) ** 2) + 0.1 * angles @ angles


def ising_mean_field(J, h):
    m = np.zeros_like(h)
    while True:
        new = np.tanh(J @ m + h)
        if np.abs(new - m).max() < 1e-11:
            break
        m = 0.5 * m + 0.5 * new
    return np.sum(m * h)


def lennard_jones(pos, box):
    n = len(pos)
    e = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = pos[i] - pos[j]
            d = d - box * np.round(d / box)
            r2 = d @ d
            if r2 < 9.0:
                s6 = 1.0 / r2**3
                e += 4 * (s6 * s6 - s6)
    return e


def wave_equation(c, src):
    n = 10
    u0, u1 = np.zeros(n), np.zeros(n)
    rec = []
    for s in src:
        lap = np.zeros(n)
        lap[1:-1] = u1[2:] - 2 * u1[1:-1] + u1[:-2]
        u2 = 2 * u1 - u0 + 0.2 * c**2 * lap
        u2[2] += s
        rec.append(u2[7])
        u0, u1 = u1, u2
    return np.sum(np.array(rec) ** 2) * 1e3


def lattice_boltzmann(f, omega):
    w = np.array([4 / 6, 1 / 6, 1 / 6])
    e = np.array([0, 1, -1])
    for _ in range(5):
        rho = f.sum(axis=0)
        u = (f * e[:, None]).sum(axis=0) / rho
        for k in range(3):
            feq = w[k] * rho * (1 + 3 * e[k] * u + 4.5 * (e[k] * u) ** 2 - 1.5 * u**2)
            f[k] += omega * (feq - f[k])
        for k in range(3):
            f[k] = np.roll(f[k], e[k])
    return np.sum(f[1] * np.arange(f.shape[1])) + np.var(f[0])


_n = lambda v: v / np.linalg.norm(v)
PROGRAMS = [
    (sphere_trace, np.array([0.02, 0.1, 0.5]), 1.0, _n(np.array([0.3, 0.5, -1.0]))),
    (volume_render, R.normal(size=8) + 1, R.uniform(size=(8, 3)), R.uniform(0.05, 0.2, 8)),
    (volume_render_loop, R.uniform(1, 9, 8), R.uniform(size=(8, 3))),
    (bilinear_texture, R.normal(size=(5, 6)), R.uniform(0.1, 0.9, (7, 2))),
    (soft_rasterize, np.array([[0.1, 0.1], [0.9, 0.2], [0.4, 0.8]]), 0.05),
    (double_pendulum, R.normal(size=4), (1.0, 1.3), (0.9, 1.1), 30),
    (
        rigid_body,
        Body(_n(R.normal(size=4)), R.normal(size=3), np.array([1.0, 2.0, 3.0])),
        R.normal(size=(6, 3)),
    ),
    (rodrigues, R.normal(size=3), R.normal(size=(5, 3))),
    (
        bundle_residual,
        [
            {"r": R.normal(size=3) * 0.1, "t": np.array([0, 0, 4.0]), "f": 1.2},
            {"r": R.normal(size=3) * 0.1, "t": np.array([0.5, 0, 5.0]), "f": 0.9},
        ],
        R.normal(size=(3, 3)),
        [(0, 0, (0.1, 0.2)), (1, 0, (0.0, 0.1)), (0, 2, (3.3, -0.2)), (1, 1, (0.5, 0.5))],
    ),
    (spring_chain, np.cumsum(R.uniform(0.5, 1, (4, 2)), axis=0), R.uniform(0.6, 1, 3), 2.0),
    (bouncing_ball, 2.0, 0.8),
    (billiard, np.array([0.3, 0.4]), np.array([1.0, 0.73])),
    (forward_kinematics, R.normal(size=4), R.uniform(0.5, 1, 4)),
    (
        inverse_kinematics,
        np.array([0.3, 0.5, 0.2]),
        np.array([1.0, 0.8, 0.5]),
        np.array([1.0, 1.2]),
    ),
    (ising_mean_field, 0.2 * R.normal(size=(5, 5)), R.normal(size=5)),
    (lennard_jones, R.uniform(0, 4, (4, 3)) * 1.5, 6.0),
    (wave_equation, R.uniform(0.8, 1.2, 10), R.normal(size=16)),
    (lattice_boltzmann, R.uniform(0.5, 1, (3, 8)), 0.9),
]
