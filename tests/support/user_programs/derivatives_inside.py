"""Derivatives inside of programs: Hessians, maps, Laplacians, mechanics, score matching."""

import numpy as np

import autograph as ag

R = np.random.default_rng(12)


def lagrangian(q, v, m, l):
    return 0.5 * m * l**2 * v @ v + m * 9.8 * l * np.sum(np.cos(q))


def euler_lagrange(q, v, m, l):
    """Lagrangian networks: accelerations by Hessians."""
    L = lambda q, v: lagrangian(q, v, m, l)
    for _ in range(3):
        H = ag.hessian(L, 1)(q, v)
        C = ag.jacobian(ag.grad(L, 1), 0)(q, v)
        a = np.linalg.solve(H, ag.grad(L, 0)(q, v) - C @ v)
        v = v + 0.05 * a
        q = q + 0.05 * v
    return q @ q


def pinn(params, xs):
    W1, b1, W2 = params

    def u(x):
        return np.tanh(W1 * x + b1) @ W2

    du = ag.grad(u)
    ddu = ag.grad(du)
    res = ag.vmap(lambda x: ddu(x) + u(x) ** 2)(xs)
    return np.mean(res**2) + du(0.0) ** 2


def pinn_jvp(params, xs):
    W1, b1, W2 = params

    def u(x):
        return np.tanh(np.outer(x, W1) + b1) @ W2

    _, du = ag.jvp(u, (xs,), (np.ones_like(xs),))
    f = lambda x: ag.jvp(u, (x,), (np.ones_like(x),))[1]
    _, ddu = ag.jvp(f, (xs,), (np.ones_like(xs),))
    return np.mean((ddu + du * u(xs)) ** 2)


def score_matching(w, x):
    def E(v):
        return np.sum(np.log1p(np.exp(w @ v))) + 0.5 * v @ v

    total = 0.0
    for row in x:
        s = ag.grad(E)(row)
        total += 0.5 * s @ s - np.trace(ag.hessian(E)(row))
    return total / len(x)


def gradient_penalty(w, x):
    def D(v):
        return np.tanh(v @ w[0]) @ w[1]

    g = ag.vmap(ag.grad(D))(x)
    n = np.sqrt(np.sum(g**2, axis=1) + 1e-9)
    return np.mean((n - 1) ** 2)


def per_example(w, X, y):
    g = ag.vmap(ag.grad(lambda w, x, t: (np.tanh(x @ w) - t) ** 2), (None, 0, 0))(w, X, y)
    n = np.linalg.norm(g, axis=1, keepdims=True)
    return np.sum((g / np.maximum(1.0, n)).mean(0) ** 2)


def newton_inside(x, a):
    f = lambda x: np.sum(np.cosh(x * a)) + 0.1 * np.sum(x) ** 2 + x[0]
    for _ in range(3):
        x = x - np.linalg.solve(ag.hessian(f)(x), ag.grad(f)(x))
    return f(x) + x @ a


def hutchinson(w, x, z):
    def flow(x):
        return np.tanh(w @ x)

    tot = 0.0
    for v in z:
        _, jv = ag.jvp(flow, (x,), (v,))
        tot = tot + v @ jv
    return tot / len(z)


def cnf(w, x):
    logdet = 0.0
    for _ in range(4):
        f = lambda v: np.tanh(w @ v)
        logdet = logdet + 0.1 * np.trace(ag.jacobian(f)(x))
        x = x + 0.1 * f(x)
    return 0.5 * x @ x - logdet


def fisher(theta, X):
    p = lambda th, x: 1 / (1 + np.exp(-x @ th))
    F = np.zeros((3, 3))
    for x in X:
        s = ag.grad(lambda th: np.log(p(th, x)))(theta)
        F += np.outer(s, s)
    return np.linalg.slogdet(F + np.eye(3))[1]


def hvp_cg(x, b):
    f = lambda x: np.sum(x**4) + np.sum(np.sin(x[:-1] * x[1:])) + 3 * x @ x
    v = np.zeros_like(b)
    r = b
    p = r
    for _ in range(3):
        Ap = ag.hvp(f, (x,), (p,))
        a = (r @ r) / (p @ Ap)
        v = v + a * p
        rn = r - a * Ap
        p = rn + (rn @ rn) / (r @ r) * p
        r = rn
    return v @ b


def third_order(x):
    f = lambda x: np.exp(np.sin(x)) * x**3
    return ag.grad(ag.grad(ag.grad(f)))(x) + ag.grad(lambda y: ag.grad(f)(y) * y)(x)


def taylor(x, h):
    f = lambda t: np.log(1 + t**2)
    s, fact, g = f(x), 1.0, f
    for k in range(1, 4):
        g = ag.grad(g)
        fact *= k
        s = s + g(x) * h**k / fact
    return s


def stop_gradients(x, target):
    q = np.tanh(x) @ target
    td = q - ag.stop_gradient(0.9 * np.max(np.tanh(x * 2)))
    st = x + ag.stop_gradient(np.round(x) - x)
    return td**2 + np.sum(st * target) * 0.0 + q


def checkpointed_layers(ws, x):
    layer = ag.checkpoint(lambda w, x: np.tanh(w @ x) + 0.1 * x)
    for w in ws:
        x = layer(w, x)
    return x @ x


def checkpoint_scan(w, xs):
    @ag.checkpoint
    def run(w, xs):
        h = np.zeros(len(w))
        for x in xs:
            h = np.tanh(w @ h + x)
        return h

    return np.sum(run(w, xs) ** 2)


def vmapped_loop(x, n):
    def one(v):
        k = 0
        while v < n and k < 20:
            v = v * 1.5 + 0.1
            k += 1
        return v

    return np.sum(ag.vmap(one)(x) ** 2)


def jac_reverse(w, x):
    J = ag.jacobian(lambda x: np.tanh(w @ x) * x[0], mode="reverse")(x)
    K = ag.jacobian(lambda x: np.tanh(w @ x) * x[0], mode="forward")(x)
    return np.sum(J * K) + np.linalg.det(J @ J.T + np.eye(3))


def metric_geodesic(x, v):
    g = lambda x: np.diag(1 + x**2) + 0.1 * np.outer(x, x)
    dg = ag.jacobian(g)
    for _ in range(3):
        D = dg(x)
        G = np.linalg.inv(g(x))
        first = 0.5 * (
            np.transpose(D, (0, 1, 2)) + np.transpose(D, (0, 2, 1)) - np.transpose(D, (2, 1, 0))
        )
        gamma = np.einsum("ij,jkl->ikl", G, first)
        a = -np.einsum("ikl,k,l->i", gamma, v, v)
        x, v = x + 0.1 * v, v + 0.1 * a
    return x @ x + v[0]


def laplace_approx(theta, X, y):
    nl = lambda t: np.sum(np.logaddexp(0, X @ t) - y * (X @ t)) + 0.5 * t @ t
    for _ in range(5):
        theta = theta - np.linalg.solve(ag.hessian(nl)(theta), ag.grad(nl)(theta))
    return nl(theta) + 0.5 * np.linalg.slogdet(ag.hessian(nl)(theta))[1]


def influence(theta, x):
    g = ag.grad(lambda t, v: np.sum(np.sin(t * v)))
    return sum(g(theta, v) @ g(theta * 2, v) for v in x)


def vjp_inside(w, x):
    y, pull = ag.vjp(lambda w, x: np.tanh(w @ x), w, x)
    a, b = pull(y)
    c, d = pull(np.ones_like(y))
    return np.sum(a * c) + b @ d


def linearized(x, dx):
    y, lin = ag.linearize(lambda x: np.sin(x) * x[::-1], x)
    return np.sum(lin(dx) * lin(lin(dx))) + y.sum()


def grad_of_nest(p):
    f = lambda p: np.sum(p["a"] ** 2 * p["b"][0]) + p["b"][1] ** 3
    g = ag.grad(f)(p)
    return np.sum(g["a"] * g["b"][0]) + g["b"][1]


PROGRAMS = [
    (euler_lagrange, R.normal(size=2), R.normal(size=2), 1.0, 0.9),
    (pinn, [R.normal(size=4), R.normal(size=4), R.normal(size=4)], R.normal(size=5)),
    (pinn_jvp, [R.normal(size=4), R.normal(size=4), R.normal(size=4)], R.normal(size=5)),
    (score_matching, R.normal(size=(3, 2)), R.normal(size=(3, 2))),
    (gradient_penalty, [R.normal(size=(3, 4)), R.normal(size=4)], R.normal(size=(5, 3))),
    (per_example, R.normal(size=3), R.normal(size=(4, 3)), R.normal(size=4)),
    (newton_inside, R.normal(size=3) * 0.3, R.uniform(0.5, 1, 3)),
    (hutchinson, R.normal(size=(3, 3)), R.normal(size=3), R.normal(size=(4, 3))),
    (cnf, R.normal(size=(3, 3)), R.normal(size=3)),
    (fisher, R.normal(size=3), R.normal(size=(4, 3))),
    (hvp_cg, R.normal(size=4), R.normal(size=4)),
    (third_order, 0.7),
    (third_order, np.float64(1.1)),
    (taylor, 0.4, 0.2),
    (stop_gradients, R.normal(size=3) + 5, R.normal(size=3)),
    (checkpointed_layers, [R.normal(size=(3, 3)) for _ in range(3)], R.normal(size=3)),
    (checkpoint_scan, R.normal(size=(3, 3)), R.normal(size=(7, 3))),
    (vmapped_loop, R.uniform(0.1, 1, 5), 3.0),
    (jac_reverse, R.normal(size=(3, 3)), R.normal(size=3)),
    (metric_geodesic, R.normal(size=3), R.normal(size=3)),
    (laplace_approx, R.normal(size=2), R.normal(size=(6, 2)), np.array([0, 1, 1, 0, 1, 0.0])),
    (influence, R.normal(size=3), R.normal(size=(3, 3))),
    (vjp_inside, R.normal(size=(3, 3)), R.normal(size=3)),
    (linearized, R.normal(size=3), R.normal(size=3)),
    (grad_of_nest, {"a": R.normal(size=3), "b": (R.normal(size=3), 1.2)}),
]
