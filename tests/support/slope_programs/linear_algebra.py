"""Linear algebra, products, transforms, complex numbers."""

import numpy as np

from tests.support.slope_programs.registry import M, R, X, program


@program(X)
def einsum_(x):
    return np.einsum("i,j,ij->", x, x, np.outer(x, x) ** 2)


@program(R)
def einsum2(r):
    return np.sum(np.einsum("ij,ik->jk", r, r) ** 2) + np.einsum("ii", r[:3])


@program(R)
def einsum3(r):
    return np.sum(np.einsum("...j,kj->...k", r, r) ** 2)


@program(M, X[:3])
def solve(m, b):
    return np.sum(np.linalg.solve(m, b) ** 2)


@program(M)
def inv(m):
    return np.sum(np.linalg.inv(m) ** 3)


@program(M)
def det(m):
    return np.linalg.det(m) ** 2


@program(M)
def slogdet(m):
    sign, log = np.linalg.slogdet(m)
    return sign * log


@program(M)
def chol(m):
    L = np.linalg.cholesky(m @ m.T + np.eye(3))
    return np.sum(L**3)


@program(M)
def qr(m):
    q, r = np.linalg.qr(m)
    return np.sum(q**3) + np.sum(r**2 * np.arange(9).reshape(3, 3))


@program(M)
def qr_attr(m):
    f = np.linalg.qr(m)
    return np.sum(f.Q**3) + np.sum(f.R)


@program(M)
def eigh(m):
    w, v = np.linalg.eigh(m + m.T)
    return np.sum(w**3) + np.sum(np.abs(v) ** 3)


@program(M)
def eigvalsh(m):
    return np.sum(np.sin(np.linalg.eigvalsh(m + m.T)))


@program(M)
def eig(m):
    w, v = np.linalg.eig(m)
    return np.sum(np.abs(w) ** 3) + np.sum(np.abs(v) ** 3)


@program(M)
def eigvals(m):
    return np.sum(np.abs(np.linalg.eigvals(m)) ** 3)


@program(R)
def svd(r):
    u, s, v = np.linalg.svd(r, full_matrices=False)
    return np.sum(s**3) + np.sum(np.abs(u) ** 3) + np.sum(u * s @ v)


@program(R)
def svdvals(r):
    return np.sum(np.linalg.svd(r, compute_uv=False) ** 3)


@program(R)
def norms(r):
    return (
        np.linalg.norm(r)
        + np.linalg.norm(r, 1)
        + np.linalg.norm(r, np.inf)
        + np.linalg.norm(r, 2)
        + np.linalg.norm(r, "nuc")
        + np.sum(np.linalg.norm(r, axis=1))
        + np.sum(np.linalg.norm(r, 3, axis=0))
    )


@program(R, X)
def lstsq(r, b):
    return np.sum(np.linalg.lstsq(r, b, rcond=None)[0] ** 2)


@program(R)
def pinv(r):
    return np.sum(np.linalg.pinv(r) ** 3)


@program(M)
def matpow(m):
    return np.sum(np.linalg.matrix_power(m, 3)) + np.sum(np.linalg.matrix_power(m, -2))


@program(M)
def multi_dot(m):
    return np.sum(np.linalg.multi_dot([m, m.T, m]) ** 2)


@program(X)
def fft(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 3)


@program(X)
def rfft(x):
    return np.sum(np.abs(np.fft.rfft(x, 7)) ** 2 * np.arange(4)) + np.sum(
        np.fft.irfft(np.fft.rfft(x) * 2j) ** 2
    )


@program(R)
def fft2(r):
    return np.sum(np.real(np.fft.ifft2(np.fft.fft2(r) ** 2)) ** 2)


@program(X)
def fftshift(x):
    return np.sum(np.abs(np.fft.fftshift(np.fft.fft(x, norm="ortho")) * np.arange(4)) ** 2)


@program(X)
def complexf(x):
    z = x + 1j * x[::-1]
    return np.sum(np.abs(np.exp(z) * z**2) + np.angle(z) + np.real(z * np.conj(z)))


@program(1.2 + 0.7j)
def complexscalar(z):
    return np.real(z**3) + np.abs(np.sin(z)) + z.imag * z.real


@program(X)
def conv(x):
    return np.sum(np.convolve(x, x) ** 2) + np.sum(np.correlate(x, x[:2], "same") ** 2)


@program(X)
def kron_etc(x):
    return (
        np.sum(np.kron(x, x) ** 2)
        + np.sum(np.outer(x, x) ** 2)
        + np.inner(x, x)
        + np.vdot(x, x)
        + np.dot(x, x) * (x @ x)
        + np.sum(np.tensordot(np.outer(x, x), np.outer(x, x), 1))
    )


@program(R, X)
def mlp(w, x):
    return np.sum(np.maximum(x @ w, 0) ** 2) + np.sum(np.log(np.sum(np.exp(x @ w))))


@program(X)
def matrix_ops(x):
    m = np.diag(x) + np.eye(4, k=1)
    return (
        np.sum((m.T @ m).diagonal() ** 2)
        + np.sum(np.tril(m) * 2)
        + np.linalg.cond(m) * 0
        + np.sum(m.swapaxes(0, 1).ravel()[3:9] ** 2)
    )


@program(X)
def matmul_ops(x):
    m = np.outer(x, x)
    m @= m
    return np.sum(m**2)
