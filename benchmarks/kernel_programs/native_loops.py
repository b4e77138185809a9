"""Programs of loops over numbers and elements of arrays."""

# the names say what they compute

from collections.abc import Callable
from typing import Any

import numpy as np


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


def newton_root(a):
    x = a
    for _ in range(200):
        x = 0.5 * (x + a / x)
    return x


def collatz_lengths(n):
    lengths = np.zeros(n, np.int64)
    for i in range(1, n):
        k, steps = i, 0
        while k != 1:
            if k % 2 == 0:
                k = k // 2
            else:
                k = 3 * k + 1
            steps += 1
        lengths[i] = steps
    return lengths


def longest_common(a, b):
    t = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                t[i + 1, j + 1] = t[i, j] + 1
            else:
                t[i + 1, j + 1] = max(t[i, j + 1], t[i + 1, j])
    return t


def product(a, b):
    n, k = a.shape
    c = np.zeros((n, b.shape[1]))
    for i in range(n):
        for j in range(b.shape[1]):
            s = 0.0
            for m in range(k):
                s += a[i, m] * b[m, j]
            c[i, j] = s
    return c


def histogram(x, n):
    h = np.zeros(n, np.int64)
    for v in x:
        h[int(v * n)] += 1
    return h


def gauss_seidel(u, sweeps):
    for _ in range(sweeps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


def pendulum(a, w, n):
    for _ in range(n):
        w = w - 0.01 * np.sin(a)
        a = a + 0.01 * w
    return a


def rows_of_sparse(data, columns, starts, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        s = 0.0
        for k in range(starts[i], starts[i + 1]):
            s += data[k] * x[columns[k]]
        y[i] = s
    return y


def sieve(n):
    composite = np.zeros(n, np.bool_)
    count = 0
    for i in range(2, n):
        if not composite[i]:
            count += 1
            for j in range(i * i, n, i):
                composite[j] = True
    return count


def random() -> np.random.Generator:
    return np.random.default_rng(7)


PROGRAMS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "total": lambda: (random().random(100_000),),
    "newton_root": lambda: (np.float64(7.0),),
    "collatz_lengths": lambda: (np.int64(2_000),),
    "longest_common": lambda: (random().integers(0, 4, 150), random().integers(0, 4, 200)),
    "product": lambda: (random().random((40, 50)), random().random((50, 30))),
    "histogram": lambda: (random().random(50_000), np.int64(100)),
    "gauss_seidel": lambda: (random().random((50, 60)), np.int64(10)),
    "pendulum": lambda: (np.float64(0.5), np.float64(0.0), np.int64(20_000)),
    "rows_of_sparse": lambda: (random().random(5_000), random().integers(0, 300, 5_000),
                               np.arange(0, 5_001, 20), random().random(300)),
    "sieve": lambda: (np.int64(20_000),),
}
