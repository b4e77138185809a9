"""Layers and what holds them: classes, closures, dicts, data classes, stores by parts."""

import contextlib
from dataclasses import dataclass, field, replace

import numpy as np

import autograph as ag
from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(5)


def normal(*shape):
    return RNG.normal(size=shape)


def uniform(*shape):
    return RNG.uniform(0.3, 1.2, size=shape)


@program(normal(2, 3, 4, 6), normal(6, 6), normal(6, 6))
def batched_attention(x, wq, wk):
    q, k = x @ wq, x @ wk
    s = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(6)
    mask = np.triu(np.ones((4, 4), bool), 1)
    s[..., mask] = -1e9
    s -= s.max(-1, keepdims=True)
    e = np.exp(s)
    return (e / e.sum(-1, keepdims=True)) @ x


@program(normal(1, 2, 7, 7), normal(3, 2, 3, 3), normal(3))
def conv_hand_strided(x, k, b):
    n, c, h, w = x.shape
    o, _, kh, kw = k.shape
    st = 2
    oh, ow = (h - kh) // st + 1, (w - kw) // st + 1
    out = np.zeros((n, o, oh, ow))
    for i in range(kh):
        for j in range(kw):
            patch = x[:, :, i : i + st * oh : st, j : j + st * ow : st]
            out += np.tensordot(k[:, :, i, j], patch, axes=([1], [1])).transpose(1, 0, 2, 3)
    out += b[:, None, None]
    return np.maximum(out, 0.1 * out).reshape(n, -1)


@program(
    [
        {"w": normal(3, 4), "b": normal(4), "act": "tanh"},
        {"w": normal(4, 2), "b": normal(2), "act": "lin"},
    ],
    normal(5, 3),
)
def layers_of_dicts(layers, x):
    acts = {"tanh": np.tanh, "lin": lambda v: v}
    for l in layers:
        x = acts[l["act"]](x @ l["w"] + l["b"])
    return (x**2).mean()


@dataclass
class Params:
    w: np.ndarray
    b: np.ndarray
    scale: float = 1.0
    name: str = "a"
    hist: list = field(default_factory=list)


@program(Params(normal(3, 2), normal(2), 1.3), normal(4, 3))
def dataclass_replace(p, x):
    q = replace(p, w=p.w * 0.5)
    for _ in range(3):
        y = x @ q.w + q.b * q.scale
        q.hist.append(y.sum())
        q = replace(q, b=q.b - 0.1 * y.mean(0))
    return q.b, sum(q.hist), q.scale**2


class Cell:
    def __init__(self, w):
        self.w = w
        self.n = 0
        self.state = None

    def __call__(self, x):
        self.n += 1
        self.state = x if self.state is None else 0.7 * self.state + np.tanh(self.w @ x)
        return self.state


@program(normal(2, 2), normal(5, 2))
def stateful_cell(w, xs):
    c = Cell(w)
    return np.stack([c(x) for x in xs]), c.n * c.state


@program(normal(3), 0.3)
def nested_closures(x, a):
    acc = []

    def outer(k):
        c = a * k

        def inner(v):
            nonlocal c
            c = c * 1.1 + v.sum() * 0.01
            acc.append(c)
            return v * c

        return inner

    fs = [outer(k) for k in range(3)]
    for _ in range(2):
        for f in fs:
            x = f(x)
    return x, sum(acc)


class Holder:
    def __init__(self, **kw):
        self.__dict__.update(kw)

    def __getattr__(self, n):
        raise AttributeError(n)

    def __call__(self, x):
        return self.forward(x)


class Lin(Holder):
    def forward(self, x):
        return x @ self.w + self.b


class Seq(Holder):
    def __init__(self, *m):
        super().__init__(m=list(m))

    def forward(self, x):
        for f in self.m:
            x = f(x)
        return x

    def __iter__(self):
        return iter(self.m)

    def __len__(self):
        return len(self.m)


class Res(Seq):
    def forward(self, x):
        return x + super().forward(x)


@program(normal(2, 3), normal(3, 3), normal(3), normal(3, 3))
def modules_inherit(x, w, b, w2):
    net = Seq(Lin(w=w, b=b), np.tanh, Res(Lin(w=w2, b=0.0), np.sin), *[Lin(w=w, b=b)] * 2)
    reg = sum((l.w**2).sum() for l in net if isinstance(l, Lin))
    return net(x), reg * len(net)


@program(normal(3, 3), normal(3))
def properties_ops(m, v):
    class Rot:
        def __init__(self, m):
            self._m = m

        @property
        def T(self):
            return Rot(self._m.T)

        def __matmul__(self, o):
            return Rot(self._m @ o._m) if isinstance(o, Rot) else self._m @ o

        def __pow__(self, n):
            r = Rot(np.eye(3))
            while n:
                if n & 1:
                    r = r @ self
                self = self @ self
                n >>= 1
            return r

        def __neg__(self):
            return Rot(-self._m)

        def __getitem__(self, i):
            return self._m[i]

    r = Rot(m * 0.5)
    return (r**5) @ v, ((-r).T @ r)[0], (r @ r.T)[1:, ::2]


@program(normal(4, 2), normal(2, 3), normal(3))
def per_sample_vmap(X, W, b):
    f = lambda x: np.tanh(x @ W + b).sum()
    g = ag.vmap(ag.grad(f))(X)
    return g, np.sqrt((g**2).sum(1))


@program(normal(6), uniform(1))
def contextmgr(x, s):
    log = []

    @contextlib.contextmanager
    def scaled(k):
        log.append(k)
        yield k * s[0]
        log.append(-k)

    out = 0.0
    for v in x:
        with scaled(v) as w:
            out = out + np.sin(w) * w
    return out, sum(log)


@program(normal(2, 4, 4), normal(3, 2, 2, 2))
def maxpool_argmax(x, k):
    out = np.empty((3, 3, 3))
    for o in range(3):
        for i in range(3):
            for j in range(3):
                out[o, i, j] = np.vdot(k[o], x[:, i : i + 2, j : j + 2])
    p = np.array(
        [
            [out[o, i : i + 2, j : j + 2].max() for i in range(0, 2) for j in range(2)]
            for o in range(3)
        ]
    )
    am = out.reshape(3, -1).argmax(1)
    return p, np.take_along_axis(out.reshape(3, -1), am[:, None], 1)


@program(normal(6, 2), normal(3, 2))
def kmeans_soft_hard(x, c):
    for _ in range(3):
        a = ((x[:, None] - c) ** 2).sum(-1).argmin(1)
        c = np.array([x[a == k].mean(0) if (a == k).any() else c[k] for k in range(3)])
    return ((x - c[a]) ** 2).sum(1), c


@program(normal(4), normal(4), uniform(4))
def scatter_inplace(a, b, c):
    h = np.zeros(3)
    idx = np.array([0, 2, 0, 1])
    np.add.at(h, idx, a * b)
    h2 = np.bincount(idx, weights=c, minlength=3)
    h[idx] += c
    h[[0, 1]] *= 2
    h[::-1][0] -= a[0]
    return h, h2 * h


@program(normal(3, 4, 5))
def reshapes_views(x):
    y = x.copy()
    v = y.reshape(12, 5)
    v[::3] *= 2
    w = y.transpose(2, 0, 1)
    w[1] += w[0]
    y.T[0, 1] = 0.5 * y.T[1, 1]
    d = y[0][:, :4]
    d[np.diag_indices(4)] = x[1, 0, :4] ** 2
    return y, v.sum(1), w.swapaxes(0, 1)[0].max(0)
