"""Stencils in one to three dimensions, time loops over grids, and image filters."""

import numpy as np

from benchmarks.kernel_programs import on


@on(lambda r: (300, r.random(2000), r.random(2000)))
def jacobi_1d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


@on(lambda r: (50, r.random((150, 150)), r.random((150, 150))))
def jacobi_2d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1]
                               + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1]
                               + B[:-2, 1:-1])


@on(lambda r: (10, r.random((40, 40, 40)), r.random((40, 40, 40))))
def heat_3d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
            + A[1:-1, 1:-1, 1:-1])
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, :-2])
            + B[1:-1, 1:-1, 1:-1])


@on(lambda r: (3, r.random((60, 60))))
def gauss_seidel(steps, A):
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            A[i, 1:-1] += (A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:]
                           + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:])
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


@on(lambda r: (60, *(r.random((120, 130)) for _ in range(3)), r.random(60)))
def electric_waves(steps, ex, ey, hz, source):
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


@on(lambda r: (8, r.random((80, 80))))
def alternating_directions(steps, u):
    n = u.shape[0]
    v, p, q = np.empty_like(u), np.empty_like(u), np.empty_like(u)
    a, b, c = -0.4, 1.8, -0.4
    for _ in range(steps):
        v[0, 1:n - 1] = 1.0
        p[1:n - 1, 0] = 0.0
        q[1:n - 1, 0] = v[0, 1:n - 1]
        for j in range(1, n - 1):
            p[1:n - 1, j] = -c / (a * p[1:n - 1, j - 1] + b)
            q[1:n - 1, j] = (-0.1 * u[j, 0:n - 2] + 1.2 * u[j, 1:n - 1] - 0.1 * u[j, 2:n]
                             - a * q[1:n - 1, j - 1]) / (a * p[1:n - 1, j - 1] + b)
        v[n - 1, 1:n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:n - 1] = p[1:n - 1, j] * v[j + 1, 1:n - 1] + q[1:n - 1, j]
        u[1:n - 1, 1:n - 1] = v[1:n - 1, 1:n - 1]


@on(lambda r: (200, r.random(4000), r.random(4000)))
def wave_1d(steps, u, before):
    for _ in range(steps):
        after = np.zeros_like(u)
        after[1:-1] = 2.0 * u[1:-1] - before[1:-1] + 0.25 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        before = u
        u = after
    return u


@on(lambda r: (60, 1.0 + r.random((100, 100)), r.random((100, 100))))
def reaction_diffusion(steps, u, v):
    for _ in range(steps):
        lu = (u[:-2, 1:-1] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1] + u[1:-1, 2:] + u[2:, 1:-1])
        lv = (v[:-2, 1:-1] + v[1:-1, :-2] - 4.0 * v[1:-1, 1:-1] + v[1:-1, 2:] + v[2:, 1:-1])
        uvv = u[1:-1, 1:-1] * v[1:-1, 1:-1] * v[1:-1, 1:-1]
        u[1:-1, 1:-1] += 0.16 * lu - uvv + 0.035 * (1.0 - u[1:-1, 1:-1])
        v[1:-1, 1:-1] += 0.08 * lv + uvv - 0.1 * v[1:-1, 1:-1]


@on(lambda r: (30, 20, r.random((60, 60)), r.random((60, 60)), r.random((60, 60))))
def cavity_pressure(steps, inner, u, v, p):
    dx = dy = 2.0 / (u.shape[0] - 1)
    for _ in range(steps):
        b = np.zeros_like(p)
        b[1:-1, 1:-1] = ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
                         + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)) * 0.01
        for _ in range(inner):
            pn = p.copy()
            p[1:-1, 1:-1] = (((pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2
                              + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2)
                             / (2 * (dx**2 + dy**2))
                             - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1])
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0
        u[1:-1, 1:-1] -= 0.001 * (p[1:-1, 2:] - p[1:-1, :-2])
        v[1:-1, 1:-1] -= 0.001 * (p[2:, 1:-1] - p[:-2, 1:-1])


@on(lambda r: (r.integers(0, 2, (120, 120)), 30))
def life(Z, steps):
    for _ in range(steps):
        N = (Z[:-2, :-2] + Z[:-2, 1:-1] + Z[:-2, 2:] + Z[1:-1, :-2] + Z[1:-1, 2:]
             + Z[2:, :-2] + Z[2:, 1:-1] + Z[2:, 2:])
        birth = (N == 3) & (Z[1:-1, 1:-1] == 0)
        survive = ((N == 2) | (N == 3)) & (Z[1:-1, 1:-1] == 1)
        Z[...] = 0
        Z[1:-1, 1:-1][birth | survive] = 1


@on(lambda r: (r.random((200, 200)),))
def sobel(image):
    gx = (image[:-2, 2:] + 2.0 * image[1:-1, 2:] + image[2:, 2:]
          - image[:-2, :-2] - 2.0 * image[1:-1, :-2] - image[2:, :-2])
    gy = (image[2:, :-2] + 2.0 * image[2:, 1:-1] + image[2:, 2:]
          - image[:-2, :-2] - 2.0 * image[:-2, 1:-1] - image[:-2, 2:])
    magnitude = np.sqrt(gx * gx + gy * gy)
    return magnitude / magnitude.max()


@on(lambda r: (r.random((100, 100)), r.random((7, 7))))
def convolution(image, weights):
    h, w = weights.shape
    out = np.zeros((image.shape[0] - h + 1, image.shape[1] - w + 1))
    for i in range(h):
        for j in range(w):
            out += weights[i, j] * image[i:i + out.shape[0], j:j + out.shape[1]]
    return out


@on(lambda r: (r.random((120, 150)),))
def recursive_filter(image):
    y1, y2 = np.zeros_like(image), np.zeros_like(image)
    for j in range(image.shape[1]):
        y1[:, j] = 0.3 * image[:, j]
        if j > 0:
            y1[:, j] += 0.2 * image[:, j - 1] + 0.4 * y1[:, j - 1]
        if j > 1:
            y1[:, j] -= 0.1 * y1[:, j - 2]
    for j in range(image.shape[1] - 3, -1, -1):
        y2[:, j] = 0.25 * image[:, j + 1] + 0.1 * image[:, j + 2] + 0.4 * y2[:, j + 1] - (
            0.1 * y2[:, j + 2])
    return y1 + y2


@on(lambda r: (r.random((80, 80)), 12))
def median_like_filter(image, steps):
    for _ in range(steps):
        low = np.minimum(np.minimum(image[:-2], image[1:-1]), image[2:])
        high = np.maximum(np.maximum(image[:-2], image[1:-1]), image[2:])
        image[1:-1] = image[:-2] + image[1:-1] + image[2:] - low - high
    return image


@on(lambda r: (*(r.random((64, 64, 16)) for _ in range(2)), r.random((64, 64))))
def vertical_advection(u, w, flux):
    n = u.shape[2]
    c, d = np.zeros_like(u), np.zeros_like(u)
    for k in range(1, n - 1):
        g = 0.25 * (w[:, :, k] + w[:, :, k + 1])
        c[:, :, k] = g * 0.5
        d[:, :, k] = u[:, :, k] - g * (u[:, :, k + 1] - u[:, :, k])
        divided = 1.0 / (1.0 + c[:, :, k] - c[:, :, k - 1] * flux)
        c[:, :, k] *= divided
        d[:, :, k] = (d[:, :, k] - d[:, :, k - 1] * flux) * divided
    for k in range(n - 2, -1, -1):
        d[:, :, k] -= c[:, :, k] * d[:, :, k + 1]
    return d
