"""Rows that NumPy refuses: the error is NumPy's own, word for word, and it ends on the row's line.

x, y: (2, 3); v, w: (3,); u: (6,); c: (2, 3, 4); q: (3, 3); e: (0, 3); i: three integers; s: a
scalar.
"""

ROWS = [
    # shapes that do not fit
    "u + v", "x + u", "x += u; return x", "v += u; return 1", "u[:2] += v; return 1",
    "np.add(v, u, out=v)", "np.exp(v, out=u)", "np.add(v, 1, out=v[:1])",
    "u @ v", "x @ y", "x @ s", "v @ u", "c @ x", "np.dot(x, y)", "np.inner(x, u)",
    "np.vdot(u, v)", "np.cross(u, u)", "np.kron(u)",
    "np.einsum('ij,jk', x, y)", "np.where(x > 0, x, u)", "np.maximum(u, v)", "np.clip(u, v, w)",
    "np.concatenate([u, x])", "np.concatenate([x, x[:, :2]])", "np.stack([u, v])",
    "np.vstack([u, v])", "np.hstack([x, u])", "np.column_stack([u, v])", "np.array([u, v])",
    "np.concatenate([])", "np.append(x, v, axis=0)", "np.outer(u)", "np.convolve(v, v[:0])",
    "np.interp(v, v, u)", "np.polyfit(v, u, 1)", "np.average(x, weights=u)", "np.cov(u, v)",
    # other shapes
    "x.reshape(5)", "np.reshape(x, (4, -1))", "x.reshape(-1, -1)", "np.broadcast_to(v, (4,))",
    "np.broadcast_arrays(u, v)", "np.split(u, 4)", "np.squeeze(x, 0)", "np.tile(v, 'a')",
    "np.repeat(v, [1, 2])", "np.pad(v, (1, 2, 3))", "np.full((2, 4), v)", "np.diag(c)",
    "np.trace(v)", "np.zeros(v)", "np.eye(v)", "np.roll(x, 1, axis=2)",
    # axes
    "x.sum(axis=2)", "np.mean(x, axis=(0, 0))", "np.max(x, axis=-3)", "np.sort(x, axis=5)",
    "np.argmax(x, axis=2)", "np.cumsum(x, axis=2)", "np.take(x, [0], axis=4)", "np.diff(x, axis=2)",
    "np.expand_dims(x, 5)", "np.transpose(x, (0, 0))", "x.transpose(1, 2, 0)",
    "np.swapaxes(x, 0, 5)", "np.moveaxis(x, 0, 3)", "np.flip(x, 2)",
    "np.expand_dims(x, (0, 0))", "np.median(x, axis=2)",
    "np.fft.fft(v, axis=3)", "np.fft.fft(v, 0)", "np.add.reduce(x, axis=2)",
    "np.add.accumulate(s)", "np.maximum.reduce(e)",
    # indices
    "v[5]", "v[-4]", "v[0, 0]", "v[1.5]", "v['a']", "x[2, 0]", "x[0, 3]", "v[[0, 7]]",
    "v[x > 0]", "x[..., ...]", "np.take(v, 9)", "np.delete(v, 9)", "np.insert(v, 9, 1)",
    "v[4] = 1; return v", "v[:2] = u; return v", "x[0] = u; return x", "np.choose(v, [v])",
    # dtypes
    "v & v", "~v", "v << 1", "x % 'a'", "v.astype('zz')", "np.bincount(v)", "np.bincount(-i - 1)",
    "np.left_shift(v, 1)", "np.arange(z)", "np.float64('a')", "days + days", "words * 2", "-m",
    "m - m", "i += 0.5; return i", "np.searchsorted(v, v, side='x')", "np.percentile(v, 200)",
    "np.quantile(v, 2)", "i ** -1", "np.add(v, v, dtype=int)",
    # one number
    "float(v)", "int(x)", "v.item()", "bool(v)", "len(s)", "s[0]", "len(np.array(1.0))", "min(s)",
    "max(e)", "e.max()", "np.argmin(e[:0, :0])", "s()",
    # linear algebra
    "np.linalg.solve(x, v)", "np.linalg.solve(q, u)", "np.linalg.inv(x)", "np.linalg.det(v)",
    "np.linalg.cholesky(x)", "np.linalg.eig(x)", "np.linalg.qr(v)", "np.linalg.inv(q * 0)",
    "np.linalg.cholesky(-q)", "np.linalg.norm(c, 'x')", "np.linalg.matrix_power(x, 2)",
    # unpacking
    "a, b2 = x[x > 100]; return a", "a, b2 = u[u < 100]; return a",
    # names and arguments
    "x.foo", "s.foo", "np.sin(v, v, v)", "np.sum(v, axes=1)", "x.reshape()",
    "np.round(v, 'a')", "v.sort(kind='bogus')", "np.unravel_index(i, (1, 1))",
]
