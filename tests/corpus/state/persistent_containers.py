"""Containers that programs keep from call to call: memo tables, queues, indices, histories."""

import bisect
import heapq
from collections import OrderedDict, defaultdict, deque

import numpy as np

from tests.corpus.case import Case

TABLE = {}
LENGTHS = {1: 0}
GRAPH = defaultdict(list)
WAITING = []
SEEN = []
RECENT = deque(maxlen=3)
STATISTICS = {"count": 0, "mean": 0.0, "means": []}


class Cache:
    """The items asked for last."""

    def __init__(self, size):
        self.size = size
        self.items = OrderedDict()

    def get(self, key):
        if key not in self.items:
            return -1
        self.items.move_to_end(key)
        return self.items[key]

    def put(self, key, value):
        self.items[key] = value
        self.items.move_to_end(key)
        if len(self.items) > self.size:
            self.items.popitem(last=False)


CACHE = Cache(2)


def fresh(*containers):
    """Both the plain and the traced runs begin with nothing."""
    for container in containers:
        container.clear()


def fibonacci(n):
    if n not in TABLE:
        TABLE[n] = n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
    return TABLE[n]


def collatz_lengths(numbers):
    for n in numbers:
        steps, m = 0, n
        while m not in LENGTHS:
            m = m // 2 if m % 2 == 0 else 3 * m + 1
            steps += 1
        LENGTHS[n] = steps + LENGTHS[m]
    return [LENGTHS[n] for n in numbers]


def component(edges, start):
    fresh(GRAPH)
    for a, b in edges:
        GRAPH[a].append(b)
        GRAPH[b].append(a)
    stack, found = [start], set()
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack.extend(GRAPH[node])
    return sorted(found)


def busy_rooms(times):
    fresh(WAITING)
    most = 0
    for begin, end in times:
        while WAITING and WAITING[0] <= begin:
            heapq.heappop(WAITING)
        heapq.heappush(WAITING, end)
        most = max(most, len(WAITING))
    return most


def medians(x):
    fresh(SEEN)
    out = []
    for v in x:
        bisect.insort(SEEN, v)
        out.append(SEEN[len(SEEN) // 2])
    return out


def last_three(x):
    fresh(RECENT)
    for v in x:
        if v > 0:
            RECENT.append(v)
    return len(RECENT), max(RECENT)


def running_mean(x):
    STATISTICS.update(count=0, mean=0.0)
    fresh(STATISTICS["means"])
    for v in x:
        STATISTICS["count"] += 1
        STATISTICS["mean"] += (v - STATISTICS["mean"]) / STATISTICS["count"]
        if v > 1:
            STATISTICS["means"].append(STATISTICS["mean"])
    return STATISTICS["means"][-1], STATISTICS["count"], len(STATISTICS["means"])


def cached(keys):
    fresh(CACHE.items)
    missed = []
    for key in keys:
        if CACHE.get(key) == -1:
            missed.append(key)
            CACHE.put(key, 10 * key)
    return missed, list(CACHE.items)


A, B = np.array([3.0, -1.0, 2.0, 5.0]), np.array([4.0, 2.0, -3.0, 1.5])

CASES = [
    Case(fibonacci, (np.int64(10),), (np.int64(25),)),
    Case(collatz_lengths, (np.array([6, 3, 12]),), (np.array([7, 1, 5]),)),
    Case(component, (np.array([[1, 2], [3, 4], [2, 5]]), np.int64(1)),
         (np.array([[1, 2], [3, 4], [2, 3]]), np.int64(4))),
    Case(busy_rooms, (np.array([[0, 5], [1, 3], [4, 6]]),), (np.array([[0, 1], [1, 3], [4, 6]]),)),
    *[Case(f, (A,), (B,)) for f in (medians, last_three, running_mean)],
    Case(cached, (np.array([1, 2, 1, 3, 2]),), (np.array([5, 5, 6, 7, 5]),)),
]
