"""Models of sequences: dynamic programming, hidden states, mixtures."""


import numpy as np

from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(21)


def normal(*shape):
    return RNG.normal(size=shape)


def uniform(low, high, *shape):
    return RNG.uniform(low, high, shape)


@program(normal(5, 6), normal(6, 6) * 0.2)
def softdtw(x, y, gamma=0.3):
    D = ((x[:, None, :] - y[None, :, :]) ** 2).sum(-1)
    N, M = D.shape
    r = np.full((N + 1, M + 1), 100000000.0)
    r[0, 0] = 0
    for i in range(1, N + 1):
        for j in range(1, M + 1):
            a = -np.array([r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]]) / gamma
            m = np.max(a)
            r[i, j] = D[i - 1, j - 1] - gamma * (m + np.log(np.sum(np.exp(a - m))))
    return r[N, M]


@program(normal(7, 4))
def ctc(logits, labels=(1, 2, 2), blank=0):
    lp = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    ext = [blank]
    for l in labels:
        ext += [l, blank]
    S = len(ext)
    alpha = np.full((len(lp), S), -1000000000.0)
    alpha[0, 0] = lp[0, blank]
    alpha[0, 1] = lp[0, ext[1]]
    for t in range(1, len(lp)):
        for s in range(S):
            c = [alpha[t - 1, s]]
            if s >= 1:
                c.append(alpha[t - 1, s - 1])
            if s >= 2 and ext[s] != blank and (ext[s] != ext[s - 2]):
                c.append(alpha[t - 1, s - 2])
            alpha[t, s] = np.logaddexp.reduce(np.array(c)) + lp[t, ext[s]]
    return -np.logaddexp(alpha[-1, -1], alpha[-1, -2])


@program(normal(4, 5), normal(5, 5))
def viterbi_dict(em, tr):
    V = [{s: em[0, s] for s in range(5)}]
    path = {s: [s] for s in range(5)}
    for t in range(1, 4):
        V.append({})
        new = {}
        for s in range(5):
            prob, prev = max(((V[t - 1][p] + tr[p, s], p) for p in range(5)))
            V[t][s] = prob + em[t, s]
            new[s] = path[prev] + [s]
        path = new
    best, _ = max(((V[-1][s], s) for s in range(5)))
    return best


@program(uniform(0.1, 1, 3, 3), uniform(0.1, 1, 3, 4), uniform(0.2, 1, 3))
def forward_backward(A, B, pi):
    A = A / A.sum(1, keepdims=True)
    B = B / B.sum(1, keepdims=True)
    pi = pi / pi.sum()
    obs = [0, 2, 1, 3, 3]
    al = [pi * B[:, 0]]
    for o in obs[1:]:
        al.append(al[-1] @ A * B[:, o])
    be = [np.ones(3)]
    for o in obs[:0:-1]:
        be.insert(0, A @ (B[:, o] * be[0]))
    g = [a * b / (a * b).sum() for a, b in zip(al, be)]
    return np.array(g)


@program(normal(6, 3), normal(2, 3))
def em_gmm(X, mu):
    pi = np.ones(2) / 2
    var = np.ones(2)
    for _ in range(4):
        d = ((X[:, None] - mu[None]) ** 2).sum(-1)
        l = np.log(pi) - 1.5 * np.log(var) - 0.5 * d / var
        r = np.exp(l - np.logaddexp.reduce(l, axis=1)[:, None])
        N = r.sum(0)
        mu = r.T @ X / N[:, None]
        var = (
            np.array([(r[:, k] * ((X - mu[k]) ** 2).sum(1)).sum() / (3 * N[k]) for k in range(2)])
            + 0.001
        )
        pi = N / N.sum()
    return (mu, var, pi)


@program(normal(5, 2), normal(5))
def kernel_ridge(X, y):
    K = np.array([[np.exp(-np.sum((a - b) ** 2)) for a in X] for b in X])
    al = np.linalg.solve(K + 0.1 * np.eye(5), y)
    return al @ K @ al


@program(normal(5, 2), normal(5), np.array([0.2, -0.3]))
def gp_chol(X, y, logp):
    l, s = np.exp(logp)
    d = np.sum(X**2, 1)[:, None] + np.sum(X**2, 1) - 2 * X @ X.T
    K = s**2 * np.exp(-0.5 * d / l**2)
    K[np.diag_indices(5)] += 0.1
    L = np.linalg.cholesky(K)
    z = np.zeros(5)
    for i in range(5):
        z[i] = (y[i] - L[i, :i] @ z[:i]) / L[i, i]
    return 0.5 * z @ z + np.sum(np.log(np.diagonal(L)))
