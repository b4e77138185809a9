"""Operators, comprehensions, f-strings, subscripts, lambdas."""

import numpy as np

from tests.corpus.case import titled

SCALARS = [(np.float64(2.5),), (np.float64(-1.0),), (np.float64(0.0),), (3,), (-2,)]
NUMBERS = [(np.int64(5),), (np.int64(0),), (np.int64(12),), (4,)]
VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 0.5, 8.0]),), ([1.0, 2.0],)]


def booleans(x):
    return (x > 0 and x < 2), (x and 1), (x or "none"), not x, (not x > 1) or x < 0


def booleans_of_arrays(x):
    return x and 1


def lazy(x):
    return x != 0 and 1 / x > 0, x == 0 or 1 / x


def equality(x):
    return x == 3, x != 3, (x == x) is not None


def chain(x):
    calls = []

    def middle(v):
        calls.append(v)
        return v

    return (0 < middle(x) < 3), len(calls), (-2 <= x < 1 < 5 != x)


def membership(x):
    return x in (1, 3, 2.5), x not in [0, 2], x in {3: 1} if isinstance(x, int) else None


def membership_in_array(x):
    return 3 in x, 8.0 not in x


def is_none(x, default=None):
    if default is None:
        default = x
    return default, x is None, x is not None


def comprehensions(x):
    return [v * 2 for v in x], [v if v > 0 else -v for v in x], {i: v for i, v in enumerate(x)}


def filtered(x):
    return [v for v in x if v > 0]


def filtered_generator(x):
    return sum(v for v in x if v > 0), list(v * 2 for v in x if not v > 2)


def nested_comprehension(x):
    return [[a * b for b in x] for a in x], [a for row in [x, x] for a in row if a < 2]


def filtered_dict(x):
    return {i: v for i, v in enumerate(x) if i != 1}


def formatted(n):
    return f"{n!r} {n:04d} {'a' if n is None else 'b'}"


def slices(x):
    y = x[1:], x[:-1], x[::2], x[-1]
    x[0] = 5.0
    x[1:] = x[:-1] * 2
    x[-1] += 1
    return y, x


def store_by_symbolic_index(x, i):
    x[i] = 9.0
    x[i - 1] += 2
    return x, x[i], x[: i + 1]


def list_by_symbolic_index(i):
    items = [10, 20, 30]
    return items[i]


class Box:
    def __init__(self, x):
        self.x = x
        self.inner = None


def composites(x):
    b = Box(x)
    b.inner = Box(0)
    d, k, l = {"k": x}, "key", [x, {"k": 0}]
    d[k] = 0
    while b.x > 1:
        b.x = b.x / 2
        b.inner.x = b.inner.x + 1
        d["k"] = d["k"] - 1
        d[k] += 2
        l[0] = l[0] + 1
        l[1]["k"] = l[1]["k"] + b.x
    return b.x, b.inner.x, d, l


def computed_places(x):
    l, d, b, i = [0, 0, x], {"a": x}, Box(x), 0
    while x > 1:
        x = x / 2
        l[-1] = l[-1] + 1
        l[i + 1] = x
        l[0:1] = [x * 2]
        d.update(a=x)
        setattr(b, "x", x + 1)
    return l, d, b.x


def list_item_by_loop_variable(n):
    l = [0, 0, 0, 0, 0]
    for i in range(5):
        if i < n:
            l[i] = n * i
    return l


def list_item_by_staged_loop_variable(n):
    l = [0] * 20
    i = 0
    while i < n:
        l[i] = n * i
        i += 1
    return l


def dict_item_by_loop_variable(x):
    d = {"a": x, "b": 0.0}
    i = 0
    while i < x:
        for key in ("a", "b"):
            d[key] += 1
        i = i + 1
    return d


def dict_item_by_staged_key(n):
    d = {0: 10, 1: 20}
    for i in range(n):
        d[i % 2] += i
    return d


def lambdas(x):
    f = lambda v: v if v > 0 else -v
    g, h = (lambda v: v + 1 if v > 1 else v), (lambda v: v + 2 if v > 1 else v)
    k = (lambda v:
         v * 2
         if v < 0 else v)
    return f(x), g(x), h(x), k(x), (lambda *a, b=x: a + (b,))(1)


CASES = [
    titled("`and` / `or` / `not`", booleans, *SCALARS),
    titled("`and` / `or` / `not`, vectors", booleans_of_arrays, *VECTORS[:2]),
    titled("`and` / `or` / `not`, laziness", lazy, *SCALARS),
    titled("`==`, `!=`", equality, *SCALARS, *VECTORS[:2]),
    titled("chained `a<b<c`", chain, *SCALARS),
    titled("`in`, `not in`", membership, *SCALARS),
    titled("`3 in tensor`", membership_in_array, *VECTORS),
    titled("`is None`", is_none, *SCALARS, (None,), (np.float64(1.0), 2)),
    titled("comprehensions", comprehensions, *VECTORS),
    titled("comprehensions, tensor filter", filtered, *VECTORS),
    titled("generator expressions, tensor filter", filtered_generator, *VECTORS),
    titled("comprehensions, nested", nested_comprehension, *VECTORS),
    titled("comprehensions of dicts, filter", filtered_dict, *VECTORS),
    titled("f-strings", formatted, (3,), (4,)),
    titled("slices read/write", slices, *VECTORS[:2]),
    titled("item assignment by tensor index", store_by_symbolic_index,
        (np.zeros(4), np.int64(2)), (np.ones(4), np.int64(0)), ([1, 2, 3], 1)),
    titled("`list[tensor]`", list_by_symbolic_index, (np.int64(1),), (np.int64(-1),), (2,),
        (np.int64(7),)),
    titled("composite symbols `self.x`, `a.b.c`, `d['k']`, `d[k]`, `l[0]`, `a.l[i]['k']`",
        composites, *SCALARS, (np.float64(20.0),)),
    titled("`l[-1]`, `l[i+1]`, `l[f()]`, `l[0:1]`, `d.update()`, `setattr()` in staged code",
        computed_places, *SCALARS, (np.float64(20.0),)),
    titled("`l[i]` with i a loop variable", list_item_by_loop_variable, *NUMBERS),
    titled("`l[i]` with i a staged loop variable", list_item_by_staged_loop_variable, *NUMBERS),
    titled("`d[key] += v` for key loop var inside a staged loop", dict_item_by_loop_variable,
        *NUMBERS),
    titled("`d[key] += v` with a staged key", dict_item_by_staged_key, *NUMBERS),
    titled("lambdas", lambdas, *SCALARS),
]
