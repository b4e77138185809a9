"""Programs of textbooks: solvers, factorisations, geometry, searches."""

from typing import NamedTuple

import numpy as np

import autograph as ag
from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(5)


def normal(*shape):
    return RNG.normal(size=shape)


def uniform(*shape):
    return RNG.uniform(0.3, 1.2, size=shape)


@program(uniform(2), uniform(2, 2) * 0.3)
def ode_event(y, w):
    t = 0.0
    h = 0.05
    prev = y
    while True:
        k = np.tanh(w @ y) - 0.2 * y
        nxt = y + h * k
        t += h
        if nxt[0] < 0.3 * prev[0] or t > 1.0:
            # linear interpolation of the event
            a = (y[0] - 0.3 * prev[0]) / (y[0] - nxt[0] + 1e-3)
            return (y + a * (nxt - y)) * t
        y = nxt


@program(np.linspace(0, 1, 6), normal(6), np.array([0.13, 0.52, 0.77]))
def natural_cubic(t, y, q):
    n = len(t)
    h = np.diff(t)
    A = np.zeros((n, n))
    r = np.zeros(n)
    A[0, 0] = A[-1, -1] = 1.0
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        r[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    m = np.linalg.solve(A, r)
    out = []
    for u in q:
        i = np.searchsorted(t, u) - 1
        a = (t[i + 1] - u) / h[i]
        b = (u - t[i]) / h[i]
        out.append(
            a * y[i] + b * y[i + 1] + ((a**3 - a) * m[i] + (b**3 - b) * m[i + 1]) * h[i] ** 2 / 6
        )
    return np.array(out)


@program(normal(2, 6) * 0.2, normal(5, 3) + [0, 0, 4], normal(2, 5, 2))
def bundle_adjust(cams, pts, obs):
    def skew(w):
        z = np.zeros((3, 3))
        z[0, 1] = -w[2]
        z[0, 2] = w[1]
        z[1, 0] = w[2]
        z[1, 2] = -w[0]
        z[2, 0] = -w[1]
        z[2, 1] = w[0]
        return z

    cost = 0.0
    for cam, o in zip(cams, obs):
        th = np.linalg.norm(cam[:3])
        K = skew(cam[:3] / th)
        Rm = np.eye(3) + np.sin(th) * K + (1 - np.cos(th)) * (K @ K)
        p = pts @ Rm.T + cam[3:]
        uv = p[:, :2] / p[:, 2:]
        e = ((uv - o) ** 2).sum(-1)
        cost += np.where(e < 1.0, e, 2 * np.sqrt(e) - 1).sum()
    return cost


@program(normal(3), normal(3) * 0.3, normal(6, 3), np.array([1, 0, 1, 1, 0, 1]))
def vi_draws(mu, rho, X, y):
    rng = np.random.default_rng(3)
    s = np.log1p(np.exp(rho))
    elbo = 0.0
    for _ in range(4):
        eps = rng.standard_normal(3)
        w = mu + s * eps
        z = X @ w
        elbo += (y * z - np.logaddexp(0, z)).sum()
        elbo -= ((w**2).sum() - (eps**2).sum()) / 2 + np.log(s).sum() * -1
    return elbo / 4


@program(uniform(3), uniform(3, 3))
def newton_inside(c, M):
    x = np.ones(3)
    for _ in range(20):
        F = x**3 + M @ x - c
        if np.abs(F).max() < 1e-13:
            break
        J = np.diag(3 * x**2) + M
        x = x - np.linalg.solve(J, F)
    return x


@program(normal(4, 4) * 0.2, normal(4), normal(4, 2))
def deq_args(W, b, U_):
    x = np.ones(2)

    def f(z, W, b, U_):
        return np.tanh(W @ z + U_ @ x + b)

    @ag.custom_vjp
    def fix(W, b, U_):
        z = np.zeros(4)
        for _ in range(80):
            z = f(z, W, b, U_)
        return z

    def fwd(W, b, U_):
        z = fix(W, b, U_)
        return z, (z, W, b, U_)

    def bwd(kept, g):
        z, W, b, U_ = kept
        _, pull = ag.vjp(f, z, W, b, U_)
        u = g
        for _ in range(80):
            u = g + pull(u)[0]
        return pull(u)[1:]

    fix.defvjp(fwd, bwd)
    return np.sum(fix(W, b, U_) ** 2)


@program(normal(5, 5))
def cholesky_hand(a):
    a = a @ a.T + 5 * np.eye(5)
    n = 5
    L = np.zeros_like(a)
    for j in range(n):
        s = a[j, j] - L[j, :j] @ L[j, :j]
        L[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            L[i, j] = (a[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    return L


@program(normal(4, 3), normal(3))
def gauss_jordan(a, b):
    m = np.hstack([a.T @ a + np.eye(3), b[:, None]])
    for c in range(3):
        p = c + np.argmax(np.abs(m[c:, c]))
        m[[c, p]] = m[[p, c]]
        m[c] /= m[c, c]
        for r in range(3):
            if r != c:
                m[r] -= m[r, c] * m[c]
    return m[:, -1]


@program(uniform(4), uniform(4))
def game_of_products(a, b):
    total = 1.0
    stack = [(0, 1.0)]
    while stack:
        i, p = stack.pop()
        if i == len(a):
            total += np.log1p(p)
            continue
        stack.append((i + 1, p * a[i]))
        if b[i] > 0.6:
            stack.append((i + 1, p * b[i]))
    return total


@program(normal(8))
def fft_recursive_iter(x):
    x = x.astype(complex)
    n = len(x)
    j = 0
    x = x.copy()
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            x[i], x[j] = x[j], x[i]
    L = 2
    while L <= n:
        w = np.exp(-2j * np.pi * np.arange(L // 2) / L)
        for s in range(0, n, L):
            u = x[s : s + L // 2].copy()
            v = x[s + L // 2 : s + L] * w
            x[s : s + L // 2] = u + v
            x[s + L // 2 : s + L] = u - v
        L *= 2
    return np.abs(x) ** 2


class State(NamedTuple):
    pos: np.ndarray
    vel: np.ndarray
    t: float = 0.0


@program(State(normal(3, 2), normal(3, 2)), uniform(3))
def nbody_namedtuple(s, m):
    def acc(p):
        d = p[None] - p[:, None]
        r2 = (d**2).sum(-1) + 0.1
        np.fill_diagonal(r2, 1.0)
        return (m[None, :, None] * d / r2[..., None] ** 1.5).sum(1)

    a = acc(s.pos)
    for _ in range(5):
        v = s.vel + 0.05 * a
        s = s._replace(pos=s.pos + 0.1 * v, t=s.t + 0.1)
        a = acc(s.pos)
        s = s._replace(vel=v + 0.05 * a)
    return s


@program(normal(5, 3), uniform(3))
def mahal_cov(x, s):
    c = np.cov(x.T) + np.diag(s)
    L = np.linalg.cholesky(c)
    z = np.linalg.solve(L, (x - x.mean(0)).T)
    return (z**2).sum(0), np.log(np.diag(L)).sum()


@program(normal(3), normal(3))
def grads_in_loop(x, y):
    f = lambda z: (np.sin(z) * y).sum() + 0.5 * (z @ z)
    for i in range(3):
        v, g = ag.value_and_grad(f)(x)
        if v > 1.0:
            x = x - 0.1 * g
        else:
            x = x - 0.05 * g
    return x


@program(normal(2), 0.7)
def jac_of_flow(x, mu):
    F = lambda z: np.array([z[1], mu * (1 - z[0] ** 2) * z[1] - z[0]])
    J = ag.jacobian(F)(x)
    H = ag.hessian(lambda z: (F(z) ** 2).sum())(x)
    return np.linalg.det(J) + np.trace(H), J @ x


@program(uniform(5))
def while_else_break(x):
    s = 1.0
    i = 0
    while i < len(x):
        s *= x[i]
        if s < 0.05:
            break
        i += 1
    else:
        s = s * 10
    for j, v in enumerate(x[::-1], 1):
        if v > 1.1:
            continue
        s += v**j
        if j == 4:
            return s * 2
    return s


@program(normal(3, 3) + 4 * np.eye(3), normal(3, 3))
def riccati(A, Q):
    A = A / 9
    Q = Q @ Q.T
    P_ = Q
    for _ in range(200):
        new = A.T @ P_ @ A - A.T @ P_ @ np.linalg.solve(np.eye(3) + P_, P_ @ A) + Q
        if np.max(np.abs(new - P_)) < 1e-13:
            break
        P_ = new
    return P_


@program(normal(8))
def sort_inside(x):
    s = np.sort(x)[::-1]
    r = np.argsort(np.argsort(x))
    l = sorted(x, key=abs)
    m = sorted([(v**2, i) for i, v in enumerate(x)], reverse=True)
    return s.cumsum(), x[r % 8] * r, l[0] * l[-1], m[0][0] + x[m[1][1]]
