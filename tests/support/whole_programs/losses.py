"""Losses: ranking, sorting, margins, robust fits."""

import numpy as np

from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(21)


def normal(*shape):
    return RNG.normal(size=shape)


@program(normal(6), normal(6))
def ndcg(s, rel):
    P = s[:, None] - s[None]
    rank = 1 + (1 / (1 + np.exp(P))).sum(1) - 0.5
    g = 2 ** np.sort(rel)[::-1] - 1
    return np.sum((2**rel - 1) / np.log2(1 + rank)) / np.sum(g / np.log2(np.arange(2, 8)))


@program(normal(6))
def sorted_loss(x):
    o = np.argsort(-x)
    xs = x[o]
    return np.cumsum(xs) / np.arange(1, 7) + np.partition(x, 2)[2]


@program(normal(4, 5))
def triplet(E):
    E = E / np.linalg.norm(E, axis=1, keepdims=True)
    S = E @ E.T
    pos = S[0, 1]
    neg = np.max(np.delete(S[0], [0, 1]))
    return max(0.0, neg - pos + 1.5)


@program(normal(6, 3), normal(6))
def huber_irls(X, y):
    w = np.ones(6)
    for _ in range(5):
        b = np.linalg.lstsq(X * np.sqrt(w)[:, None], y * np.sqrt(w), rcond=None)[0]
        r = np.abs(y - X @ b)
        w = np.where(r < 0.5, 1.0, 0.5 / np.maximum(r, 1e-09))
    return b
