"""Shapes, broadcasting, reductions, indexing and linear algebra on whole arrays."""

import numpy as np

from tests.corpus.case import Case


def outer_sum(x, y):
    return x[:, np.newaxis] + y[np.newaxis, :]


def centre(x):
    return x - x.mean(axis=0)


def normalize_rows(x):
    norms = np.sqrt((x * x).sum(axis=1, keepdims=True))
    return x / np.where(norms == 0, 1, norms)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def reductions(x):
    return x.sum(), x.min(), x.max(), x.mean(), x.prod(), x.std(), x.argmax(), x.argmin()


def reductions_by_axis(x):
    return x.sum(axis=0), x.max(axis=1), np.mean(x, axis=0), x.cumsum(axis=1), np.any(x > 1, axis=0)


def shape_drives_python(x):
    total = 0
    if x.ndim == 2:
        for size in x.shape:
            total += size
    return total + x.size + len(x)


def shapes(x):
    return x.reshape(-1), x.T, x.reshape(x.shape[1], x.shape[0]), np.expand_dims(x, 0).shape


def stacking(x, y):
    return np.stack([x, y]), np.concatenate([x, y]), np.vstack((x, y)), np.hstack((x, y))


def splitting(x):
    left, right = np.split(x, 2)
    return right, left


def slicing(x):
    return x[0], x[-1], x[:, 0], x[::2], x[..., 1:], x[1:, :-1]


def fancy(x, index):
    return x[index], np.take(x, index, axis=0), x[index][::-1]


def masks(x):
    return x[x > 1], np.where(x > 1, x, 0), np.count_nonzero(x > 1), np.nonzero(x > 1)


def matrix_products(x, y):
    return x @ y, np.dot(y, x), x.T @ x


def solves(a, b):
    return np.linalg.solve(a, b), np.linalg.det(a), np.linalg.norm(b)


def elementwise(x):
    return np.exp(x), np.sin(x) * np.cos(x), np.tanh(x), np.maximum(x, 0), np.clip(x, -1, 1)


def makes_arrays(n, x):
    return np.zeros(n) + x, np.ones((n, 2)), np.arange(n) * x, np.linspace(0, 1, n), np.full(n, x)


def arrays_from_scalars(x, y):
    return np.array([x, y]), np.array([[x, 0], [0, y]]), np.stack([x, y])


def like_arrays(x):
    return np.zeros_like(x), np.ones_like(x, dtype=float), np.full_like(x, 2)


def sorting(x):
    return np.sort(x), np.argsort(x), np.unique(x), np.searchsorted(np.sort(x), 2)


def dtypes(x):
    return x.astype(np.float32), x.astype(int), (x > 0).astype(np.uint8), x.dtype.name


def rolls(x):
    return np.roll(x, 1), np.flip(x), np.diff(x), np.cumsum(x), np.tile(x, 2), np.repeat(x, 2)


def einsum(x, y):
    return np.einsum("ij,jk->ik", x, y), np.einsum("ii", x @ y)


def polynomial(x):
    total = np.zeros_like(x)
    for k, c in enumerate([1.0, -2.0, 0.5]):
        total += c * x**k
    return total


def pairwise_distances(x):
    difference = x[:, None, :] - x[None, :, :]
    return np.sqrt((difference**2).sum(axis=-1))


def floyd(d):
    for k in range(d.shape[0]):
        d = np.minimum(d, d[:, k][:, None] + d[k, :][None, :])
    return d


def gradient_descent(a, b, steps):
    x = np.zeros_like(b)
    for _ in range(steps):
        x = x - 0.1 * (a @ x - b)
        if np.abs(a @ x - b).max() < 1e-3:
            break
    return x


def power_iteration(a):
    v = np.ones(a.shape[0])
    value = 0.0
    while True:
        w = a @ v
        w = w / np.linalg.norm(w)
        following = w @ a @ w
        if abs(following - value) < 1e-10:
            return following
        v, value = w, following


def moving_average(x, width):
    return np.array([x[i:i + width].mean() for i in range(len(x) - width + 1)])


def meshes(x, y):
    a, b = np.meshgrid(x, y)
    return a * b, a.shape


def bad_shapes(x, y):
    if x.sum() > 0:
        return x + y
    return x


def array_is_iterated_twice(x):
    return sum(x), max(x), min(x), list(x), len(x)


MATRICES = [(np.arange(6.0).reshape(2, 3),), (np.ones((2, 3)),), (np.arange(6).reshape(3, 2),)]
VECTORS = [(np.array([3, -1, 2, 5]),), (np.array([-3, 5, 9, -20]),),
           (np.array([0.5, -2.25, 8.0, 1]),)]
TWO_VECTORS = [(np.arange(3.0), np.arange(3.0) + 1), (np.ones(3), np.zeros(3))]
SYSTEM = (np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0]))
SQUARE_PAIRS = [(np.eye(2), np.arange(4.0).reshape(2, 2)), (np.ones((2, 2)), np.eye(2))]


def is_itself_if_it_has_the_rank(x, y):
    return np.atleast_1d(x) is x, np.atleast_2d(x) is x, np.atleast_3d(y), np.atleast_2d(x, y)


CASES = [
    Case(outer_sum, *TWO_VECTORS, (np.arange(2), np.arange(4))),
    Case(centre, *MATRICES),
    Case(normalize_rows, *MATRICES),
    Case(softmax, *MATRICES, *VECTORS),
    Case(reductions, *MATRICES, *VECTORS),
    Case(reductions_by_axis, *MATRICES),
    Case(shape_drives_python, *MATRICES, *VECTORS),
    Case(shapes, *MATRICES),
    Case(stacking, *TWO_VECTORS),
    Case(splitting, *VECTORS),
    Case(slicing, *MATRICES),
    Case(fancy, (np.arange(5), np.array([0, 3])), (np.arange(5) * 2, np.array([1, 1]))),
    Case(masks, *VECTORS, *MATRICES),
    Case(matrix_products, *SQUARE_PAIRS),
    Case(solves, SYSTEM, (SYSTEM[0] * 2, SYSTEM[1])),
    Case(elementwise, *[(v[0] / 10,) for v in VECTORS]),
    Case(makes_arrays, (3, np.float64(2.0)), (4, np.float64(2.0)), (np.int64(3), np.float64(1.0))),
    Case(arrays_from_scalars, (np.float64(1.0), np.float64(2.0)), (1, np.float64(2.0)), (1, 2)),
    Case(like_arrays, *VECTORS),
    Case(sorting, *VECTORS),
    Case(dtypes, *VECTORS, (np.array(["1", "2"]),)),
    Case(rolls, *VECTORS),
    Case(einsum, *SQUARE_PAIRS),
    Case(polynomial, (np.arange(3.0),), (np.linspace(0, 1, 4),)),
    Case(pairwise_distances, *MATRICES),
    Case(floyd, (np.array([[0, 3, 9], [3, 0, 4], [9, 4, 0]]),), (np.eye(3),)),
    Case(gradient_descent, (*SYSTEM, 100), (*SYSTEM, np.int64(100)), (*SYSTEM, 3)),
    Case(power_iteration, SYSTEM[:1], (np.eye(2),)),
    Case(moving_average, (np.arange(6.0), 3), (np.ones(6), 2)),
    Case(meshes, *TWO_VECTORS),
    Case(bad_shapes, (np.ones(2), np.ones(3)), (-np.ones(2), np.ones(3)), (np.ones(2), np.ones(2))),
    Case(array_is_iterated_twice, *VECTORS),
    Case(is_itself_if_it_has_the_rank, *TWO_VECTORS, (np.eye(2), np.ones(3))),
]
