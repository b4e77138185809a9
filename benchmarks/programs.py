"""The programs that `workloads` times: what users write in plain NumPy, and data for each."""

from typing import Any

import numpy as np


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def newton(x):
    y = change = x
    while change > 1e-12 * y:
        following = 0.5 * (y + x / y)
        change = abs(following - y)
        y = following
    return y


def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def fibonacci(n, modulus):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, (a + b) % modulus
    return a


def sum_of_primes(n):
    total = 0
    for k in range(2, n):
        divisor, prime = 2, True
        while divisor * divisor <= k:
            if k % divisor == 0:
                prime = False
                break
            divisor += 1
        if prime:
            total += k
    return total


def bisect(low, high, tolerance):
    value_low = low * low * low - low - 2.0
    while high - low > tolerance:
        middle = 0.5 * (low + high)
        value = middle * middle * middle - middle - 2.0
        if value_low * value <= 0.0:
            high = middle
        else:
            low, value_low = middle, value
    return 0.5 * (low + high)


def normal_cdf(d):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
    tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))
    r = 0.3989422804014327 * np.exp(-0.5 * d * d) * tail
    return np.where(d > 0, 1.0 - r, r)


def black_scholes(spot, strike, years, rate=0.1, volatility=0.2):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    c1, c2 = normal_cdf(d1), normal_cdf(d1 - spread)
    discounted = strike * np.exp(-rate * years)
    return spot * c1 - discounted * c2, discounted * (1.0 - c2) - spot * (1.0 - c1)


def chain(x):
    p = ((((0.1 * x + 0.2) * x - 0.3) * x + 0.4) * x - 0.5) * x + 0.6
    q = np.sin(p) * np.cos(x)
    return np.sqrt(np.exp(-q * q) + x * x) - p


def polynomial(x):
    p = (((((0.1 * x + 0.2) * x - 0.3) * x + 0.4) * x - 0.5) * x + 0.6) * x - 0.7
    return p * p - x


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x, gain, bias):
    d = x - np.mean(x, axis=-1, keepdims=True)
    return d / np.sqrt(np.mean(d * d, axis=-1, keepdims=True) + 1e-5) * gain + bias


def squared_distance(x, y):
    return np.sum((x - y) ** 2)


def mandelbrot(cr, ci, limit=50):
    zr, zi = np.zeros_like(cr), np.zeros_like(ci)
    count, alive, i = np.zeros(cr.shape, np.int32), np.ones(cr.shape, bool), 0
    while i < limit and np.any(alive):
        zr, zi = (np.where(alive, zr * zr - zi * zi + cr, zr),
                  np.where(alive, 2.0 * zr * zi + ci, zi))
        alive = zr * zr + zi * zi <= 4.0
        count = count + alive.astype(np.int32)
        i = i + 1
    return count


def life(board, generations=50):
    for _ in range(generations):
        count = sum(np.roll(np.roll(board, dy, 0), dx, 1)
                    for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0))
        board = ((count == 3) | ((board == 1) & (count == 2))).astype(np.int32)
    return board


def jacobi(u, sweeps=200):
    u = u.copy()
    for _ in range(sweeps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def floyd(d):
    for k in range(d.shape[0]):
        d = np.minimum(d, d[:, k][:, None] + d[k, :][None, :])
    return d


def kmeans_step(points, centres):
    distance = ((points[:, None, :] - centres[None]) ** 2).sum(-1)
    label = np.argmin(distance, 1)
    member = (label[:, None] == np.arange(centres.shape[0])[None]).astype(points.dtype)
    return (member.T @ points) / np.maximum(member.sum(0), 1.0)[:, None], label


def viterbi(log_move, log_emit):
    score, back = log_emit[0], []
    for t in range(1, log_emit.shape[0]):
        candidates = score[:, None] + log_move
        back.append(np.argmax(candidates, 0))
        score = np.max(candidates, 0) + log_emit[t]
    pointers = np.stack(back)
    state = np.argmax(score)
    path = [state]
    for t in range(log_emit.shape[0] - 2, -1, -1):
        state = pointers[t][state]
        path.append(state)
    return np.stack(path[::-1])


def rnn(xs, w, u, b):
    h = np.zeros((xs.shape[1], u.shape[0]), xs.dtype)
    for t in range(xs.shape[0]):
        h = np.tanh(xs[t] @ w + h @ u + b)
    return h


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(xs, w, u, b):
    n = u.shape[0]
    h = c = np.zeros((xs.shape[1], n), xs.dtype)
    for t in range(xs.shape[0]):
        z = xs[t] @ w + h @ u + b
        i, f, g, o = z[:, :n], z[:, n:2 * n], z[:, 2 * n:3 * n], z[:, 3 * n:]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


def list_of_states(x, ys):
    states = []
    for t in range(ys.shape[0]):
        x = x * 0.9 + ys[t]
        states.append(x)
    return np.stack(states)


def training_step(x, y, w1, b1, w2, b2, rate=np.float32(0.01)):  # noqa: B008  # a constant
    z = x @ w1 + b1
    h = np.maximum(z, 0)
    logits = h @ w2 + b2
    m = logits - logits.max(-1, keepdims=True)
    e = np.exp(m)
    s = e.sum(-1, keepdims=True)
    loss = (np.log(s)[:, 0] - (m * y).sum(-1)).mean()
    dlogits = (e / s - y) / np.float32(x.shape[0])
    dz = (dlogits @ w2.T) * (z > 0)
    return (loss, w1 - rate * (x.T @ dz), b1 - rate * dz.sum(0),
            w2 - rate * (h.T @ dlogits), b2 - rate * dlogits.sum(0))


def recurrent_data(gates: int) -> tuple[np.ndarray, ...]:
    """A sequence and the weights of a recurrent network."""
    rng, steps, batch, width, single = np.random.default_rng(13), 100, 32, 64, np.float32
    return (rng.normal(size=(steps, batch, width)).astype(single),
            (rng.normal(size=(width, gates * width)) * 0.1).astype(single),
            (rng.normal(size=(width, gates * width)) * 0.1).astype(single),
            np.zeros(gates * width, single))


def training_data() -> tuple[np.ndarray, ...]:
    """A batch, its labels, and the weights of a network of two layers."""
    rng, single = np.random.default_rng(15), np.float32
    return (rng.normal(size=(32, 64)).astype(single),
            np.eye(10, dtype=single)[rng.integers(0, 10, 32)],
            (rng.normal(size=(64, 64)) * 0.1).astype(single), np.zeros(64, single),
            (rng.normal(size=(64, 10)) * 0.1).astype(single), np.zeros(10, single))


def programs(size: int = 1000) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Name, function and symbolic arguments; `size` is that of the elementwise ones."""
    rng = np.random.default_rng(2)
    rows = (size // 100, 100)
    plane = np.broadcast_arrays(np.linspace(-2, 0.5, 256), np.linspace(-1.25, 1.25, 256)[:, None])
    prices = (rng.uniform(10, 50, size), rng.uniform(10, 50, size), rng.uniform(0.2, 2.0, size))
    numbers = np.int64(7540113804746346429), np.int64(4660046610375530309)
    return {
        "collatz": (collatz, (np.int64(837799),)),
        "newton": (newton, (np.float64(2e20),)),
        "gcd": (gcd, numbers),
        "fibonacci": (fibonacci, (np.int64(10000), np.int64(1000000007))),
        "sum of primes": (sum_of_primes, (np.int64(2000),)),
        "bisect": (bisect, (np.float64(1.0), np.float64(2.0), np.float64(1e-13))),
        "Black-Scholes": (black_scholes, prices),
        "chain": (chain, (rng.uniform(-1, 1, size),)),
        "polynomial": (polynomial, (rng.uniform(-1, 1, size),)),
        "softmax": (softmax, (rng.normal(size=rows),)),
        "layer norm": (layer_norm, (rng.normal(size=rows), rng.normal(size=100), np.zeros(100))),
        "squared distance": (squared_distance, (rng.normal(size=size), rng.normal(size=size))),
        "Mandelbrot": (mandelbrot, tuple(map(np.ascontiguousarray, plane))),
        "life": (life, ((rng.random((256, 256)) < 0.3).astype(np.int32),)),
        "Jacobi": (jacobi, (rng.random((256, 256)),)),
        "Floyd": (floyd, (rng.uniform(1, 100, (128, 128)),)),
        "k-means step": (kmeans_step, (rng.normal(size=(2000, 8)), rng.normal(size=(16, 8)))),
        "Viterbi": (viterbi, (np.log(rng.dirichlet(np.ones(64), 64)),
                              np.log(rng.dirichlet(np.ones(64), 100)))),
        "RNN": (rnn, recurrent_data(1)),
        "LSTM": (lstm, recurrent_data(4)),
        "list of states": (list_of_states, (rng.normal(size=10), rng.normal(size=(100, 10)))),
        "training step": (training_step, training_data()),
    }
