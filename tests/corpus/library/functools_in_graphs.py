"""Functions that `functools` makes inside a traced function; decorators of its own."""

import functools
from dataclasses import dataclass, field

import numpy as np

from tests.corpus.case import titled

VECTORS = [(np.array([1.5, -2.0, 0.5, 3.0, -0.25, 1.0]),), (np.array([-1.0, 2.0, -0.5]),)]
COUNTS = [(np.int64(6),), (np.int64(9),), (5,)]


def cached_recursion(n):
    log = []

    @functools.lru_cache(None)
    def f(k):
        log.append(k)
        return k if k < 2 else f(k - 1) + f(k - 2)

    return f(n), f.cache_info(), f(3), f.cache_info(), log, f.cache_parameters(), f.__name__


def cleared_cache(n):
    log = []

    @functools.cache
    def f(k):
        log.append(k)
        return k * 2

    total = 0
    for i in range(n):
        total += f(i % 3)
    f.cache_clear()
    f(n)
    return total, log, f.cache_info().hits


def identity_of_results(n):
    @functools.lru_cache(maxsize=2)
    def f(k):
        return [k]

    x, y = f(n), f(n)
    x.append(1)
    return x is y, y, f(n + 1) is f(n + 1)


def small_cache(n):
    log = []

    @functools.lru_cache(maxsize=3, typed=True)
    def f(x, *, y=1):
        log.append(x)
        if x > 3:
            raise ValueError(f"no {x}")
        return x * y

    out = []
    for k in range(n):
        try:
            out.append(f(k * k % 5))
            out.append(f(int(k % 3), y=2))
        except ValueError as error:
            out.append(str(error))
    return out, log, f.cache_info()


def no_cache(n):
    log = []

    @functools.lru_cache(maxsize=0)
    def f(x):
        log.append(x)
        return x

    return f(n), f(n), f(np.arange(n)), f.cache_info(), len(log)


def class_method(n):
    class Squares:
        calls = 0

        @classmethod
        @functools.lru_cache
        def of(cls, k):
            cls.calls += 1
            return k * k

    return sum(Squares.of(i % 4) for i in range(n)), Squares.calls


def edit_distance(v):
    a, calls = v.astype(int), 0
    b = a[::-1]

    @functools.cache
    def d(i, j):
        nonlocal calls
        calls += 1
        if i == 0 or j == 0:
            return i + j
        return min(d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return d(len(a), len(b)), calls, d.cache_info().currsize


def cached_method(v):
    class Table:
        def __init__(self, items):
            self.items, self.calls = items, 0

        @functools.cache
        def twice(self, k):
            self.calls += 1
            return self.items[k] * 2

    t, total = Table(v), 0.0
    for i in range(8):
        total += t.twice(int(i % 3))
    return total, t.calls


def compared(v):
    by_size = functools.cmp_to_key(lambda a, b: abs(a) - abs(b))
    return (sorted(v, key=functools.cmp_to_key(lambda a, b: -1 if a > b else 1)),
            sorted([v[0], v[1], v[2]], key=by_size), by_size(v[0]) < by_size(v[1]), by_size(3).obj)


def compared_pairs(v):
    def in_order(a, b):
        for x, y in zip(a, b):
            if x != y:
                return -1 if x < y else 1
        return 0

    pairs = [(3, v[0]), (1, v[1]), (3, v[2])]
    pairs.sort(key=functools.cmp_to_key(in_order), reverse=True)
    return pairs


class Reversed:
    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return self.x > other.x


def class_as_key(v):
    return sorted(v, key=Reversed), max([v[0], v[1], v[2]], key=Reversed)


def scaled(k):
    def decorate(f):
        if k > 0:
            return lambda x: f(x) * k
        return f
    return decorate


def decorator_with_a_symbolic_test(v):
    @scaled(v[0])
    def g(x):
        return x + 1 if x > 0 else x

    class A:
        @staticmethod
        @scaled(v[1])
        def h(x):
            return x - 1

    return g(v[1]), A.h(v[2])


@dataclass
class Particle:
    position: np.ndarray
    velocity: np.ndarray
    trail: list = field(default_factory=list)

    def step(self, dt):
        self.position = self.position + self.velocity * dt
        if (np.abs(self.position) > 1).any():
            self.velocity = -self.velocity
            self.trail.append(self.position.copy())


def data_classes_with_lists(v):
    particles = [Particle(np.zeros(1), v[k:k + 1]) for k in range(len(v))]
    for k in range(10):
        for p in particles:
            p.step(0.3)
        if sum(len(p.trail) for p in particles) > 8:
            break
    return [p.position for p in particles], [len(p.trail) for p in particles], k


CASES = [
    *(titled(f.__name__.replace("_", " "), f, *COUNTS) for f in (
        cached_recursion, cleared_cache, identity_of_results, small_cache, no_cache,
        class_method)),
    *(titled(f.__name__.replace("_", " "), f, *VECTORS) for f in (
        edit_distance, cached_method, compared, compared_pairs, class_as_key,
        decorator_with_a_symbolic_test, data_classes_with_lists)),
]
