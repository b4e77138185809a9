"""Training loops, optimisers and layers, with gradients taken inside them."""

from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

import autograph as ag
from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(77)


def normal(*shape):
    return RNG.normal(size=shape)


def mlp_loss(params, x, y):
    h = x
    for k, (w, b) in enumerate(params):
        h = h @ w + b
        if k < len(params) - 1:
            h = np.tanh(h)
    return ((h - y) ** 2).mean()


@program(normal(3), normal(5, 3), normal(5))
def adam_while(w, x, y):
    m, v, t = np.zeros(3), np.zeros(3), 0

    def loss(w):
        return np.mean((x @ w - y) ** 2)

    while t < 25 and loss(w) > 0.05:
        t += 1
        g = ag.grad(loss)(w)
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g ** 2
        w = w - 0.1 * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.99 ** t)) + 1e-3)
    return w, loss(w)


@program(normal(2))
def nesterov(x):
    def f(z):
        return (z[0] - 1.0) ** 2 + 3.0 * (z[1] - z[0] ** 2) ** 2

    v = np.zeros_like(x)
    for _ in range(6):
        g = ag.grad(f)(x + 0.8 * v)
        v = 0.8 * v - 0.01 * g
        x = x + v
    return x


@program(normal(3), 0.5)
def lbfgs(x, c):
    def f(z):
        return np.sum(c * z ** 2) + 0.1 * np.sum(z ** 4) + z[0] * z[1] * 0.2

    ss, ys, g = [], [], ag.grad(f)(x)
    for _ in range(3):
        q, stack = g.copy(), []
        for s, y in zip(reversed(ss), reversed(ys)):
            a = (s @ q) / (y @ s)
            q = q - a * y
            stack.append(a)
        if ys:
            q = q * (ss[-1] @ ys[-1]) / (ys[-1] @ ys[-1])
        for s, y, a in zip(ss, ys, reversed(stack)):
            q = q + s * (a - (y @ q) / (y @ s))
        t = 1.0
        while f(x - t * q) > f(x) - 1e-4 * t * (g @ q) and t > 1e-3:
            t *= 0.5
        new = x - t * q
        h = ag.grad(f)(new)
        ss.append(new - x)
        ys.append(h - g)
        x, g = new, h
    return x


@program(normal(2), normal(4, 2))
def armijo(x, a):
    def f(z):
        return np.sum(np.log(1.0 + (a @ z - 1.0) ** 2))

    for _ in range(3):
        y, g = ag.value_and_grad(f)(x)
        t = 1.0
        for _ in range(12):
            if f(x - t * g) <= y - 0.3 * t * (g @ g):
                break
            t /= 2
        x = x - t * g
    return x, f(x)


@program(normal(3, 3), normal(3), normal(3))
def rmsprop_inplace(a, x, b):
    x, cache = x.copy(), np.zeros(3)
    for _ in range(5):
        g = a.T @ (a @ x - b)
        cache *= 0.9
        cache += 0.1 * g ** 2
        x -= 0.1 * g / np.sqrt(cache + 1e-2)
    return x, cache


Gates = namedtuple("Gates", "z r h")


@program(Gates(normal(5, 3) * 0.5, normal(5, 3) * 0.5, normal(5, 3) * 0.5), normal(4, 2))
def gru_named(p, xs):
    h = np.zeros(3)
    for x in xs:
        xh = np.concatenate([x, h])
        z = 1 / (1 + np.exp(-(xh @ p.z)))
        r = 1 / (1 + np.exp(-(xh @ p.r)))
        n = np.tanh(np.concatenate([x, r * h]) @ p.h)
        h = (1 - z) * h + z * n
    return h


@dataclass
class Norm:
    gain: np.ndarray
    shift: np.ndarray
    mean: np.ndarray = field(default_factory=lambda: np.zeros(3))
    var: np.ndarray = field(default_factory=lambda: np.ones(3))

    def __call__(self, x, training=True):
        if training:
            mu, var = x.mean(0), x.var(0)
            self.mean = 0.9 * self.mean + 0.1 * mu
            self.var = 0.9 * self.var + 0.1 * var
        else:
            mu, var = self.mean, self.var
        return self.gain * (x - mu) / np.sqrt(var + 1e-5) + self.shift


@program(normal(3), normal(3), normal(5, 3))
def batchnorm_running(gain, shift, x):
    layer = Norm(gain, shift)
    for k in range(3):
        x = np.tanh(layer(x, training=k < 2))
    return x, layer.mean, layer.var


@program(normal(2, 3, 4), normal(2, 4, 4))
def causal_attention(x, w):
    q, k = x @ w[0], x @ w[1]
    s = np.einsum("bid,bjd->bij", q, k) / 2.0
    mask = np.triu(np.ones((3, 3), bool), 1)
    s[:, mask] = -np.inf
    s -= s.max(-1, keepdims=True)
    e = np.exp(s)
    return (e / e.sum(-1, keepdims=True)) @ x


@program(normal(4, 6), normal(6), normal(6))
def layernorm(x, g, b):
    mu = x.mean(-1, keepdims=True)
    sd = x.std(-1, keepdims=True)
    return g * (x - mu) / (sd + 1e-6) + b


@program(normal(6, 6), normal(3, 3), normal(2))
def conv_pool(img, k, w):
    windows = np.lib.stride_tricks.sliding_window_view(img, (3, 3))
    out = np.maximum(np.einsum("ijkl,kl->ij", windows, k), 0.0)
    pooled = out.reshape(2, 2, 2, 2).max(axis=(1, 3))
    return np.log(np.sum(np.exp(pooled @ w)))


@program(normal(4, 3), np.array([0, 2, 1, 1]))
def cross_entropy(logits, labels):
    z = logits - logits.max(1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(1, keepdims=True))
    return -logp[np.arange(4), labels].mean()


@program(normal(5, 3), np.array([0, 3, 3, 1]))
def embedding(table, ids):
    out = 0.0
    for i in ids:
        out += np.tanh(table[i]).sum()
    table = table * 1.0
    table[ids] *= 0.5
    return out, table


@program({"w": normal(3, 3), "layers": [{"b": normal(3)}, {"b": normal(3)}]}, normal(3))
def nested_dict(params, x):
    for layer in params["layers"]:
        x = np.tanh(params["w"] @ x + layer["b"])
        if x[0] > 0:
            x = x * 1.5
    return x


@program(normal(3, 2), normal(4, 3))
def dropout_mask(w, x):
    rng = np.random.default_rng(3)
    keep = rng.random(x.shape) < 0.7
    return np.tanh((x * keep / 0.7) @ w)


@program(normal(2), normal(2), 0)
def vae(mu, logvar, seed):
    rng = np.random.default_rng(seed)
    total = 0.0
    for _ in range(3):
        z = mu + np.exp(0.5 * logvar) * rng.standard_normal(2)
        total += np.sum(np.log1p(np.exp(z)))
    kl = -0.5 * np.sum(1 + logvar - mu ** 2 - np.exp(logvar))
    return total / 3 - kl


@program(normal(3), normal(3), 0.3, normal(4, 3))
def planar_flow(u, w, b, z):
    logdet = np.zeros(4)
    for _ in range(2):
        a = np.tanh(z @ w + b)
        psi = (1 - a ** 2)[:, None] * w
        logdet += np.log(np.abs(1 + psi @ u))
        z = z + a[:, None] * u
    return logdet - 0.5 * (z ** 2).sum(1)


@program(normal(4), normal(2, 2), normal(2))
def coupling_flow(x, w, b):
    logdet = 0.0
    for k in range(3):
        lo, hi = (x[:2], x[2:]) if k % 2 == 0 else (x[2:], x[:2])
        s = np.tanh(w @ lo + b)
        hi = hi * np.exp(s) + lo
        logdet = logdet + s.sum()
        x = np.concatenate([lo, hi] if k % 2 == 0 else [hi, lo])
    return x, logdet


@program(normal(5, 2), normal(5))
def per_example(x, y):
    def loss(w, a, b):
        return (a @ w - b) ** 2

    gs = ag.vmap(ag.grad(loss), (None, 0, 0))(np.ones(2), x, y)
    n = np.sqrt((gs ** 2).sum(1))
    return (gs / np.maximum(1.0, n)[:, None]).mean(0)


@program(normal(3), normal(3))
def maml(w, x):
    def loss(w, s):
        return np.sum(np.tanh(w * x * s) ** 2)

    out = 0.0
    for s in (0.5, 1.5):
        fast = w
        for _ in range(2):
            fast = fast - 0.1 * ag.grad(loss)(fast, s)
        out = out + loss(fast, s + 0.1)
    return out


@program(normal(3), normal(3))
def hessian_vector(x, v):
    def f(z):
        return np.sum(np.sin(z) * z[::-1] ** 2)

    return ag.jvp(ag.grad(f), (x,), (v,))[1]


@program(normal(3))
def newton_cg(x):
    def f(z):
        return np.sum(np.cosh(0.5 * z)) + 0.1 * np.sum(z) ** 2

    for _ in range(2):
        g = ag.grad(f)(x)
        d, r = np.zeros(3), -g
        p, rs, k = r, r @ r, 0
        while rs > 1e-12 and k < 5:
            hp = ag.jvp(ag.grad(f), (x,), (p,))[1]
            a = rs / (p @ hp)
            d, r = d + a * p, r - a * hp
            new = r @ r
            p, rs, k = r + new / rs * p, new, k + 1
        x = x + d
    return x + f(x)


@program(normal(4), 1.5)
def gan_penalty(x, c):
    def critic(z):
        return np.sum(np.tanh(c * z)) + z @ z * 0.1

    g = ag.grad(critic)(x)
    return (np.sqrt(np.sum(g ** 2) + 1e-9) - 1.0) ** 2


@program(normal(3, 3), normal(3))
def tape_inside(w, x):
    with ag.GradientTape(persistent=True) as tape:
        x = tape.watch(x)
        y = np.sum(np.tanh(w @ x) ** 2)
        z = y * y
    return tape.gradient(y, x) + 0.5 * tape.gradient(z, x)


@program(normal(3))
def nested_tapes(x):
    with ag.GradientTape() as outer:
        x = outer.watch(x)
        with ag.GradientTape() as inner:
            x = inner.watch(x)
            y = np.sum(x ** 3 * np.sin(x))
        g = inner.gradient(y, x)
        s = np.sum(g * g)
    return outer.gradient(s, x)


@program(normal(3), 0.7)
def schedule(w, lr):
    history = []
    for epoch in range(4):
        g = 2 * w * np.exp(-np.sum(w ** 2))
        rate = lr if epoch < 2 else lr * 0.5 ** (epoch - 1)
        w = w - rate * g
        history.append(np.sum(w ** 2))
        if epoch > 0 and history[-1] > history[-2]:
            lr = lr * 0.9
    return w, np.array(history)


@program(normal(3, 4), normal(4, 2), normal(5, 3))
def tied_autoencoder(w, v, x):
    h = np.maximum(x @ w, 0.1 * (x @ w))
    code = h @ v
    back = (code @ v.T) @ w.T
    return np.abs(back - x).sum() + 0.01 * sum(np.abs(p).sum() for p in (w, v))


@program(normal(4, 3), normal(4, 3))
def contrastive(a, b):
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    s = a @ b.T / 0.3
    top = s.max(axis=1)
    return np.mean(top + np.log(np.sum(np.exp(s - top[:, None]), axis=1)) - np.diag(s))


@program(normal(6), np.array([1, 0, 1, 1, 0, 0]))
def focal(z, y):
    p = np.where(z >= 0, 1 / (1 + np.exp(-z)), np.exp(z) / (1 + np.exp(z)))
    pt = np.where(y == 1, p, 1 - p)
    return -np.mean((1 - pt) ** 2 * np.log(np.clip(pt, 1e-7, 1.0)))
