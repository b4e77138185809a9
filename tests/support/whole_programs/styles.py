"""Python's styles: classes, generators, dicts, closures, patterns, changes in place."""

import heapq
import itertools
from collections import defaultdict
from functools import reduce

import numpy as np

import autograph as ag
from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(21)


def normal(*shape):
    return RNG.normal(size=shape)


def uniform(low, high, *shape):
    return RNG.uniform(low, high, shape)


class Module:
    def __call__(self, *a):
        return self.forward(*a)

    def parameters(self):
        return [v for v in vars(self).values() if isinstance(v, np.ndarray)]


class Linear(Module):
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def forward(self, x):
        return x @ self.w + self.b


class Sequential(Module):
    def __init__(self, *ls):
        self.ls = ls

    def forward(self, x):
        return reduce(lambda h, l: l(h), self.ls, x)


@program(normal(3, 4), normal(4), normal(4, 2), normal(2), normal(5, 3))
def modules(w1, b1, w2, b2, x):
    net = Sequential(Linear(w1, b1), np.tanh, Linear(w2, b2))
    return net(x)


@program([normal(3, 3) * 0.5, normal(3, 3) * 0.5, normal(3, 1)], normal(2, 3))
def list_params(ws, x):
    *hidden, last = ws
    for i, w in enumerate(hidden):
        x = np.tanh(x @ w) + (x if i % 2 else 0)
    return x @ last


@program(normal(4))
def default_dict(x):
    d = defaultdict(float)
    for i, k in enumerate("abca"):
        d[k] += x[i] * (i + 1)
    return d["a"] * d["b"] - d["c"] ** 2


@program(uniform(0.2, 2, 6))
def heap_merge(x):
    h = []
    for i in range(6):
        heapq.heappush(h, (i % 3, i))
    tot = 0.0
    w = 1.0
    while h:
        _, i = heapq.heappop(h)
        tot += w * x[i] ** 2
        w *= 0.5
    return tot


@program(uniform(0.5, 2, 5))
def tree(x):

    def build(lo, hi):
        if hi - lo == 1:
            return x[lo]
        m = (lo + hi) // 2
        l, r = (build(lo, m), build(m, hi))
        return l * r / (l + r)

    return build(0, 5)


@program(normal(4), 0.5)
def generator_(x, a):

    def ema(vs):
        s = None
        for v in vs:
            s = v if s is None else a * s + (1 - a) * v
            yield s

    return np.array(list(ema(x))) * sum(ema(x**2))


@program(normal(4))
def walrus(x):
    tot = 0.0
    i = 0
    while (i := (i + 1)) < 4 and (v := (x[i] * x[i - 1])) > -9:
        tot += np.tanh(v) * v
    return tot


@program(normal(4))
def matched(x):
    r = []
    for k, v in enumerate(x):
        match k % 3:
            case 0:
                r.append(v**2)
            case 1 if v > 0:
                r.append(np.sin(v))
            case _:
                r.append(-v * 3)
    return np.array(r)


@program(normal(5))
def closures(x):
    fs = [lambda v, i=i: v**i for i in range(4)]
    return sum((f(np.sum(x * (k + 1)) / 5) for k, f in enumerate(fs)))


@program(normal(3, 3))
def inplace_chain(A):
    B = A.copy()
    B += 1
    B[0] *= 2
    B[:, 1] -= A[:, 0]
    B.T[2] = B[1] * A[2]
    v = B.ravel()
    v[::4] **= 2
    return B


@program(normal(6))
def try_finally(x):
    log = []
    try:
        y = np.sum(x**2)
        log.append(y)
    finally:
        log.append(x[0])
    return log[0] * log[1]


@program(normal(4))
def np_where_guard(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(x > 0, np.log(np.abs(x)), 0.0) + np.where(
            x > 0, np.sqrt(np.where(x > 0, x, 1.0)), -x
        )


@program(normal(4))
def accumulate_(x):
    return np.array(list(itertools.accumulate(x, lambda a, b: a * 0.5 + b))) + np.array(
        [a * b for a, b in itertools.product(x[:2], x[2:])]
    )


@program(normal(3), normal(3))
def strings_keys(a, b):
    ops = {"add": np.add, "mul": np.multiply, "sub": np.subtract}
    y = a
    for name in "mul add sub mul".split():
        y = ops[name](y, b) + 0.1 * y
    return y


@program(uniform(0.5, 1.5, 4))
def fixed_point(c):
    x, tol = (1.0, 1e-10)
    for it in itertools.count():
        new = np.exp(-c[0] * x) * c[1] + 0.1 * np.cos(c[2] * x) * c[3]
        if abs(new - x) < tol or it > 200:
            break
        x = new
    return new


@program(normal(4, 4))
def percol(A):
    return np.apply_along_axis(lambda c: c / np.sqrt(np.sum(c**2)), 0, A) + np.vectorize(
        lambda t: t * t if t > 0 else -t
    )(A)


@program(normal(3, 4), normal(3, 4), normal(4))
def einsums(a, b, c):
    return (
        np.einsum("ij,ij,j->i", a, b, c),
        np.einsum("ij,kj->ik", a, b, optimize=True),
        np.einsum("ii->i", a[:, :3]),
    )


@program(normal(5), normal(5))
def hist_soft(x, y):
    c = np.linspace(-2, 2, 4)
    k = np.exp(-((x[:, None] - c) ** 2) / 0.5)
    w = k / k.sum(1, keepdims=True)
    return np.bincount(np.repeat(np.arange(4), 5), weights=w.T.ravel() * np.tile(y, 4), minlength=4)


@program(uniform(0.1, 0.9, 4), np.float32(0.3))
def mixed32(x, s):
    y = x.astype(np.float32) * s
    return y.astype(float) + np.float64(s) * x


@program(normal(5))
def masked_inplace(x):
    y = x * 2
    y[x < 0] = -0.1 * x[x < 0]
    y[np.abs(x) > 1] += x[np.abs(x) > 1] ** 2
    m = np.ma.masked if False else None
    return y


@program(normal(4, 4))
def det_rec(A):

    def det(M):
        return (
            M[0, 0]
            if len(M) == 1
            else sum(
                (
                    (-1) ** j * M[0, j] * det(np.delete(np.delete(M, 0, 0), j, 1))
                    for j in range(len(M))
                )
            )
        )

    return det(A)


@program(normal(3, 2), normal(2, 2))
def newton_hessian(X, W):
    f = lambda w: np.sum(np.logaddexp(0, X @ w) - 0.5 * (X @ w)) + 0.5 * w @ w
    w = W[0]
    for _ in range(2):
        w = w - np.linalg.solve(ag.hessian(f)(w), ag.grad(f)(w))
    return w
