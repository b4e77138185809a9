"""Slices with bounds that are computed, stars, comparisons of structures, folds of sequences."""

import functools
import heapq
import operator
from dataclasses import dataclass

import numpy as np

from tests.corpus.case import Case


def split_at(values, i):
    return values[:i], values[i:], values[-i], values[i:i + 2]


def replace_middle(i):
    line = [10, 20, 30, 40, 50]
    line[i:i + 2] = [0]
    del line[-i:]
    return line, len(line)


def cut_the_argument(values, i):
    values[i:] = [0, 1]
    return len(values)


def rotate(x):
    values = list(x)
    k = int(values[0]) % len(values)
    return values[k:] + values[:k]


def running_sums(n):
    values, out, i = [1, 2, 3, 4, 5, 6], [], 0
    while i < n:
        out.append(sum(values[:i]))
        i += 1
    return out


def parts_of_text(i):
    text, row = "hello world", (1, 2.5, "x", 4)
    return text[:i], text[-i], text[i:i + 3].upper(), row[:i], len(row[i:])


def around(x):
    positive = [v for v in x if v > 0]
    return [*positive], [0, *positive, 1], (*positive, 5), {*positive}


def largest_of(x):
    positive = [v for v in x if v > 0]
    return max(*positive, 0.0, 1.0), "{} and {}".format(*positive)


def columns(x):
    rows = []
    for v in x:
        if v > 0:
            rows.append([v, v + 1])
    return list(zip(*rows, strict=True))


def distance(a, b):
    return abs(a - b)


def two_arguments(x):
    return distance(*[v for v in x if v > 1])


def first_and_rest(x):
    positive = [v for v in x if v > 0]
    a, *rest = positive
    *start, b = positive
    c, *middle, d = positive
    return a, rest, start, b, c, middle, d


def rest_of_array(x):
    a, *rest = x[x > 0]
    return a, rest


def total_of(values):
    if len(values) == 0:
        return 0
    first, *rest = values
    return first + total_of(rest)


def recursive_total(x):
    return total_of([v for v in x if v > 0])


def pairs_strictly(x):
    out = []
    for a, b in zip([v for v in x if v > 0], x, strict=True):
        out.append(a * b)
    return out


def merged(x, y):
    return list(heapq.merge(sorted([v for v in x if v > 0]), sorted(y)))


def reduced(x):
    positive = [v for v in x if v > 0]
    return functools.reduce(operator.mul, positive, 1.0), functools.reduce(max, positive)


def as_bytes(x):
    return bytes([int(v) for v in x]), bytes(int(v) for v in x if v > 2)


def third_of_each(x, y):
    rows = list(zip(x, y, ["a", "b", "c"], strict=True))
    rows.sort(key=lambda row: row[0], reverse=True)
    return [name for _, _, name in rows]


def lexicographic(a, b):
    smaller = (a, b) < (b, a)
    return smaller, (a, 1) <= (a, 2), (a, b) == (a, b), [a, b] > [b, a], max((a, b), (b, a))


def best_so_far(x):
    best = (0.0, -1)
    for i, v in enumerate(x):
        if (v, -i) > best:
            best = (v, -i)
    return best


@dataclass(order=True)
class Version:
    major: int
    minor: int


@dataclass
class Point:
    x: float
    y: float


def newer(a, b):
    have, want = Version(a, b), Version(1, 2)
    if have < want:
        return "old"
    return "same" if have == want else "new"


def same_point(a, b):
    p, q = Point(a, b), Point(b, a)
    return (1 if p == q else 2), p != q


def member(a, b):
    line = [(1, 2), (2, 3), (3, 1)]
    return line.index((a, b)) if (a, b) in line else -line.count((b, a))


A, B = np.array([3.0, -1.0, 2.0, 5.0]), np.array([1.0, 2.0, -3.0, 0.0])
ONE, TWO, FOUR = np.int64(1), np.int64(2), np.int64(4)

CASES = [
    Case(split_at, ([1, 2, 3, 4, 5], TWO), ([1, 2, 3, 4, 5], FOUR)),
    Case(replace_middle, (TWO,), (FOUR,), (ONE,)),
    Case(cut_the_argument, ([1, 2, 3, 4, 5], TWO), ([1, 2, 3, 4, 5], FOUR)),
    Case(rotate, (np.array([1, 2, 3]),), (np.array([2, 2, 3]),)),
    Case(running_sums, (TWO,), (FOUR,)),
    Case(parts_of_text, (TWO,), (FOUR,)),
    *[Case(f, (A,), (B,)) for f in (around, largest_of, columns, first_and_rest, rest_of_array,
                                    recursive_total, reduced, best_so_far)],
    Case(two_arguments, (np.array([3.0, 1.0, 2.0]),), (np.array([3.0, 4.0, 2.0]),)),
    Case(pairs_strictly, (np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),)),
    Case(merged, (A, B), (B, A)),
    Case(as_bytes, (np.array([1, 2, 3]),), (np.array([7, 0, 255]),), (np.array([7, 0, 256]),)),
    Case(third_of_each, (A[:3], B[:3]), (B[:3], A[:3])),
    *[Case(f, (ONE, TWO), (TWO, ONE), (TWO, TWO), (TWO, np.int64(3)))
      for f in (lexicographic, newer, same_point, member)],
]
