"""Classics of other kinds: hashes and random numbers, sorting and searching, graphs, geometry,
signals, games, and complex numbers."""

import numpy as np

from benchmarks.kernel_programs import on


@on(lambda r: (r.integers(0, 256, 4000).astype(np.uint8),))
def crc_32(data):
    crc = 0xFFFFFFFF
    for i in range(len(data)):
        crc ^= int(data[i])
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ 0xEDB88320
            else:
                crc >>= 1
    return crc ^ 0xFFFFFFFF


@on(lambda r: (r.integers(0, 256, 20000).astype(np.uint8),))
def adler_32(data):
    a, b = 1, 0
    for i in range(len(data)):
        a = (a + int(data[i])) % 65521
        b = (b + a) % 65521
    return b * 65536 + a


@on(lambda r: (12345, 5000))
def linear_congruence(seed, n):
    out = np.empty(n)
    for i in range(n):
        seed = (1103515245 * seed + 12345) % 2147483648
        out[i] = seed / 2147483648
    return out


@on(lambda r: (r.permutation(600),))
def heap_sort(given):
    x = given.copy()
    n = len(x)
    for start in range(n // 2 - 1, -1, -1):
        root = start
        while 2 * root + 1 < n:
            child = 2 * root + 1
            if child + 1 < n and x[child] < x[child + 1]:
                child += 1
            if x[root] >= x[child]:
                break
            x[root], x[child] = x[child], x[root]
            root = child
    for end in range(n - 1, 0, -1):
        x[0], x[end] = x[end], x[0]
        root = 0
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and x[child] < x[child + 1]:
                child += 1
            if x[root] >= x[child]:
                break
            x[root], x[child] = x[child], x[root]
            root = child
    return x


@on(lambda r: (np.sort(r.random(2000)), r.random(500)))
def binary_searches(x, wanted):
    found = np.zeros(len(wanted), np.int64)
    for k in range(len(wanted)):
        low, high = 0, len(x)
        while low < high:
            middle = (low + high) // 2
            if x[middle] < wanted[k]:
                low = middle + 1
            else:
                high = middle
        found[k] = low
    return found


@on(lambda r: (r.integers(0, 100, 20000),))
def counting_sort(x):
    counts = np.zeros(100, np.int64)
    for i in range(len(x)):
        counts[x[i]] += 1
    out = np.empty_like(x)
    at = 0
    for value in range(100):
        for _ in range(counts[value]):
            out[at] = value
            at += 1
    return out


@on(lambda r: (r.integers(0, 500, 3000), r.integers(0, 500, 3000), 500))
def components(a, b, n):
    parent = np.arange(n)
    for k in range(len(a)):
        x, y = a[k], b[k]
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        while parent[y] != y:
            parent[y] = parent[parent[y]]
            y = parent[y]
        if x != y:
            parent[x] = y
    return parent


@on(lambda r: (np.where(r.random((60, 60)) < 0.2, r.random((60, 60)), np.inf),))
def dijkstra(cost):
    n = cost.shape[0]
    distance = np.full(n, np.inf)
    done = np.zeros(n, dtype=bool)
    distance[0] = 0.0
    for _ in range(n):
        best, at = np.inf, -1
        for i in range(n):
            if not done[i] and distance[i] < best:
                best, at = distance[i], i
        if at < 0:
            break
        done[at] = True
        for j in range(n):
            if distance[at] + cost[at, j] < distance[j]:
                distance[j] = distance[at] + cost[at, j]
    return distance


@on(lambda r: (np.where(r.random((40, 40)) < 0.7, 0, 1),))
def flood_fill(walls):
    n, m = walls.shape
    steps = np.full((n, m), -1)
    queue = np.zeros((n * m, 2), np.int64)
    steps[0, 0], first, last = 0, 0, 1
    while first < last:
        i, j = queue[first, 0], queue[first, 1]
        first += 1
        for k in range(4):
            a = i + (k == 0) - (k == 1)
            b = j + (k == 2) - (k == 3)
            if 0 <= a < n and 0 <= b < m and walls[a, b] == 0 and steps[a, b] < 0:
                steps[a, b] = steps[i, j] + 1
                queue[last, 0], queue[last, 1] = a, b
                last += 1
    return steps


@on(lambda r: (r.random((300, 2)), r.random((12, 2))))
def points_in_polygon(points, polygon):
    inside = np.zeros(len(points), dtype=bool)
    n = len(polygon)
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        j = n - 1
        for i in range(n):
            if (polygon[i, 1] > y) != (polygon[j, 1] > y):
                slope = (polygon[j, 0] - polygon[i, 0]) / (polygon[j, 1] - polygon[i, 1])
                if x < slope * (y - polygon[i, 1]) + polygon[i, 0]:
                    inside[k] = not inside[k]
            j = i
    return inside


@on(lambda r: (r.random((150, 2)),))
def closest_pair(points):
    best, a, b = np.inf, 0, 0
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            d = (points[i, 0] - points[j, 0]) ** 2 + (points[i, 1] - points[j, 1]) ** 2
            if d < best:
                best, a, b = d, i, j
    return best, a, b


@on(lambda r: (8,))
def queens(n):
    columns = np.zeros(n, np.int64)
    found, row = 0, 0
    columns[0] = -1
    while row >= 0:
        columns[row] += 1
        while columns[row] < n:
            safe = True
            for k in range(row):
                d = columns[row] - columns[k]
                if d == 0 or d == row - k or d == k - row:
                    safe = False
                    break
            if safe:
                break
            columns[row] += 1
        if columns[row] == n:
            row -= 1
        elif row == n - 1:
            found += 1
        else:
            row += 1
            columns[row] = -1
    return found


@on(lambda r: (r.normal(size=4096),))
def biquad(x):
    y = np.zeros_like(x)
    x1 = x2 = y1 = y2 = 0.0
    for i in range(len(x)):
        y[i] = 0.2 * x[i] + 0.4 * x1 + 0.2 * x2 + 0.3 * y1 - 0.1 * y2
        x2, x1 = x1, x[i]
        y2, y1 = y1, y[i]
    return y


@on(lambda r: (r.normal(size=1024),))
def haar_wavelet(given):
    x = given.copy()
    n = len(x)
    while n > 1:
        half = n // 2
        low = (x[0:n:2] + x[1:n:2]) / np.sqrt(2)
        high = (x[0:n:2] - x[1:n:2]) / np.sqrt(2)
        x[:half] = low
        x[half:n] = high
        n = half
    return x


@on(lambda r: (r.normal(size=300), r.normal(size=250)))
def time_warping(a, b):
    n, m = len(a), len(b)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost[i, j] = abs(a[i - 1] - b[j - 1]) + min(
                cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[n, m]


@on(lambda r: (r.normal(size=200) + 1j * r.normal(size=200), 40))
def complex_polynomials(z, degree):
    p = np.zeros_like(z)
    for k in range(degree, -1, -1):
        p = p * z + (k + 1)
    return p


@on(lambda r: (r.normal(size=128) + 1j * r.normal(size=128),))
def fourier_by_definition(x):
    n = len(x)
    out = np.zeros(n, dtype=complex)
    for k in range(n):
        w = np.exp(-2j * np.pi * k / n)
        factor = 1.0 + 0j
        s = 0.0 + 0j
        for t in range(n):
            s += x[t] * factor
            factor *= w
        out[k] = s
    return out


@on(lambda r: (40, 40, 60))
def newton_fractal(height, width, steps):
    out = np.zeros((height, width), np.int64)
    for i in range(height):
        for j in range(width):
            z = complex(4 * j / width - 2 + 1e-3, 4 * i / height - 2)
            k = 0
            while k < steps and abs(z * z * z - 1) > 1e-6:
                z = z - (z * z * z - 1) / (3 * z * z)
                k += 1
            out[i, j] = k
    return out


@on(lambda r: (r.normal(size=(64, 64)) + 1j * r.normal(size=(64, 64)), r.random((64, 64)), 20))
def split_step(psi, potential, steps):
    kick = np.exp(-0.5j * potential * 0.01)
    for _ in range(steps):
        psi = kick * psi
        psi = psi + 0.01j * (np.roll(psi, 1, 0) + np.roll(psi, -1, 0) + np.roll(psi, 1, 1)
                             + np.roll(psi, -1, 1) - 4 * psi)
        psi = kick * psi
    return psi, np.sum(np.abs(psi) ** 2)


@on(lambda r: (r.choice([-1, 1], (32, 32)), r.random((10, 32, 32)), 0.44))
def ising(spins, dice, beta):
    n, m = spins.shape
    for sweep in range(len(dice)):
        for i in range(n):
            for j in range(m):
                around = (spins[i - 1, j] + spins[(i + 1) % n, j] + spins[i, j - 1]
                          + spins[i, (j + 1) % m])
                change = 2 * spins[i, j] * around
                if change <= 0 or dice[sweep, i, j] < np.exp(-beta * change):
                    spins[i, j] = -spins[i, j]
    return spins, spins.sum()


@on(lambda r: (r.random(3000) * 10, r.random(3000)))
def trapezoids(x, y):
    x = np.sort(x)
    area = 0.0
    for i in range(1, len(x)):
        area += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2
    return area


@on(lambda r: (300,))
def rule_30(steps):
    cells = np.zeros(401, dtype=np.uint8)
    cells[200] = 1
    table = np.array([0, 1, 1, 1, 1, 0, 0, 0], dtype=np.uint8)
    for _ in range(steps):
        code = 4 * np.roll(cells, 1) + 2 * cells + np.roll(cells, -1)
        cells = table[code]
    return cells


@on(lambda r: (r.random((80, 3)), r.random((60, 3))))
def gaussian_kernel(x, y):
    d = ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-d / 2).sum(axis=1)


@on(lambda r: (r.integers(0, 256, (64, 64)).astype(np.uint8),))
def integral_image(image):
    n, m = image.shape
    table = np.zeros((n + 1, m + 1), np.int64)
    for i in range(n):
        row = 0
        for j in range(m):
            row += int(image[i, j])
            table[i + 1, j + 1] = table[i, j + 1] + row
    return table
