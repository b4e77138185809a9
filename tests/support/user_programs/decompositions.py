"""Matrix functions, decompositions in losses, structured matrices."""

import numpy as np

R = np.random.default_rng(7)
sym = lambda n: (lambda a: a + a.T)(R.normal(size=(n, n)))
spd = lambda n: (lambda a: a @ a.T + n * np.eye(n))(R.normal(size=(n, n)))


def expm_pade(A):
    norm = np.linalg.norm(A, 1)
    s = max(0, int(np.ceil(np.log2(norm))) + 1)
    A = A / 2**s
    n = A.shape[0]
    X, c = A, 0.5
    E, D = np.eye(n) + c * A, np.eye(n) - c * A
    for k in range(2, 7):
        c = c * (6 - k + 1) / (k * (12 - k + 1))
        X = A @ X
        E = E + c * X
        D = D + (c if k % 2 == 0 else -c) * X
    E = np.linalg.solve(D, E)
    for _ in range(s):
        E = E @ E
    return E


def expm_loss(A, v):
    return np.sum((expm_pade(A) @ v) ** 2)


def sqrtm_newton_schulz(A):
    n = np.sqrt(np.sum(A * A))
    Y, I = A / n, np.eye(len(A))
    Z = I
    for _ in range(12):
        T = 0.5 * (3.0 * I - Z @ Y)
        Y, Z = Y @ T, T @ Z
    return np.trace(Y) * np.sqrt(n) + np.sum(Z**2)


def sqrtm_denman_beavers(A):
    Y, Z = A.copy(), np.eye(A.shape[0])
    while True:
        Yn = 0.5 * (Y + np.linalg.inv(Z))
        Zn = 0.5 * (Z + np.linalg.inv(Y))
        if np.linalg.norm(Yn - Y) < 1e-12:
            break
        Y, Z = Yn, Zn
    return Yn.sum()


def logm_eigh(A):
    S = 0.5 * (A + A.T) + 6 * np.eye(len(A))
    w, V = np.linalg.eigh(S)
    L = (V * np.log(w)) @ V.T
    return np.sum(L * L) + L[0, 1]


def spectral_gap(A):
    w = np.linalg.eigvalsh(A @ A.T)
    return (w[-1] - w[0]) / w[1:-1].mean()


def nuclear_plus_cond(A):
    s = np.linalg.svd(A, compute_uv=False)
    return s.sum() + np.log(s[0] / s[-1]) + np.linalg.norm(A, "nuc")


def low_rank(A, k):
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return np.sum((A - (U[:, :k] * s[:k]) @ Vt[:k]) ** 2) + np.abs(U[:, 0] @ A).sum()


def procrustes(X, Y):
    U, s, Vt = np.linalg.svd(X.T @ Y)
    d = np.sign(np.linalg.det(U @ Vt))
    D = np.diag([1.0, 1.0, d])
    Rm = U @ D @ Vt
    return np.sum((X @ Rm - Y) ** 2)


def power_iteration(A, v):
    for _ in range(40):
        v = A @ v
        v = v / np.linalg.norm(v)
    return v @ A @ v


def qr_algorithm(A):
    A = (A + A.T) / 2 + np.diag(np.arange(1.0, 5.0)) * 4
    for _ in range(15):
        Q, Rr = np.linalg.qr(A)
        A = Rr @ Q
    return np.sum(np.diag(A) * np.arange(4.0))


def gram_schmidt(V):
    Q = np.zeros_like(V)
    for j in range(V.shape[1]):
        q = V[:, j]
        for i in range(j):
            q = q - (Q[:, i] @ V[:, j]) * Q[:, i]
        Q[:, j] = q / np.linalg.norm(q)
    return np.sum(Q[:, -1] * np.arange(1, V.shape[0] + 1)) + Q[0, 1] ** 2


def householder_qr(A):
    R_ = A.copy()
    m, n = R_.shape
    for j in range(n):
        x = R_[j:, j].copy()
        s = -np.sign(x[0]) * np.linalg.norm(x)
        x[0] -= s
        x /= np.linalg.norm(x)
        R_[j:, j:] -= 2 * np.outer(x, x @ R_[j:, j:])
    return np.sum(np.triu(R_[:n]) ** 3)


def cholesky_by_hand(A):
    n = A.shape[0]
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j] - L[i, :j] @ L[j, :j]
            if i == j:
                L[i, i] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return np.log(np.diag(L)).sum() + L[-1, 0]


def lu_pivot(A, b):
    A, b = A.copy(), b.copy()
    n = len(b)
    for k in range(n):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return np.sum(x**2)


def jacobi_rotation(A):
    A = (A + A.T) / 2
    for _ in range(4):
        off = np.abs(A - np.diag(np.diag(A)))
        i, j = np.unravel_index(np.argmax(off), off.shape)
        th = 0.5 * np.arctan2(2 * A[i, j], A[j, j] - A[i, i])
        G = np.eye(len(A))
        G[i, i] = G[j, j] = np.cos(th)
        G[i, j], G[j, i] = np.sin(th), -np.sin(th)
        A = G.T @ A @ G
    return np.sum(np.diag(A) ** 2)


def lanczos(A, v, k):
    S = A + A.T
    q, qp, beta = v / np.linalg.norm(v), np.zeros_like(v), 0.0
    alphas, betas = [], []
    for _ in range(k):
        w = S @ q - beta * qp
        a = w @ q
        w = w - a * q
        alphas.append(a)
        qp, beta = q, np.linalg.norm(w)
        betas.append(beta)
        q = w / beta
    T = np.diag(np.array(alphas)) + np.diag(betas[:-1], 1) + np.diag(betas[:-1], -1)
    return np.linalg.eigvalsh(T)[-1]


def cayley(A, X):
    S = A - A.T
    I = np.eye(A.shape[0])
    Q = np.linalg.solve(I + S / 2, I - S / 2)
    return np.sum((Q @ X) * np.arange(1.0, 1 + X.size).reshape(X.shape))


def lyapunov_kron(A, Q):
    n = A.shape[0]
    I = np.eye(n)
    M = np.kron(I, A) + np.kron(A, I) - 6 * np.eye(n * n)
    X = np.linalg.solve(M, -Q.ravel()).reshape(n, n)
    return np.trace(X @ X.T)


def riccati(A, B, Q):
    P = Q
    for _ in range(12):
        K = np.linalg.solve(np.eye(B.shape[1]) + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
    return np.trace(P) + np.linalg.matrix_power(A - B @ K, 3).sum()


def whitening(X):
    Xc = X - X.mean(0)
    C = np.cov(Xc, rowvar=False) + 0.1 * np.eye(X.shape[1])
    w, V = np.linalg.eigh(C)
    Z = Xc @ V / np.sqrt(w)
    return np.sum(np.abs(Z @ V.T) ** 1.5)


def correlation_loss(X, Y):
    c = np.corrcoef(X.T, Y.T)
    return np.sum(np.triu(c, 1) ** 2) + np.linalg.det(c + np.eye(len(c)))


def block_solve(A, B, C, D, r):
    M = np.block([[A + 3 * np.eye(2), B], [C, D + 3 * np.eye(3)]])
    x = np.linalg.solve(M, r)
    return x[:2] @ x[:2] + np.linalg.inv(M)[0, -1]


def general_eig(A):
    w = np.linalg.eigvals(A)
    return np.sum(np.abs(w) ** 2) + np.max(w.real)


def stationary(P):
    P = np.exp(P) / np.exp(P).sum(1, keepdims=True)
    n = len(P)
    A = np.vstack([P.T - np.eye(n), np.ones(n)])
    b = np.r_[np.zeros(n), 1.0]
    pi = np.linalg.lstsq(A, b, rcond=None)[0]
    return -np.sum(pi * np.log(pi))


def graph_laplacian(w):
    n = 5
    iu = np.triu_indices(n, 1)
    W = np.zeros((n, n))
    W[iu] = w
    W += W.T
    L = np.diag(W.sum(1)) - W
    return np.linalg.eigvalsh(L)[1] + np.linalg.pinv(L).trace()


def batched(A, b):
    x = np.linalg.solve(A, b[..., None])[..., 0]
    d = np.linalg.det(A)
    L = np.linalg.cholesky(A @ A.swapaxes(-1, -2))
    return np.sum(x * d[:, None]) + np.einsum("bii->", L) + np.sum(np.linalg.inv(A)[:, 0])


def tensor_train(cores, idx):
    out = 0.0
    for i in idx:
        v = np.ones((1,))
        for core, k in zip(cores, i):
            v = v @ core[:, k, :]
        out = out + v[0] ** 2
    return out


PROGRAMS = [
    (expm_loss, R.normal(size=(4, 4)), R.normal(size=4)),
    (sqrtm_newton_schulz, spd(3)),
    (sqrtm_denman_beavers, spd(3)),
    (logm_eigh, R.normal(size=(4, 4))),
    (spectral_gap, R.normal(size=(4, 4))),
    (nuclear_plus_cond, R.normal(size=(4, 3))),
    (low_rank, R.normal(size=(5, 4)), 2),
    (procrustes, R.normal(size=(6, 3)), R.normal(size=(6, 3))),
    (power_iteration, spd(3), R.normal(size=3)),
    (qr_algorithm, R.normal(size=(4, 4))),
    (gram_schmidt, R.normal(size=(4, 3))),
    (householder_qr, R.normal(size=(4, 3))),
    (cholesky_by_hand, spd(4)),
    (lu_pivot, R.normal(size=(4, 4)), R.normal(size=4)),
    (jacobi_rotation, R.normal(size=(4, 4))),
    (lanczos, R.normal(size=(6, 6)), R.normal(size=6), 4),
    (cayley, R.normal(size=(3, 3)), R.normal(size=(3, 2))),
    (lyapunov_kron, R.normal(size=(3, 3)), sym(3)),
    (riccati, 0.5 * R.normal(size=(3, 3)), R.normal(size=(3, 2)), spd(3)),
    (whitening, R.normal(size=(8, 3))),
    (correlation_loss, R.normal(size=(9, 2)), R.normal(size=(9, 2))),
    (
        block_solve,
        R.normal(size=(2, 2)),
        R.normal(size=(2, 3)),
        R.normal(size=(3, 2)),
        R.normal(size=(3, 3)),
        R.normal(size=5),
    ),
    (general_eig, R.normal(size=(4, 4))),
    (stationary, R.normal(size=(4, 4))),
    (graph_laplacian, R.uniform(0.5, 2, 10)),
    (batched, R.normal(size=(3, 3, 3)), R.normal(size=(3, 3))),
    (
        tensor_train,
        [R.normal(size=(1, 3, 2)), R.normal(size=(2, 3, 2)), R.normal(size=(2, 3, 1))],
        [(0, 1, 2), (2, 2, 0), (1, 0, 1)],
    ),
]
