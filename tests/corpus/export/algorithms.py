"""Algorithms over arrays: layers, filters, dynamic programs, sorts, searches."""

import numpy as np


def mlp(x, w1, b1, w2):
    h = np.tanh(x @ w1 + b1)
    return h @ w2


def softmax_ce(x, w):
    z = x @ w
    z = z - z.max(axis=-1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)
    return -np.log(p[:, 0]).mean(), p.argmax(axis=1)


def layer_norm(x):
    m = x.mean(axis=-1, keepdims=True)
    v = x.var(axis=-1, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-5)


def attention(x, wq, wk):
    q, k = x @ wq, x @ wk
    s = q @ k.T / np.sqrt(q.shape[-1])
    s = np.where(np.tril(np.ones((x.shape[0], x.shape[0]), bool)), s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)) @ x


def rnn(x, w, u):
    h = np.zeros(w.shape[1])
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ w + h @ u)
    return h


def rnn_states(x, w, u):
    h = np.zeros(w.shape[1])
    hs = []
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ w + h @ u)
        hs.append(h)
    return np.stack(hs)


def ema(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + 0.1 * x[i]
    return y


def median3(img):
    out = img.copy()
    for i in range(1, img.shape[0] - 1):
        for j in range(1, img.shape[1] - 1):
            out[i, j] = np.median(img[i - 1 : i + 2, j - 1 : j + 2])
    return out


def sobel(img):
    gx = (
        img[:-2, 2:]
        - img[:-2, :-2]
        + 2 * (img[1:-1, 2:] - img[1:-1, :-2])
        + img[2:, 2:]
        - img[2:, :-2]
    )
    gy = (
        img[2:, :-2]
        - img[:-2, :-2]
        + 2 * (img[2:, 1:-1] - img[:-2, 1:-1])
        + img[2:, 2:]
        - img[:-2, 2:]
    )
    return np.hypot(gx, gy)


def blur(img):
    p = np.pad(img, 1, mode="edge")
    acc = np.zeros_like(img)
    for di in range(3):
        for dj in range(3):
            acc += p[di : di + img.shape[0], dj : dj + img.shape[1]]
    return acc / 9


def threshold(img):
    t = img.mean()
    while True:
        lo, hi = img[img <= t].mean(), img[img > t].mean()
        new = (lo + hi) / 2
        if abs(new - t) < 1e-6:
            break
        t = new
    return img > t


def histogram_eq(img):
    v = (img * 7).astype(int)
    h = np.zeros(8)
    for k in v.ravel():
        h[k] += 1
    c = np.cumsum(h) / v.size
    return c[v]


def lcs(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), int)
    for i in range(n):
        for j in range(m):
            if a[i] == b[j]:
                d[i + 1, j + 1] = d[i, j] + 1
            else:
                d[i + 1, j + 1] = max(d[i, j + 1], d[i + 1, j])
    return d[n, m]


def knapsack(w, v, cap=10):
    best = np.zeros(cap + 1)
    for i in range(len(w)):
        for c in range(cap, -1, -1):
            if w[i] <= c:
                best[c] = max(best[c], best[c - w[i]] + v[i])
    return best[cap]


def edit(a, b):
    prev = np.arange(len(b) + 1)
    for i in range(len(a)):
        cur = prev.copy()
        cur[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            cur[j + 1] = min(prev[j + 1] + 1, cur[j] + 1, prev[j] + cost)
        prev = cur
    return prev[-1]


def viterbi(obs, trans, emit):
    d = emit[:, obs[0]]
    back = []
    for o in obs[1:]:
        s = d[:, None] * trans
        back.append(s.argmax(0))
        d = s.max(0) * emit[:, o]
    k = d.argmax()
    path = [k]
    for b in back[::-1]:
        k = b[k]
        path.append(k)
    return np.array(path[::-1]), d


def forward_hmm(obs, trans, emit):
    a = np.ones(trans.shape[0]) / trans.shape[0]
    ll = 0.0
    for o in obs:
        a = (a @ trans) * emit[:, o]
        s = a.sum()
        ll += np.log(s)
        a = a / s
    return ll


def inverse_sample(p, u):
    c = np.cumsum(p) / p.sum()
    return np.searchsorted(c, u)


def systematic(w, u):
    n = len(w)
    pos = (np.arange(n) + u) / n
    c = np.cumsum(w / w.sum())
    out = np.zeros(n, int)
    i = j = 0
    while i < n:
        if pos[i] < c[j] or j == n - 1:
            out[i] = j
            i += 1
        else:
            j += 1
    return out


def box_muller(u, v):
    r = np.sqrt(-2 * np.log(u))
    return r * np.cos(2 * np.pi * v), r * np.sin(2 * np.pi * v)


def metropolis(u, steps):
    x = 0.0
    total = 0.0
    for k in range(len(u)):
        prop = x + steps[k]
        if u[k] < np.exp(-(prop**2 - x**2) / 2):
            x = prop
        total += x
    return total / len(u)


def bubble(x):
    x = x.copy()
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


def insertion(x):
    x = x.copy()
    for i in range(1, len(x)):
        v = x[i]
        j = i - 1
        while j >= 0 and x[j] > v:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = v
    return x


def topk(x):
    i = np.argsort(x, kind="stable")[::-1][:3]
    return x[i], i


def rank(x):
    return np.argsort(np.argsort(x, kind="stable"), kind="stable")


def quickselect(x):
    lo, hi, k = 0, len(x) - 1, len(x) // 2
    x = x.copy()
    while lo < hi:
        p = x[hi]
        s = lo
        for i in range(lo, hi):
            if x[i] < p:
                t = x[s]
                x[s] = x[i]
                x[i] = t
                s += 1
        t = x[s]
        x[s] = x[hi]
        x[hi] = t
        if s == k:
            break
        if s < k:
            lo = s + 1
        else:
            hi = s - 1
    return x[k]


def mask_mean(x):
    return x[x > 0].mean() if (x > 0).any() else 0.0


def clip_masked(x):
    y = x.copy()
    y[y < 0] = 0
    y[y > 1] *= 0.5
    return y


def where_chain(x):
    return np.where(x < -1, -1.0, np.where(x > 1, 1.0, x))


def count_runs(x):
    n = 0
    prev = False
    for v in x > 0:
        if v and not prev:
            n += 1
        prev = v
    return n


def collatz(n):
    s = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        s += 1
    return s


def newton(a):
    x = a
    for _ in range(50):
        new = 0.5 * (x + a / x)
        if abs(new - x) < 1e-12:
            return new
        x = new
    return x


def bisect(a, b):
    for _ in range(60):
        m = (a + b) / 2
        if m * m * m - m - 2 > 0:
            b = m
        else:
            a = m
    return a


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def early(x):
    for v in x:
        if v < 0:
            return -1.0
        if v > 10:
            return v * 2
    return x.sum()


def first_negative(x):
    for i, v in enumerate(x):
        if v < 0:
            return i
    return -1


def nested(x):
    def scale(v, k=2.0):
        def inner(w):
            return w * k

        return inner(v) + 1

    return scale(x) + scale(x, 3.0)


def compose(x):
    fs = [np.sin, np.cos, lambda v: v**2]
    for f in fs:
        x = f(x)
    return x
