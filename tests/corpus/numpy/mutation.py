"""Arrays changed in place: items, slices, masks, in-place operators, `out=`, arguments."""

import numpy as np

from tests.corpus.case import Case


def sets_item(x):
    x[0] = 10
    return x


def sets_slice(x):
    x[1:3] = x[0]
    x[-1] = x[1] + x[2]
    return x


def sets_by_mask(x):
    x[x < 0] = 0
    return x.sum()


def sets_by_index_array(x, index):
    x[index] = x[index] * 10
    return x


def in_place_add(x):
    x += 1
    return x


def in_place_keeps_dtype(x):
    x *= 2
    x -= 1
    return x, x.dtype.name


def in_place_in_branch(x):
    if x.sum() > 0:
        x *= 2
    else:
        x[:] = 0
    return x


def in_place_in_loop(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1]


def out_argument(x, y):
    np.add(x, y, out=x)
    return x * 2


def fills(x):
    y = np.empty_like(x)
    y.fill(3)
    y[0] = x[0]
    return y


def sorts_in_place(x):
    x.sort()
    return x[0]


def local_copy_is_safe(x):
    y = x.copy()
    y[0] = 99
    return x, y


def new_array_by_steps(n, x):
    result = np.zeros(n)
    for i in range(n):
        result[i] = i * x
    return result


def two_dimensional(x):
    x[0, :] = x[:, 0]
    x[1:, 1:] += 1
    return x


def swaps_rows(x):
    x[[0, 1]] = x[[1, 0]]
    return x


def bubble_sort(x):
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


def insertion_sort(x):
    for i in range(1, len(x)):
        value = x[i]
        j = i
        while j > 0 and x[j - 1] > value:
            x[j] = x[j - 1]
            j -= 1
        x[j] = value


def sieve(flags):
    flags[:2] = False
    for i in range(2, len(flags)):
        if flags[i]:
            flags[i * i::i] = False
    return flags.sum()


def jacobi_step(u):
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def histogram(values, bins):
    for value in values:
        bins[value] += 1
    return bins


def add_at(x, index):
    np.add.at(x, index, 1)
    return x


def writes_after_read(x):
    before = x[0]
    x[0] = before + 1
    return before, x[0]


def mutates_then_raises(x):
    x[0] = -1
    if x[1] > 0:
        raise ValueError("positive")
    x[1] = -1
    return x


def casts_on_store(x):
    x[0] = 2.75
    x[1] = True
    return x


def fill_diagonal(x):
    np.fill_diagonal(x, 7)
    return x


def scalar_rebinds(x):
    y = x
    y += 1
    return x, y


VECTORS = [(np.array([3, -1, 2, 5]),), (np.array([-3, 5, 9, -20]),), (np.array([0.5, -2.25, 8.0]),)]
SQUARES = [(np.arange(9).reshape(3, 3),), (np.ones((3, 3)),), (np.eye(3),)]

CASES = [
    Case(sets_item, *VECTORS),
    Case(sets_slice, *VECTORS),
    Case(sets_by_mask, *VECTORS),
    Case(sets_by_index_array, (np.arange(5), np.array([0, 2])), (np.arange(5), np.array([4, 4]))),
    Case(in_place_add, *VECTORS, (np.float64(1.0),), ([1, 2],)),
    Case(in_place_keeps_dtype, *VECTORS, (np.array([1, 2], dtype=np.int8),),
         (np.array([1, 2], dtype=np.float32),)),
    Case(in_place_in_branch, *VECTORS),
    Case(in_place_in_loop, *VECTORS),
    Case(out_argument, (np.ones(2), np.arange(2.0)), (np.zeros(2), np.arange(2.0))),
    Case(fills, *VECTORS),
    Case(sorts_in_place, *VECTORS),
    Case(local_copy_is_safe, *VECTORS),
    Case(new_array_by_steps, (4, np.float64(2.0)), (np.int64(4), np.float64(2.0))),
    Case(two_dimensional, *SQUARES),
    Case(swaps_rows, *SQUARES),
    Case(bubble_sort, *VECTORS),
    Case(insertion_sort, *VECTORS),
    Case(sieve, (np.ones(30, dtype=bool),), (np.ones(4, dtype=bool),)),
    Case(jacobi_step, *[(s[0].astype(float),) for s in SQUARES]),
    Case(histogram, (np.array([0, 2, 2, 1]), np.zeros(3, dtype=int)),
         (np.array([1, 1, 1, 1]), np.zeros(3, dtype=int))),
    Case(add_at, (np.zeros(3), np.array([0, 0, 2])), (np.ones(3), np.array([1, 1, 1]))),
    Case(writes_after_read, *VECTORS),
    Case(mutates_then_raises, *VECTORS),
    Case(casts_on_store, *VECTORS),
    Case(fill_diagonal, *SQUARES),
    Case(scalar_rebinds, *VECTORS, (np.int64(3),), (4,)),
]
