"""A second collection over the same fields, written in other styles: none of it was tuned for."""

import numpy as np

from benchmarks.kernel_programs import on
from benchmarks.kernel_programs.linear_algebra import definite


@on(lambda r: (definite(r, 100), r.random(100)))
def back_substitution(U, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - U[i, i + 1:] @ x[i + 1:]) / U[i, i]
    return x


@on(lambda r: (r.random((80, 40)),))
def householder(A):
    n = A.shape[1]
    for k in range(n):
        v = A[k:, k].copy()
        v[0] += np.sign(v[0]) * np.sqrt(np.sum(v ** 2))
        v /= np.sqrt(np.sum(v ** 2))
        A[k:, k:] -= 2.0 * np.outer(v, v @ A[k:, k:])
    return A


@on(lambda r: (definite(r, 60), r.random(60), 40))
def relaxation(A, b, repeats):
    x = np.zeros_like(b)
    omega = 1.1
    for _ in range(repeats):
        for i in range(len(b)):
            rest = A[i] @ x - A[i, i] * x[i]
            x[i] += omega * ((b[i] - rest) / A[i, i] - x[i])
    return x


@on(lambda r: (r.random((60, 60, 3)), 5))
def box_blur(image, repeats):
    for _ in range(repeats):
        padded = np.pad(image, ((1, 1), (1, 1), (0, 0)), mode="edge")
        total = np.zeros_like(image)
        for dy in range(3):
            for dx in range(3):
                total += padded[dy:dy + image.shape[0], dx:dx + image.shape[1]]
        image = total / 9.0
    return image


@on(lambda r: (r.random((120, 160, 3)),))
def grey_and_equalised(image):
    grey = 0.299 * image[..., 0] + 0.587 * image[..., 1] + 0.114 * image[..., 2]
    levels = (grey * 255).astype(np.int64)
    counts = np.bincount(levels.ravel(), minlength=256)
    share = np.cumsum(counts) / levels.size
    return share[levels]


@on(lambda r: ((r.random((80, 80)) * 255).astype(np.uint8), 128))
def dithered(image, threshold):
    work = image.astype(np.float64)
    h, w = work.shape
    for y in range(h - 1):
        for x in range(1, w - 1):
            old = work[y, x]
            new = 255.0 if old > threshold else 0.0
            work[y, x] = new
            error = old - new
            work[y, x + 1] += error * 7 / 16
            work[y + 1, x - 1] += error * 3 / 16
            work[y + 1, x] += error * 5 / 16
            work[y + 1, x + 1] += error * 1 / 16
    return work


@on(lambda r: (r.random(1 << 9) + 1j * r.random(1 << 9),))
def fourier_in_place(x):
    order = np.zeros(1, int)
    while len(order) < len(x):
        order = np.concatenate([2 * order, 2 * order + 1])
    x[:] = x[order]
    length = 2
    while length <= len(x):
        w = np.exp(-2j * np.pi * np.arange(length // 2) / length)
        blocks = x.reshape(-1, length)
        even = blocks[:, :length // 2].copy()
        odd = blocks[:, length // 2:] * w
        blocks[:, :length // 2] = even + odd
        blocks[:, length // 2:] = even - odd
        length *= 2
    return x


@on(lambda r: (r.random((40, 2)), np.zeros((40, 2)), 60))
def springs(position, velocity, steps):
    dt = 0.01
    for _ in range(steps):
        force = np.zeros_like(position)
        stretch = position[1:] - position[:-1]
        length = np.sqrt((stretch ** 2).sum(axis=1))
        pull = (length - 0.1)[:, None] * stretch / length[:, None]
        force[:-1] += 50.0 * pull
        force[1:] -= 50.0 * pull
        force[:, 1] -= 9.81
        velocity += dt * force
        velocity *= 0.999
        position += dt * velocity
    return position, velocity


@on(lambda r: (r.random((30, 3)), r.random(30), 3))
def potentials(points, charges, repeats):
    total = 0.0
    for _ in range(repeats):
        for i in range(len(points)):
            for j in range(i):
                d = points[i] - points[j]
                total += charges[i] * charges[j] / np.sqrt(d @ d)
    return total


@on(lambda r: (r.random((50, 60)),))
def seam_energy(cost):
    h, w = cost.shape
    best = cost.copy()
    for i in range(1, h):
        for j in range(w):
            low = best[i - 1, j]
            if j > 0 and best[i - 1, j - 1] < low:
                low = best[i - 1, j - 1]
            if j < w - 1 and best[i - 1, j + 1] < low:
                low = best[i - 1, j + 1]
            best[i, j] += low
    return best[-1].min()


@on(lambda r: (r.integers(5, 50, 8), 600))
def coin_changes(coins, amount):
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    for c in coins:
        for a in range(c, amount + 1):
            ways[a] += ways[a - c]
    return ways[amount]


@on(lambda r: (r.integers(5, 60, 26),))
def matrix_chain(sizes):
    n = len(sizes) - 1
    cost = np.zeros((n, n), dtype=np.int64)
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            cost[i, j] = np.iinfo(np.int64).max
            for k in range(i, j):
                c = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if c < cost[i, j]:
                    cost[i, j] = c
    return cost[0, n - 1]


@on(lambda r: (r.integers(0, 4, 400), np.log(r.random((6, 6))), np.log(r.random((6, 4)))))
def viterbi(observed, moves, emits):
    score = np.zeros(6)
    back = np.zeros((len(observed), 6), dtype=np.int64)
    for t in range(len(observed)):
        options = score[:, None] + moves
        back[t] = np.argmax(options, axis=0)
        score = np.max(options, axis=0) + emits[:, observed[t]]
    path = np.zeros(len(observed), dtype=np.int64)
    path[-1] = np.argmax(score)
    for t in range(len(observed) - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path


@on(lambda r: (r.random(3000), r.integers(0, 200, 3000), np.arange(0, 3001, 15), r.random(200), 3))
def sparse_power(data, columns, starts, x, repeats):
    for _ in range(repeats):
        y = np.zeros(len(starts) - 1)
        for i in range(len(starts) - 1):
            total = 0.0
            for k in range(starts[i], starts[i + 1]):
                total += data[k] * x[columns[k]]
            y[i] = total
        x = y / np.sqrt(np.sum(y * y))
    return x


@on(lambda r: (r.random((400, 2)), 20))
def grid_counts(points, bins):
    counts = np.zeros((bins, bins), dtype=np.int64)
    for p in range(len(points)):
        i = int(points[p, 0] * bins)
        j = int(points[p, 1] * bins)
        counts[i, j] += 1
    return counts


@on(lambda r: (r.random((300, 4)), r.random((5, 4)), 12))
def k_means(points, centres, repeats):
    for _ in range(repeats):
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1)
        for k in range(len(centres)):
            mine = points[nearest == k]
            if len(mine) > 0:
                centres[k] = mine.mean(axis=0)
    return centres


@on(lambda r: (r.random((64, 20)), r.integers(0, 2, 64) * 1.0, r.random((20, 16)) - 0.5,
               r.random(16) - 0.5, 40))
def two_layers(X, y, W, v, repeats):
    for _ in range(repeats):
        hidden = np.tanh(X @ W)
        out = 1.0 / (1.0 + np.exp(-(hidden @ v)))
        delta = (out - y) / len(y)
        slope_v = hidden.T @ delta
        slope_hidden = np.outer(delta, v) * (1.0 - hidden ** 2)
        W -= 0.5 * (X.T @ slope_hidden)
        v -= 0.5 * slope_v
    return W, v


@on(lambda r: (r.random((40, 24)), r.random((24, 24)), r.random((24, 24)), r.random((24, 24))))
def attention(x, q, k, v):
    queries, keys, values = x @ q, x @ k, x @ v
    scores = queries @ keys.T / np.sqrt(24.0)
    scores = scores - scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=1, keepdims=True)
    return weights @ values


@on(lambda r: (r.random(400), 300))
def upwind(u, steps):
    c = 0.4
    for _ in range(steps):
        old = u.copy()
        for i in range(1, 4):
            u[i] = old[i] - c * (old[i] - old[i - 1])
        u[4:] = old[4:] - c * (old[4:] - old[3:-1])
        u[0] = u[-1]
    return u


@on(lambda r: (r.random((24, 24, 24)), 6))
def diffusion_3d(u, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1, 1:-1, 1:-1] = u[1:-1, 1:-1, 1:-1] + 0.1 * (
            u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
            + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2] - 6.0 * u[1:-1, 1:-1, 1:-1])
        u = new
    return u


@on(lambda r: (0.1, 28.0, 1500))
def lorenz(x, rho, steps):
    y, z = 1.0, 1.05
    out = np.zeros((steps, 3))
    for t in range(steps):
        dx = 10.0 * (y - x)
        dy = x * (rho - z) - y
        dz = x * y - 2.667 * z
        x, y, z = x + 0.01 * dx, y + 0.01 * dy, z + 0.01 * dz
        out[t, 0], out[t, 1], out[t, 2] = x, y, z
    return out


@on(lambda r: (r.random(2000), 25))
def moving_average(x, width):
    out = np.empty(len(x) - width + 1)
    total = np.sum(x[:width])
    out[0] = total
    for i in range(width, len(x)):
        total += x[i] - x[i - width]
        out[i - width + 1] = total
    return out / width
