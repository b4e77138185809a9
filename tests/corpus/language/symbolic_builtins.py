"""Builtins on symbolic values, in branches and loops."""

import copy

import numpy as np

from tests.corpus.arguments import NUMBERS, SCALARS, VECTORS
from tests.corpus.case import titled

LONG = [(np.arange(20.0),), (-np.arange(20.0),), (np.arange(20.0) % 7,)]


def numbers(x):
    return (abs(x), int(x), float(x), bool(x), complex(x, 1), round(x), round(x, 1), divmod(x, 2),
            pow(x, 2), divmod(int(x), 3), int(x) // 2 if x > 0 else abs(int(x)))


def numbers_of_chosen(x):
    y = x if x > 1 else 3
    return int(y), float(y), y + 1, abs(y) > 2, str(int(y))


def int_of_text(x):
    return int("12") + x, float("1.5") * x, int("ff", 16), bool("")


def lengths(x):
    kept = x[x > 0]
    items = [v for v in x if v > 0]
    return len(x), len(kept), len(items), len(kept) == len(items), len(x) if x[0] > 0 else 0


def ranges(n):
    return ([i for i in range(n)], sum(range(n)), len(range(0, n, 2)), list(range(n, 0, -1)),
            [i for i in range(3) if i < n], 3 in range(n))


def nested_ranges(n):
    s = 0
    for i in range(n):
        for j in range(i, n):
            for k in range(j, n, 3):
                s += i * j + k
    return s


def enumerates(x):
    s = 0.0
    for i, v in enumerate(x, start=1):
        if v > 0:
            s += i * v
    return s, list(enumerate(x)), [i for i, _ in enumerate(x[x > 0])]


def zips(x):
    s = 0.0
    for a, b, c in zip(x, x[1:], [1.0, 2.0, 3.0]):
        if a > b:
            s += c
    return s, list(zip(x, x > 0)), dict(zip("abc", x)), list(zip(*[(1, x[0]), (2, x[1])]))


def strict_zip(x):
    return [a * b for a, b in zip(x, x[x > 0], strict=True)]


def maps_and_filters(x):
    m = map(lambda v: v + 1 if v > 0 else 0.0, x)
    f = filter(lambda v: v > 0, x)
    total = 0.0
    for v in f:
        total += v
    return list(m), total, list(map(max, x, x[::-1])), sum(map(abs, filter(None, x)))


def any_and_all(x):
    return (any(v > 2 for v in x), all(v >= 0 for v in x), any(x > 2), all([x[0] > 0, x[1] > 0]),
            any([]), all(v > w for v, w in zip(x, x[1:])), not any(v < 0 for v in x))


def any_stops_early(x):
    log = []

    def check(i):
        log.append(i)
        return i == 1

    return any(check(i) for i in range(3)), all(not check(i) for i in range(3)), log, x


def sorted_and_reversed(x):
    return (sorted(x), sorted(x, reverse=True), sorted([x[0], 1.0, x[1]]), list(reversed(x)),
            [v for v in reversed(sorted(x)) if v > 0], sorted(x, key=abs)[0])


def extremes(x):
    return (max(x), min(x), max(x[0], x[1], 1.5), min(x[0], 2), max(x, key=abs),
            min(enumerate(x), key=lambda p: p[1])[0], max([v for v in x if v < 2], default=None),
            max(x[0], x[1]) if x[0] > x[1] else min(x[0], 0))


def sums(x):
    return sum(x), sum(x, 10), sum([x, x * 2]), sum(v for v in x if v > 0), sum([[1], [2]], [])


def rounded_in_loop(x):
    out = []
    for v in x:
        q, r = divmod(v, 2)
        if r > 0.6:
            out.append(round(v))
        else:
            out.append(q)
    return out


def instances(x):
    y = x if x > 0 else 1
    return (isinstance(x, float), isinstance(x, np.floating), isinstance(x, (int, str)),
            isinstance(y, int), isinstance(y, (int, np.floating)))


def lists_and_tuples(x):
    a, b = list(x), tuple(x[x > 0])
    if x[0] > 0:
        a[0] = 5.0
    return a, b, list((v, 1) for v in x), tuple([*a, *b]), list(range(3)), [*x]


def iterators(x):
    it = iter(x)
    a = next(it)
    b = next(it, None)
    rest = [v for v in it]
    return a, b, rest, next(it, "end"), next(iter([]), 3)


def iterator_in_branch(x):
    it = iter([1.0, 2.0, 3.0])
    a = next(it)
    if x > 0:
        b = next(it)
    else:
        b = 0.0
    return a, b, next(it)


def iterator_shared_by_two_loops(x):
    it = iter([1.0, 2.0, 3.0, 4.0])
    total = 0.0
    for v in it:
        total += v
        if total > x:
            break
    for v in it:
        total += v * 100
    return total


def generator_shared_by_two_loops(n):
    def count():
        for i in range(6):
            yield i

    g = count()
    a = 0
    for i in g:
        a += i
        if a > n:
            break
    return a, sum(g), next(g, "end")


def iterator_advanced_in_a_staged_loop(n):
    it = iter(range(100, 110))
    total = 0
    k = 0
    while k < n:
        total += next(it, 0)
        k += 3
    return total, next(it)


def next_raises(x):
    it = iter(x[x > 0])
    total = 0.0
    try:
        while True:
            total += next(it)
    except StopIteration:
        return total


def long_loops(x):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, reversed(x))):
        if a > b:
            s += i
        elif a == b:
            break
    return s, max(x) - min(x), sorted(x)[:3], sum(map(abs, x)), [v for v in map(abs, x) if v > 15]


def copies(x):
    return copy.copy(x), copy.deepcopy(x), x.copy(), type(copy.copy(x)).__name__


def copies_of_chosen(x):
    y = x if x > 0 else [1, 2]
    return copy.copy(y), copy.deepcopy(y)


def letters_and_digits(n):
    m = abs(n)
    return chr(m + 65), bin(m), hex(n), oct(n), ord(chr(m + 65)) + n, ascii(chr(m + 250))


def types_of(x):
    return type(x).__name__, type(x) is np.float64, callable(x)


def types_of_arrays(x):
    return type(x) is np.ndarray, type(x).__name__, callable(x), type(x[0]) is np.float64


def types_of_chosen(x):
    y = x if x > 0 else 1
    return type(y) is int, type(y).__name__


def prints(x):
    if x > 0:
        print(end="")
    return x


CASES = [
    titled("abs int float bool complex round divmod pow", numbers, *SCALARS),
    titled("int and float of a chosen value", numbers_of_chosen, *SCALARS),
    titled("int and float of text", int_of_text, *SCALARS),
    titled("len", lengths, *VECTORS),
    titled("range", ranges, *NUMBERS),
    titled("range in range", nested_ranges, *NUMBERS),
    titled("enumerate", enumerates, *VECTORS),
    titled("zip", zips, *VECTORS),
    titled("zip, strict", strict_zip, *VECTORS, (np.array([1.0, 2.0, 3.0]),)),
    titled("map and filter", maps_and_filters, *VECTORS),
    titled("any and all", any_and_all, *VECTORS),
    titled("any and all stop early", any_stops_early, *SCALARS),
    titled("sorted and reversed", sorted_and_reversed, *VECTORS),
    titled("max and min", extremes, *VECTORS),
    titled("sum", sums, *VECTORS),
    titled("round and divmod in a loop", rounded_in_loop, *VECTORS),
    titled("isinstance", instances, *SCALARS),
    titled("list and tuple", lists_and_tuples, *VECTORS),
    titled("iter and next", iterators, *VECTORS),
    titled("next in a branch", iterator_in_branch, *SCALARS),
    titled("an iterator shared by two loops", iterator_shared_by_two_loops, *SCALARS),
    titled("a generator shared by two loops", generator_shared_by_two_loops, *NUMBERS),
    titled("an iterator advanced in a staged loop", iterator_advanced_in_a_staged_loop, *NUMBERS),
    titled("StopIteration", next_raises, *VECTORS),
    titled("long loops", long_loops, *LONG),
    titled("type", types_of, *SCALARS),
    titled("type of arrays", types_of_arrays, *VECTORS),
    titled("type of a chosen value", types_of_chosen, *SCALARS),
    titled("copy", copies, *SCALARS, *VECTORS, (np.array(2.5),)),
    titled("copy of a chosen value", copies_of_chosen, *SCALARS),
    titled("chr ord bin oct hex ascii", letters_and_digits, *NUMBERS),
    titled("print", prints, *SCALARS),
]
