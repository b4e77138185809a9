"""Programs with scipy.sparse: matrices that are built, changed, solved."""

import warnings

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph, linalg


def tridiagonal(x):
    n = len(x)
    a = sp.diags([-np.ones(n - 1), np.full(n, 2.5), -np.ones(n - 1)], [-1, 0, 1], format="csc")
    return linalg.spsolve(a, x)


def entries_set(x):
    a = sp.lil_matrix((3, 3))
    for i in range(3):
        a[i, i] = x[i] + 10
        if x[i] > 0:
            a[i, (i + 1) % 3] = 1.0
    a = a.tocsr()
    return a.nnz, a.toarray(), a @ x[3:]


def triplets(x):
    rows, columns, values = [], [], []
    for i in range(len(x)):
        if x[i] > 0:
            rows.append(i)
            columns.append(len(x) - 1 - i)
            values.append(x[i])
    a = sp.coo_array((values, (rows, columns)), shape=(6, 6))
    return a.sum(), a.toarray()


def scaled_in_place(x):
    a = sp.csr_array(np.diag(x))
    a.data *= 2
    if a.max() > 5:
        a = a.T
    return a.diagonal(), type(a).__name__


def row_by_row(x):
    a = sp.csr_array(x.reshape(2, 3))
    out = []
    for i in range(a.shape[0]):
        row = a.data[a.indptr[i]:a.indptr[i + 1]]
        out.append(row.sum() if len(row) > 2 else 0.0)
    return out


def iterated(x):
    a = sp.eye_array(6, format="csr") * 4 + sp.csr_array(np.outer(x, x) / 50)
    seen = []
    y, info = linalg.cg(a, np.ones(6), callback=lambda v: seen.append(1))
    if info != 0:
        raise ArithmeticError(info)
    return y.round(5), len(seen) > 0


def own_operator(x):
    def times(v):
        if v.ndim > 1:
            v = v.ravel()
        return 3 * v + x * (x @ v) / 40

    op = linalg.LinearOperator((6, 6), matvec=times, dtype=float)
    y, info = linalg.gmres(op, np.ones(6), rtol=1e-10)
    return y.round(6), info


def shortest(x):
    w = np.abs(np.subtract.outer(x, x))
    w[w > 3] = 0
    d, before = csgraph.dijkstra(sp.csr_array(w), indices=0, return_predecessors=True)
    path, at = [5], 5
    while before[at] >= 0:
        at = before[at]
        path.append(int(at))
    return d, path


def parts(x):
    near = np.abs(np.subtract.outer(x, x)) < 1.2
    n, labels = csgraph.connected_components(sp.csr_array(near))
    return (n, labels) if n > 1 else "one"


def singular(x):
    a = sp.csc_array(np.diag(np.where(x > 3.5, 0, 1.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = linalg.spsolve(a, x)
    return np.isfinite(y).all(), y


def singular_warns(x):
    a = sp.csc_array(np.diag(np.where(x > 3.5, 0, 1.0)))
    return np.isnan(linalg.spsolve(a, x)).any()


def wrong_shape(x):
    a = sp.csr_array(x.reshape(2, 3))
    if x[0] > 0:
        return a @ x[:3]
    return a @ x[:4]


def largest_value(x):
    a = sp.csr_array(np.outer(x, x) + np.eye(6))
    v = linalg.eigsh(a, k=1, return_eigenvectors=False, v0=np.ones(6))[0]
    return round(float(v), 6), v > 20


def factor_once(x):
    lu = linalg.splu(sp.csc_array(np.diag(np.abs(x) + 1) + np.eye(6, k=1)))
    y = np.ones(6)
    for _ in range(3):
        y = lu.solve(y)
        if y.max() < 0.3:
            break
    return y


def given_matrix(a, x):
    a.data[0] = x[0]
    if x[1] > 0:
        a.eliminate_zeros()
    return a.nnz, a @ x


def dictionary_of_keys(x):
    d = sp.dok_array((3, 3))
    for i, v in enumerate(x):
        key = (i % 3, (i * i) % 3)
        if key in d and d[key] > v:
            continue
        d[key] = v
    return d.toarray(), len(d.keys())


def added_to_a_constant(x):
    a = sp.eye_array(6) + sp.csr_array(np.outer(x, x))
    return a.toarray() if a.trace() > 40 else a.nnz


def multiplied(a, x):
    return a @ x, a.nnz, a.sum()


def dot_outside(x):
    return OUTSIDE.dot(x)


def product_outside(x):
    return OUTSIDE @ x


OUTSIDE = sp.csr_array(np.eye(6))
SETS = {"multiplied": [(sp.csr_array(np.eye(2) * k), np.array([k, 1.0])) for k in (1.0, 3.0, 0.0)],
        "given_matrix": [
            (sp.csr_array(np.array([[1.0, 0, 2], [0, v, 0], [3, 0, 0]])), np.array(x))
            for v, x in ((4.0, [1.0, -1, 0]), (5.0, [0.0, 1, 2]), (0.5, [3.0, 1, 1]))]}
