"""What Python's own values cost: an `if`, a loop and a call in converted code; programs over
numbers, lists and dicts inside a trace, against plain Python.

    python -m benchmarks.plain_values
"""

import collections
import functools
import heapq
import itertools
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as ag
from benchmarks import harness

TURNS = 20_000


def helper(x):
    return x


def nothing(n):
    i = 0
    while i < n:
        i += 1
    return i


def calls(n):
    i = 0
    while i < n:
        helper(i)
        i += 1
    return i


def branches(n):
    i = s = 0
    while i < n:
        if i > 5:
            s = i
        i += 1
    return s


def costs(convert: Callable[[Any], Any]) -> dict[str, float]:
    """Seconds a turn: of the bare loop, and of what the other loops have in addition."""
    converted = {f.__name__: convert(f) for f in (nothing, calls, branches)}
    medians = harness.measure({name: lambda f=f: f(TURNS) for name, f in converted.items()})
    loop = medians["nothing"]
    return {"turn of a loop": loop / TURNS, "call": (medians["calls"] - loop) / TURNS,
            "if": (medians["branches"] - loop) / TURNS}


def primes(n):
    found = []
    k = 2
    while len(found) < n:
        prime = True
        for p in found:
            if p * p > k:
                break
            if k % p == 0:
                prime = False
                break
        if prime:
            found.append(k)
        k += 1
    return found


def product(a, b):
    c = [[0.0] * len(b[0]) for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            t = 0.0
            for k in range(len(b)):
                t += a[i][k] * b[k][j]
            c[i][j] = t
    return c


def words(text):
    counts = {}
    for w in text.split():
        counts[w] = counts.get(w, 0) + 1
    often = []
    for w in sorted(counts):
        if counts[w] > 1 and len(w) > 2:
            often.append((w, counts[w]))  # noqa: PERF401
    return often


def graph(n):
    following = {}
    for i in range(n):
        following.setdefault(i % 13, []).append(i * 7 % n)
    found = 0
    for after in following.values():
        for x in after:
            if x in following:
                found += len(following[x])
            elif x % 2 == 0:
                found -= 1
    return found


def sieve(n):
    flags = [True] * (n + 1)
    found = []
    for i in range(2, n + 1):
        if flags[i]:
            found.append(i)
            for j in range(i * i, n + 1, i):
                flags[j] = False
    return found


def subsequence(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            if x == y:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


class Point:
    def __init__(self, x):
        self.x = x

    def twice(self):
        return self.x * 2


def comprehensions(n):
    squares = [i * i for i in range(n) if i % 3]
    texts = [a * (b % 3) for a in "abc" for b in squares]
    return {i: s for i, s in enumerate(squares) if s % 2}, texts


def generators(n):
    return sum(i * i for i in range(n)), ",".join(str(i) for i in range(n)), collections.Counter(
        i % 7 for i in range(n))


def callbacks(n):
    added = map(lambda i, j: i + j, range(n), range(n))
    return (sorted(range(n), key=lambda i: i * 7919 % 1009), max(range(n), key=lambda i: -i),
            list(added), functools.reduce(lambda a, b: a ^ b, range(n)))


def iterators(n):
    pairs = zip(range(n), range(n), strict=True)
    return ([a * b for a, b in itertools.product(range(n // 50), range(50))],
            list(itertools.accumulate(range(n))), [a + b for a, b in pairs])


def objects(n):
    points = [Point(i) for i in range(n)]
    return sum(p.twice() for p in points), [p.x for p in points]


def queues(n):
    waiting, heap, groups = collections.deque(), [], collections.defaultdict(list)
    for i in range(n):
        waiting.append(i)
        heapq.heappush(heap, i * 7919 % 1009)
        groups[i % 10].append(i)
    while waiting:
        waiting.popleft()
    return [heapq.heappop(heap) for _ in range(n)], len(groups)


def recursion(n):
    def fibonacci(k):
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    return fibonacci(n)


def handlers(n):
    found = 0
    for i in range(n):
        try:
            found += 1 // (i % 5)
        except ZeroDivisionError:
            found -= 1
    return found


def in_a_trace(program: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[float, float]:
    """Seconds of the plain program, and of a trace with it beyond one without; best of three."""
    plain, empty, traced = [], [], []

    def nothing(x):
        return x + 1

    def full(x):
        program(*arguments)
        return x + 1

    for f, times in ((nothing, empty), (full, traced)):
        for _ in range(4):
            made = ag.function(f)
            start = time.process_time()
            made(np.ones(3))
            times.append(time.process_time() - start)
    for _ in range(4):
        start = time.process_time()
        program(*arguments)
        plain.append(time.process_time() - start)
    return min(plain[1:]), min(traced[1:]) - min(empty[1:])


def programs() -> dict[Callable[..., Any], tuple[Any, ...]]:
    """The programs and their arguments."""
    r = random.Random(1)
    a, b = ([[r.random() for _ in range(60)] for _ in range(60)] for _ in range(2))
    text = " ".join(r.choice(("abc", "de", "fgh", "the", "for", "aaa")) for _ in range(50_000))
    return {primes: (1000,), product: (a, b), words: (text,), graph: (50_000,),
            sieve: (50_000,), subsequence: ("abcbdab" * 30, "bdcaba" * 30),
            **dict.fromkeys((comprehensions, generators, callbacks, iterators, objects, queues,
                             handlers), (5000,)), recursion: (18,)}


if __name__ == "__main__":
    for program, arguments in programs().items():
        plain, traced = in_a_trace(program, arguments)
        print(f"{program.__name__:<14}plain {harness.pretty(plain):<10}in a trace "
              f"{harness.pretty(traced):<10}{traced / plain:.2f} times")
    peers = {"plain Python": lambda f: f, "ours": ag.convert}
    if (tf := harness.tensorflow()) is not None:
        peers["tf.autograph"] = tf.autograph.to_graph
    for name, convert in peers.items():
        print(f"{name:<14}" + "".join(f"{what}: {harness.pretty(seconds):<12}"
                                      for what, seconds in costs(convert).items()))
