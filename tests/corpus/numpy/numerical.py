"""Numerical methods as textbooks have them: linear algebra with slices, roots, integrals, fits."""

import numpy as np

from tests.corpus.case import Case


def lu_in_place(a):
    n = a.shape[0]
    swaps = np.arange(n)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            swaps[[k, p]] = swaps[[p, k]]
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return swaps


def solve_lu(a, b):
    lu = a.copy()
    order = lu_in_place(lu)
    x = b[order].astype(float)
    for i in range(len(x)):
        x[i] -= lu[i, :i] @ x[:i]
    for i in range(len(x) - 1, -1, -1):
        x[i] = (x[i] - lu[i, i + 1:] @ x[i + 1:]) / lu[i, i]
    return x


def cholesky(a):
    lower = np.zeros_like(a)
    for j in range(len(a)):
        rest = a[j, j] - np.dot(lower[j, :j], lower[j, :j])
        if rest <= 0:
            raise np.linalg.LinAlgError("not positive definite")
        lower[j, j] = np.sqrt(rest)
        for i in range(j + 1, len(a)):
            lower[i, j] = (a[i, j] - lower[i, :j] @ lower[j, :j]) / lower[j, j]
    return lower


def gram_schmidt(a):
    q, r = np.empty_like(a), np.zeros((a.shape[1], a.shape[1]))
    for j, column in enumerate(a.T):
        v = column.copy()
        for i in range(j):
            r[i, j] = q[:, i] @ v
            v -= r[i, j] * q[:, i]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / r[j, j]
    return q, r


def householder(a):
    r, q = a.astype(float), np.eye(len(a))
    for k in range(min(r.shape[0] - 1, r.shape[1])):
        x = r[k:, k].copy()
        x[0] += np.copysign(np.linalg.norm(x), x[0])
        x /= np.linalg.norm(x)
        r[k:] -= 2 * np.outer(x, x @ r[k:])
        q[:, k:] -= 2 * np.outer(q[:, k:] @ x, x)
    return q, np.triu(r)


def power_iteration(a, v, tol):
    value = 0.0
    for step in range(200):
        w = a @ v
        w /= np.linalg.norm(w)
        new = w @ a @ w
        if abs(new - value) < tol:
            return new, w, step
        value, v = new, w
    return value, v, -1


def jacobi_eigenvalues(a):
    a = a.copy()
    n = len(a)
    for _ in range(30):
        off = np.abs(np.triu(a, 1))
        p, q = np.unravel_index(np.argmax(off), off.shape)
        if off[p, q] < 1e-10:
            break
        theta = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
        c, s = np.cos(theta), np.sin(theta)
        rotation = np.eye(n)
        rotation[p, p] = rotation[q, q] = c
        rotation[p, q], rotation[q, p] = s, -s
        a = rotation.T @ a @ rotation
    return np.sort(np.diag(a))


def conjugate_gradient(a, b, x):
    r = b - a @ x
    p, rs = r.copy(), r @ r
    rounds = 0
    while rs > 1e-12 and rounds < 2 * len(b):
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        rs, old = r @ r, rs
        p = r + rs / old * p
        rounds += 1
    return rounds


def thomas(lower, diagonal, upper, right):
    """A tridiagonal system, overwriting what it is given."""
    for i in range(1, len(diagonal)):
        m = lower[i - 1] / diagonal[i - 1]
        diagonal[i] -= m * upper[i - 1]
        right[i] -= m * right[i - 1]
    right[-1] /= diagonal[-1]
    for i in reversed(range(len(right) - 1)):
        right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i]
    return right


def newton_system(x):
    for step in range(20):
        f = np.array([x[0] ** 2 + x[1] ** 2 - 4, x[0] * x[1] - 1])
        if np.max(np.abs(f)) < 1e-12:
            break
        jacobian = np.array([[2 * x[0], 2 * x[1]], [x[1], x[0]]])
        x = x - np.linalg.solve(jacobian, f)
    return x, step


def bisect(lo, hi):
    def f(x):
        return x ** 3 - x - 2

    if f(lo) * f(hi) > 0:
        raise ValueError("no change of sign")
    while hi - lo > 1e-9:
        mid = (lo + hi) / 2
        if f(lo) * f(mid) <= 0:
            hi = mid
        else:
            lo = mid
    return (lo + hi) / 2


def golden_section(a, b):
    def f(x):
        return (x - 0.7) ** 2

    ratio = (np.sqrt(5) - 1) / 2
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    fc, fd = f(c), f(d)
    while abs(b - a) > 1e-6:
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - ratio * (b - a)
            fc = f(c)
        else:
            a, c, fc = c, d, fd
            d = a + ratio * (b - a)
            fd = f(d)
    return (a + b) / 2


def simpson(y, h):
    if len(y) % 2 == 0:
        raise ValueError("an odd number of points")
    return h / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())


def romberg(a, b):
    table = np.zeros((5, 5))
    h = b - a
    table[0, 0] = h * (np.exp(a) + np.exp(b)) / 2
    for i in range(1, 5):
        h /= 2
        points = a + h * np.arange(1, 2 ** i, 2)
        table[i, 0] = table[i - 1, 0] / 2 + h * np.exp(points).sum()
        for j in range(1, i + 1):
            table[i, j] = table[i, j - 1] + (table[i, j - 1] - table[i - 1, j - 1]) / (4 ** j - 1)
    return table


def fft(x):
    n = len(x)
    if n == 1:
        return x.astype(complex)
    even, odd = fft(x[::2]), fft(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


def fft_in_place(x):
    n = len(x)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            x[i], x[j] = x[j], x[i]
    size = 2
    while size <= n:
        w = np.exp(-2j * np.pi * np.arange(size // 2) / size)
        for start in range(0, n, size):
            top = x[start:start + size // 2].copy()
            low = x[start + size // 2:start + size] * w
            x[start:start + size // 2] = top + low
            x[start + size // 2:start + size] = top - low
        size *= 2


def runge_kutta(y, t, h, steps):
    path = [y]
    for _ in range(steps):
        k1 = pendulum(t, y)
        k2 = pendulum(t + h / 2, y + h / 2 * k1)
        k3 = pendulum(t + h / 2, y + h / 2 * k2)
        k4 = pendulum(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
        path.append(y)
    return np.array(path)


def pendulum(t, y):
    return np.array([y[1], -np.sin(y[0]) - 0.1 * y[1] + 0.01 * t])


def adaptive_euler(y, end):
    t, h, steps = 0.0, 0.1, 0
    while t < end:
        h = min(h, end - t)
        one = y + h * -y
        half = y + h / 2 * -y
        two = half + h / 2 * -half
        error = np.abs(two - one).max()
        if error > 1e-3:
            h /= 2
            continue
        y, t, steps = two, t + h, steps + 1
        if error < 1e-4:
            h *= 1.5
    return y, steps


def polynomial_fit(x, y, degree):
    vandermonde = np.stack([x ** k for k in range(degree + 1)], axis=1)
    coefficients, residual, rank, _ = np.linalg.lstsq(vandermonde, y, rcond=None)
    return coefficients, rank, np.polyval(coefficients[::-1], x) - y


def lagrange(xs, ys, x):
    total = np.zeros_like(x)
    for i in range(len(xs)):
        basis = np.ones_like(x)
        for j in range(len(xs)):
            if i != j:
                basis *= (x - xs[j]) / (xs[i] - xs[j])
        total += ys[i] * basis
    return total


def natural_spline(x, y):
    n = len(x) - 1
    h = np.diff(x)
    a = np.zeros((n + 1, n + 1))
    b = np.zeros(n + 1)
    a[0, 0] = a[n, n] = 1
    for i in range(1, n):
        a[i, i - 1:i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        b[i] = 3 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    return np.linalg.solve(a, b)


def nelder_mead(points):
    for _ in range(40):
        values = np.array([np.sum((p - 1) ** 2) for p in points])
        points = points[np.argsort(values)]
        values.sort()
        centre = points[:-1].mean(axis=0)
        reflected = 2 * centre - points[-1]
        value = np.sum((reflected - 1) ** 2)
        if value < values[0]:
            further = 3 * centre - 2 * points[-1]
            points[-1] = further if np.sum((further - 1) ** 2) < value else reflected
        elif value < values[-2]:
            points[-1] = reflected
        else:
            points[1:] = (points[1:] + points[0]) / 2
    return points


SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
OTHER = np.array([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [3.0, 1.0, 5.0]])
RIGHT = np.array([1.0, 2.0, 3.0])
SIGNAL = np.array([1.0, 2.0, 0.0, -1.0, 3.0, 0.5, 0.0, 4.0])

CASES = [
    Case(lu_in_place, (SQUARE,), (OTHER,)),
    Case(solve_lu, (SQUARE, RIGHT), (OTHER, RIGHT)),
    Case(cholesky, (SQUARE,), (OTHER,)),
    Case(gram_schmidt, (SQUARE,), (OTHER,)),
    Case(householder, (SQUARE,), (OTHER,)),
    Case(power_iteration, (SQUARE, RIGHT, 1e-10), (OTHER, RIGHT, 1e-10)),
    Case(jacobi_eigenvalues, (SQUARE,), (np.diag([3.0, 1.0, 2.0]),)),
    Case(conjugate_gradient, (SQUARE, RIGHT, np.zeros(3)), (np.eye(3), RIGHT, np.zeros(3))),
    Case(thomas, (np.ones(3), np.full(4, 4.0), np.ones(3), np.arange(4.0)),
         (np.zeros(3), np.full(4, 2.0), np.ones(3), np.ones(4))),
    Case(newton_system, (np.array([2.0, 0.5]),), (np.array([-2.0, -0.3]),)),
    Case(bisect, (np.float64(1), np.float64(2)), (np.float64(2), np.float64(3))),
    Case(golden_section, (np.float64(0), np.float64(2)),
         (np.float64(-1), np.float64(0.5))),
    Case(simpson, (np.linspace(0, 1, 7) ** 2, 1 / 6), (np.linspace(0, 3, 7) ** 3, 0.5)),
    Case(romberg, (np.float64(0), np.float64(1)), (np.float64(-1), np.float64(0.5))),
    Case(fft, (SIGNAL,), (np.arange(8.0),)),
    Case(fft_in_place, (SIGNAL.astype(complex),), (np.arange(8) * 1j,)),
    Case(runge_kutta, (np.array([1.0, 0.0]), 0.0, 0.05, 20),
         (np.array([0.2, -1.0]), 0.0, 0.05, 20)),
    Case(adaptive_euler, (np.array([1.0, 2.0]), np.float64(1)),
         (np.array([5.0, -9]), np.float64(2))),
    Case(polynomial_fit, (np.arange(6.0), np.arange(6.0) ** 2, 2), (SIGNAL[:6], SIGNAL[2:], 2)),
    Case(lagrange, (np.arange(4.0), SIGNAL[:4], np.linspace(0, 3, 5)),
         (np.arange(4.0) * 2, SIGNAL[4:], np.linspace(0, 3, 5))),
    Case(natural_spline, (np.arange(5.0), SIGNAL[:5]), (np.arange(5.0) ** 2, SIGNAL[3:])),
    Case(nelder_mead, (np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]),),
         (np.array([[1.5, 1.0], [1.0, 1.2], [-4.0, 5.0]]),)),
]
