"""Programs to save, load, and export: one for each kind of value that a graph may hold."""

import dataclasses

import numpy as np

import autograph as ag


def lists(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * 2)
    return out


def list_pop(x):
    s = [1.0, 2.0]
    while len(s) > 0 and s[-1] > x[0]:
        s.pop()
    return s, len(s)


def dicts(x):
    d = {"a": x.sum(), "b": 0}
    for i in range(len(x)):
        if x[i] > 1:
            d["b"] += i
    d["c"] = (d["a"], d["b"])
    return d


def int_keys(x):
    d = {}
    for i, v in enumerate(x):
        d[i % 3] = d.get(i % 3, 0.0) + v
    return d


def early_exit(x):
    i = 0
    while i < len(x):
        if x[i] < 0:
            return i, x[i]
        i += 1
    return -1, None


def text_side(x):
    return "positive" if x.sum() > 0 else "negative"


def none_side(x):
    return x * 2 if x[0] > 0 else None


def text_made(x):
    return f"{x[0]:.2f} of {len(x)}", str(x[1] > 0)


def label_list(x):
    return ["hi" if v > 1 else "lo" for v in x]


def joined(x):
    return ",".join(str(int(v)) for v in x)


def complex_arg(z):
    return np.abs(z), z.conj() * 1j, z.real.sum(), np.angle(z)


def complex_made(x):
    z = np.exp(1j * x)
    if z[0].real > 0.5:
        z = z**2
    return z, np.fft.fft(x)


def roots(c):
    d = c[1] ** 2 - 4 * c[0] * c[2]
    if d < 0:
        s = np.sqrt(-d) * 1j
    else:
        s = np.sqrt(d) + 0j
    return (-c[1] + s) / (2 * c[0]), (-c[1] - s) / (2 * c[0])


def structured(r):
    return r["v"].sum(), r["id"][r["v"] > 0], r[r["id"] > 1]


def structured_made(x):
    r = np.zeros(len(x), [("a", "i4"), ("b", "f8", (2,))])
    r["a"] = np.arange(len(x))
    r["b"][:, 0] = x
    return r


def dates(d):
    return d + np.timedelta64(3, "D"), (d.max() - d.min()), d[d > np.datetime64("2024-01-05")]


def deltas(d):
    return np.diff(d).astype("timedelta64[h]"), d.astype("datetime64[M]")


def drawn(x):
    rng = np.random.default_rng(7)
    return x + rng.normal(size=x.shape), rng.integers(0, 10, 3)


def shuffled(x):
    rng = np.random.default_rng(1)
    return rng.permutation(x), rng.choice(x, 2)


def given_rng(x, rng):
    return x * rng.random()


STATE = ag.Variable(np.zeros(3))


def variables(x):
    STATE.assign_add(x[:3])
    return STATE * 2


def hess(x):
    return ag.grad(lambda v: (ag.grad(lambda w: (w**3).sum())(v)).sum())(x)


def sorts(x):
    return sorted(x), sorted(x, key=lambda v: -v)[0], np.sort(x)[::-1], np.argsort(-x)


def gen(x):
    def g():
        for v in x:
            if v > 0:
                yield v

    return list(g()), sum(g())


def gen_sum(x):
    return sum(v * v for v in x if v > 0)


def at(x):
    h = np.zeros(3)
    np.add.at(h, np.array([0, 1, 1, 2, 2, 2]), x[:6])
    return h


def at_sym(i):
    h = np.zeros(5)
    np.add.at(h, i, 1.0)
    return h


def place(x):
    y = x.copy()
    np.place(y, y < 0, [0.0])
    np.putmask(y, y > 2, 2.0)
    return y


def put(x):
    y = x.copy()
    np.put(y, [0, 2], [9.0, 8.0])
    return y


def interp(x):
    return np.interp(x, [0.0, 1.0, 2.0], [0.0, 10.0, 40.0]), np.interp(0.3, [0, 1], x[:2])


def spaces(x):
    return (
        np.logspace(0, 2, 5) * x[0],
        np.linspace(x[0], x[1], 4),
        np.geomspace(1, 8, 4),
        np.arange(3) * x[0],
    )


def unique(x):
    u, c = np.unique(np.round(x), return_counts=True)
    return u, c


def nonzero(x):
    return np.nonzero(x > 0)[0], np.flatnonzero(x < 0), np.argwhere(x > 1)


def masks(x):
    return x[x > 0], np.extract(x < 0, x), np.compress(x > 0, x)


def split(x):
    return np.split(x, 3), np.array_split(x, 4)


def nested(x):
    return {"p": [(x, {"q": x[0]})], "n": None, "t": (1, "a", 2.5, True)}


@dataclasses.dataclass
class Point:
    x: float
    y: np.ndarray


def dc(x):
    p = Point(x[0], x[1:])
    if p.x > 0:
        p = Point(p.x * 2, p.y + 1)
    return p.x, p.y


def recursive(n):
    return 1 if n < 2 else n * recursive(n - 1)


def fib(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n -= 1
    return a


def raises(x):
    if x[0] < 0:
        raise ValueError("negative")
    return np.sqrt(x)


def asserts(x):
    assert x.sum() > -100, "small"
    return x / x.max()


def mutates(x):
    x[x < 0] = 0
    x[0] += 1
    return x.sum()


def mutates_list(items, x):
    items.append(x[0])
    items[0] = x[1]
    return len(items)


def views(x):
    y = x[1:4]
    y *= 2
    return x, y


def matrix(x):
    a = np.outer(x[:3], x[:3]) + 3 * np.eye(3)
    return np.linalg.solve(a, x[:3]), np.linalg.det(a), np.linalg.inv(a) @ a


def eigen(x):
    a = np.outer(x[:3], x[:3])
    w, v = np.linalg.eigh(a)
    return w, np.abs(v)


def einsum(x):
    a = x[:6].reshape(2, 3)
    return np.einsum("ij,kj->ik", a, a), np.tensordot(a, a, ([1], [1])), np.kron(a, a[:1])


def cumul(x):
    return np.cumsum(x), np.maximum.accumulate(x), np.add.reduceat(x, [0, 2, 4])


def stats(x):
    return np.percentile(x, [10, 50]), np.median(x), np.std(x, ddof=1), np.histogram(x, 3)[0]


def triple(x):
    for i in range(3):
        for j in range(i):
            if x[i] > x[j]:
                x = x + 1
            else:
                break
    return x


def whiles(a, b):
    steps = 0
    while a != b:
        if a > b:
            a -= b
        else:
            b -= a
        steps += 1
        if steps > 40:
            break
    return a, steps


def matches(x):
    match int(x[0]):
        case 1:
            return x + 1
        case 2 | 3:
            return x * 2
        case _:
            return -x


def zipper(x, y):
    return (
        [a * b for a, b in zip(x, y, strict=True)],
        max(x),
        min(y),
        any(v > 2 for v in x),
        all(x > -9),
    )


def bytes_out(x):
    return x.astype("f4").tobytes(), x.dtype == np.float64, x.shape


def half(x):
    y = x.astype(np.float16)
    return y + y, y.sum(), (y > 1).astype(np.uint8) - np.uint8(1)


def ints(i):
    return i // 3, i % 3, -i // 2, i << 1, ~i, np.bitwise_xor(i, 5), i**2


def strings(s):
    return np.char.upper(s), s == "b", np.char.str_len(s)


def counts(i):
    return np.bincount(i), np.bincount(i, minlength=8), np.searchsorted(np.sort(i), 2)


def poly(x):
    return np.polyval([1.0, -2.0, 3.0], x), np.polynomial.polynomial.polyval(x, [1.0, 2.0])


def rolls(x):
    return np.roll(x, 2), np.flip(x), np.tile(x[:2], 3), np.repeat(x[:2], [1, 2]), np.pad(x, 1)


def meshed(x):
    a, b = np.meshgrid(x[:2], x[2:5])
    return a * b, np.indices((2, 2)).sum(0)


def lambdas(x):
    f = (lambda v: v + 1) if x[0] > 0 else (lambda v: v - 1)
    return f(x)


def nanny(x):
    y = np.where(x > 1, np.nan, x)
    return np.nansum(y), np.nanmean(y), np.isnan(y).any(), np.nan_to_num(y)


def setops(x):
    s = set()
    for v in x:
        s.add(int(v))
    return len(s)


def kw(x, *, scale=2.0, name="n"):
    return x * scale, name


def scan(x):
    c = 0.0
    out = np.empty_like(x)
    for i in range(len(x)):
        c = max(0.0, c + x[i])
        out[i] = c
    return out, out.max()


X = np.array([1.0, -2.0, 3.0, 0.5, 4.0, 2.5])
Y = np.array([-1.0, 2.0, 5.0, -0.5, 0.25, 1.5])
Z = np.array([4.0, 4.0, 0.0, -3.0, 1.0, 2.0])
XS = [(X,), (Y,), (Z,)]
I = np.array([0, 1, 1, 4, 2])
R = np.array([(1, 2.5), (2, -1.0), (3, 4.0)], [("id", "i4"), ("v", "f8")])
D = np.array(["2024-01-01", "2024-01-09", "2024-02-01"], "M8[D]")
SETS = {
    "complex_arg": [(X + 1j * Y,), (Y + 2j * X,)],
    "structured": [(R,), (R[::-1].copy(),)],
    "dates": [(D,), (D + np.timedelta64(9, "D"),)],
    "deltas": [(D,), (D + np.timedelta64(9, "D"),)],
    "at_sym": [(I,), (I[::-1].copy(),)],
    "recursive": [(np.int64(5),), (np.int64(1),)],
    "fib": [(np.int64(10),), (np.int64(3),)],
    "mutates_list": [([1.0, 2.0], X), ([0.0, 5.0], Y)],
    "whiles": [(np.int64(48), np.int64(18)), (np.int64(7), np.int64(5))],
    "zipper": [(X, Y), (Y, Z)],
    "ints": [(I,), (I - 3,)],
    "strings": [(np.array(["a", "b"]),), (np.array(["b", "c"]),)],
    "counts": [(I,), (I[::-1].copy(),)],
    "given_rng": [(X, np.random.default_rng(0))],
}
