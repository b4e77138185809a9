"""Iterators whose end only the run knows, and objects that the run chooses: taken apart by `match`
and by `dataclasses`, picked from an enumeration."""

import dataclasses
import enum
import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.corpus.arguments import VECTORS
from tests.corpus.case import titled

SIZES = [(np.int64(6),), (np.int64(9),), (np.int64(2),)]


class Count:
    def __init__(self, n):
        self.n, self.i = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


class Fibonacci:
    def __init__(self, most):
        self.most, self.a, self.b = most, 0, 1

    def __iter__(self):
        return self

    def __next__(self):
        found = self.a
        if found > self.most:
            raise StopIteration()
        self.a, self.b = self.b, self.a + self.b
        return found


class Counting:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return Count(self.n)


class Squares:
    def __init__(self, n):
        self.n = n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return i * i


def by_index(n):
    total = 0
    for k, v in enumerate(Squares(n)):
        total += k * v
    return total, list(Squares(n)), sum(Squares(n)), 4 in Squares(n), Squares(n)[1]


def left_early(n):
    numbers, total = Count(n), 0
    for i in numbers:
        if i > 3:
            break
        total += i
    return total, numbers.i, list(numbers), numbers.i


def read_twice(n):
    numbers = Count(n)
    return [i for i in numbers], [i for i in numbers], numbers.i


def read_by_builtins(n):
    return (list(Fibonacci(n)), max(Fibonacci(n)), sum(x for x in Fibonacci(n) if x % 2 == 0),
            list(map(abs, Count(n))), any(v > 5 for v in Count(n)), tuple(Count(n)),
            list(enumerate(Fibonacci(n))), 3 in Counting(n))


def one_in_another(n):
    total = 0
    for i in Counting(n):
        for j in Counting(i):
            total += i * j
    return total


def by_next(n):
    numbers, pairs = Count(n), []
    for i in numbers:
        pairs.append((i, next(numbers, None)))
    return pairs


def naturals(seen):
    i = 0
    while True:
        seen.append(i)
        yield i
        i += 1


def primes():
    found: list[Any] = []
    k = 2
    while True:
        if all(k % p for p in found):
            found.append(k)
            yield k
        k += 1


def endless_left(n):
    seen: list[Any] = []
    total = 0
    for i in naturals(seen):
        if i * i > n:
            break
        total += i
    return total, seen


def primes_below(n):
    found = []
    for p in primes():
        if p > n:
            break
        found.append(p)
    return found


def endless_by_itertools(n):
    return (list(itertools.takewhile(lambda p: p < n, primes())),
            next(p for p in primes() if p > n),
            next(k for k, p in enumerate(primes()) if p > n))


def halves(x):
    def inorder(low, high):
        if high - low > 0:
            middle = (low + high) // 2
            yield from inorder(low, middle)
            yield x[middle]
            yield from inorder(middle + 1, high)
    return list(inorder(0, len(x)))


def towers(n):
    def move(k, a, b, c):
        if k > 0:
            yield from move(k - 1, a, c, b)
            yield a, b
            yield from move(k - 1, c, b, a)
    return list(move(n - n // 2, 1, 2, 3)), sum(1 for _ in move(n // 2, 1, 2, 3))


def down_until(n):
    def down(i):
        if i > 0:
            yield i
            yield from down(i - 1)
    total = 0
    for v in down(n):
        if v < 3:
            break
        total += v
    return total


def extended(x):
    def large():
        for v in x:
            if v > 1:
                yield v
    out = [1]
    out.extend(v for v in x if v > 0)
    out.extend(large())
    out += large()
    return out


def sums_of_generators(x):
    return (math.fsum([v for v in x if v > 0]), math.fsum(v * v for v in x),
            math.prod(v for v in x if v > 0), math.fsum(map(abs, x)))


def in_order_of_memory(x):
    total, seen = 0.0, []
    for v in np.nditer(x):
        total = total * 2 + v
        seen.append(float(v))
    return total, seen, [float(v) for v in np.nditer(np.outer(x, x).T)]


@dataclass
class Point:
    x: Any
    y: Any


@dataclass
class Circle:
    at: Point
    radius: Any


def area(shape):
    match shape:
        case Circle(Point(x=0 | 1), radius) if radius > 2:
            return -radius
        case Circle(_, radius):
            return 3 * radius * radius
        case Point(x, y) as point:
            return x * y + point.x
        case None:
            return 0


def shapes_chosen(x):
    shape = Circle(Point(x[0], 1), x[2]) if x[1] > 0 else Point(x[1], x[2])
    other = None if x[0] > 0 else shape
    return area(shape), area(other)


def structure_chosen(x):
    value = [x[0], x[1]] if x[0] > 0 else {"a": x[2], "b": x[1]}
    match value:
        case [a, b]:
            return a - b
        case {"a": a, **rest}:
            return a, rest


def depth_of_tree(x):
    tree = None
    for v in x:
        tree = (v, tree, None) if v > 0 else (v, None, tree)
    depth = 0
    while tree is not None:
        match tree:
            case (_, None, right):
                tree = right
            case (_, left, _):
                tree = left
        depth += 1
    return depth


def replaced(x):
    first, second = Point(x[0], 1.0), Point(x[1], x[2])
    chosen = first if x[0] > x[1] else second
    return (dataclasses.replace(chosen, y=5.0), dataclasses.asdict(chosen), vars(chosen),
            dataclasses.astuple(chosen), [f.name for f in dataclasses.fields(chosen)])


class Color(enum.Enum):
    RED = 2
    GREEN = 6
    BLUE = 9


def member_by_value(n):
    color = Color(int(n))
    return color, color.name, color is Color.GREEN


def no_member(n):
    return Color(int(n) + 1)


def keyed_by_run(x):
    signs, counts = np.unique(np.sign(x), return_counts=True)
    return dict(zip(signs.tolist(), counts.tolist(), strict=True))


CASES = [
    *(titled(f.__name__.replace("_", " "), f, *SIZES) for f in (
        by_index, left_early, read_twice, read_by_builtins, one_in_another, by_next, endless_left,
        primes_below, towers, down_until, endless_by_itertools, member_by_value, no_member)),
    *(titled(f.__name__.replace("_", " "), f, *VECTORS) for f in (
        shapes_chosen, structure_chosen, depth_of_tree, replaced, keyed_by_run, halves,
        extended, sums_of_generators, in_order_of_memory)),
]
