"""Dense linear algebra, with rows, columns and triangular slices."""

import numpy as np

from benchmarks.kernel_programs import on


def definite(r, n):
    a = r.random((n, n))
    return a @ a.T + n * np.eye(n)


@on(lambda r: (1.5, 1.2, r.random((70, 70)), r.random((70, 40))))
def rank_k_update(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, :i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, :i + 1] += alpha * A[i, k] * A[:i + 1, k]


@on(lambda r: (1.5, 1.2, r.random((60, 60)), r.random((60, 30)), r.random((60, 30))))
def rank_2k_update(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, :i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, :i + 1] += A[:i + 1, k] * alpha * B[i, k] + B[:i + 1, k] * alpha * A[i, k]


@on(lambda r: (1.5, r.random((70, 70)), r.random((70, 60))))
def triangular_product(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1:, i], B[i + 1:, j])
    B *= alpha


@on(lambda r: (1.5, 1.2, r.random((50, 60)), r.random((50, 50)), r.random((50, 60))))
def symmetric_product(alpha, beta, C, A, B):
    row = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            row[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * row


@on(lambda r: (definite(r, 80),))
def cholesky(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


@on(lambda r: (definite(r, 70),))
def lu(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]


@on(lambda r: (definite(r, 150), r.random(150)))
def elimination(A, b):
    n = A.shape[0]
    for k in range(n - 1):
        factors = A[k + 1:, k] / A[k, k]
        A[k + 1:, k:] -= factors[:, None] * A[k, k:]
        b[k + 1:] -= factors * b[k]
    x = np.zeros_like(b)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - np.dot(A[i, i + 1:], x[i + 1:])) / A[i, i]
    return x


@on(lambda r: (definite(r, 700), np.zeros(700), r.random(700)))
def forward_substitution(L, x, b):
    for i in range(L.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


@on(lambda r: (r.random(400),))
def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@on(lambda r: (r.random((70, 40)),))
def gram_schmidt(A):
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    for k in range(A.shape[1]):
        norm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(norm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


@on(lambda r: (r.random((60, 80)),))
def correlation(data):
    mean = np.mean(data, axis=0)
    deviation = np.std(data, axis=0)
    deviation[deviation <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(data.shape[0]) * deviation
    corr = np.eye(data.shape[1], dtype=data.dtype)
    for i in range(data.shape[1] - 1):
        corr[i + 1:, i] = corr[i, i + 1:] = data[:, i] @ data[:, i + 1:]
    return corr


@on(lambda r: (r.random((60, 60)),))
def jacobi_rotations(A):
    A = (A + A.T) * 0.5
    n = A.shape[0]
    for p in range(n - 1):
        for q in range(p + 1, n):
            theta = 0.5 * np.arctan2(2.0 * A[p, q], A[q, q] - A[p, p])
            c, s = np.cos(theta), np.sin(theta)
            row = c * A[p] - s * A[q]
            A[q] = s * A[p] + c * A[q]
            A[p] = row
            column = c * A[:, p] - s * A[:, q]
            A[:, q] = s * A[:, p] + c * A[:, q]
            A[:, p] = column
    return A


@on(lambda r: (definite(r, 250), r.random(250), 60))
def conjugate_gradients(A, b, steps):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for _ in range(steps):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
    return x


@on(lambda r: (definite(r, 200), 100))
def power_iteration(A, steps):
    v = np.ones(A.shape[0])
    value = 0.0
    for _ in range(steps):
        w = A @ v
        value = np.linalg.norm(w)
        v = w / value
    return value, v


@on(lambda r: (r.random((10, 10)) * 2 - 1, r.random((10, 10)), r.random((10, 10))))
def scalar_product(A, B, C):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@on(lambda r: (r.random((120, 120)),))
def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))
