"""Dtypes that only the run knows, asked for, compared, and given to NumPy; lists as prototypes."""

import numpy as np

from tests.corpus.arguments import VECTORS
from tests.corpus.case import titled

ARRAYS = [*VECTORS[:2], (np.array([-1.0, 0.25, -3.0]),)]


def either(x):
    return x.astype(np.float32) if x.sum() > 0 else x


def asked(x):
    d = either(x).dtype
    return d, d.name, d.kind in "fc", np.finfo(d).eps, np.issubdtype(d, np.floating)


def compared(x):
    d = either(x).dtype
    if d == np.float32:
        return 1
    return 2 if d == np.dtype(float) else 3


def given(x):
    d = either(x).dtype
    return np.zeros(2, d), x.astype(d), np.full(2, 1, dtype=d), np.array([1, 2], d), np.dtype(d)


def promoted(x):
    d = either(x).dtype
    return np.promote_types(d, "i4"), np.result_type(d, np.float64), np.can_cast(d, "f4")


def prototypes(x):
    made = np.full_like([1, 2, 3], x[0], dtype=float)
    made[1] = x[1]
    return made, np.zeros_like([x[0], 1]), np.take([10, 20, 30], np.argsort(x)), np.pad(
        [1, 2], np.argmax(x))


def given_by_iterators(x):
    return np.fromiter((v * 2 for v in x), float), np.fromiter(x, int, 2)


CASES = [
    titled("a dtype asked for", asked, *ARRAYS),
    titled("a dtype compared", compared, *ARRAYS),
    titled("a dtype given to NumPy", given, *ARRAYS),
    titled("a dtype promoted", promoted, *ARRAYS),
    titled("arrays like lists", prototypes, *ARRAYS),
    titled("arrays from iterators", given_by_iterators, *ARRAYS),
]
