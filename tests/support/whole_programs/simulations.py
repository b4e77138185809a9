"""Simulations, filters, solvers and models, as strangers wrote them."""


import numpy as np

from tests.support.whole_programs.registry import program

RNG = np.random.default_rng(11)


@program(RNG.normal(size=(4, 2)), RNG.normal(size=(4, 2)) * 0.1)
def nbody(q, v):
    dt = 0.01
    for _ in range(12):
        d = q[:, None, :] - q[None, :, :]
        r2 = (d**2).sum(-1) + 0.1
        a = -(d / r2[..., None] ** 1.5).sum(1)
        v = v + dt * a
        q = q + dt * v
    return (v**2).sum()


@program(np.array([1.0, 0.3]), 0.7)
def pendulum_until(s, l):
    th, w = s
    t = 0.0
    while th > 0.2 and t < 5.0:
        w -= 0.01 * 9.81 / l * np.sin(th)
        th += 0.01 * w
        t += 0.01
    return (th, w)


@program(RNG.normal(size=(2,)), RNG.normal(size=(10,)), 0.3)
def kalman(x, zs, q):
    F = np.array([[1.0, 0.1], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    Pm = np.eye(2)
    ll = 0.0
    for z in zs:
        x = F @ x
        Pm = F @ Pm @ F.T + q * np.eye(2)
        S = H @ Pm @ H.T + 0.5
        K = Pm @ H.T @ np.linalg.inv(S)
        y = z - H @ x
        ll = ll - 0.5 * float(y @ np.linalg.solve(S, y)) - 0.5 * np.log(np.linalg.det(S))
        x = x + K @ y
        Pm = (np.eye(2) - K @ H) @ Pm
    return ll


@program(RNG.normal(size=(6, 3)), RNG.normal(size=(3, 3)))
def crf(em, tr):
    a = em[0]
    for t in range(1, len(em)):
        m = a[:, None] + tr + em[t][None, :]
        mx = m.max(0)
        a = mx + np.log(np.exp(m - mx).sum(0))
    return np.logaddexp.reduce(a)


@program(RNG.normal(size=(6, 3)), RNG.normal(size=(3, 3)))
def viterbi(em, tr):
    s = em[0].copy()
    back = []
    for t in range(1, 6):
        m = s[:, None] + tr
        b = np.argmax(m, 0)
        back.append(b)
        s = m[b, np.arange(3)] + em[t]
    k = int(np.argmax(s))
    path = [k]
    for b in reversed(back):
        k = int(b[k])
        path.append(k)
    path = path[::-1]
    return sum((em[i, j] for i, j in enumerate(path)))


@program(np.array([1.0, 0.5]), 1.3)
def rk45(y, mu):
    t = 0.0
    h = 0.1
    n = 0
    f = lambda y: np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])
    while t < 1.0 and n < 60:
        n += 1
        h = min(h, 1.0 - t)
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h * (-k1 + 2 * k2))
        e = np.abs(h * (k1 - 2 * k2 + k3) / 6).max()
        if e < 0.001:
            t += h
            y = y + h * (k1 + 4 * k2 + k3) / 6
        h *= min(2.0, max(0.3, 0.9 * (0.001 / (e + 1e-12)) ** (1 / 3)))
    return y


@program(RNG.normal(size=3), 0.05)
def adam(w, lr):
    m = np.zeros(3)
    v = np.zeros(3)
    for t in range(1, 15):
        g = 2 * (w - np.array([1.0, 2.0, 3.0])) * np.cos(w)
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g * g
        w = w - lr * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-08)
    return w


@program(RNG.normal(size=(7, 3)), RNG.normal(size=(5, 8)) * 0.4, RNG.normal(size=5))
def gru(xs, W, h):
    for x in xs:
        z = np.concatenate([x, h])
        g = 1 / (1 + np.exp(-(W @ z)))
        h = g * h + (1 - g) * np.tanh(W @ z)
    return h


@program(np.array([0.1, -0.2, 1.0]), 0.8)
def raymarch(c, r):
    out = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            d = np.array([(i - 1.5) / 4, (j - 1.5) / 4, -1.0])
            d /= np.linalg.norm(d)
            p = np.array([0.0, 0.0, 4.0])
            t = 0.0
            for _ in range(30):
                dist = np.linalg.norm(p + t * d - c) - r
                if dist < 0.0001 or t > 10:
                    break
                t += dist
            out[i, j] = np.exp(-t)
    return out.sum()


@program(RNG.normal(size=(3, 3)) * 0.2, RNG.normal(size=3))
def deq(W, x):
    z = np.zeros(3)
    for _ in range(100):
        n = np.tanh(W @ z + x)
        if np.max(np.abs(n - z)) < 1e-12:
            break
        z = n
    return z


@program(RNG.normal(size=16))
def fftfilter(x):
    X = np.fft.fft(x)
    k = np.fft.fftfreq(16)
    X = X * np.exp(-20 * k**2) * np.exp(1j * x[0])
    y = np.fft.ifft(X)
    return np.abs(y) ** 2


@program(RNG.normal(size=(4, 4)) + 1j * RNG.normal(size=(4, 4)))
def cplx(A):
    w = np.linalg.det(A)
    q = np.linalg.inv(A) @ A.conj().T
    return np.real(np.trace(q @ q)) + np.angle(w)


@program(RNG.uniform(0.2, 1, 5))
def heat(u):
    u = u.copy()
    for _ in range(20):
        u[1:-1] += 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


@program(RNG.normal(size=(5, 5)))
def jacobi(b):
    u = np.zeros((5, 5))
    n = np.zeros_like(u)
    for _ in range(10):
        n[1:-1, 1:-1] = 0.25 * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - b[1:-1, 1:-1]
        )
        u, n = (n, u)
    return u.sum() + n[2, 2]


@program(RNG.normal(size=6))
def bubble(x):
    x = x.copy()
    for i in range(6):
        for j in range(5 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = (x[j + 1], x[j])
    return x * np.arange(6)


@program(RNG.normal(size=(5, 2)), RNG.normal(size=5))
def gp(X, y):
    d = ((X[:, None] - X[None]) ** 2).sum(-1)
    K = np.exp(-0.5 * d) + 0.1 * np.eye(5)
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return -0.5 * y @ a - np.log(np.diag(L)).sum()
