"""Lists that grow in staged code."""

import numpy as np

import autograph as ag
from tests.corpus.case import titled

VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 0.5, 8.0]),), (np.zeros(0),)]


def append_in_staged_loop(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * 2)
    return out


def list_methods(x):
    l = []
    for v in x:
        l.append(v)
        if v < 0:
            l.pop()
    l.append(0.0)
    l[0] = 7.0
    return np.stack(l), l[0], len(l)


def array_append(x):
    ta = ag.TensorArray(np.float64, size=0, dynamic_size=True)
    for i in range(3):
        ta = ta.write(i, x.sum() * i)
    return ta.stack()


def unassigned_write(x):
    ta = ag.TensorArray(np.float64, size=0, dynamic_size=True)
    for i in range(3):
        ta.write(i, x.sum() * i)
    return ta.stack()


def two_names(x):
    a = b = []
    for v in x:
        a.append(v)
        b.append(-v)
    return a, b is a


CASES = [
    titled("Python list append in staged loop (default)", append_in_staged_loop, *VECTORS),
    titled("Feature.LISTS (append/pop/stack/set_item/get_item)", list_methods, *VECTORS),
    titled("`ta.append(x)` on TensorArray with LISTS", array_append, *VECTORS),
    titled("`ta = ta.write(i, v)`", unassigned_write, *VECTORS),
    titled("LISTS forbids `a = b = x`", two_names, *VECTORS),
]
