"""Gaussian processes, state space models, HMMs, CRFs, particle filters."""

from dataclasses import dataclass

import numpy as np

import autograph as ag

R = np.random.default_rng(2)


def logsumexp(a, axis=None):
    m = np.max(a, axis=axis, keepdims=True)
    s = np.log(np.sum(np.exp(a - m), axis=axis, keepdims=True)) + m
    return np.squeeze(s, axis=axis) if axis is not None else s.item()


def rbf(x, y, ell, amp):
    d = (x[:, None, :] - y[None, :, :]) / ell
    return amp**2 * np.exp(-0.5 * np.sum(d**2, axis=-1))


def gp_marginal(log_params, X, y):
    amp, ell, noise = np.exp(log_params[0]), np.exp(log_params[1:-1]), np.exp(log_params[-1])
    K = rbf(X, X, ell, amp) + (noise**2 + 1e-6) * np.eye(len(X))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ alpha + np.log(np.diag(L)).sum() + 0.5 * len(y) * np.log(2 * np.pi)


def gp_slogdet(theta, X, y):
    K = theta["s"] * np.exp(-np.abs(X - X.T) / theta["l"]) + theta["n"] * np.eye(X.shape[0])
    sign, logdet = np.linalg.slogdet(K)
    return y.dot(np.linalg.inv(K)).dot(y) + logdet


def matern_predict(ell, X, y, Xs):
    def k(a, b):
        r = np.sqrt(np.maximum(((a[:, None] - b[None]) ** 2), 1e-30)) * np.sqrt(5.0) / ell
        return (1 + r + r**2 / 3) * np.exp(-r)

    K = k(X, X) + 0.1 * np.eye(X.size)
    Ks = k(X, Xs)
    mean = Ks.T @ np.linalg.solve(K, y)
    var = 1.0 - np.sum(Ks * np.linalg.solve(K, Ks), axis=0)
    return np.sum(mean) + np.sum(np.sqrt(var))


def sparse_gp(Z, logell, X, y):
    ell = np.exp(logell)
    K = lambda a, b: np.exp(-0.5 * ((a[:, None] - b[None, :]) / ell) ** 2)
    Kuu = K(Z, Z) + 1e-3 * np.eye(Z.size)
    Kuf = K(Z, X)
    L = np.linalg.cholesky(Kuu)
    A = np.linalg.solve(L, Kuf) / 0.3
    B = np.eye(Z.size) + A @ A.T
    LB = np.linalg.cholesky(B)
    c = np.linalg.solve(LB, A @ y) / 0.3
    bound = -np.log(np.diagonal(LB)).sum() - 0.5 * np.sum(y**2) / 0.09 + 0.5 * np.sum(c**2)
    return bound - 0.5 * (X.size / 0.09 - np.trace(A @ A.T))


def hmm_forward(log_pi, log_A, means, obs):
    log_pi = log_pi - logsumexp(log_pi)
    log_A = log_A - np.log(np.sum(np.exp(log_A), axis=1, keepdims=True))

    def emit(o):
        return -0.5 * (o - means) ** 2 - 0.5 * np.log(2 * np.pi)

    alpha = log_pi + emit(obs[0])
    for t in range(1, len(obs)):
        alpha = logsumexp(alpha[:, None] + log_A, axis=0) + emit(obs[t])
    return -logsumexp(alpha)


def hmm_lists(A, B, pi, seq):
    """The forward algorithm as from a text book: nested lists."""
    n = len(pi)
    alpha = [pi[i] * B[i][seq[0]] for i in range(n)]
    scale = []
    for o in seq[1:]:
        new = []
        for j in range(n):
            s = 0.0
            for i in range(n):
                s += alpha[i] * A[i][j]
            new.append(s * B[j][o])
        c = sum(new)
        scale.append(c)
        alpha = [v / c for v in new]
    return sum(np.log(c) for c in scale)


def viterbi_score(trans, emit):
    T, n = emit.shape
    score = emit[0]
    back = np.zeros((T, n), dtype=int)
    for t in range(1, T):
        s = score[:, None] + trans
        back[t] = np.argmax(s, axis=0)
        score = s[back[t], np.arange(n)] + emit[t]
    path = [int(np.argmax(score))]
    for t in range(T - 1, 0, -1):
        path.append(back[t][path[-1]])
    return score.max() + 0.1 * sum(emit[T - 1 - k, j] for k, j in enumerate(path))


def crf_nll(params, x, tags):
    W, T, start, end = params["W"], params["T"], params["start"], params["end"]
    e = x @ W
    gold = start[tags[0]] + e[0, tags[0]]
    for i in range(1, len(tags)):
        gold = gold + T[tags[i - 1], tags[i]] + e[i, tags[i]]
    gold = gold + end[tags[-1]]
    a = start + e[0]
    for i in range(1, e.shape[0]):
        m = a[:, None] + T + e[i][None, :]
        mx = m.max(0)
        a = mx + np.log(np.exp(m - mx).sum(0))
    return np.logaddexp.reduce(a + end) - gold


def kalman_loglik(theta, ys):
    q, r, phi = np.exp(theta[0]), np.exp(theta[1]), np.tanh(theta[2])
    m, P, ll = 0.0, 1.0, 0.0
    for y in ys:
        m, P = phi * m, phi**2 * P + q
        if np.isnan(y):
            continue
        S = P + r
        K = P / S
        ll += -0.5 * (np.log(2 * np.pi * S) + (y - m) ** 2 / S)
        m, P = m + K * (y - m), (1 - K) * P
    return -ll


def kalman_joseph(A, H, q, ys):
    n = A.shape[0]
    x, P = np.zeros((n, 1)), np.eye(n)
    Rm = 0.5 * np.eye(H.shape[0])
    ll = 0.0
    for y in ys:
        x = A @ x
        P = A @ P @ A.T + q * np.eye(n)
        v = y.reshape(-1, 1) - H @ x
        S = H @ P @ H.T + Rm
        K = np.linalg.solve(S, H @ P).T
        x = x + K @ v
        IKH = np.eye(n) - K @ H
        P = IKH @ P @ IKH.T + K @ Rm @ K.T
        P = (P + P.T) / 2
        ll += float(np.log(np.linalg.det(S))) + (v.T @ np.linalg.solve(S, v))[0, 0]
    return ll


def particle_filter(phi, logs, ys, init, noise, uniform):
    x = init
    ll = 0.0
    n = x.shape[0]
    for t in range(len(ys)):
        x = phi * x + np.exp(logs) * noise[t]
        lw = -0.5 * (ys[t] - x) ** 2
        m = lw.max()
        w = np.exp(lw - m)
        ll = ll + m + np.log(w.mean())
        w = w / w.sum()
        idx = np.searchsorted(np.cumsum(w), (np.arange(n) + uniform[t]) / n)
        x = x[np.minimum(idx, n - 1)]
    return ll + x.mean()


@dataclass
class Mixture:
    logits: np.ndarray
    mu: np.ndarray
    L: np.ndarray


def gmm_loglik(m, X):
    logw = m.logits - np.log(np.sum(np.exp(m.logits)))
    total = []
    for k in range(m.mu.shape[0]):
        chol = np.tril(m.L[k], -1) + np.diag(np.exp(np.diag(m.L[k])))
        z = np.linalg.solve(chol, (X - m.mu[k]).T)
        total.append(logw[k] - 0.5 * np.sum(z * z, axis=0) - np.sum(np.log(np.diag(chol))))
    return np.mean(np.logaddexp.reduce(np.stack(total), axis=0))


def em_steps(mu, X):
    for _ in range(3):
        d = -0.5 * (X[:, None] - mu[None, :]) ** 2
        r = np.exp(d - d.max(1, keepdims=True))
        r /= r.sum(1, keepdims=True)
        mu = (r * X[:, None]).sum(0) / r.sum(0)
    return np.sum(mu * np.array([1.0, -0.5]))


def elbo_reparam(mu, logstd, eps, x, y):
    w = mu + np.exp(logstd) * eps
    logits = x @ w.T
    ll = np.sum(y[:, None] * logits - np.logaddexp(0.0, logits)) / len(eps)
    kl = 0.5 * np.sum(np.exp(2 * logstd) + mu**2 - 1 - 2 * logstd)
    return kl - ll


def hmc_trajectory(q, logeps, p):
    """The final energy after leapfrog steps with gradients inside."""

    def U(q):
        return 0.5 * q @ q + np.log1p(np.sum(q**4))

    eps = np.exp(logeps)
    dU = ag.grad(U)
    p = p - eps / 2 * dU(q)
    for i in range(3):
        q = q + eps * p
        if i < 2:
            p = p - eps * dU(q)
    p = p - eps / 2 * dU(q)
    return U(q) + 0.5 * p @ p


def ctc_loss(logp, labels):
    T = logp.shape[0]
    ext = [0]
    for l in labels:
        ext += [l, 0]
    S = len(ext)
    NEG = -1e30
    alpha = np.full((T, S), NEG)
    alpha[0, 0] = logp[0, 0]
    alpha[0, 1] = logp[0, ext[1]]
    for t in range(1, T):
        for s in range(S):
            a = alpha[t - 1, s]
            if s > 0:
                a = np.logaddexp(a, alpha[t - 1, s - 1])
            if s > 1 and ext[s] != 0 and ext[s] != ext[s - 2]:
                a = np.logaddexp(a, alpha[t - 1, s - 2])
            alpha[t, s] = a + logp[t, ext[s]]
    return -np.logaddexp(alpha[-1, -1], alpha[-1, -2])


_y = R.normal(size=8)
_yn = _y.copy()
_yn[3] = np.nan
PROGRAMS = [
    (gp_marginal, R.normal(size=4) * 0.3, R.normal(size=(6, 2)), R.normal(size=6)),
    (gp_slogdet, {"s": 1.2, "l": 0.7, "n": 0.3}, R.normal(size=(5, 1)), R.normal(size=5)),
    (matern_predict, 0.8, R.normal(size=5), R.normal(size=5), R.normal(size=3)),
    (sparse_gp, np.array([-1.0, 0.2, 1.1]), 0.1, R.normal(size=9), R.normal(size=9)),
    (hmm_forward, R.normal(size=3), R.normal(size=(3, 3)), R.normal(size=3), R.normal(size=7)),
    (
        hmm_lists,
        [[0.7, 0.3], [0.4, 0.6]],
        [[0.1, 0.4, 0.5], [0.6, 0.3, 0.1]],
        [0.6, 0.4],
        [0, 1, 2, 0, 1],
    ),
    (viterbi_score, R.normal(size=(3, 3)), R.normal(size=(6, 3))),
    (
        crf_nll,
        {
            "W": R.normal(size=(4, 3)),
            "T": R.normal(size=(3, 3)),
            "start": R.normal(size=3),
            "end": R.normal(size=3),
        },
        R.normal(size=(5, 4)),
        [0, 2, 1, 1, 0],
    ),
    (kalman_loglik, R.normal(size=3) * 0.3, R.normal(size=10)),
    (kalman_joseph, 0.5 * R.normal(size=(3, 3)), R.normal(size=(2, 3)), 0.4, R.normal(size=(5, 2))),
    (
        particle_filter,
        0.8,
        -0.3,
        R.normal(size=5),
        R.normal(size=12),
        R.normal(size=(5, 12)),
        R.uniform(size=5),
    ),
    (
        gmm_loglik,
        Mixture(R.normal(size=2), R.normal(size=(2, 3)), R.normal(size=(2, 3, 3)) * 0.3),
        R.normal(size=(6, 3)),
    ),
    (em_steps, np.array([-1.0, 1.2]), R.normal(size=9) * 2),
    (
        elbo_reparam,
        R.normal(size=3),
        R.normal(size=3) * 0.2,
        R.normal(size=(4, 3)),
        R.normal(size=(7, 3)),
        (R.normal(size=7) > 0) * 1.0,
    ),
    (hmc_trajectory, R.normal(size=3), -2.0, R.normal(size=3)),
    (ctc_loss, np.log(R.dirichlet(np.ones(4), size=6)), [1, 2, 2]),
]
