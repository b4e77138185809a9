"""Particle systems, Fourier transforms by hand, fractals, finance, and small neural networks."""

import numpy as np

from benchmarks.kernel_programs import on


@on(lambda r: (r.random((40, 3)), r.random((40, 3)), r.random((40, 1)), 25))
def n_bodies(position, velocity, mass, steps):
    for _ in range(steps):
        x, y, z = position[:, 0:1], position[:, 1:2], position[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inverse = dx**2 + dy**2 + dz**2 + 0.01
        inverse[inverse > 0] = inverse[inverse > 0] ** (-1.5)
        ax, ay, az = (dx * inverse) @ mass, (dy * inverse) @ mass, (dz * inverse) @ mass
        velocity += np.hstack((ax, ay, az)) * 0.01
        position += velocity * 0.01
    return position, velocity


@on(lambda r: (r.random((25, 2)), r.random((25, 2)), 4))
def pairs_of_particles(position, velocity, steps):
    n = position.shape[0]
    for _ in range(steps):
        force = np.zeros_like(position)
        for i in range(n):
            for j in range(i + 1, n):
                d = position[j] - position[i]
                r2 = np.dot(d, d) + 0.01
                f = d / (r2 * np.sqrt(r2))
                force[i] += f
                force[j] -= f
        velocity += 0.001 * force
        position += 0.001 * velocity


@on(lambda r: (r.random((200, 2)), r.random((200, 2)) - 0.5, 100))
def bouncing_balls(position, velocity, steps):
    for _ in range(steps):
        position += 0.01 * velocity
        out = (position < 0.0) | (position > 1.0)
        velocity[out] *= -1.0
        np.clip(position, 0.0, 1.0, position)


@on(lambda r: (r.random((60, 2)), r.random((60, 2)), 20))
def flocking(position, velocity, steps):
    n = position.shape[0]
    for _ in range(steps):
        dx = np.subtract.outer(position[:, 0], position[:, 0])
        dy = np.subtract.outer(position[:, 1], position[:, 1])
        distance = np.hypot(dx, dy)
        near = (distance > 0) & (distance < 0.3)
        count = np.maximum(near.sum(axis=1), 1).reshape(n, 1)
        target = np.dot(near, velocity) / count
        norm = np.sqrt((target * target).sum(axis=1)).reshape(n, 1)
        target *= np.divide(target, norm, out=target, where=norm != 0) * 0.5
        velocity += 0.1 * target
        position += velocity * 0.01
    return position


@on(lambda r: (r.random(1024) + 1j * r.random(1024),))
def fourier_radix_2(x):
    n = x.shape[0]
    size = 1
    blocks = x.reshape(1, n)
    while size < n:
        half = blocks.shape[1] // 2
        even, odd = blocks[:, :half], blocks[:, half:]
        twiddle = np.exp(-1j * np.pi * np.arange(size) / size)[:, None]
        blocks = np.vstack([even + twiddle * odd, even - twiddle * odd])
        size *= 2
    return blocks.ravel()


@on(lambda r: (r.random(180),))
def fourier_slow(x):
    n = len(x)
    out = np.zeros(n, dtype=np.complex128)
    k = np.arange(n)
    for i in range(n):
        out[i] = np.sum(x * np.exp(-2j * np.pi * i * k / n))
    return out


@on(lambda r: (100, 100, 40))
def mandelbrot_masks(nx, ny, limit):
    X = np.linspace(-2.25, 0.75, nx)
    Y = np.linspace(-1.25, 1.25, ny)
    C = X + Y[:, None] * 1j
    N = np.zeros(C.shape, dtype=np.int64)
    Z = np.zeros(C.shape, dtype=np.complex128)
    for n in range(limit):
        inside = abs(Z) < 2.0
        N[inside] = n
        Z[inside] = Z[inside] ** 2 + C[inside]
    N[limit - 1 == N] = 0
    return Z, N


@on(lambda r: (100, 100, 30))
def mandelbrot_shrinking(nx, ny, limit):
    xi, yi = np.mgrid[0:nx, 0:ny]
    C = np.linspace(-2.25, 0.75, nx)[xi] + np.linspace(-1.25, 1.25, ny)[yi] * 1j
    N = np.zeros(C.shape, dtype=np.int64)
    xi.shape = yi.shape = C.shape = nx * ny
    Z = np.zeros(C.shape, np.complex128)
    for i in range(limit):
        if not len(Z):
            break
        np.multiply(Z, Z, Z)
        np.add(Z, C, Z)
        out = abs(Z) > 2.0
        N[xi[out], yi[out]] = i + 1
        inside = ~out
        Z, C = Z[inside], C[inside]
        xi, yi = xi[inside], yi[inside]
    return N


@on(lambda r: (r.random((80, 80)) * 3 - 1.5, 60))
def julia_where(x, limit):
    y = x.T.copy()
    count = np.zeros(x.shape, dtype=np.int64)
    for _ in range(limit):
        x, y = x * x - y * y - 0.7, 2.0 * x * y + 0.27
        alive = x * x + y * y < 4.0
        x = np.where(alive, x, 2.0)
        y = np.where(alive, y, 0.0)
        count += alive
    return count


@on(lambda r: (r.random(50_000) * 100 + 1, r.random(50_000) * 100 + 1, r.random(50_000) + 0.1))
def option_prices(spot, strike, years):
    spread = 0.2 * np.sqrt(years)
    d1 = (np.log(spot / strike) + 0.12 * years) / spread
    d2 = d1 - spread
    c1 = 0.5 + 0.5 * np.tanh(0.8 * (d1 + 0.044715 * d1**3))
    c2 = 0.5 + 0.5 * np.tanh(0.8 * (d2 + 0.044715 * d2**3))
    return spot * c1 - strike * np.exp(-0.1 * years) * c2


@on(lambda r: (200, 400))
def binomial_tree(steps, levels):
    up = 1.01
    prices = 100.0 * up ** np.arange(-levels, levels + 1, 2.0)
    values = np.maximum(prices - 100.0, 0.0)
    for _ in range(steps):
        values[:-1] = 0.999 * (0.5 * values[1:] + 0.5 * values[:-1])
        prices = prices * up
        values = np.maximum(values, prices - 100.0)
    return values


@on(lambda r: (r.random((4, 20, 20, 3)), r.random((5, 5, 3, 6)), r.random(6)))
def convolution_layer(x, weights, bias):
    k = weights.shape[0]
    h, w = x.shape[1] - k + 1, x.shape[2] - k + 1
    out = np.empty((x.shape[0], h, w, weights.shape[3]))
    for i in range(h):
        for j in range(w):
            out[:, i, j, :] = np.sum(x[:, i:i + k, j:j + k, :, np.newaxis]
                                     * weights[np.newaxis], axis=(1, 2, 3))
    return np.maximum(out + bias, 0)


@on(lambda r: (r.random((64, 100)), r.random((100, 200)), r.random((200, 200)),
               r.random((200, 10))))
def perceptron(x, w1, w2, w3):
    h = np.maximum(x @ w1, 0)
    h = np.maximum(h @ w2, 0)
    z = h @ w3
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


@on(lambda r: (r.random((2, 4, 60, 60)) * 10,))
def softmax(x):
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


@on(lambda r: (r.random((30, 16, 20)), r.random((20, 128)), r.random((32, 128)) * 0.1))
def long_short_memory(xs, w, u):
    n = u.shape[0]
    h, c = np.zeros((xs.shape[1], n)), np.zeros((xs.shape[1], n))
    out = np.zeros((xs.shape[0], xs.shape[1], n))
    for t in range(xs.shape[0]):
        z = xs[t] @ w + h @ u
        i, f = 1 / (1 + np.exp(-z[:, :n])), 1 / (1 + np.exp(-z[:, n:2 * n]))
        o, g = 1 / (1 + np.exp(-z[:, 2 * n:3 * n])), np.tanh(z[:, 3 * n:])
        c = f * c + i * g
        h = o * np.tanh(c)
        out[t] = h
    return out


@on(lambda r: (r.random((300, 5)), r.random((300, 1)), 200))
def gradient_descent(x, y, steps):
    w = np.zeros((x.shape[1], 1))
    for _ in range(steps):
        p = 1.0 / (1.0 + np.exp(-(x @ w)))
        w -= 0.1 * (x.T @ (p - y)) / x.shape[0]
    return w


@on(lambda r: (r.random((60, 3)), 30))
def pairwise_distances(points, steps):
    total = 0.0
    for _ in range(steps):
        d = points[:, None, :] - points[None, :, :]
        distances = np.sqrt((d * d).sum(axis=-1))
        points = points + 0.001 * (d / (distances[..., None] + 1.0)).sum(axis=1)
        total += distances.sum()
    return total, points
