"""Parts of neural networks, and their training, as people write them."""

import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

import autograph as ag
from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(21)


def normal(*shape):
    return RNG.normal(size=shape)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@program(normal(5, 8), normal(8, 24) * 0.3, normal(8, 8) * 0.3)
def multihead(x, wqkv, wo, heads=2):
    q, k, v = np.split(x @ wqkv, 3, axis=-1)
    split = lambda a: a.reshape(5, heads, 4).transpose(1, 0, 2)
    q, k, v = map(split, (q, k, v))
    s = q @ k.transpose(0, 2, 1) / np.sqrt(4)
    mask = np.triu(np.ones((5, 5), bool), 1)
    s = np.where(mask, -np.inf, s)
    o = softmax(s) @ v
    return o.transpose(1, 0, 2).reshape(5, 8) @ wo


def layernorm(x, g, b, eps=1e-05):
    m = np.mean(x, -1, keepdims=True)
    v = np.var(x, -1, keepdims=True)
    return g * (x - m) / np.sqrt(v + eps) + b


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@program(
    normal(4, 6),
    {"g": np.ones(6), "b": np.zeros(6), "w1": normal(6, 12) * 0.3, "w2": normal(12, 6) * 0.3},
)
def block(x, p):
    h = layernorm(x, p["g"], p["b"])
    return x + gelu(h @ p["w1"]) @ p["w2"]


@program(normal(2, 3, 8, 8) * 0.5, normal(4, 3, 3, 3) * 0.3)
def im2col(x, w):
    win = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    cols = win.transpose(0, 2, 3, 1, 4, 5).reshape(2 * 6 * 6, -1)
    out = cols @ w.reshape(4, -1).T
    return np.maximum(out.reshape(2, 6, 6, 4), 0).mean(axis=(1, 2))


@program(normal(10), normal(4))
def strided_conv(x, k):
    v = np.lib.stride_tricks.as_strided(x, (7, 4), (x.strides[0], x.strides[0]))
    return v @ k


@program(normal(6, 4), normal(4) * 0.1 + 1, normal(4))
def batchnorm(x, g, b):
    mu = x.mean(0)
    xc = x - mu
    var = (xc**2).mean(0)
    std = (var + 1e-05) ** 0.5
    run = {"mean": 0.9 * np.zeros(4) + 0.1 * mu, "var": 0.9 * np.ones(4) + 0.1 * var}
    return (g * xc / std + b, run["mean"] + run["var"])


class Adam:
    def __init__(self, params, lr=0.05, betas=(0.9, 0.999)):
        self.params = params
        self.lr = lr
        self.b1, self.b2 = betas
        self.t = 0
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
        self.v = {k: np.zeros_like(v) for k, v in params.items()}

    def step(self, grads):
        self.t += 1
        for k in self.params:
            g = grads[k]
            self.m[k] = self.b1 * self.m[k] + (1 - self.b1) * g
            self.v[k] = self.b2 * self.v[k] + (1 - self.b2) * g**2
            mh = self.m[k] / (1 - self.b1**self.t)
            vh = self.v[k] / (1 - self.b2**self.t)
            self.params[k] = self.params[k] - self.lr * mh / (np.sqrt(vh) + 1e-08)


@program(normal(3), 0.7, normal(5, 3), normal(5))
def train_adam(w, b, X, y):
    opt = Adam({"w": w, "b": b})
    loss = lambda p: np.mean((X @ p["w"] + p["b"] - y) ** 2)
    for _ in range(5):
        opt.step(ag.grad(loss)(opt.params))
    return loss(opt.params)


@dataclass
class Params:
    w: np.ndarray
    b: np.ndarray
    name: str = "layer"


@program(Params(normal(3, 2), normal(2)), normal(4, 3))
def dataclasses_(p, x):
    return np.tanh(x @ p.w + p.b) if p.name == "layer" else x


State = namedtuple("State", "pos vel t")


@program(State(normal(2), normal(2), 0.0), 0.3)
def named(s, k):
    for _ in range(10):
        a = -k * s.pos / np.linalg.norm(s.pos) ** 3
        s = s._replace(vel=s.vel + 0.05 * a)
        s = State(s.pos + 0.05 * s.vel, s.vel, s.t + 0.05)
    return (s.pos, s.vel * s.t)


@dataclass(frozen=True)
class Quat:
    w: float
    x: float
    y: float
    z: float

    def __mul__(a, b):
        return Quat(
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        )

    def conj(a):
        return Quat(a.w, -a.x, -a.y, -a.z)

    def unit(a):
        l = math.sqrt(a.w**2 + a.x**2 + a.y**2 + a.z**2)
        return Quat(a.w / l, a.x / l, a.y / l, a.z / l)


@program(normal(4), normal(3))
def quaternion(q, v):
    q = Quat(*q).unit()
    r = q * Quat(0.0, *v) * q.conj()
    return np.array([r.x, r.y, r.z])
