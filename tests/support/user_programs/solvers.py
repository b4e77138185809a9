"""Differential equations, implicit steps and adjoints."""

import math

import numpy as np

import autograph as ag

R = np.random.default_rng(1)


def lorenz(state, p):
    x, y, z = state
    return np.stack([p["sigma"] * (y - x), x * (p["rho"] - z) - y, x * y - p["beta"] * z])


def rk4_lorenz(p, y0, steps=12, dt=0.01):
    y = y0
    traj = [y]
    for _ in range(steps):
        k1 = lorenz(y, p)
        k2 = lorenz(y + dt / 2 * k1, p)
        k3 = lorenz(y + dt / 2 * k2, p)
        k4 = lorenz(y + dt * k3, p)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        traj.append(y)
    return np.mean(np.stack(traj) ** 2)


def dopri5(theta, y0, t1, rtol=1e-6):
    c = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
    a = (
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    )
    e = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)

    def f(t, y):
        return np.array([y[1], -theta[0] * np.sin(y[0]) - theta[1] * y[1]]) + 0.1 * np.cos(t)

    t, h, y = 0.0, 0.05, y0
    ks = [f(t, y)]
    n = 0
    while t < t1 and n < 60:
        if t + h > t1:
            h = t1 - t
        del ks[1:]
        for ci, row in zip(c, a):
            dy = sum(w * k for w, k in zip(row, ks))
            ks.append(f(t + ci * h, y + h * dy))
        err = h * sum(w * k for w, k in zip(e, ks))
        norm = np.sqrt(np.mean((err / (rtol + rtol * np.abs(y))) ** 2))
        if norm <= 1:
            t = t + h
            y = y + h * sum(w * k for w, k in zip(a[-1], ks))
            ks[0] = ks[-1]
        h = h * min(5.0, max(0.2, 0.9 * (norm + 1e-12) ** -0.2))
        n += 1
    return np.sum(y**2)


def implicit_euler_newton(k, y0, steps):
    y = y0.copy()
    n = len(y)
    dt = 0.1
    for _ in range(steps):
        z = y.copy()
        for _ in range(8):
            g = z - y + dt * k * z**3
            J = np.eye(n) + np.diag(3 * dt * k * z**2)
            dz = np.linalg.solve(J, -g)
            z += dz
            if np.max(np.abs(dz)) < 1e-13:
                break
        y = z
    return y.sum() + (y**2).sum()


def euler_maruyama(mu, sigma, x0, dw):
    x = x0
    dt = 0.01
    for k in range(dw.shape[0]):
        x = x + mu * x * dt + sigma * x * dw[k]
    payoff = np.maximum(x - 1.0, 0.0)
    return np.exp(-0.02) * payoff.mean()


def milstein(params, dw):
    a, b, s = params
    r = np.full(dw.shape[1], 0.03)
    acc = np.zeros_like(r)
    for w in dw:
        root = np.sqrt(np.maximum(r, 1e-12))
        r = r + a * (b - r) * 0.1 + s * root * w + 0.25 * s**2 * (w**2 - 0.1)
        acc += r * 0.1
    return np.mean(np.exp(-acc))


def heat_crank_nicolson(u0, alpha, nt):
    n = u0.shape[0]
    r = alpha * 0.1
    A = (
        np.diag(np.full(n, 1 + r))
        + np.diag(np.full(n - 1, -r / 2), 1)
        + np.diag(np.full(n - 1, -r / 2), -1)
    )
    B = (
        np.diag(np.full(n, 1 - r))
        + np.diag(np.full(n - 1, r / 2), 1)
        + np.diag(np.full(n - 1, r / 2), -1)
    )
    u = u0
    for _ in range(nt):
        u = np.linalg.solve(A, B @ u)
    return np.dot(u, u)


def thomas(a, b, c, d):
    n = len(d)
    cp = np.zeros(n)
    dp = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m if i < n - 1 else 0.0
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.empty(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def tridiagonal_loss(a, b, c, d):
    x = thomas(a, b + 5.0, c, d)
    return np.sum(np.sin(x))


def burgers_upwind(u, nu, steps):
    u = u.copy()
    dx, dt = 0.1, 0.005
    for _ in range(steps):
        un = u.copy()
        u[1:-1] = (
            un[1:-1]
            - un[1:-1] * dt / dx * (un[1:-1] - un[:-2])
            + nu * dt / dx**2 * (un[2:] - 2 * un[1:-1] + un[:-2])
        )
        u[0] = u[-1] = un[0] * 0.9
    return np.sum(u**2)


def leapfrog_nbody(pos, vel, mass):
    eps = 0.1

    def acc(p):
        d = p[None, :, :] - p[:, None, :]
        r2 = (d**2).sum(-1) + eps**2
        inv = r2**-1.5
        return np.einsum("ij,ijk,j->ik", inv, d, mass)

    a = acc(pos)
    for _ in range(6):
        vel = vel + 0.05 * a
        pos = pos + 0.1 * vel
        a = acc(pos)
        vel = vel + 0.05 * a
    kinetic = 0.5 * np.sum(mass[:, None] * vel**2)
    return kinetic + np.sum(pos[0] ** 2)


def shooting(v0, k):
    """Bisection-free shooting: secant steps on the end point."""

    def end(v):
        x, t = 0.0, 0.0
        while t < 0.999:
            x, v, t = x + 0.1 * v, v - 0.1 * k * math.sin(x), t + 0.1
        return x

    a, b = v0, v0 + 0.1
    fa, fb = end(a) - 1.0, end(b) - 1.0
    while abs(fb) > 1e-10:
        a, b = b, b - fb * (b - a) / (fb - fa)
        fa, fb = fb, end(b) - 1.0
    return b * b


def neural_ode_adjoint(w, x0):
    """The adjoint method by hand, as in torchdiffeq; its own gradient by a rule."""

    def f(w, x):
        return np.tanh(w @ x)

    def forward(w, x):
        for _ in range(20):
            x = x + 0.05 * f(w, x)
        return x

    @ag.custom_vjp
    def solve(w, x):
        return forward(w, x)

    def fwd(w, x):
        xs = [x]
        for _ in range(20):
            x = x + 0.05 * f(w, x)
            xs.append(x)
        return x, (w, xs)

    def bwd(kept, g):
        w, xs = kept
        gw = np.zeros_like(w)
        for x in reversed(xs[:-1]):
            _, pull = ag.vjp(f, w, x)
            dw, dx = pull(0.05 * g)
            gw += dw
            g = g + dx
        return gw, g

    solve.defvjp(fwd, bwd)
    y = solve(w, x0)
    return np.sum(y**2) + y[0]


class Integrator:
    def __init__(self, rhs, dt):
        self.rhs = rhs
        self.dt = dt
        self.history = []

    def step(self, y, t):
        f = self.rhs(t, y)
        self.history.append(f)
        if len(self.history) < 2:
            return y + self.dt * f
        return y + self.dt * (1.5 * self.history[-1] - 0.5 * self.history[-2])

    def run(self, y, n):
        for i in range(n):
            y = self.step(y, i * self.dt)
        return y


def adams_bashforth(k, y0):
    solver = Integrator(lambda t, y: -k * y + np.sin(t), 0.05)
    return np.sum(solver.run(y0, 15) ** 2)


def sir_with_events(beta, gamma, s0):
    S, I, Rr = s0, 1.0 - s0, 0.0
    peak = I
    days = 0
    while I > 0.01 and days < 150:
        new = beta * S * I
        if I > 0.1:
            new = new * 0.6
        S -= new
        I += new - gamma * I
        Rr += gamma * I
        peak = max(peak, I)
        days += 1
    return peak + Rr


PROGRAMS = [
    (rk4_lorenz, {"sigma": 10.0, "rho": 28.0, "beta": 8 / 3}, np.array([1.0, 1.1, 0.9])),
    (dopri5, np.array([2.0, 0.1]), np.array([1.0, 0.0]), 1.3),
    (implicit_euler_newton, 1.3, R.normal(size=4), 4),
    (euler_maruyama, 0.05, 0.2, R.uniform(0.9, 1.2, 16), R.normal(size=(10, 16)) * 0.1),
    (milstein, np.array([0.5, 0.04, 0.1]), R.normal(size=(8, 10)) * 0.3),
    (heat_crank_nicolson, R.normal(size=7), 0.6, 5),
    (tridiagonal_loss, R.normal(size=6), R.normal(size=6), R.normal(size=6), R.normal(size=6)),
    (burgers_upwind, 1 + 0.3 * R.normal(size=12), 0.07, 7),
    (leapfrog_nbody, R.normal(size=(4, 3)), R.normal(size=(4, 3)), R.uniform(0.5, 2, 4)),
    (shooting, 1.0, 1.7),
    (neural_ode_adjoint, R.normal(size=(3, 3)), R.normal(size=3)),
    (adams_bashforth, 1.2, R.normal(size=3)),
    (sir_with_events, 0.4, 0.1, 0.97),
]
