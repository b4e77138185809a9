"""Layouts, aliases, mutated arguments, empty and 0-d arrays, mixed dtypes."""

import copy as _copy
import functools
import math
import operator

import numpy as np

R = np.random.default_rng(11)


def views_written(x):
    y = x.copy()
    v = y[1:3, ::2]
    v *= 2
    w = y.T
    w[0] = w[1] + 1
    y.ravel()[::3] += y.reshape(-1)[1::3][: len(y.ravel()[::3])].sum()
    return np.sum(y**2)


def swap_rows(x):
    x = x.copy()
    x[0], x[1] = x[1].copy(), x[0].copy()
    a, b = x
    a += b
    return np.sum(x * np.arange(x.size).reshape(x.shape))


def swapped_views(x):
    x = x.copy()
    x[0], x[1] = x[1], x[0]
    return np.sum(x * np.arange(x.size).reshape(x.shape))


def argument_written(x, y):
    x += y
    x[0] *= 3
    y = x * y
    return (x * y).sum()


def alias_carried(x, n):
    a = x.copy()
    b = a
    for i in range(n):
        b[i] = a[i + 1] * b[i]
        a = b
    return np.sum(a * b)


def diagonal_store(x):
    y = x * 2
    np.fill_diagonal(y, np.diag(x) ** 2)
    y[np.arange(3), np.arange(3)[::-1]] += 1.0
    y.flat[::4] *= x.flat[0]
    return np.linalg.det(y)


def overlapping(x):
    y = x.copy()
    y[1:] += y[:-1]
    y[:-1] -= y[1:]
    y[::-1][:2] = y[:2]
    return np.sum(y**2)


def fortran(x):
    f = np.asfortranarray(x)
    f[:, 0] = 0 * f[:, 0] + f[0, 1]
    return np.sum(f.ravel(order="F") * np.arange(f.size)) + np.sum(
        f.reshape(-1, order="F")[2:5] ** 2
    )


def broadcast_views(x):
    b = np.broadcast_to(x, (4,) + x.shape)
    return np.sum(b[1:, ..., None] * b[:-1, ..., None]) + np.sum(b.sum(0) ** 2)


def zero_d(x):
    a = np.array(x)
    a[()] = a * 2
    a += 1
    s = np.sum(a)[()]
    return s * float(a) + a.item() + a.reshape(1)[0]


def empty_parts(x):
    e = x[5:]
    return (
        np.sum(e)
        + np.sum(np.concatenate([e, x, e * 2])) ** 2
        + np.prod(e)
        + np.zeros((0, 3)).sum()
        + e @ e
    )


def weak_scalars(x, k):
    y = x * k + math.pi
    z = y / 3 - 2**k
    return (
        float(np.sum(z * z) ** 0.5)
        + math.hypot(k, 1.0) * math.exp(-k)
        + abs(math.sin(k))
        + math.log1p(k)
        + math.sqrt(k)
    )


def python_math(a, b):
    s = (
        math.fsum([a, b, a * b])
        + math.prod([a, b, 2.0])
        + math.atan2(a, b)
        + math.dist([a, b], [1.0, 2.0])
    )
    return (
        s
        + max(a, b) ** 2
        + sum([a, b], 1.0)
        + pow(a, b)
        + divmod(a, 0.7)[1]
        + a % 0.3
        + math.fmod(b, 0.4)
        + math.erf(a)
        + math.gamma(b + 1)
    )


def reduce_functional(xs, w):
    f = functools.reduce(lambda acc, v: np.tanh(acc @ w + v), xs)
    g = functools.reduce(operator.mul, [v.sum() for v in xs])
    return np.sum(f) + g + sum(map(np.dot, xs, xs[1:]))


def deepcopied(params):
    p = _copy.deepcopy(params)
    p["w"] *= 2
    p["list"].append(p["w"].sum())
    q = _copy.copy(params)
    q["w"] = q["w"] + 1
    return p["list"][-1] * params["w"].sum() + np.sum(q["w"] ** 2) + len(params["list"])


def outputs_buffer(x, y):
    out = np.empty_like(x)
    np.multiply(x, y, out=out)
    np.add(out, x, out)
    np.maximum(out, 0.1, out=out[:])
    r = np.subtract(out, y, where=x > 0, out=np.zeros_like(x))
    return np.sum(out * r)


def list_of_rows(x):
    rows = [list(r) for r in x]
    rows[0][1] = rows[1][0] * rows[0][0]
    rows[1], rows[2] = rows[2], rows[1]
    t = list(zip(*rows))
    return sum(sum(a) * b for a, b in zip(t, t[0])) + np.array(rows).trace() + sum(x.tolist()[0])


def iter_nditer(x):
    s = 0.0
    for idx, v in np.ndenumerate(x):
        s += v * (idx[0] - 2 * idx[1]) ** 2
    for i in np.ndindex(*x.shape):
        s += x[i] ** 2
    return s


def recursion_views(x):
    def merge_sum(v):
        if len(v) == 1:
            return v[0] ** 2
        m = len(v) // 2
        return merge_sum(v[:m]) * 0.5 + np.sin(merge_sum(v[m:]))

    return merge_sum(x)


def strides_negative(x):
    return (
        np.sum(x[::-2, 1::2][:, ::-1] ** 2 @ x[::-1, :3][:, :].T[:2, :2])
        + np.rot90(x)[0] @ x[1]
        + np.flip(x, 1)[:, 0] @ x.T[2]
    )


def sliding_in_place(x):
    h = np.zeros(4)
    s = 0.0
    for v in x:
        h[1:] = h[:-1]
        h[0] = v
        s += h @ np.array([1.0, -0.5, 0.25, 0.1]) * v
    return s


def roll_ring(x):
    buf = np.zeros((3, 2))
    k = 0
    out = 0.0
    for row in x:
        buf[k % 3] = np.tanh(row + buf[(k - 1) % 3])
        out += buf.prod(axis=0).sum()
        k += 1
    return out


def index_expressions(x):
    a = np.r_[x[:2], 1.0, x[2:] ** 2]
    b = np.c_[x, x**2]
    return np.sum(a * np.arange(len(a))) + np.sum(b[:, 0] * b[:, 1]) + np.r_["-1", x, x].sum() * 0.1


def trapezoids(y, x):
    return np.trapezoid(y, x) + np.trapezoid(y[:, None] * np.ones(3), dx=0.5, axis=0) @ np.arange(
        3.0
    )


def trapezoid_unknown(y, n):
    rows = []
    for i in range(n):
        rows.append(y * i)
    return np.trapezoid(rows[-1]) + np.trapezoid(np.array(rows), axis=0).sum()


def special_functions(x):
    return np.sum(np.i0(x)) + np.sum(np.sinc(x)) + np.sum(np.kaiser(5, 2.0) * x[:5])


def gradient_np(u, h):
    g = np.gradient(u, h)
    gx, gy = np.gradient(np.outer(u, u), h, 0.5)
    return (
        np.sum(g**2) + np.sum(gx * gy) + np.sum(np.ediff1d(u) ** 2) + np.cross(u[:3], u[1:4]).sum()
    )


def cumulative_things(x):
    a = np.maximum.accumulate(x)
    b = np.minimum.accumulate(x[::-1])
    c = np.cumsum(x**2)[::-1]
    d = np.logaddexp.accumulate(x)
    return (
        np.sum(a * b + c * d)
        + np.multiply.accumulate(x)[-2]
        + np.add.outer(x, x).prod(axis=0).sum() * 1e-3
    )


def polynomials(c, x):
    p = np.poly1d([1.0, 2.0])
    return (
        np.polyval(c, x).sum()
        + np.sum(np.polynomial.polynomial.polyval(x, c))
        + np.sum(p(x))
        + np.sum(np.convolve(c, c))
        + np.sum(np.vander(x, 3) @ c[:3])
    )


def complex_mix(a, b):
    z = a + 1j * b
    w = np.conj(z) * z**2 / (1 + abs(z))
    m = np.array([[z[0], 1], [1j, z[1]]])
    return (
        np.real(np.linalg.det(m))
        + np.sum(np.angle(w))
        + np.sum(np.abs(np.exp(w)).real)
        + np.imag(np.linalg.inv(m)).sum()
    )


def where_safe(x):
    n = np.linalg.norm(x, axis=1)
    safe = np.where(n > 0.5, n, 1.0)
    u = np.where((n > 0.5)[:, None], x / safe[:, None], 0.0)
    return np.sum(u[:, 0] ** 3) + np.sum(np.where(x > 0, np.sqrt(np.maximum(x, 1e-12)), 0.0))


def tiling(x):
    t = np.tile(x, (2, 3))
    r = np.repeat(x, [1, 2, 3], axis=0) if x.shape[0] == 3 else x
    p = np.pad(x, ((1, 0), (0, 2)), mode="reflect") + 0
    k = np.kron(x, np.array([[1.0, -1]]))
    i = np.insert(x, 1, x[0] * 2, axis=0)
    d = np.delete(x, 0, axis=1)
    return sum(np.sum(v**2 * np.arange(v.size).reshape(v.shape)) for v in (t, r, p, k, i, d))


PROGRAMS = [
    (views_written, R.normal(size=(4, 4))),
    (swap_rows, R.normal(size=(2, 3))),
    (swapped_views, R.normal(size=(3, 3))),
    (argument_written, R.normal(size=3), R.normal(size=3)),
    (alias_carried, R.normal(size=5), 3),
    (diagonal_store, R.normal(size=(3, 3))),
    (overlapping, R.normal(size=5)),
    (fortran, R.normal(size=(3, 3))),
    (broadcast_views, R.normal(size=(2, 3))),
    (zero_d, 1.3),
    (zero_d, np.float64(0.7)),
    (zero_d, np.array(0.4)),
    (empty_parts, R.normal(size=4)),
    (weak_scalars, R.normal(size=3), 1.2),
    (python_math, 0.8, 1.7),
    (reduce_functional, [R.normal(size=3) for _ in range(3)], R.normal(size=(3, 3))),
    (deepcopied, {"w": R.normal(size=3), "list": [1.0, 2.0]}),
    (outputs_buffer, R.normal(size=5), R.normal(size=5)),
    (list_of_rows, R.normal(size=(3, 3))),
    (iter_nditer, R.normal(size=(3, 2))),
    (recursion_views, R.normal(size=6)),
    (strides_negative, R.normal(size=(4, 4))),
    (sliding_in_place, R.normal(size=7)),
    (roll_ring, R.normal(size=(6, 2))),
    (index_expressions, R.normal(size=4)),
    (trapezoids, R.normal(size=5), np.sort(R.normal(size=5))),
    (trapezoid_unknown, R.normal(size=4), 3),
    (special_functions, R.normal(size=6)),
    (gradient_np, R.normal(size=5), 0.3),
    (cumulative_things, R.normal(size=5)),
    (polynomials, R.normal(size=4), R.normal(size=3)),
    (complex_mix, R.normal(size=3), R.normal(size=3)),
    (where_safe, R.normal(size=(4, 3))),
    (tiling, R.normal(size=(3, 2))),
]
