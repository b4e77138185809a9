"""Loops over single elements, as those write them who have a compiler: most are vectors to it."""

import numpy as np

from benchmarks.kernel_programs import on


@on(lambda r: ((r.random((120, 120)) < 0.3).astype(np.int8), 8))
def life_on_bytes(a, steps):
    n, m = a.shape
    b = np.zeros_like(a)
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                s = (a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j + 1]
                     + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1])
                if a[i, j] == 1:
                    b[i, j] = 1 if s == 2 or s == 3 else 0
                else:
                    b[i, j] = 1 if s == 3 else 0
        a, b = b, a
    return a


@on(lambda r: (r.random(1000), 50, 0.1))
def diffusion_in_turns(u, steps, k):
    v = u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u, v = v, u
    return u


@on(lambda r: (r.random((60, 60)), 20))
def jacobi_by_elements(u, steps):
    n, m = u.shape
    v = u.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        u, v = v, u
    return u


@on(lambda r: (r.integers(0, 4, 90), r.integers(0, 4, 80)))
def edit_distance_of_rows(a, b):
    m = len(b)
    old, new = np.arange(m + 1), np.zeros(m + 1, np.int64)
    for i in range(1, len(a) + 1):
        new[0] = i
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            new[j] = min(old[j] + 1, new[j - 1] + 1, old[j - 1] + cost)
        old, new = new, old
    return old[m]


@on(lambda r: (r.normal(size=1024),))
def haar_by_elements(x):
    y, t, n = x.copy(), np.zeros_like(x), len(x)
    while n > 1:
        h = n // 2
        for i in range(h):
            t[i] = (y[2 * i] + y[2 * i + 1]) * 0.5
            t[h + i] = (y[2 * i] - y[2 * i + 1]) * 0.5
        for i in range(n):
            y[i] = t[i]
        n = h
    return y


@on(lambda r: (r.integers(0, 2 ** 30, 1000),))
def bits_taken_away(x):
    out = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        v, c = x[i], 0
        while v:
            v &= v - 1
            c += 1
        out[i] = c
    return out


@on(lambda r: (r.integers(0, 2 ** 16, 1000),))
def bits_counted(x):
    out = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        c = 0
        for b in range(16):
            c += (x[i] >> b) & 1
        out[i] = c
    return out


@on(lambda r: (r.random(1000), r.random(16)))
def convolution(x, k):
    n, m = len(x), len(k)
    out = np.zeros(n - m + 1)
    for i in range(n - m + 1):
        s = 0.0
        for j in range(m):
            s += x[i + j] * k[j]
        out[i] = s
    return out


@on(lambda r: (r.random(1000), r.random(16)))
def convolution_by_terms(x, k):
    out = np.zeros(len(x) + len(k) - 1)
    for i in range(len(x)):
        for j in range(len(k)):
            out[i + j] += x[i] * k[j]
    return out


@on(lambda r: (r.random((50, 50)), r.random((50, 50))))
def product_by_elements(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


@on(lambda r: (r.random(4000), r.random(4000), 0.3))
def scaled_sum(x, y, a):
    for i in range(len(x)):
        y[i] += a * x[i]


@on(lambda r: (r.random(4000), 0.2, 0.7))
def clamped(x, low, high):
    out = np.empty_like(x)
    for i in range(len(x)):
        v = x[i]
        if v < low:
            v = low
        elif v > high:
            v = high
        out[i] = v
    return out


@on(lambda r: (r.random(4000), 0.5))
def count_above(x, limit):
    n = 0
    for i in range(len(x)):
        if x[i] > limit:
            n += 1
    return n


@on(lambda r: (r.random(4000),))
def running_sums(x):
    out, s = np.empty_like(x), 0.0
    for i in range(len(x)):
        s += x[i]
        out[i] = s
    return out
