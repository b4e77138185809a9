"""Solvers, simulations and integer programs; state in dicts, tuples, lists and data classes."""

import dataclasses

import numpy as np


def cholesky(a):
    n = a.shape[0]
    l = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - (l[i, :j] * l[j, :j]).sum()
            if i == j:
                l[i, j] = np.sqrt(s)
            else:
                l[i, j] = s / l[j, j]
    return l


def power_iter(a):
    v = np.ones(a.shape[0])
    for _ in range(30):
        v = a @ v
        v = v / np.linalg.norm(v)
    return v @ a @ v


def jacobi(a, b):
    d = np.diag(a)
    x = np.zeros_like(b)
    for _ in range(25):
        x = (b - (a - np.diag(d)) @ x) / d
    return x


def conv1d(x, k):
    n = len(x) - len(k) + 1
    out = np.zeros(n)
    for i in range(n):
        out[i] = (x[i : i + len(k)] * k[::-1]).sum()
    return out


def np_convolve(x, k):
    return np.convolve(x, k, mode="same")


def np_cov(m):
    return np.cov(m)


def np_gradient(x):
    return np.gradient(x)


def np_interp(x, xp, fp):
    return np.interp(x, xp, fp)


def polyfit_eval(x, c):
    y = np.zeros_like(x)
    for k in c:
        y = y * x + k
    return y


def np_polyval(c, x):
    return np.polyval(c, x)


def autocorr(x):
    x = x - x.mean()
    return np.array([(x[: len(x) - k] * x[k:]).sum() for k in range(4)]) / (x * x).sum()


def zero_cross(x):
    return np.sum(np.diff(np.sign(x)) != 0)


def iir(x, a, b):
    y = np.zeros_like(x)
    z = 0.0
    for i in range(len(x)):
        y[i] = b * x[i] + z
        z = a * y[i]
    return y


def kalman(z):
    x, p = 0.0, 1.0
    out = []
    for v in z:
        p = p + 0.01
        k = p / (p + 0.1)
        x = x + k * (v - x)
        p = (1 - k) * p
        out.append(x)
    return np.array(out)


def euler(y0, n=20):
    y = y0
    for _ in range(n):
        y = y + 0.05 * np.array([y[1], -y[0]])
    return y


def rk4(y, h):
    f = lambda v: -v * v
    for _ in range(10):
        k1 = f(y)
        k2 = f(y + h * k1 / 2)
        k3 = f(y + h * k2 / 2)
        k4 = f(y + h * k3)
        y = y + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
    return y


def life(g):
    n = sum(np.roll(g, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return (n == 3) | (g & (n == 2))


def mandel(c_re, c_im):
    zr = np.zeros_like(c_re)
    zi = np.zeros_like(c_im)
    n = np.zeros(c_re.shape, int)
    for _ in range(20):
        zr, zi = zr * zr - zi * zi + c_re, 2 * zr * zi + c_im
        alive = zr * zr + zi * zi < 4
        n = n + alive
        zr = np.where(alive, zr, 2.0)
        zi = np.where(alive, zi, 0.0)
    return n


def kmeans(x, c):
    for _ in range(5):
        d = ((x[:, None, :] - c[None]) ** 2).sum(-1)
        lab = d.argmin(1)
        c = np.stack(
            [
                np.where((lab == k)[:, None], x, 0).sum(0) / max((lab == k).sum(), 1)
                for k in range(2)
            ]
        )
    return c, lab


def gd(x, y):
    w = np.zeros(x.shape[1])
    for _ in range(20):
        w = w - 0.1 * (2 * x.T @ (x @ w - y) / len(y))
    return w


def adam(x, y):
    w = np.zeros(x.shape[1])
    m = np.zeros_like(w)
    v = np.zeros_like(w)
    for t in range(1, 11):
        g = 2 * x.T @ (x @ w - y) / len(y)
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        w = w - 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w


def pagerank(a):
    p = a / np.maximum(a.sum(0), 1)
    n = a.shape[0]
    r = np.full(n, 1 / n)
    for _ in range(100):
        new = 0.85 * p @ r + 0.15 / n
        if np.abs(new - r).sum() < 1e-10:
            break
        r = new
    return r


def floyd(d):
    d = d.copy()
    for k in range(len(d)):
        d = np.minimum(d, d[:, k : k + 1] + d[k : k + 1, :])
    return d


def bfs_levels(adj, s):
    lev = np.full(len(adj), -1)
    lev[s] = 0
    depth = 0
    front = lev == 0
    while front.any():
        nxt = (adj[front].any(axis=0)) & (lev < 0)
        depth += 1
        lev[nxt] = depth
        front = nxt
    return lev


def sieve(n):
    p = np.ones(30, bool)
    p[:2] = False
    i = 2
    while i * i < 30:
        if p[i]:
            p[i * i :: i] = False
        i += 1
    return p[n]


def digits(n):
    s = 0
    while n > 0:
        s += n % 10
        n //= 10
    return s


def bits(n):
    c = 0
    while n:
        c += n & 1
        n >>= 1
    return c


def xorshift(s):
    for _ in range(5):
        s = s ^ ((s << 13) & 0xFFFFFFFF)
        s = s ^ (s >> 17)
        s = s ^ ((s << 5) & 0xFFFFFFFF)
    return s


def all_any(m):
    return m.all(axis=0), m.any(axis=1), np.count_nonzero(m), ~m


def bool_arith(m):
    return m + m, m * 2, m.sum(), np.cumsum(m), m ^ True


def int_div(a, b):
    return a // b, a % b, np.divmod(a, b), a / b


def shift_ops(a):
    return a << 2, a >> 1, a & 7, a | 8, ~a


def trapezoid(y, x):
    return np.trapezoid(y, x)


def unwrap_(p):
    return np.unwrap(p)


def norm_rows(x):
    n = np.linalg.norm(x, axis=1, keepdims=True)
    return np.divide(x, n, out=np.zeros_like(x), where=n > 0)


def outer_sum(a, b):
    return np.add.outer(a, b), np.einsum("i,j->ij", a, b)


def pairwise(x):
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))


def dictstate(x):
    s = {"n": 0, "sum": 0.0, "max": -np.inf}
    for v in x:
        s["n"] += 1
        s["sum"] += v
        s["max"] = max(s["max"], v)
    return s


def tuple_state(x):
    st = (0.0, 1.0)
    for v in x:
        a, b = st
        st = (b, a + b * v)
    return st


def buckets(x):
    b = [0.0, 0.0, 0.0]
    for v in x:
        k = 0 if v < 0 else (1 if v < 1 else 2)
        b[k] += v
    return b


def stack_machine(x):
    st = []
    for v in x:
        if v < 0 and len(st) > 0:
            st.pop()
        else:
            st.append(v)
    return len(st)


def try_free(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i, len(x)):
            if x[i] + x[j] > 3:
                break
            total += x[i] * x[j]
        else:
            total += 1
    return total


def cont(x):
    t = 0.0
    for v in x:
        if v < 0:
            continue
        t += v
    return t


@dataclasses.dataclass
class P:
    w: np.ndarray
    b: np.ndarray
    act: str = "tanh"


def dc(p, x):
    z = x @ p.w + p.b
    if p.act == "tanh":
        z = np.tanh(z)
    return P(z, p.b, p.act).w


def dc_loop(p, x):
    for _ in range(3):
        p = dataclasses.replace(p, b=p.b + (x @ p.w).mean(0))
    return p.b
