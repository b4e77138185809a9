"""The programs that `workloads` times, as users write them in plain NumPy."""

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


def van_der_pol(y):
    return np.array([y[1], 2.0 * (1 - y[0] * y[0]) * y[1] - y[0]])


def rk45(y, end, tolerance, h=0.01):
    t, steps = 0.0, 0
    while t < end:
        h = min(h, end - t)
        k1 = van_der_pol(y)
        k2 = van_der_pol(y + h * (0.25 * k1))
        k3 = van_der_pol(y + h * (3/32 * k1 + 9/32 * k2))
        k4 = van_der_pol(y + h * (1932/2197 * k1 - 7200/2197 * k2 + 7296/2197 * k3))
        k5 = van_der_pol(y + h * (439/216 * k1 - 8.0 * k2 + 3680/513 * k3 - 845/4104 * k4))
        k6 = van_der_pol(y + h * (-8/27 * k1 + 2.0 * k2 - 3544/2565 * k3 + 1859/4104 * k4
                                  - 11/40 * k5))
        error = np.max(np.abs(h * (1/360 * k1 - 128/4275 * k3 - 2197/75240 * k4 + 1/50 * k5
                                   + 2/55 * k6)))
        if error <= tolerance:
            t = t + h
            y = y + h * (25/216 * k1 + 1408/2565 * k3 + 2197/4104 * k4 - 0.2 * k5)
        steps += 1
        h = h * min(4.0, max(0.1, 0.9 * (tolerance / (error + 1e-30)) ** 0.2))
    return y, steps


def add_one(x):
    return x + 1


def nested(a, b, c, d, e):
    return {"u": a + b[0], "v": (b[1]["c"] + c[0], c[1] + d), "w": e["p"] + e["q"][1]}


def power(x, y):
    result = np.eye(10, dtype=x.dtype)
    for _ in range(y):
        result = np.matmul(x, result)
    return result


def running_total(x):
    total = np.zeros_like(x)
    for i in range(1, len(x)):
        total[i] = total[i - 1] + x[i]
    return total


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
    p = ((p * x + 0.8) * x - 0.9) * x + 1.0
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
