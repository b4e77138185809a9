"""Simulations and learning: cells, bodies, fields, filters, clusters and small networks."""

from dataclasses import dataclass, field

import numpy as np

from tests.corpus.case import Case


def life(board, generations):
    for _ in range(generations):
        around = sum(np.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)
                     if (i, j) != (0, 0))
        board = ((around == 3) | ((board == 1) & (around == 2))).astype(board.dtype)
    return board


def life_by_hand(board):
    new = board.copy()
    rows, columns = board.shape
    for r in range(rows):
        for c in range(columns):
            alive = board[max(r - 1, 0):r + 2, max(c - 1, 0):c + 2].sum() - board[r, c]
            if board[r, c]:
                if alive < 2 or alive > 3:
                    new[r, c] = 0
            elif alive == 3:
                new[r, c] = 1
    board[:] = new


def rule_30(cells, steps):
    history = np.zeros((steps + 1, len(cells)), dtype=cells.dtype)
    history[0] = cells
    for t in range(steps):
        left, right = np.roll(history[t], 1), np.roll(history[t], -1)
        history[t + 1] = left ^ (history[t] | right)
    return history


def sandpile(grid):
    topples = 0
    while (grid >= 4).any():
        over = grid >= 4
        grid[over] -= 4
        grid[1:] += over[:-1]
        grid[:-1] += over[1:]
        grid[:, 1:] += over[:, :-1]
        grid[:, :-1] += over[:, 1:]
        topples += over.sum()
    return topples


def accelerations(positions, masses):
    apart = positions[None, :, :] - positions[:, None, :]
    inverse = (np.sum(apart ** 2, axis=-1) + 0.01) ** -1.5
    np.fill_diagonal(inverse, 0.0)
    return np.einsum("ij,ijk,j->ik", inverse, apart, masses)


def leapfrog(positions, velocities, masses, dt, steps):
    a = accelerations(positions, masses)
    for _ in range(steps):
        velocities += a * dt / 2
        positions += velocities * dt
        a = accelerations(positions, masses)
        velocities += a * dt / 2
    return 0.5 * np.sum(masses * np.sum(velocities ** 2, axis=1))


@dataclass
class Body:
    position: np.ndarray
    velocity: np.ndarray
    mass: float = 1.0
    path: list = field(default_factory=list)

    def push(self, force, dt):
        self.velocity = self.velocity + force / self.mass * dt
        self.position += self.velocity * dt
        self.path.append(self.position.copy())


def two_bodies(a, b, dt):
    for _ in range(3):
        apart = b.position - a.position
        force = apart / np.linalg.norm(apart) ** 3
        a.push(force, dt)
        b.push(-force, dt)
    return np.stack(a.path + b.path)


def apply_walls(u):
    u[0, :] = u[-1, :] = 0
    u[:, 0] = u[:, -1] = 1


def diffuse(u, alpha):
    u[1:-1, 1:-1] += alpha * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
                              - 4 * u[1:-1, 1:-1])


def heat(u, alpha, tolerance):
    steps = 0
    while steps < 50:
        before = u.copy()
        diffuse(u, alpha)
        apply_walls(u)
        steps += 1
        if np.abs(u - before).max() < tolerance:
            break
    return steps


def wave(u, previous, c):
    energy = []
    for _ in range(10):
        following = np.zeros_like(u)
        following[1:-1] = 2 * u[1:-1] - previous[1:-1] + c * c * (u[2:] - 2 * u[1:-1] + u[:-2])
        previous, u = u, following
        energy.append(float(np.sum(u ** 2)))
    return u, energy


def gauss_seidel(p, b):
    for sweep in range(1, 40):
        worst = 0.0
        for i in range(1, p.shape[0] - 1):
            for j in range(1, p.shape[1] - 1):
                new = (p[i - 1, j] + p[i + 1, j] + p[i, j - 1] + p[i, j + 1] - b[i, j]) / 4
                worst = max(worst, abs(new - p[i, j]))
                p[i, j] = new
        if worst < 1e-3:
            return sweep
    return -1


def k_means(points, centres):
    while True:
        distance = np.linalg.norm(points[:, None] - centres, axis=2)
        labels = distance.argmin(axis=1)
        new = np.array([points[labels == k].mean(axis=0) if (labels == k).any() else centres[k]
                        for k in range(len(centres))])
        if np.allclose(new, centres):
            return centres, labels
        centres = new


def nearest_neighbours(train, labels, test, k):
    out = np.empty(len(test), dtype=labels.dtype)
    for i, x in enumerate(test):
        nearest = np.argsort(((train - x) ** 2).sum(axis=1), kind="stable")[:k]
        out[i] = np.bincount(labels[nearest]).argmax()
    return out


def kalman(measured, q, r):
    x, p = np.zeros(2), np.eye(2)
    step, look = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    estimates = np.zeros(len(measured))
    for k, z in enumerate(measured):
        x = step @ x
        p = step @ p @ step.T + q * np.eye(2)
        if np.isnan(z):
            estimates[k] = x[0]
            continue
        s = look @ p @ look.T + r
        gain = p @ look.T @ np.linalg.inv(s)
        x = x + (gain @ (z - look @ x)).ravel()
        p = (np.eye(2) - gain @ look) @ p
        estimates[k] = x[0]
    return estimates, p


class Layer:
    def __init__(self, weights, bias):
        self.weights, self.bias = weights, bias

    def forward(self, x):
        self.x = x
        return np.tanh(x @ self.weights + self.bias)

    def backward(self, grad, y, rate):
        grad = grad * (1 - y ** 2)
        back = grad @ self.weights.T
        self.weights -= rate * self.x.T @ grad
        self.bias -= rate * grad.sum(axis=0)
        return back


def train(x, target, weights, rate):
    layers = [Layer(w.copy(), np.zeros(w.shape[1])) for w in weights]
    losses = []
    for _ in range(5):
        values = [x]
        for layer in layers:
            values.append(layer.forward(values[-1]))
        grad = values[-1] - target
        losses.append((grad ** 2).mean())
        for layer, value in zip(reversed(layers), reversed(values), strict=False):
            grad = layer.backward(grad, value, rate)
    return np.array(losses), layers[0].weights


def perceptron(x, y, w):
    for epoch in range(10):
        wrong = 0
        for xi, yi in zip(x, y, strict=True):
            if yi * (w @ xi) <= 0:
                w += yi * xi
                wrong += 1
        if not wrong:
            return epoch
    return None


def logistic(x, y, rate):
    w = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ w))
        grad = x.T @ (p - y) / len(y)
        w -= rate * grad
        if np.linalg.norm(grad) < 1e-2:
            break
    return w, np.where(x @ w > 0, 1, 0)


def principal_axes(x, count):
    centred = x - x.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(centred, rowvar=False))
    order = np.argsort(values)[::-1][:count]
    vectors = vectors[:, order] * np.sign(vectors[0, order])
    return values[order], centred @ vectors


def random_walk(seed, steps):
    rng = np.random.default_rng(seed)
    place, path = np.zeros(2), []
    moves = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    for _ in range(steps):
        place = place + moves[rng.integers(4)]
        path.append(place)
    return np.array(path), np.abs(path).max()


def pi_by_darts(seed, count):
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(count):
        x, y = rng.random(2)
        hits += x * x + y * y < 1
    return 4 * hits / count


def metropolis(seed, start, steps):
    rng = np.random.default_rng(seed)
    x, accepted = start, 0
    chain = np.empty(steps)
    for k in range(steps):
        proposed = x + rng.normal()
        if np.log(rng.random()) < (x ** 2 - proposed ** 2) / 2:
            x = proposed
            accepted += 1
        chain[k] = x
    return chain, accepted


def ising(spins, seed, beta):
    rng = np.random.default_rng(seed)
    n = len(spins)
    for _ in range(30):
        i, j = rng.integers(0, n, 2)
        around = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
        change = 2 * spins[i, j] * around
        if change <= 0 or rng.random() < np.exp(-beta * change):
            spins[i, j] *= -1
    return spins.sum()


def hidden_path(start, move, emit, seen):
    best = np.log(start) + np.log(emit[:, seen[0]])
    back = np.zeros((len(seen), len(start)), dtype=int)
    for t in range(1, len(seen)):
        score = best[:, None] + np.log(move)
        back[t] = score.argmax(axis=0)
        best = score.max(axis=0) + np.log(emit[:, seen[t]])
    path = [best.argmax()]
    for t in range(len(seen) - 1, 0, -1):
        path.append(back[t][path[-1]])
    return np.array(path[::-1])


BOARD = (np.arange(36).reshape(6, 6) * 7 % 5 < 2).astype(int)
PLACES = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
CLOUD = np.array([[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 4.9], [0.1, 0.3], [4.9, 5.0]])
WEIGHTS = [np.array([[0.1, -0.2, 0.3], [0.4, 0.1, -0.3]]), np.array([[0.2], [-0.1], [0.5]])]


def cases_of_bodies():
    for speed in (0.5, -0.2):
        a = Body(np.zeros(2), np.array([0.0, speed]))
        yield a, Body(np.array([1.0, 0.0]), np.array([0.0, -speed]), 2.0), np.float64(0.1)


def draws_with_a_method(n, seed):
    rng = np.random.default_rng(seed)
    return rng.standard_exponential(method="inv") + rng.standard_exponential(3, method="inv") * n


CASES = [
    Case(life, (BOARD, 3), (BOARD.T.copy(), 3)),
    Case(life_by_hand, (BOARD,), (1 - BOARD,)),
    Case(rule_30, (np.eye(9, dtype=int)[4], 4), (np.arange(9) % 2, 4)),
    Case(sandpile, (np.full((3, 3), 5),), (np.full((3, 3), 1),)),
    Case(leapfrog, (PLACES, np.zeros((3, 2)), np.ones(3), 0.1, 4),
         (PLACES + 1, np.ones((3, 2)), np.array([1.0, 5.0, 2.0]), 0.1, 4)),
    Case(two_bodies, *cases_of_bodies()),
    Case(heat, (np.ones((5, 5)), 0.2, 1e-2), (np.arange(25.0).reshape(5, 5), 0.2, 1e-2)),
    Case(wave, (np.sin(np.arange(8.0)), np.zeros(8), 0.5), (np.ones(8), np.ones(8), 0.5)),
    Case(gauss_seidel, (np.ones((4, 4)), np.zeros((4, 4))), (np.eye(4) * 5, np.ones((4, 4)))),
    Case(k_means, (CLOUD, CLOUD[:2]), (CLOUD[::-1].copy(), CLOUD[2:4])),
    Case(nearest_neighbours, (CLOUD, np.array([0, 0, 1, 1, 0, 1]), CLOUD + 0.5, 3),
         (CLOUD, np.array([2, 1, 2, 1, 0, 0]), CLOUD - 3, 3)),
    Case(kalman, (np.array([1.0, 2.1, np.nan, 3.9]), 0.1, 0.5), (np.zeros(4), 0.1, 0.5)),
    Case(train, (CLOUD, np.ones((6, 1)), WEIGHTS, 0.1), (-CLOUD, np.zeros((6, 1)), WEIGHTS, 0.1)),
    Case(perceptron, (CLOUD, np.array([-1, -1, 1, 1, -1, 1]), np.zeros(2)),
         (CLOUD - 2, np.array([-1, -1, 1, 1, -1, 1]), np.ones(2))),
    Case(logistic, (CLOUD - 2, np.array([0, 0, 1, 1, 0, 1]), 0.5),
         (CLOUD * 0.01, np.array([0, 0, 1, 1, 0, 1]), 0.5)),
    Case(principal_axes, (CLOUD, 1), (CLOUD * [1, 7], 1)),
    Case(random_walk, (3, 12), (4, 12)),
    Case(pi_by_darts, (0, 40), (5, 40)),
    Case(metropolis, (1, np.float64(0), 20),
         (2, np.float64(3), 20)),
    Case(ising, (np.ones((4, 4), int), 1, 0.4),
         (BOARD[:4, :4] * 2 - 1, 2, 0.4)),
    Case(hidden_path, (np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]]),
                       np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]), np.array([0, 1, 2])),
         (np.array([0.1, 0.9]), np.array([[0.5, 0.5], [0.1, 0.9]]),
          np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]), np.array([2, 2, 0]))),
    Case(draws_with_a_method, (np.float64(2.0), 3), (np.float64(3.0), 4)),
]
