"""Sets, dicts, numbers and the tools of the standard library on symbolic values."""

import functools
import itertools

import numpy as np

from tests.corpus.arguments import NUMBERS, SCALARS, VECTORS
from tests.corpus.case import titled


def sets(x):
    return len(set(x)), sorted(set(x.tolist())), 1.0 in set(x), frozenset(x) == frozenset([1.0])


def dict_calls(x):
    d = dict(zip("abc", x))
    return (
        d,
        max(d.values()),
        min(d.items()),
        sum(d.values()),
        sorted(d.values()),
        dict(a=x[0]),
        dict([("k", x[1])]),
    )


def dict_from_keys(x):
    d = dict.fromkeys("ab", x[0])
    d.update(c=x[1])
    return d, list(d.values()), sorted(d, key=lambda k: d[k]), max(d, key=d.get)


def float_attrs(x):
    f = float(x)
    return f.is_integer(), f.real, f.imag, f.conjugate(), f.hex(), f.__round__(1), complex(x).real


def accumulate_fn(x):
    return list(itertools.accumulate(x, lambda a, b: a if a > b else b)), list(
        itertools.starmap(lambda a, b: a if a > b else b, zip(x, x[::-1]))
    )


def itertools_more(x):
    return (
        list(itertools.product(x, [1, 2]))[:2],
        list(itertools.combinations(x, 2)),
        list(itertools.zip_longest(x, [1])),
        list(itertools.islice(x, 1, 3)),
        list(itertools.compress(x, [1, 0, 1])),
        list(itertools.repeat(x[0], 2)),
        sum(itertools.chain.from_iterable([x, x])),
    )


def lru_sym(x):
    @functools.lru_cache(maxsize=None)
    def f(v):
        return v * 2 if v > 0 else v

    return f(x) + f(x) + f(1.0)


def cached_prop(x):
    class A:
        def __init__(self, v):
            self.x = v

        @functools.cached_property
        def half(self):
            return self.x / 2 if self.x > 0 else 0.0

    a = A(x)
    r = a.half + a.half
    if x > 1:
        b = A(x + 1)
        r += b.half
    return r


def singledispatch_(x):
    @functools.singledispatch
    def f(v):
        return "other"

    @f.register(list)
    def _(v):
        return "list"

    @f.register(np.floating)
    def _(v):
        return "float"

    return f(x), f([x]), f("a")


def positions_up_to(n):
    found = []
    for i, j in np.ndindex(abs(n), 2):
        found.append((i, j))
    return found


def positions_as_given(n):
    found = []
    for i, j in np.ndindex(2, n):
        found.append((i, j))
    return found


CASES = [
    titled("positions up to a symbolic number", positions_up_to, *NUMBERS),
    titled("positions up to what NumPy may refuse", positions_as_given, (np.int64(3),),
           (np.int64(-1),), (np.float64(2.0),), (np.array(2),)),
    titled("sets", sets, *VECTORS),
    titled("dict calls", dict_calls, *VECTORS),
    titled("dict from keys", dict_from_keys, *VECTORS),
    titled("float attrs", float_attrs, *SCALARS),
    titled("accumulate fn", accumulate_fn, *VECTORS),
    titled("itertools more", itertools_more, *VECTORS),
    titled("lru sym", lru_sym, *SCALARS),
    titled("cached prop", cached_prop, *SCALARS),
    titled("singledispatch", singledispatch_, *SCALARS),
]
