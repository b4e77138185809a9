"""Models of sequences, with recursions by hand."""

from collections import deque
from itertools import product

import numpy as np

from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(5)


def normal(*shape):
    return RNG.normal(size=shape)


def uniform(*shape):
    return RNG.uniform(0.3, 1.2, size=shape)


@program(normal(6, 2), normal(2, 2) * 0.3, uniform(2), uniform(1))
def kalman_rts(ys, A, q, r):
    n = len(ys)
    d = A.shape[0]
    H = np.array([[1.0, 0.5], [0.0, 1.0]])
    Q = np.diag(q)
    Rm = np.eye(2) * r
    m, P_ = np.zeros(d), np.eye(d)
    hist = []
    ll = 0.0
    for y in ys:
        mp, Pp = A @ m, A @ P_ @ A.T + Q
        S = H @ Pp @ H.T + Rm
        K = np.linalg.solve(S, H @ Pp).T
        v = y - H @ mp
        ll -= 0.5 * (v @ np.linalg.solve(S, v) + np.linalg.slogdet(S)[1])
        m = mp + K @ v
        P_ = Pp - K @ H @ Pp
        hist.append((mp, Pp, m, P_))
    ms = [hist[-1][2]]
    Ps = [hist[-1][3]]
    for (mp, Pp, _, _), (_, _, mf, Pf) in zip(reversed(hist[1:]), reversed(hist[:-1])):
        G = Pf @ A.T @ np.linalg.inv(Pp)
        ms.insert(0, mf + G @ (ms[0] - mp))
        Ps.insert(0, Pf + G @ (Ps[0] - Pp) @ G.T)
    return ll, np.stack(ms), np.stack(Ps)


@program(normal(5, 3), normal(3, 3), 4, np.array([0, 2, 1, 0, 0]))
def crf_forward_len(em, tr, n, tags):
    a = em[0].copy()
    gold = em[0, tags[0]]
    for t in range(1, n):
        s = a[:, None] + tr + em[t][None, :]
        mx = s.max(axis=0)
        a[:] = mx + np.log(np.exp(s - mx).sum(axis=0))
        gold += tr[tags[t - 1], tags[t]] + em[t, tags[t]]
    m = a.max()
    return m + np.log(np.sum(np.exp(a - m))) - gold


@program(normal(3, 3), normal(3, 4), np.array([0, 3, 1, 1, 2]))
def hmm_scaled(logA, logB, obs):
    A = np.exp(logA)
    A /= A.sum(1, keepdims=True)
    B = np.exp(logB)
    B /= B.sum(1, keepdims=True)
    alpha = np.full(3, 1 / 3) * B[:, obs[0]]
    ll = 0.0
    for i, o in enumerate(obs):
        if i:
            alpha = (alpha @ A) * B[:, o]
        c = alpha.sum()
        ll += np.log(c)
        alpha /= c
    return ll, alpha


@program(normal(4), normal(5))
def soft_dtw_dict(a, b):
    g = 0.5

    def softmin(*v):
        v = np.array(v) / -g
        m = v.max()
        return -g * (m + np.log(np.exp(v - m).sum()))

    D = {(0, 0): 0.0}
    for i in range(1, 5):
        D[i, 0] = 1e3
    for j in range(1, 6):
        D[0, j] = 1e3
    for i, j in product(range(1, 5), range(1, 6)):
        D[i, j] = (a[i - 1] - b[j - 1]) ** 2 + softmin(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[4, 5]


@program(normal(7, 3), normal(4, 3) * 0.5, normal(4, 4) * 0.5, normal(4))
def rnn_early(xs, wx, wh, b):
    h = np.zeros(4)
    halting = 0.0
    out = np.zeros(4)
    for x in xs:
        h = np.tanh(wx @ x + wh @ h + b)
        p = 1 / (1 + np.exp(-h[0]))
        if halting + p >= 1.5:
            out = out + (1.5 - halting) * h
            break
        halting += p
        out = out + p * h
    else:
        out = out * 0.5
    return out, halting


@program(normal(10), uniform(2))
def holt_winters(y, p):
    a, b = p / (1 + p)
    l, t = y[0], y[1] - y[0]
    sse = 0.0
    for obs in y[2:]:
        e = obs - (l + t)
        sse += e * e
        l, t = l + t + a * e, t + a * b * e
    return sse, l, t


@program(normal(12))
def stft(x):
    win = np.hanning(4)
    fr = np.lib.stride_tricks.sliding_window_view(x, 4)[::2]
    s = np.fft.rfft(fr * win, axis=-1)
    p = np.abs(s) ** 2
    return np.log(p + 1e-2).mean(0), np.angle(s[1, 1])


@program(normal(16), uniform(3))
def fft_filter_bank(x, w):
    f = np.fft.rfft(x)
    k = np.arange(f.size)
    outs = []
    for c in w:
        H = 1 / (1 + (k / (4 * c)) ** 4)
        outs.append(np.fft.irfft(f * H * np.exp(-1j * k * c), x.size))
    e = np.array([np.mean(o * o) for o in outs])
    return e / e.sum(), outs[1]


@program(uniform(4), 3)
def match_case(x, n):
    out = []
    for k in range(n + 3):
        match k % 4, k > 2:
            case 0, _:
                v = x[0] ** 2
            case 1, True:
                v = x[1] * x[2]
            case ((2 | 3), False):
                v = np.sqrt(x[3])
            case _:
                v = x.sum()
        out.append(v)
    return np.array(out)


@program(normal(4, 4), normal(4))
def gen_pipeline(a, b):
    def rows():
        for r in a:
            yield r
            if r.sum() > 3:
                yield r * 0.5

    tot = 0.0
    for k, r in enumerate(rows()):
        tot += np.sin(r @ b) * (k + 1)
    return tot


@program(normal(7), 3)
def window_deque(x, k):
    q = deque(maxlen=k)
    out = []
    for v in x:
        q.append(v)
        if len(q) == k:
            out.append(sum(q) / k + max(q) - min(q))
    q.rotate(1)
    return out, list(q)
