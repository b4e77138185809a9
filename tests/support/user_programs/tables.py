"""Dynamic programs with soft minima, tables filled in place, sorting and quantiles."""

import functools
import heapq

import numpy as np

R = np.random.default_rng(4)


def softmin(values, gamma):
    z = -np.array(values) / gamma
    m = np.max(z)
    return -gamma * (np.log(np.sum(np.exp(z - m))) + m)


def soft_dtw(x, y, gamma):
    n, m = len(x), len(y)
    D = (x[:, None] - y[None, :]) ** 2
    Rm = np.full((n + 1, m + 1), 1e10)
    Rm[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            Rm[i, j] = D[i - 1, j - 1] + softmin(
                [Rm[i - 1, j - 1], Rm[i - 1, j], Rm[i, j - 1]], gamma
            )
    return Rm[n, m]


def needleman_soft(sub, gap, a, b):
    """Smith-Waterman in rolling rows of lists."""
    prev = [0.0] * (len(b) + 1)
    total = 0.0
    for i in a:
        row = [0.0]
        for j, c in enumerate(b, 1):
            row.append(
                np.logaddexp(
                    0.0,
                    np.logaddexp(
                        prev[j - 1] + sub[i, c], np.logaddexp(prev[j] - gap, row[-1] - gap)
                    ),
                )
            )
        total += row[-1]
        prev = row
    return total + max(prev)


def edit_distance_weighted(costs, s, t):
    ins, dele, sub = costs

    @functools.lru_cache(maxsize=None)
    def d(i, j):
        if i == 0:
            return j * ins
        if j == 0:
            return i * dele
        return min(
            d(i - 1, j) + dele,
            d(i, j - 1) + ins,
            d(i - 1, j - 1) + (0.0 if s[i - 1] == t[j - 1] else sub),
        )

    return d(len(s), len(t))


def lru_free(costs, s, t):
    ins, dele, sub = costs
    memo = {}

    def d(i, j):
        if (i, j) in memo:
            return memo[i, j]
        if i == 0 or j == 0:
            out = i * dele + j * ins
        else:
            out = min(
                d(i - 1, j) + dele,
                d(i, j - 1) + ins,
                d(i - 1, j - 1) + (0.0 if s[i - 1] == t[j - 1] else sub),
            )
        memo[i, j] = out
        return out

    return d(len(s), len(t)) ** 2


def floyd_warshall(w):
    d = w.copy()
    n = d.shape[0]
    for k in range(n):
        d = np.minimum(d, d[:, k][:, None] + d[k, :][None, :])
    return np.sum(d**2)


def bellman_ford(weights, edges, n):
    dist = [float("inf")] * n
    dist[0] = 0.0
    for _ in range(n - 1):
        for (u, v), w in zip(edges, weights):
            if dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
    return sum(d for d in dist if d < float("inf"))


def dijkstra(weights, graph):
    dist = {0: 0.0}
    heap = [(0.0, 0)]
    done = set()
    while heap:
        d, u = heapq.heappop(heap)
        if u in done:
            continue
        done.add(u)
        for v, k in graph[u]:
            nd = d + weights[k]
            if v not in dist or nd < dist[v]:
                dist[v] = nd
                heapq.heappush(heap, (nd, v))
    return sum(dist.values())


def value_iteration(rew, P, gamma):
    V = np.zeros(P.shape[0])
    for _ in range(15):
        Q = rew + gamma * np.einsum("sat,t->sa", P, V)
        V = 0.1 * np.log(np.sum(np.exp(Q / 0.1), axis=1))
    return V.sum()


def knapsack_soft(values, weights, cap, temp):
    table = np.zeros(cap + 1)
    for v, w in zip(values, weights):
        new = table.copy()
        for c in range(w, cap + 1):
            new[c] = temp * np.logaddexp(table[c] / temp, (table[c - w] + v) / temp)
        table = new
    return table[-1]


def beam_search(logits, width):
    beams = [((), 0.0)]
    for t in range(logits.shape[0]):
        cand = []
        lp = logits[t] - np.log(np.exp(logits[t]).sum())
        for seq, score in beams:
            for k in range(logits.shape[1]):
                bonus = 0.3 if seq and seq[-1] == k else 0.0
                cand.append((seq + (k,), score + lp[k] + bonus))
        cand.sort(key=lambda c: c[1], reverse=True)
        beams = cand[:width]
    return beams[0][1] + 0.5 * beams[-1][1]


def quantile_loss(q, y, tau):
    e = y[:, None] - q[None, :]
    return np.mean(np.maximum(tau * e, (tau - 1) * e))


def trimmed_mean(x, k):
    s = np.sort(x)
    return s[k:-k].mean() + np.median(x) ** 2 + np.percentile(x, 30)


def rank_soft(x, tau):
    d = (x[:, None] - x[None, :]) / tau
    ranks = 0.5 + np.sum(1 / (1 + np.exp(d)), axis=0)
    return np.dot(ranks, x) / np.linalg.norm(ranks)


def bubble_inplace(x):
    x = x.copy()
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return np.sum(x * np.arange(n)) + x[0] * x[-1]


def pool_adjacent_violators(y):
    blocks = []
    for v in y:
        blocks.append([v, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            m2, n2 = blocks.pop()
            m1, n1 = blocks.pop()
            blocks.append([(m1 * n1 + m2 * n2) / (n1 + n2), n1 + n2])
    return sum(m * m * n for m, n in blocks)


def wasserstein_1d(x, y):
    return np.mean(np.abs(np.sort(x) - np.sort(y))) + np.mean((np.sort(x)[::-1] - y) ** 2)


def sinkhorn(C, eps):
    n, m = C.shape
    u, v = np.ones(n) / n, np.ones(m) / m
    K = np.exp(-C / eps)
    for _ in range(20):
        u = (1.0 / n) / (K @ v)
        v = (1.0 / m) / (K.T @ u)
    return np.sum(u[:, None] * K * v[None, :] * C)


def cvar(w, returns, alpha):
    loss = -(returns @ w)
    k = int(np.ceil(alpha * len(loss)))
    worst = np.partition(loss, len(loss) - k)[-k:]
    return worst.mean() + 0.1 * np.sum(w**2)


def lis_table(x):
    n = len(x)
    best = np.array(x)
    for i in range(n):
        for j in range(i):
            if x[j] < x[i]:
                best[i] = max(best[i], best[j] + x[i])
    return best.max()


def cumulative_products_zero(x):
    return np.sum(np.cumprod(x) * np.arange(1.0, len(x) + 1)) + np.prod(x + 1)


def matrix_chain(p):
    n = len(p) - 1
    m = [[0.0] * n for _ in range(n)]
    for l in range(2, n + 1):
        for i in range(n - l + 1):
            j = i + l - 1
            m[i][j] = min(m[i][k] + m[k + 1][j] + p[i] * p[k + 1] * p[j + 1] for k in range(i, j))
    return m[0][n - 1]


PROGRAMS = [
    (soft_dtw, R.normal(size=5), R.normal(size=4), 0.7),
    (needleman_soft, R.normal(size=(4, 4)), 0.4, [0, 2, 1, 3], [2, 1, 1]),
    (edit_distance_weighted, np.array([1.0, 1.1, 1.5]), "kitten", "sitting"),
    (lru_free, np.array([1.0, 1.1, 1.5]), "kitten", "sitting"),
    (floyd_warshall, R.uniform(0.5, 3, (5, 5))),
    (
        bellman_ford,
        R.uniform(0.5, 3, 7),
        [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3), (3, 4), (2, 4)],
        5,
    ),
    (
        dijkstra,
        R.uniform(0.5, 3, 7),
        {0: [(1, 0), (2, 1)], 1: [(2, 2), (3, 3)], 2: [(3, 4), (4, 5)], 3: [(4, 6)], 4: []},
    ),
    (value_iteration, R.normal(size=(4, 2)), R.dirichlet(np.ones(4), size=(4, 2)), 0.9),
    (knapsack_soft, R.uniform(1, 3, 4), [2, 3, 1, 4], 6, 0.5),
    (beam_search, R.normal(size=(4, 3)), 2),
    (quantile_loss, R.normal(size=3), R.normal(size=9), np.array([0.1, 0.5, 0.9])),
    (trimmed_mean, R.normal(size=9), 2),
    (rank_soft, R.normal(size=6), 0.3),
    (bubble_inplace, R.normal(size=6)),
    (pool_adjacent_violators, R.normal(size=8)),
    (wasserstein_1d, R.normal(size=7), R.normal(size=7)),
    (sinkhorn, R.uniform(size=(4, 5)), 0.3),
    (cvar, R.normal(size=3), R.normal(size=(12, 3)), 0.3),
    (lis_table, R.uniform(0.5, 2, 7)),
    (cumulative_products_zero, np.array([0.5, 0.0, 1.5, 2.0, 0.0, -1.0])),
    (matrix_chain, R.uniform(1, 5, 6)),
]
