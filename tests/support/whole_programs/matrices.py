"""Linear algebra by hand, and sparse matrices."""

import numpy as np

from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(21)


def normal(*shape):
    return RNG.normal(size=shape)


@program(normal(4, 4) + 4 * np.eye(4), normal(4))
def lu_hand(A, b):
    A = A.copy()
    N = 4
    p = list(range(N))
    for k in range(N):
        m = k + int(np.argmax(np.abs(A[k:, k])))
        if m != k:
            A[[k, m]] = A[[m, k]]
            p[k], p[m] = (p[m], p[k])
        for i in range(k + 1, N):
            A[i, k] /= A[k, k]
            A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
    y = b[np.array(p)].copy()
    for i in range(N):
        y[i] -= A[i, :i] @ y[:i]
    for i in reversed(range(N)):
        y[i] = (y[i] - A[i, i + 1 :] @ y[i + 1 :]) / A[i, i]
    return y


@program(normal(4, 4))
def qr_iter(A):
    A = A @ A.T + np.eye(4)
    for _ in range(6):
        Q, Rr = np.linalg.qr(A)
        A = Rr @ Q
    return np.diag(A)


@program(normal(5, 3))
def mgs(A):
    Q = A.copy()
    for i in range(3):
        Q[:, i] /= np.linalg.norm(Q[:, i])
        for j in range(i + 1, 3):
            Q[:, j] -= Q[:, i] @ Q[:, j] * Q[:, i]
    return Q


@program(normal(4, 4), normal(4))
def cg(A, b):
    A = A @ A.T + np.eye(4)
    x = np.zeros(4)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for i in range(10):
        Ap = A @ p
        al = rs / (p @ Ap)
        x += al * p
        r -= al * Ap
        new = r @ r
        if np.sqrt(new) < 1e-06:
            break
        p = r + new / rs * p
        rs = new
    return x


@program(normal(6), np.array([0, 0, 1, 2, 2, 2]), np.array([1, 2, 0, 1, 1, 2]), normal(3))
def coo(vals, rows, cols, x):
    y = np.zeros(3)
    np.add.at(y, rows, vals * x[cols])
    M = np.zeros((3, 3))
    np.add.at(M, (rows, cols), vals)
    return y @ M


@program(normal(6), normal(4))
def csr(data, x):
    indptr = [0, 2, 3, 6]
    idx = [0, 1, 2, 0, 1, 3]
    return np.array(
        [sum((data[k] * x[idx[k]] for k in range(a, b))) for a, b in zip(indptr, indptr[1:])]
    )


@program(normal(3, 3), normal(3, 3))
def kron_trace(A, B):
    return (
        np.trace(np.kron(A, B) @ np.eye(9))
        + np.linalg.norm(A @ B - B @ A, "nuc")
        + np.linalg.cond(A)
    )


@program(normal(4, 3))
def pca(X):
    C = np.cov(X, rowvar=False)
    w, V = np.linalg.eigh(C)
    return (X - X.mean(0)) @ V[:, ::-1][:, :2] * np.sign(V[0, ::-1][:2])
