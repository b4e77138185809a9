"""Dynamic programming over tables, histograms, sparse rows, and loops over scalars."""

import numpy as np

from benchmarks.kernel_programs import on


@on(lambda r: (r.integers(0, 4, 90), r.integers(0, 4, 90)))
def common_subsequence(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table[-1, -1]


@on(lambda r: (r.integers(0, 4, 90), r.integers(0, 4, 80)))
def edit_distance(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


@on(lambda r: (r.integers(1, 30, 30), r.random(30), 300))
def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1)
    for i in range(len(weights)):
        for w in range(capacity, weights[i] - 1, -1):
            taken = best[w - weights[i]] + values[i]
            if taken > best[w]:
                best[w] = taken
    return best[capacity]


@on(lambda r: (r.integers(0, 4, 40).astype(np.int32),))
def nussinov(seq):
    n = seq.shape[0]
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                if i < j - 1:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1]
                                      + (1 if seq[i] + seq[j] == 3 else 0))
                else:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


@on(lambda r: (r.random(5000), 50))
def histogram(x, n):
    h = np.zeros(n, np.int64)
    for i in range(len(x)):
        h[int(x[i] * n)] += 1
    return h


@on(lambda r: (r.random(40_000), r.random(40_000), 60))
def azimuthal_bins(radius, data, n):
    rmax = radius.max()
    out = np.zeros(n)
    for i in range(n):
        r1, r2 = rmax * i / n, rmax * (i + 1) / n
        mask = np.logical_and(r1 <= radius, radius < r2)
        if np.any(mask):
            out[i] = data[mask].mean()
    return out


def sparse(r, n, m, per_row):
    rows = np.arange(n + 1) * per_row
    return rows, r.integers(0, m, n * per_row), r.random(n * per_row), r.random(m)


@on(lambda r: sparse(r, 500, 400, 9))
def sparse_product(rows, columns, values, x):
    y = np.empty(rows.size - 1)
    for i in range(rows.size - 1):
        cols = columns[rows[i]:rows[i + 1]]
        y[i] = values[rows[i]:rows[i + 1]] @ x[cols]
    return y


@on(lambda r: sparse(r, 300, 200, 7))
def sparse_product_by_element(rows, columns, values, x):
    y = np.zeros(len(rows) - 1)
    for i in range(len(rows) - 1):
        total = 0.0
        for k in range(rows[i], rows[i + 1]):
            total += values[k] * x[columns[k]]
        y[i] = total
    return y


@on(lambda r: (r.random(8000),))
def sum_of_squares(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


@on(lambda r: (r.integers(-100, 100, 8000),))
def count_and_total(x):
    total = 0
    positive = 0
    for i in range(len(x)):
        total += x[i]
        if x[i] > 0:
            positive += 1
    return total, positive


@on(lambda r: (r.random(6000),))
def running_maximum(x):
    best, at = -np.inf, 0
    for i in range(x.shape[0]):
        if x[i] > best:
            best, at = x[i], i
    return best, at


@on(lambda r: (r.random(400) + 0.5,))
def square_roots(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        guess = 1.0
        while abs(guess * guess - x[i]) > 1e-12:
            guess = 0.5 * (guess + x[i] / guess)
        out[i] = guess
    return out


@on(lambda r: (r.random(5000), 0.1))
def exponential_smoothing(x, alpha):
    out = np.empty_like(x)
    level = x[0]
    for i in range(len(x)):
        level = alpha * x[i] + (1.0 - alpha) * level
        out[i] = level
    return out


@on(lambda r: (4000,))
def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for i in range(2, int(n ** 0.5) + 1):
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
    return prime.sum()


@on(lambda r: (r.integers(0, 1000, 120),))
def insertion_sort(x):
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key


@on(lambda r: (r.random((40, 40)) + 0.1,))
def path_sums(cost):
    n, m = cost.shape
    best = np.zeros((n, m))
    best[0, 0] = cost[0, 0]
    for j in range(1, m):
        best[0, j] = best[0, j - 1] + cost[0, j]
    for i in range(1, n):
        best[i, 0] = best[i - 1, 0] + cost[i, 0]
        for j in range(1, m):
            best[i, j] = cost[i, j] + min(best[i - 1, j], best[i, j - 1], best[i - 1, j - 1])
    return best[-1, -1]
