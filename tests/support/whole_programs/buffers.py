"""Updates in place, aliases, buffers, containers and objects as parameters."""

from collections import defaultdict, deque, namedtuple
from dataclasses import dataclass, replace

import numpy as np

import autograph as ag
from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(80)


def normal(*shape):
    return RNG.normal(size=shape)


@program(normal(5))
def alias_rows(x):
    a = x.reshape(5, 1) * np.ones((1, 3))
    row, col = a[1], a[:, 2]
    row *= 2.0
    col += row.sum()
    a[1, 2] = np.sin(a[0, 0])
    return a, row, col


@program(normal(6))
def rebound_or_written(x):
    y = x
    if x.sum() > 0:
        y = x.copy()
    y[0] = y[1] * 3
    return x * 2, y


@program(normal(4), normal(4))
def swap_buffers(a, b):
    cur, nxt = a.copy(), b.copy()
    for k in range(5):
        nxt[1:-1] = cur[:-2] + 0.5 * cur[2:] * cur[1:-1]
        nxt[0], nxt[-1] = cur[-1], cur[0]
        cur, nxt = nxt, cur
    return cur, nxt


@program(normal(8))
def ring_buffer(x):
    ring, head, out = np.zeros(3), 0, 0.0
    for t in x:
        ring[head] = t
        head = (head + 1) % 3
        out = np.tanh(out + ring @ np.array([1.0, 0.5, 0.25]) * ring[head])
    return out, ring


@program(normal(4, 3))
def out_arguments(x):
    buf = np.empty_like(x)
    np.multiply(x, 2.0, out=buf)
    np.tanh(buf, out=buf)
    np.add(buf[0], buf[1], out=buf[2])
    total = np.empty(3)
    np.sum(buf, axis=0, out=total)
    return total, buf


@program(normal(6), np.array([0, 1, 0, 2, 2, 2]))
def scatter_add(x, ids):
    out = np.zeros(3)
    np.add.at(out, ids, x ** 2)
    np.multiply.at(out, [1], 3.0)
    counts = np.bincount(ids, minlength=3)
    return out / counts


@program(normal(5))
def masked_update(x):
    y = x.copy()
    y[y > 0.3] -= 0.3
    y[y < -0.3] += 0.3
    small = np.abs(y) < 0.2
    y[small] = np.sin(y[small]) * 2
    return y


@program(normal(3), normal(3))
def mutated_argument(x, w):
    def step(state, k):
        state *= w
        state[k] += 1.0
        return state.sum()

    s = 0.0
    x = x + 0
    for k in range(3):
        s += step(x, k) ** 2
    return s, x


@program(normal(3))
def history_of_views(x):
    a = np.zeros((4, 3))
    a[0] = x
    rows = [a[0]]
    for k in range(1, 4):
        a[k] = np.sin(rows[-1]) + a[k - 1] * 0.5
        rows.append(a[k])
    rows[0] += 1.0
    return a, sum(rows)


Point = namedtuple("Point", "x y")


@program(Point(0.3, 0.9), [Point(1.0, 0.2), Point(-0.4, 0.5)])
def namedtuples(p, qs):
    for q in qs:
        if q.x > p.x:
            p = p._replace(x=p.x * q.y)
        else:
            p = Point(q.x + p.x, p.y * q.y)
    return p


@dataclass(frozen=True)
class Body:
    pos: np.ndarray
    vel: np.ndarray
    mass: float = 1.0


@program(Body(normal(2), normal(2), 1.3))
def frozen_bodies(b):
    for _ in range(3):
        b = replace(b, vel=b.vel - 0.1 * b.pos / b.mass)
        b = replace(b, pos=b.pos + 0.1 * b.vel)
    return b.pos, b.vel


class Ema:
    def __init__(self, shape, rate):
        self.value, self.rate, self.count = np.zeros(shape), rate, 0

    def update(self, x):
        self.count += 1
        self.value = self.rate * self.value + (1 - self.rate) * x
        return self.value / (1 - self.rate ** self.count)


@program(normal(5, 2), 0.8)
def ema_object(xs, rate):
    ema = Ema(2, rate)
    out = 0.0
    for x in xs:
        m = ema.update(x)
        if m[0] > 0:
            out += m.sum()
        else:
            ema.value = ema.value * 0.5
    return out, ema.value


@program(normal(6))
def grouped(x):
    groups = defaultdict(list)
    for i, t in enumerate(x):
        groups[i % 3].append(t)
    return {k: np.prod(v) for k, v in groups.items()}, max(groups[0])


@program(normal(6))
def window_deque(x):
    window, out = deque(maxlen=3), []
    for t in x:
        window.append(t)
        out.append(np.prod(list(window)))
    return np.array(out)


@program({"w": normal(2, 2), "b": normal(2)}, normal(2))
def dict_updates(p, x):
    p = dict(p)
    for _ in range(3):
        y = np.tanh(p["w"] @ x + p["b"])
        p["b"] = p["b"] - 0.1 * y
        p.update(w=p["w"] * 0.9)
        if y.sum() > 0:
            p["w"] = p["w"] + 0.1 * np.outer(y, x)
    return p


@program(normal(3))
def list_of_lists(x):
    table = [[t * i for i in range(3)] for t in x]
    table[1][2] += x[0]
    for i in range(3):
        for j in range(i):
            table[i][j], table[j][i] = table[j][i], table[i][j] * 2
    return np.array(table)


@program(normal(4))
def while_stack(x):
    stack, out = [(0, 4)], 0.0
    while stack:
        lo, hi = stack.pop()
        if hi - lo == 1:
            out = np.sin(out) + x[lo]
        else:
            mid = (lo + hi) // 2
            stack.append((lo, mid))
            stack.append((mid, hi))
    return out


@program(normal(4))
def run_length_list(x):
    out, k = [], 0
    while k < 4 and x[:k + 1].sum() < 2.5:
        out.append(x[k] ** 2 + (out[-1] if out else 0.0))
        k += 1
    return sum(out), len(out)


@program(0.8, 3)
def branches_of_numbers(a, n):
    total, flag = 0.0, False
    for i in range(n * 2):
        if i % 2 and not flag:
            total += a ** i
        elif total > 1 or flag:
            total *= a
            flag = not flag
        else:
            total -= i * a / (i + 1)
    return total


@program(normal(3))
def stop_gradients(x):
    target = ag.stop_gradient(np.tanh(x) * 2)
    return np.sum((x - target * 0.0) ** 2) + np.round(ag.stop_gradient(x)) * x


@program(normal(2, 3))
def structured(x):
    cols = np.split(x, 3, axis=1)
    a, b, c = (np.squeeze(t, 1) for t in cols)
    m = np.block([[np.diag(a), b[:, None]], [c[None, :], np.ones((1, 1))]])
    return np.linalg.det(m), np.kron(a, c), np.tril(np.outer(a, b))


@program(normal(3), normal(3))
def complex_buffer(a, b):
    z = np.zeros(3, complex)
    z.real = a
    z.imag[1:] = b[1:]
    z *= np.exp(1j * b)
    return z.real, z.imag, np.abs(z).sum()


@program(normal(4))
def try_except(x):
    def inverse(t):
        if abs(t) < 1e-9:
            raise ZeroDivisionError
        return 1 / t

    return sum(inverse(t) for t in x + 3.0)


@program(normal(3, 3))
def power_qr(a):
    a = a @ a.T
    v, lam, k = np.ones(3), 0.0, 0
    while k < 60:
        w = a @ v
        new = np.sqrt(w @ w)
        v = w / new
        k += 1
        if abs(new - lam) < 1e-12:
            break
        lam = new
    return new, v * np.sign(v[0])
