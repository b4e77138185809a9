"""Generator functions whose control flow is symbolic, and what consumes them."""

import numpy as np

from tests.corpus.arguments import VECTORS
from tests.corpus.case import Case, titled

NUMBERS = [(np.int64(7),), (np.int64(1),), (np.int64(8),)]


def positives_until(x):
    def positives(v):
        for e in v:
            if e > 0:
                yield e * 2

    total = 0.0
    for p in positives(x):
        total += p
        if total > 5:
            break
    else:
        total = -total
    return total, list(positives(x))


def walk(n):
    yield n
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        yield n


def returns_from_the_loop(n):
    steps = 0
    for k in walk(n):
        if k > 20:
            return "high", steps
        steps += 1
    return steps


def folded(n):
    return (sum(walk(n)), max(walk(n)), [k for k in walk(n) if k % 2],
            any(k > 20 for k in walk(n)), sorted(walk(n))[:2], tuple(walk(n)))


class Tree:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        for v in self.values:
            if v > 0:
                yield v
        yield from self.values[:1]

    def below(self, limit):
        for v in self:
            if v < limit:
                yield v
            elif v > 7:
                return


def methods(x):
    s = 0.0
    for v in Tree(x):
        s = s * 2 + v
    for v in Tree(x).below(2.0):
        s -= v
    return s


def forever(n):
    while True:
        n = n + 1
        yield n


def without_end(n):
    for k in forever(n):
        if k % 5 == 0:
            break
    return k


def side_by_side(n):
    return [a * b for a, b in zip([1, 2, 3], forever(n))]


def steps(x):
    yield 1.0
    yield x[0]
    for v in x:
        yield v


def one_by_one(x):
    g = steps(x)
    first = next(g)
    return first, next(g), list(g), next(g, "end")


def interleaved(x):
    log = []

    def given(v):
        for e in v:
            log.append("before")
            received = yield e
            log.append(received)

    total = 0.0
    for e in given(x):
        log.append("body")
        if e < 0:
            continue
        total += e
        if total > 5:
            break
    return total, log


def pipeline(x):
    def scaled(values):
        for v in values:
            yield v * 2 if v > 0 else -v

    def large(values, limit=1):
        for v in values:
            if v > limit:
                yield v

    return sum(large(scaled(x))), [v for v in large(scaled(large(x)), limit=3)]


def returns_early(x):
    def head(v):
        if v[0] > 0:
            return
        yield v[0]
        if v[1] == 0:
            return "ignored"
        yield v[1]

    return list(head(x)), list(head(-x)), [v for v in head(x)]


def running(x):
    total = 0.0
    for v in x:
        sent = yield total
        total += v if sent is None else sent


def values_sent(x):
    it = running(x)
    out = [next(it)]
    for i in range(len(x) - 1):
        out.append(it.send(None if i % 2 else 10.0))
    it.close()
    return out, list(it)


def closed_early(x):
    log = []

    def values():
        try:
            yield from x
        finally:
            log.append("closed")

    it = values()
    first = next(it)
    it.close()
    return first, log, next(it, None)


def closed_after_a_loop(x):
    it = running(x)
    out = [v for v in it]  # noqa: C416
    it.close()
    try:
        it.send(None)
    except StopIteration:
        out.append("end")
    return out


CASES = [
    *(Case(f, (np.array([1.0, 2.0, 3.0]),), (np.array([5.0, -1.0]),)) for f in (
        values_sent, closed_early, closed_after_a_loop)),
    titled("a generator in a loop with break", positives_until, *VECTORS),
    titled("a generator in a loop with return", returns_from_the_loop, *NUMBERS),
    titled("a generator folded", folded, *NUMBERS),
    titled("generators as methods", methods, *VECTORS),
    titled("a generator without an end", without_end, *NUMBERS),
    titled("a generator beside a list", side_by_side, *NUMBERS),
    titled("a generator asked for one value at a time", one_by_one, *VECTORS),
    titled("a generator and its consumer take turns", interleaved, *VECTORS),
    titled("generators of generators", pipeline, *VECTORS),
    titled("a generator that returns", returns_early, *VECTORS),
]
