"""Lists of symbolic values, from wherever they come, given to NumPy's functions and brackets."""

import numpy as np

from tests.corpus.arguments import VECTORS
from tests.corpus.case import titled

TABLE = np.arange(10.0)


def mean_of(items):
    return np.mean(items)


class Log:
    def __init__(self):
        self.seen = []


def parameter(x):
    return mean_of([x[0], x[1]]), mean_of((x, 2 * x)), mean_of(x)


def attribute(x):
    log = Log()
    for v in x:
        log.seen.append(v * 2)
    return np.sum(log.seen), np.max(log.seen), np.exp(log.seen)


def item(x):
    groups = {"a": [x[0]], "b": [x[1], x[2]]}
    return {name: np.mean(items) for name, items in groups.items()}


def repeated(x):
    return np.diag([x[0]] * 3), np.outer([x[0], 1] + [2], [x[1]] * 2)


def nested(x):
    rows = [[x[0], 1], [2, x[1]]]
    return np.vstack([[x[0], 1], [2, x[1]]]), np.concatenate(rows), np.linalg.det(rows), (
        np.column_stack([[x[0], 1], (2, x[1])]))


def pairs(x):
    points = [(v, v * 2) for v in x]
    return np.mean(points, axis=0), np.argmax([p[1] for p in points]), np.linalg.norm(points[0])


def collected(x):
    out = []
    for k in range(20):
        out.append(x.sum() * k)
    return np.diff(out), np.trapezoid(out), np.std(out)


def brackets(x):
    return np.r_[[x], [2 * x]].min(axis=0), np.c_[x, [x[0], 1, 2]], np.r_[x, [x[0]], 1:3]


def positions(x):
    i = np.argmax(x)
    return TABLE[[i, i + 1]], x[[i, 0]], TABLE[[[i], [2]]]


def sliced(x):
    shear = [0.0, 0.0, 0.0]
    shear[0] = x[0]
    shear[1] = x[1]
    shear[1:] /= x[0] + 3
    return shear


def unknown_lengths(x):
    found = x[x > 0.4]
    rows = np.asarray([found, found])
    return np.concatenate([v[..., None] for v in found], axis=-1), np.stack(
        [v * 2 for v in found]), np.vstack([[v, 1] for v in found]), np.concatenate(
        [row[..., None] for row in rows], axis=-1)


CASES = [
    titled("lists of unknown length", unknown_lengths, *VECTORS[:2], (np.array([1.0, 2.0, 3.0]),)),
    titled("a parameter", parameter, *VECTORS),
    titled("an attribute", attribute, *VECTORS),
    titled("an item", item, *VECTORS),
    titled("a repeated list", repeated, *VECTORS),
    titled("nested lists", nested, *VECTORS),
    titled("lists of pairs", pairs, *VECTORS),
    titled("a collected list", collected, *VECTORS),
    titled("in the brackets of np.r_ and np.c_", brackets, *VECTORS),
    titled("lists of positions", positions, *VECTORS),
    titled("a slice divided by a number", sliced, *VECTORS),
]
