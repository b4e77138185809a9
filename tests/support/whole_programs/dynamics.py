"""Simulations: integrators, events, fields, and adjoints by hand."""

import numpy as np

import autograph as ag
from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(79)


def normal(*shape):
    return RNG.normal(size=shape)


@program(1.0, 0.3, 0.9)
def bouncing(h, v, e):
    t, dt, bounces = 0.0, 0.02, 0
    while t < 1.5 and bounces < 4:
        v -= 9.81 * dt
        h += v * dt
        if h < 0:
            h, v = -h * e, -v * e
            bounces += 1
        t += dt
    return h, v


@program(np.array([1.0, 0.0]), 0.8)
def van_der_pol(y, mu):
    def f(y):
        return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])

    t, h = 0.0, 0.1
    while t < 2.0:
        k1 = f(y)
        k2 = f(y + 0.5 * h * k1)
        k3 = f(y + 0.75 * h * k2)
        new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
        err = np.max(np.abs(h * (-5 * k1 / 72 + k2 / 12 + k3 / 9 - f(new) / 8)))
        if err < 1e-3:
            y, t = new, t + h
        h = min(h * min(2.0, 0.9 * (1e-3 / (err + 1e-12)) ** (1 / 3)), 2.0 - t + 1e-9)
    return y


@program(normal(2), normal(2, 2) * 0.3)
def ode_adjoint(z, w):
    def rhs(z, w):
        return np.tanh(w @ z)

    zs = [z]
    for _ in range(8):
        zs.append(zs[-1] + 0.1 * rhs(zs[-1], w))
    a, g = 2 * zs[-1], np.zeros((2, 2))
    for z in reversed(zs[:-1]):
        _, pull = ag.vjp(rhs, z, w)
        dz, dw = pull(a)
        a, g = a + 0.1 * dz, g + 0.1 * dw
    return a, g


@program(normal(3), normal(3))
def checkpointed(x, w):
    @ag.checkpoint
    def block(h):
        for _ in range(3):
            h = np.tanh(h * w) + 0.1 * h
        return h

    for _ in range(3):
        x = block(x)
    return x


@program(normal(5), 0.2)
def burgers(u, nu):
    for _ in range(6):
        left, right = np.roll(u, 1), np.roll(u, -1)
        flux = np.where(u > 0, u * (u - left), u * (right - u))
        u = u - 0.1 * flux + nu * 0.1 * (left - 2 * u + right)
    return u


@program(normal(4, 4) * 0.1 + 1)
def gauss_seidel(b):
    x = np.zeros((4, 4))
    k, r = 0, 1.0
    while r > 1e-2 and k < 20:
        r = 0.0
        for i in range(1, 3):
            for j in range(1, 3):
                new = 0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] + b[i, j])
                r += abs(new - x[i, j])
                x[i, j] = new
        k += 1
    return x


@program(normal(3, 2), normal(3, 2) * 0.1, np.abs(normal(3)) + 0.5)
def verlet(pos, vel, mass):
    def force(p):
        f = np.zeros_like(p)
        for i in range(3):
            for j in range(i):
                d = p[i] - p[j]
                g = mass[i] * mass[j] * d / (d @ d + 0.1) ** 1.5
                f[i] -= g
                f[j] += g
        return f

    a = force(pos) / mass[:, None]
    for _ in range(4):
        pos = pos + 0.05 * vel + 0.5 * 0.05 ** 2 * a
        new = force(pos) / mass[:, None]
        vel, a = vel + 0.5 * 0.05 * (a + new), new
    return pos, vel


@program(normal(6))
def spring_chain(x):
    def energy(x):
        return 0.5 * np.sum(np.diff(x) ** 2) + 0.05 * np.sum(x ** 4)

    v = np.zeros(6)
    for _ in range(4):
        v = v - 0.1 * ag.grad(energy)(x)
        x = x + 0.1 * v
    return x, v


@program(np.array([0.9, 0.05]), 0.6, 0.2)
def epidemic(s, beta, gamma):
    peak, t = 0.0, 0
    while t < 30:
        new = beta * s[0] * s[1]
        s = np.array([s[0] - new, s[1] + new - gamma * s[1]])
        peak = max(peak, s[1])
        if s[1] < 1e-3:
            break
        t += 1
    return s, peak


@program(0.7, 0.2, normal(5))
def lif_neuron(w, leak, current):
    v, out, spikes = 0.0, 0.0, 0
    for i in current:
        v = (1 - leak) * v + w * abs(i)
        if v > 1.0:
            v -= 1.0
            spikes += 1
        out += 1 / (1 + np.exp(-4 * (v - 0.5)))
    return out, v


@program(normal(3), normal(3))
def ray_sphere(o, d):
    d = d / np.linalg.norm(d)
    b, c = o @ d, o @ o - 16.0
    disc = b * b - c
    if disc < 0:
        return o * 0.0
    t = -b + np.sqrt(disc)
    p = o + t * d
    n = p / 4.0
    return d - 2 * (d @ n) * n


@program(normal(8), 0.3)
def iir_buffer(x, a):
    buf, y = np.zeros(3), np.empty(8)
    for n in range(8):
        buf[1:] = buf[:-1].copy()
        buf[0] = x[n] + a * buf[1] - 0.1 * buf[2]
        y[n] = buf.sum()
    return y


@program(normal(6), normal(3))
def delay_line(x, taps):
    line = [0.0] * 3
    out = []
    for t in x:
        line.insert(0, t)
        line.pop()
        out.append(sum(c * u for c, u in zip(taps, line)))
    return np.array(out)


@program(normal(3), 0.4)
def secant(a, x):
    def f(t):
        return a[0] + 3 * t + np.sin(a[1] * t) + 0.1 * a[2] * t ** 2

    x0, x1, k = x, x + 0.5, 0
    while abs(x1 - x0) > 1e-10 and k < 30:
        f0, f1 = f(x0), f(x1)
        x0, x1, k = x1, x1 - f1 * (x1 - x0) / (f1 - f0), k + 1
    return x1


@program(normal(4), 1.2)
def anderson(x, c):
    def g(z):
        return 0.5 * np.cos(c * z) + 0.1 * np.roll(z, 1)

    old, f_old = x, g(x) - x
    x = x + f_old
    for _ in range(4):
        f = g(x) - x
        df, dx = f - f_old, x - old
        theta = (f @ df) / (df @ df + 1e-9)
        old, f_old, x = x, f, x + f - theta * (dx + df)
    return x


@program(normal(5), 0.9)
def td_returns(r, gamma):
    out, acc = np.zeros_like(r), 0.0
    for i in reversed(range(len(r))):
        acc = r[i] + gamma * acc
        out[i] = acc
    return (out - out.mean()) / (out.std() + 1e-6)


@program(normal(3, 3), 0.8)
def value_iteration(rewards, gamma):
    v, k = np.zeros(3), 0
    while True:
        q = rewards + gamma * v[None, :]
        new = np.log(np.exp(3 * q).sum(1)) / 3
        k += 1
        if np.abs(new - v).max() < 1e-2 or k > 40:
            return new
        v = new


@program(normal(4), normal(4))
def catmull(p, q):
    pts = []
    for i in range(1, 3):
        for t in np.linspace(0, 1, 3):
            a = 0.5 * (2 * p[i] + (p[min(i + 1, 3)] - p[i - 1]) * t)
            pts.append(np.array([a, q[i] * t ** 2]))
    return sum(np.sqrt(np.sum((b - a) ** 2) + 1e-9) for a, b in zip(pts, pts[1:]))


@program(normal(4, 4), 0.5)
def level_set(phi, dt):
    for _ in range(3):
        gx, gy = np.gradient(phi)
        phi = phi - 0.1 * dt * np.sqrt(gx ** 2 + gy ** 2 + 1e-3)
    return phi


@program(np.abs(normal(4)) + 1.0, 5.0)
def water_filling(noise, power):
    lo, hi = noise.min(), noise.max() + power
    for _ in range(40):
        mid = 0.5 * (lo + hi)
        if np.maximum(mid - noise, 0.0).sum() > power:
            hi = mid
        else:
            lo = mid
    active = mid > noise
    level = (power + np.sum(noise * active)) / active.sum()
    return np.log(1 + np.maximum(level - noise, 0.0) / noise).sum()
