"""Layers of networks: attention, norms, convolutions, recurrent cells."""

from collections import namedtuple

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

R = np.random.default_rng(3)
N = lambda *s: R.normal(size=s) * 0.5


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def layer_norm(x, g, b, eps=1e-5):
    mu = x.mean(-1, keepdims=True)
    var = x.var(-1, keepdims=True)
    return g * (x - mu) / np.sqrt(var + eps) + b


def mha(x, c_attn, c_proj, n_head):
    x = x @ c_attn["w"] + c_attn["b"]
    qkv = list(map(lambda x: np.split(x, n_head, axis=-1), np.split(x, 3, axis=-1)))
    mask = (1 - np.tri(x.shape[0])) * -1e10
    outs = [softmax(q @ k.T / np.sqrt(q.shape[-1]) + mask) @ v for q, k, v in zip(*qkv)]
    return np.hstack(outs) @ c_proj["w"] + c_proj["b"]


def gpt_block(x, p):
    """picoGPT."""
    x = x + mha(layer_norm(x, **p["ln_1"]), **p["attn"], n_head=2)
    h = layer_norm(x, **p["ln_2"])
    return np.sum(x + gelu(h @ p["fc"]) @ p["proj"])


def gpt_loss(wte, wpe, blocks, tokens):
    x = wte[tokens[:-1]] + wpe[range(len(tokens) - 1)]
    for p in blocks:
        x = x + mha(layer_norm(x, **p["ln_1"]), **p["attn"], n_head=2)
        h = layer_norm(x, **p["ln_2"])
        x = x + gelu(h @ p["fc"]) @ p["proj"]
    logits = x @ wte.T
    logp = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return -logp[np.arange(len(tokens) - 1), tokens[1:]].mean()


def rope_attention(x, wq, wk, wv):
    t, d = x.shape
    half = d // 2
    freqs = 1.0 / (100.0 ** (np.arange(half) / half))
    ang = np.outer(np.arange(t), freqs)

    def rotate(v):
        a, b = v[:, ::2], v[:, 1::2]
        out = np.empty_like(v)
        out[:, ::2] = a * np.cos(ang) - b * np.sin(ang)
        out[:, 1::2] = a * np.sin(ang) + b * np.cos(ang)
        return out

    q, k, v = rotate(x @ wq), rotate(x @ wk), x @ wv
    s = np.where(np.tril(np.ones((t, t), bool)), q @ k.T / np.sqrt(d), -np.inf)
    return np.sum((softmax(s) @ v) ** 2)


def kv_cache_decode(x, w, steps):
    K, V, outs = [], [], []
    h = x
    for _ in range(steps):
        q, k, v = np.split(h @ w, 3)
        K.append(k)
        V.append(v)
        a = softmax(np.stack(K) @ q)
        h = np.tanh(a @ np.stack(V))
        outs.append(h)
    return np.concatenate(outs).sum()


def batch_norm_train(x, gamma, beta, running):
    mu, var = x.mean(axis=0), x.var(axis=0)
    running["mean"] = 0.9 * running["mean"] + 0.1 * mu
    running["var"] = 0.9 * running["var"] + 0.1 * var
    y = (x - mu) / np.sqrt(var + 1e-5) * gamma + beta
    z = (y - running["mean"]) / np.sqrt(running["var"])
    return np.sum(np.maximum(z, 0.1 * z) ** 2)


def conv2d_windows(x, w, b):
    win = sliding_window_view(x, w.shape[2:], axis=(2, 3))
    y = np.einsum("bcijkl,ockl->boij", win, w) + b[:, None, None]
    y = np.maximum(y, 0)
    B, C, H, W = y.shape
    pooled = (
        y[:, :, : H // 2 * 2, : W // 2 * 2].reshape(B, C, H // 2, 2, W // 2, 2).max(axis=(3, 5))
    )
    return np.sum(pooled**2)


def conv2d_loops(img, kernel):
    kh, kw = kernel.shape
    H, W = img.shape
    out = np.zeros((H - kh + 1, W - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(img[i : i + kh, j : j + kw] * kernel)
    return np.tanh(out).sum()


def im2col_strided(x, w):
    s0, s1 = x.strides
    H, W = x.shape
    cols = as_strided(x, shape=(H - 2, W - 2, 3, 3), strides=(s0, s1, s0, s1))
    return np.sum(np.tensordot(cols, w, axes=([2, 3], [0, 1])) ** 2)


def conv_shifts(x, w):
    out = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            out = out + w[dy + 1, dx + 1] * np.roll(np.roll(x, dy, axis=0), dx, axis=1)
    return np.sum(out * np.cos(out))


def max_pool_loops(x, w):
    h = x.shape[0] // 2
    p = np.zeros((h, h))
    for i in range(h):
        for j in range(h):
            p[i, j] = x[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].max()
    return (p @ w).sum() + np.prod(p[0])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru_states(params, xs, h0):
    Wz, Wr, Wh = params
    h = h0
    states = []
    for x in xs:
        hx = np.concatenate([h, x])
        z, r = sigmoid(Wz @ hx), sigmoid(Wr @ hx)
        cand = np.tanh(Wh @ np.concatenate([r * h, x]))
        h = (1 - z) * h + z * cand
        states.append(h)
    H = np.array(states)
    att = softmax(H @ states[-1])
    return np.sum(att @ H)


def bi_rnn(Wf, Wb, xs):
    def scan(W, seq):
        h = np.zeros(W.shape[0])
        out = []
        for x in seq:
            h = np.tanh(W @ np.hstack([x, h]))
            out.append(h)
        return out

    fwd = scan(Wf, xs)
    bwd = scan(Wb, xs[::-1])[::-1]
    return sum(np.dot(f, b) for f, b in zip(fwd, bwd))


Cell = namedtuple("Cell", "wx wh b")


class LSTM:
    def __init__(self, cells):
        self.cells = cells

    def __call__(self, xs):
        seq = list(xs)
        for cell in self.cells:
            n = cell.wh.shape[0]
            h, c = np.zeros(n), np.zeros(n)
            outs = []
            for x in seq:
                g = x @ cell.wx + h @ cell.wh + cell.b
                i, f, o, u = np.split(g, 4)
                c = sigmoid(f) * c + sigmoid(i) * np.tanh(u)
                h = sigmoid(o) * np.tanh(c)
                outs.append(h)
            seq = outs
        return seq[-1]


def stacked_lstm(cells, xs, y):
    return np.mean((LSTM(cells)(xs) - y) ** 2)


def dropout_resnet(ws, x, seed):
    rng = np.random.default_rng(seed)
    for w in ws:
        mask = (rng.random(x.shape) > 0.3) / 0.7
        x = x + np.maximum(x @ w, 0) * mask
    return np.sum(x**2)


def embedding_bag(E, offsets, idx, w):
    out = []
    for a, b in zip(offsets[:-1], offsets[1:]):
        out.append(E[idx[a:b]].mean(axis=0) if b > a else np.zeros(E.shape[1]))
    return np.sum(np.stack(out) @ w)


def cross_entropy_smoothed(logits, labels, eps):
    n, k = logits.shape
    onehot = np.eye(k)[labels] * (1 - eps) + eps / k
    m = logits - logits.max(1, keepdims=True)
    logp = m - np.log(np.exp(m).sum(1, keepdims=True))
    return -(onehot * logp).sum() / n


def group_norm_silu(x, g):
    B, C = x.shape[:2]
    xg = x.reshape(B, 2, C // 2, -1)
    xg = (xg - xg.mean((2, 3), keepdims=True)) / (xg.std((2, 3), keepdims=True) + 1e-5)
    y = xg.reshape(x.shape) * g[None, :, None]
    return np.sum(y * sigmoid(y))


def mixture_of_experts(x, gate, experts):
    p = softmax(x @ gate)
    top = np.argsort(-p, axis=1)[:, :2]
    out = np.zeros((x.shape[0], experts.shape[2]))
    for n in range(x.shape[0]):
        for e in top[n]:
            out[n] += p[n, e] * np.tanh(x[n] @ experts[e])
    return np.sum(out**2)


def selective_scan(A, B, C, dt, x):
    """An S6 block."""
    h = np.zeros_like(A)
    ys = np.zeros(x.shape[0])
    for t in range(x.shape[0]):
        d = np.log1p(np.exp(dt[t]))
        h = np.exp(-d * np.exp(A)) * h + d * B[t] * x[t]
        ys[t] = C[t] @ h
    return np.sum(ys * np.tanh(ys))


def gcn(A, X, W1, W2):
    A = A + np.eye(A.shape[0])
    d = A.sum(axis=1) ** -0.5
    S = d[:, None] * A * d
    H = np.maximum(S @ X @ W1, 0)
    Z = S @ H @ W2
    return np.log(np.exp(Z).sum(axis=1)).sum() - Z[:, 0].sum()


def _block():
    return {
        "ln_1": {"g": N(4) + 1, "b": N(4)},
        "ln_2": {"g": N(4) + 1, "b": N(4)},
        "attn": {"c_attn": {"w": N(4, 12), "b": N(12)}, "c_proj": {"w": N(4, 4), "b": N(4)}},
        "fc": N(4, 8),
        "proj": N(8, 4),
    }


PROGRAMS = [
    (gpt_block, N(5, 4), _block()),
    (gpt_loss, N(7, 4), N(6, 4), [_block(), _block()], [1, 4, 2, 0, 6]),
    (rope_attention, N(5, 4), N(4, 4), N(4, 4), N(4, 4)),
    (kv_cache_decode, N(3), N(3, 9), 5),
    (batch_norm_train, N(6, 3), N(3) + 1, N(3), {"mean": N(3), "var": np.ones(3)}),
    (conv2d_windows, N(2, 3, 7, 7), N(4, 3, 3, 3), N(4)),
    (conv2d_loops, N(6, 6), N(3, 3)),
    (im2col_strided, N(6, 6), N(3, 3)),
    (conv_shifts, N(5, 5), N(3, 3)),
    (max_pool_loops, N(6, 6), N(3, 2)),
    (gru_states, [N(3, 5), N(3, 5), N(3, 5)], N(6, 2), N(3)),
    (bi_rnn, N(3, 5), N(3, 5), N(6, 2)),
    (stacked_lstm, [Cell(N(2, 12), N(3, 12), N(12)), Cell(N(3, 8), N(2, 8), N(8))], N(5, 2), N(2)),
    (dropout_resnet, [N(4, 4), N(4, 4), N(4, 4)], N(3, 4), 7),
    (embedding_bag, N(6, 3), [0, 2, 2, 5], np.array([1, 1, 0, 5, 1]), N(3)),
    (cross_entropy_smoothed, N(5, 4), np.array([0, 3, 1, 1, 2]), 0.1),
    (group_norm_silu, N(2, 4, 5), N(4)),
    (mixture_of_experts, N(4, 3), N(3, 4), N(4, 3, 2)),
    (selective_scan, N(3), N(6, 3), N(6, 3), N(6), N(6)),
    (gcn, np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0.0]]), N(3, 4), N(4, 5), N(5, 2)),
]
