"""Every builtin that a symbolic value can meet, on numbers, arrays and containers of them."""

import numpy as np

from tests.corpus.row import Row

SCALARS = [(np.float64(2.5),), (np.float64(-1.0),), (np.float64(0.0),), (np.int32(7),), (3,), (-2,)]
NUMBERS = [(np.int64(5),), (np.int64(0),), (np.int64(9),), (4,)]
VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([4.0, 0.5, 8.0]),), ([1.0, 2.0, 0.5],)]
ARRAYS = [*VECTORS[:2], (np.array([[1, 2], [0, 4]]),)]


def positive(v):
    if v > 0:
        return True
    return False


def size(v):
    if v > 0:
        return v
    return -v


ROWS = [
    Row("abs", lambda x: abs(x), *SCALARS, *ARRAYS),
    Row("len", lambda x: len(x), *ARRAYS, ([1],)),
    Row("len of a filtered array", lambda x: len(x[x > 0]), *ARRAYS),
    Row("len of a number", lambda x: len(x), *SCALARS),
    Row("int", lambda x: int(x), *SCALARS),
    Row("int of text and base", lambda x: (int("11", 2), int("7"), int(), x), *SCALARS),
    Row("int, several elements", lambda x: int(x), *ARRAYS),
    Row("float", lambda x: (float(x), float("1.5"), float()), *SCALARS),
    Row("bool", lambda x: (bool(x), bool(), bool(x > 1)), *SCALARS),
    Row("bool, several elements", lambda x: bool(x), *ARRAYS),
    Row("complex", lambda x: (complex(x), complex(x, 1), complex(1, x)), *SCALARS),
    Row("range", lambda n: (list(range(3)), [i for i in range(n)]), *NUMBERS),
    Row("range, list of", lambda n: list(range(n)), *NUMBERS),
    Row("range, start and step", lambda n: sum(range(1, n, 2)), *NUMBERS),
    Row("range, item and membership",
        lambda n: (range(n)[0] if n > 0 else None, 3 in range(n), len(range(n))), *NUMBERS),
    Row("enumerate", lambda x: [(i, v) for i, v in enumerate(x)], *ARRAYS),
    Row("enumerate, start", lambda x: list(enumerate(x, start=2)), *ARRAYS),
    Row("enumerate, of a filtered array",
        lambda x: [i * v for i, v in enumerate(x[x > 0])], *ARRAYS),
    Row("zip", lambda x: [a + b for a, b in zip(x, x[::-1], strict=False)], *ARRAYS),
    Row("zip, strict", lambda x: [a + b for a, b in zip(x, x[1:], strict=True)], *ARRAYS),
    Row("zip, strict and equal", lambda x: [a + b for a, b in zip(x, x, strict=True)], *ARRAYS),
    Row("zip, list of", lambda x: list(zip(x, [1, 2, 3], strict=False)), *ARRAYS),
    Row("zip, one", lambda x: list(zip(x)), *ARRAYS),  # noqa: B905
    Row("zip, of a filtered array",
        lambda x: [a + b for a, b in zip(x[x > 0], range(9), strict=False)], *ARRAYS),
    Row("map", lambda x: list(map(size, x)), *VECTORS),
    Row("map, two", lambda x: list(map(lambda a, b: a if a > b else b, x, x[::-1])), *VECTORS),
    Row("map, loop", lambda x: sum([v for v in map(size, x)]), *VECTORS),
    Row("map, of a filtered array", lambda x: list(map(size, x[x > 0])), *VECTORS[:2]),
    Row("map of a builtin", lambda x: list(map(abs, x)), *VECTORS),
    Row("map of a class", lambda x: list(map(int, x)), *VECTORS),
    Row("filter", lambda x: list(filter(positive, x)), *VECTORS),
    Row("filter, lambda", lambda x: [v * 2 for v in filter(lambda v: v < 2, x)], *VECTORS),
    Row("filter, None", lambda x: list(filter(None, x)), *VECTORS, (np.array([0.0, 1.0]),)),
    Row("any", lambda x: any(v > 2 for v in x), *VECTORS),
    Row("any, array", lambda x: any(x > 2), *VECTORS[:2]),
    Row("any, list", lambda x: any([x > 2, x < -5, False]), *SCALARS),
    Row("all", lambda x: all(v > -1 for v in x), *VECTORS),
    Row("all, array", lambda x: all(x > -1), *VECTORS[:2]),
    Row("all, list", lambda x: all([x > -2, x < 3, 1]), *SCALARS),
    Row("sorted", lambda x: sorted(x), *VECTORS),
    Row("sorted, key", lambda x: sorted(x, key=size), *VECTORS),
    Row("sorted, reverse", lambda x: sorted(x, reverse=True), *VECTORS),
    Row("sorted, key and reverse", lambda x: sorted(x, key=lambda v: -v, reverse=True), *VECTORS),
    Row("sorted, list", lambda x: sorted([x, 1.0, 2.0]), *SCALARS),
    Row("sorted, pairs", lambda x: sorted([(x, 1), (1.0, 2), (1.0, 0)]), *SCALARS),
    Row("max", lambda x: max(x, 1.5), *SCALARS),
    Row("max, array", lambda x: max(x), *VECTORS),
    Row("max, several", lambda x: max(x, 0, 2), *SCALARS),
    Row("max, key", lambda x: max(x, key=size), *VECTORS),
    Row("max, key that is symbolic", lambda x: max(range(3), key=lambda i: abs(x[i])), *VECTORS),
    Row("max, key that is symbolic, long",
        lambda x: max(range(20), key=lambda i: x[i % 3] * (i % 7)), *VECTORS),
    Row("max, key of a filtered array",
        lambda x: max(x[x > 0], key=lambda v: -abs(v - x[0])), *VECTORS[:2]),
    Row("max, key and default", lambda x: max(x[x > 100], key=size, default=None), *VECTORS[:2]),
    Row("min, key of a generator",
        lambda x: min((i for i in range(3) if x[i] > 0), key=lambda i: x[i]), *VECTORS),
    Row("min, key and nothing", lambda x: min((v for v in x if v > 100), key=size), *VECTORS),
    Row("min, names by a symbolic key",
        lambda x: min({"a": 0, "b": 1}.items(), key=lambda kv: x[kv[1]])[0], *VECTORS),
    Row("sorted, key that is symbolic", lambda x: sorted(range(3), key=lambda i: x[i]), *VECTORS),
    Row("sorted, key that is symbolic and reverse",
        lambda x: sorted("abc", key=lambda c: x["abc".index(c)], reverse=True), *VECTORS),
    Row("sorted, key of a filtered array",
        lambda x: sorted(x[x > 0], key=lambda v: -v * x[0]), *VECTORS[:2]),
    Row("max, default", lambda x: max(x[x > 100], default=-1.0), *VECTORS[:2]),
    Row("max, generator", lambda x: max(v * 2 for v in x), *VECTORS),
    Row("min", lambda x: min(x, 1.5), *SCALARS),
    Row("min, array", lambda x: min(x), *VECTORS),
    Row("min, key", lambda x: min([x, 1.0, -2.0], key=lambda v: v if v > 0 else 9.0), *SCALARS),
    Row("min, empty", lambda x: min(x[x > 100]), *VECTORS[:2]),
    Row("sum", lambda x: sum(x), *VECTORS, (np.zeros((2, 2)),)),
    Row("sum, start", lambda x: sum(x, 10.0), *VECTORS),
    Row("sum, list", lambda x: sum([x, x, 1]), *SCALARS),
    Row("sum, generator", lambda x: sum(v * v for v in x), *VECTORS),
    Row("round", lambda x: (round(x), round(x, 1)), *SCALARS),
    Row("divmod", lambda x: divmod(x, 2), *SCALARS),
    Row("divmod, reflected", lambda x: divmod(7, x + 4), *SCALARS),
    Row("pow", lambda x: (pow(x, 2), pow(2, x)), *SCALARS),
    Row("pow, modulus", lambda n: pow(int(n), 3, 7), *NUMBERS),
    Row("reversed", lambda x: list(reversed(x)), *VECTORS),
    Row("reversed, loop", lambda x: [v * 2 for v in reversed(x)], *VECTORS),
    Row("reversed, range", lambda n: [i for i in reversed(range(n))], *NUMBERS),
    Row("isinstance", lambda x: (isinstance(x, np.ndarray), isinstance(x, (int, float)),
                                 isinstance(x, np.generic)), *SCALARS, *VECTORS),
    Row("list", lambda x: list(x), *VECTORS),
    Row("list, of a filtered array", lambda x: list(x[x > 0]), *VECTORS[:2]),
    Row("list, generator", lambda x: list(v + 1 for v in x), *VECTORS),
    Row("tuple", lambda x: tuple(x), *VECTORS),
    Row("tuple, of a filtered array", lambda x: tuple(x[x > 0]), *VECTORS[:2]),
    Row("tuple, generator", lambda x: tuple(v + 1 for v in x), *VECTORS),
    Row("next", lambda x: next(iter(x)), *VECTORS),
    Row("next, generator", lambda x: next(v * 2 for v in x), *VECTORS),
    Row("next, filtered generator", lambda x: next(v for v in x if v > 2), *VECTORS),
    Row("next, default", lambda x: next((v for v in x if v > 100), None), *VECTORS),
    Row("next, empty", lambda x: next(iter(x[:0])), *VECTORS),
    Row("iter", lambda x: [v for v in iter(x)], *VECTORS),
    Row("iter, twice", lambda x: [a + b for a, b in zip(*[iter(x)] * 2)], *VECTORS),  # noqa: B905
    Row("type", lambda x: type(x) is np.ndarray, *VECTORS),
    Row("print", lambda x: print("x"), *SCALARS),
    Row("callable", lambda x: (callable(x), callable(len)), *SCALARS),
    Row("set and frozenset", lambda n: (len({n, 5}), frozenset([n])), (3,), (5,)),
    Row("str and repr", lambda n: (str(n), repr(n)), (3,), (2.5,)),
    Row("super, locals, globals, eval", lambda x: (eval("1 + 1"), "np" in globals(), x),
        *SCALARS),
]
