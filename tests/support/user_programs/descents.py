"""Gradients through optimisers, fixed points, implicit differentiation."""

from collections import OrderedDict, deque

import numpy as np

import autograph as ag

R = np.random.default_rng(6)


def rosen(x, a):
    return np.sum(a * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def adam_unrolled(lr, x0, a):
    m, v, x = np.zeros_like(x0), np.zeros_like(x0), x0
    g = ag.grad(rosen)
    for t in range(1, 9):
        d = g(x, a)
        m = 0.9 * m + 0.1 * d
        v = 0.99 * v + 0.01 * d**2
        x = x - lr * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-8)
    return rosen(x, a)


class SGD:
    def __init__(self, params, lr, momentum=0.9, nesterov=False):
        self.params, self.lr, self.momentum, self.nesterov = params, lr, momentum, nesterov
        self.velocity = {k: np.zeros_like(v) for k, v in params.items()}

    def step(self, grads):
        for k in self.params:
            self.velocity[k] = self.momentum * self.velocity[k] - self.lr * grads[k]
            if self.nesterov:
                self.params[k] = (
                    self.params[k] + self.momentum * self.velocity[k] - self.lr * grads[k]
                )
            else:
                self.params[k] = self.params[k] + self.velocity[k]


def maml(params, x, y, inner_lr):
    def loss(p, x, y):
        h = np.tanh(x @ p["w1"] + p["b1"])
        return np.mean((h @ p["w2"] - y) ** 2)

    g = ag.grad(loss)(params, x[:4], y[:4])
    fast = {k: params[k] - inner_lr * g[k] for k in params}
    return loss(fast, x[4:], y[4:])


def hyper_sgd(loglr, logwd, w0, x, y):
    opt = SGD({"w": w0, "b": np.zeros(())}, np.exp(loglr), nesterov=True)

    def loss(p):
        r = x @ p["w"] + p["b"] - y
        return np.mean(r * r) + np.exp(logwd) * np.sum(p["w"] ** 2)

    for _ in range(5):
        opt.step(ag.grad(loss)(dict(opt.params)))
    return np.mean((x @ opt.params["w"] - y) ** 2)


def lbfgs_two_loop(x0, a):
    f = lambda x: rosen(x, a)
    g = ag.grad(f)
    mem = deque(maxlen=3)
    x, d = x0, g(x0)
    for _ in range(4):
        q = d
        al = []
        for s, y, rho in reversed(mem):
            c = rho * (s @ q)
            al.append(c)
            q = q - c * y
        if mem:
            s, y, rho = mem[-1]
            q = q * (s @ y) / (y @ y)
        for (s, y, rho), c in zip(mem, reversed(al)):
            q = q + s * (c - rho * (y @ q))
        step = 1e-3 if not mem else 0.3
        xn = x - step * q
        dn = g(xn)
        mem.append((xn - x, dn - d, 1.0 / ((xn - x) @ (dn - d))))
        x, d = xn, dn
    return f(x)


def conjugate_gradient(A, b, tol):
    A = A @ A.T + np.eye(A.shape[0])
    x = np.zeros_like(b)
    r = b - A @ x
    p = r
    rs = r @ r
    while np.sqrt(rs) > tol:
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
    return x @ b


def gradient_descent_while(x, w):
    it = 0
    while True:
        g = 2 * w * (x - np.array([1.0, -1.0])) + 0.1 * x**3
        if np.linalg.norm(g) < 1e-6 or it >= 500:
            break
        x = x - 0.1 * g
        it += 1
    return np.sum(x * w)


def newton_while(a, b):
    x = np.ones_like(a)
    for it in range(50):
        f = x**3 + a * x - b
        dx = f / (3 * x**2 + a)
        x = x - dx
        if np.all(np.abs(dx) < 1e-14):
            break
    return x.sum()


def backtracking(x, c):
    f = lambda x: np.sum((x - c) ** 4) + np.sum(x**2)
    for _ in range(3):
        g = ag.grad(f)(x)
        t = 1.0
        while f(x - t * g) > f(x) - 0.5 * t * (g @ g):
            t *= 0.5
        x = x - t * g
    return f(x)


@ag.custom_vjp
def fixed_point(a, x0):
    x = x0
    while True:
        new = np.cos(a * x)
        if np.max(np.abs(new - x)) < 1e-13:
            return new
        x = new


def _fp_fwd(a, x0):
    x = fixed_point(a, x0)
    return x, (a, x)


def _fp_bwd(res, g):
    a, x = res
    s = -np.sin(a * x)
    lam = g / (1 - s * a)
    return lam * s * x, np.zeros_like(x)


fixed_point.defvjp(_fp_fwd, _fp_bwd)


def implicit_fixed_point(a, x0):
    return np.sum(fixed_point(a, x0) ** 2)


def deep_equilibrium(W, U, x):
    """A DEQ layer: implicit derivative by a linear solve in bwd."""

    def cell(W, U, x, z):
        return np.tanh(W @ z + U @ x)

    @ag.custom_vjp
    def layer(W, U, x):
        z = np.zeros(W.shape[0])
        for _ in range(200):
            z = cell(W, U, x, z)
        return z

    def fwd(W, U, x):
        z = layer(W, U, x)
        return z, (W, U, x, z)

    def bwd(res, g):
        W, U, x, z = res
        J = ag.jacobian(cell, 3)(W, U, x, z)
        lam = np.linalg.solve(np.eye(len(z)) - J.T, g)
        _, pull = ag.vjp(lambda W, U, x: cell(W, U, x, z), W, U, x)
        return pull(lam)

    layer.defvjp(fwd, bwd)
    return np.sum(layer(0.3 * W, U, x) ** 3)


def implicit_newton_root(p):
    @ag.custom_jvp
    def root(p):
        x = 1.0
        while abs(x**3 + p * x - 2.0) > 1e-13:
            x = x - (x**3 + p * x - 2.0) / (3 * x * x + p)
        return x

    @root.defjvp
    def rule(primals, tangents):
        (p,), (dp,) = primals, tangents
        x = root(p)
        return x, -x * dp / (3 * x * x + p)

    return root(p) ** 2 + root(p * p)


def projected_gradient(x, lo, hi, q):
    for _ in range(10):
        x = np.clip(x - 0.1 * (q * x - 1.0), lo, hi)
    return np.sum(x**2)


def ista(D, y, lam):
    z = np.zeros(D.shape[1])
    L = np.linalg.norm(D, 2) ** 2
    for _ in range(6):
        u = z - D.T @ (D @ z - y) / L
        z = np.sign(u) * np.maximum(np.abs(u) - lam / L, 0)
    return np.sum((D @ z - y) ** 2)


def gauss_newton(p, t, y):
    for _ in range(4):
        e = np.exp(-p[1] * t)
        r = p[0] * e - y
        J = np.column_stack([e, -p[0] * t * e])
        p = p - np.linalg.solve(J.T @ J + 1e-3 * np.eye(2), J.T @ r)
    return p[0] * p[1]


def levenberg(p, y):
    lam = 1e-2
    t = np.linspace(0, 1, len(y))
    cost = lambda p: np.sum((p[0] * np.sin(p[1] * t) - y) ** 2)
    for _ in range(3):
        J = np.stack((np.sin(p[1] * t), p[0] * t * np.cos(p[1] * t)), axis=1)
        r = p[0] * np.sin(p[1] * t) - y
        A = J.T @ J
        d = np.linalg.solve(A + lam * np.diag(np.diag(A)), -J.T @ r)
        if cost(p + d) < cost(p):
            p, lam = p + d, lam / 3
        else:
            lam = lam * 2
    return p.sum()


def broyden(x, k):
    F = lambda x: np.array([x[0] + 0.5 * (x[0] - x[1]) ** 3 - k, 0.5 * (x[1] - x[0]) ** 3 + x[1]])
    J = np.eye(2)
    f = F(x)
    n = 0
    while np.linalg.norm(f) > 1e-10 and n < 30:
        d = np.linalg.solve(J, -f)
        x = x + d
        new = F(x)
        J = J + np.outer(new - f - J @ d, d) / (d @ d)
        f = new
        n += 1
    return x[0] * 2 + x[1]


def anderson(b, A):
    x = np.zeros_like(b)
    xs, gs = [], []
    for k in range(6):
        gx = np.tanh(A @ x) + b
        xs.append(x)
        gs.append(gx)
        if k < 2:
            x = gx
            continue
        F = np.stack([g - x_ for g, x_ in zip(gs[-3:], xs[-3:])], axis=1)
        dF = F[:, 1:] - F[:, :-1]
        dG = np.stack([gs[-2] - gs[-3], gs[-1] - gs[-2]], axis=1)
        gamma, *_ = np.linalg.lstsq(dF, F[:, -1], rcond=None)
        x = gx - dG @ gamma
    return x @ b


def kmeans_soft(X, C):
    for _ in range(4):
        d = ((X[:, None] - C[None]) ** 2).sum(-1)
        a = np.exp(-3 * d)
        a = a / a.sum(1, keepdims=True)
        C = np.stack([np.average(X, axis=0, weights=a[:, k]) for k in range(C.shape[0])])
    return np.sum(C[0] * C[1])


def multiplicative_nmf(V, W, H):
    for _ in range(5):
        H = H * (W.T @ V) / (W.T @ W @ H + 1e-9)
        W *= (V @ H.T) / (W @ H @ H.T + 1e-9)
    return np.linalg.norm(V - W @ H) ** 2


def simplex_projection(v):
    u = np.sort(v)[::-1]
    css = np.cumsum(u) - 1
    rho = np.nonzero(u * np.arange(1, len(v) + 1) > css)[0][-1]
    theta = css[rho] / (rho + 1.0)
    w = np.maximum(v - theta, 0)
    return np.sum(w * np.array([1.0, 3.0, 2.0, 5.0, 4.0]))


def rmsprop_ordered(params, x):
    cache = OrderedDict((k, np.zeros_like(v)) for k, v in params.items())

    def loss(p):
        return np.sum(np.sin(p["a"] * x + p["b"]) ** 2)

    for _ in range(3):
        g = ag.grad(loss)(params)
        new = OrderedDict()
        for k, v in params.items():
            cache[k] = 0.9 * cache[k] + 0.1 * g[k] ** 2
            new[k] = v - 0.05 * g[k] / np.sqrt(cache[k] + 1e-6)
        params = new
    return loss(params)


PROGRAMS = [
    (adam_unrolled, 0.05, R.normal(size=4), 3.0),
    (
        maml,
        {"w1": R.normal(size=(2, 4)), "b1": R.normal(size=4), "w2": R.normal(size=4)},
        R.normal(size=(8, 2)),
        R.normal(size=8),
        0.1,
    ),
    (hyper_sgd, -2.0, -1.0, R.normal(size=3), R.normal(size=(6, 3)), R.normal(size=6)),
    (lbfgs_two_loop, R.normal(size=4) * 0.5, 2.0),
    (conjugate_gradient, R.normal(size=(4, 4)), R.normal(size=4), 1e-2),
    (gradient_descent_while, R.normal(size=2), np.array([0.7, 1.1])),
    (newton_while, R.uniform(1, 2, 4), R.uniform(1, 2, 4)),
    (backtracking, R.normal(size=3), R.normal(size=3)),
    (implicit_fixed_point, R.uniform(0.5, 0.9, 3), np.zeros(3) + 0.1),
    (deep_equilibrium, R.normal(size=(3, 3)), R.normal(size=(3, 2)), R.normal(size=2)),
    (implicit_newton_root, 1.3),
    (projected_gradient, R.normal(size=4), -0.2, R.uniform(0.3, 0.9, 4), R.uniform(0.5, 3, 4)),
    (ista, R.normal(size=(5, 7)), R.normal(size=5), 0.2),
    (gauss_newton, np.array([1.0, 0.5]), np.linspace(0, 2, 7), R.uniform(0.5, 1.5, 7)),
    (levenberg, np.array([1.0, 2.0]), np.sin(2.5 * np.linspace(0, 1, 8)) + 0.1 * R.normal(size=8)),
    (broyden, np.zeros(2), 1.0),
    (anderson, R.normal(size=4) * 0.5, R.normal(size=(4, 4)) * 0.3),
    (kmeans_soft, R.normal(size=(8, 2)), R.normal(size=(2, 2))),
    (
        multiplicative_nmf,
        R.uniform(0.1, 1, (4, 5)),
        R.uniform(0.1, 1, (4, 2)),
        R.uniform(0.1, 1, (2, 5)),
    ),
    (simplex_projection, R.normal(size=5)),
    (rmsprop_ordered, OrderedDict(b=0.3, a=R.normal(size=3)), R.normal(size=3)),
]
