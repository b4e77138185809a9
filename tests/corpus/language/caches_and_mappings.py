"""Caches, mappings, generators read twice and warnings, in programs of a few lines."""

import functools
import itertools
import random
import warnings

import numpy as np

from tests.corpus.case import Case

VALUES = [(np.array([3.0, -1.0, 2.5, 0.5, 4.0]),), (np.array([-2.0, 1.0, 0.25, 6.0, -1.5]),)]
INTEGERS = [(np.array([3, 1, 4, 1, 5]),), (np.array([2, 7, 1, 8, 2]),)]


def groups_next(x):
    out = []
    for k, g in itertools.groupby(x, key=lambda v: v > 2):
        out.append((k, next(g)))
    return out


def gen_partial_zip2(x):
    g = (v for v in x if v > 0)
    h = (v for v in x if v < 3)
    a = [p + q for p, q in zip(g, h)]
    return a


def gen_in_then(x):
    g = iter(list(x))
    a = 2.5 in g
    return a, list(g)


def memo_symbolic(x):
    @functools.cache
    def best(i):
        if i >= 5:
            return 0
        return max(x[i] + best(i + 2), best(i + 1))
    return best(0)


def memo_branch(x):
    @functools.cache
    def val(i):
        return x[i] * 2
    if x[0] > 2:
        a = val(1)
    else:
        a = 0
    return a + val(1)


def star_kw_mix(x):
    def f(a, *rest, k=1, **more):
        return a, list(rest), k, sorted(more.items())
    rest = [v for v in x if v > 0]
    opts = {}
    if x[0] > 0:
        opts["k"] = 5
        opts["z"] = x[1]
    return f(1, *rest, **opts), f(*rest, 2.0, w=3, **opts)


def kw_twice(x):
    def f(a, k=1):
        return a + k
    opts = {}
    if x[0] > 0:
        opts["a"] = 2
    return f(1, **opts)


def kw_unknown(x):
    def f(a, k=1):
        return a + k
    opts = {"k": 2}
    if x[0] > 0:
        opts["zz"] = 2
    return f(1, **opts)


def method_star(x):
    class C:
        def __init__(self, *a):
            self.a = a

        def m(self, *a, s=0):
            return len(a) + s + len(self.a)
    return C(1, 2).m(*[v for v in x if v > 0]), C(1).m(*x, s=2)


def shuffle_branch(x):
    r = random.Random(2)
    items = [1, 2, 3, 4]
    if x[0] > 0:
        r.shuffle(items)
    return items


def shuffle_np(x):
    rng = np.random.default_rng(1)
    items, rows = list(x), [[1], [2], [3]]
    rng.shuffle(items)
    rng.shuffle(rows)
    return items, rows


def warn_once(x):
    n = 0
    for i in range(3):
        if x[i] > 0:
            warnings.warn(f"value {x[i]}", stacklevel=1)
            n += 1
    return n


def warn_caught(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            warnings.warn("bad")
        except UserWarning:
            return "caught", x.sum()
    return "no"


def helper_warns(v):
    if v.sum() > 4:
        warnings.warn("large", RuntimeWarning, stacklevel=2)
    return v


def warn_levels(x):
    for _ in range(2):
        x = helper_warns(x) + 1
    return x


def perm_break(x):
    for p in itertools.permutations(range(4)):
        if x[p[0]] > x[p[1]] > 0:
            break
    return p


def from_keys_count(x):
    d = dict.fromkeys("abc", x[0])
    e = dict.fromkeys((int(v) for v in x), 0)
    e[int(x[0])] += 1
    return d, e


def chain_mixed(x):
    a = itertools.chain.from_iterable([[1, 2], [v for v in x if v > 0], x])
    return [v * 2 for v in a]


def tuple_count_loop(x):
    t = tuple(int(v) for v in x)
    return {v: t.count(v) for v in t}


def dtype_chosen3(x):
    dt = np.float32 if x[0] > 0 else np.int64
    return (np.array([1, 2], dt), np.ones((2, 2), dtype=dt), np.full(2, 3, dtype=dt),
            np.empty_like(x, dtype=dt).dtype, np.arange(3, dtype=dt), dt(3.5), np.sum(x, dtype=dt))


CASES = [
    Case(groups_next, *INTEGERS),
    Case(gen_partial_zip2, *VALUES),
    Case(gen_in_then, *VALUES),
    Case(memo_symbolic, *INTEGERS),
    Case(memo_branch, *INTEGERS),
    Case(star_kw_mix, *VALUES),
    Case(kw_twice, *VALUES),
    Case(kw_unknown, *VALUES),
    Case(method_star, *VALUES),
    Case(shuffle_branch, *VALUES),
    Case(shuffle_np, *VALUES),
    Case(warn_once, *VALUES),
    Case(warn_caught, *VALUES),
    Case(warn_levels, *VALUES),
    Case(perm_break, *VALUES),
    Case(from_keys_count, *VALUES),
    Case(chain_mixed, *VALUES),
    Case(tuple_count_loop, *INTEGERS),
    Case(dtype_chosen3, *VALUES),
]
