"""Kernels of about sixty lines each, as text, for the time of a first call; they run over small
inputs."""

from __future__ import annotations

import numpy as np

HEAT_WITH_SOURCE = '''
def heat_with_source(u, source, steps, limit):
    # Diffusion on a plate with a source, walls, a report and an adaptive step.
    n, m = u.shape
    kappa = 0.15
    h = 1.0 / (n - 1)
    dt = 0.2 * h * h / kappa
    old = u.copy()
    flux_x = np.zeros((n - 1, m))
    flux_y = np.zeros((n, m - 1))
    history = np.zeros(steps)
    hottest = 0.0
    shrunk = 0
    where = -1
    time = 0.0
    for step in range(steps):
        flux_x[:, :] = (u[1:, :] - u[:-1, :]) / h
        flux_y[:, :] = (u[:, 1:] - u[:, :-1]) / h
        old[:, :] = u
        div = np.zeros_like(u)
        div[1:-1, :] += (flux_x[1:, :] - flux_x[:-1, :]) / h
        div[:, 1:-1] += (flux_y[:, 1:] - flux_y[:, :-1]) / h
        rate = kappa * div + source
        change = np.max(np.abs(rate)) * dt
        if change > limit:
            scale = limit / change
            shrunk += 1
        else:
            scale = 1.0
        u = u + rate * (dt * scale)
        time += dt * scale
        u[0, :] = u[1, :]
        u[-1, :] = u[-2, :]
        u[:, 0] = 0.5 * u[:, 1]
        u[:, -1] = 0.5 * u[:, -2]
        peak = np.max(u)
        if peak > hottest:
            hottest = peak
            where = np.argmax(u)
        else:
            where = -1
        mean = np.mean(u)
        spread = np.sqrt(np.mean((u - mean) ** 2))
        history[step] = spread
        moved = np.sum(np.abs(u - old))
        if moved < 1e-12:
            break
    total = 0.0
    for i in range(n):
        row = u[i]
        inner = np.sum(row[1:-1])
        edge = 0.5 * (row[0] + row[-1])
        total += (inner + edge) * h
    energy = np.sum(u * u) * h * h
    gradient = np.sqrt(flux_x[:, 1:] ** 2 + flux_y[1:, :] ** 2)
    steepest = np.max(gradient)
    normal = (u - np.min(u)) / (np.max(u) - np.min(u) + 1e-300)
    levels = np.floor(normal * 8.0)
    counts = np.zeros(9)
    for k in range(9):
        counts[k] = np.sum(levels == k)
    share = counts / np.sum(counts)
    order = -np.sum(share * np.log(share + 1e-12))
    return u, history, total, energy, steepest, order, hottest, where, shrunk, time
'''

PARTICLES = '''
def particles(pos, vel, mass, dt, box):
    # Particles under a soft force between pairs, in a box with hard walls.
    n = len(mass)
    force = np.zeros_like(pos)
    energies = np.zeros(4)
    bounces = 0
    soft = 0.05
    strength = 0.7
    for step in range(4):
        force[:] = 0.0
        potential = 0.0
        for i in range(n):
            delta = pos - pos[i]
            square = np.sum(delta * delta, axis=1) + soft * soft
            inverse = 1.0 / np.sqrt(square)
            weight = mass * inverse ** 3
            weight[i] = 0.0
            pull = np.sum(delta * weight[:, None], axis=0)
            force[i] += strength * pull
            potential -= 0.5 * strength * mass[i] * np.sum(mass * inverse)
        half = 0.5 * dt
        vel = vel + force * half
        pos = pos + vel * dt
        low = pos < 0.0
        high = pos > box
        outside = low | high
        if np.any(outside):
            bounces += int(np.sum(outside))
            vel = np.where(outside, -vel, vel)
            pos = np.where(low, -pos, pos)
            pos = np.where(high, 2.0 * box - pos, pos)
        speed = np.sqrt(np.sum(vel * vel, axis=1))
        kinetic = 0.5 * np.sum(mass * speed * speed)
        energies[step] = kinetic + potential
        fastest = np.max(speed)
        if fastest * dt > 0.1 * box:
            dt = dt * 0.5
        elif fastest * dt < 1e-4 * box:
            dt = dt * 2.0
    centre = np.sum(pos * mass[:, None], axis=0) / np.sum(mass)
    around = pos - centre
    distance = np.sqrt(np.sum(around * around, axis=1))
    momentum = np.sum(vel * mass[:, None], axis=0)
    spin = np.sum(mass * (around[:, 0] * vel[:, 1] - around[:, 1] * vel[:, 0]))
    nearest = box
    pair = -1
    for i in range(n):
        gap = np.sqrt(np.sum((pos - pos[i]) ** 2, axis=1))
        gap[i] = box * 2.0
        least = np.min(gap)
        if least < nearest:
            nearest = least
            pair = i
    inner = distance < 0.25 * box
    heavy = np.sum(mass[inner])
    radius = np.mean(distance)
    spread = np.std(distance)
    drift = np.max(np.abs(energies - energies[0]))
    ratio = heavy / np.sum(mass)
    return pos, vel, energies, momentum, spin, nearest, pair, ratio, radius, spread, drift, bounces
'''

SMALL_NETWORK = '''
def small_network(x, target, w1, w2, rate):
    # A small network trained for some steps by hand-written gradients, with momentum.
    n = x.shape[0]
    b1 = np.zeros(w1.shape[1])
    b2 = np.zeros(w2.shape[1])
    m1 = np.zeros_like(w1)
    m2 = np.zeros_like(w2)
    losses = []
    best = np.inf
    stalled = 0
    for _ in range(6):
        z1 = x @ w1 + b1
        h = np.tanh(z1)
        z2 = h @ w2 + b2
        top = np.max(z2, axis=1, keepdims=True)
        e = np.exp(z2 - top)
        p = e / np.sum(e, axis=1, keepdims=True)
        loss = -np.sum(target * np.log(p + 1e-12)) / n
        losses.append(loss)
        if loss < best:
            best = loss
            stalled = 0
        else:
            stalled += 1
        if stalled > 2:
            rate = rate * 0.5
            stalled = 0
        d2 = (p - target) / n
        g2 = h.T @ d2
        gb2 = np.sum(d2, axis=0)
        dh = d2 @ w2.T
        d1 = dh * (1.0 - h * h)
        g1 = x.T @ d1
        gb1 = np.sum(d1, axis=0)
        norm = np.sqrt(np.sum(g1 * g1) + np.sum(g2 * g2))
        if norm > 1.0:
            g1 = g1 / norm
            g2 = g2 / norm
        m1 = 0.9 * m1 + g1
        m2 = 0.9 * m2 + g2
        w1 = w1 - rate * m1
        w2 = w2 - rate * m2
        b1 = b1 - rate * gb1
        b2 = b2 - rate * gb2
        w1 *= 1.0 - 1e-4
        w2 *= 1.0 - 1e-4
    h = np.tanh(x @ w1 + b1)
    score = h @ w2 + b2
    guess = np.argmax(score, axis=1)
    truth = np.argmax(target, axis=1)
    right = np.mean(guess == truth)
    classes = target.shape[1]
    table = np.zeros((classes, classes))
    for i in range(n):
        table[truth[i], guess[i]] += 1.0
    recall = np.zeros(classes)
    for c in range(classes):
        seen = np.sum(table[c])
        if seen > 0:
            recall[c] = table[c, c] / seen
    used = np.mean(np.abs(h), axis=0)
    dead = np.sum(used < 1e-3)
    size = np.sum(np.abs(w1)) + np.sum(np.abs(w2))
    return w1, w2, b1, b2, np.array(losses), right, table, recall, dead, size
'''

ALIGNMENT = '''
def alignment(a, b, match, miss, gap):
    # Alignment of two sequences: the table, the way back, and statistics of the way.
    n, m = len(a), len(b)
    table = np.zeros((n + 1, m + 1))
    came = np.zeros((n + 1, m + 1), dtype=np.int64)
    best = 0.0
    at_i = 0
    at_j = 0
    for i in range(1, n + 1):
        table[i, 0] = 0.0
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                diagonal = table[i - 1, j - 1] + match
            else:
                diagonal = table[i - 1, j - 1] - miss
            up = table[i - 1, j] - gap
            left = table[i, j - 1] - gap
            score = 0.0
            way = 0
            if diagonal > score:
                score = diagonal
                way = 1
            if up > score:
                score = up
                way = 2
            if left > score:
                score = left
                way = 3
            table[i, j] = score
            came[i, j] = way
            if score > best:
                best = score
                at_i = i
                at_j = j
    path = np.zeros((n + m, 2), dtype=np.int64)
    length = 0
    same = 0
    gaps = 0
    i = at_i
    j = at_j
    while i > 0 and j > 0 and came[i, j] > 0:
        path[length, 0] = i
        path[length, 1] = j
        length += 1
        way = came[i, j]
        if way == 1:
            if a[i - 1] == b[j - 1]:
                same += 1
            i -= 1
            j -= 1
        elif way == 2:
            gaps += 1
            i -= 1
        else:
            gaps += 1
            j -= 1
    identity = same / max(length, 1)
    rows = np.max(table, axis=1)
    columns = np.max(table, axis=0)
    mean = np.mean(table[1:, 1:])
    spread = np.std(table[1:, 1:])
    outlier = (best - mean) / (spread + 1e-12)
    return best, path, length, identity, gaps, rows, columns, outlier
'''

FILTER_IMAGE = '''
def filter_image(image, kernel, low, high):
    # Smooths an image, finds edges, thins them, and measures what is left.
    n, m = image.shape
    k = kernel.shape[0] // 2
    padded = np.zeros((n + 2 * k, m + 2 * k))
    padded[k:n + k, k:m + k] = image
    padded[:k, k:m + k] = image[0]
    padded[n + k:, k:m + k] = image[-1]
    padded[:, :k] = padded[:, k:k + 1]
    padded[:, m + k:] = padded[:, m + k - 1:m + k]
    smooth = np.zeros_like(image)
    for i in range(2 * k + 1):
        for j in range(2 * k + 1):
            smooth += kernel[i, j] * padded[i:i + n, j:j + m]
    smooth /= np.sum(kernel)
    gx = np.zeros_like(image)
    gy = np.zeros_like(image)
    gx[:, 1:-1] = 0.5 * (smooth[:, 2:] - smooth[:, :-2])
    gy[1:-1, :] = 0.5 * (smooth[2:, :] - smooth[:-2, :])
    size = np.sqrt(gx * gx + gy * gy)
    top = np.max(size)
    if top > 0.0:
        size = size / top
    steep = np.abs(gx) > np.abs(gy)
    thin = size.copy()
    left = size[1:-1, :-2]
    right = size[1:-1, 2:]
    above = size[:-2, 1:-1]
    below = size[2:, 1:-1]
    here = size[1:-1, 1:-1]
    weak_x = (here < left) | (here < right)
    weak_y = (here < above) | (here < below)
    weak = np.where(steep[1:-1, 1:-1], weak_x, weak_y)
    thin[1:-1, 1:-1] = np.where(weak, 0.0, here)
    strong = thin > high
    maybe = (thin > low) & ~strong
    marked = strong.copy()
    before = -1
    found = int(np.sum(marked))
    while found != before:
        before = found
        grown = marked.copy()
        grown[1:, :] |= marked[:-1, :]
        grown[:-1, :] |= marked[1:, :]
        grown[:, 1:] |= marked[:, :-1]
        grown[:, :-1] |= marked[:, 1:]
        marked = marked | (grown & maybe)
        found = int(np.sum(marked))
    rows = np.sum(marked, axis=1)
    columns = np.sum(marked, axis=0)
    counts = np.zeros(16)
    for level in range(16):
        inside = (smooth >= level / 16.0) & (smooth < (level + 1) / 16.0)
        counts[level] = np.sum(inside)
    share = counts / image.size
    entropy = 0.0
    for level in range(16):
        if share[level] > 0.0:
            entropy -= share[level] * np.log2(share[level])
    contrast = np.max(smooth) - np.min(smooth)
    return marked, thin, rows, columns, entropy, contrast, found
'''


def examples() -> dict[str, tuple[str, tuple[object, ...]]]:
    """The text of each kernel, and arguments for it, by its name."""
    r = np.random.default_rng(0)
    letters = r.integers(0, 4, 40)
    return {
        "heat_with_source": (HEAT_WITH_SOURCE, (r.random((12, 10)), r.random((12, 10)), 5, 0.5)),
        "particles": (PARTICLES, (
            r.random((8, 2)), r.standard_normal((8, 2)), r.random(8), 0.01, 1.0)),
        "small_network": (SMALL_NETWORK, (
            r.standard_normal((20, 5)), np.eye(3)[r.integers(0, 3, 20)],
            r.standard_normal((5, 7)), r.standard_normal((7, 3)), 0.1)),
        "alignment": (ALIGNMENT, (letters[:20], letters[18:], 2.0, 1.0, 1.5)),
        "filter_image": (FILTER_IMAGE, (r.random((16, 14)), np.ones((3, 3)), 0.2, 0.5)),
    }
