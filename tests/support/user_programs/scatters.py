"""Scatter, gather, segments, masks, ragged data, dicts of parameters."""

import itertools
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

R = np.random.default_rng(9)


def segment_softmax(logits, seg, n):
    m = np.full(n, -np.inf)
    np.maximum.at(m, seg, logits)
    e = np.exp(logits - m[seg])
    s = np.zeros(n)
    np.add.at(s, seg, e)
    p = e / s[seg]
    return np.sum(p**2 * np.arange(len(p)))


def segment_sum_bincount(x, seg):
    s = np.bincount(seg, weights=x, minlength=4)
    c = np.bincount(seg, minlength=4)
    return np.sum((s / np.maximum(c, 1)) ** 2)


def reduceat_segments(x, starts):
    return np.sum(np.add.reduceat(x, starts) ** 2)


def csr_matvec(data, indices, indptr, x):
    y = np.zeros(len(indptr) - 1)
    for i in range(len(y)):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]
    return np.sum(np.tanh(y))


def coo_matmul(vals, rows, cols, X):
    out = np.zeros((4, X.shape[1]))
    np.add.at(out, rows, vals[:, None] * X[cols])
    return np.sum(out**2)


def message_passing(h, w, src, dst):
    for _ in range(3):
        msg = np.tanh(h[src] @ w)
        agg = np.zeros_like(h)
        deg = np.zeros(len(h))
        np.add.at(agg, dst, msg)
        np.add.at(deg, dst, 1.0)
        h = 0.5 * h + agg / np.maximum(deg, 1)[:, None]
    return np.sum(h**2)


def pagerank(w, edges, n):
    out = np.zeros(n)
    for k, (i, j) in enumerate(edges):
        out[i] += w[k]
    r = np.ones(n) / n
    for _ in range(10):
        new = np.full(n, 0.15 / n)
        for k, (i, j) in enumerate(edges):
            new[j] += 0.85 * r[i] * w[k] / out[i]
        r = new
    return r @ np.arange(n)


def masked_mean(x):
    m = x > 0
    return x[m].mean() + (x[~m] ** 2).sum() + np.where(m, np.log(np.where(m, x, 1.0)), 0.0).sum()


def nan_aware(x, k):
    y = x.copy()
    y[k] = np.nan
    return np.nanmean(y) + np.nansum(y**2) + np.nanmax(y) + np.nanstd(y)


def group_by(x, labels):
    groups = defaultdict(list)
    for v, l in zip(x, labels):
        groups[l].append(v)
    return sum(np.var(g) * len(g) for g in groups.values()) + sum(
        max(g) for _, g in sorted(groups.items())
    )


def itertools_groups(x, labels):
    total = 0.0
    for _, g in itertools.groupby(zip(labels, x), key=lambda p: p[0]):
        vals = [v for _, v in g]
        total += np.prod(vals)
    return total


def pairs(x):
    return sum(np.sin(a * b) for a, b in itertools.combinations(x, 2)) + sum(
        itertools.accumulate(x, lambda a, b: a * b)
    )


def ragged_attention(seqs, q):
    outs = []
    for s in seqs:
        w = np.exp(s @ q)
        outs.append(w @ s / w.sum())
    return np.sum(np.stack(outs) ** 2)


def histogram_soft(x, centers, bw):
    k = np.exp(-0.5 * ((x[:, None] - centers) / bw) ** 2)
    h = k.sum(0) / k.sum()
    return -np.sum(h * np.log(h + 1e-12))


def tree_lstm(node, W):
    if isinstance(node, tuple):
        l, r = tree_lstm(node[0], W), tree_lstm(node[1], W)
        return np.tanh(W @ np.concatenate([l, r]))
    return node


def tree_loss(tree, W):
    return np.sum(tree_lstm(tree, W) ** 2)


def decision_tree_soft(node, x):
    def ev(n, x):
        if "leaf" in n:
            return n["leaf"]
        g = 1 / (1 + np.exp(-(x @ n["w"] - n["b"])))
        return g * ev(n["right"], x) + (1 - g) * ev(n["left"], x)

    return ev(node, x) ** 2


def fancy_stores(x, v):
    y = np.zeros((4, 5))
    y[[0, 2], [1, 3]] = x[:2]
    y[1:3, ::2] = v
    y[3] = x[:5]
    y[:, 0] += x[1]
    y[y > 0.5] *= 2
    y[..., -1] = y[..., 0] * y[..., 1]
    return np.sum(y * np.arange(20).reshape(4, 5))


def put_take(x, idx):
    a = np.take(x, idx, axis=0)
    b = np.zeros_like(x)
    np.put_along_axis(b, np.argsort(x, axis=1), x**2, axis=1)
    c = np.take_along_axis(x, np.argmax(x, axis=1)[:, None], axis=1)
    return a.sum() * c.sum() + np.sum(b * np.arange(b.size).reshape(b.shape))


def choose_select(x):
    a = np.select([x < -0.5, x < 0.5], [x**2, np.sin(x)], default=np.sqrt(np.abs(x)))
    b = np.choose((x > 0).astype(int), [x, 3 * x])
    c = np.piecewise(x, [x < 0, x >= 0], [lambda v: -(v**3), lambda v: v])
    return np.sum(a * b + c)


class Params(NamedTuple):
    emb: dict
    layers: tuple
    scale: float = 1.0


def named_params(p):
    h = sum(p.emb[k] for k in sorted(p.emb))
    for w, b in p.layers:
        h = np.tanh(w @ h + b)
    q = p._replace(scale=p.scale * 2)
    return q.scale * np.sum(h)


def dict_updates(params, x):
    p = dict(params)
    p["w"] = p["w"] * 2
    p.setdefault("b", np.zeros(3))
    p |= {"c": p["w"] @ x}
    q = {k: np.sum(v**2) for k, v in p.items() if k != "b"}
    return sum(q.values()) + q.pop("c") * p.get("missing", 0.5)


def strings_choose(params, ops):
    x = params["start"]
    table = {"sin": np.sin, "sq": lambda v: v * v, "scale": lambda v: v * params["k"]}
    for op in ops.split():
        match op:
            case "sin" | "sq" | "scale":
                x = table[op](x)
            case _:
                x = x + 1
    return np.sum(x)


def ngram_counts(theta, text):
    c = Counter(zip(text, text[1:]))
    s = 0.0
    for (a, b), n in c.items():
        i, j = ord(a) % 3, ord(b) % 3
        s += n * (theta[i, j] - np.log(np.exp(theta[i]).sum()))
    return s


def window_dict(x):
    cache = {}
    for i, v in enumerate(x):
        cache[i % 3] = cache.get(i % 3, 0.0) * 0.5 + v**2
    return sum(cache[k] * (k + 1) for k in cache)


def set_difference(x):
    order = np.argsort(x)
    keep = [int(i) for i in order if i not in {1, 3}]
    return np.sum(x[keep] * np.arange(len(keep)))


def digitize_piecewise(x, edges, slopes):
    b = np.digitize(x, edges)
    return np.sum(slopes[b] * x + np.searchsorted(edges, x))


def unique_sums(x, ids):
    u, inv, cnt = np.unique(ids, return_inverse=True, return_counts=True)
    out = np.zeros(len(u))
    for i, k in enumerate(inv):
        out[k] += x[i] / cnt[k]
    return np.prod(out)


PROGRAMS = [
    (segment_softmax, R.normal(size=7), np.array([0, 0, 1, 2, 1, 2, 2]), 3),
    (segment_sum_bincount, R.normal(size=6), np.array([0, 1, 1, 3, 0, 1])),
    (reduceat_segments, R.normal(size=8), np.array([0, 2, 5])),
    (
        csr_matvec,
        R.normal(size=6),
        np.array([0, 2, 1, 0, 2, 3]),
        np.array([0, 2, 3, 6]),
        R.normal(size=4),
    ),
    (
        coo_matmul,
        R.normal(size=5),
        np.array([0, 1, 1, 3, 3]),
        np.array([2, 0, 2, 1, 1]),
        R.normal(size=(3, 2)),
    ),
    (
        message_passing,
        R.normal(size=(4, 3)),
        R.normal(size=(3, 3)),
        np.array([0, 1, 2, 2, 3]),
        np.array([1, 2, 3, 0, 0]),
    ),
    (pagerank, R.uniform(0.5, 1, 5), [(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)], 4),
    (masked_mean, R.normal(size=8)),
    (nan_aware, R.normal(size=6), 2),
    (group_by, R.normal(size=7), ["a", "b", "a", "c", "b", "a", "c"]),
    (itertools_groups, R.normal(size=6), [0, 0, 1, 1, 1, 0]),
    (pairs, R.normal(size=5)),
    (
        ragged_attention,
        [R.normal(size=(2, 3)), R.normal(size=(4, 3)), R.normal(size=(1, 3))],
        R.normal(size=3),
    ),
    (histogram_soft, R.normal(size=9), np.linspace(-2, 2, 5), 0.5),
    (
        tree_loss,
        ((R.normal(size=2), (R.normal(size=2), R.normal(size=2))), R.normal(size=2)),
        R.normal(size=(2, 4)),
    ),
    (
        decision_tree_soft,
        {
            "w": R.normal(size=2),
            "b": 0.1,
            "left": {"leaf": 0.5},
            "right": {
                "w": R.normal(size=2),
                "b": 0.2,
                "left": {"leaf": -1.0},
                "right": {"leaf": 2.0},
            },
        },
        R.normal(size=2),
    ),
    (fancy_stores, R.normal(size=6), R.normal(size=(2, 3))),
    (put_take, R.normal(size=(3, 4)), np.array([0, 2, 2])),
    (choose_select, R.normal(size=9)),
    (
        named_params,
        Params(
            {"a": R.normal(size=2), "b": R.normal(size=2)},
            ((R.normal(size=(3, 2)), R.normal(size=3)), (R.normal(size=(2, 3)), 0.5)),
            1.5,
        ),
    ),
    (dict_updates, {"w": R.normal(size=(3, 3))}, R.normal(size=3)),
    (strings_choose, {"start": R.normal(size=3), "k": 1.5}, "sin sq other scale sin"),
    (ngram_counts, R.normal(size=(3, 3)), "hello gradients"),
    (window_dict, R.normal(size=8)),
    (set_difference, R.normal(size=6)),
    (digitize_piecewise, R.normal(size=6), np.array([-0.5, 0.5]), R.normal(size=3)),
    (unique_sums, R.uniform(0.5, 1.5, 6), np.array([3, 1, 3, 2, 1, 1])),
]
