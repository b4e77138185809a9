"""What is done to objects stands in the generated source as a person writes it."""

import heapq
from collections import deque

import numpy as np
import pytest

import autograph as ag


class Node:
    def __init__(self, value, following):
        self.value = value
        self.following = following


def queue(x):
    waiting = deque(x[x < 9])
    seen = {}
    while waiting:
        v = waiting.popleft()
        if v in seen:
            del seen[v]
        else:
            seen[v] = len(waiting)
    return seen


def nearest(x):
    heap = []
    for i, v in enumerate(x):
        if v > 0:
            heapq.heappush(heap, (v, i))
    v, i = heapq.heappop(heap)
    return v, i


def chain(x):
    head = None
    for v in x[x > 0]:
        head = Node(v, head)
    while head is not None and head.value < 2:
        head.value = 5
        head = head.following
    return head is None


def between(x):
    total = 0
    for v in x.tolist():
        if 0 < v < 3 and v != 2:
            total += v
    return total


CASES = [
    (queue, ["waiting = deque(x[x < c9])", "while waiting:", "v = waiting.popleft()", "seen = {}",
             "del seen[v]", "seen[v] = len(waiting)"]),
    (nearest, ["heap = []", "heappush(heap, (v, ", "heappop(heap)"]),
    (chain, [".value = 5", ".following"]),
    (between, ["v_1 > 0 and v_1 < 3 and v_1 != 2", "total += v_1"]),
]


@pytest.mark.parametrize(("function", "forms"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_source_is_written_as_by_a_person(function, forms):
    x = np.array([1.0, 2.0, -1.0, 1.0])
    traced = ag.function(function)
    assert traced(x) == function(x)
    source = traced.get_concrete_function(x).source
    assert [form for form in forms if form not in source] == [], source
