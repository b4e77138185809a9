"""Statistics, decompositions, objects and containers, as strangers wrote them."""

import numpy as np

import autograph as ag
from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(11)


@program(RNG.uniform(0.5, 2, (3,)), RNG.uniform(0.1, 0.9, (3, 3)))
def sinkhorn(a, C):
    K = np.exp(-C)
    u = np.ones(3)
    b = np.ones(3) / 3
    for _ in range(20):
        v = b / (K.T @ u)
        u = a / (K @ v)
    return (u[:, None] * K * v[None] * C).sum()


@program(2.5)
def newton(a):
    x = 1.0
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


@program(RNG.normal(size=(3, 4)), RNG.normal(size=(4,)))
def attention(Q, k):
    s = Q @ k
    s = np.exp(s - s.max())
    s /= s.sum()
    return s @ Q


@program(RNG.normal(size=(1, 6, 6)), RNG.normal(size=(2, 1, 3, 3)))
def conv(x, w):
    out = np.zeros((2, 4, 4))
    for o in range(2):
        for i in range(4):
            for j in range(4):
                out[o, i, j] = np.sum(x[:, i : i + 3, j : j + 3] * w[o])
    return np.maximum(out, 0).reshape(2, 2, 2, 2, 2).max(axis=(2, 4))


@program(RNG.normal(size=4), RNG.normal(size=5))
def dtw(a, b):
    D = np.full((5, 6), np.inf)
    D[0, 0] = 0
    for i in range(1, 5):
        for j in range(1, 6):
            D[i, j] = (a[i - 1] - b[j - 1]) ** 2 + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[4, 5]


class Cell:
    def __init__(s, w):
        s.w = w
        s.h = 0.0
        s.log = []

    def step(s, x):
        s.h = np.tanh(s.w * x + s.h)
        s.log.append(s.h)
        return s


@program(0.4, RNG.normal(size=5))
def objects(w, xs):
    c = Cell(w)
    for x in xs:
        c = c.step(x)
    return sum(c.log) + c.h


@program(RNG.normal(size=3))
def tries(x):
    try:
        y = x[5]
    except IndexError:
        y = x[0] * 2
    return y * x[1]


@program(RNG.normal(size=(4, 3)))
def beam(L):
    beams = [(0.0, [])]
    for row in L:
        new = [(s + row[k], p + [k]) for s, p in beams for k in range(3)]
        new.sort(key=lambda t: -t[0])
        beams = new[:2]
    return beams[0][0]


@program(RNG.normal(size=(4, 3)))
def tries_in_loop(A):
    s = 0.0
    for row in A:
        try:
            if row[0] < 0:
                raise ValueError
            s = s + row[1]
        except ValueError:
            s = s + row[2] ** 2
    return s


@program(RNG.uniform(0.1, 1, 6))
def memo(x):
    cache = {}

    def f(n):
        if n in cache:
            return cache[n]
        r = x[n] * (f(n - 1) if n else 1.0) + 0.1
        cache[n] = r
        return r

    return f(5)


@program(RNG.normal(size=5), 0.3)
def scan_gen(x, a):

    def g():
        s = 0.0
        for v in x:
            s = a * s + v
            yield s

    return np.array(list(g()))


@ag.custom_vjp
def clipg(x):
    return x


clipg.defvjp(lambda x: (x, None), lambda kept, g: (g,))


@program(RNG.normal(size=4))
def customloop(x):
    h = x
    for i in range(5):
        h = clipg(np.tanh(h)) * 1.1
    return h


@program(RNG.normal(size=4), 0.2)
def ckpt(x, a):
    step = ag.checkpoint(lambda h, a: np.sin(h) * a + h)
    for _ in range(6):
        x = step(x, a)
    return x


@program(RNG.normal(size=(6,)), RNG.normal(size=(3,)))
def interp_(y, q):
    return np.interp(np.tanh(q) * 2.5 + 2.6, np.arange(6.0), y)


@program(RNG.normal(size=(8,)))
def stats(x):
    return np.median(x) + np.percentile(x, 30) + np.std(x) * np.var(x, ddof=1) + np.ptp(x)


@program(RNG.normal(size=(5, 3)))
def svdlow(A):
    U, S, V = np.linalg.svd(A, full_matrices=False)
    return U[:, :2] * S[:2] @ V[:2]


@program(RNG.normal(size=(3, 3)))
def expm(A):
    T = np.eye(3)
    E = np.eye(3)
    for k in range(1, 15):
        T = T @ A / k
        E = E + T
    return E


@program(RNG.normal(size=10), RNG.normal(size=10))
def segsum(x, w):
    out = np.zeros(4)
    np.add.at(out, np.array([0, 1, 1, 2, 3, 3, 0, 2, 2, 1]), x * w)
    return out**2


@program(RNG.uniform(0.2, 0.8, (3,)))
def hmm(p):
    A = np.array([[p[0], 1 - p[0]], [1 - p[1], p[1]]])
    a = np.array([p[2], 1 - p[2]])
    ll = 0.0
    for o in [0, 1, 1, 0, 1]:
        a = a @ A * (np.array([0.7, 0.2]) if o else np.array([0.3, 0.8]))
        c = a.sum()
        ll += np.log(c)
        a = a / c
    return ll


@program(RNG.normal(size=(4,)))
def diagstore(x):
    A = np.diag(x[:3], 1) + np.diag(x[1:], -1)
    np.fill_diagonal(A, x)
    B = np.diag(x, -1)
    B[0] = x[0]
    return np.linalg.slogdet(A + 5 * np.eye(4))[1] + B.sum()


@program(RNG.normal(size=(3,)), RNG.normal(size=(3,)))
def rodrigues(w, v):
    t = np.linalg.norm(w)
    k = w / t
    return v * np.cos(t) + np.cross(k, v) * np.sin(t) + k * np.dot(k, v) * (1 - np.cos(t))


@program(RNG.uniform(0.5, 1.5, 4))
def bisect(c):
    lo, hi = (0.0, 2.0)
    for _ in range(50):
        m = 0.5 * (lo + hi)
        if m**3 * c[0] + m * c[1] - c[2] > 0:
            hi = m
        else:
            lo = m
    x = 0.5 * (lo + hi)
    F = x**3 * c[0] + x * c[1] - c[2]
    x = ag.stop_gradient(x)
    return x - (x**3 * c[0] + x * c[1] - c[2]) / (3 * x * x * c[0] + c[1])


@program(RNG.normal(size=(3, 2)), RNG.normal(size=2))
def whitening(X, b):
    C = np.cov(X.T) + np.eye(2)
    w, V = np.linalg.eigh(C)
    return (X - X.mean(0)) @ V / np.sqrt(w) + b


@program(RNG.normal(size=5), RNG.normal(size=3))
def conv1(x, k):
    return np.convolve(x, k, "same") * np.correlate(x, k, "same")


@program(RNG.normal(size=(4,)))
def strs(x):
    d = {f"k{i}": x[i] for i in range(4)}
    return sum((v for k, v in sorted(d.items()) if k != "k2")) * d["k2"]


@program(RNG.normal(size=(2, 2)))
def inner_grad(W):
    h = np.array([0.3, 0.4])
    for _ in range(3):
        h = h - 0.1 * ag.grad(lambda h: np.sum(np.tanh(W @ h) ** 2))(h)
    return h
