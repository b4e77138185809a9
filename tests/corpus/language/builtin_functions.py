"""Every builtin that a symbolic value can meet, on numbers, arrays and containers of them."""

import numpy as np

from tests.corpus.case import titled

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


CASES = [
    titled("abs", lambda x: abs(x), *SCALARS, *ARRAYS),
    titled("len", lambda x: len(x), *ARRAYS, ([1],)),
    titled("len of a filtered array", lambda x: len(x[x > 0]), *ARRAYS),
    titled("len of a number", lambda x: len(x), *SCALARS),
    titled("int", lambda x: int(x), *SCALARS),
    titled("int of text and base", lambda x: (int("11", 2), int("7"), int(), x), *SCALARS),
    titled("int, several elements", lambda x: int(x), *ARRAYS),
    titled("float", lambda x: (float(x), float("1.5"), float()), *SCALARS),
    titled("bool", lambda x: (bool(x), bool(), bool(x > 1)), *SCALARS),
    titled("bool, several elements", lambda x: bool(x), *ARRAYS),
    titled("complex", lambda x: (complex(x), complex(x, 1), complex(1, x)), *SCALARS),
    titled("range", lambda n: (list(range(3)), [i for i in range(n)]), *NUMBERS),
    titled("range, list of", lambda n: list(range(n)), *NUMBERS),
    titled("range, start and step", lambda n: sum(range(1, n, 2)), *NUMBERS),
    titled("range, item and membership",
        lambda n: (range(n)[0] if n > 0 else None, 3 in range(n), len(range(n))), *NUMBERS),
    titled("enumerate", lambda x: [(i, v) for i, v in enumerate(x)], *ARRAYS),
    titled("enumerate, start", lambda x: list(enumerate(x, start=2)), *ARRAYS),
    titled("enumerate, of a filtered array",
        lambda x: [i * v for i, v in enumerate(x[x > 0])], *ARRAYS),
    titled("zip", lambda x: [a + b for a, b in zip(x, x[::-1], strict=False)], *ARRAYS),
    titled("zip, strict", lambda x: [a + b for a, b in zip(x, x[1:], strict=True)], *ARRAYS),
    titled("zip, strict and equal", lambda x: [a + b for a, b in zip(x, x, strict=True)], *ARRAYS),
    titled("zip, list of", lambda x: list(zip(x, [1, 2, 3], strict=False)), *ARRAYS),
    titled("zip, one", lambda x: list(zip(x)), *ARRAYS),  # noqa: B905
    titled("zip, of a filtered array",
        lambda x: [a + b for a, b in zip(x[x > 0], range(9), strict=False)], *ARRAYS),
    titled("map", lambda x: list(map(size, x)), *VECTORS),
    titled("map, two", lambda x: list(map(lambda a, b: a if a > b else b, x, x[::-1])), *VECTORS),
    titled("map, loop", lambda x: sum([v for v in map(size, x)]), *VECTORS),
    titled("map, of a filtered array", lambda x: list(map(size, x[x > 0])), *VECTORS[:2]),
    titled("map of a builtin", lambda x: list(map(abs, x)), *VECTORS),
    titled("map of a class", lambda x: list(map(int, x)), *VECTORS),
    titled("filter", lambda x: list(filter(positive, x)), *VECTORS),
    titled("filter, lambda", lambda x: [v * 2 for v in filter(lambda v: v < 2, x)], *VECTORS),
    titled("filter, None", lambda x: list(filter(None, x)), *VECTORS, (np.array([0.0, 1.0]),)),
    titled("any", lambda x: any(v > 2 for v in x), *VECTORS),
    titled("any, array", lambda x: any(x > 2), *VECTORS[:2]),
    titled("any, list", lambda x: any([x > 2, x < -5, False]), *SCALARS),
    titled("all", lambda x: all(v > -1 for v in x), *VECTORS),
    titled("all, array", lambda x: all(x > -1), *VECTORS[:2]),
    titled("all, list", lambda x: all([x > -2, x < 3, 1]), *SCALARS),
    titled("sorted", lambda x: sorted(x), *VECTORS),
    titled("sorted, key", lambda x: sorted(x, key=size), *VECTORS),
    titled("sorted, reverse", lambda x: sorted(x, reverse=True), *VECTORS),
    titled("sorted, key and reverse",
        lambda x: sorted(x, key=lambda v: -v, reverse=True), *VECTORS),
    titled("sorted, list", lambda x: sorted([x, 1.0, 2.0]), *SCALARS),
    titled("sorted, pairs", lambda x: sorted([(x, 1), (1.0, 2), (1.0, 0)]), *SCALARS),
    titled("max", lambda x: max(x, 1.5), *SCALARS),
    titled("max, array", lambda x: max(x), *VECTORS),
    titled("max, several", lambda x: max(x, 0, 2), *SCALARS),
    titled("max, key", lambda x: max(x, key=size), *VECTORS),
    titled("max, key that is symbolic", lambda x: max(range(3), key=lambda i: abs(x[i])), *VECTORS),
    titled("max, key that is symbolic, long",
        lambda x: max(range(20), key=lambda i: x[i % 3] * (i % 7)), *VECTORS),
    titled("max, key of a filtered array",
        lambda x: max(x[x > 0], key=lambda v: -abs(v - x[0])), *VECTORS[:2]),
    titled("max, key and default", lambda x: max(x[x > 100], key=size, default=None), *VECTORS[:2]),
    titled("min, key of a generator",
        lambda x: min((i for i in range(3) if x[i] > 0), key=lambda i: x[i]), *VECTORS),
    titled("min, key and nothing", lambda x: min((v for v in x if v > 100), key=size), *VECTORS),
    titled("min, names by a symbolic key",
        lambda x: min({"a": 0, "b": 1}.items(), key=lambda kv: x[kv[1]])[0], *VECTORS),
    titled("sorted, key that is symbolic",
        lambda x: sorted(range(3), key=lambda i: x[i]), *VECTORS),
    titled("sorted, key that is symbolic and reverse",
        lambda x: sorted("abc", key=lambda c: x["abc".index(c)], reverse=True), *VECTORS),
    titled("sorted, key of a filtered array",
        lambda x: sorted(x[x > 0], key=lambda v: -v * x[0]), *VECTORS[:2]),
    titled("max, default", lambda x: max(x[x > 100], default=-1.0), *VECTORS[:2]),
    titled("max, generator", lambda x: max(v * 2 for v in x), *VECTORS),
    titled("min", lambda x: min(x, 1.5), *SCALARS),
    titled("min, array", lambda x: min(x), *VECTORS),
    titled("min, key", lambda x: min([x, 1.0, -2.0], key=lambda v: v if v > 0 else 9.0), *SCALARS),
    titled("min, empty", lambda x: min(x[x > 100]), *VECTORS[:2]),
    titled("sum", lambda x: sum(x), *VECTORS, (np.zeros((2, 2)),)),
    titled("sum, start", lambda x: sum(x, 10.0), *VECTORS),
    titled("sum, list", lambda x: sum([x, x, 1]), *SCALARS),
    titled("sum, generator", lambda x: sum(v * v for v in x), *VECTORS),
    titled("round", lambda x: (round(x), round(x, 1)), *SCALARS),
    titled("divmod", lambda x: divmod(x, 2), *SCALARS),
    titled("divmod, reflected", lambda x: divmod(7, x + 4), *SCALARS),
    titled("pow", lambda x: (pow(x, 2), pow(2, x)), *SCALARS),
    titled("pow, modulus", lambda n: pow(int(n), 3, 7), *NUMBERS),
    titled("reversed", lambda x: list(reversed(x)), *VECTORS),
    titled("reversed, loop", lambda x: [v * 2 for v in reversed(x)], *VECTORS),
    titled("reversed, range", lambda n: [i for i in reversed(range(n))], *NUMBERS),
    titled("isinstance", lambda x: (isinstance(x, np.ndarray), isinstance(x, (int, float)),
                                 isinstance(x, np.generic)), *SCALARS, *VECTORS),
    titled("list", lambda x: list(x), *VECTORS),
    titled("list, of a filtered array", lambda x: list(x[x > 0]), *VECTORS[:2]),
    titled("list, generator", lambda x: list(v + 1 for v in x), *VECTORS),
    titled("tuple", lambda x: tuple(x), *VECTORS),
    titled("tuple, of a filtered array", lambda x: tuple(x[x > 0]), *VECTORS[:2]),
    titled("tuple, generator", lambda x: tuple(v + 1 for v in x), *VECTORS),
    titled("next", lambda x: next(iter(x)), *VECTORS),
    titled("next, generator", lambda x: next(v * 2 for v in x), *VECTORS),
    titled("next, filtered generator", lambda x: next(v for v in x if v > 2), *VECTORS),
    titled("next, default", lambda x: next((v for v in x if v > 100), None), *VECTORS),
    titled("next, empty", lambda x: next(iter(x[:0])), *VECTORS),
    titled("iter", lambda x: [v for v in iter(x)], *VECTORS),
    titled("iter, twice",
        lambda x: [a + b for a, b in zip(*[iter(x)] * 2)], *VECTORS),  # noqa: B905
    titled("type", lambda x: type(x) is np.ndarray, *VECTORS),
    titled("print", lambda x: print("x"), *SCALARS),
    titled("callable", lambda x: (callable(x), callable(len)), *SCALARS),
    titled("set and frozenset", lambda n: (len({n, 5}), frozenset([n])), (3,), (5,)),
    titled("str and repr", lambda n: (str(n), repr(n)), (3,), (2.5,)),
    titled("eval", lambda x: (eval("1 + 1"), x), *SCALARS),
]
