"""np.linalg and np.fft: every function, stacked operands, namedtuple results, errors."""

FFT = [f"np.fft.{name}({args})" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
       for args in ("v", "x, axis=0", "u, n=4", "u, norm='ortho'")]
FFT_2D = [f"np.fft.{name}({args})" for name in (
    "fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn")
          for args in ("x", "c, axes=(0, 1)")]
ROWS = [
    *FFT,
    *FFT_2D,
    "np.fft.fft(z)", "np.fft.fft(f).dtype", "np.fft.fftfreq(5)", "np.fft.fftfreq(n, d=0.5)",
    "np.fft.rfftfreq(n)", "np.fft.fftshift(v)", "np.fft.ifftshift(x, axes=1)",
    "np.abs(np.fft.rfft(u)) ** 2", "np.fft.ifft(np.fft.fft(v)).real", "np.linalg.norm(v)",
    "np.linalg.norm(x)", "np.linalg.norm(x, axis=1)", "np.linalg.norm(x, 'fro')",
    "np.linalg.norm(q, 2)", "np.linalg.norm(v, np.inf)", "np.linalg.norm(v, 1)",
    "np.linalg.norm(x, axis=0, keepdims=True)", "np.linalg.norm(z)",
    "np.linalg.norm(c, axis=(0, 1))", "np.linalg.norm(f)", "np.linalg.norm(x, 'nuc')",
    "np.linalg.inv(q)", "np.linalg.inv(qq)", "np.linalg.pinv(x)",
    "np.linalg.pinv(q, hermitian=True)", "np.linalg.det(q)", "np.linalg.det(qq)",
    "np.linalg.slogdet(q)", "np.linalg.slogdet(q).logabsdet",
    "sign, logdet = np.linalg.slogdet(q); return sign * logdet", "np.linalg.matrix_rank(x)",
    "np.linalg.matrix_rank(q)", "np.linalg.cond(q)", "np.linalg.matrix_power(q, 3)",
    "np.linalg.matrix_power(q, -1)", "np.linalg.matrix_power(q, n)", "np.linalg.cholesky(q)",
    "np.linalg.cholesky(qq)", "np.linalg.cholesky(q, upper=True)", "np.linalg.cholesky(-q)",
    "np.linalg.cholesky(zz)", "np.linalg.solve(q, v)", "np.linalg.solve(q, x.T)",
    "np.linalg.solve(qq, x[:, :2, None])", "np.linalg.solve(np.zeros((3, 3)), v)",
    "np.linalg.inv(x)", "np.linalg.lstsq(x.T, v, rcond=None)",
    "a, res, rank, sv = np.linalg.lstsq(x.T, v, rcond=None); return a, rank", "np.linalg.eigh(q)",
    "np.linalg.eigh(q).eigenvalues", "vals, vecs = np.linalg.eigh(q); return vals",
    "r = np.linalg.eigh(q); return r.eigenvalues, r[0]", "np.linalg.eigvalsh(q)",
    "np.linalg.eig(q).eigenvalues", "np.linalg.eigvals(q)", "np.linalg.eigvals(zz)",
    "np.linalg.eigh(zz)", "np.linalg.svd(x)", "np.linalg.svd(x, full_matrices=False)",
    "np.linalg.svd(x, compute_uv=False)", "np.linalg.svd(q).S",
    "uu, ss, vh = np.linalg.svd(x, full_matrices=False); return (uu * ss) @ vh",
    "np.linalg.svdvals(x)", "np.linalg.qr(x)", "np.linalg.qr(q).R",
    "qm, rm = np.linalg.qr(q); return qm @ rm", "np.linalg.qr(q, mode='r')",
    "np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 2, 3) * s, x)",
    "np.linalg.tensorinv(np.eye(4).reshape(2, 2, 2, 2) * s, ind=2)",
    "np.linalg.multi_dot([x, q, v])", "np.linalg.outer(v, w)", "np.linalg.cross(v, w)",
    "np.linalg.matmul(x, q)", "np.linalg.vecdot(x, y)", "np.linalg.vector_norm(x)",
    "np.linalg.vector_norm(x, axis=1)", "np.linalg.matrix_norm(x)", "np.linalg.diagonal(q)",
    "np.linalg.trace(q)", "np.linalg.tensordot(x, y)", "np.linalg.matrix_transpose(x)", "x @ v",
    "x @ y.T", "v @ w", "v @ q @ v", "q @ x", "x.T @ x", "c @ c.transpose(0, 2, 1)",
    "z @ z.conj()", "t @ i", "f @ f.T", "m @ m", "v @ 2", "x @= q; return x", "q @= q; return q",
    "np.linalg.eigh(q.astype('f4')).eigenvalues.dtype", "np.linalg.det(t[:, :2])",
    "np.linalg.solve(q, v).sum() if s > 0 else np.linalg.det(q)",
]
