"""FFT filters, complex signals, quantum circuits, windows, splines."""

import cmath

import numpy as np

R = np.random.default_rng(8)


def fft_filter(x, h):
    n = len(x) + len(h) - 1
    y = np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(h, n), n)
    return np.sum(y**3) / n


def spectrogram_loss(x, win):
    frames = np.stack([x[i : i + 8] * win for i in range(0, len(x) - 7, 4)])
    S = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    return np.log(S + 1e-3).mean()


def phase_retrieval(a, target):
    for _ in range(3):
        F = np.fft.fft2(a)
        F = target * np.exp(1j * np.angle(F))
        a = np.real(np.fft.ifft2(F))
        a = np.where(a > 0, a, 0.1 * a)
    return np.sum(a**2)


def poisson_spectral(f):
    n = f.shape[0]
    k = np.fft.fftfreq(n, 1 / n)
    k2 = k[:, None] ** 2 + k[None, :] ** 2
    k2[0, 0] = 1.0
    fh = np.fft.fft2(f)
    fh[0, 0] = 0
    u = np.fft.ifft2(fh / k2).real
    return np.sum(u * u) + u.max()


def split_step(psi_re, V, dt):
    psi = psi_re.astype(complex)
    n = len(psi)
    k = 2 * np.pi * np.fft.fftfreq(n)
    for _ in range(4):
        psi = psi * np.exp(-0.5j * dt * V)
        psi = np.fft.ifft(np.exp(-0.5j * dt * k**2) * np.fft.fft(psi))
        psi *= np.exp(-0.5j * dt * V)
    return np.sum(np.abs(psi) ** 2 * np.arange(n))


def ry(t):
    return np.array([[np.cos(t / 2), -np.sin(t / 2)], [np.sin(t / 2), np.cos(t / 2)]])


def rz(t):
    return np.diag([np.exp(-0.5j * t), np.exp(0.5j * t)])


def quantum_circuit(theta):
    state = np.zeros(4, dtype=complex)
    state[0] = 1.0
    cnot = np.eye(4)[[0, 1, 3, 2]]
    for layer in theta:
        U = np.kron(rz(layer[1]) @ ry(layer[0]), rz(layer[3]) @ ry(layer[2]))
        state = cnot @ (U @ state)
    Z = np.diag([1.0, 1, -1, -1])
    return np.real(np.conj(state) @ Z @ state)


def quantum_tensor(theta):
    psi = np.zeros((2, 2, 2), complex)
    psi[0, 0, 0] = 1
    for q, t in enumerate(theta):
        g = np.cos(t / 2) * np.eye(2) - 1j * np.sin(t / 2) * np.array([[0, 1], [1, 0]])
        psi = np.moveaxis(np.tensordot(g, psi, axes=(1, q % 3)), 0, q % 3)
        psi = psi * np.exp(1j * t * np.arange(2))[:, None, None]
    return np.abs(np.vdot(np.ones(8) / np.sqrt(8), psi.ravel())) ** 2


def complex_mandel(c_re, c_im):
    z = 0j
    for _ in range(6):
        z = z * z + complex(c_re, c_im)
        if abs(z) > 2:
            break
    return abs(z) ** 2 + z.real


def impedance(r, l, c):
    total = 0.0
    for w in (0.5, 1.0, 2.0):
        s = 1j * w
        z = r + s * l + 1 / (s * c)
        total += abs(1 / z) + cmath.phase(z)
    return total


def iir_filter(b, a, x):
    y = np.zeros(len(x))
    for n in range(len(x)):
        y[n] = b[0] * x[n]
        if n >= 1:
            y[n] += b[1] * x[n - 1] - a[0] * y[n - 1]
        if n >= 2:
            y[n] += b[2] * x[n - 2] - a[1] * y[n - 2]
    return np.mean(y**2)


def lattice_iir(k, x):
    state = [0.0] * len(k)
    out = []
    for s in x:
        f = s
        for i in reversed(range(len(k))):
            f = f - k[i] * state[i]
            if i + 1 < len(k):
                state[i + 1] = state[i] + k[i] * f
        state[0] = f
        out.append(f)
    return np.sum(np.array(out) ** 2)


def convolutions(x, h):
    return np.sum(np.convolve(x, h, "same") ** 2) + np.sum(np.correlate(x, h, "full")[::2])


def cubic_spline(y, xq):
    n = len(y)
    A = 4 * np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    A[0, 0] = A[-1, -1] = 2
    d = np.zeros(n)
    d[1:-1] = 3 * (y[2:] - y[:-2])
    d[0], d[-1] = 3 * (y[1] - y[0]), 3 * (y[-1] - y[-2])
    D = np.linalg.solve(A, d)
    i = np.clip(xq.astype(int), 0, n - 2)
    t = xq - i
    a, b = y[i], D[i]
    c = 3 * (y[i + 1] - y[i]) - 2 * D[i] - D[i + 1]
    e = 2 * (y[i] - y[i + 1]) + D[i] + D[i + 1]
    return np.sum((a + b * t + c * t**2 + e * t**3) ** 2)


def linear_interp(xp, fp, x):
    return np.sum(np.interp(x, xp, fp) ** 2)


def de_casteljau(pts, ts):
    total = 0.0
    for t in ts:
        p = pts
        while len(p) > 1:
            p = (1 - t) * p[:-1] + t * p[1:]
        total += np.hypot(p[0, 0], p[0, 1])
    return total


def bspline_basis(t, knots, coef):
    def N(i, k):
        if k == 0:
            return np.where((t >= knots[i]) & (t < knots[i + 1]), 1.0, 0.0)
        a = (t - knots[i]) / (knots[i + k] - knots[i]) * N(i, k - 1)
        b = (knots[i + k + 1] - t) / (knots[i + k + 1] - knots[i + 1]) * N(i + 1, k - 1)
        return a + b

    return np.sum(sum(c * N(i, 3) for i, c in enumerate(coef)) ** 2)


def chebyshev(c, x):
    T0, T1 = np.ones_like(x), x
    s = c[0] * T0 + c[1] * T1
    for k in range(2, len(c)):
        T0, T1 = T1, 2 * x * T1 - T0
        s = s + c[k] * T1
    return np.sum(s**2) + np.polynomial.chebyshev.chebval(0.3, c)


def haar(x, thr):
    out = []
    a = x
    while len(a) > 1:
        d = (a[::2] - a[1::2]) / np.sqrt(2)
        a = (a[::2] + a[1::2]) / np.sqrt(2)
        out.append(np.sign(d) * np.maximum(np.abs(d) - thr, 0))
    return np.sum(a**2) + sum(np.sum(d**2) for d in out)


def hilbert_envelope(x):
    n = len(x)
    X = np.fft.fft(x)
    h = np.zeros(n)
    h[0] = h[n // 2] = 1
    h[1 : n // 2] = 2
    env = np.abs(np.fft.ifft(X * h))
    return np.sum(env) + np.unwrap(np.angle(np.fft.ifft(X * h)))[-1]


def cooley_tukey(x):
    def fft(v):
        n = len(v)
        if n == 1:
            return v
        e, o = fft(v[::2]), fft(v[1::2])
        t = np.exp(-2j * np.pi * np.arange(n // 2) / n) * o
        return np.concatenate([e + t, e - t])

    X = fft(x.astype(complex))
    return np.sum(np.abs(X) * np.arange(len(x)))


def dct_quantised(x, q):
    n = len(x)
    k = np.arange(n)
    D = np.cos(np.pi * (k[:, None]) * (2 * k[None, :] + 1) / (2 * n))
    y = D @ x
    soft = y / q - np.sin(2 * np.pi * y / q) / (2 * np.pi)
    return np.sum(np.abs(soft)) + np.sum((D.T @ (soft * q)) ** 2) * 1e-2


def savgol(y, w):
    k = np.arange(-2, 3)
    V = np.vander(k, 3, increasing=True) * 1.0
    W = np.diag(w)
    H = np.linalg.inv(V.T @ W @ V) @ V.T @ W
    sm = np.array([H[0] @ y[i - 2 : i + 3] for i in range(2, len(y) - 2)])
    return np.sum(np.diff(sm) ** 2) + np.trapezoid(sm)


def radon(img, angles):
    n = img.shape[0]
    c = (n - 1) / 2
    ys, xs = np.meshgrid(np.arange(n) - c, np.arange(n) - c, indexing="ij")
    out = []
    for a in angles:
        s = xs * np.cos(a) + ys * np.sin(a) + c
        i = np.floor(s).astype(int)
        f = s - i
        h = np.zeros(2 * n)
        np.add.at(h, (i + n // 2) % (2 * n), img * (1 - f))
        np.add.at(h, (i + 1 + n // 2) % (2 * n), img * f)
        out.append(h)
    return np.sum(np.array(out) ** 2)


PROGRAMS = [
    (fft_filter, R.normal(size=9), R.normal(size=4)),
    (spectrogram_loss, R.normal(size=24), np.hanning(8)),
    (phase_retrieval, R.normal(size=(4, 4)), R.uniform(0.5, 2, (4, 4))),
    (poisson_spectral, R.normal(size=(6, 6))),
    (split_step, R.normal(size=8), R.normal(size=8), 0.3),
    (quantum_circuit, R.normal(size=(2, 4))),
    (quantum_tensor, R.normal(size=5)),
    (complex_mandel, 0.2, 0.3),
    (impedance, 1.0, 0.5, 0.7),
    (iir_filter, R.normal(size=3), 0.3 * R.normal(size=2), R.normal(size=12)),
    (lattice_iir, 0.4 * R.normal(size=3), R.normal(size=8)),
    (convolutions, R.normal(size=8), R.normal(size=3)),
    (cubic_spline, R.normal(size=6), R.uniform(0.1, 4.9, 7)),
    (linear_interp, np.array([0.0, 1.0, 2.5, 4.0]), R.normal(size=4), R.uniform(0.1, 3.9, 6)),
    (de_casteljau, R.normal(size=(4, 2)), (0.2, 0.5, 0.9)),
    (
        bspline_basis,
        R.uniform(3.1, 4.9, 5),
        np.arange(9) * 1.0 + 0.1 * R.normal(size=9),
        R.normal(size=5),
    ),
    (chebyshev, R.normal(size=5), R.uniform(-1, 1, 6)),
    (haar, R.normal(size=8), 0.3),
    (hilbert_envelope, R.normal(size=8)),
    (cooley_tukey, R.normal(size=8)),
    (dct_quantised, R.normal(size=6), 0.7),
    (savgol, R.normal(size=9), R.uniform(0.5, 1, 5)),
    (radon, R.normal(size=(5, 5)), np.array([0.3, 1.1])),
]
